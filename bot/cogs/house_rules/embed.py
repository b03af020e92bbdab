"""House rules in words, and entries about them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

import discord
from msgspec import Struct, structs
from msgspec.structs import replace

from bot.cogs.house_rules import sent_files
from bot.core.ledger import Body, EntryKind, EntryView, Pages, View
from bot.core.library import HouseFile
from bot.rolls.embed import consequences_text
from bot.ui import receipt, text
from bot.ui.text import COLOURS, DOT, join_words, plain
from rules import climate, phrases
from rules.acts import list_order_acts
from rules.book import HOUSE, HOUSE_TITLE, Act, Zone
from rules.books.headlines import load_printed_deeds
from rules.editable_table import MIN_ROWS, EditableRow, EditableTable, write_condition
from rules.modifiers import Modifier, list_mentioned_facts
from rules.odds import table_odds
from rules.orders import OrderKind, Phase
from rules.ruleset import ROLLER, TARGET, RuleSet
from rules.subjects import find_bearer
from rules.tables import Consequence, ConsequenceKind, RollTable, TableRow
from rules.upkeep import UpkeepRule

ARROW = " \N{RIGHTWARDS ARROW} "
WEATHER = "weather"
GROUND = {True: "land", False: "sea"}
NOTHING = "It changes nothing."
WHEN = {"close": "before each closing", "week": "after each closing"}
SOME_DICE = 3
POOL_KEYS = ("dice", "twice", "ones", "pair", "zero")
SHOWN = 8  # digits of a fingerprint


ItemT = TypeVar("ItemT", bound=Struct)


def preview_lines(file: HouseFile, before: RuleSet, after: RuleSet) -> list[str]:
    """Say what a file adds and changes."""
    lines: list[str] = []
    for name, table in after.tables.items():
        old = before.tables.get(name)
        if old is None:
            inside = (_follows(row, table.deeds) for row in table.rows if row.then)
            lines += [
                "",
                *table_lines(table),
                *(f"-# {line}" for line in (*inside, *map(_describe_modifier, table.modifiers))),
            ]
        elif replace(old, files=table.files) != table:
            changes = [
                *_list_changes(old, table),
                *_consequence_changes(old, table),
                *_list_fixed_rows(old, table, after),
            ]
            lines += ["", *table_lines(table), *(f"-# {line}" for line in changes)]
    removed = [name for name in before.tables if name not in after.tables]
    others = [f"table `{name}` removed: {plain(before.tables[name].title)}" for name in removed]
    others += [*_other_changes(before, after), *_list_unused_facts(before, after), *_list_without_effect(before, after)]
    if others:
        lines += ["", *others]
    if after.entries_of(OrderKind).keys() - before.entries_of(OrderKind).keys():
        lines.append(
            "-# Give the new orders with `/order give`. To let players give them: `/gm settings players_may:orders`."
        )
    about = f"the game {plain(after.title)}" if after.title != HOUSE_TITLE and file.extends == HOUSE else _about(file)
    head = [f"{about}{DOT}{_describe_origin(file.file)}", f"-# Fingerprint {file.fingerprint[:SHOWN]}"]
    return [*head, *(lines or [NOTHING])]


def list_closed(body: Body) -> list[str]:
    """Say which tables closed to players."""
    may = body.get("edited", {}).get("players_may", {"before": [], "after": []})  # of old entries none has it
    closed = [name for name in may["before"] if name not in may["after"]]
    return [f"-# No longer open to players: {', '.join(closed)}"] if closed else []


def table_lines(table: RollTable) -> Iterator[str]:
    """Yield a table with its rows' exact odds."""
    count = len(table.modifiers)
    many = f"{count} modifier{'' if count == 1 else 's'}"
    to = [f"result to the {table.audience}"] if table.audience else []
    yield f"### {plain(table.title)}"
    bare = table.pool is not None and table.pool.dice < 1  # all its dice are modifiers
    shown = f"odds with {SOME_DICE} dice:" if bare else "odds without modifiers:"
    shown = "read against the roll before:" if table.against and table.against.value is None else shown
    yield DOT.join([f"`{table.id}`", table.dice_text, many, *to, shown])
    if table.against is not None and table.against.value is None:  # it's read against another roll
        yield from map(_row, table.rows)
        return
    odds = table_odds(table, SOME_DICE if bare else 0)
    for row in table.rows:
        chance = odds[row.outcome]
        yield f"**{phrases.percent(chance)}** ({chance}){DOT}{_row(row)}"
    for natural in table.naturals:
        yield f"-# An unmodified {natural.face} is always: {plain(table.row(natural.outcome).text)}"
    yield from (f"-# {line}" for line in _describe_settings(table))


