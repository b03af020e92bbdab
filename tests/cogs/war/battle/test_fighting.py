"""Battles through the bot, act by act."""

from __future__ import annotations

import asyncio
import re

from tests.cogs.campaign.grouping import newest_entry
from tests.cogs.roll.test_roll import Late
from tests.cogs.war.battle.field import AT, MOVED, Field, opened
from tests.cogs.war.front import recruit
from tests.rolls.test_work import statements
from tests.support.acting import take_back
from tests.support.reading import assert_says, odds, press, refused, response, text
from tests.support.world import World, nothing_written, send_raw


def thread(world: World) -> str:
    """Return the battle thread's text."""
    (found,) = [item for item in world.results.threads if item.name == f"Battle on {AT}"]
    return "\n".join(text(message) for message in found.history())


def why(result: object) -> str:
    """Return why something was refused."""
    return refused(result).replace("\\", "")  # type: ignore[arg-type]


def everyone_of(card: str) -> str:
    """Return who falls if all in a lane do."""
    found = re.search(r"%\** (u\d[^%\n]*) are destroyed\b", card)
    assert found, card
    return found[1]


async def board(field: Field) -> str:
    """Return the board in words, as a game master sees it."""
    gm = field.world.gm
    return text(response(await gm.click(response(await field.do(gm, "show")), label="As text")))


async def test_a_whole_battle_is_fought_to_its_end_with_a_retreat(field: Field) -> None:
    """A shot takes at most 18 statements."""
    await field.placed(u12="E5", u13="F6", u22="E6", u23="G7", u24="H8")
    with statements(field.world) as made:
        shot = await field.now(field.ann, "u12", (6, 6), target="u22")
    assert len(made) <= 18, made
    assert "Char Aznable (u22 zaku) is destroyed" in text(shot)
    assert "**6**" in thread(field.world)
    clash = await field.now(field.ann, "u13", (2, 1), attack="melee", target="u23", call="heads")
    assert "u23 zaku is destroyed" in text(clash)
    await field.ended(field.ann, clash)
    assert "Zeon (Z) defends: 1 left, 2 lost, its half of the turn" in await board(field)
    await field.do(field.bo, "next")
    await field.placed(u14="G7")
    last = await field.now(field.ann, "u14", (2, 2), attack="melee", target="u24", call="tails")
    assert "Earth Federation won the battle on 0,1 in turn 2." in thread(field.world)
    assert "21st Squadron has to retreat to" in thread(field.world)
    assert "End turn" not in str(last.components)
    assert "The battle is over: Earth Federation has won." in why(await field.do(field.ann, "act", unit="u12", to="E4"))
    assert "None of your forces has to retreat" in why(await field.do(field.ann, "retreat", to="0,2"))
    gone = text(response(await field.do(field.bo, "retreat", to="0,2")))
    assert "21st Squadron retreats to 0,2." in gone
    assert "Earth Federation gets 50 gold" in thread(field.world)
    assert "0,1" not in why(await field.do(field.ann, "show"))
    assert "squadron on 0,2" in await field.front.sheet("21st Squadron")
    assert "1 battle, 1 won: tier 5" in await field.front.sheet("11th Squadron")


NOTHING = {
    "Melee doesn't use “with”.": {"attack": "melee", "target": "u22", "call": "heads", "with": "u13"},
    "Shoot doesn't use “call”.": {"attack": "shoot", "target": "u22", "call": "heads"},
    "Broadside doesn't use “target”.": {"target": "u22", "toward": "N"},
    "A move doesn't use “with”.": {"to": "A2", "with": "u13"},
}


async def test_options_that_would_count_for_nothing_are_refused(field: Field) -> None:
    """With what uses the option."""
    with nothing_written(field.world):
        for told, options in NOTHING.items():
            assert told in why(await field.do(field.ann, "act", unit="u12", roll="now", **options)), options
        assert "an attack that uses it: Shoot and Melee." in why(
            await field.do(field.ann, "act", unit="u12", to="A2", target="u22", attack="broadside")
        )


