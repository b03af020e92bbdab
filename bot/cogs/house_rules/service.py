"""House rules: a game master's files, looked at first, then switched on; every version is kept.

What was sent lies in the database until the button under its preview is pressed. The press reads it anew, against the rules
that are on by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from bot.cogs.house_rules.entry_body import HouseRulesBody
from bot.cogs.house_rules.preview import RulesPreview, faulty, preview_active, preview_new, require_unused
from bot.core import campaigns, house_files
from bot.core.campaigns import Campaign, difference, open_campaign, require_open
from bot.core.house_files import FILES, Document, HouseFile
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master, require_roller
from bot.core.records import Change
from bot.errors import BadInput, NotAllowed, NotOpen
from bot.rolls.resolver import Resolver
from rules import house
from rules.errors import BookError, nearest
from rules.subjects import name_key
from rules.tables import RollTable

MAX_NAME = 32
"""Characters of a file's name, as Discord counts them: it stands in the ids of buttons."""
KEPT_FOR = timedelta(days=1)

ACTION = "change house rules"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent, when (aware), under which name, and whether it follows one that is on under that name."""

    name: str
    file: str
    data: bytes
    follows: bool
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file under whose preview somebody pressed a button: its fingerprint's beginning, and which version was shown."""

    campaign_id: int
    fingerprint: str
    version: int
    name: str


@dataclass(frozen=True, slots=True)
class FileList:
    """All files of a campaign as somebody sees them: those that are on, those that were, and the tables open to them."""

    campaign: Campaign
    files: Sequence[HouseFile]
    tables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HouseRulesChange:
    """A file that was switched on or off, as it is now, the number of the entry, and tables open to players no more."""

    file: HouseFile
    entry: int
    closed: tuple[str, ...]


def examine(
    tx: Connection, library: Library, person: Person, campaign: Campaign, upload: Upload
) -> tuple[RulesPreview, Document]:
    """Return what a file would bring and change, and the file for `keep`.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: the campaign is archived, or the file is on just so already.
        FaultyFile: the file has faults, or others have under it.
        BadInput: the name or the book cannot be used, or there is no room for it.

    """
    require_game_master(person, campaign, ACTION)
    require_open(campaign)
    name = checked_name(upload.name)
    _require_follows(house_files.files(tx, campaign.id), name, follows=upload.follows)
    sent = _read(name, upload)
    return preview_new(tx, library, campaign, name, sent), sent


def keep(tx: Connection, campaign_id: int, sent: Document) -> None:
    """Keep a file for a day, until it is switched on."""
    open_campaign(tx, campaign_id)
    house_files.expire(tx, campaign_id, sent.sent_at - KEPT_FOR)
    house_files.put(tx, campaign_id, sent)


def look(tx: Connection, resolver: Resolver, person: Person, shown: ShownFile) -> RulesPreview:
    """Return a file that waits to be switched on, or that is on already.

    Raises:
        NotAllowed, NotOpen, FaultyFile, BadInput: see `switch_on`.

    """
    campaign = campaigns.get(tx, shown.campaign_id)
    if campaign is not None and person.leads(campaign):
        active = preview_active(tx, resolver.library, campaign, shown.name)
        if active is not None and active.file.fingerprint.startswith(shown.fingerprint):
            return active
    return _waiting(tx, resolver, person, shown, lock=False)


def switch_on(tx: Connection, resolver: Resolver, person: Person, shown: ShownFile) -> HouseRulesChange | RulesPreview:
    """Switch a file on that was looked at; return the preview anew where it would be another version by now.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: the file is gone, or the campaign is archived.
        FaultyFile: by now it has faults.
        BadInput: by now it cannot be used.

    """
    preview = _waiting(tx, resolver, person, shown)
    if preview.file.version != shown.version:
        return preview
    return _enter(tx, resolver.ledger, person, preview.campaign, preview.file)


def drop(tx: Connection, ledger: Ledger, person: Person, shown: ShownFile) -> None:
    """Forget a file that was looked at.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: the file is gone, or the campaign is archived.

    """
    campaign = open_campaign(tx, shown.campaign_id)
    require_game_master(person, campaign, ACTION)
    house_files.drop(tx, campaign.id, _kept(tx, ledger, shown).fingerprint)


