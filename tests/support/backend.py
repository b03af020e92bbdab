"""The bot below its panels, driven straight: a database, a campaign, the resolver and the services around it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa
from msgspec.structs import replace

from bot.actions import Action, Done, perform
from bot.app import FEATURES
from bot.cogs.campaign import service as campaign_service
from bot.cogs.campaign.settings import CampaignSettings
from bot.cogs.ledger import publishing
from bot.cogs.update import service as update_service
from bot.cogs.update.service import ClosedUpdate, SeenUpdate
from bot.core import campaigns, entries, state
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.migrate import upgrade
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.core.schema import post
from bot.core.state import State
from bot.kernel import Feature, Kernel
from bot.outbox.delivery import Outbox
from bot.outbox.queue import Post
from bot.rolls import amend, void
from bot.rolls.card import service
from bot.rolls.card.store import CardKey, CardView, Edit
from bot.rolls.request import PartRequest, RollRequest, To
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from bot.rolls.void import UndoResult, VoidOrder
from rules.library import Composer
from rules.ruleset import RuleSet
from tests.support import template
from tests.support.world import BOOKS, Clock, CountedRandomness, Faces

GUILD, GM_ROLE, PLAYER_ROLE = 2**60, 2**60 + 1, 2**60 + 2
RESULTS, STAFF = 2**60 + 3, 2**60 + 4
GM = Person(2**60 + 5, GUILD, frozenset({GM_ROLE}), manages_server=True)
PLAYER = Person(2**60 + 6, GUILD, frozenset({PLAYER_ROLE}), manages_server=False)
STRANGER = Person(2**60 + 7, GUILD, frozenset(), manages_server=True)


@dataclass
class House:
    """Everything below the panels, and a campaign named Iron Sea."""

    database: Database
    ledger: Ledger
    dice: Faces
    clock: Clock
    outbox: Outbox
    resolver: Resolver
    kernel: Kernel
    campaign: Campaign

    async def patrol(
        self, *targets: str, faces: tuple[int, ...], by: str = "Kilo", stance: str = "hostile"
    ) -> RollResult:
        """Roll a patrol with these faces."""
        return await self.roll(patrol(*targets, by=by, stance=stance), *faces)

    async def roll(self, request: RollRequest, *faces: int, who: Person = GM) -> RollResult:
        """Roll a request with these faces."""
        self.dice.script(*faces)
        return await self.roll_as_they_fall(request, who)

    async def roll_as_they_fall(self, request: RollRequest, who: Person = GM) -> RollResult:
        """Roll a request with the dice as they are."""
        typed = replace(request, staff=who.leads(self.campaign))
        return await self.database.write(self.resolver.roll, RollOrder(self.campaign.id, who.user_id, typed))

    async def act(self, action: Action, who: Person = GM) -> Done:
        """Carry an action out."""
        done = await self.database.write(perform, self.resolver, who, self.campaign.id, action)
        assert isinstance(done, Done)
        return done

    async def create(self, settings: CampaignSettings) -> Campaign:
        """Make another campaign."""
        return (await self.database.write(campaign_service.create, self.resolver, GM, settings))[0]

    async def edit(self, changes: Mapping[str, Any]) -> Campaign:
        """Change settings of the campaign."""
        return await self.database.write(campaign_service.edit, self.kernel, GM, self.campaign.id, changes)

    async def archive(self, *, archived: bool = True) -> Campaign:
        """Archive the campaign or take it back."""
        write = self.database.write
        changed, _ = await write(campaign_service.archive, self.ledger, GM, self.campaign.id, archived=archived)
        return changed

    async def close_update(self, name: str | None = None) -> ClosedUpdate:
        """Close the current update."""
        update = await self.database.read(campaigns.current_update, self.campaign.id)
        seen, write = SeenUpdate(update["number"], name or ""), self.database.write
        return await write(update_service.close_by_hand, self.resolver, FEATURES, GM, self.campaign.id, seen)

    async def publish(self, number: int) -> tuple[Post, ...]:
        """Publish an entry."""
        write = self.database.write
        return await write(publishing.publish, self.resolver, GM, self.campaign.id, number)

    async def take_back(self, number: int, reason: str = "A slip", who: Person = GM) -> UndoResult:
        """Take an entry back with all that goes with it, as somebody who has looked at what that is."""
        planned = await self.database.read(void.plan, self.resolver, who, self.campaign, number)
        order = VoidOrder(number, reason, planned.upto)
        return await self.database.write(void.undo, self.resolver, who, self.campaign.id, order)

    async def amend(self, number: int, *edits: Edit, who: Person = GM) -> RollResult:
        """Amend a roll with all that is taken back for it: its card is opened, changed and rolled."""
        write, by = self.database.write, (self.resolver, who)
        planned = await self.database.read(amend.plan, *by, self.campaign, number)
        order = VoidOrder(number, "A slip", planned.upto)
        view = await write(amend.open_again, *by, self.campaign.id, order)
        for edit in edits:
            view = await write(service.recast, *by, key_of(view), edit)
        made = await write(service.roll_or_amend, *by, key_of(view), amend.roll)
        assert isinstance(made, RollResult)
        return made

    async def entries(self) -> list[Entry]:
        """The whole ledger."""
        return await self.database.read(lambda tx: list(entries.walk_entries(tx, self.campaign.id)))

    async def state(self) -> State:
        """The whole state."""
        return await self.database.read(lambda tx: state.get_whole(tx, self.campaign.id))

    async def count(self, table: sa.Table) -> int:
        """How many rows a table has."""
        counted = sa.select(sa.func.count()).select_from(table)
        return await self.database.read(lambda tx: int(tx.scalar(counted) or 0))

    async def tamper(self, change: sa.UpdateBase) -> None:
        """Change the database behind the bot's back."""
        await self.database.write(lambda tx: tx.execute(change))


