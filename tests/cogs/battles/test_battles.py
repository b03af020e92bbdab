"""`/events`: a battle as it is fought, turn by turn, and who may do what."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from bot.cogs.battles import FEATURE
from bot.core.campaigns import open_campaign
from tests.cogs.battles.battlefield import (
    FORD,
    ask,
    battle_over,
    begun,
    check,
    ford,
    join,
    option,
    posted,
    selects,
    sound,
    state,
    told,
)
from tests.support.acting import close_update
from tests.support.reading import components, refused, response, said
from tests.support.world import World, entry, entry_texts, rows, send_raw, written

MINUS = "\N{MINUS SIGN}"


async def test_a_turn_is_checked_for_all_units_and_told_in_one_public_post(world: World) -> None:
    """A die for each unit in the roster's order, an event for each 1, all in one entry and one post for both sides."""
    await ford(world, reds="Archers, Pikes", blues="Ogres, Harpies")
    before = len(world.results.history())
    answer = told(await check(world, [1, 2, 4, 1], (100, 12), (100, 66)))
    assert "1 event befalls Archers" in answer
    assert len(world.results.history()) == before + 1
    public = posted(world)
    assert f"Turn check of **{FORD}** (turn 1)" in public
    assert "2d4: **1, 2** → 1 for Archers" in public
    assert "d100: **12** → 12, Rumours: ML +1 (this turn)" in public
    assert "d100: **66** → Nothing happens" in public
    body = entry(world)
    assert (body["family"], body["turn"], body["parts"][0]["audience"]) == ("random-events", 1, "results")
    assert body["parts"][0]["record"]["checks"] == [["Archers", 1], ["Pikes", 2], ["Ogres", 4], ["Harpies", 1]]


async def test_what_is_in_force_is_shown_with_sums_until_the_turn_ends(world: World) -> None:
    """`/events active` adds up ML, AR and AD per unit; what is of the turn ends with it, the rest with the battle."""
    await ford(world, reds="Archers", blues="Ogres")
    await check(world, [1, 1], (100, 12), (100, 59))
    await check(world, [1, 2], (100, 3), reason="the first fell off the table")
    shown = await ask(world, "active", world.player)
    assert "**Archers** · ML +2" in shown
    assert "**Ogres** · AR +1" in shown
    assert "Rumours (12): ML +1 · this turn · turn 1, entry #7" in shown
    ended = await ask(world, "turn")
    assert "turn 1 has ended, turn 2 begins" in ended
    assert "Archers: Rumours (12): ML +1 — ended" in ended
    assert "Rusty armour (59): AR" not in ended
    assert "In force still: Rusty armour (59) on Ogres; Bonus promised (3) on Archers" in ended
    assert "In force still: Rusty armour (59) on Ogres; Bonus promised (3) on Archers" in posted(world)
    shown = await ask(world, "active")
    assert f"{FORD}, turn 2" in shown
    assert "**Archers** · ML +1\n" in shown
    over = await battle_over(world)
    assert "Ogres: Rusty armour (59): AR +1 until the battle ends — ended" in over
    assert state(world, "effect.") == {}
    assert f"**{FORD}** · Reds against Blues · over since turn 2" in await ask(world, "battle", action="list")
    assert await sound(world)


@pytest.mark.slow
async def test_the_effects_are_those_of_the_campaign(world: World) -> None:
    """`/effect list` tells them with their own labels and ends; no update ends them, and `/effect clear` leaves them be."""
    await ford(world, reds="Archers", blues="Ogres")
    await check(world, [1, 1], (100, 57), (100, 51))
    line = f"Lost confidence (51): ML {MINUS}1 until the battle ends · since entry #7 · until {FORD} is over"
    for actor in (world.gm, world.player):
        assert line in said(await actor.slash(world.orders, "effect list"))
    assert "Ogres: lost confidence (51)" in said(await world.gm.slash(world.orders, "update show"))
    await close_update(world)
    assert f"until the end of turn 1 of {FORD}" in said(await world.gm.slash(world.orders, "effect list"))
    (long,) = await world.gm.autocomplete(world.orders, "effect clear", "effect", "", who="Archers")
    assert long["name"].endswith("…")
    assert long["value"] == "event-7.0"
    before = written(world)
    for who, effect in (("Archers", long["value"]), ("OGRES", "event-7.1")):
        result = await world.gm.slash(world.orders, "effect clear", who=who, effect=effect)
        assert f"That belongs to {FORD}: end it with /events use, which tells everybody." in refused(result)
    assert written(world) == before
    assert line in said(await world.gm.slash(world.orders, "effect list"))
    assert await sound(world)


