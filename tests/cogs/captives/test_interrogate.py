"""Interrogation: every row, cracked or not."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import Any

import pytest
import simcord

from bot.app import FEATURES
from bot.core.database import Database
from bot.core.errors import NeedsReason, NotOpen
from bot.core.ledger import Ledger
from bot.core.profiles import Profile
from bot.kernel import Kernel
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from rules.books.campaign.captivity import CAPTIVE, FATE
from rules.dice import ScriptedDice
from rules.library import Composer
from tests.cogs.captives.cells import add_effect, counts, interrogation, move, read_value, save, sound, take
from tests.support.acting import close_update, details_of, moved
from tests.support.backend import GM, STAFF, House, scouting
from tests.support.prepared import prepared
from tests.support.reading import assert_says, newest, odds, press, refused, response, said, text, ticked
from tests.support.world import BOOKS, Clock, CountedRandomness, World, nothing_written, written

NOTHING: dict[str, Any] = {}
HURT, CRACK, DEAD, BATTERED = {"hurt": 1}, {"crack": True}, {"dead": True}, {"battered": True}
ONE, ALL = {"passwords": 1}, {"passwords": None}
FRESH = {
    **dict.fromkeys((-4, 1, 12), NOTHING),
    13: HURT,
    **dict.fromkeys((14, 15), CRACK),
    16: HURT | CRACK,
    17: DEAD,
    18: BATTERED,
    **dict.fromkeys((19, 20), CRACK),
    **dict.fromkeys((21, 22), HURT | CRACK),
    **dict.fromkeys((23, 24), HURT | ALL),
    **dict.fromkeys((25, 60), DEAD),
}
"""What each total of the page does to a captive who has not cracked (lines 285-295)."""

BROKEN = {
    **FRESH,
    **dict.fromkeys((14, 15), NOTHING),
    16: HURT,
    19: ONE,
    20: ALL,
    **dict.fromkeys((21, 22), HURT | ALL),
}
"""The same for one who has."""


@pytest.mark.parametrize("injured", [False, True], ids=["whole", "injured"])
@pytest.mark.parametrize("cracked", [False, True], ids=["fresh", "cracked"])
async def test_every_row_is_applied_in_its_own_entry(house: House, *, cracked: bool, injured: bool) -> None:
    """Each total does what its line says."""
    for total, wanted in (BROKEN if cracked else FRESH).items():
        name, side = f"Amuro {total}", f"Side {total}"
        await save(house.database, Profile(name, "pc", side=side))
        await take(house, name)
        if cracked:
            await add_effect(house.database, name, "cracked")
        if injured:
            await add_effect(house.database, name, "injured", levels=[2])
        plus = total - 10 - 2 * cracked - injured
        rolled = await house.roll(interrogation(name, plus=plus), 10)
        step = rolled.entry.content()["parts"][0]["steps"][0]
        assert (total, step["total"]) == (total, total)
        before = {"cracked": cracked, "injured": injured, "entry": rolled.entry.number}
        assert (total, await describe_outcome(house, name, side, rolled)) == (total, expect_outcome(wanted, before))
    assert await sound(house)


async def describe_outcome(house: House, name: str, side: str, rolled: RollResult) -> dict[str, Any]:
    """What became of a captive."""
    held, number = await read_value(house, name), rolled.entry.number
    theirs = (await read_value(house, side)).get("effect.password-known")
    mine = held.get("effect.password-known")
    return {
        "captive": CAPTIVE in held,
        "fate": held.get(FATE, {}).get("fate"),
        "cracked": "effect.cracked" in held,
        "injuries": held.get("effect.injured", {}).get("levels", []),
        "battered": "effect.seriously-injured" in held,
        "passwords": mine and (mine["entry"], mine["count"]),
        "of the side": theirs and (theirs["entry"], theirs["count"]),
        "to be written": (f"writeup:{number}.0", "writeup") in await house.state(),
        "posts": [(item.kind, item.channel_id) for item in rolled.posts],
    }


def expect_outcome(wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """What should have become of the captive."""
    number, dead = before["entry"], "dead" in wanted
    given = "passwords" in wanted
    return {
        "captive": not dead,
        "fate": "killed" if dead else None,
        "cracked": (before["cracked"] or "crack" in wanted) and not dead,
        "injuries": [2] * before["injured"] + [1] * ("hurt" in wanted),
        "battered": "battered" in wanted,
        "passwords": (number, wanted["passwords"]) if given else None,
        "of the side": (number, wanted["passwords"]) if given else None,
        "to be written": dead or "battered" in wanted,
        "posts": [("staff", STAFF)] + [("notice", STAFF)] * given,
    }


async def test_interrogators_count_once_each_line_and_make_one_roll(house: House) -> None:
    """Three interrogators are one part, and a shared line counts once (IN-7)."""
    await save(
        house.database,
        Profile("Hauer", "npc", traits={"interrogation": 1, "ss": 1}),
        Profile("Stahl", "npc", traits={"interrogation": 1}),
        Profile("Fort Anvil", "base", traits={"enlarged-cellblock": 1}),
    )
    await take(house, "Amuro")
    (part,) = (await house.roll(interrogation("Amuro", "Hauer", "Stahl", "Nobody"), 10)).entry.content()["parts"]
    (step,) = part["steps"]
    counted = {item["id"]: item["origin"]["label"] for item in step["modifiers"] if item["count"]}
    assert counted == {
        "base.enlarged-cellblock": "Fort Anvil",
        "interrogator.ss-or-rogue": "Hauer",
        "interrogator.interrogation": "Stahl",
    }
    assert (step["faces"], step["total"]) == ([10], 13)
    assert part["subjects"]["interrogator"] == "Hauer, Stahl, Nobody"


async def test_a_captive_has_no_squad_and_a_leader_of_no_rogues_no_line(house: House) -> None:
    """No squad traits; a leader counts for rogues only (IN-3)."""
    await save(
        house.database,
        Profile("Hawks", "squad", traits={"newtype": 1, "lucky": 1}),
        Profile("Amuro", "pc", squad="Hawks"),
        Profile("Hauer", "npc", traits={"ss": 1, "team-leader": 1}),
        Profile("Rolf", "npc", traits={"rogue": 1}),
    )
    await take(house, "Amuro")
    (part,) = (await house.roll(interrogation("Amuro", "Hauer", "Rolf"), 1)).entry.content()["parts"]
    assert {item["id"] for item in part["steps"][0]["modifiers"] if item["count"]} == {"interrogator.ss-or-rogue"}
    (part,) = (await house.roll(scouting("Fort Basalt", "Amuro"), 10)).entry.content()["parts"]
    assert {item["id"] for item in part["steps"][0]["modifiers"] if item["count"]} == {"scouter.captive"}


async def test_a_second_interrogation_asks_for_a_reason_whoever_interrogates(house: House) -> None:
    """Others need one too, until the next update."""
    await take(house, "Amuro")
    await house.roll(interrogation("Amuro", "Stahl"), 10)
    await move(house, "amuro", "Luna")
    before = await counts(house)
    with pytest.raises(NeedsReason, match="entry #3"):
        await house.roll(interrogation("Amuro", "Hauer", at="Luna"))
    assert await counts(house) == before
    assert (await house.roll(interrogation("Amuro", "Hauer", at="Luna", reason="By the rules"), 10)).entry.number == 5
    await house.close_update()
    assert (await house.roll(interrogation("Amuro", "Hauer", at="Luna"), 10)).entry.number == 7


async def test_of_two_interrogations_at_once_one_is_rolled(house: House) -> None:
    """The second one draws no die."""
    await take(house, "Amuro")
    second = Database(house.database.engine.url.render_as_string(hide_password=False))
    house.dice.script(14)
    try:
        services = [(house.database, house.resolver), (second, another(second, 14))]
        orders = [RollOrder(house.campaign.id, GM.user_id, interrogation("Amuro", by)) for by in ("Stahl", "Hauer")]
        presses = (
            database.write(resolver.roll, order) for (database, resolver), order in zip(services, orders, strict=True)
        )
        answers = await asyncio.gather(*presses, return_exceptions=True)
    finally:
        await second.close()
    assert sorted(type(item).__name__ for item in answers) == ["NeedsReason", "RollResult"]
    (refusal,) = [item for item in answers if isinstance(item, NeedsReason)]
    assert "entry #3" in str(refusal)
    assert [item.kind for item in await house.entries()] == ["campaign", "captive", "roll"]
    assert (await read_value(house, "Amuro"))["effect.cracked"]["entry"] == 3
    assert await sound(house)


def another(database: Database, *faces: int) -> Resolver:
    """The resolver of another process."""
    ledger = Ledger(Clock(), CountedRandomness())
    dice = ScriptedDice.of(faces, 20)
    return Kernel.build(
        FEATURES, database=database, ledger=ledger, books=BOOKS, composer=Composer(), dice=dice
    ).resolver


async def test_only_a_captive_is_interrogated_where_the_captive_is_held(house: House) -> None:
    """Nothing is rolled or written."""
    await take(house, "Amuro")
    before = await counts(house)
    with pytest.raises(NotOpen, match="Kai isn't a captive"):
        await house.roll(interrogation("Kai"))
    with pytest.raises(NotOpen, match="Amuro is now held at Fort Anvil"):
        await house.roll(interrogation("Amuro", at="Luna"))
    assert await counts(house) == before


async def interrogate(world: World, **options: str) -> simcord.InteractionResult:
    """Interrogate as the game master does."""
    return await world.gm.slash(world.orders, "interrogate", **{"captive": "Amuro", "interrogators": "Stahl"} | options)


@prepared
async def hold_captive(world: World, name: str = "Amuro", at: str = "Fort Anvil") -> None:
    """Take a captive."""
    await world.gm.slash(world.orders, "capture", captive=name, by="Red", at=at)


async def test_the_card_says_what_each_outcome_does_to_this_captive(world: World) -> None:
    """Cracked, the card shows other outcomes."""
    await hold_captive(world)
    fresh = response(await interrogate(world))
    follows = await details_of(world.gm, fresh)
    assert "-# Amuro begins to crack" in follows
    assert "-# Amuro is injured (level 1). Amuro reveals all board passwords" not in follows
    assert {"The captive begins to crack", "The captive is accidentally killed"} < set(odds(fresh))
    world.dice.script(14)
    await world.gm.click(fresh, custom_id=press(fresh, "roll"))
    await close_update(world)

    broken = response(await interrogate(world))
    assert ticked(broken, "captive") == {"captive.cracked"}
    assert "The captive begins to crack" not in odds(broken)
    assert {"The captive reveals one board password", "The captive reveals every board password"} < set(odds(broken))
    follows = await details_of(world.gm, broken)
    assert "-# Amuro is injured (level 1). Amuro reveals all board passwords" in follows
    assert "-# Amuro dies. Write-up needed" in follows


async def test_a_card_with_the_longest_names_stays_inside_what_discord_takes(world: World) -> None:
    """4,000 characters hold every outcome."""
    name = "*" * 60
    await hold_captive(world, name, at="_" * 60)
    book = BOOKS["campaign"]
    lines = book.table("campaign.interrogation").modifiers
    ids = {item.one_of or item.id: item.id for item in lines if item.id != "interrogator.merciless"}.values()
    card = response(
        await interrogate(
            world,
            captive=name,
            interrogators=", ".join(f"{number}{'~' * 59}" for number in range(10)),
            modifiers=", ".join(ids),
            note="n" * 500,
        )
    )
    assert len(text(card)) <= 4000
    assert sum(1 for line in text(card).splitlines() if line.startswith("`")) == len(odds(card)) > 5
    follows = await details_of(world.gm, card)
    assert len(follows) <= 4000
    assert "-# " in follows.partition("**Exact odds**")[2]
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))


async def test_of_a_captive_without_a_side_no_side_is_promised(house: House) -> None:
    """The note says so, and what to do."""
    await take(house, "Amuro")
    rolled = await house.roll(interrogation("Amuro", plus=13), 10)
    (note,) = [item.payload or "" for item in rolled.posts if item.kind == "notice"]
    assert_says(note, "The captive has no side yet", "/gm effect")


async def test_a_captive_moved_or_killed_between_card_and_press_is_not_rolled_for(world: World) -> None:
    """The press says so, and nothing is written."""
    await hold_captive(world)
    card = response(await interrogate(world))
    await moved(world.gm, world.orders, captive="Amuro", at="Luna")
    with nothing_written(world):
        assert "Amuro is now held at Luna" in refused(await world.gm.click(card, custom_id=press(card, "roll")))
    world.dice.script(17)
    await interrogate(world, roll="now")
    with nothing_written(world):
        assert "Amuro isn't a captive" in refused(await world.gm.click(card, custom_id=press(card, "roll")))


async def test_a_second_interrogation_at_once_takes_the_note_for_its_reason(world: World) -> None:
    """Without a note it's refused."""
    await hold_captive(world)
    world.dice.script(10)
    await interrogate(world, roll="now")
    before = written(world)
    assert "write your reason as the note" in refused(await interrogate(world, interrogators="Hauer", roll="now"))
    assert written(world) == (before[0], before[1] + 1, before[2] + 1, before[3]), "one card waits for the reason"
    world.dice.script(10)
    assert "Rolled: entry" in said(await interrogate(world, interrogators="Hauer", roll="now", note="Two shifts"))
    assert "**Rolled again because:** Two shifts" in text(newest(world.staff))


