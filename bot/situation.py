"""All that is known about one roll: the fact providers are asked in turn, each fact comes with its origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.request import unit
from bot.store import states, weeks
from bot.store.campaigns import Campaign
from bot.store.weeks import Sky
from rules.book import Book
from rules.books.campaign.weather import carried_over
from rules.facts import Known, Origin

EFFECT = "effect."


@dataclass(frozen=True, slots=True)
class Scene:
    """Whom the parts of a roll are about, where and when.

    `subjects` maps roles to names, part by part; `sky` is the weather where it happens; `week` is the week that is
    rolled for, None for any roll but the weather's own; `update` is the number of the campaign's current update.
    """

    campaign: Campaign
    book: Book
    subjects: Sequence[Mapping[str, str]]
    sky: Sky
    week: int | None
    update: int


FactProvider = Callable[[Connection, Scene], Sequence[Mapping[str, Known]]]
"""What a source of facts knows, part by part."""


class Situation:
    """Asks the providers; what a later one says of the same fact wins."""

    def __init__(self, providers: Sequence[FactProvider]) -> None:
        self._providers = tuple(providers)

    def facts(self, tx: Connection, scene: Scene, *, secrets: bool) -> tuple[dict[str, Known], ...]:
        """Every declared fact that is known of each part; without those that players may not know unless `secrets`."""
        found: tuple[dict[str, Known], ...] = tuple({} for _ in scene.subjects)
        declared = scene.book.facts
        for provider in self._providers:
            for part, told in zip(found, provider(tx, scene), strict=True):
                part.update(
                    (fact, known)
                    for fact, known in told.items()
                    if fact in declared and (secrets or not declared[fact].secret)
                )
        return found


def effects(tx: Connection, scene: Scene) -> list[dict[str, Known]]:
    """Facts from what lasts on the subjects: an effect speaks of a trait, in whatever role its bearer stands."""
    keys = [{role: unit(name) for role, name in subjects.items()} for subjects in scene.subjects]
    bearers = {key for part in keys for key in part.values()}
    held: dict[str, list[tuple[str, Known]]] = {}
    for (subject, name), value in states.beginning(tx, scene.campaign.id, bearers, EFFECT).items():
        if lasts(value, scene.update):
            known = Known(1, Origin("effect", f"since entry {value['entry']}"))
            held.setdefault(subject, []).append((name.removeprefix(EFFECT), known))
    return [
        {f"{role}.{trait}": known for role, key in part.items() for trait, known in held.get(key, ())} for part in keys
    ]


def weather_of_region(_tx: Connection, scene: Scene) -> list[dict[str, Known]]:
    """Facts from the weather of the region that the roll happens in, the same for every part."""
    origin = Origin("weather", f"weather, week {scene.sky.week}")
    facts = {f"weather.{trait}": Known(1, origin) for trait in scene.sky.conditions}
    return [facts for _ in scene.subjects]


def carry_over(tx: Connection, scene: Scene) -> list[dict[str, Known]]:
    """For the weather's own roll: what last week's outcomes carry over to the zones."""
    last = [] if scene.week is None else weeks.past(tx, scene.campaign.id, scene.week, 1)
    facts = carried_over(last[0], scene.book) if last else {}
    return [facts for _ in scene.subjects]


def lasts(value: Mapping[str, int | bool], update: int) -> bool:
    """Whether an effect still holds: one that is bound to an update ends with it."""
    return value.get("update", update) == update
