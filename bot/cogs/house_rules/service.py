"""House rules: a game master's files, looked at first, then switched on; every version is kept.

What was sent lies in the database until the button under its preview is pressed. The press reads it anew, against the rules
that are on by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Outcome, Work
from bot.cogs.house_rules.embed import closed_lines
from bot.cogs.house_rules.sent_files import (
    ACTION,
    KeptFiles,
    RulesPreview,
    check_file_name,
    faulty,
    find_file,
    kept_files,
    preview_active,
    preview_new,
    require_follows,
    require_on,
    require_unused,
    sent_before,
)
from bot.core import campaigns, voiding
from bot.core.campaigns import Campaign, compare_settings, open_campaign, require_open
from bot.core.ledger import Ledger
from bot.core.library import (
    FILE,
    FILES,
    HouseFile,
    Library,
    SentFile,
    drop_file,
    find_state_name,
    get_version,
    hash_file,
    keep_file,
    list_house_files,
    read_texts,
    store_file,
    version_name,
    versions_subject,
)
from bot.core.permissions import Person, require_game_master, require_roller
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.kernel import Kernel
from bot.rolls.buttons import take_back_button
from bot.rolls.resolver import Resolver
from bot.ui.files import run_apart
from bot.ui.receipt import receipt
from bot.ui.text import fit_lines, plain
from rules.errors import BookError, nearest
from rules.subjects import name_key
from rules.tables import RollTable

ROOM = 3300
"""Characters of a page, so that what stands around it has room within the 4,000 of a message."""


class Upload(Struct, frozen=True):
    """A file as it was sent, when (aware), under which name, and whether it follows one that is on under that name."""

    name: str
    file: str
    data: bytes
    follows: bool
    sent_at: datetime


class ShownFile(Struct, frozen=True):
    """A file under whose preview somebody pressed a button: its fingerprint's beginning, and which version was shown."""

    campaign_id: int
    fingerprint: str
    version: int
    name: str


class FileList(Struct, frozen=True):
    """All files of a campaign as somebody sees them: those that are on, those that were, and the tables open to them."""

    campaign: Campaign
    files: Sequence[HouseFile]
    tables: Mapping[str, str]


class SwitchFile(Action):
    """A file is switched on or off, as long as campaign and files are as they were when it was checked (`kept`)."""

    kept: KeptFiles
    file: HouseFile

    kind, may = "house", ACTION

    def switch(self, work: Work, file: HouseFile) -> Outcome:
        """Return the file as it is from now on; tables that come or go with it are not open to players."""
        tx, campaign = work.tx, work.campaign
        if campaign != self.kept.campaign or list_house_files(tx, campaign.id) != self.kept.files:
            raise NotOpen("House rules or settings changed at the same moment.", "Try again.")
        before = next((old for old in self.kept.files if old.key == file.key), None)
        after = replace(file, entry=work.number)
        moved = tables_on(before) ^ tables_on(after)
        narrowed = replace(campaign, players_may=tuple(name for name in campaign.players_may if name not in moved))
        if narrowed != campaign:
            campaigns.save_campaign(tx, narrowed)
        body = {
            "name": file.name,
            "version": file.version,
            "fingerprint": file.fingerprint,
            "file": file.file,
            "extends": file.extends,
            "tables": dict(file.tables),
            "replaced": before.fingerprint if after.on and before and before.on else None,
            "edited": compare_settings(campaign, narrowed),
        }
        name = find_state_name(tx, campaign.id, file.key)
        changes = [Change(FILES, name, before.value() if before else None, after.value())]
        if after.on:
            kept = {"fingerprint": file.fingerprint, "file": file.file, "entry": work.number}
            changes.append(Change(versions_subject(file.key), version_name(file.version), None, kept))
            keep_file(tx, campaign.id, file.fingerprint)
        return Outcome(body, changes)

    def tell(self, work: Work, entry: Entry, lines: Sequence[str]) -> Answer:
        """Return what was done, with Undo."""
        title = f"{plain(self.file.label)} is {self.verb}: entry #{entry.number}"
        undo = take_back_button(work.campaign.id, entry.number)
        return Answer(view=receipt(title, list(fit_lines(ROOM, lines)), buttons=[undo]))


class SwitchOn(SwitchFile):
    """A file is switched on whose preview was `shown`."""

    shown: ShownFile
    verb = "on"

    def apply(self, work: Work) -> Outcome:
        """Refuse what isn't kept any more."""
        sent_before(work.tx, work.ledger, work.campaign.id, self.shown.fingerprint)
        since = work.number if self.file.since == self.kept.next_entry else self.file.since
        return self.switch(work, replace(self.file, since=since))

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Return its tables, and which are closed to players now."""
        tables = self.file.tables.items()
        rolls = [f"\N{BULLET} {plain(title)}: /table roll name:{name}" for name, title in tables]
        return self.tell(work, entry, [*closed_lines(outcome.body), *rolls])


class SwitchOff(SwitchFile):
    """A file is switched off."""

    verb = "off"

    def apply(self, work: Work) -> Outcome:
        """Refuse where something has changed since it was checked."""
        return self.switch(work, replace(self.file, on=False))

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Return how it comes back, and which tables are closed to players now."""
        kept = "Its versions are kept. Download them with /table export, or turn one on again with /table add."
        return self.tell(work, entry, [kept, *closed_lines(outcome.body)])