async def test_where_captive_and_interrogator_are_at_home_counts_for_nothing(world: World) -> None:
    """Other people's regions don't count."""
    await save(world.bots[0].database, Profile("Amuro", "pc", region="India"), Profile("Stahl", "pc", region="India"))
    await hold_captive(world)
    assert "no region" in said(await interrogate(world))


BAD = [
    ({"captive": " "}, "at least one captive"),
    ({"captive": "Amuro, Kai"}, "I need one captive"),
    ({"captive": "n" * 61}, "is too long"),
    ({"captive": "Kai"}, "Kai isn't a captive"),
    ({"interrogators": ","}, "at least one interrogator"),
    ({"interrogators": "Stahl, stahl"}, "named twice"),
    ({"interrogators": "Stahl,, Hauer"}, "One interrogator has no name"),
    ({"interrogators": ", ".join(map(str, range(11)))}, "11 names"),
    ({"interrogators": "Stahl, amuro"}, "is on both sides"),
    ({"modifiers": "captive.xyz"}, "I don't know the modifier"),
    ({"modifiers": "+2"}, "has no reason"),
    ({"note": "n" * 501}, "501 characters"),
]
"""What is typed, and what is said of it."""


async def test_bad_input_is_refused(world: World) -> None:
    """Privately, and nothing is written."""
    await hold_captive(world)
    for (options, words), roll in product(BAD, ("card", "now")):
        with nothing_written(world, options):
            answer = refused(await interrogate(world, **options, roll=roll)).replace("\\", "")
            assert words in answer, options


async def test_players_learn_nothing_of_captives(world: World) -> None:
    """Only their own characters are offered."""
    await hold_captive(world)
    with nothing_written(world):
        for name in ("Amuro", "Kai"):
            answer = refused(
                await world.player.slash(world.orders, "interrogate", captive=name, interrogators="Stahl", roll="now")
            )
            assert "the interrogation roll is for game masters" in answer
    await hold_captive(world, "Amalia")
    offered = await world.gm.autocomplete(world.orders, "interrogate", "captive", "am", interrogators="x")
    assert [item["value"] for item in offered] == ["Amalia", "Amuro"]
    assert await world.player.autocomplete(world.orders, "interrogate", "captive", "am", interrogators="x") == []
