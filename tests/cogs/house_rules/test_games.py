"""Whole games as files: their rolls, numbers and orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rules.errors import BookError
from rules.house import read_house_file
from rules.loader import check_path, load_with_house_rules
from tests.cogs.house_rules.homebrew import PIRATES, roll_table, send_and_switch_on, send_file, show_entry
from tests.cogs.ledger.test_amend import amend_with, open_card
from tests.cogs.ledger.test_void import undo_entry
from tests.support.reading import assert_says, components, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, nothing_written

GAMES = sorted((Path(__file__).parents[3] / "docs" / "games").glob("*.toml"))
TEXTS = {path.stem: path.read_text("utf-8") for path in GAMES}
SAILS = TEXTS["sails-and-silver"]
TAKEN = {"patrol": "a roll of the book campaign"}
SHIP = "treasury: 20; hull: 30; guns: 3; crew: Veteran"


async def at_sea(world: World, fields: str = SHIP) -> None:
    """Play Sails and Silver, with the ship Vengeance saved as entry 5."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    await send_and_switch_on(world, SAILS, "sails")
    await world.gm.slash(world.orders, "roster add", name="Vengeance", kind="ship", fields=fields)


def numbers(world: World, name: str = "Vengeance") -> dict[str, Any]:
    """Return the numbers that a ship has."""
    found = kept(world, name)["profile"]
    return {key: found[key] for key in ("treasury", "hull", "guns") if key in found}


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_each_game_is_a_sound_file(path: Path) -> None:
    """The linter on the command line and the bot's reader agree."""
    check_path(path)
    game = load_with_house_rules("house", [read_house_file(path.name, path.read_bytes())], others={})
    assert game.title != "House rules"


