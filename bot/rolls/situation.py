"""All that is known about one roll: the fact providers are asked in turn, each fact comes with its origin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.cogs.weather import store as weeks
from bot.core import profiles, state
from bot.core.campaigns import Campaign
from bot.core.profiles import CAPTIVE, PROFILE, Profile, profile
from bot.core.state import State
from bot.core.subjects import names_of, unit
from rules.book import Book
from rules.books.campaign.weather import carried_facts
from rules.climate import Sky
from rules.facts import Known, Origin

EFFECT = "effect."


@dataclass(frozen=True, slots=True)
class RollContext:
    """Whom the parts of a roll are about, where and when.

    `subjects` maps roles to names, part by part; `sky` is the weather where it happens; `week` is the week that is
    rolled for, None for any roll but the weather's own; `update` is the number of the campaign's current update; `held`
    is what the state keeps of the subjects.
    """

    campaign: Campaign
    book: Book
    subjects: Sequence[Mapping[str, str]]
    sky: Sky
    week: int | None
    update: int
    held: State


FactProvider = Callable[[Connection, RollContext], Sequence[Mapping[str, Known]]]
"""What a source of facts knows, part by part."""


class Situation:
    """Asks the providers; what a later one says of the same fact wins."""

    def __init__(self, providers: Sequence[FactProvider]) -> None:
        self._providers = tuple(providers)

    def facts(self, tx: Connection, scene: RollContext, *, secrets: bool) -> tuple[dict[str, Known], ...]:
        """Every declared fact that is known of each part; without those that players may not know unless `secrets`."""
        found: tuple[dict[str, Known], ...] = tuple({} for _ in scene.subjects)
        declared = scene.book.facts
        for provider in self._providers:
            for part, told in zip(found, provider(tx, scene), strict=True):
                part.update(
                    (fact, known)
                    for fact, known in told.items()
                    if fact in declared and (secrets or not (known.secret or declared[fact].secret))
                )
        return found


def effects(tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """Facts from what lasts on the subjects: an effect speaks of a trait, in whatever role its bearer stands."""
    keys = [
        [(role, unit(name)) for role, names in subjects.items() for name in names_of(names)]
        for subjects in scene.subjects
    ]
    bearers = {key for part in keys for _, key in part}
    held: dict[str, list[tuple[str, Known]]] = {}
    for (subject, name), value in state.beginning(tx, scene.campaign.id, bearers, EFFECT).items():
        if lasts(value, scene.update):
            origin = Origin("effect", f"since entry {value['entry']}")
            known = Known(1, origin, secret=_hidden(scene, subject))
            held.setdefault(subject, []).append((name.removeprefix(EFFECT), known))
    return [{f"{role}.{trait}": known for role, key in part for trait, known in held.get(key, ())} for part in keys]


ALONE = frozenset({"captive", "interrogator", "character"})
"""The roles in which a character acts without the squad, so that its traits do not count."""

CAUGHT = Origin("captive", "held captive")


def saved(tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """Facts from saved units and characters, in whatever role they stand; a character has those of the squad too."""
    named = [
        [
            (role, found)
            for role, names in subjects.items()
            for name in names_of(names)
            if (found := profile(scene.held, name))
        ]
        for subjects in scene.subjects
    ]
    squads = profiles.read(
        tx, scene.campaign.id, {found.squad for part in named for _, found in part if found.squad is not None}
    )
    return [dict(_carried(part, squads, scene.held)) for part in named]


def _carried(
    part: Sequence[tuple[str, Profile]], squads: Mapping[str, Profile], held: State
) -> Iterator[tuple[str, Known]]:
    """The facts of each in its role; a captive is without the squad, whatever it tries."""
    for role, found in part:
        with_squad = found.squad is not None and role not in ALONE and (found.key, CAPTIVE) not in held
        squad = squads.get(unit(found.squad)) if found.squad and with_squad else None
        for bearer in (squad, found):
            if bearer is not None:
                origin = Origin("saved", bearer.name)
                for trait, count in bearer.known().items():
                    yield f"{role}.{trait}", Known(count, origin, secret=bearer.secret)


def captivity(_tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """The fact that somebody is held captive, in whatever role."""
    return [
        {
            f"{role}.{CAPTIVE}": Known(1, CAUGHT, secret=_hidden(scene, unit(name)))
            for role, names in subjects.items()
            for name in names_of(names)
            if (unit(name), CAPTIVE) in scene.held
        }
        for subjects in scene.subjects
    ]


def _hidden(scene: RollContext, subject: str) -> bool:
    """Whether players may not know what is true of a subject, since it is saved as secret."""
    value = scene.held.get((subject, PROFILE))
    return value is not None and bool(value["secret"])


def weather_of_region(_tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """Facts from the weather of the region that the roll happens in, the same for every part."""
    origin = Origin("weather", f"weather, week {scene.sky.week}")
    facts = {f"weather.{trait}": Known(1, origin) for trait in scene.sky.conditions}
    return [facts for _ in scene.subjects]


def carry_over(tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """For the weather's own roll: what last week's outcomes carry over to the zones."""
    last = [] if scene.week is None else weeks.past(tx, scene.campaign.id, scene.week, 1)
    facts = carried_facts(last[0], scene.book) if last else {}
    return [facts for _ in scene.subjects]


def lasts(value: Mapping[str, int | bool], update: int) -> bool:
    """Whether an effect still holds: one that is bound to an update ends with it."""
    return value.get("update", update) == update
