from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from bot.core import draws
from bot.core.draws import PLACES, draw_face, hash_salted
from bot.core.errors import BadInput
from bot.core.records import Entry, encode_canonical
from bot.core.schema import entry as entry_row
from bot.core.seeds import DRAWN_FROM, PART_HASH, SLOTS, grow_from_nodes
from bot.rolls.fairness import disclosure
from bot.rolls.fairness.checks import read_anchors
from bot.rolls.request import RollRequest, TypedAdjustment
from tests.rolls.fairness.asked import draw_of, parts_of
from tests.rolls.fairness.making import File, entry, file_for, thread_of
from tests.rolls.fairness.test_checks import verdict_of
from tests.support.backend import GM, PLAYER, House, opened, patrol
from tests.support.soundness import require_whole

ALIKE = ("hash", "salt", "text", "proof", "asked", "seed", "header", "commitment", "root", "after")
"""What is another value in each world, and has the same shape."""


@pytest.fixture
async def house(database_url: str) -> AsyncIterator[House]:
    """Open a house with seeded dice."""
    async with opened(database_url, seeded=True) as house:
        yield house


class Told(NamedTuple):
    """A day's entry, files, thread and closing."""

    entry: Entry
    player: File
    leader: File
    thread: str
    closing: str


async def roll_day(house: House, request: RollRequest, wanted: str) -> Told:
    """Roll until a result has the wanted audience and dice."""
    for at in range(60):
        thread = await thread_of(house)
        made = (await house.roll_as_they_fall(rename_all(request, f"{wanted} {at}"))).entry
        house.clock.advance(days=1)
        closing = await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
        said = "\n".join(embed.description or "" for message in closing for embed in message.embeds)
        if made.audience == wanted and all(part["dice"] for part in parts_of(made)):
            player, leader = await file_for(house, PLAYER, made.number), await file_for(house, GM, made.number)
            return Told(made, player, leader, f"{thread}\n{said}", said)
    raise AssertionError(f"no roll was {wanted}")


def rename_all(request: RollRequest, suffix: str) -> RollRequest:
    """Rename everyone in a roll."""
    parts = [
        replace(part, subjects={role: f"{name} {suffix}" for role, name in part.subjects.items()})
        for part in request.parts
    ]
    return replace(request, parts=tuple(parts))


def shape(value: Any, name: str = "") -> Any:  # noqa: ANN401 - JSON
    """Return a value's shape without its content."""
    if isinstance(value, dict):
        return {key: shape(item, key) for key, item in value.items() if key not in {"place", "number"}}
    if isinstance(value, list):
        return [shape(item, name) for item in value]
    if isinstance(value, str) and value.startswith("{"):
        return shape(json.loads(value))
    return len(value) if isinstance(value, str) and (name in ALIKE or len(value) == 64) else type(value).__name__


async def test_a_mixed_result_is_proved_by_its_public_parts(house: House) -> None:
    """Game masters' files have every part."""
    day = await roll_day(house, patrol("Grey Ghost", "Zaku", "Dom", "Gouf"), "mixed")
    public = sum(part["audience"] == "results" for part in day.entry.content()["parts"])
    mine, theirs = entry(day.player, day.entry.number), entry(day.leader, day.entry.number)
    assert set(mine) == {"number", "hash", "header", "draw", "seed", "proof"}
    assert (len(mine["draw"]["parts"]), len(theirs["draw"]["parts"])) == (public, 4)
    for file in (day.player, day.leader):
        assert (verdict_of(file, "").faults, verdict_of(file, day.thread).faults) == ((), ())
    assert f"secret {day.entry.number} " not in day.thread


async def test_nobody_can_tell_a_mixed_result_from_a_public_one(house: House) -> None:
    """Both days look the same."""
    request = patrol("Grey Ghost", "Zaku", "Dom", "Gouf")
    parts = [
        replace(part, adjustments=(TypedAdjustment(value=-1, reason=f"Fog {at}", private=True),))
        for at, part in enumerate(request.parts)
    ]
    mixed = await roll_day(house, replace(request, parts=tuple(parts)), "mixed")
    public = sum(part["audience"] == "results" for part in mixed.entry.content()["parts"])
    alone = replace(request, parts=tuple(parts[:public]), reason="Again")
    open_day = await roll_day(house, alone, "results")

    mine, other = (copy.deepcopy(entry(day.player, day.entry.number)) for day in (mixed, open_day))
    mine_parts, other_parts = (item["draw"].pop("parts") for item in (mine, other))
    assert shape(mine) == shape(other)
    assert len(mine_parts) == len(other_parts) == public
    assert [{*shape(part), *json.loads(part["text"])} for part in mine_parts] == [
        {*shape(part), *json.loads(part["text"])} for part in other_parts
    ]
    words = [
        sorted({line.split()[0] for line in day.closing.splitlines() if line.strip()}) for day in (mixed, open_day)
    ]
    assert words[0] == words[1]
    assert verdict_of(mixed.player, "").checked[3:] == verdict_of(open_day.player, "").checked[3:]


