"""The turn card: what's left, owed and lasting, and acts for one press."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rules.books.roe.turns import Bar
from rules.loader import load_book
from rules.modifiers import list_mentioned_facts
from tests.cogs.roe.fights.ring import CHAR, KAI, SHADOW, TRIANGLE, Ring, read_answers
from tests.support.prepared import prepared
from tests.support.reading import assert_says, components, control, press, refused, response, text
from tests.support.world import nothing_written, send_raw

ARMED = "hp: 30; option: Simply Speedy; weapons: Rifle = L_s_Rifle, SMG = S_a_SMG"


@prepared
async def arm_two(ring: Ring, **more: str) -> None:
    """Arm Kai and Char."""
    await ring.save({KAI: ARMED, CHAR: "hp: 30", **more})


async def card(ring: Ring, actor: Any = None) -> Any:  # noqa: ANN401 - a message
    """Return the card that `/fight turn` shows."""
    return response(await ring.use("turn", actor or ring.player))


async def not_now(ring: Ring, message: Any, actor: Any = None) -> str:  # noqa: ANN401 - as above
    """Return what the card's Unavailable button says."""
    return read_answers(await (actor or ring.player).click(message, custom_id=press(message, "why")))


def picks(message: Any) -> dict[str, str]:  # noqa: ANN401 - as above
    """Return a card's acts and costs."""
    return {item["label"]: item["description"] for item in control(message, "act")["options"]}


async def pick(ring: Ring, message: Any, label: str, actor: Any = None) -> Any:  # noqa: ANN401 - as above
    """Pick an act on a card."""
    select = control(message, "act")
    (value,) = [item["value"] for item in select["options"] if item["label"] == label]
    return await (actor or ring.player).select(message, [value], custom_id=select["custom_id"])


async def test_a_card_tells_all_that_a_turn_hangs_on(ring: Ring) -> None:
    """HP, metres, turn start, weapons' debts and effects."""
    await arm_two(ring)
    await ring.begin()
    ring.world.dice.script_dice((100, 80), (100, 20), (50, 12))
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, roll="now")
    await ring.end_turn(ring.player)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Bleeding")
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Prone")
    await ring.end_turn(ring.rival)
    shown = text(await card(ring))
    assert_says(
        shown,
        f"It's **{KAI}**'s turn.\n1 Action left · 1 movement left · 4 m each",
        "Turn start: 5 damage (entry #",
        "**25 of 30 HP**",
        "Not ready: Rifle: work the bolt",
        "Effects: Bleeding (5 turns left) · Prone",
        "**With a target**\n- `/roe attack` (1 Action)",
    )
    assert "Sprint" not in shown
    assert "**Sprint**: Kai is prone and can't sprint. Get up first." in await not_now(ring, await card(ring))
    offered = picks(await card(ring))
    assert (offered["Get up"], offered["Work the bolt: Rifle"]) == ("1 movement", "1 Action")
    assert not {"Sprint", "Go prone", "Work the bolt: SMG", "Aim"} & offered.keys()


async def test_acts_are_named_by_what_they_cost_and_end(ring: Ring) -> None:
    """Each cost once; acts that would end nothing aren't offered."""
    await arm_two(ring)
    await ring.begin()
    shown = text(await card(ring))
    assert shown.count("`/roe act` (1 Action): ") == 1
    assert "`/roe act` (1 Action, 1 movement): Pick up" in shown
    assert "Grab (1 Action)" not in shown
    offered = [line for line in shown.splitlines() if line.startswith("- `/roe ")]
    assert len("\n".join(offered)) < 400
    assert any(re.search(r"`/roe act` \(1 Action\): [^,]+, [^,]+, [^,]+ and \d+ more$", line) for line in offered)
    assert "Put out the flames" not in picks(await card(ring))
    assert "**Put out the flames**: Kai has no effect that this would end." in await not_now(ring, await card(ring))
    assert "Sprint" in picks(await card(ring))
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Chemical burn")
    assert "Put out the flames" in picks(await card(ring))
    key = control(await card(ring), "act")["custom_id"]
    with nothing_written(ring.world):
        for word in ("", "turn.", "turn.nothing", "roe.turn-start", "turn.kneel:Rifle", "turn.attack"):
            refused(await send_raw(ring.player, ring.world.orders, key, word))


@pytest.mark.slow
async def test_twelve_with_five_weapons_each_fit(ring: Ring) -> None:
    """Every view of the turn fits Discord's limits."""
    fields = "hp: 30; weapons: " + ", ".join(f"{'Very long weapon name ' * 2}{place} = L_s_Rifle" for place in range(5))
    names = [KAI, CHAR, *(f"Somebody of the long name number {place} in the ring" for place in range(10))]
    for name in names[2:]:
        await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name=name, owner=ring.rival, fields=fields)
    await arm_two(ring, Kai=fields, Char=fields)
    await ring.begin(", ".join(names))
    for name in names:
        for effect in ("Bleeding", "Prone", "Chemical burn"):
            await ring.gm.slash(ring.world.orders, "gm effect", who=name, effect=effect)
    for actor in (ring.player, ring.rival, ring.gm):
        for shown in (await card(ring, actor), response(await ring.use("show", actor))):
            assert len(text(shown)) <= 4000
            assert len([*components(shown)]) <= 40
    assert "lines more" in text(await card(ring, ring.rival))