@pytest.mark.slow
async def test_what_outlives_its_battle_is_cleared_like_any_effect(world: World) -> None:
    """Treachery is for good: a game master cannot clear it while the battle is fought, and can once it is over."""
    await ford(world, reds="Archers, Pikes", blues="Ogres")
    await check(world, [1, 2, 2], (100, 35))
    clear = {"who": "Archers", "effect": "event-7.0"}
    assert "/events use" in refused(await world.gm.slash(world.orders, "effect clear", **clear))
    await battle_over(world)
    await begun(world)
    cleared = said(await world.gm.slash(world.orders, "effect clear", **clear))
    assert "Archers: treachery (35): Leaves the field by the closest edge, for good no longer" in cleared
    assert state(world, "effect.") == {}
    assert await sound(world)


@pytest.mark.slow
async def test_the_card_of_a_saved_unit_tells_what_befell_it_and_a_new_name_holds_in_the_battle(world: World) -> None:
    """Effects of events stand on `/unit show`; renamed, the unit is on the roster, in force and in checks under its new name."""
    await world.gm.slash(world.orders, "unit add", name="Archers", kind="squad")
    await ford(world, reds="Archers, Pikes", blues="Ogres")
    await check(world, [1, 2, 2], (100, 3))
    assert "Bonus promised (3)" in str(
        list(components(response(await world.gm.slash(world.orders, "unit show", name="Archers"))))
    )
    await world.gm.slash(world.orders, "unit edit", name="Archers", new_name="Old Guard")
    assert "1\\. **Old Guard**" in await ask(world, "unit list")
    assert "**Old Guard** · ML +1" in await ask(world, "active")
    await ask(world, "turn")
    await check(world, [1, 2, 2], (100, 48))
    assert "1 for Old Guard" in posted(world)
    assert f"**Old Guard** · ML +1, AD {MINUS}1" in await ask(world, "active")
    assert await sound(world)


async def test_the_question_about_the_tired_is_answered_after_a_restart(world: World) -> None:
    """The turn's end asks which tired units rested and whose foe is gone; what is picked ends, and only that."""
    await ford(world, reds="Archers, Pikes", blues="Ogres")
    await check(world, [1, 1, 1], (100, 45), (100, 45), (100, 4))
    asked = (await world.gm.slash(world.orders, "events turn")).followups[-1]
    tired, grudge = selects(asked)
    assert [item["label"] for item in tired["options"]] == ["Archers", "Pikes"]
    assert [item["label"] for item in grudge["options"]] == ["Ogres"]
    await world.restart()
    values = [tired["options"][0]["value"]]
    left = response(await world.gm.select(asked, values, custom_id=tired["custom_id"]))
    assert [item["label"] for select in selects(left) for item in select["options"]] == ["Pikes", "Ogres"]
    assert "Archers: Tired (45)" in posted(world)
    shown = await ask(world, "active")
    assert f"**Pikes** · AD {MINUS}1" in shown
    assert "Archers" not in shown
    await world.gm.select(left, [grudge["options"][0]["value"]], custom_id=grudge["custom_id"])
    shown = await ask(world, "active")
    assert "**Ogres** · ML +1" in shown
    assert "closest enemy" not in shown
    again = await send_raw(world.gm, world.orders, tired["custom_id"], *values)
    assert "has ended already" in refused(again)
    assert await sound(world)


@pytest.mark.slow
async def test_a_second_check_in_a_turn_takes_a_game_masters_reason(world: World) -> None:
    """Without one it is refused and nothing is written; with one it is rolled, and the reason is the staff's alone."""
    await ford(world, reds="Archers", blues="Ogres")
    await check(world, [2], side="reds")
    await check(world, [3], side="Blues")
    before = written(world)
    again = await world.gm.slash(world.orders, "events roll", side="Blues")
    assert "turn 1 of Black Ford were checked for Blues already (entry #8)" in refused(again)
    assert "What that brought stays in force; /events use ends it." in refused(again)
    assert "checked for Reds and Blues already" in refused(await world.gm.slash(world.orders, "events roll"))
    assert written(world) == before
    await check(world, [1, 4], (100, 70), reason="dice on the floor")
    assert entry_texts(world, 9) == {"reason": "dice on the floor"}
    assert "floor" not in posted(world)
    assert "(turn 1, checked again; what entries #7 and #8 set stays in force)" in posted(world)
    await check(world, [2], side="Blues", reason="dice in the tea")
    assert "(turn 1, checked again; what entry #9 set stays in force)" in posted(world)
    await ask(world, "turn")
    await check(world, [2, 2])
    assert "(turn 2)" in posted(world)
    assert await sound(world)


