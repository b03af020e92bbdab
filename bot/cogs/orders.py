"""`/order`: what somebody means to do in this update, sealed until it is resolved."""

from discord import app_commands

from bot.client import Interaction
from bot.feature import Feature
from bot.orders import arrange_panel, board_panel, panel, resolve_panel, task_panel
from bot.orders.answering import after_roll
from bot.orders.arranging import ARRANGE_ENTRY
from bot.orders.board_posts import edit_stale
from bot.orders.by_card import require_same, unresolved_before
from bot.orders.by_hand import carried_out
from bot.orders.digest import DIGEST_ENTRY
from bot.orders.entries import ORDER_ENTRY
from bot.orders.locking import LOCK_ENTRY
from bot.orders.options import Beside, Doer, Kind, Target
from bot.orders.service import AskedOrder
from bot.orders.standing import removed
from bot.orders.todo import waiting_orders
from bot.rolls.extension import RollExtension
from bot.ui import parsing
from bot.ui.commands import describe

Text = app_commands.Range[str, 1, parsing.MAX_TEXT]


@app_commands.guild_only()
class OrderCog(app_commands.Group, name="order", description="What you mean to do in this update, sealed"):
    """Orders."""

    @app_commands.command()
    @describe(
        kind="What is to be done",
        who="Who does it: a character of yours, or a unit that one belongs to",
        to="Whom or where: a sector, a base, a captive, a panel",
        others="Who besides, parted by commas, such as the captives whom a surprise attack is to free",
        note="A note for the game masters",
    )
    @app_commands.rename(others="with")
    async def give(
        self,
        interaction: Interaction,
        kind: Kind,
        who: Doer,
        to: Target | None = None,
        others: Beside | None = None,
        note: Text | None = None,
    ) -> None:
        """Give an order for this update; the same kind for the same one replaces it."""
        await panel.give(interaction, AskedOrder(kind, who, to, others, note))

    @app_commands.command(name="list")
    @describe(update="The number of an update that is closed, to read what came of its orders")
    async def list_(
        self, interaction: Interaction, update: app_commands.Range[int, 1, 2**31 - 1] | None = None
    ) -> None:
        """List your orders, to change or withdraw them; game masters see everybody's."""
        await panel.show_list(interaction, update)

    @app_commands.command(name="pass")
    @describe(who="Who does nothing more in this update")
    async def pass_(self, interaction: Interaction, who: Doer) -> None:
        """Say that somebody does nothing more in this update, so that nobody waits for them."""
        await panel.pass_on(interaction, who)


_PANELS = (panel, arrange_panel, board_panel, resolve_panel, task_panel)
FEATURE = Feature(
    commands=(OrderCog(),),
    components=tuple(item for each in _PANELS for item in each.COMPONENTS),
    modals=(*panel.MODALS, *arrange_panel.MODALS, *resolve_panel.MODALS),
    entry_kinds=(ORDER_ENTRY, LOCK_ENTRY, ARRANGE_ENTRY, DIGEST_ENTRY),
    rolls=RollExtension(extra=(carried_out,), bars=(require_same,), ahead=(unresolved_before,)),
    after_roll=after_roll,
    watches=(edit_stale,),
    removed=removed,
    todo=waiting_orders,
)
