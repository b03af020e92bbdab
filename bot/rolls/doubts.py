"""Find names that are probably slips of known ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from string import digits

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import profiles, schema, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, find_now
from bot.core.visibility import Viewer, make_viewer
from rules.effects import EFFECT, ROLLED, roller_of
from rules.ends import is_current
from rules.errors import nearest
from rules.subjects import PROFILE, name_key, number_of, subject_key

MIN_NAME, LIKE_NAME, LIKE_WORD = 4, 0.8, 0.7
"""Letters a name needs to be a slip, and how similar it and each word must be."""

_COUNTED = re.compile(r"[0-9]+|\b[ivx]+\b")
"""What keeps units apart: Zaku 1 isn't a slip for Zaku 2, nor Dom II for Dom III."""

BETWEEN = re.compile(r"\s*(?:[;/&|+\uff0c\u3001\uff1b]|\band\b)\s*", re.IGNORECASE)
_ALWAYS = re.compile(r"[;\uff1b]")
"""What may stand between several names in place of commas, and what of that is in no name."""

_SUBJECT, _KEPT = schema.subject.c, schema.state.c
_MINE = _KEPT.campaign_id == sa.bindparam("campaign")


def _begins_with(prefix: str) -> sa.ColumnElement[bool]:
    return sa.and_(_KEPT.name >= prefix, _KEPT.name < prefix[:-1] + "/")


def _roller_of(name: sa.ColumnElement[str]) -> sa.ColumnElement[int]:
    return sa.cast(sa.func.substr(name, sa.func.length(sa.func.rtrim(name, digits)) + 1), sa.Integer)


def _select_about(prefix: str) -> sa.Select[int]:
    """Return the subjects of values whose names begin so. The case keeps other names from being cast."""
    kept = _begins_with(prefix)
    return sa.select(sa.case((kept, subjects.ABOUT))).where(_MINE, kept)


_ROLLS = sa.select(_KEPT.name).where(_MINE, _begins_with(ROLLED)).distinct().subquery()  # many roll for many: each once
_MARKED = sa.union_all(_select_about(EFFECT), _select_about(ROLLED), sa.select(_roller_of(_ROLLS.c.name)))
_SAVED = sa.select(sa.case((_KEPT.name == PROFILE, subjects.ABOUT))).where(_MINE, _KEPT.name == PROFILE)


def _select_named(numbers: sa.Select[int] | sa.CompoundSelect[int], *, saved: bool) -> sa.Select[int, str, str, bool]:
    columns = (_SUBJECT.id, _SUBJECT.name, _SUBJECT.name_key, sa.literal(saved).label("saved"))
    return sa.select(*columns).where(_SUBJECT.campaign_id == sa.bindparam("campaign"), _SUBJECT.id.in_(numbers))


_BEFORE = sa.union_all(_select_named(_SAVED, saved=True), _select_named(_MARKED, saved=False))
"""Everyone who is saved, has rolled or was rolled for, or is under an effect."""

_ROLLED_BY = sa.select(_KEPT.subject, _KEPT.name, _KEPT.value).where(
    _MINE,
    _begins_with(ROLLED),
    sa.case((_begins_with(ROLLED), _roller_of(_KEPT.name))).in_(sa.bindparam("numbers", expanding=True)),
)


def doubt_line(slip: tuple[str, str]) -> str:
    """Return a question about a (typed, known) pair of names."""
    return f"I don't know {slip[0]}. Did you mean {slip[1]}?"


def name_doubts(tx: Connection, viewer: Viewer, named: Mapping[str, int | None]) -> list[str]:
    """Return a question for each name that `find_near_names` finds; `named` has numbers or None."""
    return [*map(doubt_line, find_near_names(tx, viewer, named).items())]


def find_slip(tx: Connection, person: Person, campaign: Campaign, typed: str) -> str | None:
    """Return the known name that was probably meant; None if none."""
    viewer = make_viewer(tx, person, campaign)
    who = subjects.find_meant(tx, campaign.id, [typed], viewer.knows).get(name_key(typed))
    return find_near_names(tx, viewer, {typed: who.id if who else None}).get(typed)


def find_near_names(tx: Connection, viewer: Viewer, named: Mapping[str, int | None]) -> dict[str, str]:
    """Return unknown names with the known ones they are nearly like.

    `named` has the numbers that names mean. Known is who is saved, has rolled in this update or is under an effect. A name that
    was rolled under before isn't asked about again, within what the person may know of that roll.
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
    acting = _find_acting(tx, viewer, {number: name for number, name in asked.items() if number not in known})
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


def find_lists(tx: Connection, viewer: Viewer, named: Mapping[str, int | None]) -> dict[str, list[str]]:
    """Return names that look like several, each with its pieces. An "and" only counts if one piece is known."""
    several = {name: [*filter(None, map(str.strip, BETWEEN.split(name)))] for name in named}
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


def _find_acting(tx: Connection, viewer: Viewer, marked: Mapping[int, str]) -> dict[int, str]:
    campaign, now = viewer.campaign.id, find_now(tx, viewer.person, viewer.campaign)
    keys = {subject_key(number) for number in marked}
    kept = state.get_values_beginning(tx, campaign, keys, EFFECT) | state.get_values_beginning(
        tx, campaign, keys, ROLLED
    )
    rolls = tx.execute(_ROLLED_BY, {"campaign": campaign, "numbers": [*marked]}) if marked else ()
    kept |= {(subject, name): value for subject, name, value in rolls}
    known = [key for key, value in visibility.see_values(tx, viewer, kept).items() if is_current(value, now)]
    numbers = {number_of(subject) for subject, _ in known} | {roller_of(name) for _, name in known}
    return {number: name for number, name in marked.items() if number in numbers}


def likely_slips(name: str, known: Iterable[str]) -> Iterator[str]:
    """Yield known names near enough by their letters. Reading hundreds of saved units costs more than a roll."""
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
    """Return the known key that a key is a slip of; None if none."""
    if len(name) < MIN_NAME:
        return None
    alike = [other for other in known if _COUNTED.findall(other) == _COUNTED.findall(name)]
    close = nearest(name, alike, likeness=LIKE_NAME)
    if close is None:
        return None
    words, others = name.split(), close.split()
    pairs = zip(words, others, strict=True) if len(words) == len(others) else [(name, close)]
    return close if all(SequenceMatcher(None, *pair).ratio() >= LIKE_WORD for pair in pairs) else None