async def test_each_side_can_roll_one_event_as_in_the_pages_example(world: World) -> None:
    """In the other mode there is no first die: a d100 for each side, and a unit that fits is drawn."""
    await ford(world, reds="Pikes, Axes")
    await join(world, "Blues", "Archers, Slingers", missile=True)
    await join(world, "Blues", "Dragon", flying=True)
    await check(world, [], (100, 42), (100, 33), (2, 2), mode="side")
    shown = await ask(world, "active")
    assert "**Dragon**\n• Strong winds (42)" in shown
    assert "**Slingers**\n• Garbled orders (33)" in shown
    assert "*Nothing on 2 units.*" in shown


async def test_faces_that_were_typed_are_marked_and_the_others_are_drawn(world: World) -> None:
    """Of a die that was typed all faces are by hand, in order; of others the bot's own fall; 00 is 100."""
    await ford(world, reds="Archers, Pikes", blues="Ogres")
    await check(world, [], (8, 5), faces="1 1, 2; d100: 23 00")
    public = posted(world)
    assert "2d4: **1, 1** (by hand)" in public
    assert "d100: **23** (by hand), d8: **5** →" in public
    assert "d100: **100** (by hand) → Nothing happens" in public
    assert "Garbled orders (23): Full move in the direction of the d8 (d8: 5)" in await ask(world, "active")
    assert await sound(world)


async def test_players_look_and_roll_only_when_it_is_opened_to_them(world: World) -> None:
    """Whoever plays sees rosters, effects, battles and the table; the rest is the game masters' until they open it."""
    await ford(world, reds="Archers", blues="Ogres")
    for command in ("active", "unit list", "table"):
        assert "for game masters" not in await ask(world, command, world.player)
        assert "take no part" in refused(await world.stranger.slash(world.orders, f"events {command}"))
    assert "the random-events roll is for game masters" in refused(
        await world.player.slash(world.orders, "events roll")
    )
    closed: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("turn", {}, "ending a turn"),
        ("use", {"event": "Archers"}, "ending an event"),
        ("unit add", {"units": "Axes", "side": "Reds"}, "adding units"),
        ("unit edit", {"unit": "Archers", "flying": True}, "changing a unit"),
        ("unit remove", {"units": "Archers"}, "removing units"),
    )
    for command, options, deed in closed:
        what = refused(await world.player.slash(world.orders, f"events {command}", **options))
        assert f"In Iron Sea {deed} is for game masters." in what
    await world.gm.slash(world.orders, "campaign edit", players_may="random-events")
    await check(world, [1, 2], (100, 3), actor=world.player)
    again = refused(await world.player.slash(world.orders, "events roll", reason="once more"))
    assert "turn 1 of Black Ford were checked for Reds and Blues already (entry #8)" in again
    assert "A game master can check them again" in again
    await ask(world, "turn", world.player)
    assert "type faces" in refused(await world.player.slash(world.orders, "events roll", faces="1 2"))
    for options in ({"action": "start", "name": "Hill", "sides": "A, B"}, {"action": "end"}):
        assert "Only game masters" in refused(await world.player.slash(world.orders, "events battle", **options))
    cancel = {"event": await option(world, "Bonus"), "how": "cancel", "reason": "no"}
    assert "Only game masters" in refused(await world.player.slash(world.orders, "events use", **cancel))


@pytest.mark.slow
async def test_several_battles_at_once_are_told_apart(world: World) -> None:
    """With two battles the one that is meant is named; each has its own turn, roster and effects."""
    await ford(world, reds="Archers", blues="Ogres")
    await begun(world, "White Hill", "Elves, Orcs")
    assert "Several battles are being fought: White Hill and Black Ford" in refused(
        await world.gm.slash(world.orders, "events active")
    )
    await join(world, "Elves", "Bows", battle="white  hill")
    await check(world, [1], (100, 3), battle="White Hill")
    assert "**Bows** · ML +1" in await ask(world, "active", battle="White Hill")
    assert "Bonus" not in await ask(world, "active", battle=FORD)
    await battle_over(world, battle="White Hill", end_battle=True)
    assert "turn 1" in await ask(world, "active")
    names = await world.gm.autocomplete(world.orders, "events active", "battle", "")
    assert [choice["value"] for choice in names] == [FORD]
    assert await sound(world)


