"""Sent and typed files: check, keep for a day, preview."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import database, library, permissions
from bot.core.campaigns import Campaign, open_campaign
from bot.core.errors import BadInput, FaultyFile, FileFault, NotAsItIs, NotOpen, unknown_name
from bot.core.ledger import Ledger, next_number
from bot.core.library import HouseFile, Library, SentFile
from bot.orders import kinds, standing
from bot.ui import reply
from rules import documents, editable_table, errors, phrases, sheet_table, subjects
from rules.acts import list_order_acts
from rules.book import HOUSE
from rules.ruleset import RuleSet

SHORT = 16  # characters of a fingerprint in ids
_FILE: Final = "table:{campaign:int}:{fingerprint:hex}:{version:int}:"
_PAGE: Final = ":{page:int}:{name:rest}"

SWITCH_ON = reply.IdTemplate(_FILE + "on" + _PAGE)
DROP = reply.IdTemplate(_FILE + "drop" + _PAGE)
LOOK = reply.IdTemplate(_FILE + "look" + _PAGE)
REMOVE = reply.IdTemplate("table:{campaign:int}:remove:{version:int}:{name:rest}")
EXPORT = reply.IdTemplate("table:{campaign:int}:export:{name:rest}")
BEGIN = reply.IdTemplate("table:{campaign:int}:begin")

ACTION = "change house rules"
TYPED = "typed.toml"
"""The file name of a table made in Discord."""
EDITABLE = (TYPED, ".csv", ".tsv")


def keep(tx: Connection, ledger: Ledger, person: permissions.Person, campaign_id: int, file: str, text: str) -> str:
    """Keep a refused file's text for a day; return its fingerprint's start."""
    permissions.require_game_master(person, open_campaign(tx, campaign_id), ACTION)
    kept = SentFile(library.hash_file(text), file, text, ledger.now(), kept=False)
    library.store_file(tx, campaign_id, kept)
    return kept.fingerprint[:SHORT]


def read_again(
    tx: Connection, ledger: Ledger, person: permissions.Person, campaign_id: int, fingerprint: str
) -> tuple[Campaign, str]:
    """Return a campaign and the text kept there, by the start of its fingerprint."""
    campaign = open_campaign(tx, campaign_id, lock=False)
    permissions.require_game_master(person, campaign, ACTION)
    return campaign, find_sent(tx, ledger, campaign_id, fingerprint).text


def find_sent(tx: Connection, ledger: Ledger, campaign_id: int, fingerprint: str) -> SentFile:
    """Find a sent file by its fingerprint's start; refuse one older than a day."""
    sent = library.find_file(tx, campaign_id, fingerprint)
    if sent is None or (not sent.kept and sent.sent_at + database.KEPT_FOR < ledger.now()):
        raise NotOpen("That file is gone.", "It was discarded or is older than a day. Send it again.")
    return sent


MAX_NAME = 32
"""Characters as Discord counts them, as names are part of buttons' ids."""


def check_file_name(typed: str) -> str:
    """Return a file's name, trimmed."""
    name = subjects.strip_unseen(typed)
    size = len(name.encode("utf-16-le")) // 2
    if not 1 <= size <= MAX_NAME:
        raise BadInput(f"A name has 1 to {MAX_NAME} characters, not {size}.", "Give the file another name.")
    return name


def find_file(files: Sequence[HouseFile], typed: str) -> HouseFile:
    """Find a file by name."""
    named = next((file for file in files if file.key == subjects.name_key(typed)), None)
    if named is None:
        names, what = [file.name for file in files], f"I can't find a file called {typed[:60]!r}."
        raise unknown_name(what, typed, names, "See them with /table show.")
    return named


def require_on(file: HouseFile) -> None:
    """Refuse a file that is off."""
    if not file.on:
        raise BadInput(f"{file.label} is off.", "Turn it on again with /gm rules. /table show exports it.")


PAGE = "https://github.com/adjutant-bot/adjutant/blob/main/docs/homebrew.md"
TRY_AGAIN = f"Nothing was changed. Fix the file and send it again. [How files are written]({PAGE})"
FIRST = f"These are the first {documents.MAX_FAULTS} errors. There may be more."
MAX_FILES, MAX_TOTAL = 20, 512 * 1024