async def test_a_game_plays_from_one_file(world: World) -> None:
    """Its fields are the units', its numbers tick themselves, its deeds change them, its tables are named after it."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    shown = text(response(await send_file(world, SAILS, "sails")))
    assert_says(shown, "the game Sails and Silver", "field `treasury` added", "contest `volley` added: Broadside")
    assert_says(await send_and_switch_on(world, SAILS, "sails"), "name:raiding", "name:volley", "name:events")
    await world.gm.slash(world.orders, "roster add", name="Vengeance", kind="ship", fields=SHIP)
    answer = await roll_table(world, "raiding", 5, 4, who="Vengeance")
    assert_says(answer, "**Vengeance** raids: Prizes", "2d6: **5 + 4** + 5 = **14**")
    assert_says(text(world.results.last_message), "Vengeance takes 14 crowns")
    assert "Sails and Silver" in await show_entry(world, 6)
    assert numbers(world)["treasury"] == 34
    await require_whole(world)


async def test_the_first_game_of_the_page_plays_as_the_page_says(world: World) -> None:
    """Saved guns tick themselves, a prize adds gold, an order is rolled, and closing takes pay."""
    gm, player = world.gm, world.player
    await gm.slash(world.orders, "gm settings", books="none, house", players_may="orders")
    await send_and_switch_on(world, PIRATES, "pirates")
    await gm.slash(world.orders, "roster add", name="Gull", kind="ship", owner=player, fields="guns: 2; gold: 10")
    await roll_table(world, "raiding", 3, 3, who="Gull", about="Port Royal")
    assert_says(text(world.results.last_message), "Gull raids Port Royal · A rich prize", "Gull takes 20 gold")
    given = said(await player.slash(world.orders, "order give", kind="Raid a port", who="Gull", to="Tortuga"))
    assert "Raid a port" in given
    plan = response(await gm.slash(world.orders, "gm resolve"))
    world.dice.script(4, 4, sides=6)
    await gm.click(plan, label="Resolve all")
    assert kept(world, "Gull")["profile"]["gold"] == 50
    closing = response(await gm.slash(world.orders, "gm close"))
    assert_says(text(closing), "Pay: Gull")
    await gm.click(closing, label="Close Update 1")
    assert kept(world, "Gull")["profile"]["gold"] == 45
    await require_whole(world)


async def test_a_campaign_begins_with_its_own_rules(world: World) -> None:
    """`/campaign create` offers them; without a game there is nothing of another book."""
    offered = await world.manager.autocomplete(world.orders, "campaign create", "books", "own")
    assert [(choice["name"], choice["value"]) for choice in offered] == [("My own rules (house)", "house")]


async def test_a_game_beside_the_campaign_rolls_leaves_them_their_weather(world: World) -> None:
    """Also where it comes first: updates close, weeks are rolled."""
    await at_sea(world)
    await world.gm.slash(world.orders, "gm settings", books="campaign, house")
    closing = response(await world.gm.slash(world.orders, "gm close"))
    assert "Close Update 1" in [item.get("label") for item in components(closing)]
    assert "Weather of week 1" in said(await world.gm.slash(world.orders, "weather rollover"))
    offered = await world.gm.autocomplete(world.orders, "weather set", "category", "")
    assert len(offered) > 3
    assert_says(await roll_table(world, "raiding", 5, 4, who="Vengeance"), "**Vengeance** raids: Prizes")


async def test_a_game_needs_a_campaign_of_its_own_rules(world: World) -> None:
    """The refusal says how to turn them on."""
    with nothing_written(world):
        told = refused(await send_file(world, SAILS, "sails"))
    assert "Iron Sea doesn't play its own rules. Turn them on with " in told
    assert "books:house" in told


async def test_an_undone_roll_leaves_what_later_ones_added(world: World) -> None:
    """Numbers change by differences; an edit in between stays too."""
    await at_sea(world)
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    await roll_table(world, "raiding", 3, 3, who="Vengeance")
    await world.gm.slash(world.orders, "roster edit", name="Vengeance", region="Harbour")
    assert numbers(world)["treasury"] == 20 + 14 + 11
    told = await undo_entry(world, 6)
    assert "Entry #6 undone" in told
    assert numbers(world)["treasury"] == 31
    assert "Harbour" in said(await world.gm.slash(world.orders, "unit", name="Vengeance"))
    await undo_entry(world, 7)
    assert numbers(world)["treasury"] == 20
    await require_whole(world)


async def test_a_removed_ship_and_its_first_saving_take_its_numbers_along(world: World) -> None:
    """What undoing needs is undone too: a removal after the roll, and rolls after the saving."""
    await at_sea(world)
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    shown = response(await world.gm.slash(world.orders, "unit", name="Vengeance"))
    asked = response(await world.gm.click(shown, custom_id=press(shown, "ask")))
    await world.gm.click(asked, label="Remove Vengeance")
    assert "profile" not in kept(world, "Vengeance")
    await undo_entry(world, 6)
    assert numbers(world) == {"treasury": 20, "hull": 30, "guns": 3}
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    await undo_entry(world, 5)
    assert "profile" not in kept(world, "Vengeance")
    await require_whole(world)


async def test_an_edit_is_undone_without_what_rolls_added(world: World) -> None:
    """A number set by hand goes back to what it was, with what was added since."""
    await at_sea(world)
    await world.gm.slash(world.orders, "roster edit", name="Vengeance", fields="treasury: 100")
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    assert numbers(world)["treasury"] == 114
    await undo_entry(world, 6)
    assert numbers(world)["treasury"] == 34
    await require_whole(world)


async def test_an_amended_roll_changes_numbers_by_the_difference(world: World) -> None:
    """Also when amended twice, with a later roll between; undoing an amendment makes the one before valid again."""
    await at_sea(world)
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    await roll_table(world, "raiding", 3, 3, who="Vengeance")
    await amend_with(world, 6, "+2", "Better guns")
    assert numbers(world)["treasury"] == 20 + 16 + 11
    await amend_with(world, 8, "-12", "In fog")
    assert numbers(world)["treasury"] == 20 + 11
    await undo_entry(world, 9)
    assert numbers(world)["treasury"] == 20 + 16 + 11
    await require_whole(world)


async def test_a_number_stays_within_its_field(world: World) -> None:
    """What a hit takes is the margin, halved, and no more than there is; undoing gives back what was lost."""
    await at_sea(world, "hull: 2; guns: 9")
    world.dice.script(6, 6, 1, 1, sides=6)
    await world.gm.slash(world.orders, "table roll", name="volley", who="Prize", about="Vengeance", roll="now")
    assert_says(text(world.results.last_message), "Vengeance loses 2 hull")
    assert numbers(world)["hull"] == 0
    await undo_entry(world, 6)
    assert numbers(world)["hull"] == 2
    await require_whole(world)


async def test_a_number_that_is_gone_stays_gone(world: World) -> None:
    """An edit undone after the roll that began a number doesn't bring it back, nor does it go beyond its field."""
    await at_sea(world, "hull: 38; guns: 3")
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    await world.gm.slash(world.orders, "roster edit", name="Vengeance", region="Harbour")
    await undo_entry(world, 6)
    await undo_entry(world, 7)
    assert "treasury" not in numbers(world)
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    await world.gm.slash(world.orders, "roster edit", name="Vengeance", fields="treasury: none")
    await undo_entry(world, 10)
    assert "treasury" not in numbers(world)
    await require_whole(world)


async def test_an_undone_number_stays_within_its_field(world: World) -> None:
    """What a limit had cut off isn't added back."""
    await at_sea(world, "treasury: 9990; hull: 9; guns: 3")
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    assert numbers(world)["treasury"] == 9999
    await world.gm.slash(world.orders, "roster edit", name="Vengeance", fields="treasury: -990")
    await undo_entry(world, 6)
    assert numbers(world)["treasury"] == -999
    await require_whole(world)


