"""What comes after a fight: `/roe take`, `/roe capture` and `/roe wounds`."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any

import discord
from discord.app_commands import Range
from discord.utils import format_dt
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe.actors import find_acting, make_part
from bot.cogs.roe.attacks import RolledForm, TurnForm
from bot.cogs.roe.facts import FACTS, VEHICLE, find_captivity, find_next_try, require_in_time
from bot.cogs.roe.fight_view import BOOK, RoeAsker, find_characters, view_here
from bot.core import library, state, subjects, visibility
from bot.core.campaigns import Campaign, locate_campaign, open_campaign
from bot.core.errors import BadInput, NotAllowed
from bot.core.permissions import Person, find_now
from bot.core.profiles import Profile
from bot.core.visibility import Viewer, list_suggested, make_viewer, require_own
from bot.rolls.options import NOTE, Completed, Completion, Completions, complete_last
from bot.rolls.pending import service, store
from bot.rolls.preview import identify
from bot.rolls.request import MAX_PARTS, PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.parsing import Form, Text, option
from bot.ui.text import COLOURS, plain
from rules.book import Book, Effect
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe import aftermath, wounds
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.effects import EFFECT, Moment, is_current

ESCAPE = "escape"
ALONE = frozenset({"pick", ESCAPE})


_SURRENDER = {FACTS: [f"{RESISTER}.surrenders"]}
"""Inputs of a part whose target surrenders."""


def ask_consent(
    tx: Connection, resolver: Resolver, person: Person, command: RollCommand, how: str
) -> service.PendingRoll:
    """Ask the captor to attend an escape, or the target to surrender."""
    campaign = open_campaign(tx, locate_campaign(tx, person.guild_id, command.channels, lock=True).id)
    viewer = make_viewer(tx, person, campaign)
    require_own(tx, campaign, person, [command.parts[0].subjects[ACTOR]])
    parts = identify(tx, viewer, [replace(command.parts[0], inputs={})])
    note = parsing.parse_text(command.note, "note")
    book, family = command.family
    request = RollRequest(book=book, family=family, parts=parts, note=note, by=viewer.mine)
    preview = resolver.preview(tx, campaign, _add_consent(request, 0, None), viewer)
    resolver.require_able(tx, viewer, preview)
    for item in preview.parts:
        item.procedure.method.check(item.part, item.book)
    who = parts[0].subjects[ACTOR]
    if how in ALONE:
        seat, asks = _find_captor(tx, viewer, who), f"to be present while **{plain(who)}** tries to escape"
    else:
        seat, asks = _find_other(tx, viewer, parts[0]), f"to surrender to **{plain(who)}**"
    words = store.Words("request", who, ("asks", asks), f"/roe capture how:{how}")
    asked = service.Ask(command.channels[0], request, (seat,), timedelta(hours=24), words)
    return service.ask(tx, resolver, person, campaign, asked)


def _find_captor(tx: Connection, viewer: Viewer, captive: str) -> store.Seat:
    # Without a known captor, the game masters answer.
    held = find_captivity(tx, viewer, captive)
    by = subjects.get_subjects(tx, viewer.campaign.id, [held[1]["by"]]).values() if held else ()
    return next((store.Seat(subject=item.id, name=item.name) for item in by), store.Seat())


def _find_other(tx: Connection, viewer: Viewer, part: PartRequest) -> store.Seat:
    (number,) = part.ids[RESISTER]
    found = subjects.get_subjects(tx, viewer.campaign.id, [number]).get(number) if number else None
    if found is None:
        what = f"I don't know a character called {part.subjects[RESISTER]!r}."
        raise BadInput(what, "See /unit for all characters.")
    return store.Seat(subject=found.id, name=found.name)


def _add_consent(request: RollRequest, place: int, _answer: store.SeatAnswer | None) -> RollRequest:
    part = request.parts[place]
    more = {FACTS: [f"{ACTOR}.watched"]} if RESISTER not in part.subjects else _SURRENDER
    return request.with_part(place, replace(part, inputs={**part.inputs, **more}))


ANSWERING: Mapping[str, store.AnswerRules] = {
    "after.escape": store.AnswerRules(_add_consent, {"yes": "I'm present: roll"}),
    **dict.fromkeys(("after.cuff", "after.detain"), store.AnswerRules(_add_consent, {"yes": "Surrender"})),
}

MORTAL = f"{EFFECT}mortally-wounded"


def show_wounds(tx: Connection, asker: RoeAsker, named: str | None) -> discord.Embed:
    """Show the state of the named or the person's own character."""
    viewer, library, person = view_here(tx, asker), asker.library, asker.person
    campaign = viewer.campaign
    if named is None:
        item = find_acting(tx, asker, None).actor
    else:
        (item,) = find_characters(tx, viewer, [named])
    (item,) = visibility.see_saved(tx, viewer, [item], library.fields(tx, campaign))
    now, effects = find_now(tx, person, campaign), library.effects(tx, campaign)
    kept = state.get_values_named(tx, campaign.id, {item.key}, {wounds.HEALTH, CAPTIVE})
    kept |= state.get_values_beginning(tx, campaign.id, {item.key}, EFFECT)
    secret = set() if person.leads(campaign) else {EFFECT + trait for trait, one in effects.items() if one.secret}
    known = visibility.see_values(tx, viewer, kept)
    values = {name: value for (_, name), value in known.items() if is_current(value, now) and name not in secret}
    lines = [*_describe_wounds(item, values)]
    lines += _describe_captivity(tx, viewer, values, library.book(tx, campaign, BOOK), now)
    lines += _describe_effects(values, effects)
    colour = COLOURS["danger" if wounds.WOUNDED in values else "neutral"]
    description = "\n".join(lines or ["No wounds or effects."])
    embed = discord.Embed(title=plain(item.name), description=description, colour=colour)
    return embed.set_footer(text=campaign.name)


