"""Lines of the book in words: entries, effects, scores, fields, acts, tables and weapons."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import itemgetter

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from bot.ui.text import DOT
from rules import kinds, subjects, tables
from rules.acts import OTHER_ONE
from rules.book import Act, Contest, Cost, Effect, Refusal, Score, Strikes
from rules.books.roe import turns, weapons
from rules.books.roe.catalog import Band, Mode, Option, Race, Rule, Stance, WeaponToken, WeaponTrait
from rules.books.roe.weapons import Weapon
from rules.modifiers import SELF, Modifier, When
from rules.phrases import format_count, format_signed, name_totals
from rules.ruleset import RuleSet


def _cite_line(line: int) -> str:
    return f"{DOT}line {line}"


def _describe_modifier(item: Modifier) -> str:
    each = " for each" if item.times or item.per else ""
    return f"{format_signed(item.value)}{each} {item.label}{_cite_line(item.line)}"


def _describe_when(book: RuleSet, when: When) -> str:
    return "; or ".join(", ".join(_condition(book, literal) for literal in clause) for clause in when)


def _describe_rest(book: RuleSet, when: When, known: Collection[str]) -> str:
    others = dict.fromkeys(literal for clause in when for literal in clause if literal not in known)
    return f" ({', '.join(_condition(book, literal) for literal in others)})" if others else ""


def _condition(book: RuleSet, literal: str) -> str:
    name = literal.removeprefix("!")
    trait = name.partition(".")[2]
    fact = book.facts.get(name) or next((item for item in book.facts.values() if item.trait == trait), None)
    words = fact.label if fact else trait.replace("-", " ")
    return f"not: {words}" if literal != name else words


def _describe_weapon(book: RuleSet, token: WeaponToken) -> Iterator[str]:
    weapon = weapons.find_weapon(book, token.label)
    reach = weapons.reach_m(book, weapon)
    yield f"Reach: {'unlimited' if reach is None else f'{reach} m'}"
    ranges = [(band, at) for band, at in _list_ranges(book) if reach is None or at <= reach]
    if weapon.gun:
        yield from (_describe_attack_die(weapon, band) for band, _ in ranges)
    for mode in book.entries_of(Mode).values():
        if weapon.handling in mode.of:
            yield from _describe_mode(book, weapon, mode, ranges)
    for trait in weapon.traits:
        least = weapons.threshold(book, token.size, trait)
        yield f"{book.entries_of(WeaponTrait)[trait].label}: on a hit with a natural {least} or more"
    if weapon.reload_actions:
        yield f"Reload: {_count_words(weapon.reload_actions, 'Action')}"
    if weapon.gun:
        yield f"Special ammunition: {_count_words(weapons.special_actions(book, weapon), 'Action')} to load it"
    taken = format_signed(weapons.dual_penalty(book, [token.size]))
    yield f"Two at once: {taken} to accuracy" if weapon.type.dual else "Can't be used together with another weapon"


def _list_ranges(book: RuleSet) -> Iterator[tuple[Band, float]]:
    start = 0.0
    for band in book.entries_of(Band).values():
        yield band, start
        start = band.below or (band.most or 0) + 0.5


def _describe_attack_die(weapon: Weapon, band: Band) -> str:
    sniper = weapon.type.sniper
    critical = "" if weapons.can_crit(band, sniper=sniper) else ", without criticals"
    end = f"to {band.most} m" if band.most else f"below {band.below} m" if band.below else "and farther"
    return f"{band.label} ({end}): attack d{weapons.attack_sides(band, sniper=sniper)}{critical}"


def _describe_mode(book: RuleSet, weapon: Weapon, mode: Mode, ranges: list[tuple[Band, float]]) -> Iterator[str]:
    owed = weapons.find_owed(weapon, mode)
    then = f"{DOT}then: {owed}" if owed else f"{DOT}reload after {weapon.type.cycle} turns" if mode.reload else ""
    volleys = [(_describe_volley(book, weapon, mode, at), band.label) for band, at in ranges]
    runs = [(volley, [label for _, label in run]) for volley, run in groupby(volleys, itemgetter(0))]
    for volley, labels in runs:
        where = "" if len(runs) == 1 else f" at {' and '.join(labels).lower()}"
        yield f"{mode.label}{where}: {volley}{then}"


def _describe_volley(book: RuleSet, weapon: Weapon, mode: Mode, at: float) -> str:
    rolls = weapons.attack_rolls(book, weapon, mode, at)
    return f"{_count_words(rolls, 'roll')}, damage d{weapons.damage_sides(book, weapon, mode, at)}"


def _count_words(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def describe_act(book: RuleSet, act: Act) -> Iterator[str]:
    """Yield an act's cost, roll and refusals."""
    yield act.text
    if act.by:
        yield f"Use /roe {act.by}"
    yield from (_describe_cost(book, cost) for cost in act.costs)
    if act.rolls:
        yield f"Rolled: {_name_rolled(book, act.rolls)}"
    for item in act.variants:
        if not item.rolled:
            yield f"No roll if: {_describe_when(book, item.when)}{_cite_line(item.line)}"
    yield from (f"Not possible: {_describe_refusal(act, item)}{_cite_line(item.line)}" for item in act.refused)


