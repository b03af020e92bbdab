"""House rules: preview a file, then switch it on; every version is kept.

A sent file waits in the database for its button, which reads it again against today's rules.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Done, Outcome, Work
from bot.cogs.house_rules import embed, sent_files
from bot.core import campaigns, library, state, voiding
from bot.core.campaigns import Campaign, compare_settings, open_campaign, require_open
from bot.core.errors import BadInput, FaultyFile, NotAllowed, NotAsItIs, NotOpen
from bot.core.ledger import Ledger
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change, Entry
from bot.kernel import Kernel
from bot.rolls.entries import take_back_button
from bot.rolls.resolver import Resolver
from bot.ui.files import run_apart
from bot.ui.receipt import NextStep, receipt
from bot.ui.reply import AnyInteraction
from bot.ui.text import fit_lines, join_words, plain
from rules import errors, sheet_table, subjects, typed_table
from rules.book import HOUSE
from rules.modifiers import Fact
from rules.tables import RollTable

ROOM = 3300  # characters of a page; a message has 4,000


WEATHER_BEGINS = "Its weather begins with `/weather rollover`. Already running? Set the week in `/gm settings`."


class Upload(Struct, frozen=True):
    """A sent file."""

    name: str
    file: str
    data: bytes
    sent_at: datetime

    @property
    def of_sheet(self) -> bool:
        """Whether it's a table from a spreadsheet."""
        return self.file.casefold().endswith((".csv", ".tsv"))


class ShownFile(Struct, frozen=True):
    """The previewed file that a button names."""

    campaign_id: int
    fingerprint: str
    version: int
    name: str


class SwitchFile(Action):
    """Switch a file on or off, if files are still as `kept`."""

    kept: sent_files.KeptFiles
    file: library.HouseFile

    kind, may = "house", sent_files.ACTION

    def switch(self, work: Work, file: library.HouseFile) -> Outcome:
        """Return the file's switch; tables that come or go close to players."""
        tx, campaign = work.tx, work.campaign
        if campaign != self.kept.campaign or library.list_house_files(tx, campaign.id) != self.kept.files:
            raise NotOpen("House rules or settings changed at the same moment.", "Try again.")
        before = next((old for old in self.kept.files if old.key == file.key), None)
        after = replace(file, entry=work.number)
        moved = _tables_on(before) ^ _tables_on(after)
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
        name = library.find_state_name(tx, campaign.id, file.key)
        changes = [Change(library.FILES, name, before.value() if before else None, after.value())]
        if after.on:
            kept = {"fingerprint": file.fingerprint, "file": file.file, "entry": work.number}
            changes.append(Change(library.versions_subject(file.key), library.version_name(file.version), None, kept))
            library.keep_file(tx, campaign.id, file.fingerprint)
        return Outcome(body, changes)

    def show_done(self, work: Work, entry: Entry, lines: Sequence[str]) -> Answer:
        """Return what was done, with Undo."""
        title = f"{plain(self.file.label)} is {self.verb}: entry #{entry.number}"
        undo = take_back_button(work.campaign.id, entry.number)
        return Answer(view=receipt(title, list(fit_lines(ROOM, lines)), buttons=[undo]))

    async def after(self, interaction: AnyInteraction, done: Done) -> None:  # noqa: ARG002 - what all have
        """Bring or take away the commands for weather."""
        before = self.kept.find(self.file.name)
        if self.file.weather or (before is not None and before.weather):
            await interaction.client.registration.register_server(interaction.guild_id)


class SwitchOn(SwitchFile):
    """Switch on a previewed file."""

    shown: ShownFile
    verb = "on"

    def apply(self, work: Work) -> Outcome:
        """Refuse a file that is gone."""
        sent_files.find_sent(work.tx, work.ledger, work.campaign.id, self.shown.fingerprint)
        since = work.number if self.file.since == self.kept.next_entry else self.file.since
        return self.switch(work, replace(self.file, since=since))

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Return its tables, and those now closed."""
        tables = self.file.tables.items()
        rolls = [f"\N{BULLET} {plain(title)}: /table roll name:{name}" for name, title in tables]
        weather = [WEATHER_BEGINS] if self.file.weather else []
        return self.show_done(work, entry, [*embed.list_closed(outcome.body), *rolls, *weather])


class SwitchOff(SwitchFile):
    """Switch a file off."""

    verb = "off"

    def apply(self, work: Work) -> Outcome:
        """Refuse if something changed since it was checked."""
        return self.switch(work, replace(self.file, on=False))

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Say how it comes back, and which tables closed."""
        kept = "Its versions are kept: /table show exports them. Turn one on again with /gm rules."
        return self.show_done(work, entry, [kept, *embed.list_closed(outcome.body)])


