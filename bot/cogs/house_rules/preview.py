"""What a file of house rules would make of a campaign's books, or does: the books without and with it, or all its faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import Connection

from bot.core import house_files
from bot.core.campaigns import Campaign
from bot.core.house_files import Document, HouseFile
from bot.core.ledger import next_number
from bot.core.library import Library
from bot.errors import BadInput, NotOpen
from bot.ui.uploads import Fault, FaultyFile
from rules import house
from rules.book import HOUSE
from rules.errors import BookError
from rules.explain import known_list, suggestion
from rules.lines import Place
from rules.ruleset import RuleSet
from rules.subjects import name_key

MAX_FILES, MAX_TOTAL = 20, 512 * 1024
"""How many files can be on at once, and how many bytes they have together."""


@dataclass(frozen=True, slots=True)
class RulesPreview:
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
        """Tell whether it is shown against its version before."""
        return self.waits and self.old is not None and self.old.on and self.old.extends == self.file.extends


def preview_new(tx: Connection, library: Library, campaign: Campaign, name: str, sent: Document) -> RulesPreview:
    """Return a file as it would be switched on now, under this name.

    Raises:
        NotOpen: it is on just so already.
        FaultyFile: it has faults, or others have under it.
        BadInput: there is no room for it.

    """
    every = house_files.files(tx, campaign.id)
    on = [file for file in every if file.on]
    _require_change(on, sent)
    old = next((file for file in every if file.key == name_key(name)), None)
    others = [file for file in on if file is not old]
    _require_room(tx, campaign, others, sent)
    make = partial(library.with_files, tx, campaign)
    try:
        new = _next_version(tx, campaign, old, name, sent)
        before = make(new.extends, others)
        after = make(new.extends, _in_order([*others, new]), {sent.fingerprint: sent.text})
    except BookError as error:
        raise faulty(sent.file, name, error) from error
    preview = RulesPreview(campaign, _with_tables(new, before, after), before, after, waits=True, old=old)
    if not preview.follows or _fault(tx, library, campaign, new.extends, on) is not None:
        return preview
    return replace(preview, before=make(new.extends, on))


def preview_active(tx: Connection, library: Library, campaign: Campaign, name: str) -> RulesPreview | None:
    """Return a file that is on; None where there is none of this name.

    Raises:
        FaultyFile: it does not fit its book any more.

    """
    on = house_files.switched_on(tx, campaign.id)
    file = next((file for file in on if file.key == name_key(name)), None)
    if file is None:
        return None
    try:
        before = library.with_files(tx, campaign, file.extends, [other for other in on if other is not file])
        after = library.with_files(tx, campaign, file.extends, on)
    except BookError as error:
        raise faulty(file.file, file.name, error) from error
    return RulesPreview(campaign, _with_tables(file, before, after), before, after, waits=False)


def require_unused(tx: Connection, library: Library, campaign: Campaign, unwanted: HouseFile) -> None:
    """Refuse to take away what another file builds on; where they do not fit together anyway, it may be the culprit.

    Raises:
        BadInput: one does.

    """
    on = house_files.switched_on(tx, campaign.id)
    error = _fault(tx, library, campaign, unwanted.extends, [file for file in on if file.key != unwanted.key])
    if error is None or _fault(tx, library, campaign, unwanted.extends, on) is not None:
        return
    fault = error.faults[0]
    what = f"{fault.file} builds on {unwanted.name}. Line {fault.line}: {fault.what}."
    raise BadInput(what, f"Change or remove {fault.file} first.")


def faulty(file: str, name: str, error: BookError) -> FaultyFile:
    """Return what is wrong with a file, and behind it what is wrong with others under it, with their names."""
    own = (Fault(fault.line, fault.what) for fault in error.faults if fault.file == name)
    others = (Fault(fault.line, f"(of {fault.file}) {fault.what}") for fault in error.faults if fault.file != name)
    return FaultyFile(file, [*own, *others])


def _fault(
    tx: Connection, library: Library, campaign: Campaign, book_id: str, files: Sequence[HouseFile]
) -> BookError | None:
    """Return why files do not fit together over a book; None when they do."""
    try:
        library.with_files(tx, campaign, book_id, files)
    except BookError as error:
        return error
    return None


def _in_order(files: Sequence[HouseFile]) -> list[HouseFile]:
    """Return files in the order in which they count."""
    return sorted(files, key=lambda file: (file.since, file.key))


def _with_tables(file: HouseFile, before: RuleSet, after: RuleSet) -> HouseFile:
    """Return a file with the tables that it brings to a book."""
    return replace(
        file, tables={name: table.title for name, table in after.tables.items() if name not in before.tables}
    )


def _next_version(tx: Connection, campaign: Campaign, old: HouseFile | None, name: str, sent: Document) -> HouseFile:
    """Return the next version of a file; it keeps its place among the others where it stays on with the same book."""
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
    """Return the book that a file changes or adds to, which the campaign must play by."""
    written = house.read(name, sent.text.encode())
    extends = house.extends(written)
    if extends != HOUSE and extends not in campaign.books:
        hint = suggestion(extends, campaign.books) or known_list(campaign.books)
        what = f"{campaign.name} does not play by the book {extends}{hint}; /campaign edit books switches books on"
        raise BookError([Place(written, ("overlay", "extends")).fault(what)])
    return extends


def _require_change(on: Sequence[HouseFile], sent: Document) -> None:
    same = next((file for file in on if file.fingerprint == sent.fingerprint), None)
    if same is not None:
        raise NotOpen(f"That is on already: it is {same.label}, by entry #{same.entry}.", "Nothing was changed.")


def _require_room(tx: Connection, campaign: Campaign, others: Sequence[HouseFile], sent: Document) -> None:
    if len(others) >= MAX_FILES:
        raise BadInput(f"{len(others)} files are on, and no more fit.", "Take one out first, with /table remove.")
    texts = house_files.texts(tx, campaign.id, {file.fingerprint for file in others})
    total = sum(len(text.encode()) for text in (*texts.values(), sent.text))
    if total > MAX_TOTAL:
        what = f"With it, all files come to {total // 1024} KiB, and {MAX_TOTAL // 1024} KiB fit."
        raise BadInput(what, "Take one out first, with /table remove.")
