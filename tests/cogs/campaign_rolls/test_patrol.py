"""`/patrol`, from command to entry."""

from __future__ import annotations

from typing import Any

import pytest

from rules.books.campaign.orders import STANCE
from tests.support.acting import close_update, more, more_of, roll_command
from tests.support.reading import assert_says, components, newest, press, refused, response, said, text
from tests.support.subjects import kept
from tests.support.world import World, entry, entry_texts, nothing_written, rows, send_raw

TEN = ", ".join(f"Target {number}" for number in range(1, 11))


async def roll(world: World, *faces: int, target: str = "Zaku column", **options: Any) -> str:  # noqa: ANN401
    """Roll at once; return the receipt."""
    result = await roll_command(world, "patrol", *faces, patrol="Kilo", target=target, roll="now", **options)
    world.dice.finish()
    assert result.ephemeral
    return said(result)


def count_modifiers(step: dict[str, Any]) -> dict[str, int]:
    """What counted in a step."""
    return {item["id"]: item["count"] for item in step["modifiers"] if item["count"]}


def outcomes(body: dict[str, Any]) -> list[str | None]:
    """Outcomes by part, None without dice."""
    return [part["outcome"] and part["outcome"]["id"] for part in body["parts"]]


def deeds(part: dict[str, Any]) -> set[str]:
    """What follows from a part."""
    return {item["do"] for item in part["consequences"]}


async def test_a_hidden_target_is_revealed_by_the_second_table(world: World) -> None:
    """For this update, even if it's let through."""
    await roll(world, 19, 13, target="Ghost:neutral", modifiers="target.hidden")
    assert "reveal" in deeds(entry(world)["parts"][0])
    assert "effect.revealed" in kept(world, "Ghost")
    embed = text(newest(world.results))
    assert_says(embed, "Ghost is revealed", "Dice and modifiers: game masters only")
    assert "19" not in embed, "being hidden is secret, so the public sees no die"
    assert "1d20: **19**" in text(newest(world.staff))


async def test_a_target_ambushed_today_fights_only_the_ambush(world: World) -> None:
    """An ambush replaces the catch's battle."""
    await roll(world, 18, modifiers="target.ambushed-today")
    typed = entry(world)
    assert outcomes(typed) == ["caught-ambushed"]
    assert deeds(typed["parts"][0]) == {"no-battle", "stop", "stop-used"}

    card = response(await world.gm.slash(world.orders, "patrol", patrol="Lima", target="Dom squad"))
    await world.gm.select(card, ["target.ambushed-today"], custom_id=await more(world.gm, card, "tick:also true:0"))
    assert "Caught, but only the ambush is fought" in text(card)
    world.dice.script(18)
    await world.gm.click(card, custom_id=press(card, "roll"))
    ticked = entry(world)
    assert ticked["parts"][0]["outcome"] == typed["parts"][0]["outcome"]


async def test_ten_targets_are_rolled_and_eleven_refused(world: World) -> None:
    """The eleventh is refused."""
    await roll(world, *[17] * 10, target=TEN)
    assert outcomes(entry(world)) == ["no-catch"] * 10
    with nothing_written(world):
        result = await world.gm.slash(world.orders, "patrol", patrol="Lima", target=f"{TEN}, Target 11", roll="now")
        assert "up to 10" in refused(result)


@pytest.mark.parametrize(
    "modifiers",
    [
        pytest.param(
            "patrol.fleet, service.balloon*2, weather.hides-ground, +2 sandstorm at dusk", marks=pytest.mark.slow
        ),
        pytest.param(
            "PATROL.Fleet,Service.Balloon x2,WEATHER.HIDES-GROUND,+2 sandstorm at dusk", marks=pytest.mark.slow
        ),
        "Patrol is a fleet, Balloon services bought \N{MULTIPLICATION SIGN} 2, Storms or Fog on ground units, Overcast on flyers, +2 sandstorm at dusk",
        pytest.param(
            "patrol is a FLEET,  balloon  services bought*2, storms or fog on ground units, overcast on flyers, + 2 sandstorm at dusk,",
            marks=pytest.mark.slow,
        ),
    ],
)
async def test_modifiers_are_typed_by_id_or_label(world: World, modifiers: str) -> None:
    """Case doesn't matter, and labels can have commas."""
    await roll(world, 10, modifiers=modifiers)
    (step,) = entry(world)["parts"][0]["steps"]
    assert count_modifiers(step) == {"patrol.fleet": 1, "service.balloon": 2, "weather.hides-ground": 1}
    assert (step["sum"], step["total"]) == (5 - 2 - 1 + 2, 14)
    assert [item["value"] for item in step["adjustments"]] == [2]
    assert entry_texts(world, 3) == {"adjustment.0.0": "sandstorm at dusk"}


