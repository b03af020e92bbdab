"""The check of a turn: rolled through the resolver like every roll, and what its events leave on the battle's units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy import Connection

from bot.cogs.battles.store import BATTLE, Battle, Combatant, Doing, InForce, Loss, Token, told
from bot.cogs.battles.transaction import BOOK, FAMILY, Headquarters, chosen, require_commander, side_of
from bot.core.campaigns import Campaign, open_campaign
from bot.core.permissions import Person, require_game_master, require_leader_again
from bot.errors import BadInput, NeedsReason
from bot.rolls.dice.by_hand import DiceByHand, read_faces
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.ui import parsing
from bot.ui.text import listing
from rules.book import Book
from rules.books.battlesystem.random_events import TABLE
from rules.dice import Dice
from rules.events import NEXT
from rules.tables import RollTable

UNIT_DIE = "unit-die"
"""The number of the table that says how many sides the die of each unit has."""

ON_UNITS = frozenset({"unit", "all_flying_both_sides"})
"""The scopes whose events cost their units something at once; others bring further events."""


@dataclass(frozen=True, slots=True)
class Check:
    """The options of the command as typed."""

    battle: str | None = None
    mode: str = "unit"
    side: str | None = None
    reason: str | None = None
    faces: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that is made, and how many of the faces typed for it no die was left for."""

    rolled: Rolled
    unused: int


class EventRolls:
    """Rolls the check of a turn."""

    def __init__(self, headquarters: Headquarters, resolver: Resolver, dice: Dice) -> None:
        self._headquarters = headquarters
        self._resolver = resolver
        self._dice = dice

    async def roll(self, person: Person, campaign_id: int, check: Check) -> Checked:
        """Check this turn's random events, for all units or for those of one side.

        Raises:
            NotAllowed: the person may not.
            BadInput: battle, side or faces cannot be used.
            NeedsReason: the units of a side have been checked this turn already.
            NotOpen: the battle is over, or the campaign is archived.
            RollError: nobody stands in the battle, or on the side that is to roll.

        """
        reason = parsing.text(check.reason, "reason")

        def work(tx: Connection) -> Checked:
            campaign = open_campaign(tx, campaign_id)
            book = self._headquarters.library.book(tx, campaign, BOOK)
            require_commander(person, campaign)
            battle = chosen(tx, campaign.id, check.battle)
            only = None if check.side is None else side_of(battle, check.side)
            sides = battle.header.sides if only is None else (only,)
            again = _again(person, campaign, battle, sides, reason)
            if check.faces is not None:
                require_game_master(person, campaign, "type faces of dice")
            dice = _by_hand(check, battle, sides, book.table(TABLE), self._dice)
            request = _request(battle, check.mode, only, sides, again)

            extra = partial(_check_changes, battle, sides, dice)
            order = RollOrder(campaign.id, person.user_id, request, extra, dice)
            return Checked(self._resolver.roll(tx, order), dice.left if dice else 0)

        return await self._headquarters.database.write(work)


def _check_changes(
    battle: Battle, sides: tuple[str, ...], dice: DiceByHand | None, _tx: Connection, made: ResolvedRoll
) -> ExtraChanges:
    """Return what a check comes to, once every typed face is used."""
    if dice is not None:
        dice.finish()
    return settled(battle, sides, made.resolution.parts[0].record, made.book, made.moment.entry)


def settled(battle: Battle, sides: tuple[str, ...], record: Mapping[str, Any], book: Book, entry: int) -> ExtraChanges:
    """What a check comes to beyond its dice: events in force, losses, tokens got and spent, and that it was made."""
    key, header = battle.header.key, battle.header
    after = replace(header, checked={**header.checked, **dict.fromkeys(sides, entry)})
    changes: dict[tuple[str, str], Any] = {(key, BATTLE): after.value()}
    for place, happening in enumerate(record["happenings"]):
        if happening["event"] is None:
            continue
        changes |= {item.key: item.value() for item in _in_force(battle, happening, entry, place)}
        changes |= {(key, item.key): item.value() for item in _lost(battle, happening, book, entry, place)}
        changes |= {(key, item.key): item.value() for item in _fewer_spells(battle, happening)}
    changes |= {(key, name): value for name, value in _tokens(battle, record, entry)}
    return ExtraChanges(changes, {"turn": header.turn})


def _request(battle: Battle, mode: str, only: str | None, sides: tuple[str, ...], reason: str | None) -> RollRequest:
    held: dict[str, dict[str, int]] = {side: {} for side in battle.header.sides}
    for token in battle.tokens:
        held[token.side][token.kind] = held[token.side].get(token.kind, 0) + 1
    inputs = {
        "roster": [
            {"name": item.name, "side": item.side, "tags": list(item.tags), "spells": item.spells}
            for item in battle.fighting
        ],
        "mode": mode,
        "sides": list(battle.header.sides),
        "only": only,
        "tokens": held,
    }
    turn = f"turn {battle.header.turn}{_checked_again(battle, sides)}"
    part = PartRequest(subjects={"battle": battle.name}, choices={"turn": turn}, inputs=inputs)
    return RollRequest(book=BOOK, family=FAMILY, parts=(part,), to="results", reason=reason)


