"""What checks and rebuilds cost."""

from __future__ import annotations

import asyncio
import tracemalloc
import zlib
from collections.abc import Sequence
from io import StringIO
from typing import Any

import pytest
import sqlalchemy as sa

from bot.app import KINDS
from bot.core import audit, tally
from bot.core.ledger import Body, EntryDraft, EntryKind, EntryKinds
from bot.core.proofs import prove
from bot.core.records import MAX_BYTES, Change, pack
from bot.core.schema import entry, state, subject
from tests.core.test_audit import faults, fill
from tests.support.backend import GM, House
from tests.support.commands import adjutant

RAW = sa.table("entry", sa.column("number"), sa.column("body"))


async def enter(house: House, number: int, text: str = "") -> None:
    """Enter this many entries with text and change."""

    def write(tx: sa.Connection) -> None:
        for place in range(number):
            change = Change("subject:1", "effect.mud", None if place == 0 else {"entry": place}, {"entry": place + 1})
            draft = EntryDraft("campaign", "staff", {"edited": {"text": f"{text}{place}"}}, (change,))
            house.ledger.enter(tx, house.campaign, GM.user_id, draft)

    await house.database.write(write)


@pytest.mark.slow
async def test_a_forged_number_of_any_length_is_a_fault_to_several_processes_too(house: House) -> None:
    """The check goes on and names the entry."""
    await enter(house, 2)
    body = b'{"changes":[{"subject":"a","name":"b","after":1%s}]}' % (b"0" * 30)
    await house.tamper(RAW.update().where(RAW.c.number == 2).values(body=pack(body.decode())))
    for processes in (None, 2):
        (campaign,) = await audit.check_ledgers(house.database, KINDS, processes=processes)
        assert "Entry 2: body does not match the header." in campaign.faults


@pytest.mark.slow
async def test_several_processes_find_what_one_finds(house: House) -> None:
    """Runs in parallel give the same result."""
    await fill(house)
    await enter(house, 2 * tally.BATCH)
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS, processes=2)] == [()]
    await house.tamper(state.delete().where(state.c.name == "effect.scouted"))
    await house.tamper(entry.update().where(entry.c.number == 2 * tally.BATCH).values(audience="results"))
    differences = await audit.check_ledgers(house.database, KINDS)
    assert len(differences[0].faults) == 2
    assert await audit.check_ledgers(house.database, KINDS, processes=2) == differences
    for number in (tally.BATCH, tally.BATCH + 1, 2 * tally.BATCH + 3):
        await house.tamper(entry.update().where(entry.c.number == number).values(hash="f" * 64))
    broken = await audit.check_ledgers(house.database, KINDS)
    assert {fault.partition(":")[0] for fault in broken[0].faults} == {
        f"Entry {number}" for edge in (tally.BATCH, tally.BATCH + 1, 2 * tally.BATCH + 3) for number in (edge, edge + 1)
    }
    assert await audit.check_ledgers(house.database, KINDS, processes=2) == broken
    await house.tamper(RAW.update().where(RAW.c.number == 300).values(body=b"garbage"))
    assert await audit.check_ledgers(house.database, KINDS, processes=2) == await audit.check_ledgers(
        house.database, KINDS
    )


@pytest.mark.slow
@pytest.mark.parametrize(("more", "words"), [(2, 500), pytest.param(6, 2000, marks=pytest.mark.slow)])
async def test_a_check_holds_no_more_than_a_few_entries(house: House, more: int, words: int) -> None:
    """Memory doesn't grow with entries."""
    await enter(house, 2 * tally.BATCH, "said at " * words)
    few = await peak(house)
    await enter(house, more * tally.BATCH, "said at " * words)
    assert await peak(house) < 1.25 * few


async def peak(house: House) -> int:
    """A check's peak memory in bytes."""
    await faults(house.database)  # what is made once is not counted
    tracemalloc.start()
    try:
        assert await faults(house.database) == []
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