async def test_a_game_master_types_dice_that_were_thrown_by_hand(field: Field) -> None:
    """Players can't."""
    await field.placed(u12="E5", u22="F6")
    options = {"unit": "u12", "attack": "melee", "target": "u22", "call": "heads"}
    with nothing_written(field.world):
        assert "game masters" in why(await field.do(field.ann, "act", dice="d2: 1", **options)).casefold()
        assert "A d2 has no face 3." in why(await field.do(field.world.gm, "act", dice="d2: 3", **options))
        assert "You can't type dice for a card." in why(
            await field.do(field.world.gm, "act", dice="d2: 1", roll="card", **options)
        )
    await field.do(field.world.gm, "act", dice="1 d2: 2", **options)
    assert "Amuro Ray (u12 gm) is destroyed" in thread(field.world)
    assert "by hand" in thread(field.world)


async def test_a_unit_that_has_fallen_is_said_to_have_fallen(field: Field) -> None:
    """By id and by pilot; u9 comes before u10."""
    await field.placed(u12="E5", u22="E6")
    await field.now(field.ann, "u12", (6, 6), target="u22")
    for name in ("u22", "Char Aznable"):
        said = why(await field.do(field.ann, "act", unit="u13", target=name))
        assert "Char Aznable (u22 zaku) was destroyed in this battle." in said
    assert "was destroyed" not in why(await field.do(field.ann, "act", unit="u13", target="u9"))


async def test_sides_and_who_stands_apart_are_called_by_name(field: Field) -> None:
    """In refusals."""
    cy = await recruit(field.front, "Cy", "Earth Federation")
    await field.placed(u12="E5", u22="E6", u23="F6")
    options = {"unit": "u12", "target": "u22", "with": "u23"}
    assert "u23 belongs to Zeon, and it's Earth Federation's half" in why(await field.do(field.ann, "act", **options))
    assert "Cy has no force in the battle on 0,1." in why(await field.do(cy, "act", unit="u22", to="E7"))
    assert "You have no force in the battle on 0,1." in why(await field.do(cy, "withdraw"))
    assert "u24 bigro (Z), mobile armor, flying, on C12" in await board(field)


async def test_forged_ids_are_refused_and_tell_nothing(field: Field) -> None:
    """Halves, sides, panels, campaigns."""
    shown = response(await field.do(field.bo, "show"))
    begun = int(press(shown, "again").rsplit(":", 1)[1])
    with nothing_written(field.world):
        for forged in (
            f"battle:1:next:0,1:{begun}:1:0",
            f"battle:1:next:0,1:{begun}:1:1",
            f"battle:1:next:0,1:{begun}:7:1",
            f"battle:1:next:0,1:{begun}:1:9",
            f"battle:1:next:0,1:{begun - 1}:1:1",
            f"battle:1:leave:0,1:{begun - 1}:1",
            f"battle:1:leave:0,1:{begun}:0",
            f"battle:1:withdraw:0,1:{begun}:0",
            f"battle:1:withdraw:0,1:{begun + 1}:1",
            f"battle:1:show:9,9:{begun}",
            f"battle:1:show:0,1:{begun + 1}",
            f"battle:1:words:9,9:{begun}:u12",
            f"battle:1:show:x:{begun}",
            f"battle:7:show:0,1:{begun}",
            "battle:1:show:0,1",
        ):
            answer = why(await send_raw(field.bo, field.world.orders, forged))
            assert "u12" not in answer


async def test_only_forces_of_the_battle_retreat_from_it(field: Field) -> None:
    """Others aren't mentioned."""
    answers = [
        why(await field.do(field.bo, "retreat", force=name, to="0,2")) for name in ("12th Squadron", "13th Squadron")
    ]
    assert answers[0].replace("12th", "13th") == answers[1]
    assert "isn't a force in the battle on 0,1" in answers[0]
    assert "Ann" not in answers[0]


