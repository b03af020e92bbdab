"""Capsules between databases, and forged ones."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import os
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from filelock import lock_descriptor
from msgspec.structs import replace

from bot.app import FEATURES, KINDS
from bot.cogs.campaign import capsule
from bot.cogs.campaign.capsule import ChronicleContext
from bot.cogs.campaign.embed import CAMPAIGN
from bot.cogs.campaign.settings import CampaignSettings
from bot.core import audit, capsules, migrate, state
from bot.core.capsules import DAY, TAKEN, TooLarge, load_capsule, put_rows
from bot.core.database import Database
from bot.core.errors import BadInput, StartError
from bot.core.ledger import EntryKinds
from bot.core.schema import campaign, entry, epoch, job, metadata
from bot.kernel import EntryPicture, Feature, entry_kinds
from bot.rolls.card import service
from bot.ui.text import Picture
from tests.cli.test_cli_copy import address
from tests.core.forged_capsules import EXPORT, FORGED, Rows, job_of, rows_of
from tests.core.test_audit import fill
from tests.support.backend import GM, GM_ROLE, GUILD, RESULTS, STAFF, House, opened, patrol
from tests.support.commands import Done, adjutant
from tests.support.template import KINDS as DATABASES
from tests.support.template import copy_to, migrated_url

SERVER = 2**50
SERVER_FIELDS = ("guild_id", "results_channel_id", "staff_channel_id", "game_master_role_id", "player_role_id")


@pytest.fixture(params=DATABASES)
def database_kind(request: pytest.FixtureRequest) -> str:
    """Each kind, as a source."""
    return str(request.param)


@pytest.fixture(params=DATABASES)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty, migrated database."""
    (tmp_path / "target").mkdir()
    with migrated_url(request.param, tmp_path / "target") as url:
        yield url


async def export(house: House, file: Path, named: str = "Iron Sea") -> Done:
    """Export a campaign by command."""
    return await asyncio.to_thread(adjutant, address(house), "export", named, str(file))


async def bring(url: str, file: Path, *more: str) -> Done:
    """Import a file by command."""
    return await asyncio.to_thread(adjutant, url, "import", str(file), "--server", str(SERVER), *more)


def test_every_table_is_taken_made_anew_or_left_behind() -> None:
    """A new table has to choose."""
    rebuilt = ["state", "subject", "search", "search_backlog"]
    left = ["binding", "post", "board", "import_draft", "asked_search", "digest_reader", "registered", "tombstone"]
    assert sorted([*(item.name for item in TAKEN), *rebuilt, *left]) == sorted(metadata.tables)


async def test_a_campaign_goes_over_whole_and_what_is_not_its_own_stays(
    house: House, target: str, tmp_path: Path
) -> None:
    """Entries, state and cards move; servers and seeds don't."""
    await fill(house)
    await house.database.write(service.open_card, house.resolver, GM, house.campaign, patrol("Gelgoog"))
    other = await house.create(CampaignSettings("Other", "campaign", "UTC", RESULTS + 50, STAFF + 50, GM_ROLE, None))
    await house.tamper(campaign.update().values(outside_key="a sealed key"))
    file = tmp_path / "iron.zip"
    done = await export(house, file)
    assert (done.code, done.err) == (0, "")
    kept = await house.database.read(_read_kept, house.campaign.id)
    drawn_from = await house.database.read(
        lambda tx: [*tx.scalars(sa.select(epoch.c.secret).where(epoch.c.closed_at.is_(None)))]
    )
    with zipfile.ZipFile(file) as packed:
        text = "\n".join(packed.read(name).decode() for name in packed.namelist())
        (row,) = (json.loads(line) for line in packed.read("rows/campaign.jsonl").splitlines())
        assert len(packed.read("rows/card.jsonl").splitlines()) == 1
    assert file.stat().st_mode & 0o077 == 0
    assert len(drawn_from) == 4, "two of either campaign"
    assert not [trace for trace in (*drawn_from, other.uuid, "a sealed key", str(GUILD)) if trace in text]
    assert {name: row[name] for name in row if name.endswith("_id")} == dict.fromkeys(SERVER_FIELDS, 0)

    brought = await bring(target, file, "--name", "Iron Sea II")
    assert (brought.code, brought.err) == (0, "")
    there = Database(target)
    try:
        assert await there.read(_read_kept, 1) == kept
        (found,) = await audit.check_ledgers(there, KINDS)
        assert (found.campaign, found.entries, found.faults) == ("Iron Sea II", EXPORT + 1, ())
        assert [item.faults for item in await audit.rebuild_states(there, KINDS)] == [()]
        await export(house, file.with_name("other.zip"), other.uuid)
        taken = await bring(target, file.with_name("other.zip"), "--name", "iron sea ii")
        assert "That server already has a campaign called iron sea ii." in taken.err
        again = await bring(target, file)
        assert (again.code, "is already in this database, on server" in again.err) == (2, True)
    finally:
        await there.close()


