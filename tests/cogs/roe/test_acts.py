"""Acts of a turn, as people do them by `/roe act`: costs, refusals, and what each leaves."""

from __future__ import annotations

from typing import Any

import pytest

from rules.dice import Roll
from tests.cogs.roe.attacking import refusal, roe
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, told
from tests.support.prepared import prepared
from tests.support.reading import assert_says, refused


async def act(ring: Ring, what: str, actor: Any = None, *dice: tuple[int, int], **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """What `/roe act` is answered with, when these dice fall; Kai's player uses it unless said otherwise."""
    return await roe(ring, "act", actor or ring.player, *dice, what=what, **options)


async def denied(ring: Ring, what: str, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """What `/roe act` is refused with, when it has written nothing."""
    return await refusal(ring, "act", actor or ring.player, what=what, **options)


async def marks(ring: Ring, name: str) -> dict[str, int]:
    """What the fight marks of somebody."""
    number = ring.number(name)
    return next(value.get("marks", {}) for _, called, value in ring.kept() if called == f"unit.{number}")


async def effects(ring: Ring, name: str) -> set[str]:
    """What lasts on somebody, by its trait."""
    subject = f"subject:{ring.number(name)}"
    return {called.removeprefix("effect.") for who, called, _ in ring.kept() if who == subject and "effect." in called}


@prepared
async def armed(ring: Ring, **more: str) -> None:
    """Give Kai and Char what they need, and begin a fight in which Kai has the first turn."""
    fields = {
        KAI: "hp: 30; weapons: Gun = L_a_MG, Bolter = L_s_AMR, Knife = S_s_Blade",
        CHAR: "hp: 20; weapons: L_b_Club",
    }
    await ring.save({**fields, **more})
    await ring.begun()


async def round_of(ring: Ring) -> None:
    """End Kai's turn and Char's."""
    for actor in (ring.player, ring.rival):
        await ring.ended(actor)


async def offered(ring: Ring, option: str, value: str = "", **typed: Any) -> list[str]:  # noqa: ANN401 - as above
    """What is offered for an option, as it is told."""
    found = await ring.player.autocomplete(ring.world.orders, "roe act", option, value, **typed)
    return [item["name"] for item in found]


async def test_an_act_is_for_whoever_has_the_turn_and_costs_what_the_book_says(ring: Ring) -> None:
    """Acts are offered with their costs, impossible ones last with the reason; an act is posted, stays in force, and is refused to other players and twice."""
    await ring.begun()
    assert "It's Kai's turn" in await denied(ring, "Kneel", ring.rival)
    assert "isn't yours" in await denied(ring, "Kneel", character=CHAR)
    assert "Did you mean Kneel" in await denied(ring, "Kneal")
    assert "Use /roe attack" in await denied(ring, "attack")
    assert "takes no target" in await denied(ring, "Kneel", target=CHAR)
    assert "takes no value" in await denied(ring, "Kneel", value="3")
    assert "Kneel (1 movement)" in await offered(ring, "what")
    first, *_, last = await offered(ring, "what", "up")
    assert first == "Set up for a sneak attack (1 Action)"
    assert last == "Get up: Kai is already standing."
    assert "Done" in await act(ring, "Kneel")
    assert_says(ring.posted(), "goes down on one knee", "1 movement, 0 left")
    assert "already on one knee" in await denied(ring, "kneel")
    assert "no movement left" in await denied(ring, "Go prone")
    assert "Get up" in await offered(ring, "what", "up")
    (prone,) = await offered(ring, "what", "prone")
    assert prone.startswith("Go prone: ")
    assert "no movement left" in prone
    assert await offered(ring, "target", what="Aim") == [CHAR]


async def test_moving_goes_as_far_as_the_book_says(ring: Ring) -> None:
    """A movement phase is 8 m, 4 more after a sprint; farther is refused, and moving ends kneeling and cover."""
    await armed(ring)
    assert "can move up to 8 m, not 9 m" in await denied(ring, "Move", value="9")
    assert "Move farther" not in await act(ring, "Sprint")
    await act(ring, "Move", value="11")
    assert "Moved, 11 m of 12 m" in ring.posted()
    assert "What follows" not in ring.posted()
    await round_of(ring)
    await act(ring, "Take cover", value="3")
    assert await effects(ring, KAI) == {"cover"}
    await round_of(ring)
    assert "already behind cover" in await denied(ring, "Take cover")
    await act(ring, "Move")
    assert "Kai is out of cover" in ring.posted()
    assert await effects(ring, KAI) == set()


@pytest.mark.slow
async def test_cover_helps_to_dodge_and_so_does_whoever_stands_before(ring: Ring) -> None:
    """Somebody behind cover dodges with 15 more; whoever stands before somebody does so until the end of the next turn."""
    await armed(ring)
    await act(ring, "Draw or swap", value="Bolter")
    await act(ring, "Shield someone", target=CHAR)
    assert await effects(ring, CHAR) == {"shielded"}
    await ring.ended(ring.player)
    await act(ring, "Take cover", ring.rival)
    await ring.ended(ring.rival)
    ring.world.dice.script_dice((100, 50), (100, 40))
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, weapon="Bolter", roll="now")
    assert_says(ring.posted(), "Cover", "55")
    await ring.ended(ring.player)
    assert await effects(ring, CHAR) == {"cover"}


async def test_a_machine_gun_is_reloaded_over_two_actions_without_moving(ring: Ring) -> None:
    """After three turns of fire, and no sooner, it needs two Actions of reloading; moving in between restarts them."""
    await armed(ring)
    assert "doesn't need reloading" in await denied(ring, "Reload", value="Gun")
    burst = {"target": CHAR, "weapon": "Gun", "fire": "auto", "roll": "now"}
    for turn in range(3):
        ring.world.dice.script_dice(*[(100, 2), (100, 90)] * 3)
        assert "Missed" in told(await ring.player.slash(ring.world.orders, "roe attack", **burst))
        assert ("Not ready" in ring.posted()) == (turn == 2)
        await round_of(ring)
    assert "reload first" in refused(await ring.player.slash(ring.world.orders, "roe attack", **burst))
    await act(ring, "Reload", value="Gun")
    assert "Gun: 1 more to go" in ring.posted()
    await act(ring, "Move")
    await round_of(ring)
    await act(ring, "Reload", value="Gun")
    assert "Gun: 1 more to go" in ring.posted()
    await round_of(ring)
    await act(ring, "Reload", value="Gun")
    assert "Gun: ready" in ring.posted()
    assert not [mark for mark in await marks(ring, KAI) if mark.startswith(("reload.", "anew."))]


@pytest.mark.slow
async def test_a_bolt_is_worked_once_after_a_shot(ring: Ring) -> None:
    """A sniper's rifle that was fired owes its bolt, and is not fired before; one that owes none, or has none, is refused."""
    await armed(ring)
    assert "already worked" in await denied(ring, "Work the bolt", value="Bolter")
    assert "has no bolt" in await denied(ring, "Work the bolt", value="Gun")
    ring.world.dice.script_dice((100, 2), (100, 90))
    shot = {"target": CHAR, "weapon": "Bolter", "roll": "now"}
    await ring.player.slash(ring.world.orders, "roe attack", **shot)
    await round_of(ring)
    assert "work its bolt first" in refused(await ring.player.slash(ring.world.orders, "roe attack", **shot))
    await act(ring, "Work the bolt", value="Bolter")
    assert "Bolter: ready" in ring.posted()


async def test_what_is_drawn_is_used_from_the_next_turn_on(ring: Ring) -> None:
    """In the first turn drawing is free and at once; later it costs an Action, puts the rest away and takes a turn."""
    await armed(ring)
    await act(ring, "Draw or swap", value="Gun")
    assert (await marks(ring, KAI))["actions"] == 1
    await round_of(ring)
    assert "already in hand" in await denied(ring, "draw", value="Gun")
    assert "hands for weapons" in await denied(ring, "draw", value="Gun, Knife, Bolter")
    assert "has no weapon called 'Sword'" in await denied(ring, "draw", value="Sword")
    await act(ring, "draw", value="Bolter, Knife")
    assert "usable from next turn" in ring.posted()
    assert {mark for mark in await marks(ring, KAI) if mark.startswith("drawn.")} == {"drawn.bolter", "drawn.knife"}
    await round_of(ring)
    assert "Draw it first" in await denied(ring, "Load special ammunition", value="Gun: AP")
    assert "What is loaded?" in await denied(ring, "Load special ammunition", value="Bolter:")
    await act(ring, "Load special ammunition", value="Bolter: AP")
    assert "Bolter with AP: ready" in ring.posted()
    assert (await marks(ring, KAI))["ammo.bolter.ap"] == 1
    assert await offered(ring, "value", what="Reload") == ["Gun", "Bolter", "Knife", "Unarmed"]


@pytest.mark.slow
async def test_setting_up_is_known_to_the_staff_alone(ring: Ring) -> None:
    """Setting up for a sneak attack isn't posted; putting out flames ends the burn and takes the rest of the turn."""
    await armed(ring)
    before = ring.posted()
    await act(ring, "Set up for a sneak attack")
    assert ring.posted() == before
    assert await effects(ring, KAI) == {"set-up"}
    await round_of(ring)
    await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="Chemical burn")
    await act(ring, "Put out the flames")
    assert "burning" not in await effects(ring, KAI)
    assert "Action" in await denied(ring, "Sprint")


