"""`/update board` and its buttons: ping or name who is missing, lock orders, arrange them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

import discord

from bot.core.campaigns import Campaign, require_on_server, require_update
from bot.core.permissions import Person, require_game_master
from bot.orders import board, ids, locking
from bot.orders.board_embed import task_line
from bot.orders.ids import UpdateKey
from bot.orders.list_view import reason_buttons, show_orders, show_tasks
from bot.outbox.store import Post
from bot.rolls.desk import desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui.answering import note_done
from bot.ui.colours import COLOURS
from bot.ui.components import Component, component
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction, person, put, say
from bot.ui.text import fit_lines, listing, plain

AT_ONCE = 100
"""The members that Discord tells about in one question."""

Names = Mapping[int, Collection[str]]
"""Names of characters by the user id of who plays them."""


async def find_unable(interaction: AnyInteraction, campaign: Campaign, players: Names) -> dict[int, Collection[str]]:
    """Return those of these for whom no order can come; nobody where Discord does not say."""
    able = await _able(interaction.guild, campaign, [*players])
    return {user: names for user, names in players.items() if user not in able}


def describe_unable(found: Names) -> Iterator[str]:
    """Yield a line about those for whom no order can come."""
    names = sorted(plain(name) for some in found.values() for name in some)
    if names:
        yield f"Can't order, because their player left the server or lost the player role: {listing(names)}."


async def _able(guild: discord.Guild | None, campaign: Campaign, users: list[int]) -> set[int]:
    able: set[int] = set()
    for start in range(0, len(users), AT_ONCE) if guild else ():
        asked = users[start : start + AT_ONCE]
        members = None
        with suppress(discord.HTTPException, discord.ClientException, TimeoutError):
            members = await guild.query_members(user_ids=asked, limit=AT_ONCE) if guild else None
        able |= {*asked} if members is None else {item.id for item in members if _takes_part(item, campaign)}
    return able


def _takes_part(member: discord.Member, campaign: Campaign) -> bool:
    roles = frozenset(role.id for role in member.roles)
    return Person(member.id, member.guild.id, roles, manages_server=False).takes_part(campaign)


ROOM = 3000


async def post_board(interaction: AnyInteraction) -> None:
    """Post the board in the staff's channel."""
    campaign = await desk_of(interaction).campaign(interaction)
    action, done = "post the board of orders", "Board posted"
    await _post(interaction, campaign, action, "Board", board.post_board, campaign.id, done=done)


async def _post(  # noqa: PLR0913 - who does what where, and how it is called
    interaction: AnyInteraction,
    campaign: Campaign,
    action: str,
    title: str,
    make: Callable[..., list[Post]],
    *given: object,
    done: str = "",
    pings: bool = False,
) -> None:
    """Make posts about orders and send them, as a game master who does this `action`; say which players can't order. `pings` leaves these out."""
    bot, who = interaction.client, person(interaction)
    require_game_master(who, campaign, action)
    players = await bot.database.read(board.find_missing_players, bot.resolver, campaign)
    found = await find_unable(interaction, campaign, players)
    make = partial(make, unable=found.keys()) if pings else make
    posts = await bot.database.write(make, bot.resolver, who, *given)
    await deliver(interaction, posts, partial(_show_sent, interaction, campaign, title, found), done=done or title)


async def _show_sent(
    interaction: AnyInteraction, campaign: Campaign, title: str, found: Names, sent: Sequence[Post]
) -> None:
    """Show where posts are, and who can't order. The board doesn't list them: the bot doesn't hear when roles change."""
    lines = [*delivery_lines(campaign, sent[-1:]), *describe_unable(found)]
    await put(interaction, view=receipt(title, lines, COLOURS["neutral"]))


@component(ids.NUDGE)
async def nudge(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ping the players of those who are missing."""
    await _ask(interaction, UpdateKey(campaign, number), "Nudged", board.nudge, pings=True)


@component(ids.TELL)
async def tell(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Post the names of those who are missing."""
    await _ask(interaction, UpdateKey(campaign, number), "Missing orders posted", board.post_missing)


async def _ask(
    interaction: AnyInteraction, key: UpdateKey, title: str, make: Callable[..., list[Post]], *, pings: bool = False
) -> None:
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, key.campaign)
    await _post(interaction, here, "ask for orders", title, make, key, pings=pings)


@component(ids.LOCK)
async def lock(interaction: AnyInteraction, *, campaign: int, number: int, on: int) -> None:
    """Lock or unlock players' orders."""
    bot, title = interaction.client, "Orders locked" if on else "Orders unlocked"
    asked = (bot.resolver, person(interaction), UpdateKey(campaign, number))
    await bot.database.write(partial(locking.set_lock, lock=bool(on)), *asked)
    note_done(interaction, title)
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
    here = await database.read(require_on_server, interaction.guild_id or 0, campaign)
    require_game_master(who, here, "arrange orders")
    await database.read(require_update, campaign, number)
    await show_orders(interaction, here)
    found = (await database.read(board.read_board, interaction.client.resolver, here)).waiting
    if found:
        buttons = reason_buttons(campaign, number, [item.task for item in found])
        lines = list(fit_lines(ROOM, [task_line(item) for item in found]))
        await say(interaction, view=receipt("Needs your answer", lines, COLOURS["neutral"], buttons))
    await show_tasks(interaction, here)


COMPONENTS: tuple[Component, ...] = (nudge, tell, lock, arrange)
