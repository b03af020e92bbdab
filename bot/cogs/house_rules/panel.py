"""House rules in Discord: the preview of a file with its buttons, lists, tables with their odds, and files handed out."""

from __future__ import annotations

import io
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.house_rules.embed import MEND, closed_lines, list_pages, look_lines, named_lines, table_lines
from bot.cogs.house_rules.preview import Look
from bot.cogs.house_rules.service import SHORT, Done, HouseRules, Upload
from bot.core.permissions import require_game_master
from bot.errors import NotOpen
from bot.rolls.desk import RollDesk
from bot.ui.colours import COLOURS
from bot.ui.paging import chunks
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, number, person, promise, redraw, say
from bot.ui.text import plain, within
from bot.ui.uploads import Faulty, read_file, tell_faults
from rules.house import MAX_BYTES, MAX_FAULTS

TABLE = "table"
"""How the ids of buttons under house rules begin."""

ROOM = 3300
"""Characters of a page, so that what stands around it has room within the 4,000 of a message."""

FIRST = f"These are the first {MAX_FAULTS} faults; there may be more."
CHANGED = "Something has changed since you looked. Look again, then press."


@dataclass(frozen=True, slots=True)
class Press:
    """One use of a button: of which campaign and file, which version of it was shown, and which page is asked for."""

    interaction: Interaction
    campaign: int
    short: str
    version: int
    page: int
    name: str


class HousePanel:
    """Shows files and tables, and switches files on and off."""

    def __init__(self, desk: RollDesk, rules: HouseRules) -> None:
        self._desk = desk
        self._rules = rules
        self._deeds: dict[str, Callable[[Press], Awaitable[None]]] = {
            "on": self._switch_on,
            "drop": self._drop,
            "look": self._look,
        }

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """A button, `table:<campaign>:<fingerprint>:<version>:<do>:<page>:<name>`; a name may have colons."""
        promise(interaction)
        match words:
            case [campaign, short, version, do, page, *name] if do in self._deeds:
                if not re.fullmatch(f"[0-9a-f]{{{SHORT}}}", short):
                    raise NotOpen(*STALE)
                press = Press(interaction, number(campaign), short, number(version), number(page), ":".join(name))
            case _:
                raise NotOpen(*STALE)
        await self._told(interaction, self._deeds[do](press))

    async def prepare(self, interaction: Interaction, name: str, file: discord.Attachment, *, follows: bool) -> None:
        """Answer with what a file would bring and change, or with all that is wrong with it."""
        campaign = await self._desk.campaign(interaction)
        require_game_master(person(interaction), campaign, "change house rules")
        upload = Upload(name, file.filename, await read_file(file, MAX_BYTES), follows)

        async def look() -> None:
            looked = await self._rules.prepare(person(interaction), campaign, upload)
            await say(interaction, view=_draw(looked))

        await self._told(interaction, look())

    async def listing(self, interaction: Interaction) -> None:
        """Answer with all files, or with the tables that are open to whoever asks."""
        shelf = await self._rules.listed(person(interaction), await self._desk.campaign(interaction))
        for page in list_pages(shelf.campaign.name, shelf.files, shelf.tables):
            await say(interaction, embeds=page)

    async def show(self, interaction: Interaction, name: str) -> None:
        """Answer with a file that is on, or with one table."""
        campaign = await self._desk.campaign(interaction)

        async def show() -> None:
            found = await self._rules.show(person(interaction), campaign, name)
            told = named_lines if person(interaction).leads(campaign) else table_lines
            views = [_draw(found)] if isinstance(found, Look) else map(_page, chunks(told(found), ROOM))
            for view in views:
                await say(interaction, view=view)

        await self._told(interaction, show())

    async def remove(self, interaction: Interaction, name: str) -> None:
        """Switch a file off and say so."""
        campaign = await self._desk.campaign(interaction)
        done = await self._rules.remove(person(interaction), campaign.id, name)
        told = "Its versions are kept: /table export hands them out, and /table add switches one on again."
        title = f"{plain(done.file.label)} is off: entry #{done.entry}"
        await say(interaction, view=receipt(title, [told, *closed_lines(done.closed)]))

    async def export(self, interaction: Interaction, name: str, version: int | None) -> None:
        """Answer with a file as it was sent."""
        campaign = await self._desk.campaign(interaction)
        found, text = await self._rules.export(person(interaction), campaign, name, version)
        label = f"{plain(found.name)} v{version or found.version}"
        called = re.sub(r"[^\w-]+", "-", found.name).strip("-") or "rules"
        sent = discord.File(io.BytesIO(text.encode()), f"{called}-v{version or found.version}.toml")
        await say(interaction, content=f"{label}, as it was sent. Change it and send it with /table edit.", file=sent)

    async def _switch_on(self, press: Press) -> None:
        done = await self._rules.switch_on(
            person(press.interaction), press.campaign, press.short, press.name, press.version
        )
        if not isinstance(done, Done):
            await redraw(press.interaction, _draw(done, notice=_meanwhile(done)))
            return
        lines = closed_lines(done.closed)
        lines += [f"\N{BULLET} {plain(title)}: /table roll name:{name}" for name, title in done.file.tables.items()]
        title = f"{plain(done.file.label)} is on: entry #{done.entry}"
        await redraw(press.interaction, receipt(title, list(within(ROOM, lines))))

    async def _drop(self, press: Press) -> None:
        await self._rules.drop(person(press.interaction), press.campaign, press.short)
        await redraw(press.interaction, receipt("Discarded: nothing was changed", [], COLOURS["neutral"]))

    async def _look(self, press: Press) -> None:
        looked = await self._rules.look(person(press.interaction), press.campaign, press.short, press.name)
        await redraw(press.interaction, _draw(looked, press.page))

    @staticmethod
    async def _told(interaction: Interaction, work: Awaitable[None]) -> None:
        """Do something, or answer with all faults of the file that is in the way."""
        try:
            await work
        except Faulty as faulty:
            await tell_faults(interaction, faulty, MEND if len(faulty.faults) < MAX_FAULTS else f"{FIRST} {MEND}")


