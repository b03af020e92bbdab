"""The seal and its verification."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import rfc8785
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.core.ledger import SEALED_FIELDS, EntryDraft, seal
from bot.core.proofs import verify_chain
from bot.core.records import DRAW, GENESIS, TEXTS, Change, Entry, Link, SaltedText, encode_canonical, make_pseudonym
from bot.core.schema import entry_text
from bot.core.subjects import Subject
from bot.rolls.request import TypedAdjustment
from tests.support.backend import GM, House, patrol
from tests.support.world import CountedRandomness

UUID = "6f1c0e0a-0000-4000-8000-000000000001"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
USER = 2**60 + 5
HEX = "0123456789abcdef"

KINDS: tuple[str, ...] = ("campaign", "update", "roll", "publication")
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.one_of(words, st.integers(-(2**53) + 1, 2**53 - 1), st.booleans(), st.none(), st.lists(words, max_size=3))
changes = st.builds(Change, words, words, values, values)
statements = st.builds(
    EntryDraft,
    kind=st.sampled_from(KINDS),
    body=st.dictionaries(words.filter(lambda word: word not in SEALED_FIELDS), values, max_size=4),
    changes=st.lists(changes, max_size=2).map(tuple),
    texts=st.dictionaries(words, words, max_size=2),
    book=st.none() | st.text(HEX, min_size=64, max_size=64),
)


def chain(run: list[EntryDraft]) -> list[Entry]:
    """Seal drafts in a chain."""
    randomness, link, sealed = CountedRandomness(), Link(UUID), []
    for place, draft in enumerate(run):
        actor = make_pseudonym("00" * 16, USER + place)
        sealed.append(seal(draft, link, at=NOON + timedelta(minutes=place), actor=actor, randomness=randomness))
        link = Link(UUID, sealed[-1].number, sealed[-1].hash)
    return sealed


def golden() -> Entry:
    """An entry with known bytes."""
    draft = EntryDraft(
        kind="roll",
        body={"b": [1, -2], "a": "\u20ac", "channel": str(2**60 + 3)},
        changes=(Change("subject:3", "effect.scouted", None, {"entry": 8}),),
        texts={"note": "At dusk"},
        book="f" * 64,
        audience="staff",
        subjects=(Subject(3, "Fort Anvil"),),
    )
    actor = make_pseudonym("00" * 16, USER)
    return seal(draft, Link(UUID, 7, "ab" * 32), at=NOON, actor=actor, randomness=CountedRandomness())


def test_an_entry_is_sealed_byte_for_byte_as_ever() -> None:
    """No later version may change these."""
    entry = golden()

    assert entry.body == (
        '{"a":"\u20ac","b":[1,-2],"changes":[{"after":{"entry":8},"before":null,'
        '"name":"effect.scouted","subject":"subject:3"}],"channel":"1152921504606846979","format":2,"names":{"3":"Fort Anvil"},'
        '"texts":{"note":"t0"}}'
    )
    assert entry.header == (
        '{"actor":"2333094674c23b889aad29ad6a98a7df17b900641abb51bd2d9ac983ce7af572",'
        '"at":"2026-03-01T12:00:00+00:00",'
        '"body":"d4c9f5930c3e16b2717e65ea2bd4cc1ffa49891ca51b501c99b3e9254d52c96a",'
        '"book":"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",'
        '"campaign":"6f1c0e0a-0000-4000-8000-000000000001","kind":"roll","number":8,'
        '"previous":"abababababababababababababababababababababababababababababababab",'
        '"texts":{"t0":"89a91a45a427ee7c7655da2a85c2dd4f3ef4e2771ceed993bfb44f335fec745e"},"version":1}'
    )
    assert entry.hash == "2b6633fdca8620d47adbfa2ea73414121454b67eeefe63982e40c30b2cafbcd4"


def test_the_canonical_form_is_that_of_rfc_8785() -> None:
    """The vector of section 3.2.3."""
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    assert list(json.loads(encode_canonical(dict.fromkeys(keys, 0)))) == [
        "\r",
        "1",
        "\u0080",
        "\u00f6",
        "\u20ac",
        "\U0001f600",
        "\ufb33",
    ]
    numbers = [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001]
    assert encode_canonical(numbers) == "[333333333.3333333,1e+30,4.5,0.002,1e-27]"
    assert encode_canonical('\u20ac$\u000f\nA\'B"\\\\"/') == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters())
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(st.characters()), inner),
)


def write_value(write: Callable[[Any], Any], value: object) -> Any:  # noqa: ANN401 - text, or why there is none
    """A value's form, or its error."""
    try:
        return write(value)
    except (ValueError, RecursionError) as error:
        return type(error)


@pytest.mark.slow
@given(JSON | st.dictionaries(st.integers() | st.text(), SCALARS))
def test_the_fast_way_writes_the_same_bytes(value: object) -> None:
    """As the library for RFC 8785."""
    assert write_value(encode_canonical, value) == write_value(lambda item: rfc8785.dumps(item).decode(), value)


def test_a_number_beyond_what_json_holds_is_refused() -> None:
    """Discord ids have to be text."""
    with pytest.raises(ValueError, match=r"."):
        encode_canonical({"user": USER})


@pytest.mark.parametrize("field", sorted(SEALED_FIELDS))
def test_a_body_has_no_field_of_its_own_under_a_name_that_all_have(field: str) -> None:
    """Sealing would overwrite it."""
    draft = EntryDraft("roll", "staff", {field: 1})
    with pytest.raises(ValueError, match=f"roll: {field}"):
        seal(draft, Link(UUID), at=NOON, actor="0" * 64, randomness=CountedRandomness())


