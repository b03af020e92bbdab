"""The check of a turn, rolled like every roll, and the end of a turn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.battles import entries
from bot.core import scenes
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NeedsReason, NotAllowed, NotAsItIs
from bot.core.permissions import Person, require_game_master
from bot.core.scene_entries import SceneChange
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import DiceByHand, PartRequest, RollRequest, read_faces
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from bot.ui import parsing
from bot.ui.text import join_words
from rules.books.battlesystem import effects
from rules.books.battlesystem.book import TABLE
from rules.books.battlesystem.state import Battle
from rules.books.battlesystem.turn import unit_die
from rules.tables import RollTable

if TYPE_CHECKING:
    from rules.books.battlesystem.book import CheckRecord


class CheckOptions(Struct, frozen=True):
    """The typed options of a check; a button's `battle` is the turn that was seen."""

    battle: scenes.Which = None
    mode: str = "unit"
    side: str | None = None
    reason: str | None = None
    faces: str | None = None


class RolledCheck(Struct, frozen=True):
    """A rolled check, the number of unused typed faces, and the battle as it was before."""

    rolled: RollResult
    unused: int
    battle: Battle


def roll_check(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, options: CheckOptions
) -> RolledCheck:
    """Check this turn's random events, for all units or one side.

    Raises:
        NeedsReason: the side was checked this turn already.
    """
    campaign = entries.campaign_to_command(tx, resolver, person, campaign_id)
    battle = scenes.find_scene(tx, campaign.id, entries.BATTLES, options.battle)
    reason = parsing.parse_text(options.reason, "reason")
    table = resolver.library.book(tx, campaign, entries.BOOK).table(TABLE)
    only = None if options.side is None else scenes.require_side(battle, options.side)
    sides = battle.header.sides if only is None else (only,)
    reason = _require_again(person, campaign, battle, sides, reason)
    if options.faces is not None:
        require_game_master(person, campaign, "type faces of dice")
    dice = _read_dice(options, battle, sides, table)
    before = [f"#{entry}" for entry in sorted(set(battle.header.checks_of(sides).values()))]
    which = "entry" if len(before) == 1 else "entries"
    again = f", checked again; events of {which} {join_words(before)} stay in force" if before else ""
    part = PartRequest(
        subjects={"battle": battle.name},
        choices={"turn": f"turn {battle.header.turn}{again}"},
        inputs=effects.check_inputs(battle, options.mode, only),
    )
    request = RollRequest(book=entries.BOOK, family=entries.FAMILY, parts=(part,), to="results", reason=reason)
    extra = partial(_extra_changes, battle, sides, dice)
    order = RollOrder(campaign.id, person.user_id, request, extra, dice, interaction=person.interaction)
    return RolledCheck(resolver.roll(tx, order), sum(map(len, dice.spare_faces.values())) if dice else 0, battle)


def _extra_changes(
    battle: Battle, sides: tuple[str, ...], dice: DiceByHand | None, _tx: Connection, made: ResolvedRoll
) -> ExtraChanges:
    if dice is not None:
        dice.finish()
    record = cast("CheckRecord", made.resolution.parts[0].record)
    replacements = effects.check_changes(battle, sides, record, made.book.table(TABLE), made.moment.entry)
    changed = {(item.subject, item.name): item.after for item in scenes.list_scene_changes(battle.header, replacements)}
    return ExtraChanges(changed, {"turn": battle.header.turn})


def _require_again(
    person: Person, campaign: Campaign, battle: Battle, sides: tuple[str, ...], reason: str | None
) -> str | None:
    made = battle.header.checks_of(sides)
    if not made:
        return None
    what = f"Random events of turn {battle.header.turn} of {battle.name} are already checked for {join_words([*made])}"
    what += f" (entry #{max(made.values())})."
    if not person.leads(campaign):  # what was checked is public
        raise NotAllowed(what, "A game master can check again with a reason.")
    if reason is None:
        stays = "Those events stay in force; /events use ends them."
        raise NeedsReason(f"{what} {stays}", "Give a reason to roll again.")
    return reason


def _read_dice(options: CheckOptions, battle: Battle, sides: tuple[str, ...], table: RollTable) -> DiceByHand | None:
    if options.faces is None:
        return None
    by_unit, small = options.mode == "unit", unit_die(table).sides
    faces = read_faces(options.faces, small if by_unit else table.die.sides)
    rolling = sum(item.side in sides for item in battle.fighters) if by_unit else 0
    more = len(faces.get(small, ())) - rolling
    if small in faces and (more < 0 or (more and table.die.sides not in faces)):
        units = "unit rolls" if rolling == 1 else "units roll"
        what = f"{rolling} {units} a d{small}, but you typed {len(faces[small])} results."
        raise BadInput(what, "Type one for each, in the order of /events unit list.")
    return DiceByHand(faces)


def end_turn(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: scenes.Which
) -> entries.EnteredChange | Battle:
    """End a turn and what lasts until then.

    An unchecked turn may be new to the person: unless they saw it, nothing is done and its battle is returned.
    """
    campaign = entries.campaign_to_command(tx, resolver, person, campaign_id, "ending a turn")
    battle = scenes.find_scene(tx, campaign.id, entries.BATTLES, which)
    if not battle.roster:
        what = f"{battle.name} has no units yet."
        raise NotAsItIs(what, "Add units with /events unit add.")
    if not (battle.header.checked or isinstance(which, scenes.SeenTurn)):
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
    return entries.enter(tx, resolver, person, campaign, change)
