"""Six kinds of games as files, played by two players, and the odds of every file against all dice."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import simcord

from rules.phrases import percent
from tests.cogs.house_rules.all_dice import find_chances, list_facts
from tests.cogs.house_rules.homebrew import PIRATES, send_and_switch_on
from tests.cogs.house_rules.test_games import TEXTS
from tests.cogs.ledger.test_amend import amend_with
from tests.cogs.ledger.test_void import undo_entry
from tests.support.reading import assert_lacks, assert_says, components, odds, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World

OURS = {path.stem: path.read_text("utf-8") for path in sorted((Path(__file__).parent / "games").glob("*.toml"))}
FILES = {**TEXTS, **OURS, "pirates": PIRATES}
MOST_LINES = 120
Dice = tuple[tuple[int, int], ...]
"""Sides and face of each die that falls."""


class Rolled(NamedTuple):
    """A roll's entry, and its result as posted."""

    entry: int
    told: str


def d(sides: int, *faces: int) -> Dice:
    """Write down dice of the same sides."""
    return tuple((sides, face) for face in faces)


async def begin(world: World, name: str) -> simcord.MemberActor:
    """Switch a game on; return a second player."""
    await world.gm.slash(world.orders, "gm settings", books="none, house", players_may="orders")
    assert "is on" in await send_and_switch_on(world, FILES[name], "game")
    return world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])


async def save(world: World, name: str, owner: simcord.MemberActor | None, fields: str, **more: Any) -> None:  # noqa: ANN401
    """Save a unit or character of a player."""
    more |= {"owner": owner} if owner else {}
    told = said(await world.gm.slash(world.orders, "roster add", name=name, fields=fields, **{"kind": "pc", **more}))
    assert "Saved" in told, told


def numbers(world: World, name: str) -> dict[str, int]:
    """Return the saved numbers of somebody."""
    return {key: value for key, value in kept(world, name)["profile"].items() if type(value) is int}


def effects(world: World, name: str) -> set[str]:
    """Return what lasts on somebody, also from an update before."""
    return {key.removeprefix("effect.") for key in kept(world, name) if key.startswith("effect.")}


def _read_roll(world: World, answer: str) -> Rolled:
    found = re.search(r"entry #(\d+)", answer)
    assert found, answer
    return Rolled(int(found[1]), text(world.results.last_message))


async def roll_by_card(world: World, dice: Dice, **options: Any) -> Rolled:  # noqa: ANN401
    """Open a card and press Roll."""
    card = response(await world.gm.slash(world.orders, "table roll", **options))
    world.dice.script_dice(*dice)
    return _read_roll(world, said(await world.gm.click(card, label="Roll")))


async def roll_now(world: World, dice: Dice, **options: Any) -> Rolled:  # noqa: ANN401
    """Roll without a card."""
    world.dice.script_dice(*dice)
    return _read_roll(world, said(await world.gm.slash(world.orders, "table roll", roll="now", **options)))


async def give(world: World, actor: simcord.MemberActor, kind: str, who: str, to: str | None = None) -> None:
    """Give an order."""
    told = said(await actor.slash(world.orders, "order give", kind=kind, who=who, **({"to": to} if to else {})))
    assert_says(told, "Order given", "Sealed")


async def resolve(world: World, *dice: tuple[int, int]) -> str:
    """Resolve all orders; return what they came to."""
    plan = response(await world.gm.slash(world.orders, "gm resolve"))
    world.dice.script_dice(*dice)
    return said(await world.gm.click(plan, label="Resolve all"))


async def close(world: World, number: int, *dice: tuple[int, int]) -> str:
    """Close an update with its upkeep; return the question."""
    question = response(await world.gm.slash(world.orders, "gm close"))
    asked = text(question)
    world.dice.script_dice(*dice)
    assert f"Update {number} is closed" in said(await world.gm.click(question, label=f"Close Update {number}"))
    return asked


async def look(world: World, actor: simcord.MemberActor, command: str, **options: Any) -> str:  # noqa: ANN401
    """Return what somebody reads."""
    return said(await actor.slash(world.orders, command, **options))


@pytest.mark.parametrize("name", OURS)
def test_each_game_fits_a_page(name: str) -> None:
    """No game needs more than 120 lines."""
    assert len(OURS[name].splitlines()) <= MOST_LINES