def _read_kept(tx: sa.Connection, campaign_id: int) -> Any:  # noqa: ANN401 - rows of several kinds
    columns = [item for item in entry.c if item.name not in {"campaign_id", "interaction", "step"}]
    mine = (entry.c.campaign_id == campaign_id, entry.c.number <= EXPORT)
    rows = tx.execute(sa.select(*columns).where(*mine).order_by(entry.c.number))
    return [tuple(row) for row in rows], state.get_whole(tx, campaign_id)


WHO = b'{"user_id": 1, "salt": "", "pseudonym": "", "mentions": true, "bars": true}'


@pytest.mark.parametrize(
    ("table", "rows", "told"),
    [
        ("actor", [b"[]"], "at row 1, the columns are others"),
        ("actor", [WHO, b'{"odd": 1}'], "at row 2, the columns are others"),
        ("actor", [WHO.replace(b": 1", b": 1" + b"0" * 30)], "at row 1, "),
        ("actor", [WHO.replace(b'""', b"null", 1)], "at row 1, NOT NULL constraint failed"),
        ("actor", [WHO] * 2, "at row 2, UNIQUE constraint failed"),
        ("document", [b'{"fingerprint": "", "file": "", "text": "", "sent_at": "never", "kept": true}'], "'never'"),
        ("document", [b'{"fingerprint": "", "file": "", "text": "", "sent_at": null, "kept": 7}'], "7"),
        ("actor", [b"[" * 100_000], "at row 1, "),
        ("strange", [b"{}"], "strange"),
    ],
)
def test_rows_that_no_table_has_are_told(
    table: str, rows: list[bytes], told: str, request: pytest.FixtureRequest
) -> None:
    """The fault names table and row."""
    gc.disable()  # what other tests left can't be finalized where nesting leaves no stack
    request.addfinalizer(gc.enable)
    engine = sa.create_engine("sqlite://")
    with engine.begin() as tx:
        metadata.create_all(tx)
        with pytest.raises(StartError, match=f"^Its table {table} isn't readable: ") as refused:
            put_rows(tx, table, iter(rows))
    engine.dispose()
    assert told in str(refused.value)


@pytest.fixture
async def whole(tmp_path: Path) -> dict[str, bytes]:
    """A capsule's parts by name."""
    with migrated_url("sqlite", tmp_path) as url:
        async with opened(url) as house:
            await fill(house)
            await house.database.write(service.open_card, house.resolver, GM, house.campaign, patrol("Gelgoog"))
            assert (await export(house, tmp_path / "iron.zip")).code == 0
    with zipfile.ZipFile(tmp_path / "iron.zip") as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture
def empty(tmp_path: Path) -> str:
    """The address of an empty SQLite file."""
    copy_to(tmp_path / "empty.db")
    return f"sqlite:///{tmp_path / 'empty.db'}"


