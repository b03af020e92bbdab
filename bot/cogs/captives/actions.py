"""Captives in words, with buttons; actions on them, and the options that name them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import Annotated, ClassVar, Final

import discord
from discord import ui
from discord.utils import TimestampStyle, format_dt
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Outcome, Window, Work, entry_kind, make_window
from bot.cogs.captives import queries, rolls
from bot.cogs.captives.queries import CaptiveStatus
from bot.core import ledger, profiles, records, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput
from bot.core.permissions import Person, require_game_master
from bot.core.subjects import Subject, label_subject
from bot.core.typos import warn_unsaved
from bot.orders.kinds import WITHDRAW
from bot.rolls import entries, options
from bot.ui import parsing, reply
from bot.ui.parsing import MAX_NAME, MAX_TEXT, option
from bot.ui.text import COLOURS, Controls, join_words, plain
from rules import effects
from rules.books.campaign.captivity import CAPTIVE, CRACKED, FATE, Captivity, begin_captivity, end_captivity, is_dead
from rules.subjects import PROFILE, name_key, names_of

_ONE: Final = "captive:{campaign:int}:{subject:int}:{newest:int}:"
INTERROGATE, BREAK_OUT, MOVE, RELEASE = (
    reply.IdTemplate(_ONE + verb) for verb in ("interrogate", "escape", "move", "release")
)
"""`newest` is the newest entry of the captivity."""


def status_embed(status: CaptiveStatus, *, footer: str) -> discord.Embed:
    """Show one captive."""
    colour = COLOURS["neutral" if status.captivity else "failure"]
    text = LINES.join(describe_status(status, "f"))
    return discord.Embed(title=plain(status.name), description=text, colour=colour).set_footer(text=footer)


BASES = profiles.FITTING["base"]

LINES = "\n\N{BULLET} "
"""Between the place or fate and each condition."""


def describe_status(status: CaptiveStatus, style: TimestampStyle) -> Iterator[str]:
    """Yield place or fate, then conditions."""
    held, fate = status.captivity, status.fate
    if held is not None:
        since, moved = (time and format_dt(datetime.fromisoformat(time), style) for time in (held.since, held.moved))
        since = f"{since}, at this place since {moved}" if moved else since
        by = f"held by {plain(held.by.name)}{place_after(held.by.name, held.at.name)}"
        yield f"{by} since {since}{_name_entry(status, held.entry)}"
    else:
        yield f"{fate['fate']}{_name_entry(status, fate['entry'])}" if fate else "free"
    if status.cracked is not None:
        yield f"cracked{_name_entry(status, status.cracked)}"
    for level, count in Counter(status.injuries).items():
        times = f" \N{MULTIPLICATION SIGN} {count}" if count > 1 else ""
        yield f"{'injured' if level is None else f'injury {level}'}{times}"
    if status.seriously:
        yield "seriously injured"
    if status.resisting:
        yield "resisting today"
    if status.ordered is not None:
        yield f"escape ordered{_name_entry(status, status.ordered)}"


def _name_entry(status: CaptiveStatus, number: int) -> str:
    return "" if number in status.unreadable else f" (entry #{number})"


def place_after(by: str, at: str) -> str:
    """Return " at" with the place; empty if captor and place are the same."""
    return "" if name_key(by) == name_key(at) else f" at {plain(at)}"


def captive_buttons(status: CaptiveStatus, campaign: Campaign, reader: Person) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what the reader can do about a captive."""
    held, leads = status.captivity, reader.leads(campaign)
    if held is None or campaign.archived_at is not None:
        return
    key = {"campaign": campaign.id, "subject": status.id, "newest": held.entry}
    if leads or (status.captor and queries.INTERROGATION in campaign.players_may):
        yield ui.Button(label="Interrogate", custom_id=INTERROGATE.fill(**key))
    if status.captor:
        return
    if status.ordered is not None and not leads:
        order = {"campaign": campaign.id, "subject": status.id, "number": status.ordered}
        yield ui.Button(label="Cancel the escape", custom_id=WITHDRAW.fill(**order))
    elif not held.in_person:  # the fight's book has its own escape
        yield ui.Button(label="Escape", custom_id=BREAK_OUT.fill(**key))
    if leads:
        yield ui.Button(label="Move", custom_id=MOVE.fill(**key))
        yield ui.Button(label="Release", custom_id=RELEASE.fill(**key))


async def _complete_captives(at: options.Completion, current: str, *, at_bases: bool = False) -> options.Completions:
    before, comma, word = current.rpartition(",")
    kept, wanted = f"{before.strip()}, " if comma else "", name_key(word)
    taken = {name_key(name) for name in before.split(",")}
    known = await at.read(queries.list_captive_names, at_bases=at_bases)
    names = [kept + name for name in known if name_key(name) not in taken]
    return [(name, name) for name in names if wanted in name_key(name) and len(name) <= parsing.MAX_CHOICE]


