"""Check units and characters for commands and imports."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, errors
from bot.core.library import Library
from bot.core.profiles import UNIT_KINDS, Profile, name_kind_with_article
from bot.ui import parsing
from rules.book import Trait
from rules.books.campaign.orders import STANCE
from rules.errors import nearest
from rules.subjects import CHARACTER_KINDS, BadValue, Field, Fields, FieldValue, find_bearer, name_key, strip_unseen
from rules.typed_text import keyboard_signs

KINDS = (*UNIT_KINDS, *CHARACTER_KINDS)
TEXTS = ("name", "side", "region", "squad")
FIELDS, NOTHING = "fields", {"none", "nothing", "-"}
HOW_TO_TYPE = "Separate fields by semicolons: callsign: Owl; newtype: 7. To empty one: callsign: none."

_COLONED = re.compile(r",([^,:;]+):")
"""A comma before the next field's name and colon."""

_MAX_SHOWN = 40

Nearest = Callable[[str, Iterable[str]], str | None]


class Flaw(Struct, frozen=True):
    """A field's flaw, and what to do."""

    field: str
    what: str
    do: str


def tidy(text: str | None) -> str | None:
    """Normalise a name: composed, single spaces; None if empty."""
    return " ".join(unicodedata.normalize("NFC", text or "").split()) or None


def quote(text: str) -> str:
    """Quote typed text, shortened."""
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}\N{HORIZONTAL ELLIPSIS}")


def list_traits(tx: Connection, library: Library, campaign: campaigns.Campaign) -> dict[str, Trait]:
    """Return all traits of a campaign's books."""
    books = (library.book(tx, campaign, book) for book in campaign.books)
    return {name: trait for book in books for name, trait in book.traits.items()}


def read_fields(
    given: Mapping[str, object], fields: Fields, had: Mapping[str, FieldValue] = MappingProxyType({})
) -> dict[str, FieldValue | None]:
    """Read `callsign: Owl; newtype: 7`; None empties a field. `had` is what was saved."""
    values: dict[str, FieldValue | None] = {}
    known = {word for item in fields.values() for word in (item.id, name_key(item.label))}
    text = _COLONED.sub(lambda at: f";{at[1]}:" if name_key(at[1]) in known else at[0], str(given.get(FIELDS, "")))
    for part in filter(None, map(tidy, text.split(";"))):
        name, _, value = part.partition(":" if ":" in part else " ")
        found = next((item for item in fields.values() if name_key(name) in {item.id, name_key(item.label)}), None)
        if found is None and name_key(part) in NOTHING:
            raise errors.BadInput("That field can't be emptied.", HOW_TO_TYPE)
        if found is None:
            raise errors.BadInput(*unknown("field", name, fields, nearest))
        if not value.strip():
            raise errors.BadInput(f"What is the {found.label}? You typed no value.", HOW_TO_TYPE)
        try:
            read = found.read(None if value.strip().casefold() in NOTHING else tidy(value))
        except BadValue as error:
            raise errors.BadInput(HOW_TO_TYPE if _COLONED.search(value) else str(error)) from error
        before = had.get(found.id)
        if isinstance(read, int) and isinstance(before, int) and keyboard_signs(value).strip().startswith("+"):
            what = f"The {found.label} is {before}, so {value.strip()} could mean {before + read} or {read}."
            raise errors.BadInput(what, "Type the new number, without a plus.")
        values[found.id] = read
    return values


def require_sound(profile: Profile, traits: Mapping[str, Trait], units: Mapping[str, str], fields: Fields) -> None:
    """Refuse a profile with flaws."""
    for flaw in flaws(profile, traits, units, fields):
        raise errors.BadInput(flaw.what, flaw.do)


def flaws(
    profile: Profile, traits: Mapping[str, Trait], units: Mapping[str, str], fields: Fields, near: Nearest = nearest
) -> Iterator[Flaw]:
    """Yield a profile's flaws; `units` are saved units' names by `name_key`."""
    for field in TEXTS:
        yield from _check_text(field, field, getattr(profile, field))
    if profile.kind not in KINDS:
        yield Flaw("kind", *unknown("kind", profile.kind, KINDS, near))
        return
    yield from _check_fields(profile, fields)
    for name, word in _list_unit_words(profile, fields):
        if name_key(word) not in units:
            yield Flaw(name, *unknown("saved unit", word, units.values(), near, "Save the unit first."))
    if profile.squad is not None and profile.is_character and name_key(profile.squad) not in units:
        yield Flaw("squad", *unknown("saved unit", profile.squad, units.values(), near, "Save the unit first."))
    yield from _check_traits(profile, traits, near)