def _describe_refusal(act: Act, item: Refusal) -> str:
    names = {"to": OTHER_ONE, act.subject: OTHER_ONE, act.beside or "": OTHER_ONE, act.actor: "the character"}
    words = item.words.format_map(names)
    return words[:1].upper() + words[1:]


def describe_contest(book: RuleSet, contest: Contest) -> Iterator[str]:
    """Yield both sides and results of a contest."""
    for table in (book.tables[contest.actor], book.tables[contest.resister]):
        yield f"{table.title}: {table.die}"
    yield from _describe_rows(book.tables[contest.resister])


def describe_strikes(book: RuleSet, strikes: Strikes) -> Iterator[str]:
    """Yield how many tries there are, what ends them, their dice, and how hits count."""
    if strikes.tries:
        yield f"Tries: {strikes.tries}"
    if strikes.until:
        yield f"Ends with hit {strikes.until}"
    yield from (f"Each: {book.tables[name].title}, {book.tables[name].dice_text}" for name in strikes.rolls)
    yield from _describe_rows(book.tables[strikes.tally])


def describe_table(table: tables.RollTable) -> Iterator[str]:
    """Yield a table's dice, rows and modifiers."""
    yield f"Dice: {table.dice_text}"
    yield from _describe_rows(table)
    yield from (f"A natural {item.face}: {table.row(item.outcome).text}" for item in table.naturals)
    yield from (_describe_modifier(item) for item in table.modifiers)
    yield from (f"Total at most {cap.high}{_cite_line(cap.line)}" for cap in table.caps if cap.high)


def _describe_rows(table: tables.RollTable) -> Iterator[str]:
    lead = "by " if table.against and table.against.reads != "number" else ""
    for row in table.rows:
        if totals := name_totals(row.min, row.max):
            yield f"{lead}{totals}: {row.text}{_cite_line(row.line)}"


def _describe_cost(book: RuleSet, cost: Cost) -> str:
    amount = f"all {cost.label}" if cost.whole else format_count(cost.amount, cost.label)
    free = f", free if: {_describe_when(book, cost.unless)}" if cost.unless else ""
    return f"Costs {amount}{free}{_cite_line(cost.line)}"


def _name_rolled(book: RuleSet, name: str) -> str:
    for listed in (book.contests, book.strikes, book.tables):
        if name in listed:
            return listed[name].title
    return book.procedure(name).title


CALLED: Mapping[str, str] = {
    "option": "racial option",
    "trigger": "weapon trait",
    "lasting": "lasting effect",
    "token": "weapon token",
    "mode": "way to attack",
    "volley": "rolls of an Action",
    "band": "range",
    "rule": "changed by options",
    "allowance": "part of a turn",
    "bar": "lost in a turn",
    "step": "step of a turn",
    "seat": "seat in a vehicle",
    "entrance": "way into a fight",
    "arrival": "noise",
    "harm": "HP loss",
    "size": "size class",
}
"""The names of kinds that differ from the kind."""
_UNSHOWN = frozenset({"id", "label", "line", "rules", "fact", "facts", "place", "race"})


def name_kind(entry: kinds.CatalogEntry) -> str:
    """Return an entry's kind as people read it, such as `weapon trait`."""
    return CALLED.get(entry.kind, entry.kind.replace("-", " "))


def describe_entry(book: RuleSet, entry: kinds.CatalogEntry) -> Iterator[str]:
    """Yield all that a catalog entry says and changes."""
    if isinstance(entry, kinds.PrintedNumber):
        yield f"{entry.value}"
        return
    yield from _describe_values(book, entry)
    if isinstance(entry, WeaponToken):
        yield from _describe_weapon(book, entry)
    if isinstance(entry, Race):
        yield from (option.label for option in book.entries_of(Option).values() if option.race == entry.place)
    if isinstance(entry, Option):
        yield from (race.label for race in book.entries_of(Race).values() if race.place == entry.race)
        for name, value in entry.rules.items():
            yield f"{book.entries_of(Rule)[name].label}: {_describe_value(book, name, value)}"
    traits = [f"{entry.kind}.{entry.id}", *([entry.fact] if isinstance(entry, Stance) and entry.fact else [])]
    for trait in traits:
        yield from _describe_influence(book, trait)