def _made(battle: Battle, sides: tuple[str, ...]) -> dict[str, int]:
    """The entries by which these sides were checked this turn."""
    return {side: battle.header.checked[side] for side in sides if side in battle.header.checked}


def _checked_again(battle: Battle, sides: tuple[str, ...]) -> str:
    """What everybody is told of a second check: that it is one, and that nothing of the first has ended with it."""
    before = [f"#{entry}" for entry in sorted(set(_made(battle, sides).values()))]
    which = "entry" if len(before) == 1 else "entries"
    return f", checked again; what {which} {listing(before)} set stays in force" if before else ""


def _again(
    person: Person, campaign: Campaign, battle: Battle, sides: tuple[str, ...], reason: str | None
) -> str | None:
    """The reason for a second check in one turn (C1.1); None when it is the first.

    Raises:
        NotAllowed: it is a second one, and the person is no game master.
        NeedsReason: it is a second one, and no reason is given.

    """
    made = _made(battle, sides)
    if not made:
        return None
    require_leader_again(person, campaign)
    if reason is None:
        what = (
            f"Random events of turn {battle.header.turn} of {battle.name} were checked for {listing([*made])} already"
        )
        stays = "What that brought stays in force; /events use ends it."
        raise NeedsReason(f"{what} (entry #{max(made.values())}). {stays}", "Give a reason, and I roll all the same.")
    return reason


def _by_hand(check: Check, battle: Battle, sides: tuple[str, ...], table: RollTable, others: Dice) -> DiceByHand | None:
    """The dice with the faces that were typed; None when none were.

    Raises:
        BadInput: they cannot be read, or there is not one for each unit. Beside typed d100s there may be more, which draw units
            (C2.6).

    """
    if check.faces is None:
        return None
    by_unit, small = check.mode == "unit", table.numbers[UNIT_DIE].value
    faces = read_faces(check.faces, small if by_unit else table.die.sides)
    rolling = sum(item.side in sides for item in battle.fighting) if by_unit else 0
    more = len(faces.get(small, ())) - rolling
    if small in faces and (more < 0 or (more and table.die.sides not in faces)):
        units = "unit rolls" if rolling == 1 else "units roll"
        what = f"{rolling} {units} a d{small}, but {len(faces[small])} faces of it are typed."
        raise BadInput(what, "One for each, in the order of /events unit list.")
    return DiceByHand(faces, others)


def _in_force(battle: Battle, happening: Mapping[str, Any], entry: int, place: int) -> Iterator[InForce]:
    """What lasts of an event, on each unit that it falls on."""
    parts = tuple(Doing(**part) for part in happening["parts"] if part["lasts"] not in {"instant", "held_until_used"})
    for item in _struck(battle, happening) if parts else ():
        yield InForce(
            name=item.name,
            side=item.side,
            battle=battle.name,
            turn=battle.header.turn,
            event=happening["event"],
            cause=happening["cause"],
            parts=parts,
            entry=entry,
            place=place,
            extra=tuple((sides, face) for sides, face in happening["extra"]),
            removes=happening["removes"],
        )


def _lost(battle: Battle, happening: Mapping[str, Any], book: Book, entry: int, place: int) -> Iterator[Loss]:
    """What an event costs its units at once; it stays lost (C5.6), but for whoever ignores the event later (A5)."""
    event = book.table(TABLE).row(happening["outcome"]).event
    texts = [part["text"] for part in happening["parts"] if part["lasts"] == "instant"]
    if event is None or event.scope not in ON_UNITS or not texts:
        return
    label = told(happening["event"], happening["cause"], texts, happening["extra"])
    for among, item in enumerate(_struck(battle, happening)):
        spell = item.name in happening["spells"]
        yield Loss(item.name, item.side, battle.header.turn, label, entry, place, among, spell)


def _fewer_spells(battle: Battle, happening: Mapping[str, Any]) -> Iterator[Combatant]:
    left = happening["spells"]
    return (replace(item, spells=left[item.name]) for item in battle.roster if item.name in left)


def _tokens(battle: Battle, record: Mapping[str, Any], entry: int) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """The tokens got, and those of spies that were spent by themselves, the oldest first (A5)."""
    held = list(battle.tokens)
    spent: list[Token] = []
    for place, happening in enumerate(record["happenings"]):
        for side in happening["ignored"]:
            used = next(item for item in held if item.kind == NEXT and item.side == side)
            held.remove(used)
            spent.append(used)
        if happening["token"]:
            held.append(Token(happening["token"], happening["side"], entry, place))
    yield from ((item.key, None) for item in spent if item in battle.tokens)
    yield from ((item.key, item.value()) for item in held if item not in battle.tokens)


def _struck(battle: Battle, happening: Mapping[str, Any]) -> Iterator[Combatant]:
    return (found for name in happening["units"] if (found := battle.unit(name)) is not None)
