"""Facts from units, characters, squads and members."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import errors, profiles, state, subjects, visibility
from bot.core.profiles import ALONE, Profile, explain_not_saved
from bot.rolls import extension, situation
from rules.book import Trait
from rules.books.campaign.captivity import CAPTIVE, FATE, is_dead
from rules.modifiers import KnownFact, Origin
from rules.subjects import Fields, name_key

Bearing = Iterator[tuple[str, KnownFact]]


def require_profile(_tx: Connection, needed: extension.NeededValue) -> None:
    """Refuse a roll about someone who isn't saved."""
    if needed.value is None:
        raise errors.NotAsItIs(*explain_not_saved(needed.name))


def find_saved_facts(tx: Connection, context: situation.RollContext) -> list[dict[str, KnownFact]]:
    """Return, for each part, facts from the saved units and characters in any role.

    Players may not know of captives and the dead. Facts that are only true because of them are secret; facts that are
    false because of them count 0.
    """
    parts = context.profiles_by_role
    if not any(parts):
        return [{} for _ in parts]
    real, seen = _rosters(tx, context, parts)
    facts = [_collect_facts(part, real if context.secrets else seen) for part in parts]
    if context.secrets and seen.absent != real.absent:
        for part, known in zip(parts, facts, strict=True):
            _hide(known, _collect_facts(part, seen))
    return facts


def _hide(facts: dict[str, KnownFact], seen: Mapping[str, KnownFact]) -> None:
    """Mark facts secret that players don't see; what only they see counts 0."""
    unknown = {fact: replace(known, secret=True) for fact, known in facts.items() if fact not in seen}
    lacking = {fact: replace(known, count=0, secret=True) for fact, known in seen.items() if not known.secret}
    facts |= unknown | {fact: known for fact, known in lacking.items() if fact not in facts}


def _rosters(
    tx: Connection, context: situation.RollContext, parts: Sequence[Sequence[tuple[str, Profile]]]
) -> tuple[_Roster, _Roster]:
    campaign = context.campaign
    everybody = [item for part in parts for _, item in part]
    squads = profiles.read_profiles(tx, campaign.id, {item.squad_id for item in everybody if item.squad_id is not None})
    units = {*squads, *(item.id for item in everybody if not item.is_character)}
    members = profiles.find_members(tx, campaign.id, units)
    people = [*everybody, *(item for crew in members.values() for item in crew)]
    fields, traits = context.book.fields, context.book.traits
    unknown = visibility.find_private_fields(tx, visibility.make_player_viewer(context.campaign, context.mine), people)
    private = {
        item.id: item.of_fields({name: fields[name] for name in fields.keys() & unknown[item.id]}) for item in people
    }
    things = _things(tx, context, [*people, *squads.values()])
    own = {item.key for item in everybody}
    fates = {key: value for key, value in context.kept.items() if key[0] in own and key[1] in {CAPTIVE, FATE}}
    crew = {item.key for item in people} - own
    fates |= state.get_values_named(tx, campaign.id, crew, {CAPTIVE, FATE}) if crew else {}
    known = visibility.see_values(tx, visibility.make_player_viewer(context.campaign, context.mine), fates)
    real = _Roster(traits, squads, members, _find_absent(fates), private, fields, things, context.hides)
    return real, replace(real, absent=_find_absent(known))


def _things(tx: Connection, context: situation.RollContext, people: Iterable[Profile]) -> dict[str, Profile]:
    named = {word for item in people for word in _list_words(item)}
    knows, campaign = None if context.secrets else subjects.is_open, context.campaign.id
    meant = subjects.find_meant(tx, campaign, named, knows).values() if named else ()
    saved = profiles.read_profiles(tx, campaign, {item.id for item in meant}).values()
    return {name_key(item.name): item for item in saved if item.kind == "thing"}


def _list_words(item: Profile) -> list[str]:
    lists = (words for words in item.fields.values() if isinstance(words, list))
    return [*dict.fromkeys(name_key(word) for words in lists for word in words)]


