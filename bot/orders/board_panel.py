"""`/update board` and its buttons."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial

import discord

from bot.core.campaigns import Campaign, require_on_server
from bot.core.permissions import require_game_master
from bot.orders import board, entries, ids
from bot.orders.entries import takes_part
from bot.outbox.queue import Post
from bot.rolls.desk import desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui.answering import note_done
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction, Component, component, person, put_answer
from bot.ui.text import COLOURS, join_words, plain

AT_ONCE = 100  # the members in one question to Discord
Names = Mapping[int, Collection[str]]
"""By user id."""


async def _find_able(guild: discord.Guild | None, campaign: Campaign, users: list[int]) -> set[int]:
    able: set[int] = set()
    for start in range(0, len(users), AT_ONCE) if guild else ():
        asked = users[start : start + AT_ONCE]
        members = None
        with suppress(discord.HTTPException, discord.ClientException, TimeoutError):
            members = await guild.query_members(user_ids=asked, limit=AT_ONCE) if guild else None
        able |= {*asked} if members is None else {item.id for item in members if takes_part(item, campaign)}
    return able


async def post_board(interaction: AnyInteraction) -> None:
    """Post the board in the staff channel."""
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
    bot, who = interaction.client, person(interaction)
    require_game_master(who, campaign, action)
    players = await bot.database.read(board.find_missing_players, bot.resolver, campaign)
    able = await _find_able(interaction.guild, campaign, [*players])
    found = {user: names for user, names in players.items() if user not in able}
    make = partial(make, unable=found.keys()) if pings else make
    posts = await bot.database.write(make, bot.resolver, who, *given)
    await deliver(interaction, posts, partial(_show_sent, interaction, campaign, title, found), done=done or title)


async def _show_sent(
    interaction: AnyInteraction, campaign: Campaign, title: str, found: Names, sent: Sequence[Post]
) -> None:
    lines, names = (
        [*delivery_lines(campaign, sent[-1:])],
        sorted(plain(name) for some in found.values() for name in some),
    )
    if names:
        lines.append(f"Can't order, because their player left the server or lost the player role: {join_words(names)}.")
    await put_answer(interaction, view=receipt(title, lines, COLOURS["neutral"]))


@component(ids.NUDGE)
async def _nudge(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    await _ask(interaction, ids.UpdateKey(campaign, number), "Nudged", board.nudge, pings=True)


@component(ids.TELL)
async def _tell(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    await _ask(interaction, ids.UpdateKey(campaign, number), "Missing orders posted", board.post_missing)


async def _ask(
    interaction: AnyInteraction, key: ids.UpdateKey, title: str, make: Callable[..., list[Post]], *, pings: bool = False
) -> None:
    here = await interaction.client.database.read(require_on_server, interaction.guild_id or 0, key.campaign)
    await _post(interaction, here, "ask for orders", title, make, key, pings=pings)


@component(ids.LOCK)
async def _lock(interaction: AnyInteraction, *, campaign: int, number: int, on: int) -> None:
    bot, title = interaction.client, "Orders locked" if on else "Orders unlocked"
    asked = (bot.resolver, person(interaction), ids.UpdateKey(campaign, number))
    await bot.database.write(partial(entries.set_lock, lock=bool(on)), *asked)
    note_done(interaction, title)
    line = (
        "Players can't give, change or cancel orders until you unlock them or the update closes."
        if on
        else "Players can give orders again."
    )
    await put_answer(interaction, view=receipt(title, [line], COLOURS["neutral"]))


COMPONENTS: tuple[Component, ...] = (_nudge, _tell, _lock)
