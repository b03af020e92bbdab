"""The game's day or week."""

from __future__ import annotations

from bot.cogs.update.cog import UpdateCog
from bot.cogs.update.entries import UPDATE_CLOSED
from bot.cogs.update.jobs import CLOSING
from bot.cogs.update.orders import arrange_panel, board_panel, panel, resolve_panel
from bot.cogs.update.orders.arranging import ARRANGE_ENTRY
from bot.cogs.update.orders.cog import OrderCog
from bot.cogs.update.orders.digest import DIGEST_ENTRY
from bot.cogs.update.orders.entries import ORDER_ENTRY
from bot.cogs.update.orders.locking import LOCK_ENTRY
from bot.cogs.update.orders.todo import waiting_orders
from bot.cogs.update.panel import ask, ask_drop, close, drop
from bot.core.orders import removed
from bot.feature import Feature

FEATURE = Feature(
    cogs=(UpdateCog, OrderCog),
    components=(
        *(close, ask, ask_drop),
        *panel.COMPONENTS,
        *arrange_panel.COMPONENTS,
        *board_panel.COMPONENTS,
        *resolve_panel.COMPONENTS,
    ),
    modals=(drop, *panel.MODALS, *arrange_panel.MODALS, *resolve_panel.MODALS),
    entry_kinds=(UPDATE_CLOSED, ORDER_ENTRY, LOCK_ENTRY, ARRANGE_ENTRY, DIGEST_ENTRY),
    jobs=(CLOSING,),
    removed=removed,
    todo=waiting_orders,
)

setup = FEATURE.setup
