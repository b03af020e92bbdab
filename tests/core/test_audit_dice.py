"""Proving the dice against their seeds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.app import KINDS
from bot.core import audit, draws, entries, epochs, seeds
from bot.core.draws import draw_places
from bot.core.records import encode_canonical
from bot.core.schema import entry, epoch
from tests.core.test_audit import faults
from tests.support.backend import House, opened, patrol
from tests.support.template import migrated_url

Forging = Callable[[dict[str, Any]], object]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A house whose dice follow from seeds."""
    with migrated_url("sqlite", tmp_path) as url:
        async with opened(url, seeded=True) as made:
            yield made


async def forge(house: House, change: Forging, *, part_alone: bool) -> None:
    """Change the newest entry's dice and hash again."""
    newest = (await house.entries())[-1]
    drawn, header = draws.read_record(newest.draw or ""), json.loads(newest.header)
    record, (part, *_) = json.loads(drawn.of_all), drawn.parts
    read = json.loads(part.text)
    change(read if part_alone else record)
    draw = draws.format_record(encode_canonical(record), [part._replace(text=encode_canonical(read))])
    header["texts"]["draw"] = draws.hash_record(newest.draw_salt or "", draw)
    sealed = encode_canonical(header)
    forged = {"draw": draw, "header": sealed, "hash": sha256(sealed.encode()).hexdigest()}
    await house.tamper(entry.update().where(entry.c.number == newest.number).values(**forged))


async def test_faces_that_follow_from_their_seeds_have_no_faults(house: House) -> None:
    """Rolls of several days, in one or two processes."""
    for name in ("Zaku", "Dom", "Gouf"):
        await house.roll_as_they_fall(patrol(name, by=f"Kilo of {name}"))
        house.clock.advance(days=1)
    for processes in (None, 2):
        assert [item.faults for item in await audit.check_ledgers(house.database, KINDS, processes=processes)] == [()]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda part: part["dice"][0].__setitem__(1, part["dice"][0][1] % 20 + 1), "and its seed gives"),
        (lambda part: part.__setitem__("part", "0" * 64), "and its seed gives"),
        (lambda record: record.__setitem__("situation", "1" * 64), "and its seed gives"),
        (lambda record: record.__setitem__("interaction", "7"), "and its seed gives"),
        (lambda record: record.__setitem__("entry", 7), "its dice were drawn for entry 7"),
        (lambda part: part.pop("dice"), "the record of its dice can't be read"),
        (lambda part: part.__setitem__("dice", [[0, 1]]), "the record of its dice can't be read"),
        (lambda part: part.__setitem__("dice", "7"), "the record of its dice can't be read"),
    ],
    ids=["face", "part", "situation", "interaction", "number", "no dice", "a die of no sides", "isn't a list"],
)
async def test_a_face_that_was_written_in_is_named(house: House, change: Forging, told: str) -> None:
    """The seed gives another face."""
    await house.roll_as_they_fall(patrol("Zaku"))
    assert await faults(house.database) == []
    await forge(house, change, part_alone="part" in signature(change).parameters)
    found = await faults(house.database)
    assert found
    assert all(fault.startswith("Entry 2: ") for fault in found)
    assert told in found[0]


async def test_a_face_that_follows_from_something_else_than_was_asked_is_named(house: House) -> None:
    """A hash can be looked for until the face fits, and isn't that of what was asked."""
    rolled = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    ((first, secret, _),) = await house.database.read(epochs.list_secrets, house.campaign.id)
    seed = seeds.grow_from_nodes([seeds.Node(0, seeds.SLOTS, bytes.fromhex(secret))])[rolled.number - first]
    record = json.loads(draws.read_record(rolled.draw or "").of_all)
    described = {name: record[name] for name in seeds.DRAWN_FROM}

    def change(part: dict[str, Any]) -> None:
        sides, face = part["dice"][0]
        others = (sha256(str(number).encode()).hexdigest() for number in range(1000))
        part[seeds.PART_HASH] = next(
            other for other in others if draws.draw_face(seed, {**described, seeds.PART_HASH: other}, 0, sides) == face
        )

    await forge(house, change, part_alone=True)
    (fault,) = await faults(house.database)
    assert fault.endswith(", what was asked for isn't part of what its dice were drawn for.")


async def test_a_part_that_others_may_know_of_than_its_body_says_is_named(house: House) -> None:
    """A part's audience must follow from the body."""
    rolled = await house.roll_as_they_fall(patrol("Zaku", "Dom"))
    draw, body = rolled.entry.draw or "", rolled.entry.content()
    first, second = draw_places(body["situation"]["salt"], 2)
    due = {first: "staff", second: "results"}
    mixed = draws.format_record("{}", [part._replace(who=due[part.place]) for part in draws.read_record(draw).parts])
    assert draws.are_known_to(mixed, body["situation"]["salt"], ["staff", "results"])
    assert not draws.are_known_to(mixed, body["situation"]["salt"], ["results", "staff"])
    shown = draws.format_record(
        draws.read_record(draw).of_all, [part._replace(who="elsewhere") for part in draws.read_record(draw).parts]
    )
    await house.tamper(entry.update().where(entry.c.number == rolled.entry.number).values(draw=shown))
    assert await faults(house.database) == ["Entry 2: who may know its dice is not what it says."]


async def test_another_secret_gives_other_faces(house: House) -> None:
    """A swapped secret fails by root and rolls."""
    await house.roll_as_they_fall(patrol("Zaku"))
    await house.tamper(epoch.update().where(epoch.c.number == 1).values(secret="ab" * 32))
    found = await faults(house.database)
    assert "Dice set 1: its root is not that of its secret." in found
    assert any(fault.startswith("Entry 2: at place ") and ", die 1, a d20, shows" in fault for fault in found)


@pytest.mark.parametrize("values", [{"secret": "no hex"}, {"secret": b"\x00"}, {"first": "x"}])
async def test_a_damaged_epoch_is_a_fault_and_no_error(house: House, values: dict[str, object]) -> None:
    """Entries are still proven."""
    await house.roll_as_they_fall(patrol("Zaku"))
    raw = sa.table("epoch", *(sa.column(name) for name in (*values, "number")))
    await house.tamper(raw.update().where(raw.c.number == 1).values(**values))
    (campaign,) = await audit.check_ledgers(house.database, KINDS)
    assert campaign.faults
    assert not [fault for fault in campaign.faults if fault.startswith("Entry")]
    assert campaign.entries == len(
        await house.database.read(lambda tx: list(entries.walk_entries(tx, house.campaign.id)))
    )
