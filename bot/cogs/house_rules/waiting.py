"""What waits to be switched on or mended: files as they were sent, and what was typed for a table and refused."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection

from bot.cogs.house_rules.ids import SHORT
from bot.cogs.house_rules.naming import require_follows
from bot.core import house_files
from bot.core.campaigns import Campaign, open_campaign
from bot.core.house_files import Document
from bot.core.ledger import Ledger
from bot.core.permissions import Person, require_game_master
from bot.errors import NotOpen

KEPT_FOR = timedelta(days=1)

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
    """Return what was typed and kept, with its campaign.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: it is not there any more, or the campaign is archived.

    """
    campaign = open_campaign(tx, campaign_id, lock=False)
    require_game_master(person, campaign, ACTION)
    return campaign, sent_before(tx, ledger, campaign_id, fingerprint).text


def sent_before(tx: Connection, ledger: Ledger, campaign_id: int, fingerprint: str) -> Document:
    """Return what was sent, by the beginning of its fingerprint."""
    sent = house_files.beginning(tx, campaign_id, fingerprint)
    if sent is None or (not sent.kept and sent.sent_at + KEPT_FOR < ledger.now()):
        raise NotOpen("That file is gone.", "It was discarded or is older than a day. Send it again.")
    return sent