async def prepare(kernel: Kernel, person: Person, campaign: Campaign, upload: Upload) -> sent_files.RulesPreview:
    """Preview a file and keep it for a day."""
    require_game_master(person, campaign, sent_files.ACTION)
    require_open(campaign)
    name = sent_files.check_file_name(upload.name)
    kept = await kernel.database.read(sent_files.read_files, campaign)
    if upload.of_sheet:
        known = await run_apart(sent_files.combine_others, kernel.library, kept, name)
        upload = replace(upload, data=(await run_apart(_read_sheet, name, upload, known.facts)).encode())
    try:
        sent = await run_apart(_read, name, upload)
        preview = await run_apart(sent_files.preview_new, kernel.library, kept, name, sent)
    except FaultyFile as error:
        if upload.of_sheet:
            written = upload.data.decode()
            error.faults = sorted((sheet_table.find_sheet_line(written, line), what) for line, what in error.faults)
        raise
    await kernel.database.write(_keep, campaign.id, sent)
    return preview


async def read_preview(kernel: Kernel, person: Person, shown: ShownFile) -> sent_files.RulesPreview:
    """Return a file that waits or is on."""
    kept = await kernel.database.read(_read_if_leads, person, shown.campaign_id)
    active = await run_apart(sent_files.preview_active, kernel.library, kept, shown.name) if kept else None
    if active is not None and active.file.fingerprint.startswith(shown.fingerprint):
        return active
    waiting, sent = await kernel.database.read(_read_pending, kernel.ledger, person, shown)
    return await run_apart(sent_files.preview_new, kernel.library, waiting, shown.name, sent)


async def plan_switch_on(kernel: Kernel, person: Person, shown: ShownFile) -> SwitchOn | sent_files.RulesPreview:
    """Return the action that switches a file on, or a new preview if its version number changed."""
    kept, sent = await kernel.database.read(_read_pending, kernel.ledger, person, shown)
    preview = await run_apart(sent_files.preview_new, kernel.library, kept, shown.name, sent)
    if preview.file.version != shown.version:
        return preview
    return SwitchOn(kept=kept, file=preview.file, shown=shown)


def drop(tx: Connection, ledger: Ledger, person: Person, shown: ShownFile) -> None:
    """Discard a previewed file."""
    campaign = open_campaign(tx, shown.campaign_id)
    require_game_master(person, campaign, sent_files.ACTION)
    library.drop_file(
        tx, campaign.id, sent_files.find_sent(tx, ledger, shown.campaign_id, shown.fingerprint).fingerprint
    )


async def plan_switch_off(kernel: Kernel, person: Person, campaign: Campaign, name: str, version: int) -> SwitchOff:
    """Plan switching a file off, unless another version is on."""
    require_game_master(person, campaign, sent_files.ACTION)
    require_open(campaign)
    kept = await kernel.database.read(sent_files.read_files, campaign)
    file = sent_files.find_file(kept.files, name)
    sent_files.require_on(file)
    if file.version != version:
        raise NotOpen(f"{file.label} is on now, not v{version}.", "Look at it again with /table show.")
    await run_apart(sent_files.require_unused, kernel.library, kept, file)
    return SwitchOff(kept=kept, file=file)


def list_next_steps(tx: Connection, _books: library.Library, campaign: Campaign) -> Iterator[NextStep]:
    """Yield the step that brings rules to a campaign with its own."""
    if HOUSE in campaign.books:
        on = [plain(file.label) for file in library.list_active_files(tx, campaign.id) if file.extends == HOUSE]
        why = (
            f"{join_words(on)} {'is' if len(on) == 1 else 'are'} on"
            if on
            else "send your game as a file, or type a table"
        )
        yield NextStep("Your rules", sent_files.BEGIN.fill(campaign=campaign.id), why, done=bool(on))


