"""Saved units and characters, as the campaign's state keeps them, and which were used last."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Self

import sqlalchemy as sa
from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import subjects, transactions
from bot.core.encoding import Json
from bot.core.schema import recent, state, subject
from bot.core.state import State
from bot.core.subjects import NUMBER, Subject
from rules.fields import FROM, Fields
from rules.subjects import KEPT, PROFILE, name_key, subject_key

NOBODY = 0
"""The user id of no owner."""

ALONE = frozenset({"captive", "interrogator", "character"})
"""The roles in which a character acts without its squad, so that the squad's traits and region do not count."""

NOT_CAPTIVE = "Game masters see all captives with /captive list and add one with /captive take."
NOT_SAVED = "Save the character first, with /character add."
"""Advice about somebody who is no captive, or is not saved."""

THINGS = ("place", "thing")
UNIT_KINDS = ("squad", "ship", "fleet", "outpost", "base", *THINGS)
CHARACTER_KINDS = ("pc", "npc")
FITTING = {"place": UNIT_KINDS, "base": ("base", "outpost", "place"), "unit": UNIT_KINDS, "character": CHARACTER_KINDS}
"""Of which kinds somebody saved is who stands where an order takes a sector, a base, a unit or a character."""

_SAVED = sa.select(subject.c.id, subject.c.name, state.c.value).where(
    subject.c.campaign_id == state.c.campaign_id,
    state.c.campaign_id == sa.bindparam("campaign"),
    state.c.name == PROFILE,
)
_EVERY = _SAVED.where(subject.c.id == subjects.NUMBER)
_SOME = _SAVED.where(state.c.subject == subjects.KEY, subject.c.id.in_(sa.bindparam("ids", expanding=True)))
_MEMBERS = _EVERY.where(state.c.value["squad"].as_integer().in_(sa.bindparam("units", expanding=True)))


class Profile(Struct, frozen=True):
    """A saved unit or character. `owner` is a member's pseudonym; a `secret` one is known to the staff and its owner only.

    `id` is its number as a subject, 0 before it is saved. `squad` is the unit that a character belongs to (`squad_id` its
    number), whose traits then count for the character too; `traits` are counts by trait. `fields` are what books have kept
    beside, by field, and under `<field>_from` the entry that rolled one, if one did; what is not set is not there.
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
        """Return the profile of a subject from what the state keeps; `squad` is what its squad is called."""
        kept = {key: value[key] for key in KEPT if key in value}
        fields = {key: item for key, item in value.items() if key not in KEPT and item is not None}
        return cls(**{**kept, "squad": squad, "squad_id": value["squad"], "id": number, "name": name, "fields": fields})

    @property
    def key(self) -> str:
        """Its subject's key in the state."""
        return subject_key(self.id)

    @property
    def is_character(self) -> bool:
        """Whether it is a person rather than a unit."""
        return self.kind in CHARACTER_KINDS

    def value(self) -> dict[str, Json]:
        """Return what the state keeps of the profile."""
        kept = {name: getattr(self, name) for name in KEPT if name != "name"}
        return {**kept, "squad": self.squad_id, "traits": dict(self.traits), **self.fields}

    def get(self, name: str) -> Json:
        """Return what is saved under a name; None where nothing is."""
        return getattr(self, name) if name in KEPT else self.fields.get(name)

    def having(self, given: Mapping[str, Json]) -> Self:
        """Return it with these fields (None: not set); what is another value by that was not rolled."""
        other = {name: value for name, value in given.items() if value != self.fields.get(name)}
        gone = {*other, *(name + FROM for name in other)}
        kept = {name: value for name, value in self.fields.items() if name not in gone}
        return replace(self, fields=kept | {name: value for name, value in other.items() if value is not None})

    def of_fields(self, fields: Fields) -> dict[str, int]:
        """Return the traits that follow from its fields, with their counts."""
        given = (item.facts(self.fields[name]).items() for name, item in fields.items() if name in self.fields)
        return {trait: count for traits in given for trait, count in traits}

    def known(self, fields: Fields) -> dict[str, int]:
        """Return all its traits with their counts: those ticked, and those that follow from all else; `fields` are the book's."""
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
            traits.pop(
                "team-leader", None
            )  # a team leader counts only as a rogue, not through somebody else who is one
        return traits


def profile_of(values: State, who: Subject | None) -> Profile | None:
    """Return what is saved of a subject, from values that were read; the name of its squad is not among them."""
    value = None if who is None else values.get((who.key, PROFILE))
    return None if who is None or value is None else Profile.of(who.id, who.name, value)


def read_profiles(tx: Connection, campaign_id: int, ids: Collection[int]) -> dict[int, Profile]:
    """Return what is saved of the subjects of these numbers, by number."""
    if not ids:
        return {}
    parameters = {"campaign": campaign_id, "ids": list(ids)}
    return _profiles(tx, campaign_id, transactions.read_rows(tx, _SOME, parameters))


def find_members(tx: Connection, campaign_id: int, units: Collection[int]) -> dict[int, list[Profile]]:
    """Return who belongs to the units of these numbers, by number of the unit; nothing for those without members."""
    found: dict[int, list[Profile]] = {}
    if units:
        saved = _profiles(
            tx, campaign_id, transactions.read_rows(tx, _MEMBERS, {"campaign": campaign_id, "units": list(units)})
        )
        for item in saved.values():
            found.setdefault(item.squad_id or NOBODY, []).append(item)
    return found