@pytest.mark.slow
async def test_a_card_with_no_action_left_stays_short(ring: Ring) -> None:
    """Each reason is shown once, in a separate message."""
    await arm_two(ring, Kai="hp: 30; weapons: Gun = M_a_Rifle")
    await ring.begin()
    ring.world.dice.script_dice(*[(100, 2), (100, 90)] * 3)
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, fire="auto", roll="now")
    shown = await card(ring)
    assert "Not ready: Gun: reload (1 Action)" in text(shown)
    assert len(text(shown)) < 700
    assert (await not_now(ring, shown)).count("Kai has no Actions left, and this takes 1.") == 1


async def test_what_is_picked_is_done_at_once_and_once(ring: Ring) -> None:
    """The same card does nothing twice, for others, or later."""
    await arm_two(ring)
    await ring.begin()
    first = await card(ring)
    other = await card(ring)
    key = control(other, "act")["custom_id"]
    assert "It's Kai's turn." in refused(await send_raw(ring.rival, ring.world.orders, key, "turn.kneel"))
    done = await pick(ring, first, "Kneel")
    assert "**Kai** goes down on one knee" in read_answers(done)
    assert "goes down on one knee" in ring.read_newest()
    with nothing_written(ring.world):
        assert "Something happened in this turn since you looked." in refused(await pick(ring, other, "Go prone"))
    assert "Kneel" not in picks(await card(ring))
    await ring.end_turn(ring.player)
    assert "is already over" in refused(await pick(ring, other, "Go prone"))


async def test_a_turn_with_something_unspent_ends_only_when_asked(ring: Ring) -> None:
    """End turn names what is unused and writes nothing before the confirmation."""
    await arm_two(ring)
    await ring.begin()
    post = ring.newest_with("turn:")
    assert [item["label"] for item in components(post) if item["type"] == 2] == ["Show turn", "End turn"]
    with nothing_written(ring.world):
        asked = response(await ring.player.click(post, custom_id=press(post, "turn:")))
        assert_says(text(asked), "End Kai's turn?", "Still unused: 1 Action and 1 Movement phase.")
    await pick(ring, await card(ring), "Sprint")
    await pick(ring, await card(ring), "Kneel")
    assert f"{TRIANGLE} **{CHAR}**" in read_answers(await ring.player.click(post, custom_id=press(post, "turn:")))
    assert "is already over" in refused(await ring.player.click(asked, custom_id=press(asked, "sure")))


@pytest.mark.slow
async def test_a_card_after_a_secret_turn_is_as_if_nobody_came_before(ring: Ring) -> None:
    """The next fighter sees a whole turn."""
    await arm_two(ring)
    await ring.begin(f"{CHAR}, {KAI}, {SHADOW}")
    await ring.end_turn(ring.rival)
    await pick(ring, await card(ring), "Kneel")
    await ring.end_turn(ring.player)
    await ring.end_turn(ring.gm)
    seen = text(await card(ring, ring.rival))
    assert f"It's **{CHAR}**'s turn." in seen
    await ring.use("order", names=f"{SHADOW}, {CHAR}, {KAI}")
    assert "no Actions left" not in text(await card(ring, ring.rival))


async def test_a_card_fits_whatever_somebody_has(ring: Ring) -> None:
    """24 long weapons and all effects fit; acts without weapons come first."""
    weapons = ", ".join(f"Long rifle of the ninth company {place} = M_s_Rifle" for place in range(24))
    await arm_two(ring, Kai=f"hp: 30; weapons: {weapons}")
    book = load_book("roe")
    barring = {fact for bar in book.entries_of(Bar).values() for fact in list_mentioned_facts(bar.when)}
    lasting = [item.label for item in book.effects.values() if f"actor.{item.trait}" not in barring]
    await ring.begin()
    for effect in lasting:
        await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect=effect)
    shown = await card(ring)
    every = [*components(shown)]
    assert len(text(shown)) <= 4000
    assert len(every) <= 40
    assert len(control(shown, "act")["options"]) <= 25
    assert "Get up" in picks(shown)
    assert len(lasting) > 15
    assert "Even more: `/roe act`." in text(shown)


async def test_whoever_arrives_draws_what_the_card_offers(ring: Ring) -> None:
    """Drawing is free on arrival (line 315)."""
    await arm_two(ring)
    await ring.gm.slash(
        ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.player, fields="weapons: Rifle = M_s_Rifle"
    )
    await ring.begin()
    await ring.use("join", character="Haas", how="call")
    await ring.end_turn(ring.player)
    assert "free" in (offered := picks(await card(ring)))["Draw or swap: Rifle"]
    assert {*offered.values()} == {"free"}
    assert "Done: entry" in read_answers(await pick(ring, await card(ring), "Draw or swap: Rifle"))
