"""What in a command that rolls at once is probably a slip: it is asked about first, and nothing is rolled before."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from string import digits

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import knowledge, profiles, schema, state, subjects
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, find_now
from bot.core.subjects import ABOUT
from bot.core.visibility import Viewer, make_viewer
from bot.rolls.parsing import unread_modifiers
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from rules.effects import EFFECT, ROLLED, roller_of
from rules.ends import holds
from rules.errors import nearest
from rules.procedure import Procedure
from rules.ruleset import RuleSet
from rules.stages import family_tickables
from rules.subjects import PROFILE, name_key, names_of, number_of, subject_key

MIN_NAME, LIKE_NAME, LIKE_WORD = 4, 0.8, 0.7
"""Letters of a name that can be a slip, and how similar it and each of its words are to those of a saved one."""

_COUNTED = re.compile(r"[0-9]+|\b[ivx]+\b")
"""What tells units of one kind apart: Zaku 1 is no slip for Zaku 2, and Dom II none for Dom III."""


_BETWEEN = re.compile(r"\s*(?:[;/&|+\uff0c\u3001\uff1b]|\band\b)\s*", re.IGNORECASE)
_ALWAYS = re.compile(r"[;\uff1b]")
"""What may stand between several names in place of commas, and what of that is in no name."""

_SUBJECT, _KEPT = schema.subject.c, schema.state.c
_MINE = _KEPT.campaign_id == sa.bindparam("campaign")


def _begins(prefix: str) -> sa.ColumnElement[bool]:
    """Return the condition of values whose names begin with a prefix, a dot at its end."""
    return sa.and_(_KEPT.name >= prefix, _KEPT.name < prefix[:-1] + "/")


def _roller(name: sa.ColumnElement[str]) -> sa.ColumnElement[int]:
    return sa.cast(sa.func.substr(name, sa.func.length(sa.func.rtrim(name, digits)) + 1), sa.Integer)


def _about(prefix: str) -> sa.Select[int]:
    """Return the numbers of those of whom values are kept whose names begin with a prefix; of others nothing is made a number."""
    kept = _begins(prefix)
    return sa.select(sa.case((kept, ABOUT))).where(_MINE, kept)


_ROLLS = sa.select(_KEPT.name).where(_MINE, _begins(ROLLED)).distinct().subquery()  # many roll for many: each once
_MARKED = sa.union_all(_about(EFFECT), _about(ROLLED), sa.select(_roller(_ROLLS.c.name)))
_SAVED = sa.select(sa.case((_KEPT.name == PROFILE, ABOUT))).where(_MINE, _KEPT.name == PROFILE)


def _named(numbers: sa.Select[int] | sa.CompoundSelect[int], *, saved: bool) -> sa.Select[int, str, str, bool]:
    columns = (_SUBJECT.id, _SUBJECT.name, _SUBJECT.name_key, sa.literal(saved).label("saved"))
    return sa.select(*columns).where(_SUBJECT.campaign_id == sa.bindparam("campaign"), _SUBJECT.id.in_(numbers))


_BEFORE = sa.union_all(_named(_SAVED, saved=True), _named(_MARKED, saved=False))
"""Whoever is saved, of whom an effect or a roll is kept, or who rolled."""

_ROLLED_BY = sa.select(_KEPT.subject, _KEPT.name, _KEPT.value).where(
    _MINE,
    _begins(ROLLED),
    sa.case((_begins(ROLLED), _roller(_KEPT.name))).in_(sa.bindparam("numbers", expanding=True)),
)


class Doubts(Struct, frozen=True):
    """What is probably a slip in a command: in words, the command as it was typed, and as it was meant, where that can be told.

    As typed it has no modifiers that no table knows.
    """

    lines: tuple[str, ...]
    typed: RollCommand
    meant: RollCommand | None


def find_doubts(
    tx: Connection,
    viewer: Viewer,
    rules: tuple[RuleSet, Procedure],
    command: RollCommand,
    identified: Sequence[PartRequest],
) -> Doubts | None:
    """Return what is probably a slip, as far as the person may know of what was meant; None where nothing is.

    `identified` are the parts of the command with the numbers of those whom the names in them mean.
    """
    book, procedure = rules
    known = family_tickables(procedure, book) if command.modifiers else {}
    unread = unread_modifiers(command.modifiers, known)
    named = {name: number for part in identified for name, number in _numbered(part)}
    renamed = find_near_names(tx, viewer, named)
    listed = _listed(tx, viewer, named)
    listed = {name: several for name, several in listed.items() if not _BETWEEN.search(renamed.get(name, ""))}
    renamed = {name: close for name, close in renamed.items() if name not in listed}
    place, where = _place(book, command.region)
    lines = [
        f"I don't know the modifier {word!r}, so I left it out. Did you mean {label}?" for word, _, label in unread
    ]
    lines += map(doubt_line, renamed.items())
    lines += [
        f"I read {name} as one name. Use commas for several: {', '.join(several)}." for name, several in listed.items()
    ]
    lines += [where] if where else []
    if not lines:
        return None
    meant = replace(command, modifiers=_replaced(command.modifiers, {word: key for word, key, _ in unread}))
    meant = replace(meant, parts=[_respelled(part, renamed) for part in command.parts], region=place or command.region)
    typed = replace(command, modifiers=_replaced(command.modifiers, {word: "" for word, _, _ in unread}))
    return Doubts(tuple(lines), typed, meant if unread or renamed or place else None)


def doubt_line(slip: tuple[str, str]) -> str:
    """Return in a sentence that a name is probably a slip: the name as typed, and the saved one."""
    return f"I don't know {slip[0]}. Did you mean {slip[1]}?"


def name_doubts(tx: Connection, viewer: Viewer, named: Mapping[str, int | None]) -> list[str]:
    """Return in sentences which names are probably slips, as `near_names` finds them."""
    return [*map(doubt_line, find_near_names(tx, viewer, named).items())]


def find_slip(tx: Connection, person: Person, campaign: Campaign, typed: str) -> str | None:
    """Return the name that a person probably meant by another, as `near_names` finds it."""
    viewer = make_viewer(tx, person, campaign)
    who = subjects.find_meant(tx, campaign.id, [typed], viewer.knows).get(name_key(typed))
    return find_near_names(tx, viewer, {typed: who.id if who else None}).get(typed)


def find_near_names(tx: Connection, viewer: Viewer, named: Mapping[str, int | None]) -> dict[str, str]:
    """Return the names that mean nobody there is, but are nearly those of others whom the person knows, with these.

    `named` has the numbers of those whom names mean. Others are who is saved, or has rolled in this update or is under an effect. Nobody is asked again under a name that was
    rolled before, as far as the person may know that it was.
    """
    leads = viewer.person.leads(viewer.campaign)
    unsettled = [name_key(name) for name, number in named.items() if number is None or not leads]
    if not unsettled:
        return {}
    there = {name_key(name) for name in named}
    before = tx.execute(_BEFORE, {"campaign": viewer.campaign.id}).all()
    others = {row.name_key for row in before} - there
    likely = {other for name in unsettled for other in likely_slips(name, others)}
    if not likely:
        return {}
    known, typed = {row.id for row in before if row.saved}, {*named.values()}
    asked = {row.id: row.name for row in before if row.name_key in likely or row.id in typed}
    acting = _acting(tx, viewer, {number: name for number, name in asked.items() if number not in known})
    everyone = profiles.list_profiles(tx, viewer.campaign.id)
    saved = {item.id: item.name for item in everyone if viewer.knows(item)}
    sides = {name_key(item.side) for item in everyone if item.side and item.id in saved}
    strange = {name: number for name, number in named.items() if number is None or (not leads and number not in saved)}
    strange = {name: number for name, number in strange.items() if name_key(name) not in sides}
    doubtful = [name for name, number in strange.items() if number not in acting]
    near = [{key: name for name in some.values() if (key := name_key(name)) not in there} for some in (saved, acting)]
    close = (
        (name, some[like]) for name in doubtful for some in near[::-1] if (like := find_near_key(name_key(name), some))
    )
    return dict(close)  # of a saved one and another, the saved one


def _listed(tx: Connection, viewer: Viewer, named: Mapping[str, int | None]) -> dict[str, list[str]]:
    """Return the names that mean nobody there is, but look like several that something else than commas separates, with these.

    What also joins the words of one name does so only where one of the several is known.
    """
    several = {name: [*filter(None, map(str.strip, _BETWEEN.split(name)))] for name in named}
    several = {name: names for name, names in several.items() if len(names) > 1}
    if not several:
        return {}
    known = [item for item in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(item)]
    ids = {item.id for item in known}
    keys = {name_key(name) for item in known for name in (item.name, item.side) if name}
    leads = viewer.person.leads(viewer.campaign)
    return {
        name: names
        for name, names in several.items()
        if (named[name] is None or not (leads or named[name] in ids)) and name_key(name) not in keys
        if _ALWAYS.search(name) or any(name_key(item) in keys for item in names)
    }


def _acting(tx: Connection, viewer: Viewer, marked: Mapping[int, str]) -> dict[int, str]:
    """Return who of these has rolled or was rolled for in this update, or is under an effect, as far as the person may know."""
    campaign, now = viewer.campaign.id, find_now(tx, viewer.person, viewer.campaign)
    keys = {subject_key(number) for number in marked}
    kept = state.get_values_beginning(tx, campaign, keys, EFFECT) | state.get_values_beginning(
        tx, campaign, keys, ROLLED
    )
    rolls = tx.execute(_ROLLED_BY, {"campaign": campaign, "numbers": [*marked]}) if marked else ()
    kept |= {(subject, name): value for subject, name, value in rolls}
    known = [key for key, value in knowledge.see_values(tx, viewer, kept).items() if holds(value, now)]
    numbers = {number_of(subject) for subject, _ in known} | {roller_of(name) for _, name in known}
    return {number: name for number, name in marked.items() if number in numbers}


def _numbered(part: PartRequest) -> Iterator[tuple[str, int | None]]:
    """Yield the names in a part with the numbers of those whom they mean, but for people who stand there themselves."""
    for role, ids in part.ids.items():
        if role not in part.people:
            yield from zip(names_of(part.subjects[role]), ids, strict=True)


def likely_slips(name: str, known: Iterable[str]) -> Iterator[str]:
    """Yield those of the known of which a name may be a slip, by its letters alone: of these and no others `nearly` finds one.

    To read all that is saved of some hundred units takes longer than to roll.
    """
    if len(name) < MIN_NAME:
        return
    numbers, letters = _COUNTED.findall(name), SequenceMatcher(b=name)
    for other in known:
        # What `real_quick_ratio` would say, without the call: most names differ in length or number.
        likely = 2 * min(len(name), len(other)) >= LIKE_WORD * (len(name) + len(other))
        if likely and _COUNTED.findall(other) == numbers:
            letters.set_seq1(other)
            if letters.quick_ratio() >= LIKE_WORD:
                yield other


def find_near_key(name: str, known: Collection[str]) -> str | None:
    """Return which one of the known a name is a slip of; both as `name_key` gives them."""
    if len(name) < MIN_NAME:
        return None
    alike = [other for other in known if _COUNTED.findall(other) == _COUNTED.findall(name)]
    close = nearest(name, alike, likeness=LIKE_NAME)
    if close is None:
        return None
    words, others = name.split(), close.split()
    pairs = zip(words, others, strict=True) if len(words) == len(others) else [(name, close)]
    return close if all(SequenceMatcher(None, *pair).ratio() >= LIKE_WORD for pair in pairs) else None


def _place(book: RuleSet, typed: str | None) -> tuple[str | None, str | None]:
    """Return the region that was probably meant, and what is wrong with the one that was typed."""
    region = parsing.region(typed)
    if region is None or not book.zones or name_key(region) in book.places:
        return None, None
    close = nearest(region, {place.label for _, place in book.places.values()})
    hint = f" Did you mean {close}?" if close else " No weather counts."
    return close, f"There's no weather for the region {region}.{hint}"


def _respelled(part: PartRequest, renamed: Mapping[str, str]) -> PartRequest:
    subjects = {
        role: ", ".join(renamed.get(name, name) for name in names_of(names)) for role, names in part.subjects.items()
    }
    return part.model_copy(update={"subjects": subjects})


def _replaced(typed: str | None, words: Mapping[str, str]) -> str | None:
    """Return modifiers with some of their words replaced; with nothing, one is left out."""
    if typed is None or not words:
        return typed
    return ",".join(filter(None, (words.get(piece.strip(), piece) for piece in typed.split(","))))
