"""Proving the ledger: chain and state."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.app import KINDS
from bot.core import audit
from bot.core.database import Database
from bot.core.errors import NotOpen
from bot.core.ledger import EntryKinds
from bot.core.schema import actor, book_version, entry, epoch, state
from tests.support.backend import GM, House, opened, patrol, scouting
from tests.support.commands import Done, adjutant
from tests.support.template import migrated_url

ROOT = Path(__file__).parents[2]


async def faults(database: Database) -> list[str]:
    """What a check finds."""
    return [fault for item in await audit.check_ledgers(database, KINDS) for fault in item.faults]


async def fill(house: House) -> None:
    """Some entries of every kind."""
    await house.patrol("Zaku", "Dom", faces=(1, 20))
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    await house.close_update("Week 2")
    await house.patrol("Zaku", faces=(2,))
    await house.publish(5)


async def test_a_campaign_that_nobody_tampered_with_has_no_faults(house: House) -> None:
    """A whole chain has none; an unknown kind is one."""
    await fill(house)
    (found,) = await audit.check_ledgers(house.database, KINDS)
    assert (found.campaign, found.entries, found.faults, found.whole) == ("Iron Sea", 6, (), True)
    assert [item.faults for item in await audit.rebuild_states(house.database, KINDS)] == [()]
    (found,) = await audit.rebuild_states(house.database, EntryKinds([]))
    assert (found.faults, found.whole) == (("Entry 1: its body can't be read: KeyError('campaign').",), False)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
async def test_a_damaged_projection_is_told_and_rebuilt(house: House, every: int) -> None:
    """Wrong state and audiences are found and corrected."""
    cases: list[tuple[sa.UpdateBase, str]] = [
        (state.delete().where(state.c.name == "effect.scouted"), "State 'subject:5' 'effect.scouted': it is None"),
        (state.update().where(state.c.name == "update").values(value={"number": 9}), "State 'campaign' 'update'"),
        (
            state.insert().values(campaign_id=1, subject="kilo", name="effect.mud", value={"entry": 2}),
            "State 'kilo' 'effect.mud': it is {'entry': 2}, and the entries add up to None",
        ),
        (entry.update().where(entry.c.number == 3).values(audience="results"), "audience is results, not staff"),
        (entry.update().where(entry.c.number == 1).values(audience="results"), "Entry 1: its audience is results"),
        (entry.update().where(entry.c.number == 5).values(audience="staff"), "audience is staff, not results"),
    ]
    await fill(house)
    whole = await house.state()
    for change, told in cases[::every]:
        await house.tamper(change)

        (fault,) = await faults(house.database)
        assert told in fault
        (rebuilt,) = await audit.rebuild_states(house.database, KINDS)
        assert rebuilt.faults == (fault,)
        assert await house.state() == whole
        assert await faults(house.database) == []
        assert [item.faults for item in await audit.rebuild_states(house.database, KINDS)] == [()]


@pytest.mark.parametrize(
    "field", ["body", "salt", *(pytest.param(field, marks=pytest.mark.slow) for field in ("header", "kind", "hash"))]
)
async def test_a_tampered_entry_is_told_and_never_rebuilt_from(house: House, field: str) -> None:
    """A broken chain never changes the state."""
    await fill(house)
    before = await house.state()
    await house.tamper(entry.update().where(entry.c.number == 3).values({field: "garbage"}))

    (found,) = await audit.rebuild_states(house.database, KINDS)
    assert not found.whole
    assert any(fault.startswith("Entry 3: ") for fault in found.faults)
    assert await house.state() == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (actor.update().values(user_id=77), "Person 77 is not the one behind pseudonym "),
        (book_version.update().values(fingerprint="f" * 64), "The kept tables of book ffffffffffff do not match"),
        (book_version.update().values(book="infinity"), "are not of 'infinity'."),
        (
            epoch.update().where(epoch.c.number == 1).values(secret="f" * 64),
            "Dice set 1: its root is not that of its secret.",
        ),
        (epoch.update().where(epoch.c.number == 1).values(last=3), "Dice set 2 begins with entry None, not 4."),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (actor.update().values(salt="00" * 16), f"Person {GM.user_id} is not the one behind pseudonym "),
                (book_version.update().values(content="{}"), "The kept tables of book "),
                (
                    epoch.update().where(epoch.c.number == 2).values(root="f" * 64),
                    "Dice set 2: its root is not that of its secret.",
                ),
            )
        ),
    ],
)
async def test_another_person_or_book_behind_the_entries_is_told(
    house: House, change: sa.UpdateBase, told: str
) -> None:
    """Swapped people and books can't be rebuilt."""
    await fill(house)
    await house.tamper(change)

    (fault,) = await faults(house.database)
    assert told in fault
    assert [(item.faults, item.whole) for item in await audit.rebuild_states(house.database, KINDS)] == [
        ((fault,), False)
    ]
    assert await faults(house.database) == [fault]


