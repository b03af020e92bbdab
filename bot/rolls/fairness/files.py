"""Make the verification file of an entry for one person: of each entry of its epoch as much as they may know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import draws, entries, epochs
from bot.core.campaigns import Campaign
from bot.core.draws import PartLine, salt_at
from bot.core.epochs import Epoch
from bot.core.permissions import Person, audience_filter
from bot.core.records import GENESIS, Entry
from bot.core.seeds import build_merkle_tree, make_merkle_proof
from bot.errors import BadInput, NotOpen
from bot.rolls.fairness.document import (
    ASKED,
    FORMAT,
    DrawRecord,
    EntryRecord,
    EpochRecord,
    PartRecord,
    Salted,
    VerificationFile,
    situation,
)


class _Viewer(Struct, frozen=True):
    """Who asks: which entries they may know of, and whether they are a game master, who knows what is in them."""

    allowed: entries.AudienceFilter
    leads: bool

    def parts(self, entry: Entry) -> tuple[PartLine, ...]:
        """Return the records of the parts of an entry that they may know."""
        if entry.draw is None or not self.allowed.shows(entry):
            return ()
        parts = draws.read_record(entry.draw).parts
        return tuple(part for part in parts if self.leads or draws.may_know_part(entry.audience, part.who))

    def reads(self, entry: Entry) -> bool:
        """Return whether they may know more of an entry than that it is there."""
        if draws.has_parts(entry.draw):
            return bool(self.parts(entry))
        return self.allowed.shows(entry) and (self.leads or (entry.draw is None and entry.audience != "mixed"))


def document_of(tx: Connection, person: Person, campaign: Campaign, number: int) -> VerificationFile:
    """Return the verification file of an entry for a person."""
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    viewer = _Viewer(audience_filter(tx, person, campaign, mine), person.leads(campaign))
    asked = entries.get_entry(tx, campaign.id, number)
    if asked is None or not viewer.allowed.shows(asked):
        raise BadInput(f"You don't know of an entry #{number}.", "See /ledger list.")
    epoch = epochs.epoch_of_entry(tx, campaign.id, number)
    if epoch is None or epoch.first is None:
        raise NotOpen(f"Entry #{number} is from before dice were committed to.", "Later ones can be checked.")
    tree = build_merkle_tree(bytes.fromhex(epoch.secret))
    there = [*_entries(tx, campaign, epoch)]
    before = entries.get_entry(tx, campaign.id, epoch.first - 1)
    read = {item.book for item in there if item.draw is not None and viewer.reads(item)}
    return VerificationFile(
        format=FORMAT,
        campaign=campaign.uuid,
        about=number,
        epoch=EpochRecord(epoch.number, epoch.commitment(campaign.uuid), epoch.root, epoch.first, epoch.last),
        after=GENESIS if before is None else before.hash,
        entries=tuple(_record(viewer, epoch, tree, item) for item in there),
        books={name: content for name, _, content in entries.list_kept_books(tx, campaign.id) if name in read},
    )


def document_bytes(document: VerificationFile) -> bytes:
    """Return a file's bytes: JSON."""
    return msgspec.json.encode(document)


def _entries(tx: Connection, campaign: Campaign, epoch: Epoch) -> Iterator[Entry]:
    for item in entries.walk_entries(tx, campaign.id, after=(epoch.first or 1) - 1):
        if epoch.last is not None and item.number > epoch.last:
            return
        yield item


def _record(viewer: _Viewer, epoch: Epoch, tree: Sequence[Sequence[bytes]], item: Entry) -> EntryRecord:
    if not viewer.reads(item):
        return EntryRecord(item.number, item.hash)
    shown = EntryRecord(item.number, item.hash, item.header)
    if viewer.leads:
        shown = replace(shown, body=Salted(item.salt, item.body))
    if item.draw is None or item.draw_salt is None or not draws.has_parts(item.draw):
        return shown
    drawn = replace(shown, draw=_drawn(item.draw, item.draw_salt, viewer.parts(item), item))
    if epoch.closed_at is None:
        return drawn
    return replace(drawn, seed=epoch.seed(item.number).hex(), proof=make_merkle_proof(tree, epoch.slot(item.number)))


def _drawn(draw: str, secret: str, parts: Sequence[PartLine], item: Entry) -> DrawRecord:
    """Return the record of an entry's dice with these parts of it alone."""
    drawn, asked = draws.read_record(draw), situation(item.content()[ASKED]).placed
    placed = drawn.placed(secret)
    shown = (
        PartRecord(salt_at(secret, part.place), part.text, placed.proof(part.place), asked.proof(part.place))
        for part in parts
    )
    return DrawRecord(draws.salt_of_all(secret), drawn.of_all, tuple(shown))
