from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules.books.total_war.acts import Choices
from rules.books.total_war.storage import read
from rules.books.total_war.war import War
from rules.effects import SCENE
from rules.procedure import Part
from tests.rules.total_war import boards
from tests.rules.total_war.asking import BOOK

RULES = boards.rules_with()
NAMES = {"E": boards.FEDERATION, "Z": boards.ZEON}
LONGEST = 200
LONG = [pytest.mark.slow, pytest.mark.no_cover]
SIDES = (("1st Fleet", "11th Squadron"), ("2nd Fleet", "21st Squadron"))
TILES = [f"{column}{row}" for row in (2, 4, 8, 11) for column in "DEFG"]
FAMILIES = {"shot": "shoot", "melee": "melee", "fire": "broadside"}


def list_offered(
    choices: Choices, unit: str, chance: boards.Seeded
) -> Iterator[tuple[str, dict[str, str], dict[str, object]]]:
    """Return one act of each kind offered to a unit."""
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


def _acts_of(war: War, chance: boards.Seeded) -> list[tuple[str, Part]]:
    kept, by = boards.store_war(RULES, war), NAMES[boards.find_fight(war).active]
    choices = Choices(RULES, war, boards.AT, by)
    acts = [act for unit in choices.able() for act in list_offered(choices, unit, chance)]
    return [(family, boards.make_part(kept, roles, **inputs, by=by)) for family, roles, inputs in acts]


@pytest.mark.parametrize(
    ("seed", "most"), [(0, LONGEST), (1, 8), *(pytest.param(seed, LONGEST, marks=LONG) for seed in range(1, 6))]
)
def test_whatever_is_offered_is_possible(seed: int, most: int) -> None:
    """§6, X4, P7: offered acts are never refused."""
    chance = boards.Seeded(seed)
    war = boards.battle_war(RULES, *SIDES) if seed % 2 else boards.battle_war(RULES)
    units = boards.find_fight(war).units
    war = boards.on_board(war, **dict(zip(units, TILES, strict=False)))
    for _ in range(most):
        if boards.AT not in war.battles or boards.find_fight(war).outcome.over:
            break
        acts = _acts_of(war, chance)
        for family, part in acts:
            BOOK.procedure(family).method.check(part, BOOK)
        attacks = [act for act in acts if act[0] != "maneuver"] or acts
        before = boards.find_fight(war)
        if attacks:
            result, _, war = boards.roll_part(*chance.choice(attacks), chance)
        else:
            name = {"E": "Earth Federation", "Z": "Zeon"}[before.active]
            result, _, war = boards.roll_part("next", boards.make_part(boards.store_war(RULES, war), {"side": name}))
        kept = boards.store_war(RULES, war)
        assert read(BOOK, kept[SCENE])[1] == war
        if boards.AT in war.battles:
            after = boards.find_fight(war)
            assert sum(after.lost.values()) + len(after.units) == len(units)
            assert {*before.units} - {*after.units} == set(result.record.get("fallen", ()))
    else:
        assert seed % 2, f"suits have not come to an end in {most} acts"  # ships may miss each other for ever
