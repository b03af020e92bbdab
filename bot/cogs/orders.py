"""`/order`: what players plan for this update."""

from discord import app_commands

from bot.client import Interaction
from bot.kernel import Feature
from bot.orders import board_panel, panel, resolve_panel
from bot.orders.board import edit_stale
from bot.orders.digest import DIGEST_ENTRY
from bot.orders.entries import LOCK_ENTRY, ORDER_ENTRY
from bot.orders.giving import ARRANGE_ENTRY
from bot.orders.listing import list_waiting_orders
from bot.orders.options import Beside, Doer, Kind, Target
from bot.orders.service import AskedOrder
from bot.orders.standing import remove_orders_of
from bot.orders.task_rolls import after_roll, list_unresolved_before, record_orders, require_unchanged
from bot.rolls.extension import RollExtension
from bot.ui.parsing import Form, Text, describe, fill_form, option


class OrderForm(Form):
    """The options of `/order give`."""

    kind: Kind = option("Kind of order, such as scouting")
    who: Doer = option("Your character, or the unit it belongs to")
    to: Target | None = option("The target: a sector, base, captive or panel", default=None)
    others: Beside | None = option(
        "Others in it, separated by commas, such as captives to free", default=None, name="with"
    )
    note: Text | None = option("A note for the game masters", default=None)


@app_commands.guild_only()
class OrderCog(app_commands.Group, name="order", description="Your orders for this update"):
    """Orders."""

    @app_commands.command()
    @fill_form
    async def give(self, interaction: Interaction, form: OrderForm) -> None:
        """Give an order for this update, or replace one."""
        await panel.give(interaction, AskedOrder(form.kind, form.who, form.to, form.others, form.note))

    @app_commands.command(name="list")
    @describe(update="A closed update's number, to see its orders and results")
    async def list_(
        self, interaction: Interaction, update: app_commands.Range[int, 1, 2**31 - 1] | None = None
    ) -> None:
        """List your orders, and change or cancel them."""
        await panel.show_list(interaction, update)

    @app_commands.command(name="pass")
    @describe(who="The character or unit that is done")
    async def pass_(self, interaction: Interaction, who: Doer) -> None:
        """Pass for a character or unit: no more orders this update."""
        await panel.pass_on(interaction, who)


FEATURE = Feature(
    commands=(OrderCog(),),
    components=(*panel.COMPONENTS, *board_panel.COMPONENTS, *resolve_panel.COMPONENTS),
    modals=(*panel.MODALS, *resolve_panel.MODALS),
    entry_kinds=(ORDER_ENTRY, LOCK_ENTRY, ARRANGE_ENTRY, DIGEST_ENTRY),
    rolls=(RollExtension(extra=(record_orders,), task_bars=(require_unchanged,), ahead=(list_unresolved_before,)),),
    after_roll=after_roll,
    watches=(edit_stale,),
    removed=remove_orders_of,
    todo=list_waiting_orders,
)
