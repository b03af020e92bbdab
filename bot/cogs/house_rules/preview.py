"""What a file of house rules would make of a campaign's books, or does: the books without and with it, or all its faults."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import house_files
from bot.core.campaigns import Campaign
from bot.core.house_files import HouseFile, SentFile
from bot.core.ledger import next_number
from bot.core.library import Library
from bot.errors import BadInput, Fault, FaultyFile, NotAsItIs
from rules.book import HOUSE
from rules.documents import MAX_FAULTS, Place
from rules.errors import BookError
from rules.phrases import known_list, suggestion
from rules.ruleset import RuleSet
from rules.subjects import name_key

TRY_AGAIN = "Nothing was changed. Fix the file and send it again."
FIRST = f"These are the first {MAX_FAULTS} errors. There may be more."
MAX_FILES, MAX_TOTAL = 20, 512 * 1024
"""How many files can be on at once, and how many bytes they have together."""


class RulesPreview(Struct, frozen=True):
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


class KeptFiles(Struct, frozen=True):
    """All files that a campaign ever had, the texts (by fingerprint) of those that are on, and the number of its next entry."""

    campaign: Campaign
    files: Sequence[HouseFile]
    texts: Mapping[str, str]
    next_entry: int

    @property
    def on(self) -> list[HouseFile]:
        """Those that are on."""
        return [file for file in self.files if file.on]

    def bearing(self, name: str) -> HouseFile | None:
        """Return the file of a name, None where there is none."""
        return next((file for file in self.files if file.key == name_key(name)), None)

    def book(self, library: Library, book_id: str, files: Sequence[HouseFile], sent: SentFile | None = None) -> RuleSet:
        """Return a book with some of the files, and one that was sent.

        Raises:
            BookError: they do not fit together over it.

        """
        texts = self.texts if sent is None else {**self.texts, sent.fingerprint: sent.text}
        return library.with_files(self.campaign, book_id, files, partial(_of, texts))

    def fault(self, library: Library, book_id: str, files: Sequence[HouseFile]) -> BookError | None:
        """Return why files do not fit together over a book; None when they do."""
        try:
            self.book(library, book_id, files)
        except BookError as error:
            return error
        return None


def kept_files(tx: Connection, campaign: Campaign) -> KeptFiles:
    """Return the files of a campaign."""
    files = house_files.list_files(tx, campaign.id)
    texts = house_files.read_texts(tx, campaign.id, {file.fingerprint for file in files if file.on})
    return KeptFiles(campaign, files, texts, next_number(tx, campaign))


def preview_new(library: Library, kept: KeptFiles, name: str, sent: SentFile) -> RulesPreview:
    """Return a file as it would be switched on now, under this name."""
    on, old = kept.on, kept.bearing(name)
    _require_change(on, sent)
    others = [file for file in on if file is not old]
    _require_room(kept, others, sent)
    try:
        new = _next_version(kept, old, name, sent)
        before = kept.book(library, new.extends, others)
        after = kept.book(library, new.extends, _in_order([*others, new]), sent)
    except BookError as error:
        raise faulty(sent.file, name, error) from error
    preview = RulesPreview(kept.campaign, _with_tables(new, before, after), before, after, waits=True, old=old)
    if not preview.follows or kept.fault(library, new.extends, on) is not None:
        return preview
    return replace(preview, before=kept.book(library, new.extends, on))


def preview_active(library: Library, kept: KeptFiles, name: str) -> RulesPreview | None:
    """Return a file that is on; None where there is none of this name."""
    file = kept.bearing(name)
    if file is None or not file.on:
        return None
    try:
        before = kept.book(library, file.extends, [other for other in kept.on if other is not file])
        after = kept.book(library, file.extends, kept.on)
    except BookError as error:
        raise faulty(file.file, file.name, error) from error
    return RulesPreview(kept.campaign, _with_tables(file, before, after), before, after, waits=False)


def require_unused(library: Library, kept: KeptFiles, unwanted: HouseFile) -> None:
    """Refuse to take away what another file builds on; where they do not fit together anyway, it may be the culprit."""
    error = kept.fault(library, unwanted.extends, [file for file in kept.on if file.key != unwanted.key])
    if error is None or kept.fault(library, unwanted.extends, kept.on) is not None:
        return
    fault = error.faults[0]
    what = f"{fault.file} needs {unwanted.name}. Line {fault.line}: {fault.what}."
    raise BadInput(what, f"Change or remove {fault.file} first.")


def faulty(file: str, name: str, error: BookError) -> FaultyFile:
    """Return what is wrong with a file, and behind it what is wrong with others under it, with their names."""
    own = [fault for fault in error.faults if fault.file == name]
    others = [Fault(item.line, f"(of {item.file}) {item.what}") for item in error.faults if item.file != name]
    do = TRY_AGAIN if len(error.faults) < MAX_FAULTS else f"{FIRST} {TRY_AGAIN}"
    return FaultyFile(file, [*own, *others], do)


def _of(texts: Mapping[str, str], fingerprints: Collection[str]) -> dict[str, str]:
    return {fingerprint: texts[fingerprint] for fingerprint in fingerprints}


def _in_order(files: Sequence[HouseFile]) -> list[HouseFile]:
    """Return files in the order in which they count."""
    return sorted(files, key=lambda file: (file.since, file.key))


def _with_tables(file: HouseFile, before: RuleSet, after: RuleSet) -> HouseFile:
    """Return a file with the tables that it brings to a book."""
    return replace(
        file, tables={name: table.title for name, table in after.tables.items() if name not in before.tables}
    )


def _next_version(kept: KeptFiles, old: HouseFile | None, name: str, sent: SentFile) -> HouseFile:
    """Return the next version of a file; it keeps its place among the others where it stays on with the same book."""
    number = kept.next_entry
    extends = _extended(kept.campaign, name, sent)
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


def _extended(campaign: Campaign, name: str, sent: SentFile) -> str:
    """Return the book that a file changes or adds to, which the campaign must play by."""
    from rules import house  # noqa: PLC0415 - loads with the first file that is sent

    written = house.read_house_file(name, sent.text.encode())
    extends = house.find_book(written)
    if extends != HOUSE and extends not in campaign.books:
        hint = suggestion(extends, campaign.books) or known_list(campaign.books)
        what = f"{campaign.name} doesn't play the book {extends}{hint}. Turn books on with /campaign edit books"
        raise BookError([Place(written, ("overlay", "extends")).fault(what)])
    return extends


def _require_change(on: Sequence[HouseFile], sent: SentFile) -> None:
    same = next((file for file in on if file.fingerprint == sent.fingerprint), None)
    if same is not None:
        raise NotAsItIs(f"That's already on: {same.label}, entry #{same.entry}.", "Nothing was changed.")


def _require_room(kept: KeptFiles, others: Sequence[HouseFile], sent: SentFile) -> None:
    if len(others) >= MAX_FILES:
        raise BadInput(
            f"{len(others)} files are on, the most a campaign can have.", "Remove one first, with /table remove."
        )
    texts = _of(kept.texts, {file.fingerprint for file in others})
    total = sum(len(text.encode()) for text in (*texts.values(), sent.text))
    if total > MAX_TOTAL:
        what = f"With it, your files have {total // 1024} KiB. The limit is {MAX_TOTAL // 1024} KiB."
        raise BadInput(what, "Remove one first, with /table remove.")