class RulesPreview(Struct, frozen=True):
    """A book without and with a file; `before` has the `old` version if that is on. `lost`: open orders without rules."""

    campaign: Campaign
    file: HouseFile
    before: RuleSet
    after: RuleSet
    waits: bool
    old: HouseFile | None = None
    table: editable_table.EditableTable | None = None
    lost: int = 0

    @property
    def follows(self) -> bool:
        """Whether the preview compares the file with its earlier version."""
        return self.waits and self.old is not None and self.old.on and self.old.extends == self.file.extends


class UnusedFile(Struct, frozen=True):
    """A file that is off, or on but broken (`error`)."""

    campaign: Campaign
    file: HouseFile
    error: FaultyFile | None = None


class KeptFiles(Struct, frozen=True):
    """A campaign's files, texts (by fingerprint) of those on, and open orders."""

    campaign: Campaign
    files: Sequence[HouseFile]
    texts: Mapping[str, str]
    next_entry: int
    orders: Sequence[standing.StandingOrder]

    @property
    def on(self) -> list[HouseFile]:
        """Files that are on."""
        return [file for file in self.files if file.on]

    def find(self, name: str) -> HouseFile | None:
        """Find a file by name."""
        return next((file for file in self.files if file.key == subjects.name_key(name)), None)

    def book(self, library: Library, book_id: str, files: Sequence[HouseFile], sent: SentFile | None = None) -> RuleSet:
        """Return a book with these house rules, which may include a `sent` file.

        Raises:
            BookError: they don't work together.

        """
        texts = self.texts if sent is None else {**self.texts, sent.fingerprint: sent.text}
        return library.with_files(self.campaign, book_id, files, partial(_pick_texts, texts))

    def fault(self, library: Library, book_id: str, files: Sequence[HouseFile]) -> errors.BookError | None:
        """Return why files don't work together over a book."""
        try:
            self.book(library, book_id, files)
        except errors.BookError as error:
            return error
        return None


def read_files(tx: Connection, campaign: Campaign) -> KeptFiles:
    """Read a campaign's files."""
    files = library.list_house_files(tx, campaign.id)
    texts = library.read_texts(tx, campaign.id, {file.fingerprint for file in files if file.on})
    orders = [item for item in standing.all_orders(tx, campaign) if item.is_unresolved]
    return KeptFiles(campaign, files, texts, next_number(tx, campaign), orders)


def combine_others(library: Library, kept: KeptFiles, without: str) -> RuleSet:
    """Return own rules without one file, if they fit."""
    others = [file for file in kept.on if file.key != subjects.name_key(without)]
    try:
        return kept.book(library, HOUSE, others)
    except errors.BookError:
        return library.shipped[HOUSE]


def preview_new(library: Library, kept: KeptFiles, name: str, sent: SentFile) -> RulesPreview:
    """Preview a sent file."""
    on, old = kept.on, kept.find(name)
    name = old.name if old else name  # spelled as before
    same = next((file for file in on if file.fingerprint == sent.fingerprint), None)
    if same is not None:
        raise NotAsItIs(f"That's already on: {same.label}, entry #{same.entry}.", "Nothing was changed.")
    others = [file for file in on if file is not old]
    _require_room(kept, others, sent)
    try:
        new = _next_version(kept, old, name, sent)
        before = _find_rules_before(library, kept, new.extends, others)
        after = kept.book(library, new.extends, sorted([*others, new], key=lambda file: (file.since, file.key)), sent)
    except errors.BookError as error:
        raise describe_faults(sent.file, name, error) from error
    shown = (_with_tables(new, before, after), before, after)
    known, table = kinds.by_key([after]), _find_table(kept, new, sent.text)
    lost = sum(item.book == after.id and (item.book, item.kind) not in known for item in kept.orders)
    preview = RulesPreview(kept.campaign, *shown, waits=True, old=old, table=table, lost=lost)
    if not preview.follows or kept.fault(library, new.extends, on) is not None:
        return preview
    return replace(preview, before=kept.book(library, new.extends, on))


def preview_active(library: Library, kept: KeptFiles, name: str) -> RulesPreview | None:
    """Preview a file that is on; None if it's off or missing."""
    file = kept.find(name)
    if file is None or not file.on:
        return None
    others = [other for other in kept.on if other is not file]
    try:
        before = _find_rules_before(library, kept, file.extends, others)
        after = kept.book(library, file.extends, kept.on)
    except errors.BookError as error:
        raise describe_faults(file.file, file.name, error) from error
    table = _find_table(kept, file, kept.texts[file.fingerprint])
    return RulesPreview(kept.campaign, _with_tables(file, before, after), before, after, waits=False, table=table)