def _describe_wounds(item: Profile, values: Mapping[str, Any]) -> Iterator[str]:
    full, lost = item.fields.get("hp"), values.get(wounds.HEALTH, {}).get("lost", 0)
    if full is not None:
        yield f"**HP** {max(0, full - lost)} of {full}"
    elif lost:
        yield f"**HP** {lost} lost"
    wound = values.get(wounds.WOUNDED)
    if wound is not None:
        until = f" until {_show_time(wound['at'])}" if "at" in wound else ""
        yield f"**Wounded**{until}: no combat. Attacking or being attacked means going down again and staying Wounded for longer."
    if MORTAL in values:
        yield (
            "**Mortal Wound**: half of each stack in pocket 0, rounded up, goes to the attacker or is lost. Permanents are "
            "safe. Half of the credits go to the hospital, with how:hospital."
        )


def _describe_captivity(
    tx: Connection, viewer: Viewer, values: Mapping[str, Any], book: Book, now: Moment
) -> Iterator[str]:
    held = values.get(CAPTIVE)
    if held is None:
        return
    by = subjects.get_subjects(tx, viewer.campaign.id, [held["by"]]).get(held["by"])
    whose = plain(viewer.name_of(by)) if by else "someone unknown"
    yield f"**Captive** of {whose} since {_show_time(held['since'])}"
    early = find_next_try(values, book, now)
    if early is not None:
        yield f"Next try to escape: {_show_time(early[1])}."


def _describe_effects(values: Mapping[str, Any], effects: Mapping[str, Effect]) -> Iterator[str]:
    for name, value in sorted(values.items()):
        if name.startswith(EFFECT) and name not in {wounds.WOUNDED, MORTAL}:
            label = library.label_effect(effects, name, value)
            count = f": {value['amount']}" if value.get("amount") else ""
            turns = value.get("turns", {}).get("left")
            ends = f" until {_show_time(value['at'])}" if isinstance(value.get("at"), str) else ""
            ends += f", {turns} turn{'' if turns == 1 else 's'} left" if turns else ""
            yield f"**{plain(label)}**{count}{ends}"


def _show_time(moment: str) -> str:
    at = datetime.fromisoformat(moment)
    return f"{format_dt(at, 'f')} ({format_dt(at, 'R')})"


