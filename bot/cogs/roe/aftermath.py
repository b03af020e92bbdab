"""What comes after a fight: `/roe take`, `/roe capture` and `/roe wounds`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from discord.app_commands import Range
from sqlalchemy import Connection

from bot.cogs.roe.actors import find_acting, make_part
from bot.cogs.roe.captivity import (
    ALONE,
    CAPTURES,
    ESCAPE,
    FACTS,
    VEHICLE,
    find_captivity,
    make_surrender,
    require_in_time,
)
from bot.cogs.roe.fight_view import BOOK, view_here
from bot.cogs.roe.options import DICE, ROLL, TurnForm
from bot.core import knowledge, state, subjects
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.permissions import Person, find_now
from bot.core.subjects import label_subjects
from bot.core.visibility import list_suggested, make_viewer
from bot.errors import BadInput, NotAllowed
from bot.rolls.options import NOTE, Completed, Completion, Completions, complete_last
from bot.rolls.request import MAX_PARTS, PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.form import Form, Text, option
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe.aftermath import SIZE, WITNESS
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.recovery import CREDITS, HOURS, HP, TOOLS
from rules.books.roe.wounds import WOUNDED
from rules.effects import EFFECT
from rules.ends import holds

CUFFED, STUNNED = f"{EFFECT}cuffed", f"{EFFECT}stunned"
ACTS = "act"
"""What is asked of whoever acts."""
HELPLESS = frozenset({WOUNDED, CAPTIVE, CUFFED, STUNNED})
OF = {
    "body": frozenset({WOUNDED}),
    "surgery": HELPLESS,
    "captor": frozenset({CAPTIVE}),
    "release": frozenset({CAPTIVE}),
    "escape": frozenset({CAPTIVE}),
    "pick": frozenset({CUFFED}),
    "detain": HELPLESS - {CAPTIVE},
}
"""What has to be kept of somebody to whom something can be done, by what is done; to others anything can."""
BY = {"body": "other", "captor": "by", "release": "by"}
"""Who has to have done that, for players one of their own: under which key its value has the number."""
OWN = frozenset({"escape", "pick"})
"""What players do for their own alone."""


async def _complete_others(at: Completion, current: str) -> Completions:
    """Complete the last of those to whom what was picked as `how` can be done now."""
    return complete_last(current, await at.read(_suggest_able, current.rpartition(",")[2], at.typed("how")))


async def _complete_anyone(at: Completion, current: str) -> Completions:
    """Offer characters; players' own come first."""
    return await _complete_named(at, current, "")


async def _complete_actor(at: Completion, current: str) -> Completions:
    """Offer characters who can act; players see only their own."""
    return await _complete_named(at, current, ACTS)


Others = Annotated[str, Completed(_complete_others)]
Anyone = Annotated[str, Completed(_complete_anyone)]
Actor = Annotated[str, Completed(_complete_actor)]


async def _complete_named(at: Completion, current: str, how: str) -> list[tuple[str, str]]:
    return [(name, name) for name in await at.read(_suggest_able, current, how)]


def _suggest_able(tx: Connection, who: Person, campaign: Campaign, wanted: str, how: str) -> list[str]:
    """Return what those are called to whom something can be done, as far as the person may know."""
    viewer = make_viewer(tx, who, campaign)
    everybody = list_suggested(tx, viewer)
    known = [item for item in list_suggested(tx, viewer, wanted) if (how == "vehicle") != item.is_character]
    if how in {ACTS, *OWN} and not who.leads(campaign):
        known = [item for item in known if viewer.owns(item)]
    if how in OF:
        kept = state.get_values_named(tx, campaign.id, {item.key for item in known}, OF[how]) if known else {}
        now, mine = find_now(tx, who, campaign), {item.id for item in everybody if viewer.owns(item)}
        told = knowledge.see_values(tx, viewer, kept).items()
        open_to = {
            key
            for (key, _), value in told
            if holds(value, now) and (how not in BY or who.leads(campaign) or value.get(BY[how]) in mine)
        }
        known = [item for item in known if item.key in open_to]
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
"""The roll families of `/roe take`, by how something is taken."""
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
    """Return the roll by which something is taken."""
    who = find_acting(tx, library, person, channels, typed.character)
    names = parsing.names(typed.from_, "name", MAX_PARTS if typed.how == "pocket" else 1)
    parsing.refuse_both((who.actor.name,), names)
    inputs = _read_taking(typed)
    parts = [
        make_part(who.actor, inputs, names[0]),
        *(make_part(who.actor, {WITNESS: True}, name) for name in names[1:]),
    ]
    family = (BOOK, TAKES[typed.how])
    return RollCommand(channels, family, parts, modifiers=typed.modifiers, note=typed.note)


