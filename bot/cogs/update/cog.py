"""`/update show`, the board of orders, and closing the update."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import discord
from discord import app_commands, ui

from bot.actions import find_named_campaign, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.update import service
from bot.core import campaigns, permissions
from bot.kernel import list_todos
from bot.orders import board, entries, kinds, own_results, resolve_panel
from bot.orders.kinds import PLAN, UpdateKey
from bot.outbox.queue import Post
from bot.rolls.desk import desk_of
from bot.rolls.entries import take_back_button
from bot.rolls.options import CampaignName
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui import answering, parsing, reply
from bot.ui.commands import GM, UPDATE_PAGE
from bot.ui.receipt import Todo, desk_views, receipt
from bot.ui.reply import ask as ask_window
from bot.ui.text import COLOURS, chunks, join_words, plain, shorten

AT_ONCE = 100  # the members in one question to Discord

ROOM_FOR_RESULTS = 3000  # in characters; a message has 4,000
NO_DM = "-# I can't reach you while your DMs from this server are off."


async def _find_able(guild: discord.Guild | None, campaign: campaigns.Campaign, users: list[int]) -> set[int]:
    able: set[int] = set()
    for start in range(0, len(users), AT_ONCE) if guild else ():
        asked = users[start : start + AT_ONCE]
        members = None
        with suppress(discord.HTTPException, discord.ClientException, TimeoutError):
            members = await guild.query_members(user_ids=asked, limit=AT_ONCE) if guild else None
        able |= {*asked} if members is None else {item.id for item in members if entries.takes_part(item, campaign)}
    return able


async def _post(
    interaction: reply.AnyInteraction,
    campaign: campaigns.Campaign,
    action: str,
    title: str,
    make: Callable[..., list[Post]],
    *given: object,
    done: str = "",
    pings: bool = False,
) -> None:
    bot, who = interaction.client, reply.person(interaction)
    permissions.require_game_master(who, campaign, action)
    players = await bot.database.read(board.find_missing_players, bot.resolver, campaign)
    able = await _find_able(interaction.guild, campaign, [*players])
    unable = players.keys() - able
    make = partial(make, unable=unable) if pings else make
    posts = await bot.database.write(make, bot.resolver, who, *given)
    names = sorted(plain(name) for user in unable for name in players[user])
    await deliver(interaction, posts, partial(_show_sent, interaction, campaign, title, names), done=done or title)


async def _show_sent(
    interaction: reply.AnyInteraction, campaign: campaigns.Campaign, title: str, names: list[str], sent: Sequence[Post]
) -> None:
    lines = [*delivery_lines(campaign, sent[-1:])]
    if names:
        lines.append(f"Can't order, because their player left the server or lost the player role: {join_words(names)}.")
    await reply.put_answer(interaction, view=receipt(title, lines, COLOURS["neutral"]))


@reply.component(kinds.NUDGE)
async def _nudge(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    here, key = await find_pressed_campaign(interaction, campaign), UpdateKey(campaign, number)
    await _post(interaction, here, "ask for orders", "Nudged", board.nudge, key, pings=True)


@reply.component(kinds.TELL)
async def _tell(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    here, key = await find_pressed_campaign(interaction, campaign), UpdateKey(campaign, number)
    await _post(interaction, here, "ask for orders", "Missing orders posted", board.post_missing, key)


@reply.component(kinds.BOARD)
async def _post_board(interaction: reply.AnyInteraction, *, campaign: int, number: int) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    await interaction.client.database.read(campaigns.require_update, campaign, number)
    action, done = "post the board of orders", "Board posted"
    await _post(interaction, here, action, "Board", board.post_board, campaign, done=done)


@reply.component(kinds.LOCK)
async def _lock(interaction: reply.AnyInteraction, *, campaign: int, number: int, on: int) -> None:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), UpdateKey(campaign, number))
    await bot.database.write(partial(entries.set_lock, lock=bool(on)), *asked)
    title, line = "Orders unlocked", "Players can give orders again."
    if on:
        title = "Orders locked"
        line = "Players can't give, change or cancel orders until you unlock them or the update closes."
    answering.note_done(interaction, title)
    await reply.put_answer(interaction, view=receipt(title, [line], COLOURS["neutral"]))


DROP = reply.IdTemplate("update:{campaign:int}:drop:{number:int}:{next_name:rest}")
CLOSE = reply.IdTemplate("update:{campaign:int}:close:{number:int}:{next_name:rest}")


@reply.component(service.ASK)
async def _ask_close(interaction: Interaction, *, campaign: int, number: int) -> None:
    bot = interaction.client
    known = (bot.library, bot.features, reply.person(interaction), campaign, service.SeenUpdate(number, ""))
    await reply.say(interaction, view=_question(await bot.database.read(service.preview_seen_closing, *known)))


@reply.component(DROP)
async def _ask_drop(interaction: Interaction, *, campaign: int, number: int, next_name: str) -> None:
    bot = interaction.client
    await bot.database.read(
        entries.orders_to_cancel, bot.resolver, reply.person(interaction), UpdateKey(campaign, number)
    )
    key = DROP.fill(campaign=campaign, number=number, next_name=next_name)
    about = "Every open order is cancelled and logged. The player sees your reason."
    await ask_window(interaction, reply.reason_form(key, "Cancel all orders", about, placeholder="The battle is off"))


@reply.modal(DROP)
async def _cancel_all(interaction: Interaction, *, campaign: int, number: int, next_name: str) -> None:
    bot, reason = interaction.client, str(reply.read_submitted(interaction).get("reason") or "")
    made = await bot.database.write(
        entries.cancel_all, bot.resolver, reply.person(interaction), UpdateKey(campaign, number), reason
    )
    answering.note_done(interaction, f"Orders cancelled: {len(made)}")
    known = (bot.library, bot.features, reply.person(interaction), campaign, service.SeenUpdate(number, next_name))
    done = [f"**Cancelled:** {len(made)} order{'s' * (len(made) > 1)}, from entry #{made[0].number} on."]
    await reply.redraw(interaction, _question(await bot.database.read(service.preview_seen_closing, *known), done))


@reply.component(CLOSE)
async def _close(interaction: Interaction, *, campaign: int, number: int, next_name: str) -> None:
    bot, seen = interaction.client, service.SeenUpdate(number, next_name)
    here = await find_pressed_campaign(interaction, campaign)
    known = (bot.resolver, bot.features, reply.person(interaction), campaign, seen)
    closed = await bot.database.write(service.close_by_hand, *known)
    await deliver(
        interaction, closed.posts, partial(_show_closed, interaction, here, closed), done=_title_closing(closed)
    )


@reply.component(kinds.OWN)
async def _show_own(interaction: Interaction, *, campaign: int, number: int) -> None:
    bot, who = interaction.client, reply.person(interaction)
    known = (bot.library, bot.kinds, who, UpdateKey(campaign, number))
    own = await bot.database.read(own_results.read_own, *known)
    todos = await bot.database.read(list_todos, bot.library, bot.features, who, own.campaign)
    for page in _own_pages(own, todos):
        await reply.say(interaction, view=page)


@reply.component(kinds.DMS)
async def _set_dms(interaction: Interaction, *, campaign: int, number: int, on: int) -> None:
    write, key = interaction.client.database.write, UpdateKey(campaign, number)
    await write(partial(own_results.set_reader, on=bool(on)), reply.person(interaction), campaign)
    title = f"Your results by DM: {'on' if on else 'off'}"
    answering.note_done(interaction, title)
    todo = _dm_todo(key, by_dm=bool(on))
    buttons = [item for row in todo.rows for item in row if isinstance(item, ui.Button)]
    await reply.put_answer(interaction, view=receipt(title, todo.lines, COLOURS["neutral"], buttons))


def _own_pages(own: own_results.OwnResults, todos: Sequence[Todo]) -> list[ui.LayoutView]:
    found = [
        Todo(title + " (continued)" * bool(place), chunk.split("\n"))
        for title, lines in own.sections
        for place, chunk in enumerate(chunks(lines, ROOM_FOR_RESULTS))
    ]
    head = Todo(own.title, [f"-# {plain(own.campaign.name)}"] if found else [own_results.NOTHING], heading=True)
    waits = Todo("What waits for you", ["-# As of now."] if todos else ["Nothing."], heading=True)
    return desk_views([head, *found, waits, *todos, _dm_todo(UpdateKey(own.campaign.id, own.number), by_dm=own.by_dm)])


def _dm_todo(key: UpdateKey, *, by_dm: bool) -> Todo:
    line = "You get this page by DM with each digest." if by_dm else "I can send you this page with each digest."
    custom_id = kinds.DMS.fill(campaign=key.campaign, number=key.number, on=int(not by_dm))
    button: ui.Button[ui.LayoutView] = ui.Button(label="Stop DMs" if by_dm else "Send me DMs", custom_id=custom_id)
    return Todo("By DM", [line, *([NO_DM] if by_dm else [])], [[button]])


COMPONENTS: tuple[reply.Component | reply.ModalForm, ...] = (
    _nudge,
    _tell,
    _post_board,
    _lock,
    _close,
    _ask_close,
    _ask_drop,
    _show_own,
    _set_dms,
    _cancel_all,
)


async def _show_closed(
    interaction: Interaction, campaign: campaigns.Campaign, closed: service.ClosedUpdate, sent: Sequence[Post]
) -> None:
    lines = [*service.list_closed(closed), *delivery_lines(campaign, sent)]
    offered = [item for todo in closed.offered for row in todo.rows for item in row if isinstance(item, ui.Button)]
    buttons = [*offered, take_back_button(campaign.id, closed.entry)]
    await reply.redraw(interaction, receipt(_title_closing(closed), lines, buttons=buttons))


def _title_closing(closed: service.ClosedUpdate) -> str:
    return f"{plain(closed.before['name'])} is closed: entry #{closed.entry}"


def _question(found: service.UpdateToClose, done: Sequence[str] = ()) -> ui.LayoutView:
    update = found.view.update
    following = plain(found.next_name or f"Update {update['number'] + 1}")
    key = CLOSE.fill(campaign=found.campaign.id, number=update["number"], next_name=found.next_name)
    label = shorten(f"{'Keep open orders and close' if found.orders else 'Close'} {update['name']}", service.MAX_LABEL)
    offered = {item.custom_id for item in found.instead}
    style = discord.ButtonStyle.secondary if offered else discord.ButtonStyle.success
    button: ui.Button[ui.LayoutView] = ui.Button(label=label, style=style, custom_id=key)
    lines = [*done, *service.update_lines(found.view, found.undone, found.upkeep), f"**Next:** {following}"]
    about = {"campaign": found.campaign.id, "number": update["number"]}
    dropping = DROP.fill(**about, next_name=found.next_name)
    others: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label="Resolve orders", custom_id=PLAN.fill(**about)),
        ui.Button(label="Cancel all orders", style=discord.ButtonStyle.danger, custom_id=dropping),
    ]
    buttons = [button, *(item for item in others if found.orders and item.custom_id not in offered)]
    return receipt(f"Close {service.name_update(found.view)}?", lines, COLOURS["neutral"], [*found.instead, *buttons])


class ShowUpdateForm(parsing.Form):
    """Options of `/update show`."""

    update: app_commands.Range[int, 1, reply.HIGHEST] | None = parsing.option(
        "A number: all entries and results of that update. Default: what needs you now", default=None
    )
    campaign: CampaignName | None = parsing.option(
        "Another campaign, archived ones too. Default: this channel's", default=None
    )


class UpdateCog(app_commands.Group, name="update", description="The game's day or week"):
    """Updates."""

    @app_commands.command()
    @parsing.fill_form
    async def show(self, interaction: Interaction, form: ShowUpdateForm) -> None:
        """Show this update and what needs you, or a past one."""
        campaign = await find_named_campaign(interaction, form.campaign)
        if form.update is None:
            await _show_desk(interaction, campaign)
            return
        await reply.press(interaction, UPDATE_PAGE.fill(campaign=campaign.id, number=form.update))


async def _show_desk(interaction: Interaction, campaign: campaigns.Campaign) -> None:
    bot, who = interaction.client, reply.person(interaction)
    view = await bot.database.read(service.view_update, bot.library, bot.features, who, campaign)
    for page in service.desk(view, campaign, leads=who.leads(campaign)):
        await reply.say(interaction, view=page)


@GM.command(extras=parsing.GAME_MASTERS)
async def resolve(interaction: Interaction) -> None:
    """Preview all orders of this update, then roll them."""
    await resolve_panel.show_plan(interaction, await desk_of(interaction).campaign(interaction))


@GM.command(extras=parsing.GAME_MASTERS)
@parsing.describe(name="The next update's name")
async def close(interaction: Interaction, name: str | None = None) -> None:
    """Close the current update and start the next."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    known = (bot.library, bot.features, reply.person(interaction), campaign, name)
    await reply.say(interaction, view=_question(await bot.database.read(service.preview_closing, *known)))