@pytest.mark.slow
async def test_places_are_drawn_by_lot(house: House) -> None:
    """Places reveal neither order nor count."""
    seen = [
        part["place"]
        for at in range(60)
        for part in parts_of((await house.roll_as_they_fall(patrol(f"Zaku {at}", f"Dom {at}", by=f"Kilo {at}"))).entry)
    ]
    assert all(0 <= place < PLACES for place in seen)
    assert len(set(seen)) > PLACES // 2
    firsts = [seen[at] for at in range(0, len(seen), 2)]
    assert firsts != sorted(firsts)


async def test_a_secret_face_cannot_be_computed_from_what_was_told(house: House) -> None:
    """It depends on an unknown hash."""
    day = await roll_day(house, patrol("Grey Ghost", "Zaku", "Dom", "Gouf"), "mixed")
    closed = read_anchors(day.thread, house.campaign.uuid).closed[day.player["epoch"]["number"]]
    seed = grow_from_nodes(closed.revealed)[day.entry.number - day.player["epoch"]["first"]]
    drawn = draws.read_record(day.entry.draw or "")
    secret = [json.loads(part.text) for part in drawn.parts if part.who != "results"]
    told_all = json.dumps(day.player) + day.thread
    described = {name: draw_of(day.entry)[name] for name in DRAWN_FROM}
    assert any(part["dice"] for part in secret)
    for part in secret:
        assert part[PART_HASH] not in told_all
        dice = [
            [sides, draw_face(seed, {**described, PART_HASH: part[PART_HASH]}, at, sides)]
            for at, (sides, _) in enumerate(part["dice"])
        ]
        assert dice == part["dice"]
    assert day.entry.content()["situation"]["salt"] not in told_all
    assert (day.entry.draw_salt or "") not in told_all


async def test_a_part_in_which_something_secret_counted_is_the_staffs(house: House) -> None:
    """Only the staff may know it."""
    assert draws.may_know_part("results", "results")
    assert draws.may_know_part("mixed", "results")
    assert draws.may_know_part("results", "staff")  # it was published
    assert not draws.may_know_part("mixed", "staff")
    assert not draws.may_know_part("results", draws.STAFF_ALONE)
    made = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    lines = draws.read_record(made.draw or "")
    hidden = draws.format_record(lines.of_all, [part._replace(who=draws.STAFF_ALONE) for part in lines.parts])
    assert not draws.has_open_part("results", hidden)


async def test_a_roll_has_room_for_so_many_parts(house: House) -> None:
    """One more is refused before any die."""
    names = [f"Zaku {at}" for at in range(PLACES + 1)]
    with pytest.raises(BadInput, match="one roll takes at most 64"):
        await house.roll_as_they_fall(patrol(*names))
    before = len(await house.entries())
    made = (await house.roll_as_they_fall(patrol(*names[:PLACES]))).entry
    assert [part["place"] for part in parts_of(made)] == list(range(PLACES))
    assert (len(await house.entries()), SLOTS) == (before + 1, 256)


async def test_a_record_of_the_form_before_is_proved_no_more(house: House) -> None:
    """It stays in the chain; its dice aren't checked."""
    made = (await house.roll_as_they_fall(replace(patrol("Zaku"), to="results"))).entry
    record, header = '{"entry":2,"secret":false}', json.loads(made.header)
    header["texts"] = {"draw": hash_salted(made.draw_salt or "", record)}
    sealed = encode_canonical(header)
    old = {"draw": record, "header": sealed, "hash": hashlib.sha256(sealed.encode()).hexdigest()}
    await house.tamper(entry_row.update().where(entry_row.c.number == made.number).values(**old))
    await require_whole(house)
    told_of_it = verdict_of(await file_for(house, GM, made.number), "")
    assert (told_of_it.faults, told_of_it.checked[-1]) == (
        (),
        "Rolls whose dice aren't in the file: 1. They weren't checked.",
    )
    assert set(entry(await file_for(house, PLAYER, made.number), made.number)) == {"number", "hash"}
    assert not draws.has_open_part("results", record)
