"""What a roll changes in the state, why a repeat needs a reason, and probable slips in names."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from string import digits
from weakref import WeakKeyDictionary

import msgspec
import sqlalchemy as sa
from msgspec import Struct, field, structs
from sqlalchemy import Connection

from bot.core import campaigns, entries, permissions, profiles, schema, state, subjects, visibility
from bot.core.records import Change, Json
from bot.core.state import CAMPAIGN_STATE, State
from bot.core.subjects import PartCast, Subject, Subjects, list_cast, pair_names
from bot.rolls.request import RollRequest
from rules import effects, ruleset, scenes
from rules.effects import EFFECT, ROLLED, SCENE, roller_of
from rules.procedure import PartResult, Procedure, Resolution
from rules.subjects import (
    KEPT,
    NAME,
    PROFILE,
    ROLLED_FROM,
    KnownNames,
    find_near_key,
    name_key,
    names_of,
    number_of,
    subject_key,
    subject_number,
)
from rules.tables import AppliedConsequence, Lookup


def name_roll_mark(family: str, actor: int | str = "") -> str:
    """Return the name of the value that says this actor rolled; without actor, how such names begin."""
    return f"{ROLLED}{family}.{actor}"


def may_need_reason(procedure: Procedure, names: Iterable[str]) -> bool:
    """Return whether values of these names can make `why_reason_needed` ask for one."""
    policy = procedure.policy
    telling = (name_roll_mark(procedure.family), *([EFFECT + policy.spends] if policy.spends else []))
    kept = any(name.startswith(telling) or (policy.writes is not None and name == PROFILE) for name in names)
    return kept and bool(policy.on_request) and policy.again != "never"


def why_reason_needed(
    values: State, request: RollRequest, procedure: Procedure, now: effects.Moment, cast: Sequence[PartCast]
) -> tuple[str | None, int | None]:
    """Return why a roll needs a reason (rolled before, stop used, answer known), and the entry that it repeats."""
    if not procedure.policy.on_request or procedure.policy.again == "never":
        return None, None
    for part, meant in zip(request.parts, cast, strict=True):
        (who,) = meant[procedure.actor]
        if who is None:
            continue
        is_about = procedure.policy.again == "pair" and procedure.subject in part.subjects
        actor, role = part.subjects[procedure.actor], procedure.subject if is_about else procedure.actor
        (other,) = meant[role]
        before = values.get((other.key, name_roll_mark(procedure.family, who.id))) if other else None
        if before and (procedure.policy.again == "ever" or effects.is_current(before, now)):
            when = "" if procedure.policy.again == "ever" else " this update"
            past = "rolled" if role == procedure.actor else f"rolled for {part.subjects[role]}"
            past = past if procedure.policy.again == "pair" else "had one"
            number = before["entry"]
            return f"{actor} has already {past}{when} ({procedure.title}, entry #{number}).", number
        used = values.get((who.key, f"{EFFECT}{procedure.policy.spends}"))
        if used and effects.is_current(used, now):
            return f"{actor} has already used its stop this update (entry #{used['entry']}).", used["entry"]
        saved = profiles.profile_of(values, who)
        if procedure.policy.writes and saved is not None and procedure.policy.writes in saved.fields:
            return f"{procedure.title}: already known for {saved.name}.", None
    return None, None


def read_state(tx: Connection, campaign_id: int, procedure: Procedure, cast: Sequence[PartCast]) -> State:
    """Read the campaign's state and that of everyone in a roll, with the marks it may repeat."""
    there = list_cast(cast)
    keys, rolled = {item.key for item in there.values()}, [name_roll_mark(procedure.family, number) for number in there]
    members = [f"{scenes.MEMBER}{number}" for number in there]
    return state.get_all_but(tx, campaign_id, {CAMPAIGN_STATE, *keys}, ROLLED, rolled, members)


def filter_known_rolls(procedure: Procedure, values: State, known: Callable[[State], State]) -> State:
    """Drop earlier rolls that a person may not know. `known` returns what they may."""
    names = (f"{EFFECT}{procedure.policy.spends}", name_roll_mark(procedure.family))
    rolls = {key: value for key, value in values.items() if key[1].startswith(names)}
    others = {key: value for key, value in values.items() if key not in rolls}
    return {**others, **known(rolls)}