def remove(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, name: str) -> HouseRulesChange:
    """Switch a file off; its versions are kept.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        BadInput: no such file is on, or another one builds on it.
        NotOpen: the campaign is archived.

    """
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, ACTION)
    file = _named(house_files.files(tx, campaign.id), name)
    _require_on(file)
    require_unused(tx, resolver.library, campaign, file)
    return _enter(tx, resolver.ledger, person, campaign, replace(file, on=False))


def list_files(tx: Connection, person: Person, campaign: Campaign) -> FileList:
    """Return all files for game masters; for players the tables that are open to them.

    Raises:
        NotAllowed: the person takes no part in the campaign.

    """
    _require_part(person, campaign)
    every = house_files.files(tx, campaign.id)
    return FileList(campaign, every if person.leads(campaign) else (), dict(_open_tables(person, campaign, every)))


def find_table(tx: Connection, person: Person, campaign: Campaign, typed: str) -> tuple[str, str]:
    """Return book and id of a table of one's own, by id or title, for somebody who may roll on it.

    Raises:
        BadInput: no such table is on.
        NotAllowed: it is not open to the person.

    """
    _require_part(person, campaign)
    files = house_files.files(tx, campaign.id)
    on = [file for file in files if file.on]
    wanted = name_key(typed)
    titles = dict(_open_tables(person, campaign, files))
    titled = (table for table, title in titles.items() if name_key(title) == wanted)
    table = wanted if wanted in titles else next(titled, None)
    if table is not None:
        require_roller(person, campaign, table)
        return next(file.extends for file in on if table in file.tables), table
    if not person.leads(campaign):
        raise BadInput(f"There is no table {typed[:60]!r}.", "See /table list.")
    for file in (file for file in files if file.key == wanted):
        _require_on(file)
    containing = (title for title in titles.values() if wanted and wanted in name_key(title))
    close = nearest(typed, [*titles, *titles.values()]) or next(containing, None)
    raise BadInput(f"There is no table {typed[:60]!r}.", f"Did you mean {close}?" if close else "See /table list.")


def show(tx: Connection, library: Library, person: Person, campaign: Campaign, typed: str) -> RulesPreview | RollTable:
    """Return a file that is on, with what it brings and changes; or one of its tables, for whoever may roll on it.

    Raises:
        BadInput: there is neither.
        NotAllowed: it is not open to the person.
        FaultyFile: the file does not fit its book any more.

    """
    if person.leads(campaign):
        shown = preview_active(tx, library, campaign, typed) or _printed(tx, library, campaign, typed)
        if shown is not None:
            return shown
    book_id, table = find_table(tx, person, campaign, typed)
    return library.book(tx, campaign, book_id).table(table)


def export(tx: Connection, person: Person, campaign: Campaign, name: str, version: int | None) -> tuple[HouseFile, str]:
    """Return a file, whether it is on or not: as it is now, and the text of one of its versions (None: the newest).

    Raises:
        NotAllowed: the person is no game master of the campaign.
        BadInput: there is no such file or version.

    """
    require_game_master(person, campaign, "see the files of house rules")
    file = _named(house_files.files(tx, campaign.id), name)
    kept = house_files.version(tx, campaign.id, file.key, version or file.version)
    if kept is None:
        raise BadInput(f"{file.name} has no version {version}.", f"The newest one is {file.version}.")
    texts = house_files.texts(tx, campaign.id, {kept["fingerprint"]})
    return file, texts[kept["fingerprint"]]


def _printed(tx: Connection, library: Library, campaign: Campaign, typed: str) -> RollTable | None:
    """Return a table of the books that the campaign plays by, by its id, as it counts there."""
    wanted = typed.strip().casefold()
    books = (library.book(tx, campaign, book) for book in campaign.books)
    return next((book.tables[wanted] for book in books if wanted in book.tables), None)


def _read(name: str, upload: Upload) -> Document:
    """Return a file that can be read.

    Raises:
        FaultyFile: it cannot.

    """
    try:
        house.read(name, upload.data)
    except BookError as error:
        raise faulty(upload.file, name, error) from error
    text = upload.data.decode("utf-8-sig")
    return Document(house_files.fingerprint(text), upload.file, text, upload.sent_at, kept=False)


def _waiting(
    tx: Connection, resolver: Resolver, person: Person, shown: ShownFile, *, lock: bool = True
) -> RulesPreview:
    """Return a file that waits to be switched on, as it would be now."""
    campaign = open_campaign(tx, shown.campaign_id, lock=lock)
    require_game_master(person, campaign, ACTION)
    return preview_new(tx, resolver.library, campaign, shown.name, _kept(tx, resolver.ledger, shown))