def _meanwhile(looked: Look) -> str:
    """What has happened under the name of a file since it was looked at."""
    old = looked.old
    if old is None:
        return CHANGED
    state = "on by now" if old.on else "off by now"
    instead = ": this would replace it" if old.on else ""
    return f"{plain(old.label)} is {state} (entry #{old.entry}){instead}. Look again, then press."


def _draw(looked: Look, page: int = 0, notice: str | None = None) -> ui.LayoutView:
    """One page of what a file brings and changes, with buttons to the others, and to switch it on while it is not."""
    pages = list(chunks(look_lines(looked.file, looked.before, looked.after), ROOM))
    page = min(page, len(pages) - 1)
    head = [f"## {plain(looked.file.label)}", f"-# {plain(looked.campaign.name)}"]
    head[1] += (
        " \N{MIDDLE DOT} nothing is switched on yet"
        if looked.waits
        else f" \N{MIDDLE DOT} on since entry #{looked.file.entry}"
    )
    head[1] += f" \N{MIDDLE DOT} against {plain(looked.old.label)}" if looked.old and looked.follows else ""
    head[1] += f" \N{MIDDLE DOT} page {page + 1} of {len(pages)}" if len(pages) > 1 else ""
    head += [f"\N{WARNING SIGN} **{notice}**"] if notice else []
    return _page("\n".join([*head, pages[page]]), _buttons(looked, page, len(pages)))


def _page(text: str, buttons: ui.ActionRow[ui.LayoutView] | None = None) -> ui.LayoutView:
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    container.add_item(ui.TextDisplay(text))
    if buttons is not None and buttons.children:
        container.add_item(ui.Separator())
        container.add_item(buttons)
    return ui.LayoutView(timeout=None).add_item(container)


def _buttons(looked: Look, page: int, pages: int) -> ui.ActionRow[ui.LayoutView]:
    file = looked.file

    def key(do: str, shown: int) -> str:
        words = (TABLE, looked.campaign.id, file.fingerprint[:SHORT], file.version, do, shown, file.name)
        return ":".join(map(str, words))

    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    if looked.waits:
        row.add_item(ui.Button(label="Switch on", style=discord.ButtonStyle.success, custom_id=key("on", page)))
        row.add_item(ui.Button(label="Discard", custom_id=key("drop", page)))
    if page > 0:
        row.add_item(ui.Button(label="Back", custom_id=key("look", page - 1)))
    if page + 1 < pages:
        row.add_item(ui.Button(label="More", custom_id=key("look", page + 1)))
    return row