MAX_FORGOTTEN = 1_000  # at one closing; old campaigns have more


class Consequences(Struct, frozen=True):
    """What a resolution changes. `people` finds or adds new names, `look` reads the state."""

    procedure: Procedure
    moment: effects.Moment
    book: ruleset.RuleSet
    people: Subjects
    look: Lookup
    counted: dict[tuple[int, int], int] = field(default_factory=dict)

    def of(self, resolution: Resolution, cast: Sequence[PartCast], before: State) -> dict[tuple[str, str], Json]:
        """Return what a resolution sets by (subject, name). A later part sees and overrides earlier ones."""
        after: dict[tuple[str, str], Json] = {}
        for place, (part, meant) in enumerate(zip(resolution.parts, cast, strict=True)):
            after |= self._list_method_changes(part, meant, {**before, **after})
            for subject, key, value in self._list_part_changes(place, part, meant, {**before, **after}):
                after[subject.key, key] = value
        return after

    def tell(self, body: Mapping[str, Json]) -> None:
        """Say in a body by how much numbers changed: a limit may cut an amount off, or nothing be saved."""
        for place, part in enumerate(body["parts"]):
            for at, record in enumerate(part["consequences"]):
                deed, amount = self.book.deeds[record["do"]], self.counted.get((place, at))
                if deed.counts is not None and amount is None:
                    record["text"] += " (not counted: {to} has no such number)"
                elif deed.counts is not None and amount != record["amount"]:
                    record |= {"amount": amount, "text": deed.sentence(amount)}

    def _list_method_changes(self, part: PartResult, cast: PartCast, before: State) -> State:
        after: State = {}
        people = dict(pair_names(part.part.subjects, cast)) if part.changes else {}
        for who, called, value in part.changes:
            subject, name = self.moment.scene if who == SCENE else None, called
            if who in people:
                item = people[who] or self.people.of(who)
                subject = item.key if name != scenes.MEMBER else _find_scene(before, item.id)
                name = name if name != scenes.MEMBER else f"{scenes.MEMBER}{item.id}"
            if subject is not None:
                key = (subject, name)
                after[key] = _stamp(key, value, after.get(key, before.get(key)), self.moment)
        return after

    def _list_part_changes(
        self, place: int, part: PartResult, cast: PartCast, before: State
    ) -> Iterator[tuple[Subject, str, object]]:
        procedure, moment = self.procedure, self.moment
        if part.conclusion is None:
            return
        if procedure.policy.on_request and procedure.policy.again != "never":
            (actor,) = self._in_role(part, cast, procedure.actor)
            about = self._in_role(part, cast, procedure.subject) if procedure.policy.again == "pair" else []
            rolled = name_roll_mark(procedure.family, actor.id)
            yield next(iter(about), actor), rolled, {"entry": moment.entry, "update": moment.update}
        deeds, look = self.book.deeds, partial(self._find_kept, before)
        for at, done in enumerate(part.conclusion.consequences):
            deed, rule = deeds[done.do], self.book.rule(done.do)
            if rule is None or done.to is None:
                continue
            initiators = self._in_role(part, cast, procedure.actor) if deed.end.of == "initiator" else []
            for subject in self._in_role(part, cast, done.to):
                values = {key: value for (of, key), value in before.items() if of == subject.key}
                whose = next(iter(initiators), subject).id
                there = structs.replace(moment, scene=_find_scene(before, whose) or moment.scene)
                other = self._find_opposite(part, cast, done.to) if deed.other else None
                applied = AppliedConsequence(done, deed, subject.name, there, values, look, whose, other)
                for name, key, value in rule(applied):
                    changed = subject if name == subject.name else self.people.of(name)
                    before[changed.key, key] = value
                    if key == PROFILE and (number := deed.counts) is not None:
                        moved = abs((value.get(number) or 0) - (values[PROFILE].get(number) or 0))
                        self.counted[place, at] = self.counted.get((place, at), 0) + moved
                    yield changed, key, value

    def _find_kept(self, before: State, who: str, name: str) -> object:
        key = (self.people.of(who).key, name)
        return before[key] if key in before else self.look(*key)

    def _find_opposite(self, part: PartResult, cast: PartCast, to: str) -> int | None:
        role = self.procedure.subject if to == self.procedure.actor else self.procedure.actor
        opposite = self._in_role(part, cast, role)
        return opposite[0].id if len(opposite) == 1 else None

    def _in_role(self, part: PartResult, cast: PartCast, role: str) -> list[Subject]:
        meant = cast.get(role, (None,))
        pairs = zip(names_of(part.part.subjects.get(role, "")), meant, strict=True) if meant else ()
        return [item or self.people.of(name) for name, item in pairs if name]


