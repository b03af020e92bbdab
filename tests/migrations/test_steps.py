"""Single migrations: what an older version has kept goes on as before, and on the way back what is new is forgotten without a fault."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
import sqlalchemy as sa

from bot.core import campaigns, entries, migrate, search_index, state
from bot.core.campaigns import PLAYERS, STAFF
from bot.core.database import Database
from bot.core.entries import AudienceFilter
from bot.core.records import Change
from bot.core.schema import entry
from bot.orders import board
from bot.orders.board import KeptBoard
from bot.outbox import letters
from bot.schedules import store

CAMPAIGN = (
    "insert into campaign (id, uuid, guild_id, name, name_key, books, timezone, results_channel_id, staff_channel_id,"
    " game_master_role_id, players_may, created_at)"
    " values (1, 'u', 1, 'I', 'i', '[]', 'UTC', 1, 2, 3, '[]', '2026-03-07 17:00:00+00:00')"
)
POST = (
    "insert into post (campaign_id, entry_number, kind, page, channel_id, nonce, state, attempts, unconfirmed,"
    " queued_at, due_at) values (1, {}, 'notice', 1, 2, '{}', 'queued', 1, false, '2026-03-07 17:00:00+00:00', '2026-03-07 17:00:00+00:00')"
)
BOARD_POST = (
    "insert into post (id, campaign_id, kind, page, channel_id, nonce, state, attempts, unconfirmed, queued_at, due_at, topic)"
    " values ({0}, 1, '{1}', 1, 7, '{0}', 'sent', 1, false, '2026-03-07 17:00:00+00:00', '2026-03-07 17:00:00+00:00', '{2}')"
)
SCHEDULE = (
    "insert into job (campaign_id, deed, weekday, at, catch_up, next_at, reached, missed) "
    "values (1, 'update', 5, '18:00', 'roll', '2026-03-07 17:00:00+00:00', 1, '[]')"
)
ENTRY = (
    "insert into entry (campaign_id, number, kind, at, actor, audience, previous, hash, header, body, salt)"
    " values (1, {number}, 'roll', '2026-03-07 17:00:00+00:00', 'a', '{audience}', 'p', 'h', '{{}}', {body}, '00')"
)
BATCH = import_module("migrations.versions.0013_packed_bodies").BATCH
BODIES = ["{}", '{"name":"\u20ac \U0001f600 back\\nslash"}', '{"long":"' + "again and " * 1000 + '"}']
PACKED = {"sqlite": "x'789cabae0500017500f9'", "postgresql": r"'\x789cabae0500017500f9'::bytea"}
LONG = "group:1234567890"
INDEXES = {
    "ix_entry_campaign_id_audience_number",
    "ix_entry_campaign_id_actor_number",
    "ix_state_campaign_id_name_subject",
    "ix_post_campaign_id_kind_topic",
}


async def put(database: Database, *statements: str) -> None:
    """Run statements in one transaction."""
    await database.write(lambda tx: [tx.execute(sa.text(statement)) for statement in statements])


async def column(database: Database, query: str) -> list[Any]:
    """The first column of what a query finds."""
    return await database.read(lambda tx: list(tx.scalars(sa.text(query))))


async def before(database: Database, revision: str, *statements: str) -> None:
    """Migrate up to a revision, with a campaign and what else is put there."""
    await migrate.upgrade(database, revision)
    await put(database, CAMPAIGN, *statements)


async def back(database: Database, revision: str) -> None:
    """Take all migrations after a revision back."""
    await database.alter_schema(migrate.run, "downgrade", revision)


async def test_posts_are_kept_and_may_tell_of_no_entry(database: Database) -> None:
    """What was queued before stays over both ways; several posts without an entry stand beside each other until then."""
    nonces = "select nonce from post order by nonce"
    await before(database, "0001", POST.format(1, "a"))
    with pytest.raises(sa.exc.IntegrityError):
        await put(database, POST.format("null", "b"))
    await migrate.upgrade(database, "0002")
    await put(database, POST.format("null", "b"), POST.format("null", "c"))
    with pytest.raises(sa.exc.IntegrityError):
        await put(database, POST.format(1, "d"))
    assert await column(database, nonces) == ["a", "b", "c"]
    await back(database, "0001")
    assert await column(database, nonces) == ["a"]


@pytest.mark.parametrize(
    ("revision", "name", "value"),
    [("0009", "pings", "nobody"), ("0010", "new_are_secret", False), ("0015", "dodges_wait", False)],
)
@pytest.mark.slow
async def test_a_campaign_of_an_older_version_goes_on_as_it_was(
    database: Database, revision: str, name: str, value: object
) -> None:
    """It pings nobody, shows what is saved and rolls attacks at once until it chooses; its other settings stay."""
    await before(database, revision)
    await migrate.upgrade(database)
    campaign = await database.read(campaigns.get_campaign, 1)
    assert campaign is not None
    assert (campaign.name, getattr(campaign, name)) == ("I", value)
    assert not campaign.may_ping(PLAYERS)
    assert not campaign.may_ping(STAFF)
    await back(database, revision)
    assert await column(database, "select name from campaign") == ["I"]


@pytest.mark.slow
async def test_the_indexes_come_and_go_again(database: Database) -> None:
    """A database of an older version has them after the way up, and no more after the way down."""

    def indexes(tx: sa.Connection) -> set[str]:
        inspected = sa.inspect(tx)
        found = (inspected.get_indexes(table) for table in inspected.get_table_names())
        return {str(index["name"]) for some in found for index in some}

    await migrate.upgrade(database, "0011")
    assert INDEXES.isdisjoint(await database.read(indexes))
    await migrate.upgrade(database)
    assert await database.read(indexes) >= INDEXES
    await back(database, "0011")
    assert INDEXES.isdisjoint(await database.read(indexes))


@pytest.mark.slow
async def test_a_range_of_names_is_that_of_a_prefix(database: Database) -> None:
    """On either kind of database, those names are found that begin so, whatever the server's language thinks of points."""
    await migrate.upgrade(database)
    await put(database, CAMPAIGN)
    names = ["effect", "effect.", "effect.a", "effect.Z", "effect-a", "effecta", "effect.\u03c0", "Effect.a"]
    await database.write(state.apply_changes, 1, [Change("unit", name, None, 1) for name in names])
    wanted = {("unit", name) for name in names if name.startswith("effect.")}
    assert set(await database.read(state.find_values_beginning, 1, "effect.")) == wanted
    assert set(await database.read(state.get_values_beginning, 1, ["unit"], "effect.")) == wanted
    assert len(await database.read(state.get_values_beginning, 1, ["unit"], "")) == len(names)


