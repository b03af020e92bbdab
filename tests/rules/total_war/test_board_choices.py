"""What is offered on a board: all of it is possible, and battles are played to their ends by nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from rules.books.total_war import storage
from rules.books.total_war.acts import Choices
from rules.books.total_war.war import War
from rules.dice import DiceTerm, Roll
from rules.effects import SCENE
from rules.procedure import Part
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.boards import (
    AT,
    FEDERATION,
    ZEON,
    battle_war,
    fight_of,
    kept_of,
    on_board,
    part_of,
    rolled,
    rules_with,
)

RULES = rules_with()
NAMES = {"E": FEDERATION, "Z": ZEON}
LONGEST = 200
LONG = [pytest.mark.slow, pytest.mark.no_cover]
SIDES = (("1st Fleet", "11th Squadron"), ("2nd Fleet", "21st Squadron"))
TILES = [f"{column}{row}" for row in (2, 4, 8, 11) for column in "DEFG"]
FAMILIES = {"shot": "shoot", "melee": "melee", "fire": "broadside"}


class Seeded(Random):
    """Dice and decisions by a seed."""

    def roll(self, term: DiceTerm) -> Roll:
        """Return a face."""
        return Roll(term, (self.randint(1, term.sides),), "seeded")


def offered(choices: Choices, unit: str, chance: Seeded) -> Iterator[tuple[str, dict[str, str], dict[str, object]]]:
    """One act of each kind that is offered for a unit: family, roles and inputs."""
    tiles = choices.tiles(unit)
    to = chance.choice([None, *tiles])
    first: dict[str, object] = {} if to is None else {"to": str(to)}
    if to is not None:
        yield "maneuver", {"unit": unit}, dict(first)
    for way in choices.attacks(unit):
        if way == "fire":
            yield from (
                ("broadside", {"unit": unit}, {**first, "toward": each}) for each in choices.directions(unit, to)
            )
            continue
        for target in choices.targets(unit, way, to):
            calls = choices.calls(target) if way == "melee" else ()
            call = {"call": chance.choice(calls)} if calls else {}
            yield FAMILIES[way], {"unit": unit, "target": target}, {**first, **call}
            if way == "shot":
                for other in choices.partners(unit, target, (), to):
                    yield "shoot", {"unit": unit, "target": target}, {**first, "others": [other]}


def acts_of(war: War, chance: Seeded) -> list[tuple[str, Part]]:
    """All acts that are offered to whose half it is, each with what is kept."""
    kept, by = kept_of(RULES, war), NAMES[fight_of(war).active]
    choices = Choices(RULES, war, AT, by)
    acts = [act for unit in choices.able() for act in offered(choices, unit, chance)]
    return [(family, part_of(kept, roles, **inputs, by=by)) for family, roles, inputs in acts]


@pytest.mark.parametrize(
    ("seed", "most"), [(0, LONGEST), (1, 8), *(pytest.param(seed, LONGEST, marks=LONG) for seed in range(1, 6))]
)
def test_whatever_is_offered_is_possible(seed: int, most: int) -> None:
    """§6, X4, P7: acts that are offered are never refused; played at random, each unit is lost once, and suits fight until a side has none."""
    chance = Seeded(seed)
    war = battle_war(RULES, *SIDES) if seed % 2 else battle_war(RULES)
    units = fight_of(war).units
    war = on_board(war, **dict(zip(units, TILES, strict=False)))
    for _ in range(most):
        if AT not in war.battles or fight_of(war).ended.over:
            break
        acts = acts_of(war, chance)
        for family, part in acts:
            BOOK.procedure(family).method.check(part, BOOK)
        attacks = [act for act in acts if act[0] != "maneuver"] or acts
        before = fight_of(war)
        if attacks:
            result, _, war = rolled(*chance.choice(attacks), chance)
        else:
            name = {"E": "Earth Federation", "Z": "Zeon"}[before.active]
            result, _, war = rolled("next", part_of(kept_of(RULES, war), {"side": name}))
        kept = kept_of(RULES, war)
        assert storage.read(BOOK, kept[SCENE])[1] == war
        if AT in war.battles:
            after = fight_of(war)
            assert sum(after.lost.values()) + len(after.units) == len(units)
            assert {*before.units} - {*after.units} == set(result.record.get("fallen", ()))
    else:
        assert seed % 2, f"suits have not come to an end in {most} acts"  # ships may miss each other for ever
