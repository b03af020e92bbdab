"""Subjects: who or what a campaign keeps values of, by number. Names may change.

Several may share a name, such as two secret units; `Name #7` means one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import transactions
from bot.core.errors import BadInput
from bot.core.records import Change
from bot.core.schema import state, subject
from rules.subjects import GROUP, NAME, PROFILE, name_key, names_of, subject_key

KEY = sa.literal("subject:") + sa.cast(subject.c.id, sa.String)
ABOUT = sa.cast(sa.func.substr(state.c.subject, len("subject:") + 1), sa.Integer)
NUMBER = sa.case((state.c.name == PROFILE, ABOUT))
_NUMBERED = re.compile(r"(?P<name>.+) #(?P<id>[0-9]{1,9})")
_PROFILE = (state.c.campaign_id == subject.c.campaign_id) & (state.c.subject == KEY) & (state.c.name == PROFILE)
_grouped = state.alias("grouped")
_GROUP = (_grouped.c.campaign_id == subject.c.campaign_id) & (_grouped.c.subject == KEY) & (_grouped.c.name == GROUP)
_MINE = subject.c.campaign_id == sa.bindparam("campaign")
_SUBJECTS = (
    sa.select(subject.c.id, subject.c.name, subject.c.name_key, state.c.value, _grouped.c.value.label("grouped"))
    .outerjoin(state, _PROFILE)
    .outerjoin(_grouped, _GROUP)
    .where(_MINE)
)
_BEARERS = _SUBJECTS.where(subject.c.name_key.in_(sa.bindparam("keys", expanding=True)))
_SOME = _SUBJECTS.where(subject.c.id.in_(sa.bindparam("ids", expanding=True)))
_EITHER = sa.union_all(  # with OR, SQLite would read all subjects of the campaign
    _SOME, _BEARERS.where(subject.c.id.not_in(sa.bindparam("ids", expanding=True)))
)
_NAMES = sa.select(subject.c.id, subject.c.name).where(_MINE, subject.c.id.in_(sa.bindparam("ids", expanding=True)))
_NEWEST = sa.select(sa.func.max(subject.c.id)).where(_MINE)


class Subject(Struct, frozen=True):
    """A subject, with what visibility needs if `saved`.

    Of a shared name the lowest `rank` counts: units and characters, groups, removed groups.
    """

    id: int
    name: str
    saved: bool = False
    secret: bool = False
    owner: str | None = None
    rank: int = 0

    @property
    def key(self) -> str:
        """Its key in the state."""
        return subject_key(self.id)


class Numbered(Protocol):
    """Anything with a subject's number and name."""

    @property
    def id(self) -> int: ...  # noqa: D102

    @property
    def name(self) -> str: ...  # noqa: D102


N = TypeVar("N", bound=Numbered)
Known = Callable[[Subject], bool]
_Row = sa.Row[int, str, str, Any, Any]

PartCast = Mapping[str, tuple[Subject | None, ...]]
"""Subjects per role of a part, in the order of names; None for a name without one."""


def list_cast(cast: Iterable[PartCast]) -> dict[int, Subject]:
    """Return all subjects of a roll by number."""
    return {item.id: item for part in cast for some in part.values() for item in some if item is not None}


def pair_names(subjects: Mapping[str, str], cast: PartCast) -> Iterator[tuple[str, Subject | None]]:
    """Yield a part's names and their subjects, without people."""
    for role, some in cast.items():
        yield from zip(names_of(subjects[role]), some, strict=bool(some))


def name_subjects(tx: Connection, campaign_id: int, ids: Collection[int]) -> dict[int, str]:
    """Return these subjects' names by number."""
    if not ids:
        return {}
    return {row.id: row.name for row in transactions.read_rows(tx, _NAMES, {"campaign": campaign_id, "ids": list(ids)})}


def find_meant(
    tx: Connection, campaign_id: int, typed: Collection[str], knows: Known | None = None
) -> dict[str, Subject]:
    """Return the subject meant by each typed name, by `name_key`; unknown names are left out.

    Saved ones go first, then groups; open before secret. `knows` limits them to what the typist may know, and allows `Name #7`.
    """
    return find_subjects(tx, campaign_id, (), typed, knows)[1]