@given(st.lists(statements, max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_run_of_statements_verifies(run: list[EntryDraft]) -> None:
    """Unchanged entries have no faults."""
    entries = chain(run)
    assert [entry.number for entry in entries] == list(range(1, len(run) + 1))
    assert not entries or entries[0].previous == GENESIS
    assert list(verify_chain(Link(UUID), entries)) == []


def other(value: Any) -> Any:  # noqa: ANN401 - any stored field
    """Another value of the same kind."""
    if isinstance(value, datetime):
        return value + timedelta(microseconds=1)
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "f" * 64
    return value + "0" if not value or value[-1] != "0" else value[:-1] + "1"


FIELDS = ["header", "body", "salt", "hash", "previous", "number", "kind", "at", "actor", "book"]


@given(st.lists(statements, min_size=1, max_size=4), st.data())
@settings(max_examples=120, deadline=None)
def test_changing_any_stored_field_is_found(run: list[EntryDraft], data: st.DataObject) -> None:
    """By this entry or the next."""
    entries = chain(run)
    place = data.draw(st.integers(0, len(entries) - 1))
    field = data.draw(st.sampled_from(FIELDS))
    entries[place] = replace(entries[place], **{field: other(getattr(entries[place], field))})

    assert list(verify_chain(Link(UUID), entries))


@pytest.mark.parametrize(
    "tampered",
    [
        SaltedText("00" * 16, "At dawn"),
        SaltedText("11" * 16, "At dusk"),
        SaltedText(None, "At dawn"),
        SaltedText("no hex", "At dusk"),
    ],
)
def test_a_changed_text_is_found(tampered: SaltedText) -> None:
    """Even without its salt."""
    (entry,) = chain([EntryDraft(kind="roll", audience="staff", body={}, texts={"note": "At dusk"})])
    assert list(verify_chain(Link(UUID), [replace(entry, texts={"t0": tampered})])) == [
        "Entry 1: text 't0' does not match the header."
    ]


def test_what_is_added_taken_out_or_moved_is_found() -> None:
    """The entry's number is named."""
    (entry,) = chain([EntryDraft(kind="roll", audience="staff", body={}, texts={"note": "At dusk"})])
    more = {**entry.texts, "t1": SaltedText("00" * 16, "x")}
    for texts in ({}, more):
        assert "Entry 1: its texts are not those that the header names." in verify_chain(
            Link(UUID), [replace(entry, texts=texts)]
        )
    first, second, third = chain([EntryDraft(kind="roll", audience="staff", body={"n": number}) for number in range(3)])
    assert "Entry 3: number 2 was expected." in verify_chain(Link(UUID), [first, third])
    assert any("Entry 3" in fault for fault in verify_chain(Link(UUID), [first, third, second]))
    assert "Entry 1: campaign does not match the header." in verify_chain(Link("another"), [first, second, third])


@pytest.mark.parametrize("header", ["", "no json", "[]", "null"])
def test_a_header_that_is_none_is_a_fault_and_no_crash(header: str) -> None:
    """The check goes on."""
    first, second = chain([EntryDraft(kind="roll", audience="staff", body={})] * 2)
    faults = list(verify_chain(Link(UUID), [replace(first, header=header), second]))
    assert "Entry 1: the header does not match its hash." in faults
    assert not any("Entry 2" in fault for fault in faults)


async def test_people_stand_in_the_ledger_under_a_pseudonym(house: House) -> None:
    """User ids are in no header or body."""
    await house.patrol("Zaku", faces=(1,))
    entries = await house.entries()
    assert len({entry.actor for entry in entries}) == 1
    assert not any(str(GM.user_id) in entry.header + entry.body for entry in entries)


async def test_only_the_body_knows_what_a_text_is(house: House) -> None:
    """Header and rows have opaque keys."""
    request = replace(patrol("Zaku", reason="Once more"), note="Told me at dusk")
    adjusted = replace(request.parts[0], adjustments=(TypedAdjustment(value=2, reason="Sandstorm"),))
    entry = (await house.roll(request.with_part(0, adjusted), 1)).entry

    names = sa.select(entry_text.c.name).where(entry_text.c.number == entry.number)
    kept = await house.database.read(lambda tx: set(tx.scalars(names)))
    header = json.loads(entry.header)
    assert kept == {"t0", "t1", "t2"}
    assert set(header["texts"]) - {DRAW} == {f"t{place}" for place in range(TEXTS)}
    assert not any(name in entry.header for name in ("note", "reason", "adjustment"))
    assert set(entry.content()["texts"]) == {"note", "reason", "adjustment.0.0"}
    told = [entry.text(name) for name in ("note", "reason", "adjustment.0.0", "absent")]
    assert told == ["Told me at dusk", "Once more", "Sandstorm", None]


async def test_an_erased_text_leaves_the_chain_whole(house: House) -> None:
    """All hashes still fit."""
    entry = (await house.roll(replace(patrol("Zaku"), note="Told me at dusk"), 1)).entry
    assert entry.text("note") == "Told me at dusk"

    await house.tamper(entry_text.update().where(entry_text.c.number == entry.number).values(salt=None, text=None))

    entries = await house.entries()
    assert entries[-1].text("note") is None
    assert list(verify_chain(Link(house.campaign.uuid), entries)) == []
