"""Faults of what house rules bring besides tables: acts, contests, strikes and upkeep."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from rules import ruleset
from rules.book import HOUSE, Act, Contest, Strikes
from rules.documents import Place
from rules.draft import BookDraft
from rules.errors import Fault
from rules.house import is_game, lacks_number
from rules.kinds import DRAWN
from rules.lint import is_simple_roll
from rules.procedure import Procedure
from rules.tables import Consequence


def find_upkeep_faults(draft: BookDraft, procedures: Iterable[Procedure]) -> Iterator[Fault]:
    """Yield upkeep that can't be carried out."""
    rolls, acts = {item.family: item for item in procedures}, {item.id: item for item in draft.acts}
    numbers = [item.id for item in draft.fields if item.takes == "number"]
    for item, place in draft.upkeep.with_places():
        who, does = f"upkeep {item.id}", [item.rolls, item.adds, item.takes]
        if len([each for each in does if each is not None]) != 1:
            yield place.fault(f"{who}: write one of rolls, adds and takes")
            continue
        if item.rolls is None:
            if item.by is not None:
                yield from place.at("by").unknown(f"{who}: no number is called", item.by, numbers)
            continue
        roll: Act | Procedure | None = acts.get(item.rolls) or rolls.get(item.rolls)
        if roll is None:
            yield from place.at("rolls").unknown(f"{who}: unknown roll", item.rolls, [*acts, *rolls])
        elif not is_simple_roll(roll, {**rolls, **acts}):
            yield place.at("rolls").fault(f"{who}: the roll {item.rolls} is made by its own command only")
        elif f"{{{roll.subject}}}" in (roll.headline_alone or roll.headline):
            yield place.at("rolls").fault(
                f"{who}: the roll {item.rolls} needs a {roll.subject}: give it a headline-alone"
            )


def find_roll_faults(draft: BookDraft, others: Mapping[str, str]) -> Iterator[Fault]:
    """Yield ids that acts, contests and strikes can't have, and what they lack."""
    taken = {**others, **dict.fromkeys(draft.table_ids(), "a table")}
    placed: list[tuple[Act | Contest | Strikes, Place]] = [*draft.acts.with_places(), *draft.contests.with_places()]
    for item, place in (*placed, *draft.strikes.with_places()):
        if is_game(place.document) and item.id in taken:
            yield place.at("id").fault(f"{item.noun} {item.id}: {taken[item.id]} has that id: give it another id")
    yield from _find_weather_faults(draft)
    yield from _find_unrollable(draft)
    pools = {table.id for table in draft.tables if table.head and table.head.pool}
    for contest, place in draft.contests.with_places():
        if contest.each is not None and not pools.isdisjoint({contest.actor, contest.resister}):
            yield place.at("each").fault(f"contest {contest.id}: a pool is thrown by each alone: leave each out")
    yield from _find_uncounted(draft)


def _find_weather_faults(draft: BookDraft) -> Iterator[Fault]:
    skies = {zone.table for zone in draft.zones if draft.heads[0].value.id == HOUSE}
    for table in (table for table in draft.tables if table.id in skies):
        if table.head is not None and table.head.audience is not None:
            yield table.place.at("audience").fault(f"table {table.id}: the weather is for everyone: leave audience out")
        for item, place in table.modifiers.with_places():
            if any(not fact.removeprefix("!").startswith("last-week.") for clause in item.when for fact in clause):
                what = "only last week counts for the weather, such as last-week.north-gale"
                yield table.where(place).fault(f"modifier {item.id}: {what}")


def _find_unrollable(draft: BookDraft) -> Iterator[Fault]:
    lacking = {table.id for table in draft.tables if lacks_number(table)}
    for contest, place in draft.contests.with_places():
        if is_game(place.document) and contest.actor in lacking:
            what = f"nothing is rolled before {contest.actor}: leave against out there"
            yield place.at("actor").fault(f"contest {contest.id}: {what}")
    for strikes, place in draft.strikes.with_places():
        if is_game(place.document) and strikes.tries is None:
            yield place.fault(f"strikes {strikes.id}: nothing says how many tries there are: write tries = 3")
        for table in lacking.intersection(strikes.rolls) if is_game(place.document) else ():
            what = f"nothing is rolled before {table}: leave against out there"
            yield place.at("rolls").fault(f"strikes {strikes.id}: {what}")


def _find_uncounted(draft: BookDraft) -> Iterator[Fault]:
    deeds, facts = {deed.id: deed for deed in draft.deeds}, {*draft.fact_ids()}
    for who, place, done in _list_done(draft):
        amount = deeds[done.do].amount if done.do in deeds and done.amount is None else None
        if isinstance(amount, str) and amount not in DRAWN and f"{done.to}.{amount}" not in facts:
            what = f"{done.do} counts {amount}, which isn't a fact of the role {done.to}"
            yield place.fault(f'{who}: {what}: add "{done.to}" to its roles under facts')
    for act, place in draft.acts.with_places():
        drawn = [item.do for item in act.then if item.do in deeds and deeds[item.do].amount in DRAWN]
        if drawn and act.rolls is None:
            yield place.at("then").fault(f"act {act.id}: {drawn[0]} needs the result of a roll, and it has none")


def _list_done(draft: BookDraft) -> Iterator[tuple[str, Place, Consequence]]:
    inner: dict[str | None, tuple[str, ...]] = {item.id: (item.actor, item.resister) for item in draft.contests}
    inner |= {item.id: (*item.rolls, item.tally) for item in draft.strikes}
    for table in draft.tables:
        roles = [
            (ruleset.ROLLER, ruleset.TARGET),
            *((it.actor, it.subject) for it in draft.acts if table.id in inner.get(it.rolls, (it.rolls,))),
        ]
        for row, place in table.rows.with_places():
            for done in row.then:
                named = {
                    dict(zip((ruleset.ROLLER, ruleset.TARGET), pair, strict=True)).get(done.to or "") for pair in roles
                }
                yield from (
                    (f"row {row.outcome}", place, replace(done, to=role)) for role in sorted(filter(None, named))
                )
    for act, place in draft.acts.with_places():
        yield from ((f"act {act.id}", place, done) for done in act.then)