@pytest.mark.slow
async def test_nothing_is_done_to_who_does_not_stand_in_the_fight(ring: Ring) -> None:
    """Neither to somebody elsewhere, in the words for whoever hides in it, nor to somebody secret, in those for a name that nobody bears."""
    await armed(ring)
    for what in ("Grab", "Aim", "Disarm"):
        assert f"{GUARD} is hidden. Search first." in await denied(ring, what, ring.player, target=GUARD)
        for target in (SHADOW, "Nemo"):
            assert f"{target} isn't in this fight." in await denied(ring, what, ring.player, target=target)
    assert f"{GUARD} isn't in this fight." in await denied(ring, "Grab", ring.gm, target=GUARD)
    assert f"{GUARD} isn't in this fight." in await denied(ring, "Hack", ring.player, target=GUARD)


async def test_a_sneak_attack_is_set_up_before_the_first_attack_alone(ring: Ring) -> None:
    """Line 359: once the character has attacked in the fight, setting up costs no Action in any later turn."""
    await armed(ring)
    ring.world.dice.script_dice((100, 2), (100, 90))
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, weapon="Bolter", roll="now")
    await round_of(ring)
    assert "must be the character's first attack" in await denied(ring, "Set up for a sneak attack")


async def test_flames_are_put_out_in_a_whole_turn(ring: Ring) -> None:
    """Line 456: of a turn with two Actions neither may be spent before, and nothing is left after."""
    await armed(ring)
    for effect in ("Hasted", "Chemical burn"):
        await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect=effect)
    ring.world.dice.roll = lambda term: Roll(term, (1,), "test")  # type: ignore[method-assign]
    await round_of(ring)
    await act(ring, "Sprint")
    assert "takes a whole turn" in await denied(ring, "Put out the flames")
    await round_of(ring)
    await act(ring, "Put out the flames")
    left = await marks(ring, KAI)
    assert (left["actions"], left["movements"]) == (0, 0)
    assert "burning" not in await effects(ring, KAI)