@pytest.mark.slow
async def test_bodies_shrink_and_say_the_same(database: Database) -> None:
    """Every body is read as before, in a fraction of the bytes where it repeats itself; and back again, each byte is there."""
    query: sa.Select[Any] = sa.select(sa.column("body")).select_from(sa.table("entry")).order_by(sa.column("number"))
    bodies = [BODIES[number % len(BODIES)] for number in range(BATCH + 2)]
    rows = [ENTRY.format(number=at, audience="staff", body=f"'{body}'") for at, body in enumerate(bodies, start=1)]
    await before(database, "0012", *rows)
    await migrate.upgrade(database)
    assert await database.read(lambda tx: [item.body for item in entries.walk_entries(tx, 1)]) == bodies
    packed = await database.read(lambda tx: list(tx.scalars(query)))
    assert all(isinstance(body, bytes) for body in packed)
    assert len(packed[2]) * 100 < len(bodies[2])
    await back(database, "0012")
    assert await database.read(lambda tx: list(tx.scalars(query))) == bodies


@pytest.mark.slow
async def test_an_audience_has_room_for_the_number_of_any_group(database: Database, database_kind: str) -> None:
    """Entries of before keep theirs; a long one fits then; and on the way down what was a group's is the staff's."""
    audiences, body = "select audience from entry order by number", PACKED[database_kind]
    await before(database, "0014", ENTRY.format(number=1, audience="results", body=body))
    await migrate.upgrade(database)
    await put(database, ENTRY.format(number=2, audience=LONG, body=body))
    assert await column(database, audiences) == ["results", LONG]
    assert await database.read(lambda tx: [item.body for item in entries.walk_entries(tx, 1)]) == ["{}", "{}"]
    await back(database, "0014")
    assert await column(database, audiences) == ["results", "staff"]


@pytest.mark.slow
async def test_a_schedule_of_an_older_version_does_nothing_ahead(database: Database) -> None:
    """Its time stays."""
    await before(database, "0016", SCHEDULE)
    await migrate.upgrade(database)
    schedule = await database.read(store.get_schedule, 1, "update")
    assert schedule is not None
    assert (schedule.at, schedule.ahead, schedule.ahead_at) == ("18:00", None, None)
    await back(database, "0016")
    assert await column(database, "select at from job") == ["18:00"]


@pytest.mark.slow
async def test_a_schedule_of_an_older_version_keeps_its_days(database: Database) -> None:
    """A weekday becomes a rule, and every day too; and back again, of several weekdays the first stays."""
    daily = SCHEDULE.replace("'update', 5", "'weather', null")
    several = "update job set rule = 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,FR', start = '2026-03-06' where deed = 'update'"
    await before(database, "0024", SCHEDULE, daily)
    await migrate.upgrade(database)
    kept = await database.read(store.list_schedules, 1)
    assert [(schedule.day, schedule.start) for schedule in kept] == [("Saturday", None), ("every day", None)]
    await put(database, several)
    await back(database, "0024")
    assert await column(database, "select weekday from job order by deed") == [1, None]


