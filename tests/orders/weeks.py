"""Random weeks of players and game masters, below the panels, repeatable."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection

from bot.app import KINDS
from bot.core import audit, campaigns
from bot.core.errors import UserError
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.state import VOIDED
from bot.orders import arranging, digest, entries, forecast, giving, resolution, standing, task_rolls
from bot.orders.forecast import task_digits
from bot.orders.giving import AskedOrder
from bot.orders.kinds import OrderKey, TaskKey, UpdateKey, list_kinds
from bot.orders.resolution import Progress
from bot.orders.standing import StandingOrder
from bot.rolls.card import service as card_service
from bot.rolls.card.store import CardChanged, CardKey
from bot.rolls.request import MAX_PARTS
from bot.rolls.resolver import RollResult
from rules.errors import RulesError
from tests.cogs.captives.cells import find_pseudonym, save, take
from tests.cogs.ledger.deeds import AnyDice
from tests.cogs.roster.saving import edit
from tests.orders.fates import Fates, fate_of
from tests.support.backend import GM, GUILD, PLAYER_ROLE, House, opened

PLAYERS, SIDES, BASES, SECTORS = 12, ("EF", "Zeon", "Titans"), ("Luna", "Axis", "Fort Anvil"), ("Valley", "Hill")
CAPTIVES = 3
"""The latest captives that still matter."""

_TARGETS = {"place": SECTORS, "unit": BASES}
A_WEEK = 7
T = TypeVar("T")


class Weeks:
    """Twelve players in squads, now and then a captive, and each order's fate."""

    def __init__(self, house: House, draw: random.Random) -> None:
        self.house, self.draw, self.begun = house, draw, 0
        self.captives: list[tuple[str, Person]] = []
        self.cards: list[CardKey] = []
        self.done = Counter[str]()
        self.kinds = [item.kind for item in list_kinds([house.resolver.library.shipped["campaign"]])]
        self.fates = Fates(self.kinds)
        self.people = [
            Person(2**60 + 100 + number, GUILD, frozenset({PLAYER_ROLE}), manages_server=False)
            for number in range(PLAYERS)
        ]

    async def populate(self) -> None:
        """Save everyone, capture some, open all orders."""
        house = self.house
        house.dice._script = AnyDice(self.draw)  # type: ignore[assignment] # faces that nobody wrote down
        house.campaign = await house.edit({"players_may": "orders"})
        await save(house.database, *(Profile(name, "base", side="Zeon") for name in BASES))
        squads = (Profile(f"Squad {place}", "squad", side=SIDES[place % 3]) for place in range(PLAYERS))
        await save(house.database, *squads)
        for place, person in enumerate(self.people):
            owner = await find_pseudonym(house.database, person.user_id)
            await save(house.database, Profile(f"Pilot {place}", "pc", owner=owner))
            await edit(house, f"Pilot {place}", squad=f"Squad {place}")
        self.begun = (await house.database.read(self._stands)).entry

    async def update(self) -> None:
        """Play an update: orders, some resolving, its end."""
        await self.let(self.capture)
        for _ in range(self.draw.randint(PLAYERS, 2 * PLAYERS)):
            await self.let(self.draw.choice((*[self.give] * 30, *self.others)))
        if self.draw.random() < 0.8:
            await self.let(partial(self.resolve, self.draw.choice((1, 3, 1000))))
        for deed in (
            *[self.again] * 5,
            self.open_card,
            self.roll_card,
            self.resolve,
            self.answer,
            *self.draw.sample(self.others, 3),
        ):
            await self.let(deed)
        if self.draw.random() < 0.5:
            await self.let(self.drop)
        await self.let(self.close)
        self.house.clock.advance(days=A_WEEK)

    @property
    def others(self) -> tuple[Callable[[], Awaitable[None]], ...]:
        """Return other actions, some twice as likely."""
        often = (self.withdraw, self.hold, self.refuse)
        return (
            *often,
            *often,
            self.open_card,
            self.roll_card,
            self.pass_on,
            self.prefer,
            self.lock,
            self.void,
            self.tell,
        )

    async def let(self, deed: Callable[[], Awaitable[None]]) -> None:
        """Try something, then compare all orders with their fates."""
        with suppress(UserError, RulesError):
            await deed()
            self.done[str(getattr(deed, "func", deed).__name__)] += 1
        await self.require_none_lost()

    async def require_none_lost(self) -> None:
        """Compare the state's orders with what was done."""
        kept = {item.entry: fate_of(item) for item in await self.orders()}
        assert kept == self.fates.here
        counts = self.fates.counts
        assert sum(counts.values()) == len(self.fates.given), counts

    async def orders(self) -> list[StandingOrder]:
        """Return the update's orders."""
        return await self.house.database.read(standing.all_orders, self.house.campaign)

    async def capture(self) -> None:
        """Capture someone new of a player's."""
        name, person = f"Captive {len(self.captives)}", self.draw.choice(self.people)
        await save(
            self.house.database, Profile(name, "pc", owner=await find_pseudonym(self.house.database, person.user_id))
        )
        await take(self.house, name, by="Zeon", at=self.draw.choice(BASES))
        self.captives.append((name, person))

    async def give(self) -> None:
        """Give an order, mostly for a player's own."""
        kind, place = self.draw.choice(self.kinds), self.draw.randrange(PLAYERS)
        captive, person = self.draw.choice(self.captives[-CAPTIVES:])
        who = self.draw.choice((f"Pilot {place}", f"Squad {place}"))
        who, person = (captive, person) if kind.needs else (who, self.people[place])
        to = self.draw.choice(_TARGETS.get(kind.takes, [captive])) if kind.to else None
        await self._give(person, AskedOrder(kind.id, who, to, captive if kind.beside else None))

    async def again(self) -> None:
        """Order what is resolved once more."""
        done = [item for item in await self.orders() if item.done]
        order = self.draw.choice(done or await self._some())
        beside = ", ".join(who.name for who in order.beside)
        to = order.to.name if order.to else None
        asked = AskedOrder(order.kind, order.who.name, to, beside or None)
        await self._give(GM, asked)

    async def _give(self, person: Person, asked: AskedOrder) -> None:
        by = person if self.draw.random() < 0.8 else GM
        made = await self._write(giving.enter_order, by, self._campaign, asked)
        self.fates.give(made.entry, made.order)

    async def withdraw(self) -> None:
        """Withdraw any order."""
        key = await self._any_order()
        _, entry = await self._write(arranging.withdraw, self._someone(), key)
        self.fates.withdraw(entry, key.number)

    async def hold(self) -> None:
        """Pause or resume an order."""
        key, on = await self._any_order(), self.draw.random() < 0.6
        _, entry = await self._write(partial(arranging.set_held, on=on), GM, key)
        self.fates.hold(entry, key.number, on=on)

    async def prefer(self) -> None:
        """Set a priority."""
        await self._write(arranging.set_rank, GM, await self._any_order(), str(self.draw.randrange(9)))

    async def refuse(self) -> None:
        """Refuse an order."""
        key = await self._any_order()
        _, entry = await self._write(arranging.refuse, GM, key, "Not this week")
        self.fates.come(entry)

    async def pass_on(self) -> None:
        """Pass for someone."""
        place = self.draw.randrange(PLAYERS)
        await self._write(arranging.pass_on, self.people[place], self._campaign, f"Pilot {place}")

    async def lock(self) -> None:
        """Lock or unlock orders."""
        await self._write(partial(entries.set_lock, lock=self.draw.random() < 0.3), GM, await self._update())

    async def drop(self) -> None:
        """Cancel all open orders."""
        for entry in await self._write(entries.cancel_all, GM, await self._update(), "The week is over"):
            self.fates.come(entry)

    async def tell(self) -> None:
        """Post the digest."""
        await self._write(digest.post_digest, GM, self._campaign)

    async def resolve(self, steps: int = 1000) -> None:
        """Press Resolve, cut off after some transactions; the kept snapshot equals a fresh one."""
        progress = Progress()
        for _ in range(steps):
            made = await self._write(resolution.take_steps, GM, self._campaign, progress, self.draw.choice((1, 2, 5)))
            if not made:
                return
            progress = made[-1].progress
            for step in made:
                self.fates.come(step.entry)
            if progress.last is not None:
                assert progress.last == await self.house.database.read(self._stands)

    async def open_card(self) -> None:
        """Open a task's card."""
        plan = await self.house.database.read(resolution.plan_resolution, self.house.resolver, GM, self.house.campaign)
        found = [task_digits(item.task) for item, _ in forecast.list_by_card(plan.tasks)]
        opened = await self._write(task_rolls.open_task_card, GM, await self._task(self.draw.choice(found or [""])))
        card = opened.card
        self.cards.append(CardKey(self._campaign, card.id, card.revision))

    async def roll_card(self) -> None:
        """Roll the last card."""
        if not self.cards:
            raise UserError("No card is open.")
        with suppress(CardChanged):
            made = await self._write(card_service.roll, GM, self.cards.pop())
            assert isinstance(made, RollResult)
            self.fates.come(made.entry)

    async def answer(self) -> None:
        """Give a waiting task its reason."""
        plan = await self.house.database.read(resolution.plan_resolution, self.house.resolver, GM, self.house.campaign)
        waiting = [item.task for item in plan.tasks if item.preview and item.preview.asks_reason]
        if not waiting:
            raise UserError("No task waits.")
        key = await self._task(task_digits(self.draw.choice(waiting)))
        made = await self._write(task_rolls.roll_answered, GM, key, "Declared again")
        self.fates.come(made.entry)

    async def void(self) -> None:
        """Undo a late entry with its dependents."""
        newest = (await self.house.database.read(self._stands)).entry
        done = await self.house.take_back(self.draw.randint(max(self.begun, newest - 12) + 1, newest + 1))
        self.fates.undo({entry.number for entry, _ in done.pairs})

    async def close(self) -> None:
        """Close the update."""
        closed = await self.house.close_update()
        self.fates.close(closed.entry)
        self.begun = closed.entry

    async def require_each_once(self) -> None:
        """Check that no order has two rolls in a phase, pieces aside."""
        entries, kept = await self.house.entries(), await self.house.state()
        made = [entry.content() for entry in entries if (f"entry:{entry.number}", VOIDED) not in kept]
        rolled = Counter(
            (number, body["phase"])
            for body in made
            if "orders" in body and len(body["parts"]) < MAX_PARTS
            for number in body["orders"]
        )
        assert rolled
        assert max(rolled.values()) == 1

    def _stands(self, tx: Connection) -> forecast.OrdersSnapshot:
        campaign, library = self.house.campaign, self.house.resolver.library
        return forecast.read_snapshot(tx, campaign, library.list_books(tx, campaign))

    @property
    def _campaign(self) -> int:
        return self.house.campaign.id

    def _someone(self) -> Person:
        return self.draw.choice((GM, self.draw.choice(self.people)))

    async def _any_order(self) -> OrderKey:
        order = self.draw.choice(await self._some())
        return OrderKey(self._campaign, order.who.id, order.entry)

    async def _some(self) -> list[StandingOrder]:
        known = await self.orders()
        if not known:
            raise UserError("Nobody has ordered anything.")
        return known

    async def _update(self) -> UpdateKey:
        update = await self.house.database.read(campaigns.current_update, self._campaign)
        return UpdateKey(self._campaign, update["number"])

    async def _task(self, digits: str) -> TaskKey:
        update = await self._update()
        return TaskKey(update.campaign, update.number, digits)

    async def _write(self, deed: Callable[..., T], *args: object) -> T:
        return await self.house.database.write(deed, self.house.resolver, *args)


async def play(url: str, seed: int, updates: int) -> Counter[str]:
    """Play a campaign, check ledger and rebuild, and return the counts."""
    async with opened(url) as house:
        weeks = Weeks(house, random.Random(seed))  # noqa: S311 - chance that repeats
        await weeks.populate()
        for _ in range(updates):
            await weeks.update()
        await weeks.require_each_once()
        for look in (audit.check_ledgers, audit.rebuild_states, audit.check_ledgers):
            assert [item.faults for item in await look(house.database, KINDS)] == [()]
        return weeks.done + weeks.fates.counts
