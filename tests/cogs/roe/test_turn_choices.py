"""The turn card's selects: attacks, acts on someone, loot and captives, each by few presses."""

from __future__ import annotations

from typing import Any

from tests.cogs.roe.attacking import equip
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Actor, Ring, read_answers
from tests.support.prepared import prepared
from tests.support.reading import assert_says, components, control, labels, offers, press, refused, response, text
from tests.support.world import nothing_written, send_raw

ARMS = "weapons: Rifle = L_s_Rifle, SMG = S_a_SMG"


@prepared
async def arm(ring: Ring, who: str = f"{KAI}, {CHAR}", **fields: str) -> None:
    """Arm the fighters, and begin a fight in which Kai has the turn."""
    await equip(ring, **{"kai": ARMS, **fields})
    await ring.begin(who)


class Card:
    """A turn card, and how often it was pressed."""

    def __init__(self, ring: Ring, actor: Actor) -> None:
        self.ring, self.actor, self.presses = ring, actor, 0
        self.shown: Any = None

    async def press(self, label: str, message: Any = None) -> Any:  # noqa: ANN401 - a message
        """Press a button, by default of what is shown."""
        self.presses += 1
        self.shown = response(await self.actor.click(message or self.shown, label=label))
        assert self.shown.ephemeral
        return self.shown

    async def pick(self, deed: str, label: str) -> Any:  # noqa: ANN401 - a message
        """Pick an option by what it shows."""
        self.presses += 1
        key, value = find_option(self.shown, deed, label)
        self.shown = response(await self.actor.select(self.shown, [value], custom_id=key))
        assert self.shown.ephemeral
        return self.shown


async def open_card(ring: Ring, actor: Actor | None = None) -> Card:
    """Type `/fight turn`."""
    card = Card(ring, actor or ring.player)
    card.shown = response(await ring.use("turn", card.actor))
    return card


def list_options(message: Any, deed: str) -> dict[str, str]:  # noqa: ANN401 - a message
    """The options of a deed's selects: what they show, and their values."""
    found = [item for item in components(message) if f":{deed}" in item.get("custom_id", "")]
    return {item["label"]: item["value"] for each in found for item in each["options"]}


def find_option(message: Any, deed: str, label: str) -> tuple[str, str]:  # noqa: ANN401 - a message
    """The id of a select, and the value of one of its options."""
    control(message, deed)
    return next(
        (each["custom_id"], item["value"])
        for each in components(message)
        if f":{deed}" in each.get("custom_id", "")
        for item in each["options"]
        if item["label"] == label
    )


async def test_an_attack_takes_six_presses_with_the_end_of_the_turn(ring: Ring) -> None:
    """Show turn, target, weapon, Roll, End turn, and that what is left stays unused."""
    await arm(ring)
    card = Card(ring, ring.player)
    await card.press("Show turn", ring.newest_with("turn"))
    await card.pick("target:", CHAR)
    ring.world.dice.script_dice((100, 80), (100, 20), (50, 12))
    await card.pick("with:", "Rifle")
    assert "Exact odds" in text(card.shown)
    await card.press("Roll")
    ring.world.dice.finish()
    await card.press("End turn")
    await card.press("End turn anyway")
    assert card.presses <= 6
    assert f"round 1, {CHAR}'s turn" in ring.read_newest()


async def test_a_wrong_pick_leads_back_to_the_turn(ring: Ring) -> None:
    """The question names the target as it was picked, and has a way back."""
    await arm(ring)
    card = await open_card(ring)
    await card.pick("target:", CHAR)
    assert_says(text(card.shown), f"attacks {CHAR}\n")
    await card.press("Back to the turn")
    assert CHAR in list_options(card.shown, "target:")
    assert "End turn" in labels(card.shown)
    assert "Show turn" not in labels(card.shown)


async def test_each_weapon_is_offered_with_its_ways(ring: Ring) -> None:
    """What isn't ready comes last and says why; a sneak attack is offered once it's set up."""
    await arm(ring)
    card = await open_card(ring)
    await card.pick("target:", CHAR)
    ways = list_options(card.shown, "with:")
    assert {"Rifle", "SMG", "SMG: auto"} <= ways.keys()
    assert not any("sneak" in label for label in ways)
    await card.pick("far:", "40 m")
    assert "Distance: 40 m" in control(card.shown, "far:")["placeholder"]
    await card.pick("with:", "SMG: auto")
    assert "With SMG, automatic fire, 40 m" in text(card.shown)
    ring.world.dice.script_dice((100, 80), (100, 90))
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, roll="now")
    for _ in range(2):
        await ring.end_turn(ring.gm)
    card = await open_card(ring)
    await card.pick("target:", CHAR)
    shown = [
        item for each in components(card.shown) if ":with:" in each.get("custom_id", "") for item in each["options"]
    ]
    assert [bool(item.get("description")) for item in shown] == sorted(bool(item.get("description")) for item in shown)
    assert (shown[-1]["label"].partition(":")[0], shown[-1]["description"][:9]) == ("Rifle", "Not ready")