ACTS = "act"
_CUFFED = f"{EFFECT}cuffed"
_HELPLESS = {wounds.WOUNDED, _CUFFED, f"{EFFECT}stunned"}
NEEDS_SAVED = {
    "body": {wounds.WOUNDED},
    "surgery": {CAPTIVE, *_HELPLESS},
    **{how: {CAPTIVE} for how in ("captor", "release", "escape")},
    "pick": {_CUFFED},
    "detain": _HELPLESS,
}
"""What must be saved of a target, by what is done; anything else needs nothing."""
DONE_BY = {"body": "other", "captor": "by", "release": "by"}
"""For players: the key of the number that must be one of their characters."""


async def _complete_others(at: Completion, current: str) -> Completions:
    return complete_last(current, await at.read(_suggest_able, current.rpartition(",")[2], at.read_option("how")))


async def _complete_named(at: Completion, current: str, how: str) -> Completions:
    return [(name, name) for name in await at.read(_suggest_able, current, how)]


Others = Annotated[str, Completed(_complete_others)]
Anyone = Annotated[str, Completed(partial(_complete_named, how=""))]
Actor = Annotated[str, Completed(partial(_complete_named, how=ACTS))]


def _suggest_able(tx: Connection, who: Person, campaign: Campaign, wanted: str, how: str) -> list[str]:
    return subjects.label_subjects(list_able(tx, who, campaign, wanted, how))


def list_able(tx: Connection, who: Person, campaign: Campaign, wanted: str, how: str) -> list[subjects.Numbered]:
    """List known people who can do it, or be its target."""
    viewer = make_viewer(tx, who, campaign)
    everybody = list_suggested(tx, viewer)
    known = [item for item in list_suggested(tx, viewer, wanted) if (how == "vehicle") != item.is_character]
    if how in {ACTS, *ALONE} and not who.leads(campaign):
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
    return [*known]


SIZED = {"body": "may.loot", "pocket": "may.pickpocket", "vehicle": "may.loot"}
"""The families of what takes a size, by how it's taken; others are called `after.<how>`."""
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
    """Options of `/roe take`."""

    family = (BOOK, "may.loot")
    how: str = option("How to take it", choices=WAYS_TO_TAKE)
    from_: Others = option("The target. For a pocket, add who is watching after a comma", name="from")
    size: Size | None = option("How many are in the stack. For surgery: how many Medical_Tools", default=None)
    stack: str = option("What you take. Default: an ordinary stack", default=ORDINARY, choices=STACKS)
    character: Actor | None = ACTING
    note: Text | None = None


class CaptureForm(RolledForm):
    """Options of `/roe capture`."""

    how: str = option("What to do", choices=WAYS_TO_CAPTURE)
    who: Others | None = option("The target. Or who picks the lock or escapes", default=None)
    character: Actor | None = ACTING
    note: Text | None = NOTE
    surrenders: bool = option("Whether the target surrenders. Game masters decide; for players I ask", default=False)


class WoundsForm(Form):
    """Options of `/roe wounds`."""

    character: Anyone | None = option("The character. Default: yours", default=None)
    how: str = option("What to do. Default: show", default="show", choices=WOUNDS)
    amount: Size | None = option("HP to restore, or credits for the hospital", default=None)
    hours: Range[float, 0.5, 100.0] | None = option("Hours of Wounded to remove, instead of HP", default=None)
    by: Anyone | None = option("The healer, whose options count", default=None)
    note: Text | None = NOTE


def read_take(tx: Connection, asker: RoeAsker, typed: TakeForm) -> RollCommand:
    """Read the roll of `/roe take`."""
    who = find_acting(tx, asker, typed.character)
    names = parsing.names(typed.from_, "name", MAX_PARTS if typed.how == "pocket" else 1)
    parsing.refuse_both((who.actor.name,), names)
    parts = [make_part(who.actor, _read_taking(typed), names[0])]
    parts += [make_part(who.actor, {aftermath.WITNESS: True}, name) for name in names[1:]]
    family = SIZED.get(typed.how, f"after.{typed.how}")
    return RollCommand(asker.channels, (BOOK, family), parts, modifiers=typed.modifiers, note=typed.note)


