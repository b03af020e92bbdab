"""Captives: taken, moved, released, shown; the newest entry about one is taken back by another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from bot.cogs.captives.embed import Status
from bot.cogs.captives.queries import captured, everyone, rolled, statuses
from bot.core import entries, state
from bot.core.campaigns import Campaign, open_campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.name_warnings import unsaved
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import Profile, not_captive, profile
from bot.core.records import Change, Entry
from bot.core.state import VOIDED, State
from bot.core.subjects import names_of, subject_key, unit
from bot.core.visibility import owned, require_own, viewer_of
from bot.errors import BadInput, NotOpen
from bot.ui import parsing
from rules.books.campaign.captivity import CAPTIVE, CRACKED, DECLARED, FATE, end_captivity
from rules.effects import PROFILE

CAPTIVE_ENTRY = "captive"


@dataclass(frozen=True, slots=True)
class Done:
    """What was entered about a captive, how things stand now, None when nothing is left to tell, and what may be slips."""

    campaign: Campaign
    entry: Entry
    status: Status | None
    hints: tuple[str, ...] = ()


class Captives:
    """Shows and changes who is held captive."""

    def __init__(self, database: Database, ledger: Ledger) -> None:
        self._database = database
        self._ledger = ledger

    async def take(self, person: Person, campaign_id: int, captive: str, by: str, at: str) -> Done:
        """Enter that somebody is held captive from now on: by whom and where.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: a name cannot be used, what stands under it cannot be held or hold anybody, or that one is a captive
                already or dead.
            NotOpen: the campaign is archived.

        """
        asked = [_name(captive, "captive"), _name(by, "captor"), _name(at, "place")]

        def work(tx: Connection) -> Done:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "take captives")
            held = state.named(tx, campaign.id, {unit(name) for name in asked}, {PROFILE, CAPTIVE, FATE, CRACKED})
            name, captor, place = (_called(held, name) for name in asked)
            _require_person(held, name)
            _require_place(held, name, place)
            _require_free(held, name)
            if subject_key(captor) == subject_key(name):
                raise BadInput(f"{name} cannot be held by {name}.", "Name the side or the unit that holds the captive.")
            since, number = self._ledger.now().isoformat(), next_number(tx, campaign)
            captivity = {"name": name, "by": captor, "at": place, "since": since, "entry": number}
            made = {(unit(name), CAPTIVE): captivity, (unit(name), FATE): None, (unit(name), CRACKED): None}
            body = {"deed": "take", "captive": name, "by": captor, "at": place}
            done = self._enter(tx, campaign, person, body, _changes(held, made))
            return replace(done, hints=unsaved(tx, viewer_of(tx, person, campaign), name, captor, place))

        return await self._database.write(work)

    async def move(self, person: Person, campaign_id: int, captive: str, at: str) -> Done:
        """Enter that a captive is held somewhere else from now on.

        Raises:
            NotAllowed, BadInput, NotOpen: as `take`, or that one is no captive or is held there already.

        """
        asked, to = _name(captive, "captive"), _name(at, "place")

        def work(tx: Connection) -> Done:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "move captives")
            (status,) = captured(tx, campaign.id, [asked])
            before: dict[str, Any] = dict(status.captivity or {})
            held = state.named(tx, campaign.id, {unit(to)}, {PROFILE})
            place = _called(held, to)
            _require_place(held, status.name, place)
            if unit(place) == unit(before["at"]):
                raise BadInput(f"{status.name} is held at {before['at']} already.", "Name another place.")
            after = {**before, "at": place, "moved": self._ledger.now().isoformat(), "entry": next_number(tx, campaign)}
            body = {"deed": "move", "captive": status.name, "from": before["at"], "at": place}
            done = self._enter(tx, campaign, person, body, (Change(unit(asked), CAPTIVE, before, after),))
            return replace(done, hints=unsaved(tx, viewer_of(tx, person, campaign), place))

        return await self._database.write(work)

    async def release(self, person: Person, campaign_id: int, captive: str, note: str | None) -> Done:
        """Enter that a captive is let go.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: the name or the note cannot be used, or that one is no captive.
            NotOpen: the campaign is archived.

        """
        asked, text = _name(captive, "captive"), parsing.text(note, "note")

        def work(tx: Connection) -> Done:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "release captives")
            (status,) = captured(tx, campaign.id, [asked])
            held = state.named(tx, campaign.id, {unit(asked)}, {CAPTIVE, FATE, CRACKED, DECLARED})
            ended = end_captivity(status.name, "released", next_number(tx, campaign))
            made = {(unit(asked), name): value for _, name, value in ended}
            before = held[unit(asked), CAPTIVE]
            body = {"deed": "release", "captive": status.name, "by": before["by"], "at": before["at"]}
            return self._enter(tx, campaign, person, body, _changes(held, made), {"note": text} if text else {})

        return await self._database.write(work)

    async def undo(self, person: Person, campaign_id: int, captive: str, reason: str) -> Done:
        """Void the newest entry about a captive, if nothing has been rolled on it or changed since; the entry stays.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: the name or the reason cannot be used, there is nothing to take back, or a roll decided it.
            NotOpen: a roll came after it, it was changed since, or the campaign is archived.

        """
        asked, why = _name(captive, "captive"), parsing.text(reason, "reason")
        if why is None:
            raise BadInput("That needs a reason.", "Write one: it is kept in the ledger.")

        def work(tx: Connection) -> Done:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "take back what was entered about captives")
            entry = _newest(tx, campaign, asked)
            undone = entry.content()
            changes = tuple(Change(**item) for item in undone.pop("changes"))
            _require_unchanged(tx, campaign, entry, changes)
            _require_unrolled(tx, campaign, entry, {item.subject for item in changes})
            inverse = [Change(item.subject, item.name, item.after, item.before) for item in changes]
            mark = Change(f"entry:{entry.number}", VOIDED, None, {"by": next_number(tx, campaign)})
            told = {name: value for name, value in undone.items() if name != "texts"}
            body = {"deed": "void", "entry": entry.number, "captive": undone["captive"], "undone": told}
            return self._enter(tx, campaign, person, body, (*inverse, mark), {"reason": why}, about=asked)

        return await self._database.write(work)

    async def everyone(self, person: Person, campaign: Campaign) -> list[Status]:
        """All captives, and all who were.

        Raises:
            NotAllowed: the person is no game master of the campaign.

        """
        require_game_master(person, campaign, "see all captives")
        return list((await self._database.read(lambda tx: everyone(tx, campaign.id))).values())

    async def show(self, person: Person, campaign: Campaign, captive: str) -> Status:
        """How things stand with one who is or was a captive.

        Raises:
            NotAllowed: the person is no game master, and the character is not the person's own.
            BadInput: the name cannot be used, or that one never was a captive.

        """
        asked = _name(captive, "captive")

        def work(tx: Connection) -> Status:
            require_own(tx, campaign, person, [asked])
            status = statuses(tx, campaign.id, [unit(asked)]).get(unit(asked))
            if status is None:
                raise BadInput(*not_captive(asked))
            return status

        return await self._database.read(work)

    async def known(self, person: Person, campaign: Campaign) -> list[Status]:
        """The captives that the person may know of: game masters of all, players of their own."""

        def work(tx: Connection) -> list[Status]:
            found = {subject: status for subject, status in everyone(tx, campaign.id).items() if status.captivity}
            if not person.leads(campaign):
                mine = owned(tx, campaign, person, found)
                found = {subject: status for subject, status in found.items() if subject in mine}
            return list(found.values())

        return await self._database.read(work)

    def _enter(
        self,
        tx: Connection,
        campaign: Campaign,
        person: Person,
        body: Mapping[str, Any],
        changes: tuple[Change, ...],
        texts: Mapping[str, str] | None = None,
        *,
        about: str | None = None,
    ) -> Done:
        kind = "void" if body["deed"] == "void" else CAPTIVE_ENTRY
        draft = EntryDraft(kind, "staff", body, changes, texts or {})
        entry = self._ledger.enter(tx, campaign, person.user_id, draft)
        subject = unit(about or body["captive"])
        return Done(campaign, entry, statuses(tx, campaign.id, [subject]).get(subject))


def _name(given: str, what: str) -> str:
    (name,) = parsing.names(given, what, 1)
    return name


def _called(held: State, name: str) -> str:
    """A name as it is saved, where it is."""
    saved = profile(held, name)
    return saved.name if saved else name


def _changes(held: State, made: Mapping[tuple[str, str], Any]) -> tuple[Change, ...]:
    """The changes that were made, also where nothing stood before: what an entry clears, it answers for."""
    return tuple(Change(*key, held.get(key), value) for key, value in made.items())


def _require_person(held: State, name: str) -> None:
    saved = profile(held, name)
    if saved is not None and not saved.is_character:
        raise BadInput(f"{name} is saved as a {saved.kind}.", "Only characters are taken captive: name one of them.")


def _require_place(held: State, name: str, place: str) -> None:
    saved: Profile | None = profile(held, place)
    if subject_key(place) == subject_key(name) or (saved is not None and saved.is_character):
        raise BadInput(f"Nobody is held at {place}: that is a person.", "Name the base or ship that holds the captive.")


def _require_free(held: State, name: str) -> None:
    """Refuse to take somebody who is held already or is dead."""
    captivity, fate = held.get((unit(name), CAPTIVE)), held.get((unit(name), FATE))
    if captivity is not None:
        told = f"{captivity['name']} is a captive already: held by {captivity['by']} at {captivity['at']} (entry #{captivity['entry']})."
        raise BadInput(told, "Move the captive with /captive move, or let go with /captive release.")
    if fate is not None and fate["fate"] == "killed":
        saved = profile(held, name)
        anew = "under a new name" if saved is None else "anew: /character remove, then /character add"
        raise BadInput(f"{name} is dead (entry #{fate['entry']}).", f"If that was a slip, enter {name} {anew}.")


def _newest(tx: Connection, campaign: Campaign, name: str) -> Entry:
    """The newest entry that stands about a captive: each value tells by which entry it was set."""
    held: Collection[Any] = state.named(tx, campaign.id, {unit(name)}, {CAPTIVE, FATE, DECLARED}).values()
    if not held:
        raise BadInput(f"Nothing is entered about {name} as a captive.", "See /captive list for those there are.")
    entry = entries.get(tx, campaign.id, max(value["entry"] for value in held))
    if entry is None or entry.kind != CAPTIVE_ENTRY:
        number = entry.number if entry else 0
        raise BadInput(f"A roll decided what became of {name}: entry #{number}.", "A roll is not taken back here.")
    return entry


def _require_unchanged(tx: Connection, campaign: Campaign, entry: Entry, changes: Collection[Change]) -> None:
    subjects, names = {item.subject for item in changes}, {item.name for item in changes}
    held = state.named(tx, campaign.id, subjects, names)
    later = [item for item in changes if held.get((item.subject, item.name)) != item.after]
    if later:
        who = next(name for name in names_of(entry.content()["captive"]) if unit(name) == later[0].subject)
        since = (held.get((later[0].subject, later[0].name)) or {}).get("entry")
        where = f" by entry #{since}" if since is not None else ""
        told = f"Entry #{entry.number} cannot be taken back: what it set of {who} was changed since{where}."
        raise NotOpen(told, "Put it right with /captive move or /captive release.")


def _require_unrolled(tx: Connection, campaign: Campaign, entry: Entry, subjects: Collection[str]) -> None:
    """Refuse to take back what a roll was made on: whoever was interrogated was held, and there."""
    newest = max(rolled(tx, campaign.id, subjects), default=0)
    if newest > entry.number:
        told = f"Entry #{entry.number} cannot be taken back: entry #{newest} was rolled on it."
        raise NotOpen(told, "Put it right with /captive move or /captive release.")
