"""Names of public sites, as in addresses."""

import re
import unicodedata
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, get_campaign
from bot.core.entries import PUBLIC
from bot.core.schema import campaign, entry

SHORTEST, LONGEST = 3, 32
NAME = re.compile(rf"[a-z0-9][a-z0-9-]{{{SHORTEST - 2},{LONGEST - 2}}}[a-z0-9]")
_NAMED = sa.select(campaign.c.id).where(campaign.c.site == sa.bindparam("site"))
_ON = (campaign.c.site_on, campaign.c.away_since.is_(None))
_SERVED = _NAMED.where(*_ON)

_SHOWING = (
    sa.select(campaign.c.site)
    .join(entry, entry.c.campaign_id == campaign.c.id)
    .where(campaign.c.id == sa.bindparam("campaign"), entry.c.number == sa.bindparam("entry"))
    .where(*_ON, entry.c.audience.in_(PUBLIC))
)


def propose_name(tx: Connection, item: Campaign) -> str:
    """Return a free name like the campaign's."""
    letters = unicodedata.normalize("NFKD", item.name).encode("ascii", "ignore").decode().lower()
    stem = re.sub("[^a-z0-9]+", "-", letters).strip("-")[: LONGEST - 3].strip("-")
    first = stem if NAME.fullmatch(stem) else f"game-{item.id}"
    tried = (f"{first}-{count}" if count > 1 else first for count in range(1, 10))
    return next((name for name in tried if find_owner(tx, name) in {None, item.id}), "")


def find_owner(tx: Connection, name: str) -> int | None:
    """Return whose name (campaign id) this is."""
    return tx.scalar(_NAMED, {"site": name})


def find_site(tx: Connection, name: str) -> Campaign | None:
    """Return a site's campaign; None if off or away."""
    found = tx.scalar(_SERVED, {"site": name}) if NAME.fullmatch(name) else None
    return None if found is None else get_campaign(tx, found)


def find_page(tx: Connection, public_url: str, campaign_id: int, number: int) -> str | None:
    """Return a public entry's address; None while the site is off."""
    linkable = "." in urlsplit(public_url).netloc  # Discord refuses others, such as http://localhost
    name = tx.scalar(_SHOWING, {"campaign": campaign_id, "entry": number}) if linkable else None
    return None if name is None else f"{public_url}/{name}/{number}"


def list_sites(tx: Connection) -> list[str]:
    """Return the names of all sites."""
    return [*tx.scalars(sa.select(campaign.c.site).where(*_ON).order_by(campaign.c.site))]
