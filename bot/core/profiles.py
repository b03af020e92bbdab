"""Saved units and characters in the state, and their last use."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Self

import sqlalchemy as sa
from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import subjects, transactions
from bot.core.records import Json
from bot.core.schema import recent, state, subject
from bot.core.state import State
from rules.subjects import CHARACTER_KINDS, KEPT, PROFILE, ROLLED_FROM, THINGS, Fields, name_key, subject_key

NOBODY = 0
UNIT_ENTRY = "unit"
"""The kind of entries that save, change or remove a unit or character."""
ALONE = frozenset({"captive", "interrogator", "character"})
"""Roles in which a character acts without its squad, so its traits and region don't count."""

NOT_CAPTIVE = "Game masters see all captives with /captives and add one with /capture."
NOT_SAVED = "Save the character first, with /roster add."
UNIT_KINDS = ("squad", "ship", "fleet", "outpost", "base", *THINGS)
FITTING = {"place": UNIT_KINDS, "base": ("base", "outpost", "place"), "unit": UNIT_KINDS, "character": CHARACTER_KINDS}
_SAVED = sa.select(subject.c.id, subject.c.name, state.c.value).where(
    subject.c.campaign_id == state.c.campaign_id,
    state.c.campaign_id == sa.bindparam("campaign"),
    state.c.name == PROFILE,
)
_EVERY = _SAVED.where(subject.c.id == subjects.NUMBER)
_SOME = _SAVED.where(state.c.subject == subjects.KEY, subject.c.id.in_(sa.bindparam("ids", expanding=True)))
_MEMBERS = _EVERY.where(state.c.value["squad"].as_integer().in_(sa.bindparam("units", expanding=True)))


class Profile(Struct, frozen=True):
    """A saved unit or character. A `secret` one is known to its `owner` (pseudonym) and staff.

    `id` is 0 before saving. A `squad` adds its traits. `traits` are counts; `fields` are the books' values, with `<field>_from` for the
    entry that rolled one.
    """

    name: str
    kind: str
    side: str | None = None
    owner: str | None = None
    region: str | None = None
    squad: str | None = None
    secret: bool = False
    traits: Mapping[str, int] = field(default_factory=dict)
    id: int = 0
    squad_id: int | None = None
    fields: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, number: int, name: str, value: Mapping[str, Json], squad: str | None = None) -> Self:
        """Return a subject's profile from its state value."""
        kept = {key: value[key] for key in KEPT if key in value}
        fields = {key: item for key, item in value.items() if key not in KEPT and item is not None}
        return cls(**{**kept, "squad": squad, "squad_id": value["squad"], "id": number, "name": name, "fields": fields})

    @property
    def key(self) -> str:
        """The subject's key in the state."""
        return subject_key(self.id)

    @property
    def is_character(self) -> bool:
        """Whether it's a character, not a unit."""
        return self.kind in CHARACTER_KINDS

    def value(self) -> dict[str, Json]:
        """Return the state value."""
        kept = {name: getattr(self, name) for name in KEPT if name != "name"}
        return {**kept, "squad": self.squad_id, "traits": dict(self.traits), **self.fields}

    def get(self, name: str) -> Json:
        """Return a value by the name of an attribute or book field; None if not set."""
        return getattr(self, name) if name in KEPT else self.fields.get(name)

    def with_fields(self, given: Mapping[str, Json]) -> Self:
        """Return the profile with changed book fields (None removes one)."""
        other = {name: value for name, value in given.items() if value != self.fields.get(name)}
        gone = {*other, *(name + ROLLED_FROM for name in other)}
        kept = {name: value for name, value in self.fields.items() if name not in gone}
        return replace(self, fields=kept | {name: value for name, value in other.items() if value is not None})

    def of_fields(self, fields: Fields) -> dict[str, int]:
        """Return counts of traits from its fields."""
        given = (item.facts(self.fields[name]).items() for name, item in fields.items() if name in self.fields)
        return {trait: count for traits in given for trait, count in traits}

    def count_traits(self, fields: Fields) -> dict[str, int]:
        """Return counts by trait: typed ones, those from `fields`, and those from kind and side."""
        side = name_key(self.side or "")
        rogue = side.startswith("rogue")
        derived = {
            self.kind: not self.is_character,
            "rogue": rogue,
            "rogue-owned": rogue and not self.is_character,
            "zeon": self.is_character and "zeon" in side,
        }
        traits = {trait: 1 for trait, true in derived.items() if true} | self.of_fields(fields) | dict(self.traits)
        if "rogue" not in traits:
            traits.pop("team-leader", None)  # it counts only for a rogue, not through another who is one
        return traits


def profile_of(values: State, who: subjects.Subject | None) -> Profile | None:
    """Return a subject's profile, without its squad's name."""
    value = None if who is None else values.get((who.key, PROFILE))
    return None if who is None or value is None else Profile.of(who.id, who.name, value)


def read_profiles(tx: Connection, campaign_id: int, ids: Collection[int]) -> dict[int, Profile]:
    """Return these subjects' profiles by number."""
    if not ids:
        return {}
    parameters = {"campaign": campaign_id, "ids": list(ids)}
    return _profiles(tx, campaign_id, transactions.read_rows(tx, _SOME, parameters))


