"""Battles that are fought are questions on the board of orders: the end of the turn waits for them, and says for whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.cogs.war.battle import ids
from bot.cogs.war.battle.threads import begun_by
from bot.core import entries, state
from bot.core.campaigns import Campaign
from bot.rolls.questions import Question
from rules.books.total_war import keeping
from rules.books.total_war.acting import BEATEN
from rules.books.total_war.land import NEUTRAL, NOBODYS
from rules.books.total_war.war import Battle
from rules.ends import Moment


def fought(tx: Connection, campaign: Campaign, _now: Moment) -> Iterator[Question]:
    """Yield the battles that are fought in a campaign's war, each with whose turn it is, or whose retreat it waits for."""
    headers = state.of_name(tx, campaign.id, keeping.WAR)
    going = {subject for subject, header in headers.items() if not header["over"]}
    for subject in sorted(going):
        kept = state.of_subjects(tx, campaign.id, {subject})
        values = {name: value for (_, name), value in kept.items()}
        if keeping.is_won(values):  # what was still fought then is not decided any more
            continue
        for at, battle in keeping.battles(values).items():
            beaten = _beaten(tx, campaign, battle, values)
            line = f"Battle on {at}: {_awaits(battle, values, beaten)}"
            begun = begun_by(values, at)
            key = ids.Key(campaign.id, str(at), begun).fill(ids.SHOW)
            yield Question(begun, f"the battle on {at}", line, f"Board of {at}", key, holds=True)


def _awaits(battle: Battle, values: keeping.Values, beaten: Sequence[str]) -> str:
    """Return for whom a battle waits; `beaten` are the forces that have to retreat."""
    fight = battle.fight
    if not fight.ended.over:
        side, names = _called(fight.active, values), _commanders(battle, fight.active, values)
        return f"turn {fight.turn}, {side} to act{f' ({names})' if names not in {'', side} else ''}"
    return f"over, {' and '.join(beaten)} {'have' if beaten[1:] else 'has'} to retreat"


def _beaten(tx: Connection, campaign: Campaign, battle: Battle, values: keeping.Values) -> Sequence[str]:
    """Return the forces that have to retreat: as the entry has found that has left the battle so."""
    if not battle.fight.ended.over:
        return ()
    number = values[f"{keeping.BATTLE}{battle.at}"]["entry"]
    made = entries.without_texts(tx, campaign.id, {number}).values()
    records = [part["record"] for entry in made for part in entry.content()["parts"]]
    lost = [name for name in battle.forces if battle.result(name) != "won" and name not in battle.retreats]
    told: list[Sequence[str]] = [record[BEATEN].get(str(battle.at), ()) for record in records if BEATEN in record]
    return told[0] if told else lost  # an older version has kept none


def _called(side: str, values: keeping.Values) -> str:
    """Return what a side of a battle is called: as its faction is called now or at the start; a lone rogue goes by their own name."""
    start = values[keeping.SCENARIO]["is"]["factions"].get(side, {})
    return NOBODYS if side == NEUTRAL else str((_is(values, f"faction.{side}") or start).get("name", side))


def _commanders(battle: Battle, side: str, values: keeping.Values) -> str:
    """Return who commands the forces of a side, else who leads it."""
    forces = (_is(values, f"force.{name}") for name, fights in battle.forces.items() if fights == side)
    given = (str(item["commander"]) for item in forces if item.get("commander"))
    names = dict.fromkeys(name for name in given if _is(values, f"player.{name}"))  # else they have not joined yet
    leader = _is(values, f"faction.{side}").get("leader")
    return ", ".join(names) or str(leader or "")


def _is(values: keeping.Values, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = values.get(name, {}).get("is") or {}
    return found