async def test_a_card_tells_the_odds_and_rolls_what_two_do_together(field: Field) -> None:
    """Both have attacked then (D5)."""
    await field.placed(u12="E5", u13="F6", u22="E6")
    options = {"unit": "u12", "attack": "shoot", "target": "u22", "with": "u13 gm"}
    card = response(await field.do(field.ann, "act", **options))
    assert "2x 1d12 against defense 4, together with u13 gm: 5 or more destroys" in text(card)
    assert "88.89%" in " ".join(odds(card).values())
    field.world.dice.script_dice((12, 4), (12, 5))
    done = response(await field.ann.click(card, label="Roll"))
    assert "Char Aznable (u22 zaku) is destroyed" in text(done)
    shown = await board(field)
    assert shown.count("has attacked") == 2


async def test_a_card_that_is_late_is_refused(field: Field) -> None:
    """Without a die."""
    await field.placed(u12="E5", u22="E6")
    card = response(await field.do(field.ann, "act", unit="u12", attack="shoot", target="u22"))
    await field.do(field.ann, "next")
    assert "It's Zeon's half of the turn on 0,1. Yours comes after it." in why(
        await field.ann.click(card, label="Roll")
    )


async def test_a_restart_in_the_middle_of_a_battle_changes_nothing(field: Field) -> None:
    """Board, halves and buttons."""
    await field.placed(u12="E5", u22="E6")
    shot = await field.now(field.ann, "u12", (6, 1), (6, 2), target="u22")
    before = await board(field)
    await field.world.restart()
    assert await board(field) == before
    await field.ended(field.ann, shot)
    await field.now(field.bo, "u22", (6, 6), target="u12", to="E7", attack="shoot, then move")
    shown = await board(field)
    assert "E12" not in shown
    assert "on E7" in shown


async def test_the_last_act_is_taken_back(field: Field) -> None:
    """The board is as before."""
    await field.placed(u12="E5", u22="E6")
    before = await board(field)
    await field.now(field.ann, "u12", (6, 6), target="u22", to="E4", attack="shoot, then move")
    assert await board(field) != before
    await take_back(field.world, "gm undo", entry=newest_entry(field.world), reason="A slip")
    assert await board(field) == before


async def test_a_warship_fires_down_a_lane(world: World) -> None:
    """Chances, falls and cooldown (W1, W8)."""
    field = await opened(
        world, "1st Fleet", {'at      = "2,-2"': 'at      = "0,-1"', 'at      = "-2,2"': 'at      = "0,1"'}
    )
    await field.placed(u9="A6", u10="C6", u19="E6", u20="F7", u21="D6")
    card = response(await field.do(field.ann, "act", unit="u9", attack="broadside", toward="E"))
    assert_says(text(card), "Fires toward E", "u10 saberfish on C6 (own side): 100%", "u19 musai on E6: 50%")
    assert sorted(odds(card).values()) == ["50%", "50%"]
    told = text(card).replace("\\", "")
    assert "2 of the 3 in its lane are destroyed" in told
    assert {"u10 saberfish", "u19 musai", "u21 columbus"} == {*re.split(", | and ", everyone_of(told))}
    world.dice.script_dice((100, 51))
    await field.ann.click(card, label="Roll")
    assert "u10 saberfish and u21 columbus are destroyed" in thread(world)
    assert "fires again in turn 5" in await board(field)
    assert "u9 can't fire in turn 1: it fired in turn 1 and can fire again in turn 5." in why(
        await field.do(field.ann, "act", unit="u9", toward="E", roll="now")
    )


