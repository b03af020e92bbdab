from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.errors import NotOpen
from bot.core.records import encode_canonical
from bot.core.seeds import OUTSIDE
from bot.rolls.fairness import disclosure
from bot.rolls.resolver import RollOrder, RollResult
from tests.rolls.fairness.asked import open_asking_house
from tests.rolls.fairness.forging import Forgery
from tests.rolls.fairness.making import File, Made, chain_again, entry, file_for, forge_file, redrawn, thread_of
from tests.support.backend import GM, PLAYER, House, patrol
from tests.support.random_org import Sign, unsigned

MIXED, FALLEN, LEFT, SECRET = 3, 5, 6, 8
"""The entries: a roll with an answer, one without, an intent without its roll, and a roll of the staff's. Intents are ahead of them."""


async def make_outside(folder: Path, sign: Sign = unsigned) -> Made:
    """Roll with and without an answer, refused, private, paused; close the epoch."""
    async with open_asking_house(f"sqlite:///{folder / 'adjutant.db'}", sign) as (house, server):
        opening = await thread_of(house)
        await _public(house, "Kilo")
        server.fault = "http 500"
        await _public(house, "Lima")
        server.fault = None
        await _refuse(house)
        server.delay = 60_000
        await house.roll_as_they_fall(replace(patrol("Zaku", by="Mike"), to="staff"))
        await _public(house, "November")
        early = await file_for(house, GM, MIXED)
        house.clock.advance(days=1)
        closing = await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
        return Made(
            await file_for(house, PLAYER, MIXED),
            await file_for(house, GM, MIXED),
            early,
            opening,
            "\n".join(embed.description or "" for message in closing for embed in message.embeds),
        )


async def _public(house: House, by: str) -> None:
    await house.roll_as_they_fall(replace(patrol("Zaku", "Dom", by=by), to="results"))