@pytest.mark.slow
async def test_the_ledger_tells_every_deed_in_a_line_and_whole(world: World) -> None:
    """Whatever is done to a battle is an entry that everybody who plays may read; reasons stay with the staff."""
    await ford(world, reds="Archers, Pikes", blues="Ogres")
    await ask(world, "unit edit", unit="Pikes", missile=True)
    await ask(world, "unit remove", units="Pikes")
    await check(world, [1, 1], (100, 3), (100, 3))
    await ask(world, "use", event=await option(world, "Ogres"), how="cancel", reason="not fair")
    await ask(world, "turn")
    await battle_over(world)
    listed = str(list(components(response(await world.player.slash(world.orders, "ledger list")))))
    for words in (
        "Reds against Blues; turn 1 begins",
        "2 for Reds (and 2 lines more)",
        "Pikes · Reds → Pikes · Reds · missile",
        "1 off the roster: Pikes",
        "turn 1: Ogres: Bonus promised (3)",
        "turn 1 has ended, turn 2 begins",
        "over in turn 2",
    ):
        assert words in listed
    for (number,) in rows(world, "select number from entry where kind = 'battle'"):
        for actor in (world.gm, world.player):
            assert f"Entry #{number}" in said(await actor.slash(world.orders, "ledger show", number=number))
    shown = said(await world.gm.slash(world.orders, "ledger show", number=10))
    assert "**Reason:** not fair" in shown
    assert "not fair" not in said(await world.player.slash(world.orders, "ledger show", number=10))


async def test_names_are_completed_within_what_discord_takes(world: World) -> None:
    """Battles, sides, units and events are offered by what is typed: 25 at most, none over 100 characters, none twice."""
    await ford(world, blues="Ogres")
    await begun(world, "White Hill", "Elves, Orcs")
    long = [f"{'x' * 57}{number:02}" for number in range(30)]
    await join(world, "Reds", ", ".join(long), battle=FORD)

    async def offered(command: str, name: str, typed: str = "", **more: str) -> list[str]:
        found = await world.gm.autocomplete(world.orders, f"events {command}", name, typed, **more)
        assert len(found) <= 25
        assert all(len(choice["name"]) <= 100 and len(choice["value"]) <= 100 for choice in found)
        return [choice["value"] for choice in found]

    assert await offered("turn", "battle", "hill") == ["White Hill"]
    assert await offered("battle", "name") == ["White Hill", FORD]
    assert await offered("roll", "side") == ["Elves", "Orcs", "Reds", "Blues"]
    assert await offered("unit add", "side", "re", battle=FORD) == ["Reds"]
    assert await offered("unit edit", "unit", "ogr") == ["Ogres"]
    assert await offered("unit edit", "unit", battle="White Hill") == []
    assert len(await offered("unit remove", "units", battle=FORD)) == 25
    assert await offered("unit remove", "units", "Ogres, ogr") == []
    assert await offered("unit remove", "units", f"{long[0]}, o") == [f"{long[0]}, Ogres"]
    await check(world, [1] * 31, *((100, 3) for _ in range(31)), battle=FORD)
    assert len(await offered("use", "event", battle=FORD, how="cancel")) == 25
    assert await offered("use", "event", "ogres", how="cancel") == ["8.30.1"]
    lobby = world.guild.create_text_channel("lobby")
    assert await world.gm.autocomplete(lobby, "events use", "event", "") == []
    assert await world.stranger.autocomplete(world.orders, "events use", "event", "") == []


async def test_a_battle_that_waits_for_its_book_is_told(world: World) -> None:
    """While the book is off, the feature names each battle that is fought; with it on, or once it is over, none."""
    await ford(world, reds="Archers", blues="Ogres")
    await begun(world, "The *Hill*")
    assert await waiting(world) == []
    await world.gm.slash(world.orders, "campaign edit", books="-battlesystem")
    assert await waiting(world) == [
        f"{name} waits until battlesystem is on again." for name in ("The \\*Hill\\*", FORD)
    ]
    await world.gm.slash(world.orders, "campaign edit", books="campaign, battlesystem")
    await battle_over(world, name=FORD)
    await world.gm.slash(world.orders, "campaign edit", books="-battlesystem")
    assert await waiting(world) == ["The \\*Hill\\* waits until battlesystem is on again."]


async def waiting(world: World) -> list[str]:
    """What the feature says is left unfinished in the campaign."""
    return await world.bots[-1].database.read(_unfinished)


def _unfinished(tx: Connection) -> list[str]:
    campaign = open_campaign(tx, 1, lock=False)
    assert FEATURE.unfinished is not None
    return list(FEATURE.unfinished(tx, campaign))