async def prepare(kernel: Kernel, person: Person, campaign: Campaign, upload: Upload) -> RulesPreview:
    """Return what a file would bring and change, and keep it for a day, until it is switched on."""
    require_game_master(person, campaign, ACTION)
    require_open(campaign)
    name = check_file_name(upload.name)
    kept = await kernel.database.read(kept_files, campaign)
    require_follows(kept.files, name, follows=upload.follows)
    sent = await run_apart(_read, name, upload)
    preview = await run_apart(preview_new, kernel.library, kept, name, sent)
    await kernel.database.write(_keep, campaign.id, sent)
    return preview


async def look(kernel: Kernel, person: Person, shown: ShownFile) -> RulesPreview:
    """Return a file that waits to be switched on, or that is on already."""
    kept = await kernel.database.read(_led, person, shown.campaign_id)
    active = await run_apart(preview_active, kernel.library, kept, shown.name) if kept else None
    if active is not None and active.file.fingerprint.startswith(shown.fingerprint):
        return active
    waiting, sent = await kernel.database.read(_pending, kernel.ledger, person, shown)
    return await run_apart(preview_new, kernel.library, waiting, shown.name, sent)


async def plan_switch_on(kernel: Kernel, person: Person, shown: ShownFile) -> SwitchOn | RulesPreview:
    """Return what switches a file on that was looked at; the new preview where it would be another version now."""
    kept, sent = await kernel.database.read(_pending, kernel.ledger, person, shown)
    preview = await run_apart(preview_new, kernel.library, kept, shown.name, sent)
    if preview.file.version != shown.version:
        return preview
    return SwitchOn(kept=kept, file=preview.file, shown=shown)


def drop(tx: Connection, ledger: Ledger, person: Person, shown: ShownFile) -> None:
    """Forget a file that was looked at."""
    campaign = open_campaign(tx, shown.campaign_id)
    require_game_master(person, campaign, ACTION)
    drop_file(tx, campaign.id, sent_before(tx, ledger, shown.campaign_id, shown.fingerprint).fingerprint)


async def plan_switch_off(kernel: Kernel, person: Person, campaign: Campaign, name: str) -> SwitchOff:
    """Return what switches a file off; its versions are kept."""
    require_game_master(person, campaign, ACTION)
    require_open(campaign)
    kept = await kernel.database.read(kept_files, campaign)
    file = find_file(kept.files, name)
    require_on(file)
    await run_apart(require_unused, kernel.library, kept, file)
    return SwitchOff(kept=kept, file=file)


def list_files(tx: Connection, person: Person, campaign: Campaign) -> FileList:
    """Return all files for game masters; for players the tables that are open to them."""
    _require_part(person, campaign)
    every = list_house_files(tx, campaign.id)
    return FileList(campaign, every if person.leads(campaign) else (), dict(_open_tables(person, campaign, every)))


def find_table(tx: Connection, person: Person, campaign: Campaign, typed: str) -> tuple[str, str]:
    """Return book and id of a table of one's own, by id or title, for somebody who may roll on it."""
    _require_part(person, campaign)
    files = list_house_files(tx, campaign.id)
    on = [file for file in files if file.on]
    wanted = name_key(typed)
    titles = dict(_open_tables(person, campaign, files))
    titled = (table for table, title in titles.items() if name_key(title) == wanted)
    table = wanted if wanted in titles else next(titled, None)
    if table is not None:
        require_roller(person, campaign, table)
        return next(file.extends for file in on if table in file.tables), table
    if not person.leads(campaign):
        raise BadInput(f"I can't find a table called {typed[:60]!r}.", "See /table list.")
    for file in (file for file in files if file.key == wanted):
        require_on(file)
    containing = (title for title in titles.values() if wanted and wanted in name_key(title))
    close = nearest(typed, [*titles, *titles.values()]) or next(containing, None)
    raise BadInput(
        f"I can't find a table called {typed[:60]!r}.",
        f"Did you mean {titles.get(close, close)}?" if close else "See /table list.",
    )


async def show(kernel: Kernel, person: Person, campaign: Campaign, typed: str) -> RulesPreview | RollTable:
    """Return a file that is on, with what it brings and changes; or one of its tables, for whoever may roll on it."""
    kept = await kernel.database.read(_led, person, campaign.id)
    active = await run_apart(preview_active, kernel.library, kept, typed) if kept else None
    if active is not None:
        return active
    return await kernel.database.read(_table, kernel.library, person, campaign, typed)


