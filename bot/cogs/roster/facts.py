"""Facts from saved units and characters, and that some rolls need one: their own, those of a character's squad, and what members make of their unit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import knowledge, profiles, state, subjects
from bot.core.profiles import ALONE, Profile, explain_not_saved
from bot.core.state import State
from bot.core.visibility import make_player_viewer
from bot.errors import NotAsItIs
from bot.rolls.extension import NeededValue
from bot.rolls.situation import RollContext
from rules.book import Trait
from rules.books.campaign.captivity import CAPTIVE, FATE, is_dead
from rules.fields import Fields
from rules.modifiers import Known, Origin
from rules.subjects import name_key

Bearing = Iterator[tuple[str, Known]]
"""Traits, each as it is known."""


def require_profile(_tx: Connection, needed: NeededValue) -> None:
    """Refuse a roll about somebody who is not saved."""
    if needed.value is None:
        raise NotAsItIs(*explain_not_saved(needed.name))


def saved_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from saved units and characters, in whatever role they stand; a character has those of the squad too.

    What holds only because of captives and dead of whom players do not know is secret; what does not hold because of them
    counts 0.
    """
    parts = context.saved
    real, seen = _rosters(tx, context, parts)
    facts = [_known(part, real if context.secrets else seen) for part in parts]
    if context.secrets and seen.absent != real.absent:
        for part, known in zip(parts, facts, strict=True):
            _hide(known, _known(part, seen))
    return facts


def _hide(facts: dict[str, Known], seen: Mapping[str, Known]) -> None:
    """Mark what players would find out by these facts, who take others for true."""
    unknown = {fact: replace(known, secret=True) for fact, known in facts.items() if fact not in seen}
    lacking = {fact: replace(known, count=0, secret=True) for fact, known in seen.items() if not known.secret}
    facts |= unknown | {fact: known for fact, known in lacking.items() if fact not in facts}


def _rosters(
    tx: Connection, context: RollContext, parts: Sequence[Sequence[tuple[str, Profile]]]
) -> tuple[_Roster, _Roster]:
    """Return who is saved beside those in a roll, as it is and as everybody who plays knows it."""
    campaign = context.campaign
    everybody = [item for part in parts for _, item in part]
    squads = profiles.read_profiles(tx, campaign.id, {item.squad_id for item in everybody if item.squad_id is not None})
    units = {*squads, *(item.id for item in everybody if not item.is_character)}
    members = profiles.find_members(tx, campaign.id, units)
    people = [*everybody, *(item for crew in members.values() for item in crew)]
    fields, traits = context.book.fields, context.book.traits
    unknown = knowledge.find_private_fields(tx, make_player_viewer(context.campaign, context.mine), people)
    private = {
        item.id: item.of_fields({name: fields[name] for name in fields.keys() & unknown[item.id]}) for item in people
    }
    things = _things(tx, context, [*people, *squads.values()])
    own = {item.key for item in everybody}
    fates = {key: value for key, value in context.kept.items() if key[0] in own and key[1] in {CAPTIVE, FATE}}
    crew = {item.key for item in people} - own
    fates |= state.get_values_named(tx, campaign.id, crew, {CAPTIVE, FATE}) if crew else {}
    known = knowledge.see_values(tx, make_player_viewer(context.campaign, context.mine), fates)
    both = [_absent(kept) for kept in (fates, known)]
    real, seen = (_Roster(traits, squads, members, absent, private, fields, things, context.hides) for absent in both)
    return real, seen


def _things(tx: Connection, context: RollContext, people: Iterable[Profile]) -> dict[str, Profile]:
    """Return the saved things that these have on lists, by the keys of their names."""
    named = {word for item in people for word in _listed(item)}
    knows, campaign = None if context.secrets else subjects.is_open, context.campaign.id
    meant = subjects.find_meant(tx, campaign, named, knows).values() if named else ()
    saved = profiles.read_profiles(tx, campaign, {item.id for item in meant}).values()
    return {name_key(item.name): item for item in saved if item.kind == "thing"}


def _listed(item: Profile) -> list[str]:
    """Return all that stands on the lists of somebody, each of a name once, as `name_key` has it."""
    lists = (words for words in item.fields.values() if isinstance(words, list))
    return [*dict.fromkeys(name_key(word) for words in lists for word in words)]


def _absent(fates: State) -> Mapping[str, str]:
    """Return who is held captive or dead, by key, and which of the two."""
    dead = {key: FATE for (key, name), value in fates.items() if name == FATE and is_dead(value)}
    return dead | {key: CAPTIVE for key, name in fates if name == CAPTIVE}