async def test_thieves_throw_pools_until_they_break(world: World) -> None:
    """The highest die counts, of none the lower of two; stress at its end becomes trauma and an effect."""
    rival = await begin(world, "night-trade")
    await save(world, "Ash", world.player, "force: 2; guile: 1; stress: 5; coin: 0")
    await save(world, "Bo", rival, "force: 0; guile: 2; stress: 0")
    bad = await roll_by_card(world, d(6, 2, 3), name="muscle", who="Ash")
    assert_says(bad.told, "2d6: **2, 3** = highest **3**", "Ash is hurt. Ash takes 2 stress.")
    assert "6, 4** = lowest **4**" in (await roll_now(world, d(6, 6, 4), name="muscle", who="Bo")).told
    rich = await roll_now(world, d(6, 6, 6), name="heist", who="Bo")
    assert_says(rich.told, "A legendary haul", "Bo gains 8 coin")
    await give(world, world.player, "Pull a job", "Ash", "Bank")
    await give(world, rival, "Indulge", "Bo")
    assert_lacks(await look(world, rival, "ledger"), "Ash (Bank)")
    assert_says(await resolve(world, *d(6, 1, 5)), "2 orders resolved", "Caught on the wall", "A quiet night")
    assert (numbers(world, "Ash")["stress"], numbers(world, "Bo")) == (
        9,
        {"force": 0, "guile": 2, "stress": 0, "coin": 8},
    )
    assert "Nerves: Ash and Bo" in await close(world, 1)
    assert numbers(world, "Ash") == {"force": 2, "guile": 1, "stress": 0, "coin": 0, "trauma": 1}
    assert_says(await look(world, world.player, "unit", name="Ash"), "trauma 1", "Broken", "Hurt")
    weak = await roll_now(world, d(6, 4), name="muscle", who="Ash")
    assert_says(weak.told, "1d6: **4**", "It partly works")
    world.dice.script(6, sides=6)
    await amend_with(world, weak.entry, "+1", "Bo helped")
    assert numbers(world, "Ash")["stress"] == 0
    await undo_entry(world, rich.entry)
    assert "coin" not in numbers(world, "Bo")
    assert "Ash is broken" in refused(await world.player.slash(world.orders, "order give", kind="Indulge", who="Ash"))
    await give(world, rival, "Pull a job", "Bo", "Museum")
    await resolve(world, *d(6, 4, 5))
    await close(world, 2)
    assert numbers(world, "Bo") == {"force": 0, "guile": 2, "stress": 1, "coin": 2}
    assert_says(await look(world, rival, "ledger"), "Update 2 closed", "Nerves")
    await require_whole(world)


async def test_seekers_stay_under_their_skills(world: World) -> None:
    """Doubles are criticals and fumbles, blows oppose each other, skills improve, minds give way."""
    rival = await begin(world, "old-depths")
    await save(world, "Ida", world.player, "spot: 40; brawl: 55; sanity: 60; life: 12")
    await save(world, "Max", rival, "spot: 70; brawl: 30; sanity: 45; life: 10")
    found = await roll_by_card(world, d(100, 33), name="check", who="Ida", modifiers="task.by.spot")
    assert_says(found.told, "A critical success", "Ida finds 1 clues")
    slip = await roll_now(world, d(100, 99), name="check", who="Ida", modifiers="task.by.spot, task.dark")
    assert_says(slip.told, "A fumble", "at most 0 + 20 = **20**", "Ida loses 1 life")
    blow = await roll_now(world, d(100, 50, 40), name="brawling", who="Ida", about="Max")
    assert_says(blow.told, "**50** + 55 = **105**", "**40** + 30 = **70** against **105**", "Max loses 3 life")
    await give(world, world.player, "Explore", "Ida", "Cellar")
    await give(world, rival, "Read old books", "Max")
    assert "Explore: Ida" not in await look(world, rival, "ledger")
    await resolve(world, *d(100, 77), *d(6, 4, 5), *d(100, 71), *d(10, 6))
    assert (numbers(world, "Ida")["sanity"], numbers(world, "Max")["spot"]) == (51, 76)
    assert effects(world, "Ida") == {"shaken"}
    await close(world, 1)
    plain = await roll_now(world, d(100, 41), name="check", who="Ida", modifiers="task.by.spot")
    assert_says(plain.told, "A failure", "41 vs 40")
    await amend_with(world, plain.entry, "+1", "Good light")
    assert "A success" in await look(world, world.gm, "ledger", entry=plain.entry + 1)
    await undo_entry(world, blow.entry)
    await undo_entry(world, found.entry)
    assert numbers(world, "Max")["life"] == 10
    assert numbers(world, "Ida") == {"spot": 40, "brawl": 55, "sanity": 51, "life": 11}
    await give(world, world.player, "Read old books", "Ida")
    await give(world, rival, "Explore", "Max", "Attic")
    await resolve(world, *d(100, 40), *d(100, 45))
    await close(world, 2)
    assert (numbers(world, "Ida")["spot"], numbers(world, "Max")["sanity"]) == (40, 44)
    assert "spot 76" in (await look(world, rival, "unit", name="Max")).lower()
    await require_whole(world)