def list_profiles(tx: Connection, campaign_id: int) -> list[Profile]:
    """Return all saved units and characters of a campaign, by name."""
    saved = _profiles(tx, campaign_id, transactions.read_rows(tx, _EVERY, {"campaign": campaign_id}))
    return sorted(saved.values(), key=lambda item: (name_key(item.name), item.id))


def _profiles(tx: Connection, campaign_id: int, rows: Sequence[Json]) -> dict[int, Profile]:
    called = {row.id: row.name for row in rows}
    squads = {row.value["squad"] for row in rows if row.value["squad"] is not None}
    called |= subjects.name_subjects(tx, campaign_id, squads - called.keys())
    return {row.id: Profile.of(row.id, row.name, row.value, called.get(row.value["squad"])) for row in rows}


def list_columns(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the names of all that is saved where books keep these fields, in the order of a file."""
    return (*KEPT[:-2], *fields, *KEPT[-2:])


def list_differences(before: Profile, after: Profile) -> list[str]:
    """Return the names of what differs between two profiles."""
    fields = (name for name in dict.fromkeys((*before.fields, *after.fields)) if not name.endswith(FROM))
    return [name for name in list_columns(fields) if before.get(name) != after.get(name)]


def find_squad(item: Profile, known: Iterable[Profile]) -> Profile:
    """Return a profile with the number of the unit that its squad names, out of those that are known."""
    squad = subjects.choose_named((unit for unit in known if unit.kind in UNIT_KINDS), item.squad or "")
    return replace(item, squad=squad.name if squad else item.squad, squad_id=squad.id if squad else None)


def explain_not_captive(name: str) -> tuple[str, str]:
    """Return what is wrong and what to do about somebody who is no captive."""
    return f"{name} isn't a captive that you know of.", NOT_CAPTIVE


def explain_not_saved(name: str) -> tuple[str, str]:
    """Return what is wrong and what to do about somebody who is not saved."""
    return f"{name} isn't a saved character.", NOT_SAVED


def find_bearer(kind: str) -> str:
    """Return who carries the traits of a profile of this kind, and has its fields, as `Trait.on` has it."""
    return "character" if kind in CHARACTER_KINDS else kind if kind in THINGS else "unit"


_WORDS: Mapping[str, str] = {"pc": "PC", "npc": "NPC"}


def name_kind(kind: str) -> str:
    """Return the kind of a unit or character as a word."""
    return _WORDS.get(kind, kind)


def name_kind_with_article(kind: str) -> str:
    """Return the kind of a unit or character with its article."""
    return f"{'an' if kind in {'npc', 'outpost'} else 'a'} {name_kind(kind)}"


_OF_PROFILES = (state.c.campaign_id == sa.bindparam("campaign"), state.c.name == PROFILE)
_MINE = recent.c.campaign_id == sa.bindparam("campaign")
_SINCE = sa.func.coalesce(recent.c.entry, 0)
_BY_USE = (
    sa.select(subject.c.id, subject.c.name, state.c.value)
    .select_from(state)
    .join(subject, (subject.c.campaign_id == state.c.campaign_id) & (subject.c.id == NUMBER))
    .outerjoin(recent, (recent.c.campaign_id == state.c.campaign_id) & (recent.c.subject == state.c.subject))
    .where(*_OF_PROFILES, subject.c.name_key.contains(sa.bindparam("wanted"), escape="\\"))
    .order_by(_SINCE.desc(), subject.c.name_key, subject.c.id)
)
_FORGET = recent.delete().where(_MINE, recent.c.subject == sa.bindparam("of"))


# As text, which both databases accept: importing their dialects' insert builders costs each start 0.05 s.
_USE = sa.text(
    f"""
    INSERT INTO recent (campaign_id, subject, entry)
    SELECT campaign_id, subject, CAST(:entry AS INTEGER) FROM state
    WHERE campaign_id = :campaign AND name = '{PROFILE}' AND subject IN :subjects
    ON CONFLICT (campaign_id, subject) DO UPDATE SET entry = excluded.entry
    """  # noqa: S608 - a name of our own
).bindparams(sa.bindparam("subjects", expanding=True))


def note_use(tx: Connection, campaign_id: int, subjects: Collection[str], entry: int) -> None:
    """Record that an entry used these subjects; those that are not saved are skipped."""
    if subjects:
        parameters = {"campaign": campaign_id, "subjects": list(subjects), "entry": entry}
        tx.execute(_USE, parameters)


def forget_use(tx: Connection, campaign_id: int, subject: str) -> None:
    """Forget when a subject was used."""
    tx.execute(_FORGET, {"campaign": campaign_id, "of": subject})


def list_by_use(tx: Connection, campaign_id: int, wanted: str = "") -> Iterator[Profile]:
    """Yield all saved units and characters whose names contain `wanted`, the one used last first; then by name.

    What their squads are called is not among it.
    """
    escaped = name_key(wanted).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    for row in tx.execute(_BY_USE, {"campaign": campaign_id, "wanted": escaped}):
        yield Profile.of(row.id, row.name, row.value)
