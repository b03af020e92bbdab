"""Acts of a game that roll: what their roles are called, who reads them, and pushing."""

from __future__ import annotations

from typing import Any

import pytest

from rules.errors import BookError
from rules.house import read_house_file
from rules.loader import load_with_house_rules
from tests.cogs.house_rules.homebrew import roll_table, send_and_switch_on
from tests.support.reading import components, response, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World

GAME = """
[game]
title = "Duels"
facts = [{ trait = "guns", label = "guns", roles = ["roller", "target"] }]
fields = [{ id = "guns", label = "guns", on = ["unit"], takes = "number", min = 0, max = 9 }]
deeds = [
  { id = "lose", text = "{to} loses {amount} guns", takes = "guns" },
  { id = "disarm", text = "{to} loses {amount} guns", takes = "guns", amount = "guns" },
]

[[table]]
id = "raid"
title = "Raid"
die = 6
rows = [{ text = "Raided", then = [{ do = "lose", to = "target", amount = 1 }] }]
modifiers = [{ id = "roller.guns", value = 1, times = "roller.guns", label = "Guns", group = "ship" }]

[[table]]
id = "fire"
title = "Fire"
die = 6
pool = { reads = "count", target = 4, push = { below = 1 } }
rows = [{ text = "fires" }]
modifiers = [{ id = "roller.guns", value = 1, times = "roller.guns", label = "Guns", group = "ship" }]

[[table]]
id = "dodge"
title = "Dodge"
die = 6
pool = { reads = "count", target = 4, dice = 1 }
against = { reads = "reach" }
rows = [
  { max = -1, text = "is hit", then = [{ do = "lose", to = "target", amount = 2 }] },
  { min = 0, text = "gets away", then = [{ do = "lose", to = "roller", amount = 1 }] },
]

[[contests]]
id = "duel"
title = "Duel"
actor = "fire"
resister = "dodge"

[[acts]]
id = "raiding"
title = "Raid them"
actor = "ship"
subject = "prey"
headline = "{ship} raids {prey}"
text = "Raided"
rolls = "raid"

[[acts]]
id = "duelling"
title = "Fight"
actor = "ship"
subject = "prey"
headline = "{ship} fights {prey}"
headline-alone = "{ship} fights"
text = "Fought"
rolls = "duel"
"""


async def begin(world: World, game: str = GAME) -> None:
    """Switch the game on, with two ships."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    await send_and_switch_on(world, game, "duels")
    for name in ("Gull", "Tern"):
        await world.gm.slash(world.orders, "roster add", name=name, kind="ship", fields="guns: 3")


def guns(world: World) -> list[Any]:
    """Return the guns of both ships."""
    return [kept(world, name)["profile"]["guns"] for name in ("Gull", "Tern")]


async def test_tables_call_them_roller_and_target(world: World) -> None:
    """Whatever an act calls its roles, saved numbers count on its tables and change by its rows."""
    await begin(world)
    assert "**4** + 3 = **7**" in await roll_table(world, "raiding", 4, who="Gull", about="Tern")
    assert guns(world) == [3, 2]
    assert "3d6: **4, 5, 6**" in await roll_table(world, "duelling", 4, 5, 6, 4, who="Gull", about="Tern")
    assert guns(world) == [3, 0]
    await roll_table(world, "duelling", 1, 1, 1, 4, who="Gull", about="Tern")
    await roll_table(world, "duelling", 5, 1, 1, who="Gull")
    assert guns(world) == [2, 0]
    assert "loses" not in text(world.results.last_message)
    await require_whole(world)


async def test_an_act_offers_to_push_its_contest(world: World) -> None:
    """As the contest alone does."""
    await begin(world)
    card = response(await world.gm.slash(world.orders, "table roll", name="duelling", who="Gull", about="Tern"))
    assert [item for item in components(card) if "push once" in str(item.get("options"))]


STAFF = 'audience = "staff"\n'


@pytest.mark.parametrize(
    ("after", "roll", "faces"),
    [
        ('rolls = "raid"\n', "raiding", [4]),
        ('title = "Raid"\n', "raiding", [4]),
        ('rolls = "duel"\n', "duelling", [4, 4, 4, 1]),
        ('title = "Dodge"\n', "duelling", [4, 4, 4, 1]),
    ],
)
async def test_what_is_for_the_staff_stays_there(world: World, after: str, roll: str, faces: list[int]) -> None:
    """Where the act says so, and where a table that it rolls does."""
    await begin(world, GAME.replace(after, after + STAFF))
    await roll_table(world, roll, *faces, who="Gull", about="Tern")
    assert world.results.last_message is None
    assert "loses" in text(world.staff.last_message)


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('to = "target", amount = 2', 'to = "prey", amount = 2', 'lose to prey: write to = "roller" or to = "target"'),
        (
            '"lose", to = "target", amount = 2',
            '"disarm", to = "target"',
            "disarm counts guns, which isn't a fact of the role prey",
        ),
    ],
)
def test_a_slip_in_a_contest_of_an_act_is_told(right: str, wrong: str, told: str) -> None:
    """Its rows do things to the roller or the target only, by numbers that both roles have."""
    broken = GAME.replace(right, wrong)
    assert broken != GAME
    with pytest.raises(BookError) as refusal:
        load_with_house_rules("house", [read_house_file("x", broken.encode())], others={})
    assert any(told in fault.what for fault in refusal.value.faults), refusal.value.faults