async def test_rulers_meet_chains_of_events(world: World) -> None:
    """Three tables deep in one entry, with their own weather; taxes come at the close, events with the new week."""
    rival = await begin(world, "border-crown")
    await world.gm.slash(world.orders, "gm settings", players_may="orders, places")
    await save(world, "Ada", world.player, "treasury: 20; unrest: 2; loyalty: 1; towns: 3", region="High Pass")
    await save(world, "Rolf", rival, "treasury: 5; unrest: 0; towns: 1", region="Green Vale")
    sky = response(await world.gm.slash(world.orders, "weather rollover"))
    assert "**Clear** 66.67% \N{MIDDLE DOT} **Snow** 33.33%" in text(sky)
    world.dice.script(5, sides=6)
    await world.gm.click(sky, custom_id=press(sky, "roll:"))
    revolt = await roll_by_card(world, (*d(100, 70), *d(8, 5), *d(6, 3, 6)), name="events", who="Ada")
    assert_says(revolt.told, "Trouble: Revolt: Soldiers are paid", "+10 Snow", "rises by 2. Ada loses 20 crowns")
    fair = await roll_now(world, d(100, 40), name="events", who="Rolf")
    assert_says(fair.told, "A quiet week", "**40** + 0 = **40**")
    await give(world, world.player, "Hold a feast", "Ada")
    await give(world, rival, "Send settlers", "Rolf", "Green Vale")
    await resolve(world, *d(4, 4))
    assert numbers(world, "Ada") == {"treasury": -8, "unrest": 2, "loyalty": 1, "towns": 3}
    asked = await close(world, 1, *d(100, 50), *d(6, 5), *d(4, 1), *d(100, 90), *d(8, 2))
    assert "**50** + 14 = **64**" in text(world.results.last_message)  # the snow of her home counts
    assert_lacks(text(world.results.history()[-3]), "High Pass")
    assert_says(asked, "Taxes: Ada and Rolf", "The new week: Ada and Rolf", "Ada: feast")
    assert numbers(world, "Ada") == {"treasury": 1, "unrest": 2, "loyalty": 1, "towns": 4}
    assert numbers(world, "Rolf") == {"treasury": 6, "unrest": 1, "towns": 2}
    await undo_entry(world, revolt.entry)
    assert numbers(world, "Ada") == {"treasury": 21, "unrest": 0, "loyalty": 1, "towns": 4}
    guests = await roll_now(world, d(4, 3), name="settlers", who="Rolf")
    await amend_with(world, guests.entry, "+1", "A feud")
    assert numbers(world, "Rolf") == {"treasury": 6, "unrest": 2, "towns": 3}
    await give(world, world.player, "Send settlers", "Ada", "High Pass")
    await give(world, rival, "Hold a feast", "Rolf")
    await resolve(world, *d(4, 1))
    await close(world, 2, *d(100, 1, 2))
    assert numbers(world, "Ada") == {"treasury": 36, "unrest": 0, "loyalty": 1, "towns": 5}
    assert numbers(world, "Rolf") == {"treasury": 7, "unrest": 0, "towns": 3}
    assert_says(await look(world, world.player, "unit", name="Ada"), "treasury 36", "towns 5")
    assert_says(await look(world, rival, "ledger"), "Taxes", "Events")
    await require_whole(world)


