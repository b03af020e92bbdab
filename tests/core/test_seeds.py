"""Seeds, commitments and faces; texts at secret places."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core import draws, seeds
from bot.core.draws import DEPTH, PLACES, PlacedTexts, draw_places, follow_proof, hash_places, hash_salted, salt_at
from bot.core.records import encode_canonical
from bot.rolls.fairness.outside import intent_body
from tests.architecture.source import ROOT
from tests.architecture.source import ROOT as ROOT_FOLDER

SECRET = bytes(range(32))
TREE = seeds.build_merkle_tree(SECRET)
SEEDS_ROOT = TREE[-1][0].hex()
CAMPAIGN = "00000000-0000-4000-8000-000000000001"
SLOT = st.integers(0, seeds.SLOTS - 1)

# The upper 1 in 1,000 of chi-square by its degrees of freedom (tables).
CRITICAL = {3: 16.27, 5: 20.52, 7: 24.32, 19: 43.82, 99: 148.23}


@given(SLOT)
def test_a_seed_is_proved_by_the_hashes_beside_its_way(slot: int) -> None:
    """Other seeds, slots and proofs fail."""
    seed, proof = draws.derive_seed(SECRET, slot), seeds.make_merkle_proof(TREE, slot)
    assert seeds.follow_merkle_proof(seed, slot, proof) == SEEDS_ROOT
    other = (slot + 1) % seeds.SLOTS
    assert seeds.follow_merkle_proof(draws.derive_seed(SECRET, other), slot, proof) != SEEDS_ROOT
    assert seeds.follow_merkle_proof(seed, other, proof) != SEEDS_ROOT
    assert seeds.follow_merkle_proof(seed, slot, seeds.make_merkle_proof(TREE, other)) != SEEDS_ROOT


@given(st.sets(SLOT))
def test_what_is_revealed_gives_the_seeds_that_are_meant_and_no_other(slots: set[int]) -> None:
    """Every node is needed."""
    nodes = seeds.choose_nodes(SECRET, slots)
    assert seeds.grow_from_nodes(nodes) == {slot: draws.derive_seed(SECRET, slot) for slot in slots}
    assert sum(node.slots for node in nodes) == len(slots)


def test_one_value_reveals_all_slots_of_one_campaign_and_epoch() -> None:
    """Eight values leave one slot out."""
    assert [node.value for node in seeds.choose_nodes(SECRET, range(seeds.SLOTS))] == [SECRET]
    assert len(seeds.choose_nodes(SECRET, set(range(seeds.SLOTS)) - {100})) == 8
    made = {
        seeds.make_commitment(CAMPAIGN, 1, SEEDS_ROOT),
        seeds.make_commitment(CAMPAIGN, 2, SEEDS_ROOT),
        seeds.make_commitment(CAMPAIGN[:-1] + "2", 1, SEEDS_ROOT),
    }
    assert len(made) == 3


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("sides", "times"),
    [(20, 10_000), *(pytest.param(sides, 200_000, marks=pytest.mark.slow) for sides in (4, 6, 8, 20, 100))],
)
def test_faces_fall_evenly(sides: int, times: int) -> None:
    """Chi-square at 1 in 1,000 for each die."""
    seen = Counter(draws.draw_face(SECRET, {"entry": sides}, die, sides) for die in range(times))
    expected = times / sides
    assert set(seen) == set(range(1, sides + 1))
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < CRITICAL[sides - 1]


def test_a_word_beyond_the_last_full_round_is_passed_over() -> None:
    """No word is folded back."""
    sides, passed, again = 3 * 2**30, 0, 0
    for die in range(200):
        attempt, words = 0, list[int]()
        while not (fit := [word for word in words if word < sides]):
            text = encode_canonical({"attempt": attempt, "die": die})
            block = hmac.new(SECRET, text.encode(), hashlib.sha256).digest()
            words = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4)]
            attempt += 1
        passed += words[0] >= sides
        again += attempt > 1
        assert draws.draw_face(SECRET, {}, die, sides) == fit[0] + 1
    assert passed > 20


@given(st.integers(2, 1000), st.integers(0, 50))
def test_a_face_hangs_on_all_that_is_described(sides: int, die: int) -> None:
    """Same inputs, same face."""
    drawn = draws.draw_face(SECRET, {"entry": 1}, die, sides)
    assert drawn == draws.draw_face(SECRET, {"entry": 1}, die, sides)
    assert 1 <= drawn <= sides


@pytest.mark.parametrize("sides", [-6, 0, 2**32 + 1])
def test_a_die_that_there_is_not_is_refused(sides: int) -> None:
    """Too few or too many sides."""
    with pytest.raises(ValueError, match="a die can't have"):
        draws.draw_face(SECRET, {}, 0, sides)


def test_another_description_gives_other_faces() -> None:
    """Any difference counts."""
    first = [draws.draw_face(SECRET, {"entry": 1}, die, 20) for die in range(100)]
    for seed, entry in ((SECRET, 2), (SECRET[::-1], 1)):
        other = [draws.draw_face(seed, {"entry": entry}, die, 20) for die in range(100)]
        assert sum(a == b for a, b in zip(first, other, strict=True)) < 20


def test_the_vectors_of_the_fairness_page_hold() -> None:
    """As in `docs/fairness.md`."""
    described: dict[str, Any] = {"book": "00" * 32, "campaign": CAMPAIGN, "entry": 1, "epoch": 1, "family": "patrol"}
    described |= {"interaction": None, "situation": "11" * 32}
    of_part = described | {seeds.PART_HASH: "33" * 32}
    faces = [
        [draws.draw_face(draws.derive_seed(SECRET, 0), of_part, die, sides) for die in range(5)] for sides in (20, 100)
    ]
    vectors = [
        draws.derive_seed(SECRET, 0).hex(),
        draws.derive_seed(SECRET, 255).hex(),
        SEEDS_ROOT,
        seeds.make_commitment(CAMPAIGN, 1, SEEDS_ROOT),
    ]
    vectors += [seeds.hash_entries(["00" * 32, "ff" * 32]), *(" ".join(map(str, row)) for row in faces)]
    outside = {"outside": {"intent": {"header": "never mind"}, "random": '{"data":[1,2,3]}'}}
    mixed = of_part | seeds.find_outside_hashes(outside) | {"intent": "22" * 32}
    faces = [
        [draws.draw_face(draws.derive_seed(SECRET, 0), mixed, die, sides) for die in range(5)] for sides in (20, 100)
    ]
    vectors += [encode_canonical(of_part | {"attempt": 0, "die": 0})]
    vectors += [mixed["outside"], intent_body(described)["asked"], *(" ".join(map(str, row)) for row in faces)]

    page = (ROOT_FOLDER / "docs" / "fairness.md").read_text()

    assert [item for item in vectors if item not in page] == []


@given(st.binary(max_size=200), st.integers(0, 3))
def test_seeds_and_faces_grow_by_the_standard_hmac(secret: bytes, attempts: int) -> None:
    """For keys of any length."""
    left, right = (hmac.digest(secret, f"adjutant seed {bit}".encode(), "sha256") for bit in (0, 1))
    assert seeds.grow_from_nodes([seeds.Node(0, 2, secret)]) == {0: left, 1: right}
    text = encode_canonical({"attempt": 0, "die": attempts, "entry": 1})
    block = hmac.digest(secret, text.encode(), "sha256")
    assert draws.draw_face(secret, {"entry": 1}, attempts, 2**32) == int.from_bytes(block[:4], "big") + 1


KEY = bytes(range(16)).hex()
TEXTS = st.dictionaries(st.integers(0, PLACES - 1), st.text(), min_size=1, max_size=8)


@given(TEXTS)
def test_each_text_is_proved_at_its_place_and_nowhere_else(texts: dict[int, str]) -> None:
    """Changed texts, places and proofs fail."""
    placed = PlacedTexts(KEY, texts)
    for place, text in texts.items():
        value, proof = hash_salted(salt_at(KEY, place), text), placed.proof(place)
        assert follow_proof(value, place, proof) == placed.root
        assert follow_proof(value, place ^ 1, proof) != placed.root
        assert follow_proof(hash_salted(salt_at(KEY, place), text + "x"), place, proof) != placed.root
        assert follow_proof(value, place, proof[:-1]) is None
        assert follow_proof(value, PLACES + place, proof) is None


@given(TEXTS)
def test_what_is_shown_of_one_has_the_same_form_beside_any_others(texts: dict[int, str]) -> None:
    """All proofs have one form."""
    for some in (texts, *({place: text} for place, text in texts.items())):
        assert hash_places(KEY, some) == PlacedTexts(KEY, some).root
    place, text = next(iter(texts.items()))
    alone, among = PlacedTexts(KEY, {place: text}), PlacedTexts(KEY, texts)
    assert alone.hash_at(place) == among.hash_at(place)
    assert len({*alone.proof(place)}) == len({*among.proof(place)}) == DEPTH


@given(st.integers(0, PLACES - 1))
def test_a_proof_does_not_have_what_its_neighbour_is_hashed_to(place: int) -> None:
    """Only a hash of that hash."""
    placed = PlacedTexts(KEY, dict.fromkeys(range(PLACES), "text"))
    others = {placed.hash_at(other) for other in range(PLACES)}
    assert others.isdisjoint(placed.proof(place))
    beside = sha256(b"\x00" + bytes.fromhex(placed.hash_at(place ^ 1))).hexdigest()
    assert placed.proof(place)[0] == beside


def test_no_salt_or_hash_of_an_empty_place_comes_twice() -> None:
    """Each use differs."""
    for_all = [salt_at(key, place) for key in (KEY, "ff" * 16) for place in range(PLACES + 1)]
    empty = [hash_ for place in range(PLACES) for hash_ in PlacedTexts(KEY, {}).proof(place)]
    assert len(set(for_all)) == len(for_all)
    assert len(set(empty)) == 2 * PLACES - 2


@pytest.mark.no_cover
@pytest.mark.parametrize("parts", [2, *(pytest.param(parts, marks=pytest.mark.slow) for parts in (1, PLACES))])
def test_places_are_different_and_each_as_likely(parts: int) -> None:
    """Places are unique and uniform."""
    drawn = [draw_places(number.to_bytes(16).hex(), parts) for number in range(6400)]
    assert all(len(set(item)) == parts for item in drawn)
    seen = Counter(item[-1] for item in drawn)
    assert sum((seen[place] - 100) ** 2 / 100 for place in range(PLACES)) < 110  # the upper 1 in 4,000 with 63 degrees
    assert [item[0] for item in drawn] == [draw_places(number.to_bytes(16).hex(), 1)[0] for number in range(6400)]


def test_more_texts_than_places_are_refused() -> None:
    """They don't fit."""
    with pytest.raises(ValueError, match="there are 64 places, and 65 texts"):
        draw_places(KEY, PLACES + 1)


def test_the_vectors_of_places_hold() -> None:
    """As in `docs/fairness.md`."""
    found = draw_places(KEY, 3)
    placed = PlacedTexts(KEY, dict(zip(found, ('{"key":"Zaku"}', '{"key":"Dom"}'), strict=False)))
    values = [" ".join(map(str, found)), salt_at(KEY, found[0]), *map(placed.hash_at, found[:2])]
    page = (ROOT / "docs" / "fairness.md").read_text()
    assert [item for item in (*values, placed.root, placed.proof(found[0])[0]) if item not in page] == []
