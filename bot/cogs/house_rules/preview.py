"""What a file of house rules would make of a campaign's books, or does: the books without and with it, or all its faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from bot.core import house_files
from bot.core.campaigns import Campaign
from bot.core.house_files import Document, HouseFile
from bot.core.ledger import next_number
from bot.core.library import Library
from bot.core.subjects import subject_key
from bot.errors import BadInput, NotOpen
from bot.ui.uploads import Fault, Faulty
from rules import house
from rules.book import HOUSE
from rules.errors import BookError
from rules.explain import known_list, suggestion
from rules.lines import Place
from rules.ruleset import RuleSet

MAX_FILES, MAX_TOTAL = 20, 512 * 1024
"""How many files can be on at once, and how many bytes they have together."""


@dataclass(frozen=True, slots=True)
class Look:
    """A file with the book that it makes, beside the book as it is without it; `waits` while it is not on.

    `old` is the version before it; where that one is on, the book beside it is the one that `old` makes, so that they show
    what the next version changes.
    """

    campaign: Campaign
    file: HouseFile
    before: RuleSet
    after: RuleSet
    waits: bool
    old: HouseFile | None = None

    @property
    def follows(self) -> bool:
        """Whether it is shown against its version before."""
        return self.waits and self.old is not None and self.old.on and self.old.extends == self.file.extends


class Looks:
    """Holds files against the books of a campaign, in the caller's transaction."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def candidate(self, tx: Connection, campaign: Campaign, name: str, sent: Document) -> Look:
        """A file as it would be switched on now, under this name.

        Raises:
            NotOpen: it is on just so already.
            Faulty: it has faults, or others have under it.
            BadInput: there is no room for it.

        """
        every = house_files.files(tx, campaign.id)
        on = [file for file in every if file.on]
        for file in on:
            if file.fingerprint == sent.fingerprint:
                raise NotOpen(
                    f"That is on already: it is {file.label}, by entry #{file.entry}.", "Nothing was changed."
                )
        old = next((file for file in every if file.key == subject_key(name)), None)
        others = [file for file in on if file is not old]
        _require_room(tx, campaign, others, sent)
        try:
            new = _next(tx, campaign, old, name, sent)
            looked = replace(self._made(tx, campaign, others, new, {sent.fingerprint: sent.text}), old=old)
        except BookError as error:
            raise faulty(sent.file, name, error) from error
        if old is None or not looked.follows or self._fault(tx, campaign, old.extends, on) is not None:
            return looked
        return replace(looked, before=self.library.made(tx, campaign, old.extends, on))

    def shown(self, tx: Connection, campaign: Campaign, name: str) -> Look | None:
        """A file that is on; None where there is none of this name.

        Raises:
            Faulty: it does not fit its book any more.

        """
        on = house_files.switched_on(tx, campaign.id)
        file = next((file for file in on if file.key == subject_key(name)), None)
        if file is None:
            return None
        try:
            looked = self._made(tx, campaign, [other for other in on if other is not file], file, {})
        except BookError as error:
            raise faulty(file.file, file.name, error) from error
        return replace(looked, waits=False)

    def require_unused(self, tx: Connection, campaign: Campaign, gone: HouseFile) -> None:
        """Refuse to take away what another file builds on; where they do not fit together anyway, it may be the culprit.

        Raises:
            BadInput: one does.

        """
        on = house_files.switched_on(tx, campaign.id)
        error = self._fault(tx, campaign, gone.extends, [file for file in on if file.key != gone.key])
        if error is None or self._fault(tx, campaign, gone.extends, on) is not None:
            return
        fault = error.faults[0]
        what = f"{fault.file} builds on {gone.name}. Line {fault.line}: {fault.what}."
        raise BadInput(what, f"Change or remove {fault.file} first.")

    def _fault(self, tx: Connection, campaign: Campaign, book_id: str, files: Sequence[HouseFile]) -> BookError | None:
        try:
            self.library.made(tx, campaign, book_id, files)
        except BookError as error:
            return error
        return None

    def _made(
        self, tx: Connection, campaign: Campaign, others: Sequence[HouseFile], new: HouseFile, fresh: Mapping[str, str]
    ) -> Look:
        """The books without and with a file."""
        files = sorted([*others, new], key=lambda file: (file.since, file.key))
        before = self.library.made(tx, campaign, new.extends, others)
        after = self.library.made(tx, campaign, new.extends, files, fresh)
        brought = {name: table.title for name, table in after.tables.items() if name not in before.tables}
        return Look(campaign, replace(new, tables=brought), before, after, waits=True)


def faulty(file: str, name: str, error: BookError) -> Faulty:
    """What is wrong with a file, and behind it what is wrong with others under it, with their names."""
    own = (Fault(fault.line, fault.what) for fault in error.faults if fault.file == name)
    others = (Fault(fault.line, f"(of {fault.file}) {fault.what}") for fault in error.faults if fault.file != name)
    return Faulty(file, [*own, *others])


def _next(tx: Connection, campaign: Campaign, old: HouseFile | None, name: str, sent: Document) -> HouseFile:
    """The next version of a file; it keeps its place among the others where it stays on with the same book."""
    number = next_number(tx, campaign)
    extends = _extended(campaign, name, sent)
    return HouseFile(
        name=name,
        version=old.version + 1 if old else 1,
        fingerprint=sent.fingerprint,
        file=sent.file,
        extends=extends,
        tables={},
        entry=number,
        since=old.since if old and old.on and old.extends == extends else number,
        on=True,
    )


def _extended(campaign: Campaign, name: str, sent: Document) -> str:
    """The book that a file changes or adds to, which the campaign must play by."""
    written = house.read(name, sent.text.encode())
    extends = house.extends(written)
    if extends != HOUSE and extends not in campaign.books:
        hint = suggestion(extends, campaign.books) or known_list(campaign.books)
        what = f"{campaign.name} does not play by the book {extends}{hint}; /campaign edit books switches books on"
        raise BookError([Place(written, ("overlay", "extends")).fault(what)])
    return extends


def _require_room(tx: Connection, campaign: Campaign, others: Sequence[HouseFile], sent: Document) -> None:
    if len(others) >= MAX_FILES:
        raise BadInput(f"{len(others)} files are on, and no more fit.", "Take one out first, with /table remove.")
    texts = house_files.texts(tx, campaign.id, {file.fingerprint for file in others})
    total = sum(len(text.encode()) for text in (*texts.values(), sent.text))
    if total > MAX_TOTAL:
        what = f"With it, all files come to {total // 1024} KiB, and {MAX_TOTAL // 1024} KiB fit."
        raise BadInput(what, "Take one out first, with /table remove.")
