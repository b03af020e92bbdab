"""House rules: a game master's files, looked at first, then switched on; every version is kept.

What was sent lies in the database until the button under its preview is pressed. The press reads it anew, against the rules
that are on by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import Connection

from bot.cogs.house_rules.preview import Look, Looks, faulty
from bot.core import campaigns, house_files
from bot.core.campaigns import Campaign, difference, open_campaign, require_open
from bot.core.database import Database
from bot.core.house_files import FILES, Document, HouseFile
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master, require_roller
from bot.core.records import Change
from bot.core.subjects import subject_key
from bot.errors import BadInput, NotAllowed, NotOpen
from rules import house
from rules.errors import BookError, nearest
from rules.tables import RollTable

MAX_NAME = 32
"""Characters of a file's name, as Discord counts them: it stands in the ids of buttons."""
KEPT_FOR = timedelta(days=1)
SHORT = 16
"""Characters of a fingerprint that stand in the ids of buttons."""

DEED = "change house rules"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent, under which name, and whether it follows one that is on under that name."""

    name: str
    file: str
    data: bytes
    follows: bool


@dataclass(frozen=True, slots=True)
class Shelf:
    """All files of a campaign as somebody sees them: those that are on, those that were, and the tables open to them."""

    campaign: Campaign
    files: Sequence[HouseFile]
    tables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Done:
    """What was done: the file as it is now, the number of the entry, and the tables that are open to players no more."""

    file: HouseFile
    entry: int
    closed: tuple[str, ...]


class HouseRules:
    """Looks at files, switches them on and off, lists, shows and hands them out."""

    def __init__(self, database: Database, library: Library, ledger: Ledger) -> None:
        self._database = database
        self._looks = Looks(library)
        self._ledger = ledger

    async def prepare(self, person: Person, campaign: Campaign, upload: Upload) -> Look:
        """Look at a file and keep it for a day, until it is switched on.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: the campaign is archived.
            Faulty: the file has faults, or others have under it.
            BadInput: the name or the book cannot be used, it is on just so already, or there is no room for it.

        """
        require_game_master(person, campaign, DEED)
        require_open(campaign)
        name = checked_name(upload.name)

        def look(tx: Connection) -> tuple[Look, Document]:
            _require_follows(house_files.files(tx, campaign.id), name, follows=upload.follows)
            sent = self._sent(name, upload)
            return self._looks.candidate(tx, campaign, name, sent), sent

        looked, sent = await self._database.read(look)

        def keep(tx: Connection) -> None:
            open_campaign(tx, campaign.id)
            house_files.expire(tx, campaign.id, self._ledger.now() - KEPT_FOR)
            house_files.put(tx, campaign.id, sent)

        await self._database.write(keep)
        return looked

    async def look(self, person: Person, campaign_id: int, short: str, name: str) -> Look:
        """A file that waits to be switched on, or that is on already.

        Raises:
            NotAllowed, NotOpen, Faulty, BadInput: see `switch_on`.

        """

        def work(tx: Connection) -> Look:
            campaign = campaigns.get(tx, campaign_id)
            if campaign is not None and person.leads(campaign):
                found = self._looks.shown(tx, campaign, name)
                if found is not None and found.file.fingerprint.startswith(short):
                    return found
            return self._waiting(tx, person, campaign_id, short, name)

        return await self._database.read(work)

    async def switch_on(self, person: Person, campaign_id: int, short: str, name: str, version: int) -> Done | Look:
        """Switch a file on that was looked at; gives the preview anew where it would be another version by now.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: the file is gone, or the campaign is archived.
            Faulty: by now it has faults.
            BadInput: by now it cannot be used.

        """

        def work(tx: Connection) -> Done | Look:
            looked = self._waiting(tx, person, campaign_id, short, name)
            if looked.file.version != version:
                return looked
            return self._enter(tx, person, looked.campaign, looked.file, on=True)

        return await self._database.write(work)

    async def drop(self, person: Person, campaign_id: int, short: str) -> None:
        """Forget a file that was looked at.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: the file is gone, or the campaign is archived.

        """

        def work(tx: Connection) -> None:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, DEED)
            house_files.drop(tx, campaign.id, self._kept(tx, campaign, short).fingerprint)

        await self._database.write(work)

    async def remove(self, person: Person, campaign_id: int, name: str) -> Done:
        """Switch a file off; its versions are kept.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: no such file is on, or another one builds on it.
            NotOpen: the campaign is archived.

        """

        def work(tx: Connection) -> Done:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, DEED)
            file = _named(house_files.files(tx, campaign.id), name)
            _require_on(file)
            self._looks.require_unused(tx, campaign, file)
            return self._enter(tx, person, campaign, file, on=False)

        return await self._database.write(work)

    async def listed(self, person: Person, campaign: Campaign) -> Shelf:
        """All files for game masters; for players the tables that are open to them.

        Raises:
            NotAllowed: the person takes no part in the campaign.

        """
        if not person.leads(campaign) and not person.plays(campaign):
            raise NotAllowed(f"The house rules of {campaign.name} are for those who play in it.")
        every = await self._database.read(lambda tx: house_files.files(tx, campaign.id))
        return Shelf(campaign, every if person.leads(campaign) else (), dict(_open(person, campaign, every)))

    async def find(self, person: Person, campaign: Campaign, typed: str) -> tuple[str, str]:
        """Book and id of a table of one's own, by id or title, for somebody who may roll on it.

        Raises:
            BadInput: no such table is on.
            NotAllowed: it is not open to the person.

        """
        known = await self._database.read(lambda tx: house_files.files(tx, campaign.id))
        every = [file for file in known if file.on]
        wanted = subject_key(typed)
        titles = {table: title for file in every for table, title in file.tables.items()}
        titled = (table for table, title in titles.items() if subject_key(title) == wanted)
        found = wanted if wanted in titles else next(titled, None)
        if found is not None:
            require_roller(person, campaign, found)
            return next(file.extends for file in every if found in file.tables), found
        if not person.leads(campaign):
            raise BadInput(f"There is no table {typed[:60]!r}.", "See /table list.")
        for file in (file for file in known if file.key == wanted):
            _require_on(file)
        held = (title for title in titles.values() if wanted and wanted in subject_key(title))
        close = nearest(typed, [*titles, *titles.values()]) or next(held, None)
        raise BadInput(f"There is no table {typed[:60]!r}.", f"Did you mean {close}?" if close else "See /table list.")

    async def show(self, person: Person, campaign: Campaign, typed: str) -> Look | RollTable:
        """A file that is on, with what it brings and changes; or one of its tables, for whoever may roll on it.

        Raises:
            BadInput: there is neither.
            NotAllowed: it is not open to the person.

        """
        if person.leads(campaign):
            found = await self._database.read(lambda tx: self._looks.shown(tx, campaign, typed))
            if found is not None:
                return found
            printed = await self._database.read(lambda tx: self._printed(tx, campaign, typed))
            if printed is not None:
                return printed
        book_id, table = await self.find(person, campaign, typed)
        book = await self._database.read(lambda tx: self._looks.library.book(tx, campaign, book_id))
        return book.table(table)

    async def export(self, person: Person, campaign: Campaign, name: str, version: int | None) -> tuple[HouseFile, str]:
        """A file, whether it is on or not: as it is now, and the text of one of its versions (None: the newest).

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: there is no such file or version.

        """
        require_game_master(person, campaign, "see the files of house rules")

        def work(tx: Connection) -> tuple[HouseFile, str]:
            file = _named(house_files.files(tx, campaign.id), name)
            kept = house_files.version(tx, campaign.id, file.key, version or file.version)
            if kept is None:
                raise BadInput(f"{file.name} has no version {version}.", f"The newest one is {file.version}.")
            texts = house_files.texts(tx, campaign.id, {kept["fingerprint"]})
            return file, texts[kept["fingerprint"]]

        return await self._database.read(work)

    def _printed(self, tx: Connection, campaign: Campaign, typed: str) -> RollTable | None:
        """A table of the books that the campaign plays by, by its id, as it counts there."""
        wanted = typed.strip().casefold()
        books = (self._looks.library.book(tx, campaign, book) for book in campaign.books)
        return next((book.tables[wanted] for book in books if wanted in book.tables), None)

    def _sent(self, name: str, upload: Upload) -> Document:
        """A file that can be read."""
        try:
            house.read(name, upload.data)
        except BookError as error:
            raise faulty(upload.file, name, error) from error
        text = upload.data.decode("utf-8-sig")
        return Document(house_files.fingerprint(text), upload.file, text, self._ledger.now(), kept=False)

    def _waiting(self, tx: Connection, person: Person, campaign_id: int, short: str, name: str) -> Look:
        campaign = open_campaign(tx, campaign_id)
        require_game_master(person, campaign, DEED)
        return self._looks.candidate(tx, campaign, name, self._kept(tx, campaign, short))

    def _kept(self, tx: Connection, campaign: Campaign, short: str) -> Document:
        found = house_files.beginning(tx, campaign.id, short)
        if found is None or (not found.kept and found.sent_at + KEPT_FOR < self._ledger.now()):
            raise NotOpen(
                "That file is not there any more.", "It was discarded, or is older than a day. Send it again."
            )
        return found

    def _enter(self, tx: Connection, person: Person, campaign: Campaign, file: HouseFile, *, on: bool) -> Done:
        """Switch a file on or off, as one entry; tables that come or go with it are not open to players."""
        before = next((old for old in house_files.files(tx, campaign.id) if old.key == file.key), None)
        number = next_number(tx, campaign)
        after = replace(file, entry=number, on=on)
        moved = _rolled_on(before) ^ _rolled_on(after)
        closed = tuple(name for name in campaign.players_may if name in moved)
        narrowed = replace(campaign, players_may=tuple(name for name in campaign.players_may if name not in moved))
        if closed:
            campaigns.save(tx, narrowed)
        body = {
            "deed": "on" if on else "off",
            "name": file.name,
            "version": file.version,
            "fingerprint": file.fingerprint,
            "file": file.file,
            "extends": file.extends,
            "tables": dict(file.tables),
            "replaced": before.fingerprint if on and before and before.on else None,
            "edited": difference(campaign, narrowed),
        }
        changes = [Change(FILES, file.key, before.value() if before else None, after.value())]
        if on:
            kept = {"fingerprint": file.fingerprint, "file": file.file, "entry": number}
            changes.append(Change(house_files.versions(file.key), house_files.version_name(file.version), None, kept))
            house_files.keep(tx, campaign.id, file.fingerprint)
        draft = EntryDraft("house", "results", body, tuple(changes))
        self._ledger.enter(tx, campaign, person.user_id, draft)
        return Done(after, number, closed)


def checked_name(typed: str) -> str:
    """The name of a file, trimmed.

    Raises:
        BadInput: it is empty or too long.

    """
    name = " ".join(typed.split())
    size = len(name.encode("utf-16-le")) // 2
    if not 1 <= size <= MAX_NAME:
        raise BadInput(f"A name has 1 to {MAX_NAME} characters; that one has {size}.", "Give the file another one.")
    return name


def _rolled_on(file: HouseFile | None) -> set[str]:
    """The ids of the tables that a file brings while it is on."""
    return set(file.tables) if file is not None and file.on else set()


def _require_follows(files: Sequence[HouseFile], name: str, *, follows: bool) -> None:
    """A new file takes a new name, and another version one that is on."""
    on = next((file for file in files if file.on and file.key == subject_key(name)), None)
    if on is not None and not follows:
        raise BadInput(f"{on.label} is on already.", "Send its next version with /table edit.")
    if on is None and follows:
        _require_on(_named(files, name))


def _named(files: Sequence[HouseFile], typed: str) -> HouseFile:
    """The file of this name.

    Raises:
        BadInput: there is none.

    """
    found = next((file for file in files if file.key == subject_key(typed)), None)
    if found is None:
        close = nearest(typed, [file.name for file in files])
        hint = f"Did you mean {close}?" if close else "See /table list for those there are."
        raise BadInput(f"There is no file {typed[:60]!r}.", hint)
    return found


def _require_on(file: HouseFile) -> None:
    """Refuse a file that is off.

    Raises:
        BadInput: it is.

    """
    if not file.on:
        raise BadInput(f"{file.label} is off.", "/table add sends it again, /table export gives you its file.")


def _open(person: Person, campaign: Campaign, files: Sequence[HouseFile]) -> Iterator[tuple[str, str]]:
    """The tables that somebody may roll on, id and title."""
    for file in files:
        for table, title in file.tables.items() if file.on else ():
            if person.leads(campaign) or table in campaign.players_may:
                yield table, title
