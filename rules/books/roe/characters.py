"""Racial options, scores, slots, written weapons such as `Rifle = M_a_Rifle + Scope accuracy 5`, and their readiness (lines 21 to 77, 184, 261 to 325, 408, 517, 518)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from rules import effects, modifiers, phrases, scenes
from rules.book import Book, weigh_score
from rules.books.roe import catalog, weapons
from rules.books.roe.fights import DRAWN, FIRED, FIRST_ATTACK, FIRST_TURN, GONE, STUNNED_TILL_NOW, TURN_NOTES, WEATHER
from rules.errors import RollError, UnknownName, nearest
from rules.procedure import Part
from rules.subjects import MAX_WORDS, word_id

TYPED = modifiers.Origin("typed", "typed")
EQUIPPED = ("cybernetics", "implants", "magika-items")
MOST_ADDED = 99  # a house default
_LEFT_OVER = re.compile(r"(?P<what>[A-Za-z]+) ?[+-]?[0-9]+$")
_ADDED = re.compile(r"\b(accuracy|damage) ?([+-]?[0-9]{1,2})(?![0-9])")


def find_option(book: Book, name: str) -> catalog.Option:
    """Return a racial option by its name."""
    by_name = {entry.label.casefold(): entry for entry in book.entries_of(catalog.Option).values()}
    if name.strip().casefold() not in by_name:
        raise UnknownName(name, [entry.label for entry in by_name.values()], "racial option")
    return by_name[name.strip().casefold()]


def true_facts(role: str, *traits: str) -> modifiers.Facts:
    """Return these traits of a role as facts."""
    return {f"{role}.{trait}": modifiers.KnownFact(1, TYPED) for trait in traits}


def racial_facts(book: Book, role: str, name: str | None) -> modifiers.Facts:
    """Return a racial option as facts of a role; empty without one."""
    return {} if name is None else true_facts(role, f"option.{find_option(book, name).id}")


def find_racial_number(book: Book, name: str | None, rule: str, otherwise: int) -> int:
    """Return a racial option's number for a rule; `otherwise` if it has none."""
    return otherwise if name is None else int(find_option(book, name).rules.get(rule, otherwise))


def find_score(book: Book, score: str, facts: modifiers.Facts, role: str = "actor") -> int:
    """Return a role's score under these facts."""
    return weigh_score(book.scores[score], role, facts).value


def check_slots(
    book: Book, cybernetics: int = 0, implants: int = 0, magika: int = 0, *, racial: str | None = None
) -> None:
    """Refuse equipment beyond the slots (lines 21, 38, 51)."""
    facts, most = racial_facts(book, "actor", racial), book.number("slots")
    more, magika_slots = find_score(book, "extra-slot", facts), most + find_score(book, "magika-slots", facts)
    if min(cybernetics, implants, magika) < 0:
        raise RollError("Slots can't be below 0.")
    if max(cybernetics - most, 0) + max(implants - most, 0) > more:
        extra = f", and {more} more of either" if more else ""
        raise RollError(f"The character has slots for {most} cybernetics and {most} implants{extra}.")
    if magika > magika_slots:
        raise RollError(f"The character has {magika_slots} magika slots, not {magika}.")


def check_equipped(book: Book, fields: Mapping[str, Any]) -> None:
    """Refuse a saved character's equipment beyond the slots; copies count."""
    cybernetics, implants, magika = (len(fields.get(name) or ()) for name in EQUIPPED)
    check_slots(book, cybernetics, implants, magika, racial=fields.get("option"))


def check_attachments(book: Book, names: Sequence[str]) -> None:
    """Refuse attachments that one weapon can't have (line 261)."""
    if len(names) > book.number("attachments"):
        raise RollError(f"A weapon can have at most {book.number('attachments')} attachments.")
    if len({name.strip().casefold() for name in names}) < len(names):
        raise RollError("A weapon can't have two attachments of the same name.")


def find_weather_modifier(book: Book, racial: str | None, weather: int) -> int:
    """Return the weather modifier; racial options change only penalties (lines 31, 51, 68)."""
    return weather * find_racial_number(book, racial, "weather-penalty-factor", 1) if weather < 0 else weather


def describe_weather(book: Book, part: Part) -> Iterator[str]:
    """Yield one line with the weather modifiers of all sides, or nothing (A33)."""
    known = part.facts.get(WEATHER)
    options = book.entries_of(catalog.Option).values() if known else ()
    sides: dict[int, list[str]] = {}
    for role, who in part.subjects.items() if known else ():
        racial = next((item.label for item in options if f"{role}.option.{item.id}" in part.facts), None)
        if known and (value := find_weather_modifier(book, racial, known.count)):
            sides.setdefault(value, []).append(who)
    if sides:
        words = ", ".join(f"{phrases.format_signed(value)} for {' and '.join(names)}" for value, names in sides.items())
        yield f"Weather: {words}, if the HUD says so (add it by hand)"


