"""Orders: what people mean to do in an update, sealed until a game master resolves it."""

from __future__ import annotations

from bot.cogs.orders.cog import OrderCog
from bot.cogs.orders.entries import ORDER_ENTRY
from bot.cogs.orders.panel import COMPONENTS, MODALS
from bot.cogs.orders.standing import removed
from bot.cogs.orders.todo import waiting_orders
from bot.feature import Feature

FEATURE = Feature(
    cogs=(OrderCog,),
    components=COMPONENTS,
    modals=MODALS,
    entry_kinds=(ORDER_ENTRY,),
    removed=removed,
    todo=waiting_orders,
)

setup = FEATURE.setup
