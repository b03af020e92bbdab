"""Whether a campaign's own row and its erased texts are what its entries say: what no chain of hashes covers by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import SERVER_FIELDS, Campaign, settings_of
from bot.core.records import ERASURE, VOID
from bot.core.schema import entry_text

CAMPAIGN, HOUSE, UPGRADE = "campaign", "house", "upgrade"
"""The kinds of the entries that change settings, beside voids: a file of house rules that goes takes its tables along, and a migration has renamed campaigns."""


def setting_faults(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield what of a campaign's row, such as roles, books or whether it is archived, isn't what its entries have made of it.

    A setting that no entry names was made by a version without it, and isn't compared.
    """
    due, archived = _settings(tx, campaign.id)
    kept = settings_of(campaign)
    away = SERVER_FIELDS if campaign.guild_id == 0 else ()  # in a capsule nothing belongs to a server
    for name in sorted((due.keys() & kept.keys()).difference(away)):
        if kept[name] != due[name]:
            yield f"Its setting {name} is {kept[name]!r}, and the entries say {due[name]!r}."
    if archived != (campaign.archived_at is not None):
        yield f"It is {'open' if archived else 'archived'}, and the entries say {'archived' if archived else 'open'}."


def text_faults(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield a fault where more texts are gone than the entries of erasures account for."""
    mine = (entry_text.c.campaign_id == campaign.id, entry_text.c.text.is_(None), entry_text.c.salt.is_(None))
    gone = tx.scalar(sa.select(sa.func.count()).where(*mine)) or 0
    erased = sum(int(item.content()["erased"]) for item in entries.backwards(tx, campaign.id, ERASURE)) if gone else 0
    if gone > erased:
        yield f"{gone} texts are gone, and the entries of erasures account for {erased}."


def _settings(tx: Connection, campaign_id: int) -> tuple[dict[str, Any], bool]:
    """Return the settings that the entries add up to, as far as they name them, and whether the campaign is archived."""
    due: dict[str, Any] = {}
    archived = False
    for item in entries.of_kinds(tx, campaign_id, (CAMPAIGN, HOUSE, UPGRADE, VOID)):
        body = item.content()
        due |= body.get("created") or body.get("imported") or {}
        edited = ((name, change) for name, change in body.get("edited", {}).items() if isinstance(change, dict))
        due |= {name: change["after"] for name, change in edited}
        if due.get("name") in body.get("renamed", {}):
            due["name"] = body["renamed"][due["name"]]
        archived = body.get("archived", archived) is True
    return due, archived
