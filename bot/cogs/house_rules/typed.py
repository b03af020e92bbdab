"""A table of one's own, typed into a window: `6-19 Nothing` on each line."""

from __future__ import annotations

from typing import Self

import discord
from discord import ui
from msgspec import Struct

from bot.cogs.house_rules import sent_files
from bot.core.campaigns import Campaign
from bot.errors import FaultyFile
from bot.ui.reply import AnyInteraction, submitted, text_field
from bot.ui.text import shorten
from rules.errors import BookError
from rules.typed_lines import NAME
from rules.typed_table import table_file

DIE, LINES = "die", "lines"
EXAMPLE = "1-5 It blows up\n6-19 Nothing\n20 Jackpot"
AGAIN = "Nothing was changed. Press Edit the text to fix it. I keep what you typed for a day."
MAX_DIE, MAX_LINES = 10, 4000


class TypedTable(Struct, frozen=True):
    """What stands in the window: the die, empty for the one that fits, and the lines."""

    die: str = ""
    lines: str = ""

    @classmethod
    def sent(cls, interaction: AnyInteraction) -> Self:
        """Return what a window was sent with."""
        fields = submitted(interaction)
        return cls(fields.get(DIE) or "", fields.get(LINES) or "")

    @classmethod
    def of(cls, text: str) -> Self:
        """Return what is kept as one text."""
        die, _, lines = text.partition("\n")
        return cls(die[:MAX_DIE], lines[:MAX_LINES])

    def text(self) -> str:
        """Return it as one text: the die on the first line."""
        return f"{self.die}\n{self.lines}"

    def file(self, name: str) -> str:
        """Return the file that brings a table of this name."""
        try:
            return table_file(name, self.die, self.lines)
        except BookError as error:
            raise FaultyFile(NAME, error.faults, AGAIN) from error


def window(campaign: Campaign, name: str, typed: TypedTable) -> ui.Modal:
    """Return the window into which a table of this name is typed, with what is to stand in it when it opens."""
    form = ui.Modal(title=shorten(name, 45), custom_id=sent_files.LINES.fill(campaign=campaign.id, name=name))
    label = "Die; leave it empty to use the highest number"
    form.add_item(
        text_field(DIE, label, placeholder="20, or 2d6", value=typed.die or None, limit=MAX_DIE, needed=False)
    )
    box: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=LINES,
        style=discord.TextStyle.paragraph,
        placeholder=EXAMPLE,
        default=typed.lines or None,
        max_length=MAX_LINES,
    )
    return form.add_item(ui.Label(text="Results, one per line", component=box))


def edit_button(campaign: Campaign, name: str, key: str) -> ui.Button[ui.View]:
    """Return the button that opens the window again with what is kept under a key."""
    return ui.Button(
        label="Edit the text", custom_id=sent_files.TEXT.fill(campaign=campaign.id, fingerprint=key, name=name)
    )