Escaping = Annotated[str, options.Completed(partial(_complete_captives, at_bases=True))]
Captives = Annotated[str, options.Completed(_complete_captives)]


class CaptiveAction(Action):
    """An action on one captive, first in its entry."""

    kind = "captive"
    texts: ClassVar = {"note": "Note", "reason": "Reason"}
    form: ClassVar[str]

    @classmethod
    def sentence(cls, body: ledger.Body) -> str:
        """Return the entry in one line."""
        captives = join_words([plain(name) for name in names_of(body["captive"])])
        shown = {name: plain(text) for name, text in body.items() if name in {"by", "from", "at"}}
        return cls.form.format(captive=captives, **shown)

    def answer(self, work: Work, entry: records.Entry, outcome: Outcome) -> Answer:
        """Return the receipt, the captive's status and next steps."""
        (page,) = self.receipt(work, entry, outcome.warnings)
        number = outcome.subjects[0].id
        status = queries.read_statuses(work.tx, work.campaign.id, [number], work.moment).get(number)
        steps = captive_buttons(status, work.campaign, work.person) if status else ()
        below = Controls(*steps, entries.take_back_button(work.campaign.id, entry.number))
        shown = [status_embed(status, footer=work.campaign.name)] if status else []
        return Answer([[*page, *shown]], below)


class Take(CaptiveAction):
    """A character is captured."""

    captive: options.CharacterName = option("The character who is captured")
    by: options.Name = option("The captor: a side, a unit or a character")
    at: options.UnitName = option("The base or ship where the captive is. Its traits count in rolls")

    summary = "Mark a character as captured."
    verb, title, may = "take", "Captured", "add captives"
    form = "{captive} was captured by {by} and is held at {at}"

    def apply(self, work: Work) -> Outcome:
        """Refuse the dead, captives, units, and characters as places."""
        who, captor = work.subject(self.captive, "captive"), work.subject(self.by, "captor")
        place = work.subject(self.at, "place")
        kept = state.get_values_named(
            work.tx, work.campaign.id, {who.key, captor.key, place.key}, {PROFILE, CAPTIVE, FATE, CRACKED}
        )
        saved = profiles.profile_of(kept, who)
        if saved is not None and not saved.is_character:
            raise BadInput(f"{who.name} is saved as a {saved.kind}.", "Name a character: only they can be captured.")
        _require_place(kept, who, place)
        _require_free(work, kept, who)
        _require_alive(work, kept, captor)
        if captor == who:
            raise BadInput(f"{who.name} can't capture {who.name}.", "Name the captor: a side, unit or character.")
        new = Captivity(by=captor.id, at=place.id, since=work.time, entry=work.number)
        return Outcome(
            {"captive": who.name, "by": captor.name, "at": place.name},
            _changes(who.key, kept, begin_captivity(who.name, new)),
            (who, captor, place),
            warnings=warn_unsaved(work.tx, work.viewer, who.name, captor.name, place.name),
        )


class Move(CaptiveAction):
    """A captive moves to a picked place (`at`), or one typed `elsewhere`; `seen` is the captivity's entry as shown."""

    captive: str
    at: str
    elsewhere: str = ""
    seen: int | None = None

    verb, title, may = "move", "Captive moved", "move captives"
    form = "{captive} was moved from {from} to {at}"

    def apply(self, work: Work) -> Outcome:
        """Refuse characters as places, and the same place."""
        who = _find_captive(work, self.captive, self.seen)
        place = work.subject(self.elsewhere.strip() or self.at, "place")
        kept = state.get_values_named(work.tx, work.campaign.id, {who.key, place.key}, {PROFILE, CAPTIVE})
        before: Captivity = kept[who.key, CAPTIVE]
        (held_at,) = _list_subjects(work, before["at"])
        _require_place(kept, who, place)
        if place.id == held_at.id:
            raise BadInput(f"{who.name} is already held at {held_at.name}.", "Name another place.")
        after = {**before, "at": place.id, "moved": work.time, "entry": work.number}
        return Outcome(
            {"captive": who.name, "from": held_at.name, "at": place.name},
            [records.Change(who.key, CAPTIVE, before, after)],
            (who, held_at, place),
            warnings=warn_unsaved(work.tx, work.viewer, place.name),
        )