def _describe_settings(table: RollTable) -> Iterator[str]:
    for cap in table.caps:
        ends = [
            f"at {word} {phrases.format_signed(end)}"
            for word, end in (("least", cap.low), ("most", cap.high))
            if end is not None
        ]
        yield f"Limit of {cap.group or 'everything added'}: {join_words(ends)}"
    for outcome, other in table.doubles.items():
        yield f"Doubles: {plain(table.row(outcome).text)}{ARROW}{plain(table.row(other).text)}"
    if (pool := table.pool) is not None:
        parts = [f"{key} {value}" for key in POOL_KEYS if (value := getattr(pool, key))]
        parts += [f"push below {pool.push.below}"] if pool.push else []
        parts += [f"keep {phrases.join_words(pool.push.keep)}"] if pool.push and pool.push.keep else []
        yield from [f"Pool: {', '.join(parts)}"] if parts else []


def detail_lines(table: RollTable) -> Iterator[str]:
    """Add ids of rows and modifiers for game masters."""
    yield from table_lines(table)
    yield from (f"-# row `{row.outcome}`{DOT}{_follows(row, table.deeds)}" for row in table.rows)
    yield from (f"-# modifier `{item.id}`{DOT}{_describe_modifier(item)}" for item in table.modifiers)


def draft_lines(draft: EditableTable) -> Iterator[str]:
    """Yield an unfinished table's rows with odds, its modifiers, and what is missing."""
    gaps = [*draft.list_gaps()]
    missing = join_words([phrases.span(*gap) for gap in gaps]) if gaps else ""
    yield f"**Still missing:** {missing}. Press *Add a result*." if gaps else f"A table needs {MIN_ROWS} results."
    for row in sorted([*draft.rows, *(EditableRow(*gap, "") for gap in gaps)]):
        chance, said = draft.chance(row.low, row.high), plain(row.text) or "*no result yet*"
        yield f"**{phrases.percent(chance)}** ({chance}){DOT}{phrases.span(row.low, row.high)}: {said}"
    yield from (f"-# {plain(item['value'])} {plain(item['modifier'])}" for item in draft.modifiers)


def list_pages(campaign: str, files: Sequence[HouseFile], tables: Mapping[str, str]) -> list[list[discord.Embed]]:
    """List files and open tables."""
    on = [file for file in files if file.on]
    lines = [f"**{plain(file.label)}**{DOT}{_about(file)}{DOT}entry #{file.entry}" for file in on]
    off = [plain(file.label) for file in files if not file.on]
    lines += [f"*Switched off: {', '.join(off)}*"] if off else []
    lines += ["", "**Tables for /table roll**"] if tables else []
    lines += [f"\N{BULLET} {plain(title)} (`{name}`)" for name, title in tables.items()]
    shown = lines or ["No tables yet that you can roll on. Game masters add them with /gm rules."]
    return text.paginate(text.fit_embeds("House rules", shown, colour=COLOURS["neutral"], footer=campaign))


def _describe_origin(name: str) -> str:
    return "typed in Discord" if name == sent_files.TYPED else f"sent as {plain(name)}"


def _about(file: HouseFile) -> str:
    if file.extends != HOUSE:
        return f"over the book {file.extends}"
    if file.weather and not file.tables:
        return "own weather"
    count = len(file.tables)
    return f"{count} own table{'' if count == 1 else 's'}"


def _row(row: TableRow) -> str:
    led = f"{ARROW}`{row.rolls}`" if row.rolls else ""
    return f"{phrases.span(row.min, row.max)}: {plain(row.text)}{led}"


def _consequences(then: Sequence[Consequence], deeds: Mapping[str, ConsequenceKind]) -> str:
    return consequences_text(then, {item.to: item.to for item in then if item.to}, deeds)


def _follows(row: TableRow, deeds: Mapping[str, ConsequenceKind]) -> str:
    consequences = _consequences(row.then, deeds)
    return f"{_row(row)}{DOT}{consequences}" if consequences else _row(row)


def _describe_modifier(item: Modifier) -> str:
    clauses = [[fact for fact in clause if fact != item.times] for clause in item.when]
    when = "" if clauses == [[item.id]] or not clauses or [] in clauses else f", if `{write_condition(clauses)}`"
    times = f" \N{MULTIPLICATION SIGN} `{item.times}`" if item.times else ""
    return f"{phrases.format_signed(item.value)} {plain(item.label)}{times}{when}"


def _list_changes(before: RollTable, after: RollTable) -> Iterator[str]:
    old, new = ({row.outcome: row for row in table.rows} for table in (before, after))
    yield from _list_differences("row", old, new, partial(_follows, deeds={**before.deeds, **after.deeds}))
    was, now = ({item.id: item for item in table.modifiers} for table in (before, after))
    yield from _list_differences("modifier", was, now, _describe_modifier)


