"""Importing and exporting units and characters in Discord: the preview with its buttons, faults, and files."""

from __future__ import annotations

import io
from collections.abc import Collection

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.roster.import_embed import exported_line, preview_lines
from bot.cogs.roster.import_export import MAX_BYTES, Exchange, Imported, Part, Upload, Waiting
from bot.cogs.roster.import_files import Format
from bot.cogs.roster.import_plan import differing
from bot.cogs.roster.import_rows import MAX_ROWS
from bot.core.campaigns import Campaign
from bot.core.permissions import require_game_master
from bot.errors import BadInput, NotOpen
from bot.ui.colours import COLOURS
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, number, person, promise, redraw, say
from bot.ui.text import plain, shorten
from bot.ui.uploads import CUT_OFF, Faulty, read_file, tell_faults

IMPORT = "import"
"""How the ids of buttons under a preview begin."""


class ExchangePanel:
    """Shows what an import would do, does it when pressed, and hands out exports."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """The buttons of a preview, `import:<campaign>:<draft>:go:<seen>` and `import:<campaign>:<draft>:cancel`."""
        promise(interaction)
        match words:
            case [campaign, draft, "go", seen]:
                await self._carry_out(interaction, number(campaign), draft, seen)
            case [campaign, draft, "cancel"]:
                await self._exchange.drop(person(interaction), number(campaign), draft)
                await redraw(interaction, receipt("Nothing was imported", [], COLOURS["neutral"]))
            case _:
                raise NotOpen(*STALE)

    async def prepare(
        self, interaction: Interaction, campaign: Campaign, file: discord.Attachment, *, may_replace: bool
    ) -> None:
        """Answer with what a file would change, or with all that is wrong with it."""
        require_game_master(person(interaction), campaign, "import units and characters")
        upload = Upload(file.filename, await read_file(file, MAX_BYTES), may_replace)

        async def absent(user_ids: Collection[int]) -> list[int]:
            return [user_id for user_id in user_ids if not await _is_member(interaction, user_id)]

        try:
            waiting = await self._exchange.prepare(person(interaction), campaign, upload, absent)
        except Faulty as faulty:
            await tell_faults(interaction, faulty)
        else:
            await say(interaction, view=_preview(waiting))

    async def export(self, interaction: Interaction, campaign: Campaign, to: Format, part: Part) -> None:
        """Answer with everybody saved, as a file."""
        made = await self._exchange.export(person(interaction), campaign, to, part)
        too_many = made.count > MAX_ROWS or len(made.data) > MAX_BYTES
        file = discord.File(io.BytesIO(made.data), made.file)
        await say(interaction, content=exported_line(made.count, too_many=too_many), file=file)

    async def _carry_out(self, interaction: Interaction, campaign_id: int, draft: str, seen: str) -> None:
        try:
            done = await self._exchange.carry_out(person(interaction), campaign_id, draft, seen)
        except Faulty as faulty:
            await tell_faults(interaction, faulty)
            return
        view = (
            _receipt(done) if isinstance(done, Imported) else _preview(done, "Something has changed since you looked.")
        )
        await redraw(interaction, view)


async def _is_member(interaction: Interaction, user_id: int) -> bool:
    """Whether somebody is on the server."""
    if interaction.guild is None:
        return False
    try:
        await interaction.guild.fetch_member(user_id)
    except discord.NotFound:
        return False
    except (discord.HTTPException, *CUT_OFF) as problem:
        what = f"I could not ask Discord about the owner {user_id}."
        raise BadInput(what, "Try it again, or leave owners out who are new to the campaign.") from problem
    return True


def _preview(waiting: Waiting, notice: str | None = None) -> ui.LayoutView:
    campaign, draft, plan = waiting.campaign, waiting.draft, waiting.plan
    head = [
        "## Import",
        f"-# {plain(shorten(draft.file, 100))} \N{MIDDLE DOT} {plain(campaign.name)} \N{MIDDLE DOT} nothing is imported yet",
    ]
    head += [f"\N{WARNING SIGN} **{notice} Look again, then press.**"] if notice else []
    changed = [(after, differing(before, after)) for before, after in plan.changed]
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    container.add_item(ui.TextDisplay("\n".join([*head, *preview_lines(plan.new, changed, plan.unchanged)])))
    container.add_item(ui.Separator())
    container.add_item(_buttons(waiting))
    return ui.LayoutView(timeout=None).add_item(container)


def _buttons(waiting: Waiting) -> ui.ActionRow[ui.LayoutView]:
    plan = waiting.plan
    key = f"{IMPORT}:{waiting.campaign.id}:{waiting.draft.id}"
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    if plan.new or plan.changed:
        label = f"Import {len(plan.new)} new, {len(plan.changed)} changed"
        row.add_item(ui.Button(label=label, style=discord.ButtonStyle.success, custom_id=f"{key}:go:{plan.seen}"))
    return row.add_item(ui.Button(label="Cancel", custom_id=f"{key}:cancel"))


def _receipt(done: Imported) -> ui.LayoutView:
    plan = done.plan
    lines = [f"New: {len(plan.new)}", f"Changed: {len(plan.changed)}", f"As they were already: {plan.unchanged}"]
    return receipt(f"Imported: entry #{done.entry}", lines)
