"""What a roll leaves in the campaign's state, and by that why the rules ask for a reason before it is made again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import state, subjects
from bot.core.encoding import Json
from bot.core.profiles import profile_of
from bot.core.records import Change
from bot.core.state import CAMPAIGN_STATE, State
from bot.core.subjects import PartCast, Subject, Subjects, list_cast, pair_names
from bot.rolls.request import PartRequest, RollRequest
from rules.effects import EFFECT, ROLLED, SCENE, AppliedConsequence, Look
from rules.ends import Key, Moment, has_run_out, holds
from rules.fields import FROM
from rules.procedure import PartResult, Procedure, Resolution
from rules.ruleset import RuleSet
from rules.scenes import MEMBER
from rules.subjects import KEPT, NAME, PROFILE, names_of, subject_key, subject_number


def rolled_name(family: str, actor: int | str = "") -> str:
    """Return the name under which a subject keeps that this actor, a subject by its number, has rolled for it; how it begins without one."""
    return f"{ROLLED}{family}.{actor}"


def spent_name(procedure: Procedure) -> str:
    """Return the name under which somebody keeps that a roll has used them up; one that nobody has where none does."""
    return EFFECT + (procedure.policy.spends or "nothing")


def may_ask(procedure: Procedure, names: Iterable[str]) -> bool:
    """Tell whether the rules may ask for a reason where those in a roll keep values of these names; if not, `asks_reason` is None."""
    policy = procedure.policy
    telling = (rolled_name(procedure.family), *([EFFECT + policy.spends] if policy.spends else []))
    kept = any(name.startswith(telling) or (policy.writes is not None and name == PROFILE) for name in names)
    return kept and bool(policy.on_request) and policy.again != "never"


def why_reason_needed(
    values: State, request: RollRequest, procedure: Procedure, now: Moment, cast: Sequence[PartCast]
) -> str | None:
    """Return why the rules ask for a reason: the same roll again in one update, or a patrol whose stop is used up."""
    if not procedure.policy.on_request or procedure.policy.again == "never":
        return None
    for part, meant in zip(request.parts, cast, strict=True):
        (who,) = meant[procedure.actor]
        if who is None:
            continue
        actor, role = part.subjects[procedure.actor], _about(part, procedure)
        (whom,) = meant[role]
        before = values.get((whom.key, rolled_name(procedure.family, who.id))) if whom else None
        if before and (procedure.policy.again == "ever" or holds(before, now)):
            when = "" if procedure.policy.again == "ever" else " this update"
            past = "rolled" if role == procedure.actor else f"rolled for {part.subjects[role]}"
            past = past if procedure.policy.again == "pair" else "had one"
            return f"{actor} has already {past}{when} ({procedure.title}, entry #{before['entry']})."
        used = values.get((who.key, spent_name(procedure)))
        if used and holds(used, now):
            return f"{actor} has already used its stop this update (entry #{used['entry']})."
        saved = profile_of(values, who)
        if procedure.policy.writes and saved is not None and procedure.policy.writes in saved.fields:
            return f"{procedure.title}: already known for {saved.name}."
    return None


def _about(part: PartRequest, procedure: Procedure) -> str:
    """Return the role of whom a roll is about: the roller's, when nobody else is there or it does not matter who."""
    matters = procedure.policy.again == "pair" and procedure.subject in part.subjects
    return procedure.subject if matters else procedure.actor


def read_state(tx: Connection, campaign_id: int, procedure: Procedure, cast: Sequence[PartCast]) -> State:
    """Return what the state keeps of the campaign and of those in a roll; of who rolled for whom what the roll may repeat."""
    there = list_cast(cast)
    keys, rolled = {item.key for item in there.values()}, [rolled_name(procedure.family, number) for number in there]
    members = [f"{MEMBER}{number}" for number in there]
    return state.get_all_but(tx, campaign_id, {CAMPAIGN_STATE, *keys}, ROLLED, rolled, members)


def filter_known_rolls(procedure: Procedure, values: State, known: Callable[[State], State]) -> State:
    """Return these values without those rolls of a family and what they used up of which a person may not know; `known` returns what they may."""
    names = (spent_name(procedure), rolled_name(procedure.family))
    rolls = {key: value for key, value in values.items() if key[1].startswith(names)}
    others = {key: value for key, value in values.items() if key not in rolls}
    return {**others, **known(rolls)}


MAX_FORGOTTEN = 1_000
"""How many marks leave the state with one update: a campaign that older versions have kept has more, which go little by little."""


