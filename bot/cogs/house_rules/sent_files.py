"""Files as they were sent: their names, the ids of the buttons under their previews, and those that wait to be switched on or fixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from bot.core import house_files
from bot.core.campaigns import Campaign, open_campaign
from bot.core.chores import KEPT_FOR
from bot.core.house_files import Document, HouseFile
from bot.core.ledger import Ledger
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput, NotOpen, unknown_name
from bot.ui.components import IdTemplate
from rules.names import visible
from rules.subjects import name_key

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
    require_follows(house_files.files(tx, campaign.id), name, follows=False)


def keep(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, file: str, text: str) -> str:
    """Keep what was typed and could not be used, as long as a file that waits; return the beginning of its fingerprint."""
    require_game_master(person, open_campaign(tx, campaign_id), ACTION)
    kept = Document(house_files.fingerprint(text), file, text, ledger.now(), kept=False)
    house_files.put(tx, campaign_id, kept)
    return kept.fingerprint[:SHORT]


def look(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, fingerprint: str) -> tuple[Campaign, str]:
    """Return what was typed and kept, with its campaign."""
    campaign = open_campaign(tx, campaign_id, lock=False)
    require_game_master(person, campaign, ACTION)
    return campaign, sent_before(tx, ledger, campaign_id, fingerprint).text


def sent_before(tx: Connection, ledger: Ledger, campaign_id: int, fingerprint: str) -> Document:
    """Return what was sent, by the beginning of its fingerprint."""
    sent = house_files.beginning(tx, campaign_id, fingerprint)
    if sent is None or (not sent.kept and sent.sent_at + KEPT_FOR < ledger.now()):
        raise NotOpen("That file is gone.", "It was discarded or is older than a day. Send it again.")
    return sent


MAX_NAME = 32
"""Characters of a file's name, as Discord counts them: it stands in the ids of buttons."""


def checked_name(typed: str) -> str:
    """Return the name of a file, trimmed."""
    name = visible(typed)
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
        require_on(named(files, name))


def named(files: Sequence[HouseFile], typed: str) -> HouseFile:
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
