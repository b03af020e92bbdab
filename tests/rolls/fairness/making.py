from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import convert, structs

from bot.core.draws import PlacedTexts, hash_pair, hash_salted, salt_at, salt_of_all
from bot.core.permissions import Person
from bot.core.records import encode_canonical
from bot.core.schema import post
from bot.core.seeds import hash_entries
from bot.outbox.queue import Post, embeds_of
from bot.rolls.fairness import disclosure
from bot.rolls.fairness.disclosure import document_bytes, document_of
from bot.rolls.fairness.draw_checks import seal_faults
from bot.rolls.fairness.forms import DrawRecord
from bot.rolls.request import DiceByHand, PartRequest, RollRequest, TypedAdjustment
from bot.rolls.resolver import RollOrder
from tests.architecture.source import ROOT
from tests.cogs.house_rules.homebrew import put_on
from tests.support.backend import GM, PLAYER, House, opened, patrol, scouting

File = dict[str, Any]
"""A verification file, parsed."""

RUINS = ROOT / "docs" / "games" / "cold-ruins.toml"
SKILL = """
[[table]]
id = "skill"
title = "Skill"
die = 100
against = { reads = "under", value = 50 }
doubles = { success = "critical", failure = "fumble" }
rows = [
  { max = -100, outcome = "fumble", text = "A fumble" },
  { min = -99, max = -1, outcome = "failure", text = "A failure" },
  { min = 0, max = 99, outcome = "success", text = "A success" },
  { min = 100, outcome = "critical", text = "A critical success" },
]
"""
FORGED = "ab" * 16
"""The secret under which a forger hashes the record of dice."""


class Made(NamedTuple):
    """A campaign's files for player and game master, an early one, and the thread."""

    player: File
    leader: File
    early: File
    opening: str
    closing: str

    @property
    def thread(self) -> str:
        """Return the whole thread as copied."""
        return f"{self.opening}\n{self.closing}"

    @property
    def among_others(self) -> str:
        """Return it between another campaign's contradicting one."""
        campaign, number = self.player["campaign"], str.maketrans("0123456789", "1032547698")
        foreign = self.thread.translate(number).replace(campaign.translate(number), other(campaign))
        return f"{foreign}\n{self.thread}\n{foreign}"

    @property
    def in_other_digits(self) -> str:
        """Return it with foreign digits."""
        return self.thread.replace("next 1", "next \u0661").replace("epoch 1", "epoch \uff11")


async def make_campaign(folder: Path) -> Made:
    """Roll in a new campaign, once privately, and close the epoch."""
    async with opened(f"sqlite:///{folder / 'adjutant.db'}", seeded=True) as house:
        opening = await thread_of(house)
        await _public(house, patrol("Zaku column"))
        await _public(house, patrol("Grey Ghost", "Zaku", "Dom"))
        await _public(house, patrol("Gelgoog", reason="Ünïcode \u2028 <b>&amp;</b> 😀"))
        await house.roll_as_they_fall(scouting("Fort Teak", "Rook", to="staff"))
        about = await _public(house, patrol("Gouf", "Rick Dom", by="Lima", reason="Again"))
        early = await file_for(house, PLAYER, about)
        house.clock.advance(days=1)
        closing = await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
        return Made(
            await file_for(house, PLAYER, about),
            await file_for(house, GM, about),
            early,
            opening,
            "\n".join(embed.description or "" for message in closing for embed in message.embeds),
        )


async def make_by_hand(folder: Path) -> list[File]:
    """Roll with typed faces and amendments; return the game master's files."""
    async with opened(f"sqlite:///{folder / 'adjutant.db'}", seeded=True) as house:
        for place, faces in enumerate(((7, 8), (3, 4), (), ())):
            asked = patrol(f"Zaku {place}", f"Dom {place}", by=f"Kilo {place}")
            parts = [structs.replace(part, marks={"patrol.newtype": 1, "target.squad": 1}) for part in asked.parts]
            request = structs.replace(asked, staff=True, parts=tuple(parts))
            order = RollOrder(house.campaign.id, GM.user_id, request, dice=DiceByHand({20: faces}) if faces else None)
            number = (await house.database.write(house.resolver.roll, order)).entry.number
        await house.amend(number)
        last = (await house.amend(number - 2)).entry.number
        house.clock.advance(days=1)
        await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
        return [await file_for(house, GM, about) for about in range(2, last + 1)]