OFFERED = {
    ("unit", ""): ["Amuro Ray (u12 gm) (E5)", "u13 gm (F6)", "u14 gm (C1)", "u15 saberfish (D1)"],
    ("attack", ""): ["Shoot", "Melee", "Shoot, then move", "Melee, then move"],
    ("target", ""): ["Char Aznable (u22 zaku) (E6)"],
    ("with", ""): ["u13 gm"],
    ("call", ""): ["heads", "tails"],
    ("toward", ""): [],
}


async def test_what_is_possible_is_offered_and_nothing_else(field: Field) -> None:
    """In each option."""
    await field.placed(u12="E5", u13="F6", u22="E6")
    typed = {"unit": "u12", "target": "u22", "attack": "shoot"}

    for (option, value), wanted in OFFERED.items():
        given = {name: word for name, word in typed.items() if name != option}
        found = await field.ann.autocomplete(field.world.orders, "battle act", option, value, **given)
        assert [choice["name"] for choice in found] == wanted, option
    tiles = await field.ann.autocomplete(field.world.orders, "battle act", "to", "E", unit="u12")
    assert "E6" not in {choice["name"] for choice in tiles}
    assert {"E4", "E2"} <= {choice["name"] for choice in tiles}
    await field.now(field.ann, "u12", to="E4")
    assert await field.ann.autocomplete(field.world.orders, "battle act", "to", "", unit="u12") == []
    assert await field.bo.autocomplete(field.world.orders, "battle act", "unit", "") == []
    assert await field.ann.autocomplete(field.world.orders, "gm-war place", "unit", "") == []


async def test_in_fog_a_battle_is_told_to_its_sides_and_the_staff_alone(world: World) -> None:
    """No public post (AMB-80)."""
    fog = {**MOVED, 'fog           = "open"': 'fog           = "near"\nsight         = 1'}
    field = await opened(world, "11th Squadron", fog)
    stranger = world.guild.add_member(world.env.create_user("cy"), roles=[world.roles["player"]])
    forces = (await field.front.stands()).forces
    gm, zaku = (forces[name].units[0].id for name in ("11th Squadron", "21st Squadron"))
    await field.placed(**{gm: "E5", zaku: "E6"})
    public = len(world.results.history())
    shot = await field.ann.slash(world.orders, "battle act", unit=gm, to="E4")
    assert "moves to E4" in "".join(map(text, [response(shot), *shot.followups]))
    assert len(world.results.history()) == public
    seen = response(await field.do(field.bo, "show"))
    assert "on E4" in text(response(await field.bo.click(seen, label="As text")))
    for deed in ({"battle": AT}, {}):
        assert "You can't see any battle" in why(await field.do(stranger, "show", **deed))
    assert await stranger.autocomplete(world.orders, "battle show", "battle", "") == []


async def test_a_sheet_tells_who_has_fallen_in_a_battle_that_is_on(field: Field) -> None:
    """Force, faction and pilot."""
    assert f"in the battle on {AT}: 3 of 3 left" in await field.front.sheet("21st Squadron")
    await field.placed(u12="E6", u22="E8")
    await field.now(field.ann, "u12", (6, 6), target="u22")
    force = await field.front.sheet("21st Squadron")
    assert f"in the battle on {AT}: 2 of 3 left" in force
    (char,) = [line for line in force.splitlines() if "u22" in line]
    assert "destroyed in the current battle" in char
    assert force.count("destroyed") == 1
    assert "2 of 3 left" in await field.front.sheet("Zeon")
    assert "destroyed" in await field.front.sheet("Char Aznable")
    assert "in the battle" not in await field.front.sheet("1st Fleet")


async def test_who_could_still_act_is_found_in_a_thread(field: Field) -> None:
    """The event loop doesn't wait."""
    asyncio.get_running_loop().set_default_executor(late := Late())
    late.allowed.set()
    asked = response(await field.ann.slash(field.world.orders, "battle next"))
    assert "Can still move or attack: Amuro Ray (u12 gm)" in text(asked)
    assert late.results == [["u12", "u13", "u14", "u15"]]
