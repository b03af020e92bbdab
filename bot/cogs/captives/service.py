"""What game masters enter about captives: taken, moved, released."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Concatenate, ParamSpec

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.captives.bodies import CaptureBody, MoveBody, ReleaseBody
from bot.cogs.captives.deaths import refuse_dead
from bot.cogs.captives.queries import CaptiveStatus, captured, held_still, statuses
from bot.core import state, subjects
from bot.core.campaigns import Campaign, open_campaign
from bot.core.ledger import EntryDraft, next_number
from bot.core.name_warnings import unsaved
from bot.core.permissions import Person, now_of, require_game_master
from bot.core.profiles import profile
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.subjects import Subject
from bot.core.visibility import Viewer, subjects_for, viewer_of
from bot.errors import BadInput
from bot.outbox.store import Post
from bot.rolls import news
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from rules import effects
from rules.books.campaign.captivity import (
    CAPTIVE,
    CRACKED,
    FATE,
    Captivity,
    begin_captivity,
    end_captivity,
    is_dead,
)
from rules.subjects import PROFILE

CAPTIVE_ENTRY = "captive"
P = ParamSpec("P")


class CaptiveChange(Struct, frozen=True):
    """What was entered about a captive, how things stand now, None when nothing is left to tell, and what may be slips."""

    campaign: Campaign
    entry: Entry
    status: CaptiveStatus | None
    name_warnings: tuple[str, ...] = ()
    posts: tuple[Post, ...] = ()


CaptiveTransaction = Callable[Concatenate[Connection, Resolver, Person, int, P], CaptiveChange]
"""Enter something about a captive of a campaign (id), on behalf of a person."""


def take(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, captive: str, by: str, at: str
) -> CaptiveChange:
    """Enter that somebody is held captive from now on: by whom and where."""
    typed = [_name(captive, "captive"), _name(by, "captor"), _name(at, "place")]
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "add captives")
    viewer = viewer_of(tx, person, campaign)
    people = subjects_for(tx, viewer)
    who, captor, place = (people.of(name) for name in typed)
    kept = state.named(tx, campaign.id, {who.key, captor.key, place.key}, {PROFILE, CAPTIVE, FATE, CRACKED})
    _require_person(kept, who)
    _require_place(kept, who, place)
    _require_free(tx, viewer, kept, who)
    _require_able(tx, viewer, kept, captor)
    if captor == who:
        raise BadInput(f"{who.name} can't capture {who.name}.", "Name the captor: a side, unit or character.")
    since, number = resolver.ledger.now().isoformat(), next_number(tx, campaign)
    captivity = Captivity(by=captor.id, at=place.id, since=since, entry=number)
    body = CaptureBody(deed="take", captive=who.name, by=captor.name, at=place.name)
    changes = (*people.changes, *_changes(who.key, kept, begin_captivity(who.name, captivity)))
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, changes, subjects=(who, captor, place))
    warnings = unsaved(tx, viewer, who.name, captor.name, place.name)
    return _enter(tx, resolver, person, campaign, draft, who.id, warnings)


def move(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    captive: str,
    at: str,
    seen: int | None = None,
) -> CaptiveChange:
    """Enter that a captive is held somewhere else from now on."""
    typed, to = _name(captive, "captive"), _name(at, "place")
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "move captives")
    viewer = viewer_of(tx, person, campaign)
    (status,) = captured(tx, viewer, [typed])
    held_still(tx, person, campaign, status.id, seen)
    people = subjects_for(tx, viewer)
    who, place = Subject(status.id, status.name), people.of(to)
    kept = state.named(tx, campaign.id, {who.key, place.key}, {PROFILE, CAPTIVE})
    before: Captivity = kept[who.key, CAPTIVE]
    held_at = Subject(before["at"], subjects.names(tx, campaign.id, [before["at"]])[before["at"]])
    _require_place(kept, who, place)
    if place.id == held_at.id:
        raise BadInput(f"{who.name} is already held at {held_at.name}.", "Name another place.")
    after = {**before, "at": place.id, "moved": resolver.ledger.now().isoformat(), "entry": next_number(tx, campaign)}
    body: MoveBody = {"deed": "move", "captive": who.name, "from": held_at.name, "at": place.name}
    changes = (*people.changes, Change(who.key, CAPTIVE, before, after))
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, changes, subjects=(who, held_at, place))
    return _enter(tx, resolver, person, campaign, draft, who.id, unsaved(tx, viewer, place.name))


def release(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    captive: str,
    note: str | None,
    seen: int | None = None,
) -> CaptiveChange:
    """Enter that a captive is let go."""
    typed, text = _name(captive, "captive"), parsing.text(note, "note")
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "release captives")
    (status,) = captured(tx, viewer_of(tx, person, campaign), [typed])
    held_still(tx, person, campaign, status.id, seen)
    who = Subject(status.id, status.name)
    kept = state.named(tx, campaign.id, {who.key}, {CAPTIVE, FATE, CRACKED})
    before: Captivity = kept[who.key, CAPTIVE]
    names = subjects.names(tx, campaign.id, {before["by"], before["at"]})
    ended = end_captivity(who.name, "released", next_number(tx, campaign))
    body = ReleaseBody(deed="release", captive=who.name, by=names[before["by"]], at=names[before["at"]])
    texts = {"note": text} if text else {}
    others = [Subject(number, name) for number, name in names.items()]
    changes = _changes(who.key, kept, ended)
    draft = EntryDraft(CAPTIVE_ENTRY, "staff", body, changes, texts, subjects=(who, *others))
    return _enter(tx, resolver, person, campaign, draft, who.id)


def _enter(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign: Campaign,
    draft: EntryDraft,
    captive: int,
    name_warnings: tuple[str, ...] = (),
) -> CaptiveChange:
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    status = statuses(tx, campaign.id, [captive], now_of(tx, person, campaign)).get(captive)
    pings = news.owners(tx, campaign, entry, resolver.extension.concerns)
    posts = resolver.outbox.queue(tx, campaign.id, None, news.news_of(campaign, entry, pings))
    return CaptiveChange(campaign, entry, status, name_warnings, tuple(posts))


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
        raise BadInput(what, "Name a character: only they can be captured.")


def _require_place(kept: State, who: Subject, place: Subject) -> None:
    saved = profile(kept, place)
    if place.id == who.id or (saved is not None and saved.is_character):
        what = f"{place.name} is a character, not a place."
        raise BadInput(what, "Name the base or ship where the captive is held.")


def _require_able(tx: Connection, viewer: Viewer, kept: State, who: Subject) -> None:
    """Refuse the dead."""
    fate = kept.get((who.key, FATE))
    if fate is not None and is_dead(fate):
        refuse_dead(tx, viewer, who, fate)


def _require_free(tx: Connection, viewer: Viewer, kept: State, who: Subject) -> None:
    """Refuse to take somebody who is held already or is dead."""
    if (who.key, CAPTIVE) in kept:
        captivity = statuses(tx, viewer.campaign.id, [who.id], now_of(tx, viewer.person, viewer.campaign))[
            who.id
        ].captivity
        held = f", held by {captivity.by.name} at {captivity.at.name} (entry #{captivity.entry})" if captivity else ""
        do = "Use /captive move or /captive release."
        raise BadInput(f"{who.name} is already a captive{held}.", do)
    _require_able(tx, viewer, kept, who)
