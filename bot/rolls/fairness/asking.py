"""Ask random.org for a roll: chain the intent, ask, and hand the answer to the roll, which is made then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries
from bot.core.campaigns import Campaign, open_campaign
from bot.core.interludes import Interlude, Write, came, was_held
from bot.core.ledger import EntryDraft, Ledger
from bot.core.sealing import Vault
from bot.rolls.fairness.outside import INTENT, Given, Intent, intent_audience, intent_body, user_data
from bot.rolls.fairness.random_org import RandomOrg


class Wanted(Struct, frozen=True):
    """A roll for which random.org is to be asked: who makes it, what its faces hang on, and the salt of what was asked.

    One that is `private` is for its maker alone. An entry of the number `epoch_ends` is of the next epoch.
    """

    campaign_id: int
    user_id: int
    description: Mapping[str, Any]
    salt: str
    epoch_ends: int
    private: bool = False

    def behind(self, newest: int) -> dict[str, Any]:
        """Return what the faces hang on when the intent is chained behind the newest entry: all later numbers move up by one.

        What the roll's own transaction enters ahead of it stands in between.
        """
        entry = max(self.description["entry"], newest + 1) + 1
        return {**self.description, "entry": entry, "epoch": self.description["epoch"] + (entry >= self.epoch_ends)}


class Outside:
    """What random.org is asked with: the key with which campaigns' keys are encrypted, where the host has set one, and the way there."""

    def __init__(self, ledger: Ledger, vault: Vault | None, random_org: RandomOrg) -> None:
        self.vault, self.random_org = vault, random_org
        self._ledger = ledger

    def of(self, tx: Connection, campaign: Campaign, user_id: int, *, private: bool = False) -> AskedFor | None:
        """Return what mixes something from outside into a person's roll, which is theirs alone if it is `private`; None in a campaign without a key."""
        return AskedFor(self, tx, (campaign.id, user_id), private=private) if campaign.asks_outside else None

    async def ask(self, write: Write, wanted: Wanted) -> Given:
        """Chain the intent, ask random.org, and return what came of it. `write` runs the transaction of the intent."""
        key, given = await write(self._announce, wanted)
        if given.intent is None or given.description is None:
            return given  # type: ignore[no-any-return]
        name = given.intent.hash
        about = user_data(given.description["campaign"], name, given.description)
        reply = await self.random_org.ask(key, name, about)
        return replace(given, answer=reply.answer, lacking=reply.lacking)  # type: ignore[no-any-return]

    def _announce(self, tx: Connection, wanted: Wanted) -> tuple[str, Given]:
        """Chain the intent of a roll; return the key to ask with and the intent, or why nothing is asked."""
        campaign = open_campaign(tx, wanted.campaign_id)
        sealed = campaigns.outside_key(tx, campaign.id)
        key = None if sealed is None or self.vault is None else self.vault.open(sealed, campaign.uuid)
        if key is None:
            return "", Given(lacking={"why": "locked"})
        paused = self.random_org.paused(key)
        if paused is not None:
            return "", Given(lacking=paused)
        newest = entries.newest(tx, campaign.id, campaign.uuid)
        description = wanted.behind(newest.number)
        body = intent_body(description, private=wanted.private)
        draft = EntryDraft(INTENT, intent_audience(body), body)
        entry = self._ledger.append(tx, campaign.id, self._ledger.actor(tx, campaign, wanted.user_id), draft, newest)
        intent = Intent(entry.number, entry.header, entry.salt, entry.body)
        return key, Given(intent=intent, description=description, salt=wanted.salt)


class AskedFor:
    """What random.org is asked for the rolls of one transaction, as `draw.Mixer`: it is asked once."""

    def __init__(self, outside: Outside, tx: Connection, who: tuple[int, int], *, private: bool) -> None:
        self._outside, self._tx = outside, tx
        self._who, self._private = who, private

    def given(self, description: Mapping[str, Any], salt: str, epoch_ends: int) -> Given:
        """Return what was asked for a roll; see `draw.Mixer`."""
        if not was_held(self._tx):
            raise OutsideWanted(self._outside, Wanted(*self._who, description, salt, epoch_ends, self._private))
        given: Given | None = came(self._tx)
        return given or Given(lacking={"why": "several"})


class OutsideWanted(Interlude):
    """Raised when a roll is about to draw its first die, and random.org has not been asked for it yet."""

    def __init__(self, outside: Outside, wanted: Wanted) -> None:
        super().__init__("random.org is to be asked")
        self._outside, self._wanted = outside, wanted

    async def held(self, write: Write) -> Given:
        """Ask."""
        return await self._outside.ask(write, self._wanted)
