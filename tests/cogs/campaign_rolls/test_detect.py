"""`/detect` and `/scout`."""

from __future__ import annotations

from tests.support.acting import close_update, more_of, roll_command
from tests.support.reading import assert_says, control, odds, option, press, refused, response, said, text, ticked
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written


async def test_an_ambush_is_to_be_written_up_and_being_revealed_is_not(world: World) -> None:
    """Line 128."""
    await roll_command(world, "detect", 1, 3, detector="Owl, Lynx", hidden="Ghost", roll="now")
    listed = said(await world.gm.slash(world.orders, "writeups"))
    assert "Ghost found and ambushed by Owl" in listed
    assert "Lynx" not in listed


async def test_with_nobody_hidden_the_detector_learns_that(world: World) -> None:
    """The hiders' lines aren't on the card."""
    for hidden in ({}, {"hidden": "nobody"}, {"hidden": "None"}, {"hidden": " - "}):
        card = response(await world.gm.slash(world.orders, "detect", detector="Owl", **hidden))
        assert "**Owl** looks for hidden units" in text(card)
        assert odds(card) == {
            "Nothing is hidden there, and the detector knows it": "25%",
            "The detector learns nothing": "75%",
        }
    world.dice.script(1)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert entry(world)["parts"][0]["outcome"]["id"] == "presence-known"