async def test_an_amended_roll_is_read_as_things_were(world: World) -> None:
    """The edit of a number that was undone since doesn't count, nor what the roll added itself."""
    await at_sea(world)
    await world.gm.slash(world.orders, "roster edit", name="Vengeance", fields="guns: 5")
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    await undo_entry(world, 6)
    card = text(await open_card(world, 7))
    assert "+3 Guns" in card, card


async def test_a_secret_modifier_hides_a_drawn_number(world: World) -> None:
    """The public reads that something is gained, not how much."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    spied = SAILS.replace('label = "guns", roles = ["roller"] }', 'label = "guns", roles = ["roller"], secret = true }')
    await send_and_switch_on(world, spied, "sails")
    await world.gm.slash(world.orders, "roster add", name="Vengeance", kind="ship", fields=SHIP)
    await roll_table(world, "raiding", 5, 4, who="Vengeance")
    told = text(world.results.last_message)
    assert_says(told, "game masters only", "Vengeance takes some crowns")
    assert_says(text(world.staff.last_message), "Vengeance takes 14 crowns")


async def test_a_contest_without_a_target_does_nothing_to_one(world: World) -> None:
    """Only those who are named lose or gain."""
    await at_sea(world)
    world.dice.script(6, 6, 1, 1, sides=6)
    await world.gm.slash(world.orders, "table roll", name="volley", who="Vengeance", roll="now")
    assert "loses" not in text(world.results.last_message)


async def test_a_number_that_nobody_has_is_not_counted(world: World) -> None:
    """The result says so of a name that isn't saved."""
    await at_sea(world)
    await roll_table(world, "raiding", 5, 4, who="Stranger")
    told = text(world.results.last_message)
    assert "Stranger takes 9 crowns (not counted: Stranger has no such number)" in told
    await require_whole(world)


async def test_two_orders_that_are_one_roll_are_told_apart(world: World) -> None:
    """Both can be rolled by card, and both are resolved."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    twice = SAILS.replace(
        'label = "Stay in harbour", by = "roller"', 'label = "Raid again", by = "roller", family = "raiding"'
    )
    await send_and_switch_on(world, twice, "sails")
    await world.gm.slash(world.orders, "roster add", name="Vengeance", kind="ship", fields="guns: 0")
    await world.gm.slash(world.orders, "order give", kind="Raid again", who="Vengeance")
    await world.gm.slash(world.orders, "order give", kind="Raid commerce", who="Vengeance", to="Bay")
    world.dice.script(1, 2, 1, 2, sides=6)
    plan = response(await world.gm.slash(world.orders, "gm resolve"))
    assert "2 orders resolved" in said(await world.gm.click(plan, label="Resolve all"))


async def test_a_file_that_another_needs_is_still_shown(world: World) -> None:
    """With all that it brings."""
    await at_sea(world)
    rows_ = (
        'rows = [{ max = 3, text = "a", then = [{ do = "earn", to = "roller", amount = 1 }] }, { min = 4, text = "b" }]'
    )
    await send_and_switch_on(world, f'[[table]]\nid = "more"\ntitle = "More"\ndie = 6\n{rows_}\n', "more")
    assert "the game Sails and Silver" in text(response(await world.gm.slash(world.orders, "table show", name="sails")))


async def test_what_rolls_nothing_is_shown(world: World) -> None:
    """An act without a roll has no table."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    await send_and_switch_on(world, TEXTS["cold-ruins"], "ruins")
    assert "without a roll" in text(response(await world.gm.slash(world.orders, "table show", name="camp")))
    told = refused(await world.player.slash(world.orders, "table roll", name="camp"))
    assert "Make camp is for saved characters." in told


async def test_a_game_keeps_off_the_fields_of_other_books(world: World) -> None:
    """The campaign plays both, so one id means one thing."""
    await world.gm.slash(world.orders, "gm settings", books="house")
    clash = SAILS.replace('id = "hull"', 'id = "newtype"').replace('takes = "hull"', 'takes = "newtype"')
    with nothing_written(world):
        assert "field newtype: Campaign rolls has one" in refused(await send_file(world, clash, "sails"))