def zip_parts(file: Path, members: dict[str, bytes]) -> Path:
    """A file of these parts."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return file


async def content(url: str) -> dict[str, int]:
    """Rows per table."""
    database = Database(url)
    try:
        return await database.read(_counts)
    finally:
        await database.close()


def _counts(tx: sa.Connection) -> dict[str, int]:
    counted = {table.name: tx.scalar(sa.select(sa.func.count()).select_from(table)) for table in metadata.sorted_tables}
    return {name: count for name, count in counted.items() if count}


@pytest.mark.parametrize("every", [18, pytest.param(1, marks=pytest.mark.slow)])
async def test_a_file_that_was_changed_is_refused_and_leaves_nothing(
    whole: dict[str, bytes], empty: str, tmp_path: Path, every: int
) -> None:
    """Every forgery is named, and nothing written."""
    forged = tmp_path / "forged.zip"
    for what, (forge, told) in [*FORGED.items()][::every]:
        members = dict(whole)
        forge(members)
        refused = await bring(empty, zip_parts(forged, members))
        assert (refused.code, refused.out) == (2, ""), what
        assert told in refused.err, what
        assert refused.err.endswith("Nothing was written.\n"), what
    with zipfile.ZipFile(forged, "w", zipfile.ZIP_BZIP2) as packed:
        packed.writestr("capsule.json", whole["capsule.json"])
    assert "isn't stored as expected" in (await bring(empty, forged)).err
    for made in (zip_parts(forged, whole).read_bytes()[:-200], b"PK", b""):
        forged.write_bytes(made)
        assert "isn't a complete capsule" in (await bring(empty, forged)).err
    assert await content(empty) == {}


async def test_a_full_disk_is_named_with_the_folder_that_needs_room(
    whole: dict[str, bytes], empty: str, tmp_path: Path
) -> None:
    """The command says so and writes nothing."""

    def bound(connection: Any, _record: object) -> None:  # noqa: ANN401 - a connection of SQLite's driver
        connection.execute("PRAGMA max_page_count = 60")

    sa.event.listen(sa.Engine, "connect", bound)
    try:
        refused = await bring(empty, zip_parts(tmp_path / "whole.zip", whole))
    finally:
        sa.event.remove(sa.Engine, "connect", bound)
    assert refused.err.startswith(f"I can't unpack the capsule in {tempfile.gettempdir()}/"), refused.err
    assert refused.err.endswith("Nothing was written.\n")
    assert await content(empty) == {}


async def test_what_is_larger_than_a_feature_lets_anyone_write_is_refused(
    whole: dict[str, bytes], tmp_path: Path
) -> None:
    """An oversized body keeps the capsule out."""
    bounded = Feature(entry_kinds=(replace(CAMPAIGN, too_large=lambda _body: ["its map is too large"]),))
    with (
        capsules.open_capsule(zip_parts(tmp_path / "whole.zip", whole)) as capsule_file,
        pytest.raises(StartError) as refused,
    ):
        async with load_capsule(capsule_file, entry_kinds([bounded, *FEATURES])):
            pass
    assert "its map is too large. Nothing was written." in str(refused.value)


async def test_what_a_killed_import_has_left_is_removed_by_the_next(
    whole: dict[str, bytes], empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders older than a day are removed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    killed, running = (tmp_path / "temporary" / f"adjutant-import-{name}" for name in ("killed", "running"))
    for folder in (killed, running):
        folder.mkdir(parents=True)
        (folder / "capsule.db").touch()
    os.utime(killed, (time.time() - DAY - 60,) * 2)
    assert (await bring(empty, zip_parts(tmp_path / "whole.zip", whole))).code == 0
    assert [*(tmp_path / "temporary").iterdir()] == [running]


async def test_a_capsule_of_an_older_version_is_brought_up_to_date(
    whole: dict[str, bytes], empty: str, tmp_path: Path
) -> None:
    """Rows are migrated; forged channels are dropped."""
    rows_of("entry", _before_interactions)(whole)
    job_of()(whole)
    rows_of("job", _before_rules)(whole)
    rows_of("actor", _before_preferences)(whole)
    rows_of("campaign", lambda rows: rows[0].update(dict.fromkeys(SERVER_FIELDS, SERVER), outside_key="theirs"))(whole)
    rows_of("campaign", lambda rows: [rows[0].pop(name) for name in ("away_since", "site", "site_on", "site_indexed")])(
        whole
    )
    newest = f'"{migrate.newest_revision()}"'.encode()
    whole["capsule.json"] = whole["capsule.json"].replace(newest, b'"0021"')
    brought = await bring(empty, zip_parts(tmp_path / "old.zip", whole))
    assert (brought.code, brought.err) == (0, "")
    assert (await content(empty))["entry"] == EXPORT + 1
    there = Database(empty)
    try:
        schedule = await there.read(lambda tx: tx.execute(sa.select(job)).one())
        assert schedule.next_at > datetime.now(UTC)
        assert schedule.rule == "FREQ=WEEKLY;BYDAY=SA"
        row = await there.read(lambda tx: tx.execute(sa.select(campaign)).one()._asdict())
        of_server = {name: row[name] for name in (*SERVER_FIELDS, "outside_key")}
        assert of_server == {**dict.fromkeys(SERVER_FIELDS, 0), "guild_id": SERVER, "outside_key": None}
    finally:
        await there.close()


async def test_the_site_of_a_campaign_from_a_file_is_off(whole: dict[str, bytes], empty: str, tmp_path: Path) -> None:
    """Whatever the file says: its name may be another campaign's here."""
    rows_of("campaign", lambda rows: rows[0].update(site="theirs", site_on=True, site_indexed=True))(whole)
    assert (await bring(empty, zip_parts(tmp_path / "forged.zip", whole))).code == 0
    there = Database(empty)
    try:
        row = await there.read(lambda tx: tx.execute(sa.select(campaign.c.site, campaign.c.site_on)).one())
    finally:
        await there.close()
    assert tuple(row) == (None, False)