def _find_rules_before(library: Library, kept: KeptFiles, book: str, others: Sequence[HouseFile]) -> RuleSet:
    needed = kept.fault(library, book, others) is not None  # they don't work without the file
    return kept.book(library, book, [] if needed else others)


def _find_table(kept: KeptFiles, file: HouseFile, text: str) -> editable_table.EditableTable | None:
    made_here = file.file.casefold().endswith(EDITABLE) and kept.campaign.archived_at is None
    return sheet_table.open_draft(text) if made_here else None


def require_unused(library: Library, kept: KeptFiles, unwanted: HouseFile) -> None:
    """Refuse to switch off what another file needs."""
    error = kept.fault(library, unwanted.extends, [file for file in kept.on if file.key != unwanted.key])
    if error is None or kept.fault(library, unwanted.extends, kept.on) is not None:
        return
    fault = error.faults[0]
    what = f"{fault.file} needs {unwanted.name}. Line {fault.line}: {fault.what}."
    raise BadInput(what, f"Change or remove {fault.file} first.")


def describe_faults(file: str, name: str, error: errors.BookError) -> FaultyFile:
    """Return the refusal of a file: its own faults, then others'."""
    own = [fault for fault in error.faults if fault.file == name]
    others = [FileFault(item.line, f"(of {item.file}) {item.what}") for item in error.faults if item.file != name]
    do = TRY_AGAIN if len(error.faults) < documents.MAX_FAULTS else f"{FIRST} {TRY_AGAIN}"
    return FaultyFile(file, [*own, *others], do)


def _pick_texts(texts: Mapping[str, str], fingerprints: Collection[str]) -> dict[str, str]:
    return {fingerprint: texts[fingerprint] for fingerprint in fingerprints}


def _with_tables(file: HouseFile, before: RuleSet, after: RuleSet) -> HouseFile:
    new = {name: item for name, item in after.procedures.items() if name not in before.procedures}
    mine = {name: item.title for name, item in new.items() if item.policy.on_request}
    inside = {*(act.id for act in list_order_acts(after.catalog)), *(act.rolls for act in after.acts.values())}
    inside |= {item.id for item in after.upkeep.values() if item.rolls is None}
    offered = after.tables if file.extends != HOUSE else mine.keys() - inside
    offers = {name: title for name, title in mine.items() if name in offered}
    return replace(file, tables=offers, weather=any(not item.policy.on_request for item in new.values()))


def _next_version(kept: KeptFiles, old: HouseFile | None, name: str, sent: SentFile) -> HouseFile:
    number = kept.next_entry
    extends = _find_extended_book(kept.campaign, name, sent)
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


def _find_extended_book(campaign: Campaign, name: str, sent: SentFile) -> str:
    from rules import house  # noqa: PLC0415 - loads with the first file that is sent

    written = house.read_house_file(name, sent.text.encode())
    extends = house.find_book(written)
    if house.is_game(written) and HOUSE not in campaign.books:
        what = f"{campaign.name} doesn't play its own rules. Turn them on with /gm settings books:house"
        raise errors.BookError([documents.Place(written, ("game",)).fault(what)])
    if extends != HOUSE and extends not in campaign.books:
        hint = phrases.suggestion(extends, campaign.books) or phrases.list_known(campaign.books)
        what = f"{campaign.name} doesn't play the book {extends}{hint}. Turn books on with /gm settings books"
        raise errors.BookError([documents.Place(written, ("overlay", "extends")).fault(what)])
    return extends


def _require_room(kept: KeptFiles, others: Sequence[HouseFile], sent: SentFile) -> None:
    if len(others) >= MAX_FILES:
        raise BadInput(
            f"{len(others)} files are on, the most a campaign can have.",
            "Remove one first: /table show has the button.",
        )
    texts = _pick_texts(kept.texts, {file.fingerprint for file in others})
    total = sum(len(text.encode()) for text in (*texts.values(), sent.text))
    if total > MAX_TOTAL:
        what = f"With it, your files have {total // 1024} KiB. The limit is {MAX_TOTAL // 1024} KiB."
        raise BadInput(what, "Remove one first: /table show has the button.")