@pytest.mark.slow
async def test_the_newest_board_of_an_older_version_is_the_board(database: Database) -> None:
    """It is behind all entries; posts of other kinds and older boards are none, and back again all posts stay."""
    posts = ((1, "board", "board"), (2, "board", "board"), (3, "news", "awaited"))
    await before(database, "0017", *(BOARD_POST.format(*row) for row in posts))
    await migrate.upgrade(database)
    assert await database.read(board.find_board, 1) == KeptBoard(1, 2, 0, "")
    await back(database, "0017")
    assert await column(database, "select count(*) from post") == [3]


async def test_what_was_entered_before_is_still_to_be_read_in(database: Database) -> None:
    """No words are made on the way up, and the campaign has its newest entry to be read in up to; down and up again too."""
    await before(database, "0018", *(ENTRY.format(number=at, audience="results", body="''") for at in (1, 2)))
    for _ in range(2):
        await migrate.upgrade(database, "0019")
        assert await database.read(search_index.get_backlog, 1) == 2
        assert await database.read(search_index.find_words, 1, [1, 2]) == {}
        await back(database, "0018")


async def test_private_entries_are_found_by_whose_they_are(database: Database) -> None:
    """On SQLite the index of private entries leads to somebody's own, however many are somebody else's."""
    if database.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL plans otherwise")

    def plan(tx: sa.Connection) -> str:
        number, mine = entry.c.number, AudienceFilter((), "somebody").clauses()[0]
        query = sa.select(number).where(entry.c.campaign_id == 1, number < 100, mine).order_by(number.desc()).limit(10)
        text = query.compile(tx, compile_kwargs={"literal_binds": True})
        return "\n".join(tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").scalars("detail"))

    await migrate.upgrade(database)
    assert "ix_entry_campaign_id_actor_number" in await database.read(plan)


async def test_everyone_is_mentioned_and_has_bars_until_they_choose(database: Database) -> None:
    """People of an older version keep their pseudonyms, up and down."""
    await before(database, "0027")
    await put(database, "insert into actor (campaign_id, user_id, salt, pseudonym) values (1, 7, 's', 'p')")
    await migrate.upgrade(database)
    assert await database.read(campaigns.read_preferences, 1, 7) == campaigns.Preferences()
    await database.write(campaigns.save_preferences, 1, 7, campaigns.Preferences(mentions=False))
    assert await database.read(campaigns.read_preferences, 1, 7) == campaigns.Preferences(mentions=False)
    await back(database, "0027")
    assert await column(database, "select pseudonym from actor") == ["p"]


async def test_people_of_an_older_version_are_mentioned_and_get_no_dms(database: Database) -> None:
    """Back again, what they chose is gone and so are DMs that wait, which that version can't send; nothing else is."""
    actor = "insert into actor (campaign_id, user_id, salt, pseudonym) values (1, {0}, '00', 'p{0}')"
    await before(database, "0027", *(actor.format(user) for user in (5, 6)), BOARD_POST.format(1, "board", "board"))
    await migrate.upgrade(database)
    assert await database.read(campaigns.read_preferences, 1, 5) == campaigns.Preferences(mentions=True, bars=True)
    assert await database.read(letters.list_readers, 1) == frozenset()
    off = campaigns.Preferences(mentions=False, bars=False)
    await database.write(campaigns.save_preferences, 1, 5, off)
    assert await database.read(campaigns.read_preferences, 1, 5) == off
    await put(database, "insert into digest_reader values (1, 5)", BOARD_POST.format(2, "own", "update:1"))
    await back(database, "0027")
    assert await column(database, "select id from post") == [1]
    assert await column(database, "select pseudonym from actor order by user_id") == ["p5", "p6"]
    await migrate.upgrade(database)
    assert await database.read(campaigns.read_preferences, 1, 5) == campaigns.Preferences(mentions=True, bars=True)
    assert await database.read(letters.list_readers, 1) == frozenset()


async def test_campaigns_with_fights_are_read_in_again(database: Database, database_kind: str) -> None:
    """Fights say which fighters they name since then; a campaign without any is left alone."""
    body = PACKED[database_kind]
    rolls = [ENTRY.format(number=number, audience="results", body=body) for number in (1, 3)]
    await before(database, "0029", *rolls)
    backlog = "select upto from search_backlog"
    await migrate.upgrade(database, "0030")
    assert await column(database, backlog) == []
    await back(database, "0029")
    fight = ENTRY.format(number=2, audience="results", body=body).replace("'roll'", "'fight'")
    await put(database, fight, "insert into search_backlog (campaign_id, upto) values (1, 1)")
    await migrate.upgrade(database, "0030")
    assert await column(database, backlog) == [3]
