"""The check of a turn: rolled through the resolver like every roll, and what its events leave on units. And the end of a turn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.battles.entries import BATTLES, BOOK, FAMILY, EnteredChange, campaign_to_command, enter
from bot.core import scenes
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, require_game_master
from bot.core.scene_entries import SceneChange
from bot.core.scenes import SeenTurn, Which, require_side
from bot.errors import BadInput, NeedsReason, NotAllowed, NotAsItIs
from bot.rolls.dice import DiceByHand, read_faces
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.ui import parsing
from bot.ui.text import listing
from rules.books.battlesystem import effects
from rules.books.battlesystem.book import TABLE
from rules.books.battlesystem.effects import check_changes, check_inputs
from rules.books.battlesystem.state import Battle
from rules.books.battlesystem.turn import unit_die
from rules.tables import RollTable

if TYPE_CHECKING:
    from rules.books.battlesystem.book import CheckRecord


class CheckOptions(Struct, frozen=True):
    """The options of the command as typed; a button tells the turn that was seen."""

    battle: Which = None
    mode: str = "unit"
    side: str | None = None
    reason: str | None = None
    faces: str | None = None


class RolledCheck(Struct, frozen=True):
    """A check that is made, how many of the faces typed for it no die was left for, and the battle as it was before."""

    rolled: Rolled
    unused: int
    battle: Battle


def roll(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, options: CheckOptions) -> RolledCheck:
    """Check this turn's random events, for all units or for those of one side.

    Raises:
        NotAllowed: the person may not.
        BadInput: battle, side or faces cannot be used.
        NeedsReason: the units of a side have been checked this turn already.
        NotOpen: the battle or its turn is over, or the campaign is archived or another server's.
        RollError: nobody stands in the battle, or on the side that is to roll.

    """
    campaign = campaign_to_command(tx, resolver, person, campaign_id)
    battle = scenes.find_scene(tx, campaign.id, BATTLES, options.battle)
    reason = parsing.text(options.reason, "reason")
    table = resolver.library.book(tx, campaign, BOOK).table(TABLE)
    only = None if options.side is None else require_side(battle, options.side)
    sides = battle.header.sides if only is None else (only,)
    again = _again(person, campaign, battle, sides, reason)
    if options.faces is not None:
        require_game_master(person, campaign, "type faces of dice")
    dice = _by_hand(options, battle, sides, table)
    request = _request(battle, options.mode, only, sides, again)
    extra = partial(_extra_changes, battle, sides, dice)
    order = RollOrder(campaign.id, person.user_id, request, extra, dice, interaction=person.interaction)
    return RolledCheck(resolver.roll(tx, order), dice.left if dice else 0, battle)


def _extra_changes(
    battle: Battle, sides: tuple[str, ...], dice: DiceByHand | None, _tx: Connection, made: ResolvedRoll
) -> ExtraChanges:
    """Return what a check comes to beyond its dice, once every typed face is used."""
    if dice is not None:
        dice.finish()
    record = cast("CheckRecord", made.resolution.parts[0].record)
    replacements = check_changes(battle, sides, record, made.book.table(TABLE), made.moment.entry)
    changed = {(item.subject, item.name): item.after for item in scenes.list_scene_changes(battle.header, replacements)}
    return ExtraChanges(changed, {"turn": battle.header.turn})


def _request(battle: Battle, mode: str, only: str | None, sides: tuple[str, ...], reason: str | None) -> RollRequest:
    turn = f"turn {battle.header.turn}{_checked_again(battle, sides)}"
    part = PartRequest(
        subjects={"battle": battle.name}, choices={"turn": turn}, inputs=check_inputs(battle, mode, only)
    )
    return RollRequest(book=BOOK, family=FAMILY, parts=(part,), to="results", reason=reason)


def _checked_again(battle: Battle, sides: tuple[str, ...]) -> str:
    """Return what everybody is told of a second check: that it is one, and that nothing of the first has ended with it."""
    before = [f"#{entry}" for entry in sorted(set(battle.header.checks_of(sides).values()))]
    which = "entry" if len(before) == 1 else "entries"
    return f", checked again; events of {which} {listing(before)} stay in force" if before else ""


def _again(
    person: Person, campaign: Campaign, battle: Battle, sides: tuple[str, ...], reason: str | None
) -> str | None:
    """Return the reason for a second check in one turn (C1.1); None when it is the first."""
    made = battle.header.checks_of(sides)
    if not made:
        return None
    what = f"Random events of turn {battle.header.turn} of {battle.name} are already checked for {listing([*made])}"
    what += f" (entry #{max(made.values())})."
    if not person.leads(campaign):  # what was checked is public
        raise NotAllowed(what, "A game master can check again with a reason.")
    if reason is None:
        stays = "Those events stay in force; /events use ends them."
        raise NeedsReason(f"{what} {stays}", "Give a reason to roll again.")
    return reason


def _by_hand(options: CheckOptions, battle: Battle, sides: tuple[str, ...], table: RollTable) -> DiceByHand | None:
    """Return the dice with the faces that were typed; None when none were."""
    if options.faces is None:
        return None
    by_unit, small = options.mode == "unit", unit_die(table).sides
    faces = read_faces(options.faces, small if by_unit else table.die.sides)
    rolling = sum(item.side in sides for item in battle.fighting) if by_unit else 0
    more = len(faces.get(small, ())) - rolling
    if small in faces and (more < 0 or (more and table.die.sides not in faces)):
        units = "unit rolls" if rolling == 1 else "units roll"
        what = f"{rolling} {units} a d{small}, but you typed {len(faces[small])} results."
        raise BadInput(what, "Type one for each, in the order of /events unit list.")
    return DiceByHand(faces)


def end_turn(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: Which
) -> EnteredChange | Battle:
    """End the turn of a battle with all that lasts as long, and begin the next.

    A turn in which nobody has checked random events may have begun just now, by somebody else's word: unless it is the one
    that was seen, its battle is returned instead, and nothing is done.
    """
    campaign = campaign_to_command(tx, resolver, person, campaign_id, "ending a turn")
    battle = scenes.find_scene(tx, campaign.id, BATTLES, which)
    if not battle.roster:
        what = f"{battle.name} has no units yet."
        raise NotAsItIs(what, "Add units with /events unit add.")
    if not (battle.header.checked or isinstance(which, SeenTurn)):
        return battle
    ending = effects.end_turn(battle)
    change = SceneChange(
        battle,
        {
            "deed": "turn",
            "battle": battle.name,
            "turn": battle.header.turn,
            "ended": ending.ended,
            "stays": effects.list_staying(battle),
            "unchecked": effects.list_unchecked_sides(battle),
        },
        ending.changes,
        public=True,
    )
    return enter(tx, resolver, person, campaign, change)