class UnknownArm(UnknownName):
    """An unknown weapon of a character."""

    kind = "weapon of this character"


class Attachment(Struct, frozen=True):
    """An attachment, and what it adds."""

    name: str
    adds: Mapping[str, int] = {}


class Arm(Struct, frozen=True):
    """A character's weapon: name, printed token, attachments."""

    name: str
    token: str
    attachments: tuple[Attachment, ...] = ()

    @property
    def id(self) -> str:
        """The weapon's id in marks and facts."""
        return word_id(self.name)

    @property
    def mods(self) -> list[tuple[str, str, int]]:
        """What attachments add: (what, name, amount)."""
        return [(to, item.name, value) for item in self.attachments for to, value in item.adds.items()]


def read_arm(book: Book, written: str) -> Arm:
    """Read `name = token + attachments`; raise RollError for an unknown token, or attachments it can't have."""
    name, _, rest = written.rpartition("=")
    token, *attached = (word.strip() for word in re.split(r"\+(?![0-9])", rest))
    weapon = weapons.find_weapon(book, token)
    attachments = tuple(
        Attachment(_ADDED.sub("", text).strip(" ,") or "attachment", {to: int(n) for to, n in _ADDED.findall(text)})
        for text in attached
    )
    check_attachments(book, [item.name for item in attachments])
    return Arm(name.strip() or weapon.token.label, weapon.token.label, attachments)


def check_arm(book: Book, written: str) -> None:
    """Refuse a written weapon that can't be read, or an attachment that adds nothing."""
    try:
        arm = read_arm(book, written)
    except weapons.UnknownToken as problem:
        how = "" if problem.nearest else " Write it as printed, such as Rifle = M_a_Rifle + Scope accuracy 5."
        raise RollError(f"{problem}{how}") from problem
    for attachment in arm.attachments:
        added = _LEFT_OVER.search(attachment.name)
        meant = nearest(added["what"], ("accuracy", "damage")) if added else None
        if meant:
            most = f"from 0 to {MOST_ADDED}"
            raise RollError(f"{attachment.name[:60]!r} adds nothing. Did you mean {meant}, with a number {most}?")


def list_arms(book: Book, words: Iterable[str]) -> list[Arm]:
    """Return a character's weapons under unique names, then bare ones; unreadable ones are left out (line 414)."""
    arms: dict[str, Arm] = {}
    for word in words:
        try:
            arm = read_arm(book, word)
        except RollError:  # a house rule may have removed its token; naming it shows the error
            continue
        names = (arm.name, *(f"{arm.name} {number}" for number in range(2, MAX_WORDS + 1)))
        name = next(name for name in names if word_id(name) not in arms)
        arms[word_id(name)] = Arm(name, arm.token, arm.attachments)
    bare = (token.label for token in book.entries_of(catalog.WeaponToken).values() if token.bare)
    return [*arms.values(), *(Arm(label, label) for label in bare)]


def find_arm(book: Book, words: Iterable[str], typed: str) -> Arm:
    """Return a character's weapon by its name, token or written text; raise UnknownArm."""
    meant, arms = word_id(typed), list_arms(book, words)
    named = {word_id(item.token): item for item in reversed(arms)} | {item.id: item for item in arms}
    if meant in named:
        return named[meant]
    for word in words:
        if meant in {word_id(word), word_id(word.partition("=")[0])}:
            return read_arm(book, word)
    raise UnknownArm(typed, [item.name for item in arms])


Marks = Mapping[str, int]
RESTARTED = "anew."
"""The prefix, before a weapon's id, for Actions of a reload that starts over."""
DREW = f"{TURN_NOTES}drawn."
"""The prefix, before a weapon's id, of weapons drawn this turn for the next."""
LOADED = "ammo."
"""The prefix, before the ids of weapon and ammunition."""
_STATE = ("used", "reload", "bolt", "rack")
_FIRST: Mapping[weapons.Owed, str] = {
    "reload": "reload first",
    "bolt": "work its bolt first",
    "rack": "let a turn pass without firing it first",
}


class Readiness(Struct, frozen=True):
    """What a weapon owes; `used` counts turns of fire since the reload, `reload` the Actions due."""

    used: int = 0
    reload: int = 0
    bolt: bool = False
    rack: bool = False

    @property
    def owes(self) -> weapons.Owed | None:
        """What must come before the next shot; None if ready."""
        return "reload" if self.reload else "bolt" if self.bolt else "rack" if self.rack else None


def _fire_weapon(weapon: weapons.Weapon, mode: catalog.Mode, state: Readiness, name: str) -> Readiness:
    if state.owes:
        raise RollError(f"{name} isn't ready: {_FIRST[state.owes]}.")
    used = state.used + mode.reload
    if mode.reload and used >= weapon.type.cycle:
        return Readiness(0, weapon.type.reload)
    due = weapons.find_owed(weapon, mode)
    return Readiness(used, bolt=due == "bolt", rack=due == "rack")


