"""The game's day or week."""

from __future__ import annotations

from bot.cogs.update.cog import UpdateCog
from bot.cogs.update.entries import UPDATE_CLOSED
from bot.cogs.update.jobs import CLOSING
from bot.cogs.update.orders.cog import OrderCog
from bot.cogs.update.orders.digest import DIGEST_ENTRY
from bot.cogs.update.orders.entries import ORDER_ENTRY
from bot.cogs.update.orders.locking import LOCK_ENTRY
from bot.cogs.update.orders.panel import COMPONENTS, MODALS
from bot.cogs.update.orders.resolve_panel import COMPONENTS as RESOLVING
from bot.cogs.update.orders.standing import removed
from bot.cogs.update.orders.todo import waiting_orders
from bot.cogs.update.panel import ask, ask_drop, close, drop
from bot.feature import Feature

FEATURE = Feature(
    cogs=(UpdateCog, OrderCog),
    components=(close, ask, ask_drop, *COMPONENTS, *RESOLVING),
    modals=(drop, *MODALS),
    entry_kinds=(UPDATE_CLOSED, ORDER_ENTRY, LOCK_ENTRY, DIGEST_ENTRY),
    jobs=(CLOSING,),
    removed=removed,
    todo=waiting_orders,
)

setup = FEATURE.setup
