"""What comes after a fight: `/roe take`, `/roe capture` and `/roe wounds`."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from discord.app_commands import Range
from sqlalchemy import Connection

from bot.cogs.roe import captivity
from bot.cogs.roe.actors import find_acting, make_part
from bot.cogs.roe.captivity import ALONE, CAPTURES, ESCAPE, FACTS, VEHICLE
from bot.cogs.roe.fight_view import BOOK, view_here
from bot.cogs.roe.options import DICE, ROLL, TurnForm
from bot.core import state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotAllowed
from bot.core.library import Library
from bot.core.permissions import Person, find_now
from bot.core.subjects import label_subjects
from bot.core.visibility import list_suggested, make_viewer
from bot.rolls.options import NOTE, Completed, Completion, Completions, complete_last
from bot.rolls.request import MAX_PARTS, PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.parsing import Form, Text, option
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe.aftermath import SIZE, WITNESS
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.recovery import CREDITS, HOURS, HP, TOOLS
from rules.books.roe.wounds import WOUNDED
from rules.effects import EFFECT
from rules.ends import is_current

CUFFED, STUNNED = f"{EFFECT}cuffed", f"{EFFECT}stunned"
ACTS = "act"
HELPLESS = frozenset({WOUNDED, CAPTIVE, CUFFED, STUNNED})
NEEDS_SAVED = {
    "body": frozenset({WOUNDED}),
    "surgery": HELPLESS,
    "captor": frozenset({CAPTIVE}),
    "release": frozenset({CAPTIVE}),
    "escape": frozenset({CAPTIVE}),
    "pick": frozenset({CUFFED}),
    "detain": HELPLESS - {CAPTIVE},
}
"""What must be saved of a target, by what is done; anything else needs nothing."""
DONE_BY = {"body": "other", "captor": "by", "release": "by"}
"""For players: the key of the number that must be one of their characters."""
OWN_ONLY = frozenset({"escape", "pick"})


async def _complete_others(at: Completion, current: str) -> Completions:
    return complete_last(current, await at.read(_suggest_able, current.rpartition(",")[2], at.read_option("how")))


async def _complete_named(at: Completion, current: str, how: str) -> Completions:
    return [(name, name) for name in await at.read(_suggest_able, current, how)]


Others = Annotated[str, Completed(_complete_others)]
Anyone = Annotated[str, Completed(partial(_complete_named, how=""))]
Actor = Annotated[str, Completed(partial(_complete_named, how=ACTS))]


def _suggest_able(tx: Connection, who: Person, campaign: Campaign, wanted: str, how: str) -> list[str]:
    viewer = make_viewer(tx, who, campaign)
    everybody = list_suggested(tx, viewer)
    known = [item for item in list_suggested(tx, viewer, wanted) if (how == "vehicle") != item.is_character]
    if how in {ACTS, *OWN_ONLY} and not who.leads(campaign):
        known = [item for item in known if viewer.owns(item)]
    if how in NEEDS_SAVED:
        kept = state.get_values_named(tx, campaign.id, {item.key for item in known}, NEEDS_SAVED[how]) if known else {}
        now, mine = find_now(tx, who, campaign), {item.id for item in everybody if viewer.owns(item)}
        able = {
            key
            for (key, _), value in visibility.see_values(tx, viewer, kept).items()
            if is_current(value, now) and (how not in DONE_BY or who.leads(campaign) or value.get(DONE_BY[how]) in mine)
        }
        known = [item for item in known if item.key in able]
    return label_subjects(known)


TAKES: Mapping[str, str] = {
    "body": "may.loot",
    "pocket": "may.pickpocket",
    "surgery": "after.surgery",
    "install": "after.install",
    "frisk": "after.frisk",
    "captor": "after.captor",
    "vehicle": "may.loot",
}
SIZED = frozenset({"body", "pocket", "vehicle"})
OPERATING = frozenset({"surgery", "install"})
HOSPITAL, TREAT = "after.hospital", "after.treat"
ORDINARY = "ordinary"

WAYS_TO_TAKE = {
    "body": "body: loot a downed target",
    "pocket": "pocket: steal from a pocket, unseen",
    "surgery": "surgery: remove an implant from a helpless target",
    "install": "install: put in an implant for a willing target",
    "frisk": "frisk: search and seizure by the police",
    "captor": "captor: take one thing from your captive",
    "vehicle": "vehicle: take one that its crew left",
}
STACKS = {
    "ordinary": "an ordinary stack",
    "permanent": "a permanent",
    "installed": "installed: a cybernetic or implant",
    "stored": "in a backpack or container",
    "mega-credit": "Mega_Credits",
    "licence-chip": "a licence chip",
    "clearance-chip": "a clearance chip",
    "id-chip": "an ID chip",
    "racial": "a racial option",
    "pet": "a pet",
}
WAYS_TO_CAPTURE = {
    "detain": "detain: take a captive",
    "cuff": "cuff: handcuff a captive",
    "pick": "pick: pick the lock of the handcuffs",
    "escape": "escape: try to break out",
    "release": "release: free a captive",
}
WOUNDS = {
    "show": "show: how a character is",
    "treat": "treat: restore HP or shorten Wounded, game masters only",
    "hospital": "hospital: pay after a Mortal Wound",
}
Size = Range[int, 0, 1_000_000]
ACTING = option("Who acts. Default: your character, or who has the turn", default=None)


class TakeForm(TurnForm):
    """The options of `/roe take`."""

    family = (BOOK, "may.loot")
    how: str = option("How to take it", choices=WAYS_TO_TAKE)
    from_: Others = option("The target. For a pocket, add who is watching after a comma", name="from")
    size: Size | None = option("How many are in the stack. For surgery: how many Medical_Tools", default=None)
    stack: str = option("What you take. Default: an ordinary stack", default=ORDINARY, choices=STACKS)
    character: Actor | None = ACTING
    note: Text | None = None


class CaptureForm(Form):
    """The options of `/roe capture`."""

    how: str = option("What to do", choices=WAYS_TO_CAPTURE)
    who: Others | None = option("The target. Or who picks the lock or escapes", default=None)
    character: Actor | None = ACTING
    note: Text | None = NOTE
    roll: str | None = ROLL
    dice: str | None = DICE
    surrenders: bool = option("Whether the target surrenders. Game masters decide; for players I ask", default=False)


class WoundsForm(Form):
    """The options of `/roe wounds`."""

    character: Anyone | None = option("The character. Default: yours", default=None)
    how: str = option("What to do. Default: show", default="show", choices=WOUNDS)
    amount: Size | None = option("HP to restore, or credits for the hospital", default=None)
    hours: Range[float, 0.5, 100.0] | None = option("Hours of Wounded to remove, instead of HP", default=None)
    by: Anyone | None = option("The healer, whose options count", default=None)
    note: Text | None = NOTE


def read_take(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TakeForm
) -> RollCommand:
    """Read the roll of `/roe take`."""
    who = find_acting(tx, library, person, channels, typed.character)
    names = parsing.names(typed.from_, "name", MAX_PARTS if typed.how == "pocket" else 1)
    parsing.refuse_both((who.actor.name,), names)
    parts = [make_part(who.actor, _read_taking(typed), names[0])]
    parts += [make_part(who.actor, {WITNESS: True}, name) for name in names[1:]]
    return RollCommand(channels, (BOOK, TAKES[typed.how]), parts, modifiers=typed.modifiers, note=typed.note)


def read_capture(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: CaptureForm
) -> RollCommand:
    """Read the roll of `/roe capture`."""
    if typed.how in ALONE:
        who = find_acting(tx, library, person, channels, typed.character or typed.who)
        if typed.how == ESCAPE:
            captivity.require_in_time(tx, who.viewer, who.actor, who.book, find_now(tx, person, who.viewer.campaign))
        part = make_part(who.actor, {})
    elif typed.who is None:
        raise BadInput("Who is the target?", "Name them as who.")
    else:
        (name,) = parsing.names(typed.who, "name", 1)
        if typed.how == "release":
            part = _make_release(tx, library, person, channels, name)
        else:
            who = find_acting(tx, library, person, channels, typed.character)
            parsing.refuse_both((who.actor.name,), (name,))
            part = make_part(who.actor, captivity.make_surrender() if typed.surrenders else {}, name)
    return RollCommand(channels, (BOOK, CAPTURES[typed.how]), [part], note=typed.note)


def needs_consent(typed: CaptureForm) -> bool:
    """Whether another player must agree first."""
    return typed.how == ESCAPE or (typed.surrenders and typed.how in {"cuff", "detain"})


def read_recovery(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: WoundsForm
) -> RollCommand:
    """Read the roll of a treatment or the hospital."""
    who = find_acting(tx, library, person, channels, typed.character)
    if typed.how == "hospital":
        if typed.amount is None or typed.hours is not None or typed.by is not None:
            hint = "Type how many credits there are as amount, or 0."
            raise BadInput("The hospital takes half of the credits.", hint)
        return RollCommand(channels, (BOOK, HOSPITAL), [make_part(who.actor, {CREDITS: typed.amount})], note=typed.note)
    if (typed.amount is None) == (typed.hours is None):
        raise BadInput("A treatment restores HP or shortens being Wounded.", "Type an amount of HP, or hours.")
    inputs = {HP: typed.amount} if typed.hours is None else {HOURS: typed.hours}
    healer = None
    if typed.by is not None:
        (healer,) = parsing.names(typed.by, "name", 1)
        parsing.refuse_both((who.actor.name,), (healer,))
    return RollCommand(channels, (BOOK, TREAT), [make_part(who.actor, inputs, healer)], note=typed.note)


def _make_release(tx: Connection, library: Library, person: Person, channels: Sequence[int], name: str) -> PartRequest:
    viewer = view_here(tx, library, person, channels)
    held = captivity.find_captivity(tx, viewer, name)
    by = subjects.get_subjects(tx, viewer.campaign.id, [held[1]["by"]]) if held else {}
    captor = next((item for item in by.values() if viewer.knows(item)), None)
    if held is None or captor is None:
        raise BadInput(f"You don't know of a captive called {name}.", "See /roe wounds for a character's state.")
    captive = held[0]
    if not (viewer.leads or viewer.owns(captor)):
        hint = "Only the captor's player or a game master can release them."
        raise NotAllowed(f"{captive.name} is a captive of {captor.name}.", hint)
    if not captor.saved:
        raise BadInput(f"{captive.name} is a captive of {captor.name}, who isn't saved.", "Use /captive release.")
    names = {ACTOR: captor.name, RESISTER: captive.name}
    return PartRequest(subjects=names, ids={ACTOR: (captor.id,), RESISTER: (captive.id,)})


def _read_taking(typed: TakeForm) -> dict[str, Any]:
    if typed.how in OPERATING:
        if typed.size is None:
            raise BadInput("Surgery uses Medical_Tools.", "Type how many there are as size.")
        return {TOOLS: typed.size}
    if typed.how not in SIZED:
        if typed.size is not None:
            raise BadInput(f"{typed.how} takes no size.", "Leave the size out.")
        return {}
    facts = {} if typed.stack == ORDINARY else {FACTS: [f"thing.{typed.stack}"]}
    sized = {} if typed.size is None else {SIZE: typed.size}
    return {**facts, **sized, **({VEHICLE: True} if typed.how == "vehicle" else {})}
