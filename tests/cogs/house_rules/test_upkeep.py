"""Upkeep of a game: what is gained, paid and rolled when an update closes."""

from __future__ import annotations

import pytest

from tests.cogs.house_rules.homebrew import send_and_switch_on
from tests.cogs.house_rules.test_games import SAILS, SHIP, at_sea, numbers, refuse_slip
from tests.cogs.ledger.test_void import undo_entry
from tests.support.reading import assert_says, response, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, rows


async def close_update(world: World, number: int) -> str:
    """Close an update; return what the question said."""
    shown = response(await world.gm.slash(world.orders, "gm close"))
    question = text(shown)
    await world.gm.click(shown, label=f"Close Update {number}")
    return question


async def test_upkeep_is_carried_out_once_when_an_update_closes(world: World) -> None:
    """Previewed, one entry each, before the update closes or after the next begins; again only after an undo."""
    await at_sea(world)
    await world.gm.slash(world.orders, "roster add", name="Ajax", kind="ship", fields="treasury: 1")
    await world.gm.slash(world.orders, "roster add", name="League", kind="fleet", fields="treasury: 50; ports: 3")
    world.dice.script(1, 5, sides=6)
    question = await close_update(world, 1)
    assert_says(
        question, "**Upkeep:**", "Income: League", "Wages: Ajax and Vengeance", "The new week: Ajax and Vengeance"
    )
    assert [numbers(world, name)["treasury"] for name in ("League", "Ajax", "Vengeance")] == [62, -1, 28]
    kinds = rows(world, "select kind from entry where number between 8 and 11 order by number")
    assert [kind for (kind,) in kinds] == ["roll", "roll", "update", "roll"]
    await undo_entry(world, 10)
    question = await close_update(world, 1)
    assert "Upkeep" not in question
    assert numbers(world, "League")["treasury"] == 62
    await undo_entry(world, 8)
    assert numbers(world, "League")["treasury"] == 50
    await require_whole(world)


DUES = (
    '[overlay]\nid = "dues"\nextends = "campaign"\n'
    'fields = [{ id = "dues", label = "dues", on = ["unit"], takes = "number", min = 0, max = 99 }]\n'
    '[[upkeep]]\nid = "wages"\ntitle = "Dues"\nof = ["ship"]\nadds = "dues"\ntimes = 3\n'
)


async def test_two_books_may_call_their_upkeep_the_same(world: World) -> None:
    """Both are carried out, each once."""
    await at_sea(world)
    await world.gm.slash(world.orders, "gm settings", books="campaign, house")
    await send_and_switch_on(world, DUES, "dues")
    world.dice.script(1, sides=6)
    assert_says(await close_update(world, 1), "Wages: Vengeance", "Dues: Vengeance")
    assert [kept(world, "Vengeance")["profile"].get(name) for name in ("treasury", "dues")] == [18, 3]
    await require_whole(world)


async def test_who_cannot_do_upkeep_is_told_to_the_staff(world: World) -> None:
    """Others still do it, and a secret ship's result stays with the staff."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    strict = SAILS.replace('rolls = "events"\n', 'rolls = "raiding"\n')
    assert strict != SAILS
    await send_and_switch_on(world, strict, "sails")
    await world.gm.slash(world.orders, "roster add", name="Vengeance", kind="ship", fields=SHIP)
    await world.gm.slash(world.orders, "roster add", name="Ajax", kind="ship", fields=SHIP)
    await world.gm.slash(world.orders, "gm effect", who="Ajax", effect="mutiny")
    world.dice.script(1, 1, sides=6)
    await close_update(world, 1)
    assert_says(text(world.staff.last_message), "Not done", "The new week of Ajax: The crew of Ajax mutinies.")
    assert "Vengeance raids" in text(world.results.last_message)
    await require_whole(world)


UPKEEP_FLAWS = [
    ('rolls = "events"', 'rolls = "eventz"', "upkeep week: unknown roll eventz, did you mean events?"),
    ('rolls = "events"', 'rolls = "events"\nadds = "treasury"', "upkeep week: write one of rolls, adds and takes"),
    ('by = "ports"', 'by = "port"', "upkeep income: no number is called port, did you mean ports?"),
    ('of = ["fleet"]', 'of = ["navy"]', '"navy" doesn\'t belong here'),
    ('of = ["fleet"]', "of = []", "of: a list is empty"),
]


@pytest.mark.parametrize(("right", "wrong", "told"), UPKEEP_FLAWS, ids=[told for *_, told in UPKEEP_FLAWS])
def test_a_slip_in_upkeep_is_told(right: str, wrong: str, told: str) -> None:
    """Each has its line and what to write."""
    refuse_slip(right, wrong, told)


async def test_many_are_counted_in_the_question(world: World) -> None:
    """The first ones by name."""
    await at_sea(world)
    for name in ("Ajax", "Bold", "Calm", "Dash", "Eagle", "Fury"):
        await world.gm.slash(world.orders, "roster add", name=name, kind="ship")
    shown = response(await world.gm.slash(world.orders, "gm close"))
    assert "Wages: Ajax, Bold, Calm, Dash, Eagle and 2 more" in text(shown)
