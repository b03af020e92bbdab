"""`/update board` and its buttons: who is awaited is pinged or told, players' orders are locked, orders are arranged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from bot.core.campaigns import Campaign, on_server, require_update
from bot.core.permissions import require_game_master
from bot.orders import board_posts, ids, locking
from bot.orders.board_embed import task_line
from bot.orders.ids import UpdateKey
from bot.orders.list_view import reason_buttons, show_orders
from bot.orders.task_view import show_tasks
from bot.orders.unable import Names, unable, unable_lines
from bot.outbox.store import Post
from bot.rolls.desk import desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui.answering import committed
from bot.ui.colours import COLOURS
from bot.ui.components import Component, component
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction, person, put, say
from bot.ui.text import within

ROOM = 3000


async def post_board(interaction: AnyInteraction) -> None:
    """Post the board in the staff's channel."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    found = await _unable(interaction, campaign, "post the board of orders")
    posts = await bot.database.write(board_posts.post, bot.resolver, person(interaction), campaign.id)
    await deliver(interaction, posts, partial(_show_sent, interaction, campaign, "Board", found), done="Board posted")


async def _asked(
    interaction: AnyInteraction, key: UpdateKey, deed: Callable[..., list[Post]], title: str, found: Names
) -> None:
    bot = interaction.client
    here = await bot.database.read(on_server, interaction.guild_id or 0, key.campaign)
    posts = await bot.database.write(deed, bot.resolver, person(interaction), key)
    await deliver(interaction, posts, partial(_show_sent, interaction, here, title, found), done=title)


async def _unable_to_order(interaction: AnyInteraction, campaign_id: int) -> Names:
    """Return the players who can't order, to a game master who asks for orders."""
    here = await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign_id)
    return await _unable(interaction, here, "ask for orders")


async def _unable(interaction: AnyInteraction, campaign: Campaign, action: str) -> Names:
    """Ask Discord which players can't order; refuse others than game masters, by the `action`."""
    require_game_master(person(interaction), campaign, action)
    bot = interaction.client
    return await unable(interaction, campaign, await bot.database.read(board_posts.players, bot.resolver, campaign))


async def _show_sent(
    interaction: AnyInteraction, campaign: Campaign, title: str, found: Names, sent: Sequence[Post]
) -> None:
    """Show where posts are, and who can't order. The board doesn't list them: the bot doesn't hear when roles change."""
    lines = [*delivery_lines(campaign, sent[-1:]), *unable_lines(found)]
    await put(interaction, view=receipt(title, lines, COLOURS["neutral"]))


@component(ids.NUDGE)
async def nudge(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ping those who are awaited."""
    found = await _unable_to_order(interaction, campaign)
    deed = partial(board_posts.nudge, unable=found.keys())
    await _asked(interaction, UpdateKey(campaign, number), deed, "Nudged", found)


@component(ids.TELL)
async def tell(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Tell all the names of those who are awaited."""
    found = await _unable_to_order(interaction, campaign)
    await _asked(interaction, UpdateKey(campaign, number), board_posts.tell, "Missing orders posted", found)


@component(ids.LOCK)
async def lock(interaction: AnyInteraction, *, campaign: int, number: int, on: int) -> None:
    """Lock or unlock players' orders."""
    bot, title = interaction.client, "Orders locked" if on else "Orders unlocked"
    asked = (bot.resolver, person(interaction), UpdateKey(campaign, number))
    await bot.database.write(partial(locking.by_hand, lock=bool(on)), *asked)
    committed(interaction, title)
    line = (
        "Players can't give, change or cancel orders until you unlock them or the update closes."
        if on
        else "Players can give orders again."
    )
    await put(interaction, view=receipt(title, [line], COLOURS["neutral"]))


@component(ids.ARRANGE)
async def arrange(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """List the orders of an update (number) to arrange one, the tasks that wait for a reason to give one, and those that can be rolled by card."""
    database, who = interaction.client.database, person(interaction)
    here = await database.read(on_server, interaction.guild_id or 0, campaign)
    require_game_master(who, here, "arrange orders")
    await database.read(require_update, campaign, number)
    await show_orders(interaction, here)
    found = (await database.read(board_posts.look, interaction.client.resolver, here)).waiting
    if found:
        buttons = reason_buttons(campaign, number, [item.task for item in found])
        lines = list(within(ROOM, [task_line(item) for item in found]))
        await say(interaction, view=receipt("Needs your answer", lines, COLOURS["neutral"], buttons))
    await show_tasks(interaction, here)


COMPONENTS: tuple[Component, ...] = (nudge, tell, lock, arrange)
