"""Probable slips in names: one letter off, or several names taken for one."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from string import digits
from weakref import WeakKeyDictionary

import msgspec
import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import campaigns, entries, permissions, profiles, schema, state, subjects, visibility
from rules import effects, errors
from rules.effects import EFFECT, ROLLED, roller_of
from rules.subjects import NAME, PROFILE, name_key, number_of, subject_key

MIN_NAME, LIKE_NAME, LIKE_WORD = 4, 0.8, 0.7
"""Letters a name needs to be a slip, and how similar it and each word must be."""

_COUNTED = re.compile(r"[0-9]+|\b[ivx]+\b")
"""What keeps units apart: Zaku 1 isn't a slip for Zaku 2, nor Dom II for Dom III."""

BETWEEN = re.compile(r"\s*(?:[;/&|+\uff0c\u3001\uff1b]|\band\b)\s*", re.IGNORECASE)
_ALWAYS = re.compile(r"[;\uff1b]")
"""What may stand between several names in place of commas, and what of that is in no name."""

_MOST_NEW, _LASTS, _MOST_CAMPAIGNS = 500, 10_000, 100
"""After how many new entries, at once and altogether, all names are read again; of how many campaigns they are kept."""

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


def _select_keys(numbers: sa.Select[int] | sa.CompoundSelect[int]) -> sa.Select[str]:
    return sa.select(_SUBJECT.name_key).where(
        _SUBJECT.campaign_id == sa.bindparam("campaign"), _SUBJECT.id.in_(numbers)
    )


_NAMED = sa.select(_SUBJECT.id, _SUBJECT.name).where(_SUBJECT.campaign_id == sa.bindparam("campaign"))
_BEFORE = sa.union_all(_select_keys(_SAVED), _select_keys(_MARKED))
"""The names of everyone who is saved, has rolled or was rolled for, or is under an effect."""

_ALIKE = sa.union_all(  # with OR, SQLite would read all subjects of the campaign
    _NAMED.where(_SUBJECT.name_key.in_(sa.bindparam("keys", expanding=True))),
    _NAMED.where(_SUBJECT.id.in_(sa.bindparam("ids", expanding=True))),
)
_SINCE = (
    sa.select(schema.entry.c.number, schema.entry.c.hash, schema.entry.c.body)
    .where(schema.entry.c.campaign_id == sa.bindparam("campaign"), schema.entry.c.number >= sa.bindparam("first"))
    .order_by(schema.entry.c.number)
    .limit(_MOST_NEW + 1)
)

_ROLLED_BY = sa.select(_KEPT.subject, _KEPT.name, _KEPT.value).where(
    _MINE,
    _begins_with(ROLLED),
    sa.case((_begins_with(ROLLED), _roller_of(_KEPT.name))).in_(sa.bindparam("numbers", expanding=True)),
)


class _NamedChange(Struct, frozen=True):
    name: str
    after: object = None


class _NamedBody(Struct, frozen=True):
    names: Mapping[str, str] = field(default_factory=dict)
    changes: Sequence[_NamedChange] = ()


_read_body = msgspec.json.Decoder(_NamedBody).decode


class KnownNames:
    """A campaign's names at its entry `seen`, and perhaps others. Later ones are in later entries, of any process."""

    def __init__(self, keys: Iterable[str], seen: tuple[int, str] = (0, "")) -> None:
        self.seen, self.until = seen, seen[0] + _LASTS
        self._by_counts: dict[tuple[str, ...], dict[str, int]] = {}
        self.add(keys)

    def add(self, keys: Iterable[str]) -> None:
        """Add names, as keys."""
        for key in keys:
            self._by_counts.setdefault(_find_counts(key), {})[key] = _mark_letters(key)

    def find_likely(self, name: str) -> list[str]:
        """Return names that are alike."""
        if len(name) < MIN_NAME:
            return []
        mine, matcher, likely = _mark_letters(name), SequenceMatcher(b=name), []
        for other, its in tuple(self._by_counts.get(_find_counts(name), {}).items()):
            if (mine ^ its).bit_count() <= (1 - LIKE_WORD) * (len(name) + len(other)):
                matcher.set_seq1(other)
                if matcher.quick_ratio() >= LIKE_WORD:
                    likely.append(other)
        return likely


def _find_counts(key: str) -> tuple[str, ...]:
    return tuple(_COUNTED.findall(key))


def _mark_letters(key: str) -> int:
    letters = 0
    for letter in key:
        letters |= 1 << ord(letter) % 64
    return letters


_known: WeakKeyDictionary[sa.Engine, dict[int, KnownNames]] = WeakKeyDictionary()