async def test_a_rebuild_writes_only_what_differs(house: House) -> None:
    """Three differences are three rows."""
    await fill(house)
    await enter(house, 50)
    whole = await house.state()
    written: list[tuple[str, int]] = []

    def note(*said: Any) -> None:  # noqa: ANN401 - SQLAlchemy's own parameters
        _, _, statement, parameters, _, many = said
        deed, *words = statement.split()
        if deed in {"DELETE", "INSERT", "UPDATE"}:
            table = next(word for word in words if word in {"entry", "state", "subject"})
            written.append((f"{deed} {table}", len(parameters) if many else 1))

    sa.event.listen(house.database.engine, "before_cursor_execute", note)
    await audit.rebuild_states(house.database, KINDS)
    assert written == []
    await house.tamper(state.update().where(state.c.name == "effect.scouted").values(value={"entry": 1}))
    await house.tamper(subject.update().where(subject.c.id == 1).values(name="Nobody"))
    await house.tamper(entry.update().where(entry.c.number == 3).values(audience="results"))
    written.clear()
    await audit.rebuild_states(house.database, KINDS)

    assert sorted(written) == [
        ("INSERT state", 1), ("INSERT subject", 1), ("UPDATE entry", 1),
    ]  # fmt: skip
    assert await house.state() == whole
    assert await faults(house.database) == []


async def test_what_nobody_entered_is_gone_after_a_rebuild(house: House) -> None:
    """Unknown names, values and keys are removed."""
    await fill(house)
    whole = await house.state()
    await house.tamper(subject.insert().values(campaign_id=1, id=99, name="Ghost", name_key="ghost"))
    await house.tamper(subject.update().where(subject.c.id == 1).values(name_key="other"))
    assert len(await faults(house.database)) == 2
    await audit.rebuild_states(house.database, KINDS)
    assert await house.state() == whole
    assert await faults(house.database) == []


@pytest.mark.parametrize(
    "kept", [b"garbage", b"", zlib.compress(b"{}")[:-1], zlib.compress(bytes(MAX_BYTES + 1))], ids=range(4)
)
async def test_a_body_that_cannot_be_unpacked_is_told(house: House, kept: bytes) -> None:
    """Damaged compression is named."""
    await fill(house)
    await house.tamper(RAW.update().where(RAW.c.number == 3).values(body=kept))
    (found,) = await audit.rebuild_states(house.database, KINDS)
    assert (found.faults, found.whole) == (("Entry 3: body isn't a text.",), False)


async def test_what_is_decoded_of_a_body_is_enough_for_its_audience(house: House) -> None:
    """The gist gives each kind's audience."""
    await fill(house)
    runs = await house.database.read(lambda tx: list(tally._list_runs(tx, house.campaign)))
    seen = [item for run in runs for item in prove(run).seen]
    projection = tally.Projection(KINDS)
    for gist, whole in zip(seen, await house.entries(), strict=True):
        assert gist.gist is not None
        by_gist = KINDS.audience(gist.kind, gist.gist, projection.audiences)
        assert by_gist == KINDS.audience(whole.kind, whole.content(), projection.audiences)
        projection.add(gist.kind, gist.gist)


async def test_a_rule_may_read_more_of_a_body(house: House) -> None:
    """Otherwise the whole body is read."""
    await fill(house)

    def by_format(body: Body, _before: Sequence[str]) -> str:
        return "staff" if body["format"] == 2 else "results"

    campaign = KINDS.of("campaign", {})
    others = [kind for kinds in KINDS._kinds.values() for kind in kinds if kind is not campaign]
    kinds = EntryKinds([EntryKind("campaign", by_format, campaign.sentence, campaign.pages), *others])
    assert [item.faults for item in await audit.check_ledgers(house.database, kinds)] == [()]


@pytest.mark.slow
async def test_whoever_waits_is_told_how_far_it_is(house: House) -> None:
    """Progress counts entries of all campaigns."""
    await enter(house, 2 * tally.BATCH)
    told: list[tuple[int, int]] = []
    await audit.check_ledgers(house.database, KINDS, lambda done, of: told.append((done, of)))
    of = 2 * tally.BATCH + 1
    assert told == [(tally.BATCH, of), (2 * tally.BATCH, of), (of, of)]


class Terminal(StringIO):
    """A fake terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


async def test_a_terminal_shows_a_bar(house: House) -> None:
    """`ledger check` shows progress; its output stays."""
    url = house.database.engine.url.render_as_string(hide_password=False)
    plain = await asyncio.to_thread(adjutant, url, "ledger", "check")
    shown = await asyncio.to_thread(adjutant, url, "ledger", "check", err=Terminal())
    assert (plain.err, "Checked" in shown.err) == ("", True)
    assert shown.out == plain.out
