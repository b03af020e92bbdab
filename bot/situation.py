"""All that is known about one roll: the fact providers are asked in turn, each fact comes with its origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.request import unit
from bot.store import states
from bot.store.campaigns import Campaign
from rules.book import Book
from rules.facts import Known, Origin

EFFECT = "effect."


@dataclass(frozen=True, slots=True)
class Scene:
    """Whom a part of a roll is about, where and when. `update` is the number of the campaign's current update."""

    campaign: Campaign
    book: Book
    subjects: Mapping[str, str]
    region: str | None
    update: int


FactProvider = Callable[[Connection, Scene], Mapping[str, Known]]


class Situation:
    """Asks the providers; what a later one says of the same fact wins."""

    def __init__(self, providers: Sequence[FactProvider]) -> None:
        self._providers = tuple(providers)

    def facts(self, tx: Connection, scene: Scene, *, secrets: bool) -> dict[str, Known]:
        """Every declared fact that is known of the scene; without those that players may not know unless `secrets`."""
        found: dict[str, Known] = {}
        for provider in self._providers:
            found.update(provider(tx, scene))
        declared = scene.book.facts
        return {
            fact: known for fact, known in found.items() if fact in declared and (secrets or not declared[fact].secret)
        }


def effects(tx: Connection, scene: Scene) -> dict[str, Known]:
    """Facts from what lasts on the subjects: an effect speaks of a trait, in whatever role its bearer stands."""
    keys = {role: unit(name) for role, name in scene.subjects.items()}
    held = states.beginning(tx, scene.campaign.id, set(keys.values()), EFFECT)
    found: dict[str, Known] = {}
    for role, key in keys.items():
        for (subject, name), value in held.items():
            if subject == key and lasts(value, scene.update):
                origin = Origin("effect", f"since entry {value['entry']}")
                found[f"{role}.{name.removeprefix(EFFECT)}"] = Known(1, origin)
    return found


def lasts(value: Mapping[str, int | bool], update: int) -> bool:
    """Whether an effect still holds: one that is bound to an update ends with it."""
    return value.get("update", update) == update