async def make_pools(folder: Path) -> File:
    """Roll pools, pushed or not, of many sizes; return the game master's file of them."""
    async with opened(f"sqlite:///{folder / 'adjutant.db'}", seeded=True) as house:
        house.campaign = await house.edit({"books": "none, house"})
        await put_on(house, "ruins", RUINS.read_text("utf-8") + SKILL)
        for family in ("search", "risk", "grapple", "skill", "skill", "skill", "skill"):
            for dice in range(5):
                luck = (
                    TypedAdjustment(value=dice - 1, reason="luck"),
                    TypedAdjustment(value=dice, reason="luck", table="dodge"),
                )
                people, pushed = (
                    {"roller": f"Mara {dice}", "target": "Thief"},
                    {"push": "push once"} if dice % 2 else {},
                )
                part = PartRequest(subjects=people, choices=pushed if family == "search" else {}, adjustments=luck)
                await _public(house, RollRequest(book="house", family=family, parts=(part,), staff=True))
        house.clock.advance(days=1)
        await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
        return await file_for(house, GM, 5)


async def file_for(house: House, person: Person, number: int) -> File:
    """Return an entry's file for a person."""
    made_for = await house.database.read(document_of, person, house.campaign, number)
    file: File = json.loads(document_bytes(made_for))
    return file


async def _public(house: House, request: RollRequest) -> int:
    return (await house.roll_as_they_fall(structs.replace(request, to="results"))).entry.number


async def thread_of(house: House) -> str:
    """Return what waits for the thread."""
    rows = await house.database.read(lambda tx: tx.execute(post.select().where(post.c.kind == "audit")).all())
    posts = (Post(**{name: row._mapping[name] for name in Post.__struct_fields__}) for row in rows)
    return "\n".join(embed.description or "" for item in posts for embed in embeds_of(item))


def entry(file: File, number: int) -> File:
    """Return an entry of a file."""
    return next(item for item in file["entries"] if item["number"] == number)


def chain_again(file: File) -> File:
    """Chain all entries again, with headers that fit."""
    before = file["after"]
    for item in file["entries"]:
        if "header" in item:
            header = json.loads(item["header"]) | {"previous": before, "number": item["number"]}
            if "body" in item:
                header["body"] = hash_salted(**item["body"])
            if "draw" in item and [*seal_faults(convert(item["draw"], DrawRecord), header["texts"]["draw"])]:
                header["texts"]["draw"] = _seal_draw(item["draw"])
            item["header"] = encode_canonical(header)
            item["hash"] = hashlib.sha256(item["header"].encode()).hexdigest()
        before = item["hash"]
    return file


def _seal_draw(draw: File) -> str:
    texts = {json.loads(part["text"])["place"]: part["text"] for part in draw["parts"]}
    placed = PlacedTexts(FORGED, texts)
    for part in draw["parts"]:
        place = json.loads(part["text"])["place"]
        part.update(salt=salt_at(FORGED, place), proof=[*placed.proof(place)])
    draw["salt"] = salt_of_all(FORGED)
    return hash_pair(hash_salted(draw["salt"], draw["text"]), placed.root)


def change_part(file: File, number: int, change: Callable[[File], object], at: int = 0) -> File:
    """Change one part's record, by its place in the file."""
    held = entry(file, number)["draw"]["parts"][at]
    content = json.loads(held["text"])
    change(content)
    held["text"] = encode_canonical(content)
    return file


def part_of(file: File, number: int, at: int = 0) -> File:
    """Return one part's record."""
    found: File = json.loads(entry(file, number)["draw"]["parts"][at]["text"])
    return found


def redrawn(file: File, number: int, change: Callable[[File], object], kept: str = "draw") -> File:
    """Change what all dice depend on, or the body."""
    held = entry(file, number)[kept]
    content = json.loads(held["text"])
    change(content)
    held["text"] = encode_canonical(content)
    return file


def forge_file(file: File, change: Callable[[File], object]) -> File:
    """Return a changed copy of a file."""
    copied = copy.deepcopy(file)
    change(copied)
    return copied


def hashes_of(file: File) -> str:
    """Return the hash of all entries."""
    return hash_entries(item["hash"] for item in file["entries"])


def other(value: str) -> str:
    """Return another hash."""
    return value[:-1] + ("0" if value[-1] != "0" else "1")