async def test_ticks_hold_for_the_side_they_speak_of(world: World) -> None:
    """A tick counts in all pairs of that hider or detector."""
    card = response(await world.gm.slash(world.orders, "detect", detector="Owl, Lynx", hidden="Ghost, Wraith"))
    await world.gm.select(card, ["hider.all-stealth"], custom_id=press(card, "tick:hider:0"))
    await world.gm.select(card, ["1"], custom_id=press(card, "part"))
    await world.gm.select(card, ["detector.ship"], custom_id=press(card, "tick:detector:0"))
    world.dice.script(10, 10, 10, 10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert [part["steps"][0]["total"] for part in entry(world)["parts"]] == [12, 9, 10, 7]


async def test_25_pairs_are_rolled_and_26_refused(world: World) -> None:
    """Five against five fits a card."""
    five = "A, B, C, D, E"
    card = response(await world.gm.slash(world.orders, "detect", detector=five, hidden="V, W, X, Y, Z"))
    assert len(control(card, "part")["options"]) == 25
    world.dice.script(*[10] * 25)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert len(entry(world)["parts"]) == 25
    assert sum(len(message.embeds) for message in world.staff.history()) == 25

    with nothing_written(world):
        many = ", ".join(f"D{number}" for number in range(13))
        assert "26 rolls" in refused(await world.gm.slash(world.orders, "detect", detector=many, hidden="A, B"))
        names = ", ".join(f"D{number}" for number in range(26))
        assert "26 names" in refused(await world.gm.slash(world.orders, "detect", detector=names))


async def test_who_is_ambushed_by_a_detector_is_known_for_it_for_the_rest_of_the_update(world: World) -> None:
    """Row 1 counts in later patrols of this update, hidden from players."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    await roll_command(world, "detect", 1, detector="Owl", hidden="Ghost", roll="now")
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="GHOST, Zaku"))
    assert ticked(await more_of(world.gm, card), "also true") == {"target.ambushed-today"}
    assert "since entry 4" in str(option(card, "tick:also true:0", "target.ambushed-today"))
    closed = response(await world.player.slash(world.orders, "patrol", patrol="Lima", target="Ghost"))
    assert ticked(await more_of(world.player, closed), "also true") == set()
    assert "only the ambush" not in text(closed)
    for actor, shown in ((world.gm, card), (world.player, closed)):
        world.dice.script(18)
        await actor.click(shown, custom_id=press(shown, "roll"))
        assert entry(world)["parts"][0]["outcome"]["id"] == "caught-ambushed"
    await close_update(world)
    later = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost"))
    assert ticked(await more_of(world.gm, later), "also true") == set()


async def test_the_receipt_of_the_longest_roll_fits(world: World) -> None:
    """25 pairs with the longest names stay under 4,000 characters."""
    detectors = ", ".join(f"{'*_' * 29}{number}a" for number in range(5))
    hidden = ", ".join(f"{'*_' * 29}{number}b" for number in range(5))
    answer = said(await roll_command(world, "detect", *[3] * 25, detector=detectors, hidden=hidden, roll="now"))
    assert_says(answer, "Rolled: entry #", "lines more", "[Posted]")
    assert len(answer) <= 4000


async def test_who_was_not_found_counts_as_hidden_for_the_rest_of_the_update(world: World) -> None:
    """Line 61: in this update only."""
    await roll_command(world, "detect", 20, 4, 20, 2, detector="Owl, Lynx", hidden="Ghost, Wraith", roll="now")
    for who, hidden in (("Ghost", True), ("Wraith", False)):
        card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target=who))
        assert ("target.hidden" in ticked(card, "target")) == hidden
    await close_update(world)
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost"))
    assert "target.hidden" not in ticked(card, "target")


async def test_who_was_revealed_before_is_not_hidden_by_a_later_look(world: World) -> None:
    """Hiding until further notice lasts over updates."""
    await world.gm.slash(world.orders, "gm effect", who="Wraith", effect="hidden")
    await roll_command(world, "detect", 2, 20, 20, 20, detector="Owl, Lynx", hidden="Ghost, Wraith", roll="now")
    assert "effect.hidden" not in kept(world, "Ghost")
    assert kept(world, "Wraith")["effect.hidden"] == {"entry": 3}


async def test_a_reading_of_the_page_stands_beside_where_a_fact_is_known_from(world: World) -> None:
    """A captive detector helps the hider as printed (DE-3)."""
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Zeon", at="Fort")
    card = response(await world.gm.slash(world.orders, "detect", detector="Kai", hidden="Ghost"))
    answer = str(option(card, "tick:detector:0", "detector.captive")["description"])
    assert answer.startswith("held captive \N{MIDDLE DOT} As printed, this helps the captive")


async def test_success_marks_the_base_and_a_later_patrol_knows(world: World) -> None:
    """The base's patrol has it ticked, with its reason."""
    await roll_command(world, "scout", 13, scouter="Jonas", base="Fort Anvil", roll="now")
    assert "effect.scouted" in kept(world, "Fort Anvil")
    card = response(await world.gm.slash(world.orders, "patrol", patrol="FORT  anvil", target="Zaku"))
    assert_says(text(card), "Patrolling base has been scouted", "Since entry 3")


async def test_ticks_are_each_scouters_own_and_the_bases_are_shared(world: World) -> None:
    """A scouter's tick is theirs; the base's counts for all."""
    card = response(await world.gm.slash(world.orders, "scout", scouter="Jonas, Priya", base="Fort Anvil"))
    await world.gm.select(card, ["scouter.newtype"], custom_id=press(card, "tick:scouter:0"))
    await world.gm.select(card, ["base.urban"], custom_id=press(card, "tick:base:0"))
    world.dice.script(10, 10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert [part["steps"][0]["total"] for part in entry(world)["parts"]] == [12, 11]


async def test_ten_scouters_at_most_and_one_base(world: World) -> None:
    """More are refused."""
    ten = ",".join(f"S{number}" for number in range(10))
    await roll_command(world, "scout", *[9] * 10, scouter=ten, base="Fort", roll="now")
    assert len(entry(world)["parts"]) == 10
    with nothing_written(world):
        eleven = await world.gm.slash(world.orders, "scout", scouter=f"{ten},S11", base="Fort")
        assert "You typed 11 names, but one roll takes up to 10." in refused(eleven)
        two = await world.gm.slash(world.orders, "scout", scouter="Jonas", base="Fort, Other")
        assert "You typed 2 names, but I need one base." in refused(two)