def _find_scene(kept: State, number: int) -> str | None:
    return next((subject for subject, name in kept if name == f"{scenes.MEMBER}{number}"), None)


def _stamp(key: effects.Key, value: Json, before: Json, moment: effects.Moment) -> Json:
    (subject, name), entry = key, moment.entry
    if value is None or name.startswith(scenes.MEMBER) or subject.startswith(f"{name}:"):
        return value
    if name == PROFILE:
        new = [field for field in value.keys() - KEPT if value[field] != (before or {}).get(field)]
        return {**value, **{field + ROLLED_FROM: entry for field in new if not field.endswith(ROLLED_FROM)}}
    turns = {"turns": {**value["turns"], "scene": moment.scene}} if "turns" in value else {}
    return {**value, **turns, "entry": entry, **({} if subject_number(subject) else {"scene": subject})}


def read_before_roll(
    tx: Connection, campaign_id: int, kept: State, known: Collection[str], after: Iterable[effects.Key]
) -> State:
    """Read what a roll is about to change. Values of `known` subjects are in `kept` already."""
    others = [key for key in after if key[0] not in known and key[1] != NAME]
    asked = {key[0] for key in others}, {key[1] for key in others}
    read = state.get_values_named(tx, campaign_id, *asked) if others else {}
    renamed = (subject_number(subject) for subject, name in after if name == NAME)
    called = subjects.name_subjects(tx, campaign_id, {number for number in renamed if number is not None})
    return kept | read | {(subject_key(number), NAME): name for number, name in called.items()}


def close_rolls(
    tx: Connection, campaign_id: int, books: Iterable[ruleset.RuleSet], now: effects.Moment
) -> list[Change]:
    """Return at most 1,000 changes that remove a closed update's marks, except of one-time rolls, and ended effects."""
    once = {item.family for book in books for item in book.procedures.values() if item.policy.again == "ever"}
    lasting = tuple(f"{ROLLED}{family}." for family in once)
    marks = sorted(state.find_values_beginning(tx, campaign_id, ROLLED).items())
    under = state.find_values_beginning(tx, campaign_id, EFFECT)
    ended = sorted(item for item in under.items() if effects.has_run_out(item[1], now))
    gone = (Change(*key, value, None) for key, value in [*marks, *ended] if value.get("update", 0) <= now.update)
    return [item for item in gone if not item.name.startswith(lasting)][:MAX_FORGOTTEN]


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
    # The case keeps other names from being cast.
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


_known: WeakKeyDictionary[sa.Engine, dict[int, KnownNames]] = WeakKeyDictionary()


def _get_names(tx: Connection, campaign_id: int) -> KnownNames:
    kept = _known.setdefault(tx.engine, {})
    names = kept.get(campaign_id)
    if names is None or not _add_newer(tx, campaign_id, names):
        newest = tx.execute(entries.NEWEST, {"campaign": campaign_id}).first()
        seen = (newest.number, newest.hash) if newest else (0, "")
        names = kept[campaign_id] = KnownNames(tx.scalars(_BEFORE, {"campaign": campaign_id}), seen)
        for oldest in [*kept][:-_MOST_CAMPAIGNS]:
            kept.pop(oldest, None)
    return names


def _add_newer(tx: Connection, campaign_id: int, names: KnownNames) -> bool:
    first, hash_ = names.seen
    rows = tx.execute(_SINCE, {"campaign": campaign_id, "first": first}).all()
    if first > names.began + _LASTS or len(rows) > _MOST_NEW or (first and (not rows or rows[0].hash != hash_)):
        return False
    for row in rows[bool(first) :]:
        body = _read_body(row.body)
        names.add(map(name_key, body.names.values()))
        names.add(name_key(item.after) for item in body.changes if item.name == NAME and isinstance(item.after, str))
        names.seen = (row.number, row.hash)
    return True


def doubt_line(slip: tuple[str, str]) -> str:
    """Return a question about a typed and a known name."""
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