@pytest.mark.parametrize("sign", ["-", "\N{MINUS SIGN}"])
async def test_an_adjustment_may_take_away(world: World, sign: str) -> None:
    """A hyphen and a minus sign."""
    await roll(world, 20, modifiers=f"{sign}3 tired crews")
    (step,) = entry(world)["parts"][0]["steps"]
    assert (step["total"], step["adjustments"][0]["value"]) == (17, -3)
    assert "tired crews" in text(newest(world.staff))


@pytest.mark.parametrize(
    ("to", "audience", "public", "staff"),
    [
        ("auto", "results", True, False),
        pytest.param("results", "results", True, False, marks=pytest.mark.slow),
        ("staff", "staff", False, True),
        ("me", "person", False, False),
    ],
)
async def test_the_game_master_chooses_where_a_result_goes(
    world: World, to: str, audience: str, *, public: bool, staff: bool
) -> None:
    """A private result is posted nowhere."""
    result = await roll_command(world, "patrol", 18, patrol="Kilo", target="Zaku", to=to, roll="now")
    assert (world.results.last_message is not None, world.staff.last_message is not None) == (public, staff)
    assert rows(world, "select audience from entry where number = 3") == [(audience,)]
    answer = [message for message in result.followups if "1d20: **18**" in text(message)]
    assert len(answer) == (to == "me")
    assert all(message.ephemeral for message in result.followups)


async def test_a_card_and_roll_now_come_to_the_same(world: World) -> None:
    """The same dice give the same entry."""
    options = {
        "patrol": "Kilo",
        "target": "Ghost:neutral, Zaku column",
        "modifiers": "patrol.ship, target.lucky, +1 dusk",
    }
    await roll(world, 17, 4, **{key: value for key, value in options.items() if key != "patrol"})
    now = entry(world)
    await close_update(world, name="Update 1")
    card = response(await world.gm.slash(world.orders, "patrol", **options))
    world.dice.script(17, 4)
    await world.gm.click(card, custom_id=press(card, "roll"))
    by_card = entry(world)
    assert outcomes(now) == ["blocked", None]
    for body in (now, by_card):
        del body["update"], body["changes"], body["situation"]["salt"]
    assert now == by_card


async def test_the_stance_alone_decides_its_lines(world: World) -> None:
    """Lines of other stances can't be used."""
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", stance="unfriendly"))
    first = list(components(card))
    offered = {
        one["value"]
        for item in (*first, *components(await more_of(world.gm, card)))
        if item["type"] == 3 and "tick" in item["custom_id"]
        for one in item["options"]
    }
    assert "target.smuggler" in offered
    assert not offered & {f"target.{stance}" for stance in STANCE.options}
    shown = await world.gm.select(card, ["target.smuggler"], custom_id=await more(world.gm, card, "tick:passage:0"))
    forged = press(response(shown), "tick:passage:0")
    answer = said(await send_raw(world.gm, world.orders, forged, "target.smuggler", "target.friendly", on=card))
    assert "Target has Smuggler" in answer
    assert "Friendly or allied" not in answer
    with nothing_written(world):
        for typed in ("target.friendly", "Friendly or allied target", "target.unfriendly"):
            options = {"patrol": "Kilo", "target": "Ghost", "stance": "unfriendly", "modifiers": typed}
            refused(await world.gm.slash(world.orders, "patrol", **options, roll="now"))
    await roll(world, 18, 10, target="Ghost", stance="unfriendly")
    _, passage = entry(world)["parts"][0]["steps"]
    assert count_modifiers(passage) == {"target.unfriendly": 1}


@pytest.mark.parametrize("ticked", ["target.rogue-merchant-contact", "Rogue target uses a Merchant Contact"])
async def test_a_rogue_with_a_contact_uses_the_contact_on_both_tables(world: World, ticked: str) -> None:
    """One tick counts on both tables (lines 62 and 77)."""
    await roll(world, 20, 10, target="Ghost:neutral", modifiers=f"{ticked}, patrol.fleet")
    catch, passage = entry(world)["parts"][0]["steps"]
    assert count_modifiers(catch) == {"target.rogue-merchant-contact": 1, "patrol.fleet": 1}
    assert count_modifiers(passage) == {"target.contact-or-transport": 1}
    assert (catch["total"], passage["total"]) == (22, 11)