def list_files(
    tx: Connection, person: Person, campaign: Campaign, books: library.Library
) -> tuple[Sequence[library.HouseFile], dict[str, str]]:
    """Return files, for game masters only, and the titles of tables that the person may roll on."""
    _require_part(person, campaign)
    every = library.list_house_files(tx, campaign.id)
    return every if person.leads(campaign) else (), _open_tables(tx, books, person, campaign, every)


def find_table(
    tx: Connection, person: Person, campaign: Campaign, books: library.Library, typed: str
) -> tuple[str, str]:
    """Find a roll of house rules that the person may roll; return the ids of book and roll."""
    _require_part(person, campaign)
    files = library.list_house_files(tx, campaign.id)
    on = [file for file in files if file.on]
    wanted = subjects.name_key(typed)
    titles = _open_tables(tx, books, person, campaign, files)
    titled = (table for table, title in titles.items() if subjects.name_key(title) == wanted)
    table = wanted if wanted in titles else next(titled, None)
    if table is not None:
        return next(file.extends for file in on if table in file.tables), table
    if not person.leads(campaign):
        raise BadInput(f"I can't find a table called {typed[:60]!r}.", "See /table show.")
    for file in (file for file in files if file.key == wanted):
        sent_files.require_on(file)
    containing = (title for title in titles.values() if wanted and wanted in subjects.name_key(title))
    close = errors.nearest(typed, [*titles, *titles.values()]) or next(containing, None)
    raise BadInput(
        f"I can't find a table called {typed[:60]!r}.",
        f"Did you mean {titles.get(close, close)}?" if close else "See /table show.",
    )


async def show(
    kernel: Kernel, person: Person, campaign: Campaign, typed: str
) -> sent_files.RulesPreview | sent_files.UnusedFile | Sequence[RollTable]:
    """Return a file (with its preview if on), or the tables of a roll."""
    kept = await kernel.database.read(_read_if_leads, person, campaign.id)
    file = kept.find(typed) if kept else None
    rollable = {table for other in kept.on for table in other.tables} if kept else set()
    if kept is None or file is None or (not file.on and file.key in rollable):
        return await kernel.database.read(_find_any_tables, kernel.library, person, campaign, typed)
    try:
        active = await run_apart(sent_files.preview_active, kernel.library, kept, typed)
    except FaultyFile as error:
        return sent_files.UnusedFile(campaign, file, error)
    return active or sent_files.UnusedFile(campaign, file)


def export(
    tx: Connection, person: Person, campaign: Campaign, name: str, version: int | None
) -> tuple[library.HouseFile, str]:
    """Return a file and the text of one version (None: the newest)."""
    require_game_master(person, campaign, "see the files of house rules")
    file = sent_files.find_file(library.list_house_files(tx, campaign.id), name)
    kept = library.get_version(tx, campaign.id, file.key, version or file.version)
    if kept is None:
        raise BadInput(f"{file.name} has no version {version}.", f"The newest one is {file.version}.")
    texts = library.read_texts(tx, campaign.id, {kept["fingerprint"]})
    return file, texts[kept["fingerprint"]]


def _read_sheet(name: str, upload: Upload, known: Mapping[str, Fact]) -> str:
    try:
        text = upload.data.decode("utf-8-sig")
        if sheet_table.is_sheet(text):
            return sheet_table.sheet_file(name, name, text, known=known)
        return typed_table.table_file(name, "", sheet_table.plain_lines(text))
    except (UnicodeDecodeError, errors.BookError) as error:
        unread = errors.BookError([errors.Fault(name, 1, "this isn't text: save it as UTF-8")])
        faults = error.faults if isinstance(error, errors.BookError) else unread.faults
        own = errors.BookError([errors.Fault(name, fault.line, fault.what) for fault in faults])
        raise sent_files.describe_faults(upload.file, name, own) from error


