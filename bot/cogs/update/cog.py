"""`/update`: the game master's desk, and closing the update."""

from collections.abc import Sequence
from functools import partial

import discord
from discord import app_commands, ui

from bot.actions import action_command, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.update import embed, service
from bot.core.campaigns import Campaign
from bot.orders import board_panel, entries, resolve_panel
from bot.orders.ids import PLAN, UpdateKey
from bot.outbox.queue import Post
from bot.rolls.desk import desk_of
from bot.rolls.entries import take_back_button
from bot.rolls.receipts import deliver, delivery_lines
from bot.schedules import actions
from bot.schedules.store import Job
from bot.ui.answering import note_done
from bot.ui.parsing import GAME_MASTERS, describe, option
from bot.ui.receipt import receipt
from bot.ui.reply import IdTemplate, component, modal, person, read_submitted, reason_form, redraw, say
from bot.ui.reply import ask as ask_window
from bot.ui.text import COLOURS, plain, shorten

DROP = IdTemplate("update:{campaign:int}:drop:{number:int}:{next_name:rest}")
CLOSE = IdTemplate("update:{campaign:int}:close:{number:int}:{next_name:rest}")


@component(embed.ASK)
async def ask(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Ask whether to close the update of a desk."""
    bot = interaction.client
    known = (bot.library, bot.features, person(interaction), campaign, embed.SeenUpdate(number, ""))
    await say(interaction, view=_question(await bot.database.read(service.preview_seen_closing, *known)))


@component(DROP)
async def ask_drop(interaction: Interaction, *, campaign: int, number: int, next_name: str) -> None:
    """Ask why all open orders are cancelled."""
    bot = interaction.client
    await bot.database.read(entries.orders_to_cancel, bot.resolver, person(interaction), UpdateKey(campaign, number))
    key = DROP.fill(campaign=campaign, number=number, next_name=next_name)
    about = "Every open order is cancelled and logged. The player sees your reason."
    await ask_window(interaction, reason_form(key, "Cancel all orders", about, placeholder="The battle is off"))


@modal(DROP)
async def cancel_all(interaction: Interaction, *, campaign: int, number: int, next_name: str) -> None:
    """Cancel all open orders, and ask again about closing."""
    bot, reason = interaction.client, str(read_submitted(interaction).get("reason") or "")
    made = await bot.database.write(
        entries.cancel_all, bot.resolver, person(interaction), UpdateKey(campaign, number), reason
    )
    note_done(interaction, f"Orders cancelled: {len(made)}")
    known = (bot.library, bot.features, person(interaction), campaign, embed.SeenUpdate(number, next_name))
    done = [f"**Cancelled:** {len(made)} order{'s' * (len(made) > 1)}, from entry #{made[0].number} on."]
    await redraw(interaction, _question(await bot.database.read(service.preview_seen_closing, *known), done))


@component(CLOSE)
async def close(interaction: Interaction, *, campaign: int, number: int, next_name: str) -> None:
    """Close the update in question."""
    bot, seen = interaction.client, embed.SeenUpdate(number, next_name)
    here = await find_pressed_campaign(interaction, campaign)
    known = (bot.resolver, bot.features, person(interaction), campaign, seen)
    closed = await bot.database.write(service.close_by_hand, *known)
    await deliver(
        interaction, closed.posts, partial(_show_closed, interaction, here, closed), done=_title_closing(closed)
    )


async def _show_closed(
    interaction: Interaction, campaign: Campaign, closed: embed.ClosedUpdate, sent: Sequence[Post]
) -> None:
    lines = [*embed.list_closed(closed), *delivery_lines(campaign, sent)]
    offered = [item for todo in closed.offered for row in todo.rows for item in row if isinstance(item, ui.Button)]
    buttons = [*offered, take_back_button(campaign.id, closed.entry)]
    await redraw(interaction, receipt(_title_closing(closed), lines, buttons=buttons))


def _title_closing(closed: embed.ClosedUpdate) -> str:
    return f"{plain(closed.before['name'])} is closed: entry #{closed.entry}"


def _question(found: embed.UpdateToClose, done: Sequence[str] = ()) -> ui.LayoutView:
    update = found.view.update
    following = plain(found.next_name or f"Update {update['number'] + 1}")
    key = CLOSE.fill(campaign=found.campaign.id, number=update["number"], next_name=found.next_name)
    label = shorten(f"{'Keep open orders and close' if found.orders else 'Close'} {update['name']}", embed.MAX_LABEL)
    offered = {item.custom_id for item in found.instead}
    style = discord.ButtonStyle.secondary if offered else discord.ButtonStyle.success
    button: ui.Button[ui.LayoutView] = ui.Button(label=label, style=style, custom_id=key)
    lines = [*done, *embed.update_lines(found.view, found.undone), f"**Next:** {following}"]
    about = {"campaign": found.campaign.id, "number": update["number"]}
    dropping = DROP.fill(**about, next_name=found.next_name)
    others: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label="Resolve orders", custom_id=PLAN.fill(**about)),
        ui.Button(label="Cancel all orders", style=discord.ButtonStyle.danger, custom_id=dropping),
    ]
    buttons = [button, *(item for item in others if found.orders and item.custom_id not in offered)]
    return receipt(f"Close {embed.name_update(found.view)}?", lines, COLOURS["neutral"], [*found.instead, *buttons])


class UpdateSchedule(actions.SetSchedule):
    """When updates close, and when players' orders are locked before."""

    day: actions.Days | None = actions.DAY
    time: str | None = actions.TIME
    remind: actions.Minutes | None = actions.REMIND
    ahead: actions.Minutes | None = option(
        "Lock players' orders this many minutes before. 0 turns it off", default=None, name="lock"
    )
    job: Job = service.CLOSING

    summary = "Show or set when updates close by themselves."


@app_commands.guild_only()
class UpdateCog(app_commands.Group, name="update", description="The game's day or week"):
    """Updates."""

    schedule = action_command(UpdateSchedule)

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show this update: what needs you and what ends with it."""
        bot = interaction.client
        campaign = await desk_of(interaction).campaign(interaction)
        who = person(interaction)
        view = await bot.database.read(service.view_update, bot.library, bot.features, who, campaign)
        for page in embed.desk(view, campaign, leads=who.leads(campaign)):
            await say(interaction, view=page)

    @app_commands.command(extras=GAME_MASTERS)
    async def resolve(self, interaction: Interaction) -> None:
        """Preview all orders of this update, then roll them."""
        await resolve_panel.show_plan(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    async def board(self, interaction: Interaction) -> None:
        """Post a live board of all orders in the staff channel."""
        await board_panel.post_board(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    async def digest(self, interaction: Interaction) -> None:
        """Post the orders' results so far in the results channel."""
        await resolve_panel.show_digest(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="The next update's name")
    async def close(self, interaction: Interaction, name: str | None = None) -> None:
        """Close the current update and start the next."""
        bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
        known = (bot.library, bot.features, person(interaction), campaign, name)
        await say(interaction, view=_question(await bot.database.read(service.preview_closing, *known)))
