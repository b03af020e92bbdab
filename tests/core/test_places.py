"""Texts at places among many: each is proved alone, and what is shown tells of no other."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.draws import DEPTH, PLACES, PlacedTexts, draw_places, follow_proof, hash_places, salt_at, salted_hash
from tests.architecture.source import ROOT

KEY = bytes(range(16)).hex()
TEXTS = st.dictionaries(st.integers(0, PLACES - 1), st.text(), min_size=1, max_size=8)


@given(TEXTS)
def test_each_text_is_proved_at_its_place_and_nowhere_else(texts: dict[int, str]) -> None:
    """Salted hash and proof lead to the root from this place; another text, place or a shorter proof does not."""
    placed = PlacedTexts(KEY, texts)
    for place, text in texts.items():
        value, proof = salted_hash(salt_at(KEY, place), text), placed.proof(place)
        assert follow_proof(value, place, proof) == placed.root
        assert follow_proof(value, place ^ 1, proof) != placed.root
        assert follow_proof(salted_hash(salt_at(KEY, place), text + "x"), place, proof) != placed.root
        assert follow_proof(value, place, proof[:-1]) is None
        assert follow_proof(value, PLACES + place, proof) is None


@given(TEXTS)
def test_what_is_shown_of_one_has_the_same_form_beside_any_others(texts: dict[int, str]) -> None:
    """A proof has as many hashes, all different, whether a text stands alone or among others; whoever needs none gets the hash over all that proofs lead to."""
    for some in (texts, *({place: text} for place, text in texts.items())):
        assert hash_places(KEY, some) == PlacedTexts(KEY, some).root
    place, text = next(iter(texts.items()))
    alone, among = PlacedTexts(KEY, {place: text}), PlacedTexts(KEY, texts)
    assert alone.hash_at(place) == among.hash_at(place)
    assert len({*alone.proof(place)}) == len({*among.proof(place)}) == DEPTH


@given(st.integers(0, PLACES - 1))
def test_a_proof_does_not_have_what_its_neighbour_is_hashed_to(place: int) -> None:
    """The faces of a part hang on the salted hash of what was asked for it: that of another is in no proof, only a hash of it."""
    placed = PlacedTexts(KEY, dict.fromkeys(range(PLACES), "text"))
    others = {placed.hash_at(other) for other in range(PLACES)}
    assert others.isdisjoint(placed.proof(place))
    beside = sha256(b"\x00" + bytes.fromhex(placed.hash_at(place ^ 1))).hexdigest()
    assert placed.proof(place)[0] == beside


def test_no_salt_or_hash_of_an_empty_place_comes_twice() -> None:
    """What follows from a secret is different for each use, and for each secret."""
    for_all = [salt_at(key, place) for key in (KEY, "ff" * 16) for place in range(PLACES + 1)]
    empty = [hash_ for place in range(PLACES) for hash_ in PlacedTexts(KEY, {}).proof(place)]
    assert len(set(for_all)) == len(for_all)
    assert len(set(empty)) == 2 * PLACES - 2


@pytest.mark.no_cover
@pytest.mark.parametrize("parts", [2, *(pytest.param(parts, marks=pytest.mark.slow) for parts in (1, PLACES))])
def test_places_are_different_and_each_as_likely(parts: int) -> None:
    """Parts have places of their own; over many secrets the first one is anywhere, whatever comes behind it."""
    drawn = [draw_places(number.to_bytes(16).hex(), parts) for number in range(6400)]
    assert all(len(set(item)) == parts for item in drawn)
    seen = Counter(item[-1] for item in drawn)
    assert sum((seen[place] - 100) ** 2 / 100 for place in range(PLACES)) < 110  # the upper 1 in 4,000 with 63 degrees
    assert [item[0] for item in drawn] == [draw_places(number.to_bytes(16).hex(), 1)[0] for number in range(6400)]


def test_more_texts_than_places_are_refused() -> None:
    """There is no place for them."""
    with pytest.raises(ValueError, match="there are 64 places, and 65 texts"):
        draw_places(KEY, PLACES + 1)


def test_the_vectors_of_the_fairness_page_hold() -> None:
    """Anybody who writes a verifier of their own finds these values in `docs/fairness.md`."""
    found = draw_places(KEY, 3)
    placed = PlacedTexts(KEY, dict(zip(found, ('{"key":"Zaku"}', '{"key":"Dom"}'), strict=False)))
    values = [" ".join(map(str, found)), salt_at(KEY, found[0]), *map(placed.hash_at, found[:2])]
    page = (ROOT / "docs" / "fairness.md").read_text()
    assert [item for item in (*values, placed.root, placed.proof(found[0])[0]) if item not in page] == []
