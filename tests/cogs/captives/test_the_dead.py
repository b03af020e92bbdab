"""The dead do not scout, patrol or hold anybody: the refusal says who killed them and when, to whoever may know."""

from __future__ import annotations

from itertools import product

import pytest

from tests.support.reading import assert_says, press, refused, response, said
from tests.support.world import World, nothing_written

ROLLS = [
    ("scout", {"scouter": "Kai", "base": "Fort"}),
    ("patrol", {"patrol": "Kai", "target": "Zaku"}),
    ("patrol", {"patrol": "Kilo", "target": "Zaku, Kai"}),
    ("detect", {"detector": "Kai"}),
    ("detect", {"detector": "Owl", "hidden": "Kai"}),
    ("interrogate", {"captive": "Ryu", "interrogators": "Kai"}),
]


async def killed(world: World, how: str = "escape") -> None:
    """Let Kai die at Fort, in an escape, which everybody sees, or under interrogation, which the staff alone does."""
    for name in ("Kai", "Ryu"):
        await world.gm.slash(world.orders, "captive take", captive=name, by="Zeon", at="Fort")
    if how == "escape":
        world.dice.script(1)
        await world.gm.slash(world.orders, "escape", captive="Kai", roll="now")
    else:
        world.dice.script(17)
        await world.gm.slash(world.orders, "interrogate", captive="Kai", interrogators="Stahl", roll="now")


async def test_the_dead_take_part_in_no_roll(world: World) -> None:
    """By card and at once alike it is refused with who killed them, when, and by which entry, as captives too; nothing is written."""
    await killed(world, "interrogation")
    for (command, options), roll in product(ROLLS, ("card", "now")):
        with nothing_written(world, (command, roll)):
            told = refused(await world.gm.slash(world.orders, command, **options, roll=roll))
            assert "Kai is dead, killed in Update 1, 2026-03-01: Kai is interrogated" in told, (command, roll)
            assert "(entry #5)" in told, (command, roll)
    for command, options in (("interrogate", {"interrogators": "Stahl"}), ("escape", {})):
        told = refused(await world.gm.slash(world.orders, command, captive="Kai", **options))
        assert_says(told, "Kai is dead (entry #5)", "/ledger show number:5")


async def test_the_dead_hold_nobody(world: World) -> None:
    """Nobody is taken captive by the dead, nor are the dead taken."""
    await killed(world)
    with nothing_written(world):
        for captive, by in (("Job", "Kai"), ("Kai", "Zeon")):
            told = refused(await world.gm.slash(world.orders, "captive take", captive=captive, by=by, at="Fort"))
            assert "Kai is dead, killed in Update 1, 2026-03-01: Kai tries to escape from Fort" in told


async def test_a_card_is_not_rolled_for_somebody_who_has_died_since(world: World) -> None:
    """Opened while the scouter lived, the card is refused at the press."""
    card = response(await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort"))
    await killed(world)
    with nothing_written(world):
        assert "Kai is dead" in refused(await world.gm.click(card, custom_id=press(card, "roll")))


@pytest.mark.parametrize(("how", "knows"), [("escape", True), ("interrogation", False)])
async def test_a_player_is_refused_only_where_the_death_is_known(world: World, how: str, *, knows: bool) -> None:
    """A death that the staff alone has seen shows by no refusal to somebody else's player."""
    await killed(world, how)
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    answer = await world.player.slash(world.orders, "scout", scouter="Kai", base="Keep")
    assert ("is dead" in said(answer)) == knows


async def test_the_owner_learns_of_no_secret_killer(world: World) -> None:
    """Whoever plays the dead is told of the death, and not what the staff alone has seen: neither who it was nor where."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    await world.gm.slash(world.orders, "character add", name="Kai", owner=world.player)
    await world.gm.slash(world.orders, "unit add", name="Hidden Fort", kind="base", secret=True)
    await world.gm.slash(world.orders, "character add", name="Stahl", kind="npc", secret=True)
    await world.gm.slash(world.orders, "captive take", captive="Kai", by="Zeon", at="Hidden Fort")
    world.dice.script(17)
    await world.gm.slash(world.orders, "interrogate", captive="Kai", interrogators="Stahl", roll="now")
    told = refused(await world.player.slash(world.orders, "scout", scouter="Kai", base="Keep"))
    assert "Kai is dead (entry #8)." in told
    assert "killed in" in refused(await world.gm.slash(world.orders, "scout", scouter="Kai", base="Keep"))