def unknown(what: str, name: str, known: Collection[str], near: Nearest, do: str = "") -> tuple[str, str]:
    """Return a refusal of a name: what is wrong, then the nearest name or `do`."""
    close = near(name[: parsing.MAX_NAME], known)
    listed = do or (f"Pick from: {', '.join(known)}." if known else "There are none yet.")
    return f"I don't know the {what} {quote(name)}.", f"Did you mean {close}?" if close else listed


def _check_text(field: str, label: str, text: str | None) -> Iterator[Flaw]:
    if not text:
        if field == "name":
            yield Flaw(field, "It has no name.", "Give it one.")
        return
    if len(text) > parsing.MAX_NAME:
        yield Flaw(field, f"The {label} {quote(text)} is too long.", f"The limit is {parsing.MAX_NAME} characters.")
    if "," in text and field in {"name", "side", "squad"}:
        yield Flaw(field, f"The {label} {quote(text)} has a comma.", "Leave it out: commas separate names.")
    if strip_unseen(text) != text or all(unicodedata.category(sign)[0] in "CZ" for sign in text):
        yield Flaw(field, f"The {label} {quote(text)} has an invisible character.", "Type it again.")
    if field == "name" and parsing.NUMBER.search(name_key(text)):
        what = f"The name {quote(text)} can't end in # and a number."
        yield Flaw(field, what, "Leave # out, or write it differently.")
    if field == "name" and parsing.is_answer(text, STANCE.options):
        what = f"The name {quote(text)} ends like the stance of a patrol's target."
        yield Flaw(field, what, "Leave the colon out, or write it differently.")


def _check_fields(profile: Profile, fields: Fields) -> Iterator[Flaw]:
    if not profile.is_character and profile.squad is not None:
        yield Flaw("squad", f"{_subject(profile)} has no squad.", "Only characters (pc, npc) have one.")
    refused: set[str] = set()
    for name, value in profile.fields.items():
        item = fields.get(name)
        if item is not None and find_bearer(profile.kind) not in item.on:
            yield Flaw(name, f"{_subject(profile)} has no {item.label}.", f"It is for a {_describe_bearers(item)}.")
        elif item is not None and not isinstance(value, int):
            for word in value if isinstance(value, list) else [value]:
                yield from _check_text(name, item.label, word)
            yield from _check_combinations(profile, item, refused)


def _check_combinations(profile: Profile, item: Field, refused: set[str]) -> Iterator[Flaw]:
    try:
        item.require_beside(profile.fields)
    except BadValue as error:
        if str(error) not in refused:
            refused.add(str(error))
            yield Flaw(item.id, str(error), "Leave something out, or change one of them.")


def list_named_units(profile: Profile, fields: Fields) -> dict[str, str]:
    """Return units that a profile's fields name, by `name_key`."""
    return {name_key(word): word for _, word in _list_unit_words(profile, fields)}


def _list_unit_words(profile: Profile, fields: Fields) -> Iterator[tuple[str, str]]:
    for name, value in profile.fields.items():
        if isinstance(value, list) and name in fields and fields[name].names:
            yield from ((name, word) for word in value)


def _check_traits(profile: Profile, traits: Mapping[str, Trait], near: Nearest) -> Iterator[Flaw]:
    on = find_bearer(profile.kind)
    fitting = [item.id for item in traits.values() if on in item.on] if profile.traits.keys() - traits else []
    for name, count in profile.traits.items():
        trait = traits.get(name)
        if trait is None:
            yield Flaw("traits", *unknown("trait", name, fitting, near, "See the list of traits in docs/roster.md."))
        elif on not in trait.on:
            yield Flaw(
                "traits",
                f"{_subject(profile)} can't have the trait {name}.",
                f"It is for a {_describe_bearers(trait)}.",
            )
        elif not trait.counted and count != 1:
            yield Flaw("traits", f"The trait {name} has no count.", f"Write only {name}.")
        elif not 1 <= count <= parsing.MAX_COUNT:
            yield Flaw(
                "traits", f"The trait {trait.label} can't count {count} times.", f"Type 1 to {parsing.MAX_COUNT}."
            )
    rivals = [traits[name] for name in profile.traits if name in traits and traits[name].one_of]
    for group, number in Counter(trait.one_of for trait in rivals).items():
        if number > 1:
            named = [trait.id for trait in rivals if trait.one_of == group]
            yield Flaw("traits", f"Only one of these traits can be true: {', '.join(named)}.", "Leave one.")


def _subject(profile: Profile) -> str:
    words = name_kind_with_article(profile.kind)
    return words[0].upper() + words[1:]


def _describe_bearers(item: Trait | Field) -> str:
    return " or ".join(sorted(item.on, reverse=True))
