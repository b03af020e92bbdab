"""Make an entry's verification file: as much of its epoch as one person may know."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import draws, entries, epochs
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotOpen
from bot.core.ledger import Epoch
from bot.core.permissions import Person, audience_filter
from bot.core.records import GENESIS, Entry
from bot.core.seeds import build_merkle_tree, make_merkle_proof
from bot.rolls.fairness import document
from bot.rolls.fairness.draw import ASKED, situation


class _Viewer(Struct, frozen=True):
    """Who asks: the entries they may know of, and whether they are a game master."""

    allowed: entries.AudienceFilter
    leads: bool

    def parts(self, entry: Entry) -> tuple[draws.PartLine, ...]:
        if entry.draw is None or not self.allowed.shows(entry):
            return ()
        parts = draws.read_record(entry.draw).parts
        return tuple(part for part in parts if self.leads or draws.may_know_part(entry.audience, part.who))

    def reads(self, entry: Entry) -> bool:
        if draws.has_parts(entry.draw):
            return bool(self.parts(entry))
        return self.allowed.shows(entry) and (self.leads or (entry.draw is None and entry.audience != "mixed"))


def document_of(tx: Connection, person: Person, campaign: Campaign, number: int) -> document.VerificationFile:
    """Return an entry's verification file for a person, if they may know it."""
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    viewer = _Viewer(audience_filter(tx, person, campaign, mine), person.leads(campaign))
    asked = entries.get_entry(tx, campaign.id, number)
    if asked is None or not viewer.allowed.shows(asked):
        raise BadInput(f"You don't know of an entry #{number}.", "See /ledger list.")
    epoch = epochs.epoch_of_entry(tx, campaign.id, number)
    if epoch is None or epoch.first is None:
        raise NotOpen(f"Entry #{number} is from before dice were committed to.", "Later ones can be checked.")
    tree = build_merkle_tree(bytes.fromhex(epoch.secret))
    there = [*_list_entries(tx, campaign, epoch)]
    before = entries.get_entry(tx, campaign.id, epoch.first - 1)
    read = {item.book for item in there if item.draw is not None and viewer.reads(item)}
    return document.VerificationFile(
        format=document.FORMAT,
        campaign=campaign.uuid,
        about=number,
        epoch=document.EpochRecord(epoch.number, epoch.commitment(campaign.uuid), epoch.root, epoch.first, epoch.last),
        after=GENESIS if before is None else before.hash,
        entries=tuple(_record(viewer, epoch, tree, item) for item in there),
        books={name: content for name, _, content in entries.list_kept_books(tx, campaign.id) if name in read},
    )


def document_bytes(made: document.VerificationFile) -> bytes:
    """Return a file as JSON."""
    return msgspec.json.encode(made)


def _list_entries(tx: Connection, campaign: Campaign, epoch: Epoch) -> Iterator[Entry]:
    for item in entries.walk_entries(tx, campaign.id, after=(epoch.first or 1) - 1):
        if epoch.last is not None and item.number > epoch.last:
            return
        yield item


def _record(viewer: _Viewer, epoch: Epoch, tree: Sequence[Sequence[bytes]], item: Entry) -> document.EntryRecord:
    if not viewer.reads(item):
        return document.EntryRecord(item.number, item.hash)
    shown = document.EntryRecord(item.number, item.hash, item.header)
    if viewer.leads:
        shown = replace(shown, body=document.SaltedRecord(item.salt, item.body))
    if item.draw is None or item.draw_salt is None or not draws.has_parts(item.draw):
        return shown
    drawn = replace(shown, draw=_make_draw_record(item.draw, item.draw_salt, viewer.parts(item), item))
    if epoch.closed_at is None:
        return drawn
    return replace(drawn, seed=epoch.seed(item.number).hex(), proof=make_merkle_proof(tree, epoch.slot(item.number)))


def _make_draw_record(draw: str, secret: str, parts: Sequence[draws.PartLine], item: Entry) -> document.DrawRecord:
    drawn, asked = draws.read_record(draw), situation(item.content()[ASKED]).placed
    placed = drawn.place_texts(secret)
    shown = (
        document.PartRecord(
            draws.salt_at(secret, part.place), part.text, placed.proof(part.place), asked.proof(part.place)
        )
        for part in parts
    )
    return document.DrawRecord(draws.salt_of_all(secret), drawn.of_all, tuple(shown))
