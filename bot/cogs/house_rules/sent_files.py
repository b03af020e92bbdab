"""Files and tables that were sent or typed: checked, kept for a day, and the window into which a table is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

import discord
from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import house_files
from bot.core.campaigns import Campaign, open_campaign
from bot.core.chores import KEPT_FOR
from bot.core.house_files import HouseFile, SentFile
from bot.core.ledger import Ledger
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput, FaultyFile, NotOpen, unknown_name
from bot.ui.components import IdTemplate
from bot.ui.reply import AnyInteraction, read_submitted, text_field
from bot.ui.text import shorten
from rules.errors import BookError
from rules.subjects import name_key, strip_unseen
from rules.typed_table import TYPED_NAME, table_file

SHORT = 16
"""Characters of a fingerprint that stand in ids."""

_FILE: Final = "table:{campaign:int}:{fingerprint:hex}:{version:int}:"
_PAGE: Final = ":{page:int}:{name:rest}"

SWITCH_ON = IdTemplate(_FILE + "on" + _PAGE)
DROP = IdTemplate(_FILE + "drop" + _PAGE)
LINES = IdTemplate("table:{campaign:int}:lines:{name:rest}")
"""The id of the window into which a table is typed, under the name that it is to have."""

TEXT = IdTemplate("table:{campaign:int}:{fingerprint:hex}:text:{name:rest}")
"""The id of the button that opens that window with what was typed before."""

LOOK = IdTemplate(_FILE + "look" + _PAGE)

ACTION = "change house rules"


def require_new(tx: Connection, campaign: Campaign, name: str) -> None:
    """Refuse a name for a new file that one which is on has."""
    require_follows(house_files.list_files(tx, campaign.id), name, follows=False)


def keep(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, file: str, text: str) -> str:
    """Keep what was typed and could not be used, as long as a file that waits; return the beginning of its fingerprint."""
    require_game_master(person, open_campaign(tx, campaign_id), ACTION)
    kept = SentFile(house_files.hash_file(text), file, text, ledger.now(), kept=False)
    house_files.store_file(tx, campaign_id, kept)
    return kept.fingerprint[:SHORT]


def read_again(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, fingerprint: str
) -> tuple[Campaign, str]:
    """Return what was typed and kept, with its campaign."""
    campaign = open_campaign(tx, campaign_id, lock=False)
    require_game_master(person, campaign, ACTION)
    return campaign, sent_before(tx, ledger, campaign_id, fingerprint).text


def sent_before(tx: Connection, ledger: Ledger, campaign_id: int, fingerprint: str) -> SentFile:
    """Return what was sent, by the beginning of its fingerprint."""
    sent = house_files.find_file(tx, campaign_id, fingerprint)
    if sent is None or (not sent.kept and sent.sent_at + KEPT_FOR < ledger.now()):
        raise NotOpen("That file is gone.", "It was discarded or is older than a day. Send it again.")
    return sent


MAX_NAME = 32
"""Characters of a file's name, as Discord counts them: it stands in the ids of buttons."""


def check_file_name(typed: str) -> str:
    """Return the name of a file, trimmed."""
    name = strip_unseen(typed)
    size = len(name.encode("utf-16-le")) // 2
    if not 1 <= size <= MAX_NAME:
        raise BadInput(f"A name has 1 to {MAX_NAME} characters, not {size}.", "Give the file another name.")
    return name


def require_follows(files: Sequence[HouseFile], name: str, *, follows: bool) -> None:
    """Check that a new file takes a new name, and another version one that is on."""
    on = next((file for file in files if file.on and file.key == name_key(name)), None)
    if on is not None and not follows:
        raise BadInput(f"{on.label} is already on.", "Send its next version with /table edit.")
    if on is None and follows:
        require_on(find_file(files, name))


def find_file(files: Sequence[HouseFile], typed: str) -> HouseFile:
    """Return the file of this name."""
    named = next((file for file in files if file.key == name_key(typed)), None)
    if named is None:
        names, what = [file.name for file in files], f"I can't find a file called {typed[:60]!r}."
        raise unknown_name(what, typed, names, "See them with /table list.")
    return named


def require_on(file: HouseFile) -> None:
    """Refuse a file that is off."""
    if not file.on:
        raise BadInput(f"{file.label} is off.", "Turn it on again with /table add, or download it with /table export.")


DIE, ROWS = "die", "lines"
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
        fields = read_submitted(interaction)
        return cls(fields.get(DIE) or "", fields.get(ROWS) or "")

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
            raise FaultyFile(TYPED_NAME, error.faults, AGAIN) from error


def window(campaign: Campaign, name: str, typed: TypedTable) -> ui.Modal:
    """Return the window into which a table of this name is typed, with what is to stand in it when it opens."""
    form = ui.Modal(title=shorten(name, 45), custom_id=LINES.fill(campaign=campaign.id, name=name))
    label = "Die; leave it empty to use the highest number"
    form.add_item(
        text_field(DIE, label, placeholder="20, or 2d6", value=typed.die or None, limit=MAX_DIE, needed=False)
    )
    box: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=ROWS,
        style=discord.TextStyle.paragraph,
        placeholder=EXAMPLE,
        default=typed.lines or None,
        max_length=MAX_LINES,
    )
    return form.add_item(ui.Label(text="Results, one per line", component=box))


def edit_button(campaign: Campaign, name: str, key: str) -> ui.Button[ui.View]:
    """Return the button that opens the window again with what is kept under a key."""
    return ui.Button(label="Edit the text", custom_id=TEXT.fill(campaign=campaign.id, fingerprint=key, name=name))
