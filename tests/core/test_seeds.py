"""Seeds, commitments and faces, without a database."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.encoding import encode_canonical
from bot.core.seeds import (
    PART_HASH,
    SLOTS,
    Node,
    build_merkle_tree,
    choose_nodes,
    derive_seed,
    draw_face,
    find_outside_hashes,
    follow_merkle_proof,
    grow_from_nodes,
    hash_entries,
    make_commitment,
    make_merkle_proof,
)
from bot.rolls.fairness.outside import intent_body
from tests.architecture.source import ROOT as ROOT_FOLDER

SECRET = bytes(range(32))
TREE = build_merkle_tree(SECRET)
ROOT = TREE[-1][0].hex()
CAMPAIGN = "00000000-0000-4000-8000-000000000001"
SLOT = st.integers(0, SLOTS - 1)

# The upper 1 in 1,000 of chi-square by its degrees of freedom (tables).
CRITICAL = {3: 16.27, 5: 20.52, 7: 24.32, 19: 43.82, 99: 148.23}


@given(SLOT)
def test_a_seed_is_proved_by_the_hashes_beside_its_way(slot: int) -> None:
    """Each seed leads to the root with its own proof, and another's seed, slot or proof does not."""
    seed, proof = derive_seed(SECRET, slot), make_merkle_proof(TREE, slot)
    assert follow_merkle_proof(seed, slot, proof) == ROOT
    other = (slot + 1) % SLOTS
    assert follow_merkle_proof(derive_seed(SECRET, other), slot, proof) != ROOT
    assert follow_merkle_proof(seed, other, proof) != ROOT
    assert follow_merkle_proof(seed, slot, make_merkle_proof(TREE, other)) != ROOT


@given(st.sets(SLOT))
def test_what_is_revealed_gives_the_seeds_that_are_meant_and_no_other(slots: set[int]) -> None:
    """From the nodes follow the seeds of exactly these slots, and each node is needed."""
    nodes = choose_nodes(SECRET, slots)
    assert grow_from_nodes(nodes) == {slot: derive_seed(SECRET, slot) for slot in slots}
    assert sum(node.slots for node in nodes) == len(slots)


def test_one_value_reveals_all_slots_of_one_campaign_and_epoch() -> None:
    """An epoch without secrets by its own secret, one with a single secret entry by eight values; the same root is another commitment for another campaign or epoch."""
    assert [node.value for node in choose_nodes(SECRET, range(SLOTS))] == [SECRET]
    assert len(choose_nodes(SECRET, set(range(SLOTS)) - {100})) == 8
    made = {
        make_commitment(CAMPAIGN, 1, ROOT),
        make_commitment(CAMPAIGN, 2, ROOT),
        make_commitment(CAMPAIGN[:-1] + "2", 1, ROOT),
    }
    assert len(made) == 3


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("sides", "draws"),
    [(20, 10_000), *(pytest.param(sides, 200_000, marks=pytest.mark.slow) for sides in (4, 6, 8, 20, 100))],
)
def test_faces_fall_evenly(sides: int, draws: int) -> None:
    """The faces of draws from fixed seeds pass chi-square at 1 in 1,000, for each die (1,000,000 in all slow tests)."""
    seen = Counter(draw_face(SECRET, {"entry": sides}, die, sides) for die in range(draws))
    expected = draws / sides
    assert set(seen) == set(range(1, sides + 1))
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < CRITICAL[sides - 1]


def test_a_word_beyond_the_last_full_round_is_passed_over() -> None:
    """With three quarters of all words as sides, the first word below counts, in this attempt or the next: nothing is folded back."""
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
        assert draw_face(SECRET, {}, die, sides) == fit[0] + 1
    assert passed > 20


@given(st.integers(2, 1000), st.integers(0, 50))
def test_a_face_hangs_on_all_that_is_described(sides: int, die: int) -> None:
    """The same seed, description, die and sides give the same face, which is on the die."""
    drawn = draw_face(SECRET, {"entry": 1}, die, sides)
    assert drawn == draw_face(SECRET, {"entry": 1}, die, sides)
    assert 1 <= drawn <= sides


@pytest.mark.parametrize("sides", [-6, 0, 2**32 + 1])
def test_a_die_that_there_is_not_is_refused(sides: int) -> None:
    """A die of no sides, or of more than a word has values, is refused instead of being thrown for ever."""
    with pytest.raises(ValueError, match="a die can't have"):
        draw_face(SECRET, {}, 0, sides)


def test_another_description_gives_other_faces() -> None:
    """Of 100 d20 about 5 are alike when anything described is another; seeds, entries and dice are told apart."""
    first = [draw_face(SECRET, {"entry": 1}, die, 20) for die in range(100)]
    for seed, entry in ((SECRET, 2), (SECRET[::-1], 1)):
        other = [draw_face(seed, {"entry": entry}, die, 20) for die in range(100)]
        assert sum(a == b for a, b in zip(first, other, strict=True)) < 20


def test_the_vectors_of_the_fairness_page_hold() -> None:
    """Anybody who writes a verifier of their own finds these values in `docs/fairness.md`."""
    described: dict[str, Any] = {"book": "00" * 32, "campaign": CAMPAIGN, "entry": 1, "epoch": 1, "family": "patrol"}
    described |= {"interaction": None, "situation": "11" * 32}
    of_part = described | {PART_HASH: "33" * 32}
    faces = [[draw_face(derive_seed(SECRET, 0), of_part, die, sides) for die in range(5)] for sides in (20, 100)]
    vectors = [derive_seed(SECRET, 0).hex(), derive_seed(SECRET, 255).hex(), ROOT, make_commitment(CAMPAIGN, 1, ROOT)]
    vectors += [hash_entries(["00" * 32, "ff" * 32]), *(" ".join(map(str, row)) for row in faces)]
    outside = {"outside": {"intent": {"header": "never mind"}, "random": '{"data":[1,2,3]}'}}
    mixed = of_part | find_outside_hashes(outside) | {"intent": "22" * 32}
    faces = [[draw_face(derive_seed(SECRET, 0), mixed, die, sides) for die in range(5)] for sides in (20, 100)]
    vectors += [encode_canonical(of_part | {"attempt": 0, "die": 0})]
    vectors += [mixed["outside"], intent_body(described)["asked"], *(" ".join(map(str, row)) for row in faces)]

    page = (ROOT_FOLDER / "docs" / "fairness.md").read_text()

    assert [item for item in vectors if item not in page] == []


@given(st.binary(max_size=200), st.integers(0, 3))
def test_seeds_and_faces_grow_by_the_standard_hmac(secret: bytes, attempts: int) -> None:
    """Each branch and each face is the HMAC-SHA256 of the standard library, under a key of any length."""
    left, right = (hmac.digest(secret, f"adjutant seed {bit}".encode(), "sha256") for bit in (0, 1))
    assert grow_from_nodes([Node(0, 2, secret)]) == {0: left, 1: right}
    text = encode_canonical({"attempt": 0, "die": attempts, "entry": 1})
    block = hmac.digest(secret, text.encode(), "sha256")
    assert draw_face(secret, {"entry": 1}, attempts, 2**32) == int.from_bytes(block[:4], "big") + 1