def find_members(tx: Connection, campaign_id: int, units: Collection[int]) -> dict[int, list[Profile]]:
    """Return profiles by their squad's number."""
    found: dict[int, list[Profile]] = {}
    if units:
        rows = transactions.read_rows(tx, _MEMBERS, {"campaign": campaign_id, "units": list(units)})
        for item in _profiles(tx, campaign_id, rows).values():
            found.setdefault(item.squad_id or NOBODY, []).append(item)
    return found


def list_profiles(tx: Connection, campaign_id: int) -> list[Profile]:
    """Return all profiles of a campaign, by name."""
    saved = _profiles(tx, campaign_id, transactions.read_rows(tx, _EVERY, {"campaign": campaign_id}))
    return sorted(saved.values(), key=lambda item: (name_key(item.name), item.id))


def _profiles(tx: Connection, campaign_id: int, rows: Sequence[Json]) -> dict[int, Profile]:
    called = {row.id: row.name for row in rows}
    squads = {row.value["squad"] for row in rows if row.value["squad"] is not None}
    called |= subjects.name_subjects(tx, campaign_id, squads - called.keys())
    return {row.id: Profile.of(row.id, row.name, row.value, called.get(row.value["squad"])) for row in rows}


def list_columns(fields: Iterable[str]) -> tuple[str, ...]:
    """Return a roster file's columns in order."""
    return (*KEPT[:-2], *fields, *KEPT[-2:])


def list_differences(before: Profile, after: Profile) -> list[str]:
    """Return the names of differing fields."""
    fields = (name for name in dict.fromkeys((*before.fields, *after.fields)) if not name.endswith(ROLLED_FROM))
    return [name for name in list_columns(fields) if before.get(name) != after.get(name)]


def find_squad(item: Profile, known: Iterable[Profile]) -> Profile:
    """Return a profile with the number of its squad, found by name; number None if unknown."""
    squad = subjects.choose_named((unit for unit in known if unit.kind in UNIT_KINDS), item.squad or "")
    return replace(item, squad=squad.name if squad else item.squad, squad_id=squad.id if squad else None)


def explain_not_captive(name: str) -> tuple[str, str]:
    """Return problem and remedy for someone who isn't captive."""
    return f"{name} isn't a captive that you know of.", NOT_CAPTIVE


def explain_not_saved(name: str) -> tuple[str, str]:
    """Return problem and remedy for someone who isn't saved."""
    return f"{name} isn't a saved character.", NOT_SAVED


_WORDS: Mapping[str, str] = {"pc": "PC", "npc": "NPC"}


def name_kind(kind: str) -> str:
    """Return a profile's kind as people read it: PC, NPC, or the kind."""
    return _WORDS.get(kind, kind)


def name_kind_with_article(kind: str) -> str:
    """Return the kind with its article."""
    return f"{'an' if kind in {'npc', 'outpost'} else 'a'} {name_kind(kind)}"


_OF_PROFILES = (state.c.campaign_id == sa.bindparam("campaign"), state.c.name == PROFILE)
_SINCE = sa.func.coalesce(recent.c.entry, 0)
_BY_USE = (
    sa.select(subject.c.id, subject.c.name, state.c.value)
    .select_from(state)
    .join(subject, (subject.c.campaign_id == state.c.campaign_id) & (subject.c.id == subjects.NUMBER))
    .outerjoin(recent, (recent.c.campaign_id == state.c.campaign_id) & (recent.c.subject == state.c.subject))
    .where(*_OF_PROFILES, subject.c.name_key.contains(sa.bindparam("wanted"), escape="\\"))
    .order_by(_SINCE.desc(), subject.c.name_key, subject.c.id)
)
# As text, which both databases accept: importing their dialects' insert builders costs each start 0.05 s.
_USE = sa.text(
    f"""
    INSERT INTO recent (campaign_id, subject, entry)
    SELECT campaign_id, subject, CAST(:entry AS INTEGER) FROM state
    WHERE campaign_id = :campaign AND name = '{PROFILE}' AND subject IN :subjects
    ON CONFLICT (campaign_id, subject) DO UPDATE SET entry = excluded.entry
    """  # noqa: S608 - a name of our own
).bindparams(sa.bindparam("subjects", expanding=True))


def note_use(tx: Connection, campaign_id: int, used: Collection[str], entry: int) -> None:
    """Record that an entry used these subjects, if saved."""
    if used:
        tx.execute(_USE, {"campaign": campaign_id, "subjects": list(used), "entry": entry})


def forget_use(tx: Connection, campaign_id: int, subject: str) -> None:
    """Forget when a subject was used."""
    tx.execute(recent.delete().where(recent.c.campaign_id == campaign_id, recent.c.subject == subject))


def list_by_use(tx: Connection, campaign_id: int, wanted: str = "") -> Iterator[Profile]:
    """Yield matching profiles, last used first, without squads' names."""
    escaped = name_key(wanted).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    for row in tx.execute(_BY_USE, {"campaign": campaign_id, "wanted": escaped}):
        yield Profile.of(row.id, row.name, row.value)