class _Roster(Struct, frozen=True):
    """What is saved beside those in a roll: the traits of its book, squads and the members of units by number.

    `absent` says of those held captive or dead, by key, which of the two; `private` are the traits of somebody, by number,
    that follow from what players may not know. `fields` are those of the book, `things` what lists name, by key; `hides` says of whom all is a secret.
    """

    traits: Mapping[str, Trait]
    squads: Mapping[int, Profile]
    members: Mapping[int, Sequence[Profile]]
    absent: Mapping[str, str]
    private: Mapping[int, Collection[str]]
    fields: Fields
    things: Mapping[str, Profile]
    hides: Callable[[Profile], bool]

    def squad(self, role: str, item: Profile) -> Profile | None:
        """Return the squad that somebody in a role acts with; a captive is without it, whatever it tries."""
        alone = item.squad_id is None or role in ALONE or self.absent.get(item.key) == CAPTIVE
        return None if alone else self.squads.get(item.squad_id or 0)

    def of_unit(self, unit: Profile) -> Bearing:
        """Yield what a unit has through its members, then its own; of alike members the first, open ones before secret ones."""
        crew = [item for item in self.members.get(unit.id, ()) if item.key not in self.absent]
        for trait in self.traits.values():
            having = [item for item in crew if item.kind in trait.of_any and trait.id in item.known(self.fields)]
            if having:
                has = min(having, key=lambda item: self._hides(item, trait.id))
                origin = Origin("saved", f"{has.name} of {unit.name}")
                yield trait.id, Known(1, origin, secret=self._hides(has, trait.id) or self.hides(unit))
        yield from self._of_all(unit, crew if unit.kind == "squad" else ())
        yield from self._own(unit)

    def of_character(self, item: Profile, *, alone: bool) -> Bearing:
        """Yield what a character has; whoever is alone is all there is."""
        if alone:
            yield from self._of_all(item, ())
        yield from self._own(item)

    def _own(self, item: Profile) -> Bearing:
        """Yield what somebody has: numbers with those of things on lists added, of all else what players may know first."""
        had = {trait: [(count, item)] for trait, count in item.known(self.fields).items()}
        for thing in (self.things[name] for name in _listed(item) if name in self.things):
            for trait, count in thing.of_fields(self.fields).items():
                had.setdefault(trait, []).append((count, thing))
        for trait, some in had.items():
            some.sort(key=lambda one: self._hides(one[1], trait))
            adding = some if trait in self.fields and self.fields[trait].takes == "number" else some[:1]
            names = [of.name + (f" {count:+d}" if len(adding) > 1 else "") for count, of in adding]
            secret = any(self._hides(of, trait) for _, of in adding)
            if total := sum(count for count, _ in adding):
                yield trait, Known(total, Origin("saved", ", ".join(names)), secret=secret)

    def _of_all(self, item: Profile, members: Sequence[Profile]) -> Bearing:
        """Yield what is true of all: of the bearer itself, or of the members that players know of, who speak for the rest."""
        seen = [member for member in members if not self.hides(member)] or members
        secret = self.hides(item) or any(map(self.hides, seen))
        own, theirs = item.known(self.fields), [member.known(self.fields) for member in seen]
        for trait in self.traits.values():
            if trait.of_all in own or (trait.of_all and theirs and all(trait.of_all in known for known in theirs)):
                yield trait.id, Known(1, Origin("saved", item.name), secret=secret)

    def _hides(self, item: Profile, trait: str) -> bool:
        """Tell whether players may not know that somebody has a trait."""
        return self.hides(item) or trait in self.private.get(item.id, ())


def _known(part: Iterable[tuple[str, Profile]], roster: _Roster) -> dict[str, Known]:
    """Return the facts of a part: the nearest bearer tells of each, but what is open is not told by somebody secret."""
    facts: dict[str, Known] = {}
    for role, item in part:
        for trait, known in _of(role, item, roster):
            fact = f"{role}.{trait}"
            if fact not in facts or facts[fact].secret or not known.secret:
                facts[fact] = known
    return facts


def _of(role: str, item: Profile, roster: _Roster) -> Bearing:
    if not item.is_character:
        yield from roster.of_unit(item)
        return
    squad = roster.squad(role, item)
    if squad is not None:
        yield from roster.of_unit(squad)
    yield from roster.of_character(item, alone=squad is None)