def _consequence_changes(before: RollTable, after: RollTable) -> Iterator[str]:
    old, deeds = {row.outcome: row for row in before.rows}, {**before.deeds, **after.deeds}
    for row in after.rows:
        was, now = old.get(row.outcome, row).then, row.then
        for word, changed in (("no longer", set(was) - set(now)), ("newly", set(now) - set(was))):
            consequences = [_consequences([item], deeds) for item in (*was, *now) if item in changed]
            if consequences:
                yield f"row `{row.outcome}` {word}: {', '.join(dict.fromkeys(consequences))}"


def _list_fixed_rows(before: RollTable, after: RollTable, book: RuleSet) -> Iterator[str]:
    old = {row.outcome: (row.text, row.then) for row in before.rows}
    for roll in book.procedures.values():
        for table, outcome in roll.method.required_rows:
            row = after.row(outcome) if table == after.id else None
            if row is not None and old.get(outcome) != (row.text, row.then):
                yield f"the {roll.family} roll decides what follows for `{outcome}`"


def _list_differences(
    kind: str, before: Mapping[str, ItemT], after: Mapping[str, ItemT], describe: Callable[[ItemT], str]
) -> Iterator[str]:
    for name, item in after.items():
        if name not in before:
            yield f"{kind} `{name}` added: {describe(item)}"
        elif (past := _without_line(before[name])) != (new := _without_line(item)):
            was, now = describe(before[name]), describe(item)
            others = (key.replace("_", "-") for key, value in new.items() if value != past[key])
            what = f"{was}{ARROW}{now}" if was != now else f"{now} ({', '.join(others)})"
            yield f"{kind} `{name}` changed: {what}"
    for name, item in before.items():
        if name not in after:
            yield f"{kind} `{name}` removed: {describe(item)}"


def _without_line(item: Struct) -> dict[str, object]:
    return {key: _drop_lines(value) for key, value in structs.asdict(item).items() if key != "line"}


def _drop_lines(value: object) -> object:
    if isinstance(value, tuple):
        return [*map(_drop_lines, value)]
    return _without_line(value) if isinstance(value, Struct) else value


def _label(item: Struct) -> str:
    named = (getattr(item, key, None) for key in ("label", "title"))
    label = plain(next(filter(None, named), ""))
    if isinstance(item, Phase):
        return f"{label}, takes {', '.join(item.takes) or 'nothing'}"
    if isinstance(item, Act):
        return f"{label}, {f'rolls {item.rolls}' if item.rolls else 'without a roll'}"
    if isinstance(item, UpkeepRule):
        many = f"{item.times} \N{MULTIPLICATION SIGN} {item.by}" if item.by else item.times
        does = f"adds {many} to {item.adds}" if item.adds else f"takes {many} from {item.takes}"
        does = f"rolls {item.rolls}" if item.rolls else does
        return f"{label}, {does}, for each {', '.join(sorted(item.of))}, {WHEN[item.at]}"
    if isinstance(item, ConsequenceKind):
        return plain(item.sentence(None).replace("{to}", "someone"))
    if isinstance(item, OrderKind):
        return f"{label}, carried out as {item.family}" if item.family else label
    return label


_LISTS = {
    kind: f"{kind}s" for kind in ("fact", "condition", "trait", "field", "effect", "deed", "act", "contest", "score")
}


def _other_changes(before: RuleSet, after: RuleSet) -> Iterator[str]:
    for kind, name in (*_LISTS.items(), ("strikes", "strikes"), ("upkeep", "upkeep")):
        yield from _list_differences(kind, _list_written(before, name), _list_written(after, name), _label)
    for kind in dict.fromkeys((*before.catalog, *after.catalog)):
        yield from _list_differences(kind, before.catalog.get(kind, {}), after.catalog.get(kind, {}), _label)
    for name in before.zones.keys() - after.zones.keys():
        yield f"weather removed: {plain(before.zones[name].label)}"
    for name, zone in after.zones.items():
        old = before.zones.get(name)
        if old is None:
            yield f"weather added: {plain(zone.label)} ({join_words([plain(place.label) for place in zone.regions])})"
        elif old != zone:
            yield f"the weather of {plain(zone.label)} changed:"
            yield from (f"\N{BULLET} {line}" for line in _describe_weather_changes(before, after, old, zone))


def _list_written(book: RuleSet, name: str) -> Mapping[str, Struct]:
    items: Mapping[str, Struct] = getattr(book, name)
    made: Collection[str] = ()  # what no file has
    if name == "acts":
        made = {*book.upkeep, *(act.id for act in list_order_acts(book.catalog))}
    elif name == "deeds":
        made = {*load_printed_deeds(), *(f"upkeep.{item}" for item in book.upkeep)}
    return {key: item for key, item in items.items() if key not in made}