class Release(CaptiveAction):
    """A captive is released; `seen` as for `Move`."""

    captive: str
    note: str = ""
    seen: int | None = None

    verb, title, may = "release", "Captive released", "release captives"
    form = "{captive} was released by {by}"

    @classmethod
    def sentence(cls, body: ledger.Body) -> str:
        """Return the entry in one line."""
        return super().sentence(body) + place_after(body["by"], body["at"])

    def apply(self, work: Work) -> Outcome:
        """End the captivity."""
        note, who = parsing.parse_text(self.note, "note"), _find_captive(work, self.captive, self.seen)
        kept = state.get_values_named(work.tx, work.campaign.id, {who.key}, {CAPTIVE, FATE, CRACKED})
        before: Captivity = kept[who.key, CAPTIVE]
        captor, place = _list_subjects(work, before["by"], before["at"])
        ended = end_captivity(who.name, "released", work.number)
        return Outcome(
            {"captive": who.name, "by": captor.name, "at": place.name},
            _changes(who.key, kept, ended),
            (who, captor, place),
            {"note": note} if note else {},
        )


class Declare(CaptiveAction):
    """An escape in old entries, now an order."""

    verb, title = "declare", "Escape ordered"
    form = "{captive} tries to escape"


def _find_captive(work: Work, typed: str, seen: int | None) -> Subject:
    (status,) = queries.find_captives(work.tx, work.viewer, parsing.names(typed, "captive", 1))
    queries.require_held(work.tx, work.person, work.campaign, status.id, seen)
    return Subject(status.id, status.name)


def _list_subjects(work: Work, *numbers: int) -> list[Subject]:
    names = subjects.name_subjects(work.tx, work.campaign.id, numbers)
    return [Subject(number, names[number]) for number in numbers]


def _changes(subject: str, kept: state.State, made: Iterable[effects.Change]) -> list[records.Change]:
    return [records.Change(subject, name, kept.get((subject, name)), value) for _, name, value in made]


def _require_place(kept: state.State, who: Subject, place: Subject) -> None:
    saved = profiles.profile_of(kept, place)
    if place.id == who.id or (saved is not None and saved.is_character):
        what = f"{place.name} is a character, not a place."
        raise BadInput(what, "Name the base or ship where the captive is held.")


def _require_alive(work: Work, kept: state.State, who: Subject) -> None:
    fate = kept.get((who.key, FATE))
    if fate is not None and is_dead(fate):
        rolls.refuse_dead(work.tx, work.viewer, who, fate)


def _require_free(work: Work, kept: state.State, who: Subject) -> None:
    if (who.key, CAPTIVE) in kept:
        held = queries.read_statuses(work.tx, work.campaign.id, [who.id], work.moment)[who.id].captivity
        by = f", held by {held.by.name} at {held.at.name} (entry #{held.entry})" if held else ""
        raise BadInput(f"{who.name} is already a captive{by}.", "Move or release them with /captives.")
    _require_alive(work, kept, who)


def _require_seen(tx: Connection, person: Person, campaign: Campaign, subject: int, newest: int) -> CaptiveStatus:
    require_game_master(person, campaign, "manage captives")
    return queries.require_held(tx, person, campaign, subject, newest)


def _move_window(tx: Connection, person: Person, campaign: Campaign, **seen: int) -> Window:
    status = _require_seen(tx, person, campaign, **seen)
    action = Move(captive=label_subject(status), at="", seen=seen["newest"])
    hint, now = "A base or ship", status.captivity.at.id if status.captivity else 0
    found = visibility.suggest_names(tx, person, campaign, "", partial(_holds_captives, now), bool, BASES)
    if not found:
        field = reply.text_field("at", "Where to", placeholder=hint, limit=MAX_NAME)
        return Window(f"Move {status.name}", action, [field])
    places = [discord.SelectOption(label=name) for name in found]
    select: ui.Select[ui.Modal] = ui.Select(custom_id="at", options=places, required=False)
    typed = reply.text_field("elsewhere", "Or another place", placeholder=hint, limit=MAX_NAME, needed=False)
    return Window(f"Move {status.name}", action, [ui.Label(text="Where to", component=select), typed])


def _holds_captives(but: int, _viewer: visibility.Viewer, item: profiles.Profile) -> bool:
    return item.kind in {*BASES, "ship", "fleet"} and item.id != but


def _release_window(tx: Connection, person: Person, campaign: Campaign, **seen: int) -> Window:
    status = _require_seen(tx, person, campaign, **seen)
    hint = "Only game masters see this"
    field = reply.text_field("note", "How it happened", placeholder=hint, limit=MAX_TEXT, needed=False)
    return Window(f"Release {status.name}", Release(captive=label_subject(status), seen=seen["newest"]), [field])


ask_place, move = make_window(MOVE, _move_window)
ask_note, release = make_window(RELEASE, _release_window)


CAPTIVE_CHANGED = entry_kind("staff", Take, Move, Release, Declare)
ESCAPE_DECLARED = replace(CAPTIVE_CHANGED, name="escape", audience="maker")
"""Escapes declared before orders existed; even older ones are of kind `captive`."""