def find_subjects(
    tx: Connection, campaign_id: int, numbers: Collection[int], typed: Collection[str], knows: Known | None = None
) -> tuple[dict[int, Subject], dict[str, Subject]]:
    """Return subjects by number, and subjects meant by typed names by `name_key`, in one read."""
    wanted = {name_key(name): name for name in typed if name}
    numbered = {key: match for key in wanted if knows and (match := _NUMBERED.fullmatch(key))}
    keys = {*wanted, *(match["name"] for match in numbered.values())}
    found, alike = _read(tx, campaign_id, numbers, keys)
    return found, _choose_meant(wanted, numbered, alike, knows)


def _choose_meant(
    wanted: Mapping[str, str],
    numbered: Mapping[str, re.Match[str]],
    alike: Mapping[str, Sequence[Subject]],
    knows: Known | None,
) -> dict[str, Subject]:
    cast: dict[str, Subject | None] = {}
    for key, name in wanted.items():
        known = [item for item in alike.get(key, ()) if knows is None or not item.saved or knows(item)]
        match = numbered.get(key)
        if match and knows and not any(item.saved for item in known):
            others = alike.get(match["name"], ())
            own = next((item for item in others if not item.saved and item.id == int(match["id"])), None)
            named = own or _of_number([item for item in others if item.saved and knows(item)], match, name)
            cast[key] = named or next(iter(known), None)
        else:
            cast[key] = _choose(name, known, typed=knows is not None)
    return {key: item for key, item in cast.items() if item is not None}


def find_bearers(tx: Connection, campaign_id: int, typed: str) -> list[Subject]:
    """Return all subjects with this name, or with the name and number in `Name #7`."""
    key = name_key(typed)
    match = _NUMBERED.fullmatch(key)
    alike = _bearers(tx, campaign_id, {key, *([match["name"]] if match else [])})
    numbered = [item for item in alike.get(match["name"], ()) if item.id == int(match["id"])] if match else []
    return [*alike.get(key, ()), *numbered]


def find_secret(tx: Connection, campaign_id: int, keys: Collection[str]) -> list[Subject]:
    """Return secret subjects with one of these names (`name_key`)."""
    return [item for alike in _bearers(tx, campaign_id, keys).values() for item in alike if item.secret]


def get_subjects(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, Subject]:
    """Return the subjects of these numbers."""
    return _read(tx, campaign_id, numbers, ())[0]


def group_by_name(items: Iterable[N]) -> dict[str, list[N]]:
    """Return subjects by `name_key`."""
    alike: dict[str, list[N]] = {}
    for item in items:
        alike.setdefault(name_key(item.name), []).append(item)
    return alike


def find_twins(items: Iterable[N]) -> set[int]:
    """Return the numbers of those sharing a name."""
    return {item.id for alike in group_by_name(items).values() if len(alike) > 1 for item in alike}


def respell(item: Subject, name: str) -> list[Change]:
    """Return the change of spelling, if any."""
    return [Change(item.key, NAME, item.name, name)] if item.name != name else []


def label_subject(item: Numbered) -> str:
    """Return a name with its number, as in `Name #7`."""
    return f"{item.name} #{item.id}"


def label_subjects(items: Iterable[Numbered]) -> list[str]:
    """Return names, numbered where several share one."""
    every = list(items)
    several = find_twins(every)
    return [label_subject(item) if item.id in several else item.name for item in every]


def choose_named(items: Iterable[N], typed: str) -> N | None:
    """Return the one that a typed name means; None if unknown, BadInput if several have it."""
    every, key = list(items), name_key(typed)
    alike = [item for item in every if name_key(item.name) == key]
    if len(alike) > 1:
        raise _refuse_several(typed, alike)
    match = _NUMBERED.fullmatch(key)
    if alike or match is None:
        return next(iter(alike), None)
    return _of_number([item for item in every if name_key(item.name) == match["name"]], match, typed)


def is_open(item: Subject) -> bool:
    """Return whether all players may know a subject."""
    return not item.secret