def read_capture(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: CaptureForm
) -> RollCommand:
    """Return the roll by which somebody is captured, escapes or is let go."""
    family = (BOOK, CAPTURES[typed.how])
    if typed.how in ALONE:
        who = find_acting(tx, library, person, channels, typed.character or typed.who)
        if typed.how == ESCAPE:
            require_in_time(tx, who.viewer, who.actor, who.book, find_now(tx, person, who.viewer.campaign))
        return RollCommand(channels, family, [make_part(who.actor, {})], note=typed.note)
    if typed.who is None:
        raise BadInput("Who is the target?", "Name them as who.")
    (name,) = parsing.names(typed.who, "name", 1)
    if typed.how == "release":
        return RollCommand(channels, family, [_make_release(tx, library, person, channels, name)], note=typed.note)
    who = find_acting(tx, library, person, channels, typed.character)
    parsing.refuse_both((who.actor.name,), (name,))
    return RollCommand(
        channels, family, [make_part(who.actor, make_surrender() if typed.surrenders else {}, name)], note=typed.note
    )


def needs_consent(typed: CaptureForm) -> bool:
    """Tell whether another one has to agree to what a player does."""
    return typed.how == ESCAPE or (typed.surrenders and typed.how in {"cuff", "detain"})


def read_recovery(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: WoundsForm
) -> RollCommand:
    """Return the roll by which somebody is treated, or pays the hospital."""
    who = find_acting(tx, library, person, channels, typed.character)
    if typed.how == "hospital":
        if typed.amount is None or typed.hours is not None or typed.by is not None:
            raise BadInput(
                "The hospital takes half of the credits.", "Type how many credits there are as amount, or 0."
            )
        return RollCommand(channels, (BOOK, HOSPITAL), [make_part(who.actor, {CREDITS: typed.amount})], note=typed.note)
    if (typed.amount is None) == (typed.hours is None):
        raise BadInput("A treatment restores HP or shortens being Wounded.", "Type an amount of HP, or hours.")
    inputs = {HP: typed.amount} if typed.hours is None else {HOURS: typed.hours}
    if typed.by is None:
        return RollCommand(channels, (BOOK, TREAT), [make_part(who.actor, inputs)], note=typed.note)
    (healer,) = parsing.names(typed.by, "name", 1)
    parsing.refuse_both((who.actor.name,), (healer,))
    return RollCommand(channels, (BOOK, TREAT), [make_part(who.actor, inputs, healer)], note=typed.note)


def _make_release(tx: Connection, library: Library, person: Person, channels: Sequence[int], name: str) -> PartRequest:
    """Return the release of a captive by whoever holds them; players release captives of characters of theirs."""
    viewer = view_here(tx, library, person, channels)
    held = find_captivity(tx, viewer, name)
    by = subjects.get_subjects(tx, viewer.campaign.id, [held[1]["by"]]) if held else {}
    captor = next((item for item in by.values() if viewer.knows(item)), None)
    if held is None or captor is None:
        raise BadInput(f"You don't know of a captive called {name}.", "See /roe wounds for a character's state.")
    if not (viewer.leads or viewer.owns(captor)):
        raise NotAllowed(
            f"{held[0].name} is a captive of {captor.name}.",
            "Only the captor's player or a game master can release them.",
        )
    if not captor.saved:
        raise BadInput(f"{held[0].name} is a captive of {captor.name}, who isn't saved.", "Use /captive release.")
    names = {ACTOR: captor.name, RESISTER: held[0].name}
    return PartRequest(subjects=names, ids={ACTOR: (captor.id,), RESISTER: (held[0].id,)})


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
