"""What is tried on captives and by captives: whom an interrogation or escape is rolled for, and escapes declared by players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.cogs.captives.embed import Status, declared_pages
from bot.cogs.captives.queries import ESCAPE, INTERROGATION, captured, declared, regions
from bot.core import state
from bot.core.campaigns import Campaign, current_update, open_campaign
from bot.core.database import Database
from bot.core.entry_kinds import EntryView
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.permissions import Person, require_game_master, require_roller
from bot.core.records import Change
from bot.core.subjects import unit
from bot.core.visibility import require_own
from bot.errors import BadInput, NotAllowed, NotOpen
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.rolls.card.service import open_card
from bot.rolls.card.view import CardView
from bot.rolls.request import MAX_PARTS, PartRequest, RollRequest
from bot.rolls.resolver import Resolver, Rolled
from bot.ui import parsing
from rules.books.campaign.captivity import DECLARED

BOOK = "campaign"
MAX_CAPTIVES = MAX_INTERROGATORS = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """Whom a roll is made for, and the region where it happens, None where none is saved."""

    parts: tuple[PartRequest, ...]
    region: str | None


class Attempts:
    """Prepares rolls about captives."""

    def __init__(self, database: Database, resolver: Resolver, outbox: Outbox, ledger: Ledger) -> None:
        self._database = database
        self._resolver = resolver
        self._outbox = outbox
        self._ledger = ledger

    async def interrogation(self, person: Person, campaign: Campaign, captive: str, interrogators: str) -> Plan:
        """One captive, however many interrogate, where the captive is held.

        Raises:
            NotAllowed: the person may not roll this.
            BadInput: a name cannot be used, or that one is no captive.

        """
        who = parsing.names(captive, "captive", 1)
        by = parsing.names(interrogators, "interrogator", MAX_INTERROGATORS)
        parsing.refuse_both(who, by)

        def work(tx: Connection) -> Plan:
            require_roller(person, campaign, INTERROGATION)
            found = captured(tx, campaign.id, who)
            return _plan(tx, campaign, found, interrogator=", ".join(by))

        return await self._database.read(work)

    async def escape(self, person: Person, campaign: Campaign, captives: str | None) -> Plan:
        """Captives who try to escape together: a game master's choice, a player's own, or None for all declared ones.

        Raises:
            NotAllowed: the person may not roll this, or not for one of them.
            BadInput: a name cannot be used, one of them is no captive, or they are held in several regions.
            NotOpen: none is declared.

        """
        named = parsing.names(captives, "captive", MAX_CAPTIVES) if captives is not None else None

        def work(tx: Connection) -> Plan:
            require_roller(person, campaign, ESCAPE)
            names = named or [item.name for item in _waiting(tx, campaign)]
            require_own(tx, campaign, person, names)
            return _plan(tx, campaign, captured(tx, campaign.id, names))

        return await self._database.read(work)

    async def declare(self, person: Person, campaign_id: int, captives: str, note: str | None) -> Rolled:
        """Enter that a player's own captives mean to escape in this update; a note for the staff is the caller's to send.

        Raises:
            NotAllowed: the person takes no part, or one of them is not the person's own.
            BadInput: a name or the note cannot be used, or one is no captive or has declared it already.
            NotOpen: the campaign is archived.

        """
        names, text = parsing.names(captives, "captive", MAX_CAPTIVES), parsing.text(note, "note")

        def work(tx: Connection) -> Rolled:
            campaign = open_campaign(tx, campaign_id)
            _require_player(person, campaign)
            require_own(tx, campaign, person, names)
            found = captured(tx, campaign.id, names)
            _require_undeclared(found)
            return self._declare(tx, campaign, person, found, {"note": text} if text else {})

        return await self._database.write(work)

    async def open_declared(self, person: Person, campaign_id: int, note: str | None = None) -> list[CardView]:
        """Open a card for all escapes that are declared in this update; one for each region, since a roll has one weather.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: none is declared, or the campaign is archived.
            BadInput: the note is too long.

        """
        text = parsing.text(note, "note")

        def work(tx: Connection) -> list[CardView]:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "roll declared escapes")
            found = _waiting(tx, campaign)
            requests = [
                RollRequest(
                    book=BOOK, family=ESCAPE, parts=_parts(group[at : at + MAX_PARTS]), region=region, note=text
                )
                for region, group in regions(tx, campaign.id, found).items()
                for at in range(0, len(group), MAX_PARTS)
            ]
            return [open_card(tx, self._resolver, person, campaign.id, request) for request in requests]

        return await self._database.write(work)

    def _declare(
        self, tx: Connection, campaign: Campaign, person: Person, found: Sequence[Status], texts: dict[str, str]
    ) -> Rolled:
        update = current_update(tx, campaign.id)["number"]
        number = next_number(tx, campaign)
        before = state.named(tx, campaign.id, {unit(item.name) for item in found}, {DECLARED})
        changes = tuple(
            Change(*key, before.get(key), {"entry": number, "update": update, "name": item.name})
            for item in found
            for key in [(unit(item.name), DECLARED)]
        )
        body = {"deed": "declare", "captive": ", ".join(item.name for item in found)}
        draft = EntryDraft("captive", "staff", body, changes, texts)
        entry = self._ledger.enter(tx, campaign, person.user_id, draft)
        pages = declared_pages(EntryView(entry, campaign.name), person.user_id, found)
        letters = [OutgoingMessage("notice", campaign.staff_channel_id, page, ESCAPE) for page in pages]
        return Rolled(campaign, entry, tuple(self._outbox.queue(tx, campaign.id, number, letters)))


def declares(person: Person, campaign: Campaign) -> bool:
    """Whether the person's escapes wait for a game master, because the campaign does not let players roll them."""
    return not person.leads(campaign) and ESCAPE not in campaign.players_may


def _waiting(tx: Connection, campaign: Campaign) -> list[Status]:
    """Whose escape is declared.

    Raises:
        NotOpen: nobody's.

    """
    found = declared(tx, campaign.id)
    if not found:
        raise NotOpen("No escape waits to be rolled.", "Name who tries: /escape captive:Amuro, Kai.")
    return found


def _plan(tx: Connection, campaign: Campaign, found: Sequence[Status], **others: str) -> Plan:
    """One part for each captive.

    Raises:
        BadInput: they are held in several regions, whose weather one roll cannot have.

    """
    grouped = regions(tx, campaign.id, found)
    if len(grouped) > 1:
        told = "; ".join(f"{region or 'no region'}: {_names(group)}" for region, group in grouped.items())
        raise BadInput(
            f"They are held in several regions, and one roll has one weather. {told}.", "Roll them region by region."
        )
    return Plan(_parts(found, **others), next(iter(grouped)))


def _parts(found: Sequence[Status], **others: str) -> tuple[PartRequest, ...]:
    return tuple(
        PartRequest(subjects={"captive": item.name, **others, "base": item.captivity["at"]})
        for item in found
        if item.captivity is not None
    )


def _names(found: Sequence[Status]) -> str:
    return ", ".join(item.name for item in found)


def _require_player(person: Person, campaign: Campaign) -> None:
    if not person.plays(campaign) and not person.leads(campaign):
        raise NotAllowed(f"You take no part in {campaign.name}.", "Ask a game master for the player role.")


def _require_undeclared(found: Sequence[Status]) -> None:
    for item in found:
        if item.declared is not None:
            told = f"The escape of {item.name} is declared already (entry #{item.declared})."
            raise BadInput(told, "A game master rolls it.")