class Subjects:
    """Subjects of a write transaction, found or new.

    The entry has to include `changes`. `unused` are names' keys without a subject.
    """

    def __init__(
        self, tx: Connection, campaign_id: int, knows: Known | None = None, unused: Collection[str] = ()
    ) -> None:
        self._tx, self._campaign_id, self._knows, self._unused = tx, campaign_id, knows, unused
        self._known: dict[str, Subject] = {}
        self._newest: int | None = None
        self._new: dict[str, Subject] = {}

    def of(self, name: str) -> Subject:
        """Return the subject with this name; a new one if there is none."""
        (found,) = self.all_of([name])
        return found

    def all_of(self, typed: Sequence[str]) -> list[Subject]:
        """Return the names' subjects in order."""
        unknown = [name for name in typed if (key := name_key(name)) not in self._known and key not in self._unused]
        self._known |= find_meant(self._tx, self._campaign_id, unknown, self._knows)
        return [self._known.get(name_key(name)) or self.new(name) for name in typed]

    def pick_unsaved(self, called: Sequence[str]) -> list[Subject]:
        """Return a subject to save for each name: an unsaved one with it, or a new one."""
        alike = _bearers(self._tx, self._campaign_id, {name_key(name) for name in called})
        free = {key: [item for item in items if not item.saved] for key, items in alike.items()}
        return [next(iter(free.get(name_key(name), ())), None) or self.new(name) for name in called]

    def new(self, name: str) -> Subject:
        """Return a new subject, even under a used name."""
        if self._newest is None:
            self._newest = self._tx.scalar(_NEWEST, {"campaign": self._campaign_id}) or 0
        made = Subject(self._newest + len(self._new) + 1, name)
        self._new[made.key] = self._known[name_key(name)] = made
        return made

    @property
    def changes(self) -> list[Change]:
        """The changes that name new subjects."""
        return [Change(key, NAME, None, item.name) for key, item in self._new.items()]


def _bearers(tx: Connection, campaign_id: int, keys: Collection[str]) -> dict[str, list[Subject]]:
    return _read(tx, campaign_id, (), keys)[1]


def _read(
    tx: Connection, campaign_id: int, numbers: Collection[int], keys: Collection[str]
) -> tuple[dict[int, Subject], dict[str, list[Subject]]]:
    read, of_number, of_name = transactions.get_reads(tx), (Subject, campaign_id), (_bearers, campaign_id)
    ids, names = transactions.list_unread(read, of_number, numbers), transactions.list_unread(read, of_name, keys)
    if ids or names:
        query = _EITHER if ids and names else _SOME if ids else _BEARERS
        given = {"campaign": campaign_id} | ({"ids": ids} if ids else {}) | ({"keys": names} if names else {})
        rows = tx.execute(query, given).all()
        found = {row.id: _subject(row) for row in rows}
        alike: dict[str, list[Subject]] = {name: [] for name in names}
        for row in rows:
            alike.get(row.name_key, []).append(found[row.id])
        transactions.remember(read, of_number, dict.fromkeys(ids) | found)
        transactions.remember(read, of_name, {name: sorted(bearers, key=_rank) for name, bearers in alike.items()})
    return transactions.recall(read, of_number, numbers), transactions.recall(read, of_name, keys)


def _rank(item: Subject) -> tuple[bool, int, bool, int]:
    return not item.saved, item.rank, item.secret, item.id


def _subject(row: _Row) -> Subject:
    profile, group = row.value, row.grouped
    if profile is not None:
        return Subject(row.id, row.name, saved=True, secret=profile["secret"], owner=profile["owner"])
    if group is not None:
        return Subject(row.id, row.name, saved=True, secret=group["secret"], rank=1 + group["removed"])
    return Subject(row.id, row.name)


def _choose(name: str, known: Sequence[Subject], *, typed: bool) -> Subject | None:
    saved = [item for item in known if item.saved]
    alike = [item for item in saved if item.rank == min(other.rank for other in saved)]
    if typed and len(alike) > 1:
        raise _refuse_several(name, alike)
    return next(iter(known), None)


def _of_number(alike: Sequence[N], match: re.Match[str], name: str) -> N | None:
    item = next((item for item in alike if item.id == int(match["id"])), None)
    if item is None and alike:
        raise BadInput(f"I don't know {name[:60]}.", f"Did you mean {' or '.join(map(label_subject, alike))}?")
    return item


def _refuse_several(typed: str, alike: Sequence[Numbered]) -> BadInput:
    which = " or ".join(map(label_subject, sorted(alike, key=lambda item: item.id)))
    return BadInput(f"There are {len(alike)} named {typed}.", f"Say which: {which}.")