def _kept(tx: Connection, ledger: Ledger, shown: ShownFile) -> Document:
    """Return what was sent.

    Raises:
        NotOpen: it is not there any more.

    """
    sent = house_files.beginning(tx, shown.campaign_id, shown.fingerprint)
    if sent is None or (not sent.kept and sent.sent_at + KEPT_FOR < ledger.now()):
        raise NotOpen("That file is not there any more.", "It was discarded, or is older than a day. Send it again.")
    return sent


def _enter(tx: Connection, ledger: Ledger, person: Person, campaign: Campaign, file: HouseFile) -> HouseRulesChange:
    """Switch a file on or off, as one entry; tables that come or go with it are not open to players."""
    before = next((old for old in house_files.files(tx, campaign.id) if old.key == file.key), None)
    number = next_number(tx, campaign)
    after = replace(file, entry=number)
    moved = _tables_on(before) ^ _tables_on(after)
    closed = tuple(name for name in campaign.players_may if name in moved)
    narrowed = replace(campaign, players_may=tuple(name for name in campaign.players_may if name not in moved))
    if closed:
        campaigns.save(tx, narrowed)
    body: HouseRulesBody = {
        "deed": "on" if after.on else "off",
        "name": file.name,
        "version": file.version,
        "fingerprint": file.fingerprint,
        "file": file.file,
        "extends": file.extends,
        "tables": dict(file.tables),
        "replaced": before.fingerprint if after.on and before and before.on else None,
        "edited": difference(campaign, narrowed),
    }
    changes = [Change(FILES, file.key, before.value() if before else None, after.value())]
    if after.on:
        kept = {"fingerprint": file.fingerprint, "file": file.file, "entry": number}
        changes.append(Change(house_files.versions(file.key), house_files.version_name(file.version), None, kept))
        house_files.keep(tx, campaign.id, file.fingerprint)
    ledger.enter(tx, campaign, person.user_id, EntryDraft("house", "results", body, tuple(changes)))
    return HouseRulesChange(after, number, closed)


def checked_name(typed: str) -> str:
    """Return the name of a file, trimmed.

    Raises:
        BadInput: it is empty or too long.

    """
    name = " ".join(typed.split())
    size = len(name.encode("utf-16-le")) // 2
    if not 1 <= size <= MAX_NAME:
        raise BadInput(f"A name has 1 to {MAX_NAME} characters; that one has {size}.", "Give the file another one.")
    return name


def _tables_on(file: HouseFile | None) -> set[str]:
    """Return the ids of the tables that a file brings while it is on."""
    return set(file.tables) if file is not None and file.on else set()


def _require_follows(files: Sequence[HouseFile], name: str, *, follows: bool) -> None:
    """Check that a new file takes a new name, and another version one that is on.

    Raises:
        BadInput: it does not.

    """
    on = next((file for file in files if file.on and file.key == name_key(name)), None)
    if on is not None and not follows:
        raise BadInput(f"{on.label} is on already.", "Send its next version with /table edit.")
    if on is None and follows:
        _require_on(_named(files, name))


def _named(files: Sequence[HouseFile], typed: str) -> HouseFile:
    """Return the file of this name.

    Raises:
        BadInput: there is none.

    """
    named = next((file for file in files if file.key == name_key(typed)), None)
    if named is None:
        close = nearest(typed, [file.name for file in files])
        hint = f"Did you mean {close}?" if close else "See /table list for those there are."
        raise BadInput(f"There is no file {typed[:60]!r}.", hint)
    return named


def _require_part(person: Person, campaign: Campaign) -> None:
    if not person.takes_part(campaign):
        raise NotAllowed(f"The house rules of {campaign.name} are for those who play in it.")


def _require_on(file: HouseFile) -> None:
    """Refuse a file that is off.

    Raises:
        BadInput: it is.

    """
    if not file.on:
        raise BadInput(f"{file.label} is off.", "/table add sends it again, /table export gives you its file.")


def _open_tables(person: Person, campaign: Campaign, files: Sequence[HouseFile]) -> Iterator[tuple[str, str]]:
    """Yield the tables that somebody may roll on, id and title."""
    for file in files:
        for table, title in file.tables.items() if file.on else ():
            if person.leads(campaign) or table in campaign.players_may:
                yield table, title