def _before_interactions(rows: Rows) -> None:
    for row in rows:
        del row["interaction"], row["step"]


def _before_preferences(rows: Rows) -> None:
    for row in rows:
        del row["mentions"], row["bars"]


def _before_rules(rows: Rows) -> None:
    for row in rows:
        del row["rule"], row["start"]
        row["weekday"] = 5


@pytest.mark.slow
async def test_a_capsule_ends_where_it_must_and_spares_no_entry(tmp_path: Path) -> None:
    """Packing stops at the limit; failed pictures are skipped."""
    with migrated_url("sqlite", tmp_path) as url:
        async with opened(url) as house:
            await fill(house)
            left = await house.database.write(capsule.leave, house.resolver, GM, house.campaign.id)

            async def packed(most: int | None, kinds: EntryKinds, *plans: Plan) -> str:
                features = [Feature(pictures=(EntryPicture(CAMPAIGN, plan),)) for plan in plans]
                teller, file = ChronicleContext(kinds, features, house.kernel.library), io.BytesIO()
                await house.database.read(capsule.pack, teller, left, file, house.clock(), most)
                return zipfile.ZipFile(file).read("chronicle.html").decode()

            for most in (500, 2000):
                with pytest.raises(TooLarge):
                    await packed(most, KINDS)
            assert (await packed(None, EntryKinds([]))).count("can't be shown") == EXPORT
            assert "data:image/png;base64,AA==" in await packed(None, KINDS, lambda *_: _picture)
            assert "<img" not in await packed(None, KINDS, _unruly)
            assert "<img" not in await packed(None, KINDS, lambda *_: partial(_unruly))
            assert "<img" not in await packed(None, KINDS, _broken)


Plan = Callable[..., Any]


def _picture() -> Picture:
    return Picture("map.png", b"\x00", "a map")


def _unruly(*_: object) -> Picture:
    raise BadInput("A house rule does not fit its book.")


def _broken(*_: object) -> Picture:
    raise ZeroDivisionError


async def test_the_command_names_one_campaign_and_one_new_file(house: House, tmp_path: Path) -> None:
    """Unknown names and existing files are refused."""
    file = tmp_path / "iron.zip"
    assert (await export(house, file, "Iron")).err == (
        "I can't find a campaign called 'Iron'. Type a name from /gm settings, or its UUID. Nothing was written.\n"
    )
    file.touch()
    assert (await export(house, file)).err == f"{file} already exists. Name a new file.\n"
    assert len(await house.entries()) == 1
    file.unlink()
    file.with_name("iron.zip.killed.part").touch()  # what an export has left that was killed
    with file.with_name("iron.zip.running.part").open("wb") as running:
        lock_descriptor(running.fileno())
        assert (await export(house, file, house.campaign.uuid)).code == 0
    assert await asyncio.to_thread(lambda: [*tmp_path.glob("*.part")]) == [Path(running.name)]
    assert (await house.entries())[-1].content()["exported"]


@pytest.mark.slow
async def test_a_campaign_moves_to_another_server_of_the_same_database(house: House, tmp_path: Path) -> None:
    """Only on request, and only if unchanged since."""
    file, url = tmp_path / "iron.zip", address(house)
    await fill(house)
    await export(house, file)
    assert "Add --move to move it off that server." in (await bring(url, file)).err
    await house.patrol("Dom", faces=(3,))
    assert "has newer entries than that export." in (await bring(url, file, "--move")).err
    assert len(await house.entries()) == EXPORT + 1
    file.unlink()
    await export(house, file)
    assert (await bring(url, file, "--move")).code == 0
    (found,) = await audit.check_ledgers(house.database, KINDS)
    assert (found.entries, found.faults) == (EXPORT + 3, ())
    assert await house.database.read(lambda tx: tx.scalars(sa.select(campaign.c.guild_id)).all()) == [SERVER]
