"""What game masters enter about captives: taken, moved, released; the newest entry about one is taken back by another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Concatenate, NoReturn, ParamSpec, cast

from sqlalchemy import Connection

from bot.cogs.captives.bodies import CaptureBody, ChangeBody, MoveBody, ReleaseBody, VoidBody
from bot.cogs.captives.queries import CaptiveStatus, captured, newest_rolls, statuses
from bot.core import entries, state
from bot.core.campaigns import Campaign, open_campaign
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.name_warnings import unsaved
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import profile
from bot.core.records import Change, Entry
from bot.core.state import VOIDED, State
from bot.core.subjects import names_of, subject_key, unit
from bot.core.visibility import viewer_of
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
)
from rules.effects import PROFILE

CAPTIVE_ENTRY = "captive"
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class CaptiveChange:
    """What was entered about a captive, how things stand now, None when nothing is left to tell, and what may be slips."""

    campaign: Campaign
    entry: Entry
    status: CaptiveStatus | None
    name_warnings: tuple[str, ...] = ()


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
    kept = state.named(tx, campaign.id, {unit(name) for name in typed}, {PROFILE, CAPTIVE, FATE, CRACKED})
    name, captor, place = (_saved_name(kept, name) for name in typed)
    _require_person(kept, name)
    _require_place(kept, name, place)
    _require_free(kept, name)
    if subject_key(captor) == subject_key(name):
        raise BadInput(f"{name} cannot be held by {name}.", "Name the side or the unit that holds the captive.")
    since, number = ledger.now().isoformat(), next_number(tx, campaign)
    captivity = Captivity(name=name, by=captor, at=place, since=since, entry=number)
    body = CaptureBody(deed="take", captive=name, by=captor, at=place)
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, _changes(unit(name), kept, begin_captivity(captivity)))
    warnings = unsaved(tx, viewer_of(tx, person, campaign), name, captor, place)
    return _enter(tx, ledger, person, campaign, draft, name, warnings)


def move(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, captive: str, at: str) -> CaptiveChange:
    """Enter that a captive is held somewhere else from now on.

    Raises:
        NotAllowed, BadInput, NotOpen: as `take`, or that one is no captive or is held there already.

    """
    typed, to = _name(captive, "captive"), _name(at, "place")
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "move captives")
    (status,) = captured(tx, campaign.id, [typed])
    kept = state.named(tx, campaign.id, {unit(typed), unit(to)}, {PROFILE, CAPTIVE})
    before: Captivity = kept[unit(typed), CAPTIVE]
    place = _saved_name(kept, to)
    _require_place(kept, status.name, place)
    if unit(place) == unit(before["at"]):
        raise BadInput(f"{status.name} is held at {before['at']} already.", "Name another place.")
    after = {**before, "at": place, "moved": ledger.now().isoformat(), "entry": next_number(tx, campaign)}
    body: MoveBody = {"deed": "move", "captive": status.name, "from": before["at"], "at": place}
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, (Change(unit(typed), CAPTIVE, before, after),))
    warnings = unsaved(tx, viewer_of(tx, person, campaign), place)
    return _enter(tx, ledger, person, campaign, draft, status.name, warnings)


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
    (status,) = captured(tx, campaign.id, [typed])
    kept = state.named(tx, campaign.id, {unit(typed)}, {CAPTIVE, FATE, CRACKED, DECLARED})
    before: Captivity = kept[unit(typed), CAPTIVE]
    ended = end_captivity(status.name, "released", next_number(tx, campaign))
    body = ReleaseBody(deed="release", captive=status.name, by=before["by"], at=before["at"])
    texts = {"note": text} if text else {}
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, _changes(unit(typed), kept, ended), texts)
    return _enter(tx, ledger, person, campaign, draft, status.name)


def undo(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, captive: str, reason: str) -> CaptiveChange:
    """Void the newest entry about a captive, if nothing has been rolled on it or changed since; the entry stays.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        BadInput: the name or the reason cannot be used, there is nothing to take back, or a roll decided it.
        NotOpen: a roll came after it, it was changed since, or the campaign is archived.

    """
    typed, why = _name(captive, "captive"), parsing.text(reason, "reason")
    if why is None:
        raise BadInput("That needs a reason.", "Write one: it is kept in the ledger.")
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "take back what was entered about captives")
    entry = _newest_entry(tx, campaign, typed)
    content = entry.content()
    changes = tuple(Change(**item) for item in content.pop("changes"))
    del content["texts"]
    undone = cast("ChangeBody", content)
    _require_unchanged(tx, campaign, entry, changes)
    _require_unrolled(tx, campaign, entry, {item.subject for item in changes})
    inverse = [Change(item.subject, item.name, item.after, item.before) for item in changes]
    mark = Change(f"entry:{entry.number}", VOIDED, None, {"by": next_number(tx, campaign)})
    body = VoidBody(deed="void", entry=entry.number, captive=undone["captive"], undone=undone)
    draft = EntryDraft("void", "staff", body, (*inverse, mark), {"reason": why})
    return _enter(tx, ledger, person, campaign, draft, typed)


def _enter(
    tx: Connection,
    ledger: Ledger,
    person: Person,
    campaign: Campaign,
    draft: EntryDraft,
    captive: str,
    name_warnings: tuple[str, ...] = (),
) -> CaptiveChange:
    entry = ledger.enter(tx, campaign, person.user_id, draft)
    status = statuses(tx, campaign.id, [unit(captive)]).get(unit(captive))
    return CaptiveChange(campaign, entry, status, name_warnings)


def _name(typed: str, what: str) -> str:
    (name,) = parsing.names(typed, what, 1)
    return name


def _saved_name(kept: State, name: str) -> str:
    """Return a name as it is saved, where it is."""
    saved = profile(kept, name)
    return saved.name if saved else name


def _changes(subject: str, kept: State, made: Iterable[effects.Change]) -> tuple[Change, ...]:
    """Return the changes made to a captive, also where nothing was kept before: what an entry clears, it answers for."""
    return tuple(Change(subject, name, kept.get((subject, name)), value) for _, name, value in made)


def _require_person(kept: State, name: str) -> None:
    saved = profile(kept, name)
    if saved is not None and not saved.is_character:
        raise BadInput(f"{name} is saved as a {saved.kind}.", "Only characters are taken captive: name one of them.")


def _require_place(kept: State, name: str, place: str) -> None:
    saved = profile(kept, place)
    if subject_key(place) == subject_key(name) or (saved is not None and saved.is_character):
        raise BadInput(f"Nobody is held at {place}: that is a person.", "Name the base or ship that holds the captive.")


def _require_free(kept: State, name: str) -> None:
    """Refuse to take somebody who is held already or is dead."""
    captivity, fate = kept.get((unit(name), CAPTIVE)), kept.get((unit(name), FATE))
    if captivity is not None:
        held = f"held by {captivity['by']} at {captivity['at']} (entry #{captivity['entry']})"
        do = "Move the captive with /captive move, or let go with /captive release."
        raise BadInput(f"{captivity['name']} is a captive already: {held}.", do)
    if fate is not None and fate["fate"] == "killed":
        saved = profile(kept, name)
        anew = "under a new name" if saved is None else "anew: /character remove, then /character add"
        raise BadInput(f"{name} is dead (entry #{fate['entry']}).", f"If that was a slip, enter {name} {anew}.")


def _newest_entry(tx: Connection, campaign: Campaign, name: str) -> Entry:
    """Return the newest entry that stands about a captive: each value tells by which entry it was set."""
    kept = state.named(tx, campaign.id, {unit(name)}, {CAPTIVE, FATE, DECLARED})
    if not kept:
        raise BadInput(f"Nothing is entered about {name} as a captive.", "See /captive list for those there are.")
    entry = entries.get(tx, campaign.id, max(value["entry"] for value in kept.values()))
    if entry is None or entry.kind != CAPTIVE_ENTRY:
        number = entry.number if entry else 0
        raise BadInput(f"A roll decided what became of {name}: entry #{number}.", "A roll is not taken back here.")
    return entry


def _require_unchanged(tx: Connection, campaign: Campaign, entry: Entry, changes: Sequence[Change]) -> None:
    kept = state.named(tx, campaign.id, {item.subject for item in changes}, {item.name for item in changes})
    later = next((item for item in changes if kept.get((item.subject, item.name)) != item.after), None)
    if later is not None:
        who = next(name for name in names_of(entry.content()["captive"]) if unit(name) == later.subject)
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