def find_fighter(part: Part, role: str) -> Mapping[str, Any] | None:
    """Return a role's values as a fighter, None outside of a fight."""
    value: Mapping[str, Any] | None = part.kept.get(part.subjects[role], {}).get(scenes.MEMBER)
    return value


def read_marks(part: Part, role: str) -> Marks:
    """Return a role's marks; none outside of a fight."""
    marks: Marks = (find_fighter(part, role) or {}).get("marks", {})
    return marks


def mark_fighter(part: Part, role: str, new: Marks) -> Iterator[effects.Change]:
    """Yield a role's marks with `new` ones, without zeros; nothing outside of a fight."""
    value = find_fighter(part, role)
    if value is not None:
        marks = {name: count for name, count in {**value.get("marks", {}), **new}.items() if count}
        yield part.subjects[role], scenes.MEMBER, {**value, "marks": marks}


def read_readiness(marks: Marks, weapon: str) -> Readiness:
    """Return what a weapon owes."""
    used, reload, bolt, rack = (marks.get(f"{name}.{word_id(weapon)}", 0) for name in _STATE)
    return Readiness(used, reload, bool(bolt), bool(rack))


def with_readiness(marks: Marks, weapon: str, state: Readiness) -> dict[str, int]:
    """Return marks with what a weapon owes."""
    owed = (state.used, state.reload, int(state.bolt), int(state.rack))
    return {**marks, **{f"{name}.{word_id(weapon)}": count for name, count in zip(_STATE, owed, strict=True)}}


def is_in_hand(marks: Marks, weapon: str) -> bool:
    """Return whether a weapon is in hand or can be drawn freely (line 315)."""
    drawn = any(marks.get(mark) for mark in (DRAWN + word_id(weapon), FIRST_TURN, STUNNED_TILL_NOW))
    return drawn and not is_gone(marks, weapon)


def is_gone(marks: Marks, weapon: str) -> bool:
    """Return whether a weapon lies on the ground or was taken."""
    return any(marks.get(mark + word_id(weapon)) for mark in GONE)


def restart_reloads(marks: Marks) -> dict[str, int]:
    """Return marks with long reloads restarted, after moving or attacking (line 266)."""
    begun = [mark.removeprefix(RESTARTED) for mark in marks if mark.startswith(RESTARTED) and marks[mark]]
    reloads = {f"reload.{weapon}": marks[RESTARTED + weapon] for weapon in begun}
    return {**marks, **reloads, **{RESTARTED + weapon: 0 for weapon in begun}}


def restart_reloading(part: Part) -> Iterator[effects.Change]:
    """Yield the actor's restarted reloads, if any."""
    marks = read_marks(part, catalog.ACTOR)
    if any(mark.startswith(RESTARTED) for mark in marks):
        yield from mark_fighter(part, catalog.ACTOR, restart_reloads(marks))


def use_weapons(marks: Marks, armed: Iterable[tuple[str, weapons.Weapon, catalog.Mode]]) -> dict[str, int]:
    """Return marks after using (name, weapon, mode); refuse weapons that aren't ready."""
    now = restart_reloads(marks)
    for name, weapon, mode in armed:
        if not (weapon.token.bare or is_in_hand(now, name)):
            raise RollError(f"{name} isn't in hand. Draw it first, for an Action.")
        if weapon.token.bare and mode.thrown:
            raise RollError(f"{name} can't be thrown.")
        if now.get(DREW + word_id(name)):
            raise RollError(f"{name} was drawn this turn and can be used next turn.")
        if not mode.thrown:
            now = with_readiness(now, name, _fire_weapon(weapon, mode, read_readiness(now, name), name))
        now[FIRED + word_id(name)] = 1
        now[DRAWN + word_id(name)] = int(not (weapon.token.bare or mode.thrown))
    return {**now, FIRST_ATTACK: 0}


def list_loaded(part: Part) -> list[str]:
    """Return the actor's ammunition marks, also those already paid with."""
    marks = read_marks(part, catalog.ACTOR)
    return [*(mark for mark in marks if mark.startswith(LOADED) and marks[mark]), *part.inputs.get("loaded", ())]


def find_ammo(book: Book, part: Part, weapon: str) -> catalog.Ammo | None:
    """Return the ammunition in a weapon, if the book knows it."""
    known = {f"{LOADED}{word_id(weapon)}.{item.id}": item for item in book.entries_of(catalog.Ammo).values()}
    return next((known[mark] for mark in list_loaded(part) if mark in known), None)


def describe_ammo(book: Book, part: Part, weapon: str) -> Iterator[str]:
    """Yield what a weapon is loaded with."""
    of, kinds = f"{LOADED}{word_id(weapon)}.", book.entries_of(catalog.Ammo)
    for mark in list_loaded(part):
        if mark.startswith(of):
            kind = kinds.get(mark.removeprefix(of))
            own = mark.removeprefix(of).replace("-", " ")
            yield f"{weapon}: loaded with {kind.label if kind else f'{own}, which works as its text says'}."