async def test_three_powers_fight_by_sealed_orders(world: World) -> None:
    """Phases run in the file's order, battles lower both armies, cities pay, and a routed army's order is cancelled."""
    rival = await begin(world, "three-banners")
    for power, owner, army in (("North", world.player, "Wolves"), ("South", rival, "Lions"), ("East", None, "Bears")):
        await save(world, power, owner, "treasury: 30; cities: 2", kind="base", side=power)
        await save(world, army, owner, "strength: 8; training: Veteran", kind="squad", side=power)
    await give(world, world.player, "Attack", "Wolves", "Lions")
    await give(world, world.player, "Muster", "North", "Wolves")
    await give(world, rival, "Dig in", "Lions")
    await give(world, rival, "March", "Lions", "Ford")
    await give(world, world.gm, "Attack", "Bears", "Wolves")
    for actor, hidden in ((rival, "Wolves"), (world.player, "Bears")):
        assert_lacks(await look(world, actor, "ledger"), f"Attack: {hidden}")
    told = await resolve(world, *d(6, 1), *d(6, 6, 5, 2, 1))
    assert_says(told, "Lost on the way", "**Bears** attacks **Wolves**: is routed", "Wolves is routed.")
    assert [numbers(world, name)["strength"] for name in ("Wolves", "Lions", "Bears")] == [6, 7, 8]
    assert_says(await close(world, 1), "Income: East, North and South", "Wages: East, North and South")
    assert [numbers(world, name)["treasury"] for name in ("North", "South", "East")] == [48, 68, 68]
    clash = await roll_by_card(world, d(6, 3, 3, 3, 4), name="attack", who="Lions", about="Bears")
    assert_says(clash.told, "**3 + 3** + 9 = **15**", "**3 + 4** + 8 = **15** against **15**", "Lions loses 3 strength")
    march = await roll_now(world, d(6, 1), name="road", who="Lions")
    await amend_with(world, march.entry, "+1", "A guide")
    assert numbers(world, "Lions")["strength"] == 4
    await undo_entry(world, clash.entry)
    assert numbers(world, "Lions")["strength"] == 7
    await give(world, world.player, "Muster", "North", "Wolves")
    await give(world, rival, "Attack", "Lions", "Wolves")
    await give(world, world.gm, "Dig in", "Bears")
    assert_says(await resolve(world, *d(6, 6, 6, 4, 4)), "3 orders resolved", "gives way")
    await close(world, 2)
    assert effects(world, "Wolves") == set()
    assert [numbers(world, name)["strength"] for name in ("Wolves", "Lions", "Bears")] == [6, 6, 8]
    assert [numbers(world, name)["treasury"] for name in ("North", "South", "East")] == [66, 106, 106]
    assert "strength 6" in await look(world, world.player, "unit", name="Wolves")
    assert_says(await look(world, rival, "ledger"), "Attack", "Income")
    await require_whole(world)


PEOPLE = {
    "cold-ruins": ("pc", "wits: 2; strength: 3; scouting: 0; gear: Lamp", "wits: 2"),
    "far-stars": ("pc", "pilot: 2; gunnery: 1; dexterity: -1; life: 20", "life: 9"),
    "sails-and-silver": ("ship", "guns: 3; crew: Veteran", "hull: 9"),
    "night-trade": ("pc", "force: 0; guile: 3; stress: 9", "guile: 1"),
    "old-depths": ("pc", "spot: 47; brawl: 35; sanity: 60", "brawl: 52"),
    "border-crown": ("pc", "unrest: 4; loyalty: 3", "unrest: 1"),
    "three-banners": ("squad", "strength: 6; training: Veteran", "strength: 9"),
    "pirates": ("ship", "guns: 3", "gold: 9"),
}
"""By file: a kind, and what is saved of who rolls and of the target."""
TICKS = {
    "far-stars": {"check": ["task.by.gunnery", "task.hard"]},
    "old-depths": {"check": ["task.by.spot", "task.dark"]},
}
"""By file and roll, what is ticked by hand."""


@pytest.mark.parametrize("plus", [0, 1])
@pytest.mark.parametrize("name", FILES)
async def test_odds_on_each_card_are_those_of_all_dice(world: World, name: str, plus: int) -> None:
    """Every table, contest, act and chain of a file, with saved numbers, pushed where that can be."""
    (kind, own, other), game = PEOPLE[name], tomllib.loads(FILES[name])
    facts = dict([*list_facts("roller", own), *list_facts("target", other)])
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    told = await send_and_switch_on(world, FILES[name], "game")
    await save(world, "Kay", None, own, kind=kind)
    await save(world, "Foe", None, other, kind=kind)
    rolls = re.findall(r"name:([\w-]+)", told)
    assert rolls
    for roll in rolls:
        ticks = TICKS.get(name, {}).get(roll, [])
        known = facts | dict.fromkeys(ticks, 1)
        options = {"modifiers": ", ".join([*ticks, *([f"+{plus} luck"] if plus else [])])}
        card = response(await world.gm.slash(world.orders, "table roll", name=roll, who="Kay", about="Foe", **options))
        expected = find_chances(game, roll, known, plus)
        assert odds(card) == {words: percent(chance) for words, chance in expected.items()}, roll
        for push in (item for item in components(card) if "push once" in str(item.get("options"))):
            card = response(await world.gm.select(card, ["push once"], custom_id=push["custom_id"]))
            expected = find_chances(game, roll, known, plus, pushed=True)
            assert odds(card) == {words: percent(chance) for words, chance in expected.items()}, roll