async def _refuse(house: House) -> None:
    tries = iter(range(2))

    def roll(tx: Connection) -> RollResult:
        if next(tries):
            raise NotOpen("Too late")
        return house.resolver.roll(tx, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku", by="Oscar")))

    try:
        await house.database.write(roll)
    except NotOpen:
        return
    raise AssertionError("the roll was made")


class Way(NamedTuple):
    """A forgery: change, fault, and whether only the thread shows it."""

    change: Callable[[File], object]
    named: str
    hidden: bool = False


def outside_forgeries(made: Made) -> dict[str, Forgery]:
    """Return all forgeries of the game master's file, with and without the thread."""
    found = {name: Forgery(forge_file(made.leader, way.change), made.thread, way.named) for name, way in WAYS.items()}
    alone = {f"{name} alone": item._replace(pasted="") for name, item in found.items() if not WAYS[name].hidden}
    return {**found, **alone}


def _outside(change: Callable[[File], object], number: int = MIXED) -> Callable[[File], object]:
    return lambda file: chain_again(redrawn(file, number, lambda draw: change(draw[OUTSIDE])))


def _random(**changed: object) -> Callable[[File], object]:
    def change(outside: File) -> None:
        outside["random"] = json.dumps(json.loads(outside["random"]) | changed, separators=(",", ":"))

    return _outside(change)


def _swap(file: File) -> None:
    answer = json.loads(entry(file, SECRET)["draw"]["text"])[OUTSIDE]
    chain_again(redrawn(file, MIXED, lambda draw: draw[OUTSIDE].update(random=answer["random"])))


def _sign_otherwise(file: File, *, reseal: bool) -> None:

    def change(draw: File) -> None:
        signature = draw[OUTSIDE]["signature"]
        draw[OUTSIDE]["signature"] = ("B" if signature[0] == "A" else "A") + signature[1:]

    redrawn(file, SECRET, change)
    if reseal:
        chain_again(file)


def _make_up_intent(file: File) -> None:
    def change(outside: File) -> None:
        header = json.loads(outside["intent"]["header"]) | {"at": "2026-03-01T11:00:00+00:00"}
        outside["intent"]["header"] = encode_canonical(header)

    _outside(change)(file)


def _other_intent(**changed: object) -> Callable[[File], object]:
    def change(file: File) -> None:
        chain_again(redrawn(file, MIXED - 1, lambda body: body.update(changed), "body"))
        intent = entry(file, MIXED - 1)
        named = {"header": intent["header"], "body": intent["body"]["text"]}
        chain_again(redrawn(file, MIXED, lambda draw: draw[OUTSIDE]["intent"].update(named)))

    return change


def _announce_body(outside: File) -> None:
    outside["intent"]["body"] = outside["intent"]["body"].replace('"entry":3', '"entry":4')


def _fell(why: str) -> Callable[[File], object]:
    def change(outside: File) -> None:
        del outside["random"], outside["signature"]
        outside["lacking"] = {"why": why}

    return _outside(change)


def _both(outside: File) -> None:
    outside["lacking"] = {"why": "timeout"}


def _neither(outside: File) -> None:
    del outside["lacking"]


def _drop_intent(file: File) -> None:
    del file["entries"][MIXED - 2]
    for place, item in enumerate(file["entries"]):
        item["number"] = place + 1
    file["epoch"]["last"] -= 1
    file["about"] = MIXED - 1
    chain_again(file)


def _body_tells_otherwise(file: File) -> None:
    chain_again(redrawn(file, MIXED, lambda body: body[OUTSIDE].update(serial=1), "body"))


WAYS = {
    "other numbers": Way(_random(data=list(range(9))), "Entry 3: at place 14, die 1, a d20"),
    "too few numbers": Way(_random(data=[1], n=1), "Entry 3: random.org's answer doesn't have the numbers"),
    "numbers beyond": Way(_random(data=[2**31] * 9), "Entry 3: random.org's answer doesn't have the numbers"),
    "answer to another": Way(_swap, "Entry 3: random.org's answer is for another roll"),
    "no user data": Way(_random(userData=None), "Entry 3: random.org's answer is for another roll"),
    "signature": Way(lambda file: _sign_otherwise(file, reseal=False), "Entry 8: its draw doesn't match"),
    "signature sealed anew": Way(lambda file: _sign_otherwise(file, reseal=True), "The dice proof thread has other entries", hidden=True),
    "signature of no form": Way(_outside(lambda outside: outside.update(signature="?")), "Entry 3: random.org's signature doesn't look like"),
    "no intent named": Way(_outside(lambda outside: outside.pop("intent")), "Entry 3: it names no intent"),
    "intent made up": Way(_make_up_intent, "Entry 3: its intent isn't entry 2 of the ledger"),
    "intent from behind": Way(_outside(lambda outside: outside["intent"].update(number=7)), "Entry 3: its intent, entry 7, doesn't come before it"),
    "intent of another number": Way(_outside(lambda outside: outside["intent"].update(number=1)), "Entry 3: its intent isn't entry 1"),
    "body of the intent": Way(_outside(_announce_body), "Entry 3: the body of its intent doesn't match"),
    "intent for another entry": Way(_other_intent(entry=9), "Entry 3: its intent is for entry 9"),
    "intent for another situation": Way(_other_intent(situation="0" * 64), "Entry 3: its intent is for another situation"),
    "intent for another roll": Way(_other_intent(asked="0" * 64), "Entry 3: its intent is for another roll"),
    "answer denied": Way(_fell("timeout"), "Entry 3: at place 14, die 1, a d20"),
    "answer said to be for another": Way(_fell("changed"), "Entry 3: it says that its intent announced another roll"),
    "why of no kind": Way(_outside(lambda outside: outside["lacking"].update(why="toString"), FALLEN), "Entry 5: the reason why random.org's answer is missing doesn't fit"),
    "answer and why not": Way(_outside(_both), "Entry 3: the reason why random.org's answer is missing doesn't fit"),
    "neither": Way(_outside(_neither, FALLEN), "Entry 5: it has neither random.org's answer"),
    "nothing of it": Way(lambda file: chain_again(redrawn(file, MIXED, lambda draw: draw.pop(OUTSIDE))), "Entry 3: at place 14, die 1, a d20"),
    "nothing that can be read": Way(_outside(lambda outside: outside.update(random="[]")), "Entry 3: the record of its dice can't be read"),
    "intent dropped": Way(lambda file: file["entries"].pop(MIXED - 2), "Entry 2 is missing"),
    "intent dropped and renumbered": Way(_drop_intent, "Entry 2: its dice were drawn for entry 3"),
    "told otherwise": Way(_body_tells_otherwise, "Entry 3: its body says something else about random.org"),
}  # fmt: skip