def _read(name: str, upload: Upload) -> library.SentFile:
    from rules import house  # noqa: PLC0415 - loads with the first file that is sent

    try:
        house.read_house_file(name, upload.data)
    except errors.BookError as error:
        raise sent_files.describe_faults(upload.file, name, error) from error
    text = upload.data.decode("utf-8-sig")
    return library.SentFile(library.hash_file(text), upload.file, text, upload.sent_at, kept=False)


def _keep(tx: Connection, campaign_id: int, sent: library.SentFile) -> None:
    open_campaign(tx, campaign_id)
    library.store_file(tx, campaign_id, sent)


def _read_if_leads(tx: Connection, person: Person, campaign_id: int) -> sent_files.KeptFiles | None:
    campaign = campaigns.get_campaign(tx, campaign_id)
    return sent_files.read_files(tx, campaign) if campaign is not None and person.leads(campaign) else None


def _find_any_tables(
    tx: Connection, books: library.Library, person: Person, campaign: Campaign, typed: str
) -> Sequence[RollTable]:
    wanted = typed.strip().casefold()
    for name in campaign.books if person.leads(campaign) else ():
        book = books.book(tx, campaign, name)
        if wanted in book.tables:
            return (book.tables[wanted],)
    book_id, family = find_table(tx, person, campaign, books, typed)
    book = books.book(tx, campaign, book_id)
    return [book.table(table) for table in book.procedure(family).method.tables]


def _read_pending(
    tx: Connection, ledger: Ledger, person: Person, shown: ShownFile
) -> tuple[sent_files.KeptFiles, library.SentFile]:
    campaign = open_campaign(tx, shown.campaign_id, lock=False)
    require_game_master(person, campaign, sent_files.ACTION)
    return sent_files.read_files(tx, campaign), sent_files.find_sent(tx, ledger, shown.campaign_id, shown.fingerprint)


def _tables_on(file: library.HouseFile | None) -> set[str]:
    return set(file.tables) if file is not None and file.on else set()


def _require_part(person: Person, campaign: Campaign) -> None:
    if not person.takes_part(campaign):
        raise NotAllowed(f"Only people who play in {campaign.name} can see its house rules.")


def _open_tables(
    tx: Connection, books: library.Library, person: Person, campaign: Campaign, files: Sequence[library.HouseFile]
) -> dict[str, str]:
    every = {table: title for file in files if file.on for table, title in file.tables.items()}
    if person.leads(campaign):
        return every
    acts = books.book(tx, campaign, HOUSE).acts.values() if HOUSE in campaign.books else ()
    opened = {*campaign.players_may, *(act.id for act in acts if act.own)}
    return {table: title for table, title in every.items() if table in opened}


def check_void(tx: Connection, resolver: Resolver, campaign: Campaign, again: state.State) -> None:
    """Refuse an undo after which files don't work together."""
    if not any(subject == library.FILES for subject, _ in again):
        return
    kept = {
        name.removeprefix(library.FILE): value for (subject, name), value in again.items() if subject == library.FILES
    }
    others = [file for file in library.list_house_files(tx, campaign.id) if file.key not in kept]
    back = [library.HouseFile.of(value) for value in kept.values() if value is not None]
    on = sorted((file for file in (*others, *back) if file.on), key=lambda file: (file.since, file.key))
    try:
        for book in {file.extends for file in on}:
            resolver.library.with_files(campaign, book, on, partial(library.read_texts, tx, campaign.id))
    except errors.BookError as error:
        fault = error.faults[0]
        what = f"The house rules wouldn't work together: {fault.file}, line {fault.line}: {fault.what}."
        raise NotAsItIs(what, "Change that file first, with /gm rules, or remove it.") from error


def reopen(tx: Connection, campaign: Campaign, entry: Entry) -> Mapping[str, object]:
    """Open to players again what an undone entry had closed; return fields for the void's body."""
    files = [change for change in voiding.list_changes(entry) if change.subject == library.FILES]
    if not files:
        return {}
    back, there = (
        _tables_on(library.HouseFile.of(value) if value else None) for value in (files[0].before, files[0].after)
    )
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