def _find_absent(fates: state.State) -> Mapping[str, str]:
    dead = {key: FATE for (key, name), value in fates.items() if name == FATE and is_dead(value)}
    return dead | {key: CAPTIVE for key, name in fates if name == CAPTIVE}


class _Roster(Struct, frozen=True):
    """What a roll's participants bring along.

    `absent` says who is CAPTIVE or dead (FATE), `private` are traits that players may not know; `things` are named by lists.
    """

    traits: Mapping[str, Trait]
    squads: Mapping[int, Profile]
    members: Mapping[int, Sequence[Profile]]
    absent: Mapping[str, str]
    private: Mapping[int, Collection[str]]
    fields: Fields
    things: Mapping[str, Profile]
    hides: Callable[[Profile], bool]

    def find_traits(self, role: str, item: Profile) -> Bearing:
        """Yield traits of the squad that someone acts with, if any, and its own; captives act alone."""
        if not item.is_character:
            yield from self._of_unit(item)
            return
        alone = item.squad_id is None or role in ALONE or self.absent.get(item.key) == CAPTIVE
        squad = None if alone else self.squads.get(item.squad_id or 0)
        yield from self._of_all(item, ()) if squad is None else self._of_unit(squad)
        yield from self._own(item)

    def _of_unit(self, unit: Profile) -> Bearing:
        """Yield traits from members, open ones first, then its own."""
        crew = [item for item in self.members.get(unit.id, ()) if item.key not in self.absent]
        for trait in self.traits.values():
            having = [item for item in crew if item.kind in trait.of_any and trait.id in item.count_traits(self.fields)]
            if having:
                has = min(having, key=lambda item: self._hides(item, trait.id))
                origin = Origin("saved", f"{has.name} of {unit.name}")
                yield trait.id, KnownFact(1, origin, secret=self._hides(has, trait.id) or self.hides(unit))
        yield from self._of_all(unit, crew if unit.kind == "squad" else ())
        yield from self._own(unit)

    def _own(self, item: Profile) -> Bearing:
        # Numbers with those of listed things; otherwise what players know comes first.
        had = {trait: [(count, item)] for trait, count in item.count_traits(self.fields).items()}
        for thing in (self.things[name] for name in _list_words(item) if name in self.things):
            for trait, count in thing.of_fields(self.fields).items():
                had.setdefault(trait, []).append((count, thing))
        for trait, some in had.items():
            some.sort(key=lambda one: self._hides(one[1], trait))
            number = self.fields.get(trait)
            adding = some if number is not None and number.takes == "number" else some[:1]
            names = [of.name + (f" {count:+d}" if len(adding) > 1 else "") for count, of in adding]
            secret = any(self._hides(of, trait) for _, of in adding)
            total = sum(count for count, _ in adding)
            if total or (number is not None and number.min == 0):
                yield trait, KnownFact(total or 1, Origin("saved", ", ".join(names)), secret=secret, zero=not total)

    def _of_all(self, item: Profile, members: Sequence[Profile]) -> Bearing:
        # What is true of all members that players know, or of the bearer.
        seen = [member for member in members if not self.hides(member)] or members
        secret = self.hides(item) or any(map(self.hides, seen))
        own, theirs = item.count_traits(self.fields), [member.count_traits(self.fields) for member in seen]
        for trait in self.traits.values():
            if trait.of_all in own or (trait.of_all and theirs and all(trait.of_all in known for known in theirs)):
                yield trait.id, KnownFact(1, Origin("saved", item.name), secret=secret)

    def _hides(self, item: Profile, trait: str) -> bool:
        return self.hides(item) or trait in self.private.get(item.id, ())


def _collect_facts(part: Iterable[tuple[str, Profile]], roster: _Roster) -> dict[str, KnownFact]:
    # The nearest bearer counts, but open before secret ones.
    facts: dict[str, KnownFact] = {}
    for role, item in part:
        for trait, known in roster.find_traits(role, item):
            fact = f"{role}.{trait}"
            if fact not in facts or facts[fact].secret or not known.secret:
                facts[fact] = known
    return facts