def key_of(view: CardView) -> CardKey:
    """Which card a view shows, as it stands."""
    return CardKey(view.campaign.id, view.card.id, view.card.revision)


def patrol(*targets: str, by: str = "Kilo", stance: str = "hostile", reason: str | None = None) -> RollRequest:
    """A patrol as it is asked for."""
    parts = tuple(PartRequest(subjects={"patrol": by, "target": name}, choices={"stance": stance}) for name in targets)
    return RollRequest(book="campaign", family="patrol", parts=parts, reason=reason)


def scouting(base: str, *scouters: str, to: To = "auto", note: str | None = None) -> RollRequest:
    """A scouting as it is asked for."""
    parts = tuple(PartRequest(subjects={"scouter": name, "base": base}) for name in scouters)
    return RollRequest(book="campaign", family="scouting", parts=parts, to=to, note=note)


@asynccontextmanager
async def opened(
    url: str,
    randomness: Callable[[int], bytes] | None = None,
    books: Mapping[str, RuleSet] = BOOKS,
    more: Sequence[Feature] = (),
    *,
    seeded: bool = False,
) -> AsyncIterator[House]:
    """A house on an empty database, which is migrated first; where it is `seeded`, faces follow from seeds, and its audit thread waits to be posted.

    On an empty SQLite file it is a copy of the first such house of this process, unless its randomness, books or features are unusual.
    """
    database, dice, clock = Database(url), Faces(), Clock()
    numbers, kept = CountedRandomness(), None
    file = template.find_empty(url) if randomness is None and books is BOOKS and not more else None
    if file is not None:
        kept = _make(seeded=seeded)
        file.write_bytes(kept.content)
        numbers.skip(kept.drawn)
    ledger, scripted, features = Ledger(clock, randomness or numbers), None if seeded else dice, (*FEATURES, *more)
    kernel = Kernel.build(features, database=database, ledger=ledger, books=books, composer=Composer(), dice=scripted)
    try:
        campaign = kept.campaign if kept else await _create(kernel, seeded=seeded)
        yield House(database, ledger, dice, clock, kernel.outbox, kernel.resolver, kernel, campaign)
    finally:
        await database.close()


async def _create(kernel: Kernel, *, seeded: bool) -> Campaign:
    await upgrade(kernel.database)
    settings = CampaignSettings("Iron Sea", "campaign", "Europe/Berlin", RESULTS, STAFF, GM_ROLE, PLAYER_ROLE)
    campaign, _ = await kernel.database.write(campaign_service.create, kernel.resolver, GM, settings)
    if not seeded:
        await kernel.database.write(lambda tx: tx.execute(post.delete()))  # how its audit thread begins
    return campaign


@dataclass(frozen=True)
class _Kept:
    """What the first house has left."""

    content: bytes
    campaign: Campaign
    drawn: int


@cache
def _make(*, seeded: bool) -> _Kept:
    randomness = CountedRandomness()

    async def make(url: str) -> Campaign:
        async with opened(url, randomness, seeded=seeded) as house:
            return house.campaign

    campaign, content = template.run_apart(make)
    return _Kept(content, campaign, randomness.drawn)