def _list_without_effect(before: RuleSet, after: RuleSet) -> Iterator[str]:
    # Not faults of the file: one that is on would be off after an upgrade.
    names = [name for name in _list_written(after, "acts") if before.acts.get(name) != after.acts[name]]
    for act in (after.acts[name] for name in names):
        for done in (item for item in act.then if item.to and after.deeds[item.do].only_ends):
            lacking = [f"{done.to}.{trait}" for trait in after.deeds[done.do].ends]
            if after.facts.keys().isdisjoint(lacking):
                hint = f"`{lacking[0]}` isn't a fact, so add `{done.to}` to its roles."
                yield f"\N{WARNING SIGN} `{done.do}` of `{act.id}` does nothing: {hint}"
        if act.rolls is not None and (act.actor == TARGET or act.subject == ROLLER):
            hint = f"On tables, `{ROLLER}` acts on `{TARGET}`: use other names, or these."
            yield f"\N{WARNING SIGN} The roles of `{act.id}` are swapped. {hint}"
    for item in (item for name, item in after.upkeep.items() if before.upkeep.get(name) != item):
        field = after.fields.get(item.adds or item.takes or "")
        for kind in sorted(item.of) if field else ():
            if field and field.on and find_bearer(kind) not in field.on:
                yield f"\N{WARNING SIGN} `{item.id}` does nothing for a {kind}, which has no `{field.id}`."


def _list_unused_facts(before: RuleSet, after: RuleSet) -> Iterator[str]:
    modifiers = [item for table in after.tables.values() for item in table.modifiers]
    used = {fact for item in modifiers for fact in list_mentioned_facts(item.when)}
    used |= {fact for act in after.acts.values() for fact in act.facts} | {
        item.times for item in modifiers if item.times
    }
    counted = {*after.effects, *(deed.amount for deed in after.deeds.values())}
    roles = [ROLLER, TARGET, WEATHER, *(role for act in after.acts.values() for role in (act.actor, act.subject))]
    for fact in (fact for name, fact in after.facts.items() if name not in before.facts):
        weather = fact.role == WEATHER and fact.trait in after.conditions
        if fact.id not in used and fact.trait not in counted and not weather:
            yield f"\N{WARNING SIGN} Nothing uses the fact `{fact.id}`."
        elif fact.role == WEATHER and after.conditions and fact.trait not in after.conditions:
            meant = phrases.suggestion(fact.trait, after.conditions)
            yield f"\N{WARNING SIGN} The weather has no `{fact.trait}`{meant}. It only counts when you tick it."
        elif after.id == HOUSE and fact.role not in roles:
            only = f"`{ROLLER}` is who rolls, `{TARGET}` is the target"
            yield f"\N{WARNING SIGN} No one is the `{fact.role}` of `{fact.id}`, so it only counts when you tick it: {only}."


def _describe_weather_changes(before: RuleSet, after: RuleSet, old: Zone, new: Zone) -> Iterator[str]:
    places = {region.id: region for region in old.regions}
    for now in new.regions:
        was = places.pop(now.id, None)
        if was is None:
            yield f"{plain(now.label)} added"
        elif was.land != now.land:
            yield f"{plain(now.label)}: {GROUND[was.land]}{ARROW}{GROUND[now.land]}"
        elif _without_line(was) != _without_line(now):
            yield f"{plain(now.label)}: another name, note or place on the map"
    yield from (f"{plain(gone.label)} removed" for gone in places.values())
    for outcome, cells in new.climate.items():
        for region in new.regions:
            was_text = _conditions(before, old.climate.get(outcome, {}).get(region.id, ()))
            now_text = _conditions(after, cells.get(region.id, ()))
            if was_text != now_text:
                yield f"{climate.category_phrase(outcome)}, {plain(region.label)}: {was_text}{ARROW}{now_text}"


def _conditions(book: RuleSet, traits: Sequence[str]) -> str:
    return join_words([plain(climate.condition_label(book, trait)) for trait in traits]) or "nothing"


def _describe(body: Body, _view: View = "staff") -> str:
    how = "switched on" if body["deed"] == "on" else "switched off"
    instead = ", replacing the version before" if body["replaced"] else ""
    return f"House rules {plain(body['name'])} v{body['version']} {how}{instead}"


def _pages(shown: EntryView, view: View) -> Pages:
    body, lines = shown.entry.content(), []
    if view != "public":  # players see elsewhere which tables there are
        where = "Own tables" if body["extends"] == HOUSE else f"Over the book {body['extends']}"
        tables = [f"\N{BULLET} {plain(title)} (`{name}`)" for name, title in body["tables"].items()]
        lines = [f"{where}, {_describe_origin(body['file'])}", *tables, *list_closed(body)]
    lines = [_describe(body), *lines, f"-# Fingerprint {body['fingerprint'][:SHOWN]}"]
    return receipt.plain_pages(shown, "House rules", lines)


HOUSE_RULES_CHANGED = EntryKind("house", "results", _describe, _pages)