async def test_a_book_that_is_not_kept_is_told(house: House) -> None:
    """Entries without their book are named."""
    await fill(house)
    await house.tamper(book_version.delete())
    told = await faults(house.database)
    assert [fault.partition(" (")[0] for fault in told] == [
        f"Entry {number}: the book that it was rolled by is not kept" for number in (2, 3, 5)
    ]
    await house.tamper(state.delete().where(state.c.name == "effect.scouted"))
    await audit.rebuild_states(house.database, KINDS)
    assert await faults(house.database) == told


@pytest.mark.parametrize("kept", [3, *(pytest.param(kept, marks=pytest.mark.slow) for kept in (4, 1))])
async def test_a_ledger_whose_end_is_cut_off_is_told_and_never_rebuilt_from(house: House, kept: int) -> None:
    """Other tables reveal a missing end."""
    await fill(house)
    await house.tamper(entry.delete().where(entry.c.number > kept))
    before = await house.state()

    (found,) = await audit.rebuild_states(house.database, KINDS)
    assert (found.entries, found.whole) == (kept, False)
    told = f"The newest entry is {kept}, and the table post names entry "
    assert any(fault.startswith(told) and fault.endswith("the end of the ledger is missing.") for fault in found.faults)
    assert await house.state() == before


async def test_a_ledger_with_nothing_in_it_is_told(house: House) -> None:
    """A campaign begins with an entry."""
    await house.tamper(entry.delete())
    assert "The campaign has no entries. It should begin with one." in await faults(house.database)


deeds = st.lists(
    st.one_of(
        st.tuples(st.just("patrol"), st.integers(0, 2), st.integers(1, 20)),
        st.tuples(st.just("scout"), st.integers(0, 2), st.integers(1, 20)),
        st.tuples(st.just("close"), st.just(0), st.just(0)),
        st.tuples(st.just("publish"), st.integers(1, 8), st.just(0)),
        st.tuples(st.just("archive"), st.just(0), st.just(0)),
    ),
    max_size=8,
)


@pytest.mark.slow
def test_whatever_is_done_the_state_is_what_the_entries_add_up_to(database_kind: str, times: int) -> None:
    """After any run, check and rebuild agree."""
    settings(max_examples=15 * times, deadline=None)(given(done=deeds)(play))(database_kind=database_kind)


def play(database_kind: str, done: list[tuple[str, int, int]]) -> None:
    """Do this, then check and rebuild."""
    with tempfile.TemporaryDirectory() as folder, migrated_url(database_kind, Path(folder)) as url:
        asyncio.run(_play(url, done))


async def _play(url: str, done: list[tuple[str, int, int]]) -> None:
    async with opened(url) as house:
        for deed, which, face in done:
            await _do(house, deed, which, face)
        assert await faults(house.database) == []
        assert [item.faults for item in await audit.rebuild_states(house.database, KINDS)] == [()]


async def _do(house: House, deed: str, which: int, face: int) -> None:
    name = ("Anvil", "Zaku", "Dom")[which % 3]
    if deed == "patrol":
        await house.roll(patrol(name, by="Anvil", reason="again"), face)
    elif deed == "scout":
        await house.roll(replace(scouting(name, "Jonas"), reason="again"), face)
    elif deed == "close":
        await house.close_update()
    elif deed == "archive":
        await house.archive(archived=True)
        await house.archive(archived=False)
    elif which <= len(await house.entries()):
        with suppress(NotOpen):
            await house.publish(which)


async def run(database: Database, *words: str) -> Done:
    """Run the command against this database."""
    url = database.engine.url.render_as_string(hide_password=False)
    return await asyncio.to_thread(adjutant, url, *words)


async def test_the_command_checks_and_rebuilds(house: House) -> None:
    """`ledger check` and `rebuild` report and mend."""
    await fill(house)
    healthy = await run(house.database, "ledger", "check")
    assert (healthy.code, healthy.err) == (0, "")
    assert healthy.out == "Iron Sea: 6 entries, all entries and the state are sound.\n"

    await house.tamper(state.delete().where(state.c.name == "effect.scouted"))
    damaged = await run(house.database, "ledger", "check")
    assert damaged.code == 1
    assert "Iron Sea: State 'subject:5' 'effect.scouted'" in damaged.out

    rebuilt = await run(house.database, "ledger", "rebuild")
    assert rebuilt.code == 0
    assert "left as it is" not in rebuilt.out
    assert "'effect.scouted'" in rebuilt.out
    assert "rebuilt, no differences" in (await run(house.database, "ledger", "rebuild")).out


@pytest.mark.slow
async def test_the_command_tells_a_tampered_entry(house: House) -> None:
    """`ledger check` names it and exits 1."""
    await fill(house)
    await house.tamper(entry.update().where(entry.c.number == 3).values(body="{}"))
    told = await run(house.database, "ledger", "check")
    assert (told.code, told.err) == (1, "")
    assert "Iron Sea: Entry 3: body does not match the header." in told.out
    rebuilt = await run(house.database, "ledger", "rebuild")
    assert (rebuilt.code, rebuilt.err) == (1, "")
    assert rebuilt.out.endswith("Iron Sea: left as it is: restore a backup from before the damage.\n")
