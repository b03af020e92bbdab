from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from tests.support.acting import opened, tick
from tests.support.backend import House
from tests.support.reading import press
from tests.support.walks import walking
from tests.support.world import World


@contextmanager
def statements(world: World) -> Iterator[list[str]]:
    """Collect the bot's statements."""
    made: list[str] = []

    def note(*event: object) -> None:
        made.append(str(event[2]))

    engine = world.bots[-1].database.engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield made
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)
        made[:] = [statement for statement in made if not statement.startswith("BEGIN")]


async def test_a_patrol_reads_its_campaign_and_house_rules_once(world: World) -> None:
    """10 statements; 14 for a new name."""
    world.dice.script(10, 10, 10, 10)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", roll="now")
    with statements(world) as made:
        await world.gm.slash(world.orders, "patrol", patrol="Lima", target="Ghost", roll="now")
    assert len(made) <= 14, made
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", roll="now")
    with statements(world) as made:
        await world.gm.slash(world.orders, "patrol", patrol="Lima", target="Zaku", roll="now")
    assert len(made) <= 10, made
    assert sum("campaign.uuid" in statement for statement in made) == 1


async def test_a_new_name_costs_no_look_at_what_is_kept_of_others(world: World) -> None:
    """Only entries since the last roll are read."""
    world.dice.script(10, 10)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", roll="now")
    with statements(world) as made:
        await world.gm.slash(world.orders, "patrol", patrol="Lima", target="Zaku column", roll="now")
    assert not [statement for statement in made if "state.name >=" in statement and "state.subject IN" not in statement]
    (since,) = [statement for statement in made if "entry.number >=" in statement]
    assert "LIMIT" in since


async def test_a_card_is_opened_changed_and_rolled_with_one_look(world: World) -> None:
    """7 to open, 6 to change, 18 to roll."""
    await opened(world)  # the first one reads the campaign's names
    with statements(world) as made:
        card = await opened(world)
    near_names = [statement for statement in made if "entry.number >=" in statement]
    assert len(near_names) == 1
    assert len(made) <= 7 + len(near_names), made
    await tick(world.gm, card, "target", "target.ship")  # the first use of a component reads whose server it is
    with statements(world) as made:
        await tick(world.gm, card, "target", "target.squad")
    assert len(made) <= 6, made
    world.dice.script(10)
    with statements(world) as made:
        await world.gm.click(card, custom_id=press(card, "roll"))
    assert len(made) <= 18, made
    assert sum("FROM campaign" in statement for statement in made) == 1


async def test_a_patrol_enters_no_other_book(world: World) -> None:
    """Nor its feature."""
    await world.gm.slash(world.orders, "gm settings", books="campaign")
    world.dice.script(10)
    with walking() as entered:
        card = await opened(world)
        await world.gm.click(card, custom_id=press(card, "roll"))
    files = {path for path, _ in entered}
    assert {"bot/cogs/captives/rolls.py", "bot/rolls/card/service.py", "rules/books/campaign/orders.py"} <= files
    others = re.compile("bot/cogs/(battles|infinity|roe|war)/|rules/books/(battlesystem|infinity|roe|total_war)/")
    assert [path for path in files if others.match(path)] == []


async def test_a_body_is_parsed_once(house: House) -> None:
    """However often it's asked."""
    rolled = await house.patrol("Zaku", faces=(10,))
    assert rolled.entry.content() is rolled.entry.content()