def export(tx: Connection, person: Person, campaign: Campaign, name: str, version: int | None) -> tuple[HouseFile, str]:
    """Return a file, whether it is on or not: as it is now, and the text of one of its versions (None: the newest)."""
    require_game_master(person, campaign, "see the files of house rules")
    file = find_file(list_house_files(tx, campaign.id), name)
    kept = get_version(tx, campaign.id, file.key, version or file.version)
    if kept is None:
        raise BadInput(f"{file.name} has no version {version}.", f"The newest one is {file.version}.")
    texts = read_texts(tx, campaign.id, {kept["fingerprint"]})
    return file, texts[kept["fingerprint"]]


def _printed(tx: Connection, library: Library, campaign: Campaign, typed: str) -> RollTable | None:
    """Return a table of the books that the campaign plays by, by its id, as it counts there."""
    wanted = typed.strip().casefold()
    books = (library.book(tx, campaign, book) for book in campaign.books)
    return next((book.tables[wanted] for book in books if wanted in book.tables), None)


def _read(name: str, upload: Upload) -> SentFile:
    """Return a file that can be read."""
    from rules import house  # noqa: PLC0415 - loads with the first file that is sent

    try:
        house.read_house_file(name, upload.data)
    except BookError as error:
        raise faulty(upload.file, name, error) from error
    text = upload.data.decode("utf-8-sig")
    return SentFile(hash_file(text), upload.file, text, upload.sent_at, kept=False)


def _keep(tx: Connection, campaign_id: int, sent: SentFile) -> None:
    open_campaign(tx, campaign_id)
    store_file(tx, campaign_id, sent)


def _led(tx: Connection, person: Person, campaign_id: int) -> KeptFiles | None:
    """Return the files of a campaign for its game masters; None for anybody else."""
    campaign = campaigns.get_campaign(tx, campaign_id)
    return kept_files(tx, campaign) if campaign is not None and person.leads(campaign) else None


def _table(tx: Connection, library: Library, person: Person, campaign: Campaign, typed: str) -> RollTable:
    """Return a table that somebody may see, by id or title."""
    printed = _printed(tx, library, campaign, typed) if person.leads(campaign) else None
    if printed is not None:
        return printed
    book_id, table = find_table(tx, person, campaign, typed)
    return library.book(tx, campaign, book_id).table(table)


def _pending(tx: Connection, ledger: Ledger, person: Person, shown: ShownFile) -> tuple[KeptFiles, SentFile]:
    campaign = open_campaign(tx, shown.campaign_id, lock=False)
    require_game_master(person, campaign, ACTION)
    return kept_files(tx, campaign), sent_before(tx, ledger, shown.campaign_id, shown.fingerprint)


def tables_on(file: HouseFile | None) -> set[str]:
    """Return the ids of the tables that a file brings while it is on."""
    return set(file.tables) if file is not None and file.on else set()


def _require_part(person: Person, campaign: Campaign) -> None:
    if not person.takes_part(campaign):
        raise NotAllowed(f"Only people who play in {campaign.name} can see its house rules.")


def _open_tables(person: Person, campaign: Campaign, files: Sequence[HouseFile]) -> Iterator[tuple[str, str]]:
    """Yield the tables that somebody may roll on, id and title."""
    for file in files:
        for table, title in file.tables.items() if file.on else ():
            if person.leads(campaign) or table in campaign.players_may:
                yield table, title


def check_void(tx: Connection, resolver: Resolver, campaign: Campaign, again: State) -> None:
    """Refuse to bring files back, or to take some away, where the rest would not fit."""
    if not any(subject == FILES for subject, _ in again):
        return
    kept = {name.removeprefix(FILE): value for (subject, name), value in again.items() if subject == FILES}
    others = [file for file in list_house_files(tx, campaign.id) if file.key not in kept]
    back = [HouseFile.of(value) for value in kept.values() if value is not None]
    on = sorted((file for file in (*others, *back) if file.on), key=lambda file: (file.since, file.key))
    try:
        for book in {file.extends for file in on}:
            resolver.library.with_files(campaign, book, on, partial(read_texts, tx, campaign.id))
    except BookError as error:
        fault = error.faults[0]
        what = f"The house rules wouldn't work together: {fault.file}, line {fault.line}: {fault.what}."
        raise NotAsItIs(what, "Change that file first, with /table edit, or remove it.") from error


def reopen(tx: Connection, campaign: Campaign, entry: Entry) -> Mapping[str, object]:
    """Open those tables to players again that an entry had closed and that come back, and close those that go with it.

    Return what its void keeps of that.
    """
    files = [change for change in voiding.list_changes(entry) if change.subject == FILES]
    if not files:
        return {}
    back, there = (tables_on(HouseFile.of(value) if value else None) for value in (files[0].before, files[0].after))
    may = entry.content().get("edited", {}).get("players_may", {"before": [], "after": []})
    now = open_campaign(tx, campaign.id)
    kept = [name for name in now.players_may if name not in there - back]
    again = [name for name in may["before"] if name in back and name not in (*may["after"], *kept)]
    after = replace(now, players_may=(*kept, *again))
    if after == now:
        return {}
    campaigns.save_campaign(tx, after)
    also = [f"Open to players again: {', '.join(again)}."] if again else []
    return {"edited": compare_settings(now, after), "also": also}
