"""`/roe act`: costs, refusals, and effects."""

from __future__ import annotations

from typing import Any

import pytest

from rules.dice import Roll
from tests.cogs.roe.attacking import refusal, roe
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, read_answers
from tests.support.prepared import prepared
from tests.support.reading import assert_says, refused


async def act(ring: Ring, what: str, actor: Any = None, *dice: tuple[int, int], **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """Do an act with these dice; return the answer."""
    return await roe(ring, "act", actor or ring.player, *dice, what=what, **options)


async def read_denial(ring: Ring, what: str, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """Return what an act is refused with, without an entry."""
    return await refusal(ring, "act", actor or ring.player, what=what, **options)


async def marks(ring: Ring, name: str) -> dict[str, int]:
    """Return a fighter's marks."""
    number = ring.number(name)
    return next(value.get("marks", {}) for _, called, value in ring.read_state() if called == f"unit.{number}")


async def effects(ring: Ring, name: str) -> set[str]:
    """Return someone's effects, by trait."""
    subject = f"subject:{ring.number(name)}"
    return {
        called.removeprefix("effect.") for who, called, _ in ring.read_state() if who == subject and "effect." in called
    }


@prepared
async def arm_two(ring: Ring, **more: str) -> None:
    """Arm Kai and Char, and begin a fight; Kai has the turn."""
    fields = {
        KAI: "hp: 30; weapons: Gun = L_a_MG, Bolter = L_s_AMR, Knife = S_s_Blade",
        CHAR: "hp: 20; weapons: L_b_Club",
    }
    await ring.save({**fields, **more})
    await ring.begin()


async def round_of(ring: Ring) -> None:
    """End Kai's turn and Char's."""
    for actor in (ring.player, ring.rival):
        await ring.end_turn(actor)


async def list_offers(ring: Ring, option: str, value: str = "", **typed: Any) -> list[str]:  # noqa: ANN401 - as above
    """Return the completions of an option."""
    found = await ring.player.autocomplete(ring.world.orders, "roe act", option, value, **typed)
    return [item["name"] for item in found]


async def test_an_act_is_for_whoever_has_the_turn_and_costs_what_the_book_says(ring: Ring) -> None:
    """Completions show costs and refusals; an act is posted, lasts, and is refused twice or to others."""
    await ring.begin()
    assert "It's Kai's turn" in await read_denial(ring, "Kneel", ring.rival)
    assert "isn't yours" in await read_denial(ring, "Kneel", character=CHAR)
    assert "Did you mean Kneel" in await read_denial(ring, "Kneal")
    assert "Use /roe attack" in await read_denial(ring, "attack")
    assert "takes no target" in await read_denial(ring, "Kneel", target=CHAR)
    assert "takes no value" in await read_denial(ring, "Kneel", value="3")
    assert "Kneel (1 movement)" in await list_offers(ring, "what")
    first, *_, last = await list_offers(ring, "what", "up")
    assert first == "Set up for a sneak attack (1 Action)"
    assert last == "Get up: Kai is already standing."
    assert "Done" in await act(ring, "Kneel")
    assert_says(ring.read_newest(), "goes down on one knee", "1 movement, 0 left")
    assert "already on one knee" in await read_denial(ring, "kneel")
    assert "no movement left" in await read_denial(ring, "Go prone")
    assert "Get up" in await list_offers(ring, "what", "up")
    (prone,) = await list_offers(ring, "what", "prone")
    assert prone.startswith("Go prone: ")
    assert "no movement left" in prone
    assert await list_offers(ring, "target", what="Aim") == [CHAR]


async def test_moving_goes_as_far_as_the_book_says(ring: Ring) -> None:
    """8 m, 4 more after a sprint; moving ends kneeling and cover."""
    await arm_two(ring)
    assert "can move up to 8 m, not 9 m" in await read_denial(ring, "Move", value="9")
    assert "Move farther" not in await act(ring, "Sprint")
    await act(ring, "Move", value="11")
    assert "Moved, 11 m of 12 m" in ring.read_newest()
    assert "What follows" not in ring.read_newest()
    await round_of(ring)
    await act(ring, "Take cover", value="3")
    assert await effects(ring, KAI) == {"cover"}
    await round_of(ring)
    assert "already behind cover" in await read_denial(ring, "Take cover")
    await act(ring, "Move")
    assert "Kai is out of cover" in ring.read_newest()
    assert await effects(ring, KAI) == set()


@pytest.mark.slow
async def test_cover_helps_to_dodge_and_so_does_whoever_stands_before(ring: Ring) -> None:
    """Cover gives 15; a shielding fighter does so until their next turn ends."""
    await arm_two(ring)
    await act(ring, "Draw or swap", value="Bolter")
    await act(ring, "Shield someone", target=CHAR)
    assert await effects(ring, CHAR) == {"shielded"}
    await ring.end_turn(ring.player)
    await act(ring, "Take cover", ring.rival)
    await ring.end_turn(ring.rival)
    ring.world.dice.script_dice((100, 50), (100, 40))
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, weapon="Bolter", roll="now")
    assert_says(ring.read_newest(), "Cover", "55")
    await ring.end_turn(ring.player)
    assert await effects(ring, CHAR) == {"cover"}


async def test_a_machine_gun_is_reloaded_over_two_actions_without_moving(ring: Ring) -> None:
    """After three turns of fire; moving in between restarts it."""
    await arm_two(ring)
    assert "doesn't need reloading" in await read_denial(ring, "Reload", value="Gun")
    burst = {"target": CHAR, "weapon": "Gun", "fire": "auto", "roll": "now"}
    for turn in range(3):
        ring.world.dice.script_dice(*[(100, 2), (100, 90)] * 3)
        assert "Missed" in read_answers(await ring.player.slash(ring.world.orders, "roe attack", **burst))
        assert ("Not ready" in ring.read_newest()) == (turn == 2)
        await round_of(ring)
    assert "reload first" in refused(await ring.player.slash(ring.world.orders, "roe attack", **burst))
    await act(ring, "Reload", value="Gun")
    assert "Gun: 1 more to go" in ring.read_newest()
    await act(ring, "Move")
    await round_of(ring)
    await act(ring, "Reload", value="Gun")
    assert "Gun: 1 more to go" in ring.read_newest()
    await round_of(ring)
    await act(ring, "Reload", value="Gun")
    assert "Gun: ready" in ring.read_newest()
    assert not [mark for mark in await marks(ring, KAI) if mark.startswith(("reload.", "anew."))]


@pytest.mark.slow
async def test_a_bolt_is_worked_once_after_a_shot(ring: Ring) -> None:
    """A fired sniper's rifle owes its bolt; others don't."""
    await arm_two(ring)
    assert "already worked" in await read_denial(ring, "Work the bolt", value="Bolter")
    assert "has no bolt" in await read_denial(ring, "Work the bolt", value="Gun")
    ring.world.dice.script_dice((100, 2), (100, 90))
    shot = {"target": CHAR, "weapon": "Bolter", "roll": "now"}
    await ring.player.slash(ring.world.orders, "roe attack", **shot)
    await round_of(ring)
    assert "work its bolt first" in refused(await ring.player.slash(ring.world.orders, "roe attack", **shot))
    await act(ring, "Work the bolt", value="Bolter")
    assert "Bolter: ready" in ring.read_newest()


async def test_what_is_drawn_is_used_from_the_next_turn_on(ring: Ring) -> None:
    """Free at once in the first turn; later it costs an Action and a turn."""
    await arm_two(ring)
    await act(ring, "Draw or swap", value="Gun")
    assert (await marks(ring, KAI))["actions"] == 1
    await round_of(ring)
    assert "already in hand" in await read_denial(ring, "draw", value="Gun")
    assert "hands for weapons" in await read_denial(ring, "draw", value="Gun, Knife, Bolter")
    assert "has no weapon called 'Sword'" in await read_denial(ring, "draw", value="Sword")
    await act(ring, "draw", value="Bolter, Knife")
    assert "usable from next turn" in ring.read_newest()
    assert {mark for mark in await marks(ring, KAI) if mark.startswith("drawn.")} == {"drawn.bolter", "drawn.knife"}
    await round_of(ring)
    assert "Draw it first" in await read_denial(ring, "Load special ammunition", value="Gun: AP")
    assert "What is loaded?" in await read_denial(ring, "Load special ammunition", value="Bolter:")
    await act(ring, "Load special ammunition", value="Bolter: AP")
    assert "Bolter with AP: ready" in ring.read_newest()
    assert (await marks(ring, KAI))["ammo.bolter.ap"] == 1
    assert await list_offers(ring, "value", what="Reload") == ["Gun", "Bolter", "Knife", "Unarmed"]


@pytest.mark.slow
async def test_setting_up_is_known_to_the_staff_alone(ring: Ring) -> None:
    """A set-up isn't posted; putting out flames takes the rest of the turn."""
    await arm_two(ring)
    before = ring.read_newest()
    await act(ring, "Set up for a sneak attack")
    assert ring.read_newest() == before
    assert await effects(ring, KAI) == {"set-up"}
    await round_of(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Chemical burn")
    await act(ring, "Put out the flames")
    assert "burning" not in await effects(ring, KAI)
    assert "Action" in await read_denial(ring, "Sprint")


@pytest.mark.slow
async def test_nothing_is_done_to_who_does_not_stand_in_the_fight(ring: Ring) -> None:
    """Absent and hidden ones get the same refusal, secret ones that of unknown names."""
    await arm_two(ring)
    for what in ("Grab", "Aim", "Disarm"):
        assert f"{GUARD} is hidden. Search first." in await read_denial(ring, what, ring.player, target=GUARD)
        for target in (SHADOW, "Nemo"):
            assert f"{target} isn't in this fight." in await read_denial(ring, what, ring.player, target=target)
    assert f"{GUARD} isn't in this fight." in await read_denial(ring, "Grab", ring.gm, target=GUARD)
    assert f"{GUARD} isn't in this fight." in await read_denial(ring, "Hack", ring.player, target=GUARD)


async def test_a_sneak_attack_is_set_up_before_the_first_attack_alone(ring: Ring) -> None:
    """Line 359: after an attack, setting up costs no Action."""
    await arm_two(ring)
    ring.world.dice.script_dice((100, 2), (100, 90))
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, weapon="Bolter", roll="now")
    await round_of(ring)
    assert "must be the character's first attack" in await read_denial(ring, "Set up for a sneak attack")


async def test_flames_are_put_out_in_a_whole_turn(ring: Ring) -> None:
    """Line 456: it takes both Actions of two."""
    await arm_two(ring)
    for effect in ("Hasted", "Chemical burn"):
        await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect=effect)
    ring.world.dice.roll = lambda term: Roll(term, (1,), "test")  # type: ignore[method-assign]
    await round_of(ring)
    await act(ring, "Sprint")
    assert "takes a whole turn" in await read_denial(ring, "Put out the flames")
    await round_of(ring)
    await act(ring, "Put out the flames")
    left = await marks(ring, KAI)
    assert (left["actions"], left["movements"]) == (0, 0)
    assert "burning" not in await effects(ring, KAI)
