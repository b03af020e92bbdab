"""What people ask for in a campaign with a million entries, beside the same with a thousand: it is to cost the same.

Timed are the transactions that the commands run; pressing and drawing cost alike in both and would hide the difference.
"""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bot.app import FEATURES, utc_now
from bot.cogs import luck
from bot.cogs.battles import service as battles
from bot.cogs.captives import queries as captives
from bot.cogs.effects import queries as effects
from bot.cogs.ledger import searching
from bot.cogs.ledger import service as ledger
from bot.cogs.roster import embed as roster
from bot.cogs.update import service as updates
from bot.cogs.weather import queries as weather
from bot.core import campaigns, entries
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.draws import SystemDice
from bot.core.entries import Span
from bot.core.entry_search import EntrySearch
from bot.core.ledger import Ledger
from bot.core.migrate import upgrade
from bot.core.profiles import UNIT_KINDS
from bot.core.visibility import Viewer, suggest_names
from bot.kernel import Kernel
from bot.outbox import queue as posts
from bot.rolls import answers
from bot.rolls.answers import DoubtedRoll
from bot.rolls.card import service as cards
from bot.rolls.card.panel import send_to
from bot.rolls.card.store import CardKey, CardSnapshot, CardView
from bot.rolls.preview import Preview
from bot.rolls.request import RollCommand, RollRequest
from bot.rolls.resolver import RollResult
from rules.library import Composer
from tests.bench.campaign import build
from tests.support.backend import GM, GUILD, PLAYER, patrol
from tests.support.world import BOOKS

FEW, MANY = 1_000, 1_000_000
REAL = 800
"""The entries with which a campaign begins: pages of the same kind of entries lie behind them, however many follow."""

WARM_UP = 3
Act = Callable[[], Awaitable[object]]


async def measure(folder: Path, rounds: int, sizes: tuple[int, int] = (FEW, MANY)) -> dict[str, tuple[float, float]]:
    """Least milliseconds of each act with few and with many entries, taken in turns; files in the folder are used again.

    What else runs on the machine makes some rounds longer and none shorter.
    """
    async with AsyncExitStack() as stack:
        urls = [await _made(folder, size) for size in sizes]
        both = [(await stack.enter_async_context(playing(url))).acts() for url in urls]
        spent: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in both[0]}
        for turn, name in itertools.product(range(rounds + WARM_UP), spent):
            for place in (0, 1) if turn % 2 else (1, 0):
                begun = time.perf_counter()
                await both[place][name]()
                if turn >= WARM_UP:
                    spent[name][place].append((time.perf_counter() - begun) * 1000)
    return {name: (min(few), min(many)) for name, (few, many) in spent.items()}


async def _made(folder: Path, size: int) -> str:
    """The address of a campaign of so many entries, which is made first where there is none in the folder."""
    file, unfinished = folder / f"{size}.db", folder / f"{size}.unfinished"
    if not file.exists():
        unfinished.unlink(missing_ok=True)
        await build(f"sqlite:///{unfinished}", size)
        unfinished.rename(file)
    return f"sqlite:///{file}"


@asynccontextmanager
async def playing(url: str) -> AsyncIterator[Table]:
    """Sit down at a campaign that was made."""
    database = Database(url)
    try:
        await upgrade(database)
        own, dice = Ledger(utc_now, secrets.token_bytes), SystemDice()
        kernel = Kernel.build(FEATURES, database=database, ledger=own, books=BOOKS, composer=Composer(), dice=dice)
        campaign = await database.read(campaigns.find_campaign, GUILD, "Iron Sea")
        assert campaign is not None
        newest = await database.read(entries.find_link, campaign.id, campaign.uuid)
        yield Table(database, kernel, campaign, (newest.number + REAL) // 2)
    finally:
        await database.close()


@dataclass(slots=True)
class Table:
    """A campaign with people at it; `deep` is the number of an entry in the middle of its past."""

    database: Database
    kernel: Kernel
    campaign: Campaign
    deep: int
    rolled: int = 0
    card: CardView | None = None

    def acts(self) -> dict[str, Act]:
        """What they do, by name."""
        read, campaign, library = self.database.read, self.campaign, self.kernel.library
        gm = (GM, campaign)
        return {
            "ledger_list": partial(read, ledger.list_page, *gm, None),
            "ledger_list_deep": partial(read, ledger.list_page, *gm, self.deep),
            "ledger_list_of_player": partial(read, ledger.list_page, PLAYER, campaign, self.deep),
            "search_page": partial(read, searching.find, *gm, EntrySearch(text="patrol"), Span()),
            "ledger_show": partial(read, ledger.find_entry, *gm, self.deep),
            "patrol_now": self._patrol,
            "patrol_of_a_slip": partial(self._patrol, "Unt"),
            "card_open": self._open,
            "card_change": self._change,
            "weather_history": partial(read, weather.read_history, library, campaign, 10),
            "update_show": partial(read, updates.view_update, library, FEATURES, *gm),
            "update_show_of_player": partial(read, updates.view_update, library, FEATURES, PLAYER, campaign),
            "effect_list": partial(read, effects.list_effects, library, *gm),
            "effect_list_of_player": partial(read, effects.list_effects, library, PLAYER, campaign),
            "effect_completion": partial(read, effects.list_effects, library, *gm, "Unit 007"),
            "bearer_completion": partial(read, effects.suggest_bearers, *gm, "unit"),
            "name_completion": partial(read, suggest_names, *gm, "unit 1", Viewer.knows, bool),
            "unit_list": partial(read, roster.list_profiles, library, *gm, UNIT_KINDS, None),
            "unit_list_of_player": partial(read, roster.list_profiles, library, PLAYER, campaign, UNIT_KINDS, None),
            "captive_list": partial(read, captives.list_captives, *gm),
            "battle_list": partial(read, battles.list_battles, library, *gm),
            "luck_of_player": partial(read, luck.count, PLAYER, campaign, luck.LuckFilter()),
            "post_of_topic": partial(read, posts.find_about, campaign.id, "pending", "1"),
        }

    def _command(self, whom: str = "Unit") -> RollCommand:
        self.rolled += 1
        parts = patrol(f"{whom} {self.rolled % 20 + 20:03}", by=f"Unit {self.rolled % 20:03}").parts
        return RollCommand((), ("campaign", "patrol"), parts, note="Measured", campaign=self.campaign.id)

    async def _patrol(self, *name: str) -> RollResult | DoubtedRoll:
        return await self.database.write(answers.roll_now, self.kernel.resolver, GM, self._command(*name))

    async def _open(self) -> None:
        self.card = await self.database.write(answers.open_roll, self.kernel.resolver, GM, self._command())

    async def _change(self) -> None:
        assert self.card is not None
        key = CardKey(self.campaign.id, self.card.card.id, self.card.card.revision)
        edit = partial(_send_elsewhere, self.card.request)
        self.card = await self.database.write(cards.change, self.kernel.resolver, GM, key, edit)


def _send_elsewhere(before: RollRequest, request: RollRequest, preview: Preview, seen: CardSnapshot) -> RollRequest:
    return send_to("staff" if before.to == "auto" else "auto", request, preview, seen)