async def test_a_fighter_who_hides_is_no_target(ring: Ring) -> None:
    """Nor is one that the player may not know, whatever number is sent; a game master sees both."""
    await arm(ring, f"{KAI}, {CHAR}, {SHADOW}")
    card = await open_card(ring)
    assert {*list_options(card.shown, "target:")} == {CHAR}
    key = press(card.shown, "target:")
    with nothing_written(ring.world):
        for number in (ring.number(SHADOW), ring.number(KAI), 999):
            what = refused(await send_raw(ring.player, ring.world.orders, key, str(number)))
            assert "That target isn't in this fight any more." in what
    led = await open_card(ring, ring.gm)
    assert {*list_options(led.shown, "target:")} == {CHAR, SHADOW}


async def test_an_act_on_someone_asks_for_a_target_and_then_a_value(ring: Ring) -> None:
    """An act without a value is done, or opens its card, once the target is picked."""
    await arm(ring)
    card = await open_card(ring)
    offered = list_options(card.shown, "on:")
    assert {"Grab", "Pick up"} <= offered.keys()
    await card.pick("on:", "Grab")
    assert {*list_options(card.shown, "other:")} == {CHAR}
    await card.pick("other:", CHAR)
    assert "Exact odds" in text(card.shown)
    card = await open_card(ring)
    await card.pick("on:", "Load special ammunition")
    kinds = list_options(card.shown, "value:")
    assert {kind.partition(": ")[0] for kind in kinds} == {"Rifle", "SMG"}
    await card.pick("value:", next(kind for kind in kinds if kind.startswith("SMG: ")))
    assert "loads special ammunition" in text(card.shown)


async def test_loot_and_captives_open_their_card(ring: Ring) -> None:
    """Only ways with someone to do them to are offered; the roll is that of `/roe take` and `/roe capture`."""
    await arm(ring)
    card = await open_card(ring)
    await card.press("Loot or capture")
    ways = list_options(card.shown, "spoil:")
    assert "Steal from a pocket, unseen" in ways
    assert "Loot a downed target" not in ways
    await card.pick("spoil:", "Steal from a pocket, unseen")
    await card.pick("of:", CHAR)
    assert "Exact odds" in text(card.shown)
    assert offers(card.shown, "roll")
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Stunned")
    card = await open_card(ring)
    await card.press("Loot or capture")
    assert list_options(card.shown, "spoil:")


async def test_a_late_press_does_nothing_and_says_what_happened(ring: Ring) -> None:
    """Also once the turn is over, and for others."""
    await arm(ring)
    card = await open_card(ring)
    target, on, spoils = (press(card.shown, deed) for deed in ("target:", "on:", "spoils:"))
    await card.pick("target:", CHAR)
    weapon, value = find_option(card.shown, "with:", "Rifle")
    char = str(ring.number(CHAR))
    presses = ((target, (char,)), (on, ("turn.grab",)), (spoils, ()), (weapon, (value,)))
    with nothing_written(ring.world):
        for key, picked in presses:
            assert "It's Kai's turn." in refused(await send_raw(ring.rival, ring.world.orders, key, *picked))
            refused(await send_raw(ring.world.stranger, ring.world.orders, key, *picked))
    assert "one knee" in read_answers(await ring.player.slash(ring.world.orders, "roe act", what="Kneel"))
    with nothing_written(ring.world):
        for key, picked in presses:
            what = refused(await send_raw(ring.player, ring.world.orders, key, *picked))
            assert_says(
                what, "Something happened in this turn since you looked.", "Kneel · Kai goes down on one knee (#"
            )
    await ring.end_turn(ring.player)
    with nothing_written(ring.world):
        for key, picked in presses:
            assert "is already over" in refused(await send_raw(ring.player, ring.world.orders, key, *picked))


async def test_forged_picks_are_refused(ring: Ring) -> None:
    """Odd words, acts of other commands, and numbers that were never offered."""
    await arm(ring, f"{KAI}, {CHAR}, {GUARD}")
    card = await open_card(ring)
    target, on, spoils = (press(card.shown, deed) for deed in ("target:", "on:", "spoils:"))
    await card.pick("target:", CHAR)
    weapon, value = find_option(card.shown, "with:", "Rifle")
    far = press(card.shown, "far:")
    spoil = spoils.replace(":spoils:", ":spoil:")
    with nothing_written(ring.world):
        for key, picked in (
            (target, ""),
            (target, "Char"),
            (on, ""),
            (on, "turn.attack"),
            (on, "turn.kneel"),
            (on, "turn.nothing"),
            (weapon, "Rifle"),
            (weapon, "cannon:"),
            (weapon, "rifle:laser"),
            (weapon.replace(":usual:", ":7:"), value),
            (far, "7"),
            (far, "far"),
            (spoil, "take.all"),
            (spoil.replace(":spoil:", ":of:") + ":take.body:0", str(ring.number(CHAR))),
            (target.replace(":target:", ":target:1."), "1"),
        ):
            refused(await send_raw(ring.player, ring.world.orders, key, picked))
    assert "Attack …" in str([item.get("placeholder") for item in components((await open_card(ring)).shown)])
    assert "Loot or capture" in labels((await open_card(ring)).shown)
