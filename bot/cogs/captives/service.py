"""What game masters enter about captives: taken, moved, released; the newest entry about one is taken back by another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Concatenate, NoReturn, ParamSpec, cast

from sqlalchemy import Connection

from bot.cogs.captives.bodies import CaptureBody, ChangeBody, MoveBody, ReleaseBody, VoidBody
from bot.cogs.captives.deaths import refuse_dead
from bot.cogs.captives.queries import CaptiveStatus, captured, find, newest_rolls, statuses
from bot.core import entries, state, subjects
from bot.core.campaigns import Campaign, on_server, open_campaign, require_open
from bot.core.ledger import SEALED_FIELDS, EntryDraft, Ledger, next_number
from bot.core.name_warnings import unsaved
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import profile
from bot.core.records import Change, Entry
from bot.core.state import VOIDED, State
from bot.core.subjects import Subject
from bot.core.visibility import subjects_for, viewer_of
from bot.errors import BadInput, NotOpen
from bot.ui import parsing
from rules import effects
from rules.books.campaign.captivity import (
    CAPTIVE,
    CRACKED,
    DECLARED,
    FATE,
    Captivity,
    begin_captivity,
    end_captivity,
    is_dead,
)
from rules.subjects import NAME, PROFILE, subject_number

CAPTIVE_ENTRY = "captive"
UNDOING = "take back what was entered about captives"
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class CaptiveChange:
    """What was entered about a captive, how things stand now, None when nothing is left to tell, and what may be slips."""

    campaign: Campaign
    entry: Entry
    status: CaptiveStatus | None
    name_warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undoable:
    """The newest entry about a captive."""

    campaign: Campaign
    captive: Subject
    entry: Entry


CaptiveTransaction = Callable[Concatenate[Connection, Ledger, Person, int, P], CaptiveChange]
"""Enter something about a captive of a campaign (id), on behalf of a person."""


def take(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, captive: str, by: str, at: str
) -> CaptiveChange:
    """Enter that somebody is held captive from now on: by whom and where.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        BadInput: a name cannot be used, what stands under it cannot be held or hold anybody, or that one is a captive
            already or dead.
        NotOpen: the campaign is archived.

    """
    typed = [_name(captive, "captive"), _name(by, "captor"), _name(at, "place")]
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "take captives")
    viewer = viewer_of(tx, person, campaign)
    people = subjects_for(tx, viewer)
    who, captor, place = (people.of(name) for name in typed)
    kept = state.named(tx, campaign.id, {who.key, captor.key, place.key}, {PROFILE, CAPTIVE, FATE, CRACKED})
    _require_person(kept, who)
    _require_place(kept, who, place)
    _require_free(tx, campaign, kept, who)
    _require_able(tx, campaign, kept, captor)
    if captor == who:
        raise BadInput(f"{who.name} cannot be held by {who.name}.", "Name the side or the unit that holds the captive.")
    since, number = ledger.now().isoformat(), next_number(tx, campaign)
    captivity = Captivity(by=captor.id, at=place.id, since=since, entry=number)
    body = CaptureBody(deed="take", captive=who.name, by=captor.name, at=place.name)
    changes = (*people.changes, *_changes(who.key, kept, begin_captivity(who.name, captivity)))
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, changes, subjects=(who, captor, place))
    warnings = unsaved(tx, viewer, who.name, captor.name, place.name)
    return _enter(tx, ledger, person, campaign, draft, who.id, warnings)


def move(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, captive: str, at: str) -> CaptiveChange:
    """Enter that a captive is held somewhere else from now on.

    Raises:
        NotAllowed, BadInput, NotOpen: as `take`, or that one is no captive or is held there already.

    """
    typed, to = _name(captive, "captive"), _name(at, "place")
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "move captives")
    viewer = viewer_of(tx, person, campaign)
    (status,) = captured(tx, viewer, [typed])
    people = subjects_for(tx, viewer)
    who, place = Subject(status.id, status.name), people.of(to)
    kept = state.named(tx, campaign.id, {who.key, place.key}, {PROFILE, CAPTIVE})
    before: Captivity = kept[who.key, CAPTIVE]
    held_at = Subject(before["at"], subjects.names(tx, campaign.id, [before["at"]])[before["at"]])
    _require_place(kept, who, place)
    if place.id == held_at.id:
        raise BadInput(f"{who.name} is held at {held_at.name} already.", "Name another place.")
    after = {**before, "at": place.id, "moved": ledger.now().isoformat(), "entry": next_number(tx, campaign)}
    body: MoveBody = {"deed": "move", "captive": who.name, "from": held_at.name, "at": place.name}
    changes = (*people.changes, Change(who.key, CAPTIVE, before, after))
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, changes, subjects=(who, held_at, place))
    return _enter(tx, ledger, person, campaign, draft, who.id, unsaved(tx, viewer, place.name))


def release(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, captive: str, note: str | None
) -> CaptiveChange:
    """Enter that a captive is let go.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        BadInput: the name or the note cannot be used, or that one is no captive.
        NotOpen: the campaign is archived.

    """
    typed, text = _name(captive, "captive"), parsing.text(note, "note")
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "release captives")
    (status,) = captured(tx, viewer_of(tx, person, campaign), [typed])
    who = Subject(status.id, status.name)
    kept = state.named(tx, campaign.id, {who.key}, {CAPTIVE, FATE, CRACKED, DECLARED})
    before: Captivity = kept[who.key, CAPTIVE]
    names = subjects.names(tx, campaign.id, {before["by"], before["at"]})
    ended = end_captivity(who.name, "released", next_number(tx, campaign))
    body = ReleaseBody(deed="release", captive=who.name, by=names[before["by"]], at=names[before["at"]])
    texts = {"note": text} if text else {}
    others = [Subject(number, name) for number, name in names.items()]
    changes = _changes(who.key, kept, ended)
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, changes, texts, subjects=(who, *others))
    return _enter(tx, ledger, person, campaign, draft, who.id)


def to_undo(tx: Connection, person: Person, campaign: Campaign, captive: str) -> Undoable:
    """Return the newest entry about a captive, which is what can be taken back.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        BadInput: the name cannot be used, there is nothing to take back, or a roll decided it.
        NotOpen: a roll came after it, it was changed since, or the campaign is archived.

    """
    typed = _name(captive, "captive")
    require_open(campaign)
    require_game_master(person, campaign, UNDOING)
    status = find(tx, viewer_of(tx, person, campaign), typed)
    if status is None:
        raise BadInput(f"Nothing is entered about {typed} as a captive.", "See /captive list for those there are.")
    who = Subject(status.id, status.name)
    entry = _undoable(tx, campaign, who, _newest(tx, campaign, who))
    return Undoable(campaign, who, entry)


def undo(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, captive: int, seen: int, reason: str | None
) -> CaptiveChange:
    """Void the newest entry about a captive, a subject by its number, if that is the one that was seen; it stays.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        BadInput: the reason cannot be used.
        NotOpen: it was taken back already, something was entered, rolled or changed since, or the campaign is archived.

    """
    on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, UNDOING)
    why = parsing.text(reason, "reason")
    if why is None:
        raise BadInput("That needs a reason.", "Write one: it is kept in the ledger.")
    who = _require_newest(tx, campaign, captive, seen)
    entry = _undoable(tx, campaign, who, seen)
    content = entry.content()
    changes = _made(entry)
    undone = cast("ChangeBody", {field: value for field, value in content.items() if field not in SEALED_FIELDS})
    inverse = [Change(item.subject, item.name, item.after, item.before) for item in changes]
    mark = Change(f"entry:{entry.number}", VOIDED, None, {"by": next_number(tx, campaign)})
    body = VoidBody(deed="void", entry=entry.number, captive=undone["captive"], undone=undone)
    draft = EntryDraft("void", "staff", body, (*inverse, mark), {"reason": why})
    return _enter(tx, ledger, person, campaign, draft, who.id)


def _enter(
    tx: Connection,
    ledger: Ledger,
    person: Person,
    campaign: Campaign,
    draft: EntryDraft,
    captive: int,
    name_warnings: tuple[str, ...] = (),
) -> CaptiveChange:
    entry = ledger.enter(tx, campaign, person.user_id, draft)
    status = statuses(tx, campaign.id, [captive]).get(captive)
    return CaptiveChange(campaign, entry, status, name_warnings)


def _name(typed: str, what: str) -> str:
    (name,) = parsing.names(typed, what, 1)
    return name


def _changes(subject: str, kept: State, made: Iterable[effects.Change]) -> tuple[Change, ...]:
    """Return the changes made to a captive, also where nothing was kept before: what an entry clears, it answers for."""
    return tuple(Change(subject, name, kept.get((subject, name)), value) for _, name, value in made)


def _require_person(kept: State, who: Subject) -> None:
    saved = profile(kept, who)
    if saved is not None and not saved.is_character:
        what = f"{who.name} is saved as a {saved.kind}."
        raise BadInput(what, "Only characters are taken captive: name one of them.")


def _require_place(kept: State, who: Subject, place: Subject) -> None:
    saved = profile(kept, place)
    if place.id == who.id or (saved is not None and saved.is_character):
        what = f"Nobody is held at {place.name}: that is a person."
        raise BadInput(what, "Name the base or ship that holds the captive.")


def _require_able(tx: Connection, campaign: Campaign, kept: State, who: Subject) -> None:
    """Refuse the dead."""
    fate = kept.get((who.key, FATE))
    if fate is not None and is_dead(fate):
        refuse_dead(tx, campaign, who, fate)


def _require_free(tx: Connection, campaign: Campaign, kept: State, who: Subject) -> None:
    """Refuse to take somebody who is held already or is dead."""
    if (who.key, CAPTIVE) in kept:
        captivity = statuses(tx, campaign.id, [who.id])[who.id].captivity
        held = f" held by {captivity.by.name} at {captivity.at.name} (entry #{captivity.entry})" if captivity else ""
        do = "Move the captive with /captive move, or let go with /captive release."
        raise BadInput(f"{who.name} is a captive already:{held}.", do)
    _require_able(tx, campaign, kept, who)


def _newest(tx: Connection, campaign: Campaign, who: Subject) -> int:
    """Return the number of the newest entry that stands about a captive: each value tells by which entry it was set."""
    kept = state.named(tx, campaign.id, {who.key}, {CAPTIVE, FATE, DECLARED})
    return max((int(value["entry"]) for value in kept.values()), default=0)


def _require_newest(tx: Connection, campaign: Campaign, captive: int, seen: int) -> Subject:
    """Return the captive of this number, if the newest entry about it is the one that was seen.

    Raises:
        NotOpen: it is not.

    """
    name = subjects.names(tx, campaign.id, [captive]).get(captive)
    if name is None:
        raise NotOpen("Nobody of that number is known.", "See /captive list for those there are.")
    who = Subject(captive, name)
    voided, newest = state.get(tx, campaign.id, f"entry:{seen}", VOIDED), _newest(tx, campaign, who)
    if voided is not None:
        raise NotOpen(f"Entry #{seen} is taken back already: entry #{voided['by']}.", "Nothing more was taken back.")
    if newest != seen:
        raise NotOpen(f"Entry #{newest} about {name} has come since.", "Nothing was taken back; see /captive show.")
    return who


def _made(entry: Entry) -> tuple[Change, ...]:
    """Return what an entry changed, apart from names."""
    return tuple(Change(**item) for item in entry.content()["changes"] if item["name"] != NAME)


def _undoable(tx: Connection, campaign: Campaign, who: Subject, number: int) -> Entry:
    """Return an entry about a captive that can be taken back.

    Raises:
        BadInput: it is a roll.
        NotOpen: something was rolled or changed since.

    """
    entry = entries.get(tx, campaign.id, number)
    if entry is None or entry.kind != CAPTIVE_ENTRY:
        raise BadInput(f"A roll decided what became of {who.name}: entry #{number}.", "A roll is not taken back here.")
    changes = _made(entry)
    _require_unchanged(tx, campaign, entry, changes)
    _require_unrolled(tx, campaign, entry, {item.subject for item in changes})
    return entry


def _require_unchanged(tx: Connection, campaign: Campaign, entry: Entry, changes: Sequence[Change]) -> None:
    kept = state.named(tx, campaign.id, {item.subject for item in changes}, {item.name for item in changes})
    later = next((item for item in changes if kept.get((item.subject, item.name)) != item.after), None)
    if later is not None:
        who = entry.names().get(subject_number(later.subject) or 0, entry.content()["captive"])
        since = (kept.get((later.subject, later.name)) or {}).get("entry")
        where = f" by entry #{since}" if since is not None else ""
        _refuse_undo(entry, f"what it set of {who} was changed since{where}")


def _require_unrolled(tx: Connection, campaign: Campaign, entry: Entry, subjects: Collection[str]) -> None:
    """Refuse to take back what a roll was made on: whoever was interrogated was held, and there."""
    newest = max(newest_rolls(tx, campaign.id, subjects), default=0)
    if newest > entry.number:
        _refuse_undo(entry, f"entry #{newest} was rolled on it")


def _refuse_undo(entry: Entry, why: str) -> NoReturn:
    do = "Put it right with /captive move or /captive release."
    raise NotOpen(f"Entry #{entry.number} cannot be taken back: {why}.", do)
