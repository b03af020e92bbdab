"""Explosives: one die for all in the radius, fuses, and zones."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.cogs.roe.attacking import refusal, roe
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Actor, Ring, read_answers
from tests.support.acting import confirmed, removed, take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_says, odds, offers, press, refused, response, text
from tests.support.world import rows

FRAG = "2d10+5"


@prepared
async def arm_everyone(ring: Ring, who: str = f"{KAI}, {CHAR}, {GUARD}") -> None:
    """Arm everyone, Kai with a launcher, and begin a fight; Kai has the turn."""
    await ring.save(
        {KAI: "hp: 30; weapons: Bazooka = H_s_Launcher + Scope accuracy 5, M_s_Rifle", CHAR: "hp: 20", GUARD: "hp: 25"}
    )
    await ring.begin(who)


async def blast(ring: Ring, actor: Actor | None = None, *dice: tuple[int, int], **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Use `/roe blast` with these dice; return all answers."""
    return await roe(ring, "blast", actor, *dice, **options)


async def not_blast(ring: Ring, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Return what `/roe blast` is refused with, without an entry."""
    return await refusal(ring, "blast", actor, **options)


async def rounds(ring: Ring, *actors: Actor) -> None:
    """End turns as these people."""
    for actor in actors:
        await ring.end_turn(actor)


def list_kept(ring: Ring, beginning: str) -> list[Any]:
    """Return saved values whose names start like this."""
    return [value for _, name, value in ring.read_state() if name.startswith(beginning)]


async def test_one_die_and_one_throw_of_damage_for_all(ring: Ring) -> None:
    """Everyone caught takes the same dice; it costs an Action."""
    await arm_everyone(ring)
    said = await blast(
        ring,
        ring.player,
        (100, 60),
        (100, 20),
        (10, 4),
        (10, 3),
        (100, 70),
        item="Charge",
        use="immediate",
        targets=f"{CHAR}, {GUARD}",
        damage=FRAG,
        roll="now",
    )
    assert_says(said, "explosion: 12 damage", "avoids")
    assert "20 less 12 = 8" in ring.read_newest()
    assert "no Actions left" in await not_blast(
        ring, ring.player, item="C", use="immediate", targets=CHAR, damage=FRAG, roll="now"
    )


async def test_a_grenade_explodes_at_the_end_of_the_second_turn(ring: Ring) -> None:
    """The turn waits for it; its button asks for the radius and opens a card with exact odds."""
    await arm_everyone(ring)
    said = await blast(ring, ring.player, item="Frag", use="throw", targets=CHAR, damage=FRAG)
    assert "Thrown: Frag explodes at the end of its user's turn in round 2" in said
    assert "round 2" in await not_blast(ring, ring.player, item="Frag", use="explode", roll="now")
    await rounds(ring, ring.player, ring.rival, ring.gm)
    post = ring.newest_with("explode")
    assert "Frag explodes at the end of this turn" in refused(await ring.click("turn", ring.player))
    card = response(await ring.use("turn", ring.player))
    for shown in (text(card), await ring.show(ring.rival)):
        assert "**Frag**: explodes at the end of Kai's turn in round 2" in shown
    assert offers(card, "explode")
    assert not offers(response(await ring.use("turn", ring.rival)), "explode")
    assert "isn't yours" in refused(await ring.click("explode", ring.rival))
    window = await ring.click("explode", ring.player)
    assert CHAR in str(window.modal)
    card = response(await ring.player.submit_modal(window, {"names": f"{CHAR}, {GUARD}"}))
    assert odds(card) == {"Caught, dice count double": "0.99%", "Caught": "48.51%", "Avoided": "50.5%"}
    assert_says(text(card), "Frag: 2d10+5 explosive", "Mean damage: 8.0")
    ring.world.dice.script_dice((100, 100), (100, 20), (10, 9), (10, 9), (100, 80), (100, 100))
    rolled = read_answers(await ring.player.click(card, custom_id=press(card, "roll")))
    assert_says(rolled, "grenade, dice count double: 41 damage; down", "avoids")
    assert list_kept(ring, "fuse.") == []
    assert list_kept(ring, "effect.wounded")
    assert "already exploded" in await ring.again(post, "explode", ring.gm)
    await ring.end_turn(ring.player)
    assert f"round 2, {GUARD}'s turn\n**{CHAR}** is down, so the turn moves on." in ring.read_newest()


@pytest.mark.slow
async def test_a_cooked_grenade_explodes_in_the_hand_under_a_stun(ring: Ring) -> None:
    """A hand has one; a stunned thrower can't let go and is in its radius."""
    await arm_everyone(ring)
    assert "In hand" in await blast(ring, ring.player, item="Frag", use="cook", damage=FRAG)
    await rounds(ring, ring.player, ring.rival, ring.gm)
    assert "already in hand" in await not_blast(ring, ring.player, item="Other", use="cook", damage=FRAG)
    assert "Thrown: Frag" in await blast(ring, ring.player, item="Frag", use="throw", targets=GUARD)
    said = await blast(ring, ring.player, (100, 50), (100, 60), item="Frag", use="explode", roll="now")
    assert_says(said, "avoids", KAI)
    await rounds(ring, ring.player, ring.rival, ring.gm)
    await blast(ring, ring.player, item="Frag", use="cook", damage=FRAG)
    await ring.end_turn(ring.player)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Stunned")
    await rounds(ring, ring.rival, ring.gm)
    assert "Stunned characters" in await not_blast(ring, ring.player, item="Frag", use="throw", targets=CHAR)
    ring.world.dice.script_dice((100, 50), (100, 20), (10, 5), (10, 5))
    assert "grenade: 15 damage" in await blast(ring, ring.player, item="Frag", use="explode", roll="now")
    assert "30 less 15 = 15" in ring.read_newest()
    await ring.end_turn(ring.player)


@pytest.mark.slow
async def test_a_grenade_is_thrown_back(ring: Ring) -> None:
    """For an Action; it still explodes with its user's turn; an empty radius has no roll."""
    await arm_everyone(ring)
    await blast(ring, ring.player, item="Frag", use="throw", damage=FRAG)
    await ring.end_turn(ring.player)
    assert "out of reach" in await not_blast(ring, ring.rival, item="Frag", use="throw-back", targets=KAI, range=9)
    assert "Thrown back" in await blast(ring, ring.rival, item="Frag", use="throw-back", targets=KAI)
    assert "no Actions left" in await not_blast(ring, ring.rival, item="Frag", use="throw-back", targets=KAI)
    await rounds(ring, ring.rival, ring.gm)
    ring.world.dice.script_dice((100, 50), (100, 20), (10, 1), (10, 1))
    assert "7 damage" in await blast(ring, ring.player, item="Frag", use="explode", roll="now")
    assert "30 less 7 = 23" in ring.read_newest()
    assert "can't find a grenade" in await not_blast(ring, ring.player, item="Frag", use="explode", roll="now")
    await ring.end_turn(ring.player)
    await blast(ring, ring.rival, item="Dud", use="throw", damage=FRAG)
    await rounds(ring, ring.rival, ring.gm, ring.player)
    assert "No one is in it" in await blast(ring, ring.rival, item="dud", use="explode", roll="now")


@pytest.mark.slow
async def test_a_launcher_is_aimed_at_one_of_those_in_the_radius(ring: Ring) -> None:
    """Accuracy counts only for the target aimed at (lines 68, 388)."""
    await arm_everyone(ring)
    await ring.save({KAI: "option: Adaptability"})
    await ring.player.slash(ring.world.orders, "roe act", what="Kneel")
    launch: dict[str, Any] = {"item": "Bazooka", "use": "launch", "primary": CHAR, "targets": GUARD}
    card = await blast(ring, ring.player, **launch)
    for words in ("On one knee", "Adaptability"):
        assert card.count(words) == 1
    said = await blast(ring, ring.player, (100, 60), (100, 64), (70, 10), (100, 61), **launch, roll="now")
    assert_says(said, "explosion: 10 damage", "avoids")
    assert_says(ring.read_newest(), "Scope", "**60** + 5 = **65**")
    await rounds(ring, ring.player, ring.rival, ring.gm)
    ring.world.dice.script_dice((100, 100), (100, 99), (70, 12))
    assert "24 damage" in await blast(ring, ring.player, item="Bazooka", use="launch", targets=GUARD, roll="now")


@pytest.mark.slow
async def test_a_zone_holds_whoever_is_inside_for_turns_of_its_creator(ring: Ring) -> None:
    """It acts on entry, ends for those who leave, and is over after its creator's turns."""
    await arm_everyone(ring)
    said = await blast(ring, ring.player, item="Acid", use="zone", targets=CHAR, damage="d10 3 turns")
    assert "Acid: a zone for 3 turns" in said
    assert [item["zone"] for item in list_kept(ring, "effect.zone")] == ["zone.1"]
    ring.world.dice.script_dice((10, 2))
    await ring.end_turn(ring.player)
    assert "Out of Acid" in await blast(ring, ring.rival, item="Acid", use="leave")
    assert len(list_kept(ring, "effect.zone")) == 1
    await ring.end_turn(ring.rival)
    assert list_kept(ring, "effect.zone") == []
    assert "In Acid: 4 damage" in await blast(ring, ring.gm, (10, 4), item="Acid", use="enter")
    assert "is already in Acid" in await not_blast(ring, item="Acid", use="enter", targets=GUARD)
    ring.world.dice.script_dice((10, 3), (10, 3))
    await rounds(ring, ring.gm, *(ring.player, ring.rival, ring.gm) * 2, ring.player)
    assert list_kept(ring, "zone.") == list_kept(ring, "effect.zone") == []


@pytest.mark.slow
async def test_going_into_a_zone_is_moving(ring: Ring) -> None:
    """It costs cover and, in gas, Actions; a held fighter needs a game master (lines 384, 426)."""
    await arm_everyone(ring)
    await blast(ring, ring.player, item="Acid", use="zone", targets=GUARD, damage="in-gas 5 turns")
    await rounds(ring, ring.player)
    await ring.rival.slash(ring.world.orders, "roe act", what="Take cover")
    await rounds(ring, ring.rival, ring.gm, ring.player)
    assert len(list_kept(ring, "effect.cover")) == 1
    assert "In Acid" in await blast(ring, ring.rival, item="Acid", use="enter")
    assert list_kept(ring, "effect.cover") == []
    bomb = {"item": "C", "use": "immediate", "targets": KAI, "damage": FRAG, "roll": "now"}
    assert "blocks Actions" in await not_blast(ring, ring.rival, **bomb)
    assert len(list_kept(ring, "effect.in-gas")) == 2
    await rounds(ring, ring.rival, ring.gm, ring.player)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Held")
    assert "Char is held" in await not_blast(ring, ring.rival, item="Acid", use="leave")
    assert "Out of Acid" in await blast(ring, item="Acid", use="leave", targets=GUARD)
    assert "In Acid" in await blast(ring, item="Acid", use="enter", targets=KAI)


async def test_a_zone_takes_hp_at_the_start_of_each_turn_inside(ring: Ring) -> None:
    """Rolled with the previous turn's end; the end of a fight removes it."""
    await arm_everyone(ring)
    await ring.save({CHAR: "dr: 2"})
    await blast(ring, ring.player, item="Acid", use="zone", targets=CHAR, damage="d10+1, 2 turns")
    ring.world.dice.script_dice((10, 6))
    await ring.end_turn(ring.player)
    assert "7 less 2 DR = 5 HP" in ring.read_newest()
    assert [item["lost"] for item in list_kept(ring, "health")] == [5]
    await rounds(ring, ring.rival, ring.gm)
    await blast(ring, ring.player, item="Frag", use="throw", targets=CHAR, damage=FRAG)
    ring.world.dice.script_dice((10, 1))
    await ring.end_turn(ring.player)
    assert [item["lost"] for item in list_kept(ring, "health")] == [5]
    await blast(ring, ring.rival, item="Gas", use="zone", targets=GUARD, damage="in-gas, 2 turns")
    assert list_kept(ring, "fuse.")
    assert list_kept(ring, "zone.")
    await confirmed(ring.world, "fight end")
    assert list_kept(ring, "fuse.") == list_kept(ring, "zone.") == list_kept(ring, "effect.") == []


@pytest.mark.slow
async def test_an_explosion_that_is_taken_back_lets_the_fuse_burn_again(ring: Ring) -> None:
    """Voiding the throw voids the explosion too."""
    await arm_everyone(ring)
    before = ring.read_state()
    await blast(ring, ring.player, item="Frag", use="throw", targets=CHAR, damage=FRAG)
    (thrown,) = rows(ring.world, "select max(number) from entry")[0]
    await rounds(ring, ring.player, ring.rival, ring.gm)
    burning = ring.read_state()
    await blast(ring, ring.player, (100, 60), (100, 20), (10, 4), (10, 3), item="Frag", use="explode", roll="now")
    assert ring.read_state() != burning
    (exploded,) = rows(ring.world, "select max(number) from entry")[0]
    await void_entry(ring, exploded)
    assert ring.read_state() == burning
    await void_entry(ring, thrown)
    assert ring.read_state() == before


@pytest.mark.slow
async def test_with_its_user_a_grenade_leaves_the_campaign(ring: Ring) -> None:
    """A removed user's grenades and zones go; the next turn can end."""
    await arm_everyone(ring)
    await blast(ring, ring.player, item="Frag", use="throw", targets=CHAR, damage=FRAG)
    await ring.end_turn(ring.player)
    await removed(ring.world, name=KAI)
    assert list_kept(ring, "fuse.") == []
    await blast(ring, ring.rival, item="Gas", use="zone", targets=GUARD, damage="in-gas, 2 turns")
    await removed(ring.world, name=CHAR)
    assert list_kept(ring, "zone.") == list_kept(ring, "effect.in-gas") == []


async def void_entry(ring: Ring, number: int) -> None:
    """Let the game master void an entry."""
    await take_back(ring.world, "gm undo", entry=number, reason="a slip")


async def test_nobody_learns_of_a_secret_ones_grenade(ring: Ring) -> None:
    """No list, post or answer shows it, but it explodes."""
    await arm_everyone(ring, f"{KAI}, {CHAR}, {SHADOW}")
    await ring.save({SHADOW: "hp: 30"})
    await rounds(ring, ring.player, ring.rival)
    assert "Thrown" in await blast(ring, item="Frag", use="throw", targets=CHAR, damage=FRAG, character=SHADOW)
    await end_secretly(ring)
    assert "Frag" in text(response(await ring.use("show")))
    assert "Frag" not in text(response(await ring.use("show", ring.player)))
    assert "can't find a grenade" in await not_blast(ring, ring.player, item="Frag", use="explode")
    assert await ring.player.autocomplete(ring.world.orders, "roe blast", "item", "fr") == []
    await rounds(ring, ring.player, ring.rival)
    assert not offers(ring.world.orders.history()[-1], "explode")
    assert "Frag explodes" in refused(await end_secretly(ring))
    ring.world.dice.script_dice((100, 50), (100, 20), (10, 1), (10, 1))
    assert "7 damage" in await blast(ring, item="Frag", use="explode", character=SHADOW, roll="now")
    await end_secretly(ring)


async def end_secretly(ring: Ring) -> Any:  # noqa: ANN401 - as simcord has it
    """Let the game master end a secret fighter's turn."""
    seen = response(await ring.use("turn"))
    return await ring.click("turn", ring.gm, seen)


async def test_what_cannot_be_is_refused_with_the_reason(ring: Ring) -> None:
    """Out of range, sight, turn or fight, unknown targets and empty options write nothing."""
    await arm_everyone(ring, f"{KAI}, {CHAR}, {SHADOW}")
    grenade: dict[str, Any] = {"item": "Frag", "use": "throw", "damage": FRAG}
    assert "20 m at most" in await not_blast(ring, ring.player, **grenade, range=30)
    unseen = "can't see where it will explode"
    assert "must see the centre" in await not_blast(ring, ring.player, **grenade, modifiers=unseen)
    assert "Kai's turn" in await not_blast(ring, ring.rival, **grenade, character=CHAR)
    assert "isn't in a fight" in await not_blast(ring, **grenade, character=GUARD)
    assert "'bang'" in await not_blast(ring, ring.player, item="Frag", use="throw", damage="bang")
    assert "Add damage:2d10+5" in await not_blast(ring, ring.player, item="Frag", use="throw")
    assert "How many turns" in await not_blast(ring, ring.player, item="Gas", use="zone", damage="in-gas")
    assert "no fighter called 'Zed'" in await not_blast(ring, ring.player, **grenade, targets="Zed")
    assert "doesn't launch" in await not_blast(ring, ring.player, item="M_s_Rifle", use="launch", targets=CHAR)
    charge: dict[str, Any] = {"item": "Charge", "damage": "d10, 3 turns", "roll": "now"}
    for use, target in product(("immediate", "zone"), (GUARD, SHADOW)):
        what = await not_blast(ring, ring.player, **charge, use=use, targets=target)
        assert f"{target} isn't in this fight." in what


@pytest.mark.slow
async def test_a_usable_tech_item_is_dodged_worse_and_does_more_by_an_option(ring: Ring) -> None:
    """C04.31: ticked as such, a Curious Mind dodges it with -5 (line 73) and does 5 more."""
    await arm_everyone(ring)
    await ring.save(dict.fromkeys((KAI, CHAR), "option: Curious Mind"))
    typed: dict[str, Any] = {"item": "Mine", "use": "immediate", "damage": "d10", "roll": "now"}
    for tick, target, face, damage in (
        ({}, CHAR, 49, 4),
        ({"modifiers": "attack.tech-item"}, CHAR, 54, 9),
        ({"modifiers": "is by a usable tech item"}, GUARD, 49, 9),
    ):
        ring.world.dice.script_dice((100, 50), (100, face), (10, 4))
        assert f"explosion: {damage} damage" in await blast(ring, ring.player, **typed, **tick, targets=target)
        assert ("Curious Mind" in ring.read_newest()) == bool(tick)
        await rounds(ring, ring.player, ring.rival, ring.gm)