def describe_effect(book: RuleSet, effect: Effect) -> Iterator[str]:
    """Yield how long an effect lasts and what it does."""
    count, whose = effect.end.count, "of its bearer" if effect.end.of == "bearer" else "of the one who caused it"
    match effect.end.until:
        case "turns":
            yield f"Lasts for {count} turn{'' if count == 1 else 's'} {whose}"
        case "hours":
            yield f"Lasts for {count} hours"
        case "scene" | "update":
            yield f"Lasts until the {effect.end.until} is over"
        case "cleared":
            yield "Lasts until it is cleared"
    yield from _describe_influence(book, effect.trait)


def describe_score(score: Score) -> Iterator[str]:
    """Yield a score's start, modifiers and caps."""
    if score.base:
        yield f"Starts at {score.base}"
    yield from (_describe_modifier(item) for item in score.modifiers)
    yield from (f"Total at most {format_signed(cap.high)}{_cite_line(cap.line)}" for cap in score.caps if cap.high)


def describe_field(field: subjects.Field) -> Iterator[str]:
    """Yield a field's values and who has it."""
    yield f"Saved for each {', '.join(sorted(field.on))}"
    if field.takes == "number":
        yield f"A number from {format_signed(field.min or 0)} to {format_signed(field.max or 0)}"
    elif field.options:
        yield f"One of: {', '.join(field.options)}"
    if field.own:
        yield "Players can set it for their characters"


def _describe_influence(book: RuleSet, trait: str) -> Iterator[str]:
    borne = {f"{role}.{trait}" for role in (SELF, *(fact.role for fact in book.facts.values() if fact.trait == trait))}
    seen = set()
    for score in book.scores.values():
        for item in _select_reading(borne, score.modifiers):
            seen.add((item.value, item.label))
            yield f"{format_signed(item.value)} {score.label}{_describe_rest(book, item.when, borne)}{_cite_line(item.line)}"
    for table in book.tables.values():
        for item in _select_reading(borne, table.modifiers):
            if (item.value, item.label) not in seen:
                seen.add((item.value, item.label))
                yield f"{format_signed(item.value)} {table.title}{_describe_rest(book, item.when, borne)}{_cite_line(item.line)}"
    for act in book.acts.values():
        for refusal in act.refused:
            if any(literal in borne for clause in refusal.when for literal in clause):
                yield f"{act.title}: {_describe_refusal(act, refusal)}{_cite_line(refusal.line)}"


def find_printed_line(book: RuleSet, trait: str) -> int | None:
    """Find the line where an effect is printed, or None."""
    begun = (deed.line for deed in book.deeds.values() if deed.effect == trait)
    lasting = (entry.line for entry in book.entries_of(turns.LastingMark).values() if entry.effect == trait)
    return next(chain(begun, lasting), None)


def _select_reading(borne: set[str], modifiers: Iterable[Modifier]) -> Iterator[Modifier]:
    for item in modifiers:
        if any(literal in borne for clause in item.when for literal in clause):
            yield item


def _describe_values(book: RuleSet, entry: Struct) -> Iterator[str]:
    for item in fields(entry):
        value = getattr(entry, item.name)
        plain = () if isinstance(value, tuple) else None if item.default is NODEFAULT else item.default
        if item.name in _UNSHOWN or value in (plain, None, {}):
            continue
        words = item.name.replace("_", " ")
        name = words.upper() if len(words) < len("due") else words[:1].upper() + words[1:]
        yield f"{name}: {_describe_value(book, item.name, value)}"


def _describe_value(book: RuleSet, name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"d{value}" if name.endswith(("die", "sides")) else str(value).replace("-", "\N{MINUS SIGN}")
    if isinstance(value, Struct):
        return ", ".join(line.partition(": ")[2] for line in _describe_values(book, value))
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return _describe_when(book, value)
    if isinstance(value, tuple):
        return ", ".join(_describe_value(book, name, word) for word in value)
    return _find_label(book, name, str(value))


def _find_label(book: RuleSet, name: str, word: str) -> str:
    if name == "effect" and word in book.effects:
        return book.effects[word].label
    if word in book.scores:
        return book.scores[word].label
    if word in book.procedures:
        return book.procedures[word].title
    if word in book.tables:
        return book.tables[word].title
    own = book.catalog.get(name.replace("_", "-"), {})
    return next((listed[word].label for listed in (own, *book.catalog.values()) if word in listed), word)
