"""Superweapons through the bot."""

from __future__ import annotations

import pytest

from rules.books.total_war.catalog import Refused
from rules.books.total_war.war import War
from rules.geometry import Hex
from tests.cogs.war.accounts import Accounts, require_sound
from tests.cogs.war.battle.field import opened
from tests.cogs.war.front import E, Front, begun, changed, code, given, listed
from tests.support.reading import refused, response, text
from tests.support.world import World, nothing_written

WEAPON = "Solar System"


async def rule(front: Front, words: str) -> str:
    """Rule as the game master; return the public text."""
    answer = await front.world.gm.slash(front.world.orders, "gm-war rule", text=words)
    assert Refused.title not in text(response(answer)), text(response(answer))
    return text(front.world.results.history()[-1])


def ids(war: War, at: str) -> list[str]:
    """Return the units on a panel."""
    panel = war.panels[Hex.parse(at)]
    return [unit.id for force in war.on(Hex.parse(at)) for unit in force.units] + [unit.id for unit in panel.garrison]


async def test_a_superweapon_goes_one_panel_a_turn_after_all_squadrons(front: Front) -> None:
    """It takes no land (M3, AMB-81)."""
    accounts = Accounts(front.world)
    accounts.open(await front.stands())
    assert "1,-1 is 2 panels from 3,-2. Solar System can move 1." in code(
        await front.order(front.ann, "move", WEAPON, to="1,-1")
    )
    assert "Your own force is on 3,-1: pass it or stop before it." in code(
        await front.order(front.ann, "move", WEAPON, to="3,-1")
    )
    await given(front, front.ann, "move", WEAPON, to="2,-1")
    await front.resolve()
    war = await front.stands()
    assert (str(war.forces[WEAPON].at), war.panels[Hex(2, -1)].owner) == ("2,-1", "E")
    await front.close()
    await given(front, front.ann, "move", WEAPON, to="2,0")
    await given(front, front.ann, "move", "12th Squadron", to="2,0")
    await front.resolve()
    war = await front.stands()
    assert [str(war.forces[name].at) for name in (WEAPON, "12th Squadron")] == ["2,-1", "2,0"]
    assert "Your own force is on 2,0: pass it or stop before it." in (await listed(front, front.ann)).replace("\\", "")
    await front.close()
    await given(front, front.ann, "move", WEAPON, to="1,0")
    await front.resolve()
    war = await front.stands()
    assert (str(war.forces[WEAPON].at), war.panels[Hex(1, 0)].owner) == ("1,0", "N")
    await require_sound(front, accounts)


@pytest.mark.parametrize("enemy", ["22nd_Squadron", "2nd_Fleet"])
async def test_a_superweapon_enters_no_panel_of_an_enemy_and_falls_to_whoever_comes(world: World, enemy: str) -> None:
    """Without a fight (AMB-09)."""
    front = await begun(world, changed(**{"Solar_System": "0,0", enemy: "0,1"}))
    with nothing_written(world):
        assert "A superweapon can't attack, so it can't enter 0,1, an enemy's." in code(
            await front.order(front.ann, "move", WEAPON, to="0,1")
        )
    accounts = Accounts(world)
    accounts.open(await front.stands())
    await given(front, front.bo, "move", enemy.replace("_", " "), to="0,0")
    await front.resolve()
    war = await front.stands()
    assert WEAPON not in war.forces
    assert (war.battles, str(war.forces[enemy.replace("_", " ")].at)) == ({}, "0,0")
    assert any(f"{WEAPON} of {E} is lost" in text(post) for post in world.results.history())
    await require_sound(front, accounts)


@pytest.mark.shows("AMB-79")
async def test_a_strike_removes_units_and_the_force_that_has_no_other(front: Front) -> None:
    """Publicly, and the accounts agree (AMB-79)."""
    accounts = Accounts(front.world)
    accounts.open(await front.stands())
    units = ids(await front.stands(), "-1,2")
    told = await rule(front, f"The beam meets the 21st Squadron. remove: {', '.join(units[:2])}")
    assert "The beam meets the 21st Squadron." in told
    assert ids(await front.stands(), "-1,2") == units[2:]
    await require_struck(front, accounts)
    await rule(front, f"It fires again. remove: {units[2]}")
    assert "21st Squadron" not in (await front.stands()).forces
    assert "u22 isn't a unit. Write its id, such as u1." in code(
        await front.world.gm.slash(front.world.orders, "gm-war rule", text=f"remove: {units[0]}")
    )
    await require_struck(front, accounts)


async def require_struck(front: Front, accounts: Accounts) -> None:
    """Check everything after the turn."""
    await front.resolve()
    await require_sound(front, accounts)
    await front.close()


async def test_a_strike_removes_a_panel_with_all_that_is_on_it(front: Front) -> None:
    """With its income."""
    accounts = Accounts(front.world)
    accounts.open(await front.stands())
    gone = ids(await front.stands(), "2,-2")
    told = await rule(front, "The asteroid falls on the mine.\nremove: 2,-2")
    assert "1st Fleet" in told
    war = await front.stands()
    assert "1st Fleet" not in war.forces
    assert Hex(2, -2) not in war.panels
    assert not {*gone} & {unit for at in war.panels for unit in ids(war, str(at))}
    assert "2,-2 is off the map. The map spans -3,-3 to 3,3; the nearest panel is 1,-2." in code(
        await front.order(front.ann, "move", "11th Squadron", to="2,-2")
    )
    assert "2,-2 is off the map" in refused(await front.ann.slash(front.world.orders, "war show", what="2,-2"))
    await front.resolve()
    war = await front.stands()
    assert war.factions["E"].gold == 100 + 7
    assert "2,-2" not in await front.sheet(E)
    await require_sound(front, accounts)


async def test_nothing_is_struck_where_a_battle_is_fought(world: World) -> None:
    """Units or panel."""
    field = await opened(world)
    with nothing_written(world):
        for what in ("u12", "u22", "0,1", "u1 and u12"):
            answer = await world.gm.slash(world.orders, "gm-war rule", text=f"The beam fires. remove: {what}")
            assert "End it first" in code(answer)
    assert len(ids(await field.front.stands(), "0,1")) == 7
