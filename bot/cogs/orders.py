"""`/order`: what players plan for this update."""

from discord import app_commands

from bot import client, kernel
from bot.orders import arranging, board, digest, entries, giving, listing, options, panel, resolve_panel, standing
from bot.orders.task_rolls import after_roll, list_unresolved_before, record_orders, require_unchanged
from bot.rolls.desk import desk_of
from bot.rolls.extension import RollExtension
from bot.ui.parsing import Form, Number, Text, describe, fill_form, option


class OrderForm(Form):
    """Options of `/order give`."""

    kind: options.Kind = option("Kind of order, such as scouting, or Pass for no more orders this update")
    who: options.Doer = option("Your character, or the unit it belongs to")
    to: options.Target | None = option("The target: a sector, base, captive or panel", default=None)
    others: options.Beside | None = option(
        "Others in it, separated by commas, such as captives to free", default=None, name="with"
    )
    note: Text | None = option("A note for the game masters", default=None)


class OrderCog(app_commands.Group, name="order", description="Your orders for this update"):
    """Orders."""

    @app_commands.command()
    @fill_form
    async def give(self, interaction: client.Interaction, form: OrderForm) -> None:
        """Give an order for this update, replace one, or pass."""
        campaign = await desk_of(interaction).campaign(interaction)
        asked = giving.AskedOrder(form.kind, form.who, form.to, form.others, form.note)
        await panel.give(interaction, campaign.id, asked)

    @app_commands.command(name="list")
    @describe(update="A closed update's number, to see its orders and results")
    async def list_(self, interaction: client.Interaction, update: Number | None = None) -> None:
        """List your orders, change or cancel them, or pass."""
        await listing.show_orders(interaction, await desk_of(interaction).campaign(interaction), update)


FEATURE = kernel.Feature(
    commands=(OrderCog(),),
    components=(*panel.COMPONENTS, *resolve_panel.COMPONENTS),
    entry_kinds=(entries.ORDER_ENTRY, entries.LOCK_ENTRY, arranging.ARRANGE_ENTRY, digest.DIGEST_ENTRY),
    rolls=(
        RollExtension(extra=(record_orders,)),
        RollExtension(tasks=True, bars=(require_unchanged,), ahead=(list_unresolved_before,)),
    ),
    after_roll=after_roll,
    chores=(kernel.Chore(board.edit_stale, every=5),),
    removed=standing.remove_orders_of,
    todo=listing.list_waiting_orders,
)
