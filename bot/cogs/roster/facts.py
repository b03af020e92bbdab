"""Facts from saved units and characters: their own, those of a character's squad, and what members make of their unit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.core import knowledge, profiles, state
from bot.core.profiles import ALONE, OF_LEVEL, Profile
from bot.core.state import State
from bot.core.visibility import any_player
from bot.rolls.situation import RollContext
from rules.book import Trait
from rules.books.campaign.captivity import CAPTIVE, FATE, is_dead
from rules.facts import Known, Origin

Bearing = Iterator[tuple[str, Known]]
"""Traits, each as it is known."""


def saved_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from saved units and characters, in whatever role they stand; a character has those of the squad too."""
    parts = context.saved()
    everybody = [item for part in parts for _, item in part]
    squads = profiles.read(tx, context.campaign.id, {item.squad_id for item in everybody if item.squad_id is not None})
    units = [*squads.values(), *(item for item in everybody if not item.is_character)]
    members = _at_large(tx, context, units)
    people = [*everybody, *(item for crew in members.values() for item in crew)]
    private = knowledge.private_levels(tx, any_player(context.campaign), people)
    held = _as_asked(tx, context, {key: value for key, value in context.kept.items() if key[1] == CAPTIVE})
    roster = _Roster(context.book.traits, squads, members, held, private)
    return [_known(part, roster) for part in parts]


@dataclass(frozen=True, slots=True)
class _Roster:
    """What is saved beside those in a roll: the traits of its book, squads and their free members by number.

    `held` is what the state keeps of captivities, `private` are the numbers of those whose newtype level players may not know.
    """

    traits: Mapping[str, Trait]
    squads: Mapping[int, Profile]
    members: Mapping[int, Sequence[Profile]]
    held: State
    private: Collection[int]

    def squad(self, role: str, item: Profile) -> Profile | None:
        """Return the squad that somebody in a role acts with; a captive is without it, whatever it tries."""
        alone = item.squad_id is None or role in ALONE or (item.key, CAPTIVE) in self.held
        return None if alone else self.squads.get(item.squad_id or 0)

    def of_unit(self, unit: Profile) -> Bearing:
        """Yield what a unit has through its members, then its own; of alike members the first, open ones before secret ones."""
        crew = self.members.get(unit.id, ())
        for trait in self.traits.values():
            having = [item for item in crew if item.kind in trait.of_any and trait.id in item.known()]
            if having:
                has = min(having, key=lambda item: self._hides(item, trait.id))
                origin = Origin("saved", f"{has.name} of {unit.name}")
                yield trait.id, Known(1, origin, secret=self._hides(has, trait.id) or unit.secret)
        yield from self._of_all(unit, crew if unit.kind == "squad" else ())
        yield from self._own(unit)

    def of_character(self, item: Profile, *, alone: bool) -> Bearing:
        """Yield what a character has; whoever is alone is all there is."""
        if alone:
            yield from self._of_all(item, ())
        yield from self._own(item)

    def _own(self, item: Profile) -> Bearing:
        origin = Origin("saved", item.name)
        for trait, count in item.known().items():
            yield trait, Known(count, origin, secret=self._hides(item, trait))

    def _of_all(self, item: Profile, members: Sequence[Profile]) -> Bearing:
        """Yield what is true of all: of the bearer itself, or of the members that players know of, who speak for the rest."""
        seen = [member for member in members if not member.secret] or members
        secret = item.secret or any(member.secret for member in seen)
        for trait in self.traits.values():
            true = trait.of_all in item.known() or (seen and all(trait.of_all in member.known() for member in seen))
            if trait.of_all is not None and true:
                yield trait.id, Known(1, Origin("saved", item.name), secret=secret)

    def _hides(self, item: Profile, trait: str) -> bool:
        """Tell whether players may not know that somebody has a trait."""
        return item.secret or (item.id in self.private and trait in OF_LEVEL)


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


def _at_large(tx: Connection, context: RollContext, units: Iterable[Profile]) -> dict[int, list[Profile]]:
    """Return the members of units who are there: neither held captive nor dead, as far as it is asked for."""
    crews = profiles.members(tx, context.campaign.id, {unit.id for unit in units})
    keys = {item.key for crew in crews.values() for item in crew}
    kept = _as_asked(tx, context, state.named(tx, context.campaign.id, keys, {CAPTIVE, FATE}) if keys else {})
    away = {key for key, name in kept if name == CAPTIVE or is_dead(kept[key, name])}
    return {unit: [item for item in crew if item.key not in away] for unit, crew in crews.items()}


def _as_asked(tx: Connection, context: RollContext, kept: State) -> State:
    """Return values as they are or, where secrets are not asked for, as everybody who plays knows them."""
    return kept if context.secrets else knowledge.values(tx, any_player(context.campaign), kept)