def read_capture(tx: Connection, asker: RoeAsker, typed: CaptureForm) -> RollCommand:
    """Read the roll of `/roe capture`."""
    if typed.how in ALONE:
        who = find_acting(tx, asker, typed.character or typed.who)
        if typed.how == ESCAPE:
            require_in_time(tx, who.viewer, who.actor, who.book, find_now(tx, asker.person, who.viewer.campaign))
        part = make_part(who.actor, {})
    elif typed.who is None:
        raise BadInput("Who is the target?", "Name them as who.")
    else:
        (name,) = parsing.names(typed.who, "name", 1)
        if typed.how == "release":
            part = _make_release(tx, asker, name)
        else:
            who = find_acting(tx, asker, typed.character)
            parsing.refuse_both((who.actor.name,), (name,))
            part = make_part(who.actor, _SURRENDER if typed.surrenders else {}, name)
    return RollCommand(asker.channels, (BOOK, f"after.{typed.how}"), [part], note=typed.note)


def find_consent(typed: CaptureForm) -> Callable[..., service.PendingRoll] | None:
    """Return how to ask who must agree first; None if no one must."""
    asks = typed.how == ESCAPE or (typed.surrenders and typed.how in {"cuff", "detain"})
    return partial(ask_consent, how=typed.how) if asks else None


def read_recovery(tx: Connection, asker: RoeAsker, typed: WoundsForm) -> RollCommand:
    """Read the roll of a treatment or the hospital."""
    who = find_acting(tx, asker, typed.character)
    if typed.how == "hospital":
        if typed.amount is None or typed.hours is not None or typed.by is not None:
            hint = "Type how many credits there are as amount, or 0."
            raise BadInput("The hospital takes half of the credits.", hint)
        paying = make_part(who.actor, {aftermath.CREDITS: typed.amount})
        return RollCommand(asker.channels, (BOOK, "after.hospital"), [paying], note=typed.note)
    if (typed.amount is None) == (typed.hours is None):
        raise BadInput("A treatment restores HP or shortens being Wounded.", "Type an amount of HP, or hours.")
    inputs = {aftermath.HP: typed.amount} if typed.hours is None else {aftermath.HOURS: typed.hours}
    healer = None
    if typed.by is not None:
        (healer,) = parsing.names(typed.by, "name", 1)
        parsing.refuse_both((who.actor.name,), (healer,))
    return RollCommand(asker.channels, (BOOK, "after.treat"), [make_part(who.actor, inputs, healer)], note=typed.note)


def _make_release(tx: Connection, asker: RoeAsker, name: str) -> PartRequest:
    viewer = view_here(tx, asker)
    held = find_captivity(tx, viewer, name)
    by = subjects.get_subjects(tx, viewer.campaign.id, [held[1]["by"]]) if held else {}
    captor = next((item for item in by.values() if viewer.knows(item)), None)
    if held is None or captor is None:
        raise BadInput(f"You don't know of a captive called {name}.", "See /roe wounds for a character's state.")
    captive = held[0]
    if not (viewer.leads or viewer.owns(captor)):
        hint = "Only the captor's player or a game master can release them."
        raise NotAllowed(f"{captive.name} is a captive of {captor.name}.", hint)
    if not captor.saved:
        raise BadInput(
            f"{captive.name} is a captive of {captor.name}, who isn't saved.", "Release them with /captives."
        )
    names = {ACTOR: captor.name, RESISTER: captive.name}
    return PartRequest(subjects=names, ids={ACTOR: (captor.id,), RESISTER: (captive.id,)})


def _read_taking(typed: TakeForm) -> dict[str, Any]:
    if typed.how in {"surgery", "install"}:
        if typed.size is None:
            raise BadInput("Surgery uses Medical_Tools.", "Type how many there are as size.")
        return {aftermath.TOOLS: typed.size}
    if typed.how not in SIZED:
        if typed.size is not None:
            raise BadInput(f"{typed.how} takes no size.", "Leave the size out.")
        return {}
    facts = {} if typed.stack == ORDINARY else {FACTS: [f"thing.{typed.stack}"]}
    sized = {} if typed.size is None else {aftermath.SIZE: typed.size}
    return {**facts, **sized, **({VEHICLE: True} if typed.how == "vehicle" else {})}
