"""Faults of contests and strikes: tables, readings and outcomes that they name and that are not there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from rules.book import Contest, Strikes
from rules.draft import BookDraft
from rules.errors import Fault
from rules.lines import Place
from rules.phrases import suggestion
from rules.table_draft import TableDraft


def lint_contests(draft: BookDraft) -> Iterator[Fault]:
    """Yield what contests and strikes name that no table has, and tables that are not read as they are asked to be."""
    tables = {table.id: table for table in draft.tables}
    for contest, place in draft.contests.placed():
        yield from _contest(contest, place, tables)
    for strikes, place in draft.strikes.placed():
        yield from _strikes(strikes, place, tables)


def _contest(item: Contest, place: Place, tables: Mapping[str, TableDraft]) -> Iterator[Fault]:
    who = f"contest {item.id}"
    yield from _unknown(f"{who}: table", item.actor, tables, place.at("actor"))
    yield from _unknown(f"{who}: table", item.resister, tables, place.at("resister"))
    if item.actor == item.resister:
        yield place.at("resister").fault(f"{who}: both sides roll on {item.actor}: give the resister a separate table")
    actor, resister = tables.get(item.actor), tables.get(item.resister)
    if resister is not None and _reads(resister) not in {"reach", "under"}:
        what = (
            f'the table {resister.id} is read off the other side: write against = {{ reads = "reach", line = 1 }} there'
        )
        yield place.at("resister").fault(f"{who}: {what}")
    for outcome, reading in item.against.items() if actor and resister else ():
        where = place.at("against", outcome)
        yield from _unknown(f"{who}: outcome", outcome, [row.outcome for row in actor.rows] if actor else (), where)
        yield from _unknown(f"{who}: reading", reading, [it.id for it in resister.readings] if resister else (), where)


def _strikes(item: Strikes, place: Place, tables: Mapping[str, TableDraft]) -> Iterator[Fault]:
    who = f"strikes {item.id}"
    for index, table in enumerate(item.rolls):
        yield from _unknown(f"{who}: table", table, tables, place.at("rolls", index))
        outcomes = {row.outcome for row in tables[table].rows} if table in tables else {*item.hits}
        if outcomes.isdisjoint(item.hits):
            what = f"no outcome of {table} is among its hits, so that it never hits: name one of {_listed(outcomes)}"
            yield place.at("hits").fault(f"{who}: {what}")
    yield from _unknown(f"{who}: table", item.tally, tables, place.at("tally"))
    if item.tally in tables and _reads(tables[item.tally]) != "number":
        what = f'{item.tally} counts no hits: write die = 0 and against = {{ reads = "number", line = 1 }} there'
        yield place.at("tally").fault(f"{who}: {what}")


def _reads(table: TableDraft) -> str | None:
    return table.head.against.reads if table.head and table.head.against else None


def _unknown(what: str, name: str, known: Collection[str], place: Place) -> Iterator[Fault]:
    if name not in known:
        yield place.fault(f"{what} {name} doesn't exist{suggestion(name, known)}")


def _listed(names: Collection[str]) -> str:
    """Return names in alphabetical order, with commas."""
    return ", ".join(sorted(names))