def _get_names(tx: Connection, campaign_id: int) -> KnownNames:
    kept = _known.setdefault(tx.engine, {})
    names = kept.get(campaign_id)
    if names is None or not _add_newer(tx, campaign_id, names):
        link = entries.find_link(tx, campaign_id, "")
        names = kept[campaign_id] = KnownNames(tx.scalars(_BEFORE, {"campaign": campaign_id}), (link.number, link.hash))
        for oldest in [*kept][:-_MOST_CAMPAIGNS]:
            kept.pop(oldest, None)
    return names


def _add_newer(tx: Connection, campaign_id: int, names: KnownNames) -> bool:
    first, hash_ = names.seen
    rows = tx.execute(_SINCE, {"campaign": campaign_id, "first": first}).all()
    if first > names.until or len(rows) > _MOST_NEW or (first and (not rows or rows[0].hash != hash_)):
        return False
    for row in rows[bool(first) :]:
        body = _read_body(row.body)
        names.add(map(name_key, body.names.values()))
        names.add(name_key(item.after) for item in body.changes if item.name == NAME and isinstance(item.after, str))
        names.seen = (row.number, row.hash)
    return True


def doubt_line(slip: tuple[str, str]) -> str:
    """Return a question about a (typed, known) pair of names."""
    return f"I don't know {slip[0]}. Did you mean {slip[1]}?"


def name_doubts(tx: Connection, viewer: visibility.Viewer, named: Mapping[str, int | None]) -> list[str]:
    """Return a question for each name that `find_near_names` finds; `named` has numbers or None."""
    return [*map(doubt_line, find_near_names(tx, viewer, named).items())]


def find_slip(tx: Connection, person: permissions.Person, campaign: campaigns.Campaign, typed: str) -> str | None:
    """Return the known name that was probably meant; None if none."""
    viewer = visibility.make_viewer(tx, person, campaign)
    who = subjects.find_meant(tx, campaign.id, [typed], viewer.knows).get(name_key(typed))
    return find_near_names(tx, viewer, {typed: who.id if who else None}).get(typed)


def find_near_names(tx: Connection, viewer: visibility.Viewer, named: Mapping[str, int | None]) -> dict[str, str]:
    """Return unknown names (of `named`, with the numbers they mean) with those they are nearly like.

    Known is who is saved, has rolled in this update or is under an effect, within what the person may know.
    """
    leads = viewer.person.leads(viewer.campaign)
    unsettled = [name_key(name) for name, number in named.items() if number is None or not leads]
    if not unsettled:
        return {}
    there = {name_key(name) for name in named}
    names = _get_names(tx, viewer.campaign.id)
    likely = {other for name in unsettled for other in names.find_likely(name)} - there
    if not likely:
        return {}
    everyone = profiles.list_profiles(tx, viewer.campaign.id)
    known, typed = {item.id for item in everyone}, [number for number in named.values() if number is not None]
    rows = tx.execute(_ALIKE, {"campaign": viewer.campaign.id, "keys": [*likely], "ids": typed})
    asked = {row.id: row.name for row in rows}
    acting = _find_acting(tx, viewer, {number: name for number, name in asked.items() if number not in known})
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


def find_lists(tx: Connection, viewer: visibility.Viewer, named: Mapping[str, int | None]) -> dict[str, list[str]]:
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


def _find_acting(tx: Connection, viewer: visibility.Viewer, marked: Mapping[int, str]) -> dict[int, str]:
    campaign, now = viewer.campaign.id, permissions.find_now(tx, viewer.person, viewer.campaign)
    keys = {subject_key(number) for number in marked}
    kept = state.get_values_beginning(tx, campaign, keys, EFFECT) | state.get_values_beginning(
        tx, campaign, keys, ROLLED
    )
    rolls = tx.execute(_ROLLED_BY, {"campaign": campaign, "numbers": [*marked]}) if marked else ()
    kept |= {(subject, name): value for subject, name, value in rolls}
    known = [key for key, value in visibility.see_values(tx, viewer, kept).items() if effects.is_current(value, now)]
    numbers = {number_of(subject) for subject, _ in known} | {roller_of(name) for _, name in known}
    return {number: name for number, name in marked.items() if number in numbers}


def find_near_key(name: str, known: Collection[str]) -> str | None:
    """Return the known key that this is a slip of, or None."""
    if len(name) < MIN_NAME:
        return None
    alike = [other for other in known if _COUNTED.findall(other) == _COUNTED.findall(name)]
    close = errors.nearest(name, alike, likeness=LIKE_NAME)
    if close is None:
        return None
    words, others = name.split(), close.split()
    pairs = zip(words, others, strict=True) if len(words) == len(others) else [(name, close)]
    return close if all(SequenceMatcher(None, *pair).ratio() >= LIKE_WORD for pair in pairs) else None