class Consequences(Struct, frozen=True):
    """What the resolution of a procedure sets, when, by which book.

    `people` gives the subjects of names that are new, `look` what the state keeps of a subject under a name.
    """

    procedure: Procedure
    moment: Moment
    book: RuleSet
    people: Subjects
    look: Look

    def of(self, resolution: Resolution, cast: Sequence[PartCast], before: State) -> dict[tuple[str, str], Json]:
        """Return what a resolution sets, by subject and name; where two parts set the same, the later one stands.

        `cast` is who is meant in the parts, `before` the state of these; a part sees what the parts before it have set.
        """
        after: dict[tuple[str, str], Json] = {}
        for part, meant in zip(resolution.parts, cast, strict=True):
            after |= self._changed(part, meant, {**before, **after})
            for subject, key, value in self._of_part(part, meant, {**before, **after}):
                after[subject.key, key] = value
        return after

    def _changed(self, part: PartResult, cast: PartCast, before: State) -> State:
        """Return what the method of a part has changed; of people themselves, and where there is no scene, nothing is kept."""
        after: State = {}
        people = dict(pair_names(part.part.subjects, cast)) if part.changes else {}
        for who, called, value in part.changes:
            subject, name = self.moment.scene if who == SCENE else None, called
            if who in people:
                item = people[who] or self.people.of(who)
                subject = item.key if name != MEMBER else _stands(before, item.id)
                name = name if name != MEMBER else f"{MEMBER}{item.id}"
            if subject is not None:
                key = (subject, name)
                after[key] = _stamped(key, value, after.get(key, before.get(key)), self.moment)
        return after

    def _of_part(self, part: PartResult, cast: PartCast, before: State) -> Iterator[tuple[Subject, str, object]]:
        procedure, moment = self.procedure, self.moment
        if part.conclusion is None:
            return
        if procedure.policy.on_request and procedure.policy.again != "never":
            (actor,) = self._in_role(part, cast, procedure.actor)
            about = self._in_role(part, cast, procedure.subject) if procedure.policy.again == "pair" else []
            rolled = rolled_name(procedure.family, actor.id)
            yield next(iter(about), actor), rolled, {"entry": moment.entry, "update": moment.update}
        deeds, look = self.book.deeds, partial(self._kept, before)
        for done in part.conclusion.consequences:
            deed, rule = deeds[done.do], self.book.rule(done.do)
            if rule is None or done.to is None:
                continue
            initiators = self._in_role(part, cast, procedure.actor) if deed.end.of == "initiator" else []
            for subject in self._in_role(part, cast, done.to):
                values = {key: value for (of, key), value in before.items() if of == subject.key}
                whose = next(iter(initiators), subject).id
                there = replace(moment, scene=_stands(before, whose) or moment.scene)
                other = self._other(part, cast, done.to) if deed.other else None
                applied = AppliedConsequence(done, deed, subject.name, there, values, look, whose, other)
                for name, key, value in rule(applied):
                    yield subject if name == subject.name else self.people.of(name), key, value

    def _kept(self, before: State, who: str, name: str) -> object:
        """Return what is kept of whoever is called so, with what the parts before have set."""
        key = (self.people.of(who).key, name)
        return before[key] if key in before else self.look(*key)

    def _other(self, part: PartResult, cast: PartCast, to: str) -> int | None:
        """Return who stands opposite a role in a part (number); None where that is nobody, or several do."""
        role = self.procedure.subject if to == self.procedure.actor else self.procedure.actor
        opposite = self._in_role(part, cast, role)
        return opposite[0].id if len(opposite) == 1 else None

    def _in_role(self, part: PartResult, cast: PartCast, role: str) -> list[Subject]:
        """Return who is in a role of a part; of people themselves nothing is kept."""
        names = names_of(part.part.subjects.get(role, ""))
        meant = cast.get(role, (None,))
        pairs = zip(names, meant, strict=True) if meant else ()
        return [item or self.people.of(name) for name, item in pairs if name]


def _stands(kept: State, number: int) -> str | None:
    """Return the scene (its subject) in which somebody stands, of whom the state keeps this; None where they stand in none."""
    return next((subject for subject, name in kept if name == f"{MEMBER}{number}"), None)


def _stamped(key: Key, value: Json, before: Json, moment: Moment) -> Json:
    """Return a value with the entry that sets it: in what is saved, for each field that is another by that; a scene's ends with it.

    Turns that it ends after are those of the roll's scene.
    """
    (subject, name), entry = key, moment.entry
    if value is None or name.startswith(MEMBER) or subject.startswith(f"{name}:"):
        return value
    if name == PROFILE:
        new = [field for field in value.keys() - KEPT if value[field] != (before or {}).get(field)]
        return {**value, **{field + FROM: entry for field in new if not field.endswith(FROM)}}
    turns = {"turns": {**value["turns"], "scene": moment.scene}} if "turns" in value else {}
    return {**value, **turns, "entry": entry, **({} if subject_number(subject) else {"scene": subject})}


def before_roll(tx: Connection, campaign_id: int, kept: State, known: Collection[str], after: Iterable[Key]) -> State:
    """Return what the state keeps, before a roll, of what it changes; of the known subjects all is read already, and `kept`."""
    others = [key for key in after if key[0] not in known and key[1] != NAME]
    read = (
        state.get_values_named(tx, campaign_id, {key[0] for key in others}, {key[1] for key in others})
        if others
        else {}
    )
    renamed = (subject_number(subject) for subject, name in after if name == NAME)
    called = subjects.name_subjects(tx, campaign_id, {number for number in renamed if number is not None})
    return kept | read | {(subject_key(number), NAME): name for number, name in called.items()}


def spent_effects(books: Iterable[RuleSet]) -> set[str]:
    """Return the names of the effects under which somebody has nothing left to roll for."""
    policies = [item.policy for book in books for item in book.procedures.values()]
    return {EFFECT + policy.spends for policy in policies if policy.spends is not None}


def close_rolls(tx: Connection, campaign_id: int, books: Iterable[RuleSet], now: Moment) -> list[Change]:
    """Return what lets go of who has rolled for whom in an update that closes now, or before it, and of what has ended by the clock.

    A roll that is made once is kept in mind.
    """
    once = {item.family for book in books for item in book.procedures.values() if item.policy.again == "ever"}
    lasting = tuple(f"{ROLLED}{family}." for family in once)
    marks = sorted(state.find_values_beginning(tx, campaign_id, ROLLED).items())
    ended = sorted(
        item for item in state.find_values_beginning(tx, campaign_id, EFFECT).items() if has_run_out(item[1], now)
    )
    gone = (Change(*key, value, None) for key, value in [*marks, *ended] if value.get("update", 0) <= now.update)
    return [item for item in gone if not item.name.startswith(lasting)][:MAX_FORGOTTEN]