FLAWS = [
    ('adds = "treasury"', 'adds = "tresury"', "no field tresury takes a number, did you mean treasury?"),
    ('adds = "treasury"', 'adds = "treasury", takes = "hull"', "it adds and takes"),
    ('adds = "treasury"', 'amount = "total"', "amount and per need adds or takes"),
    ("amount = 10", "amount = -1", "earn of -1: write amount = 0 to 1000"),
    (", amount = 10", "", "earn needs an amount: write amount = 0 to 1000"),
    ('amount = "margin"', 'amount = "half"', "deed damage: unknown amount half"),
    ('[game]\ntitle = "Sails and Silver"', "[game]", "missing title"),
    ('id = "volley"\ntitle', 'id = "raid"\ntitle', "contest raid: a table has that id"),
    ('id = "raiding"\ntitle', 'id = "patrol"\ntitle', "act patrol: a roll of the book campaign has that id"),
    ('[game]\ntitle = "Sails and Silver"', '[book]\nid = "x"\n[game]\ntitle = "Sails"', "book: [game] says what"),
    ('title = "Sails and Silver"', 'title = "House rules"', "write the game's name"),
    (
        'text = "Raided"\nrolls = "raid"',
        'text = "Raided"\nthen = [{ do = "plunder", to = "roller" }]',
        "and it has none",
    ),
    (
        'die = "2d6"\nrows = [{ text = "fires" }]',
        'die = "2d6"\nagainst = { reads = "reach" }\nrows = [{ text = "fires" }]',
        "contest volley: nothing is rolled before gunnery",
    ),
    ('text = "{to} earns', 'text = "{who} earns', "deed earn: it names {who}, and there are only {to} and {amount}"),
    ('amount = "margin"', 'amount = "guns"', "damage counts guns, which isn't a fact of the role target"),
    ('adds = "treasury" },', 'adds = "treasury", alone = true },', "alone, no number changes"),
]


@pytest.mark.parametrize(("right", "wrong", "told"), FLAWS, ids=[told for *_, told in FLAWS])
def test_a_slip_in_a_game_is_told(right: str, wrong: str, told: str) -> None:
    """Each has its line and what to write."""
    refuse_slip(right, wrong, told)


def refuse_slip(right: str, wrong: str, told: str) -> None:
    """Claim that a changed game is refused with these words."""
    broken = SAILS.replace(right, wrong, 1)
    assert broken != SAILS
    with pytest.raises(BookError) as refusal:
        load_with_house_rules("house", [read_house_file("x", broken.encode())], others=TAKEN)
    assert any(told in fault.what for fault in refusal.value.faults), refusal.value.faults


PLAYED: dict[str, tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = {
    "sails-and-silver": (
        f"kind:ship {SHIP}",
        [{"name": "events"}, {"name": "volley", "about": "Prize"}, {"name": "raiding"}],
        [{"kind": "Raid commerce", "to": "Gold Coast"}, {"kind": "Stay in harbour"}],
    ),
    "cold-ruins": (
        "kind:pc wits: 2; strength: 3; scouting: 1; gear: Lamp; stress: 3",
        [{"name": "search"}, {"name": "risk"}, {"name": "grapple", "about": "Thief"}, {"name": "camp"}],
        [{"kind": "Search", "to": "Old town"}, {"kind": "Keep watch"}],
    ),
    "far-stars": (
        "kind:pc pilot: 2; gunnery: 0; dexterity: 1; life: 20; credits: 100",
        [{"name": "check", "modifiers": "task.by.pilot"}, {"name": "shot", "about": "Thug"}, {"name": "cargo"}],
        [{"kind": "Run a cargo", "to": "Regina"}, {"kind": "Lie low"}],
    ),
}
"""By game: a unit or character, rolls, and orders of an update."""


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
async def test_each_game_is_played_to_the_end_of_three_updates(world: World, path: Path) -> None:
    """Rolls, orders, resolving and closing; the ledger proves all."""
    (kind, fields), rolls, orders = PLAYED[path.stem][0].split(" ", 1), *PLAYED[path.stem][1:]
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    await send_and_switch_on(world, TEXTS[path.stem], "game")
    await world.gm.slash(
        world.orders, "roster add", name="Kay", kind=kind.removeprefix("kind:"), owner=world.player, fields=fields
    )
    await world.gm.slash(world.orders, "gm settings", players_may="orders")
    world.dice.script(*[2 + place % 4 for place in range(400)], sides=6)
    for update in range(1, 4):
        for roll in rolls:
            answer = said(await world.gm.slash(world.orders, "table roll", who="Kay", roll="now", **roll))
            assert "entry #" in answer, answer
        order = orders[update % len(orders)]
        given = said(await world.player.slash(world.orders, "order give", who="Kay", **order))
        assert "Order given" in given, given
        plan = response(await world.gm.slash(world.orders, "gm resolve"))
        await world.gm.click(plan, label="Resolve all")
        closing = response(await world.gm.slash(world.orders, "gm close"))
        closed = said(await world.gm.click(closing, label=f"Close Update {update}"))
        assert f"Update {update} is closed" in closed, closed
    world.dice.script()
    await require_whole(world)
