from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from bot.cogs.effects import queries as effects
from bot.core.errors import NotOpen
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.visibility import Viewer
from bot.rolls.card.layout import draw
from bot.rolls.card.service import open_card
from bot.rolls.request import RollRequest
from bot.rolls.resolver import RollResult
from rules.modifiers import Facts, KnownFact, Origin
from tests.cogs.captives.cells import set_effect
from tests.rolls.test_toy_book import ask_ann
from tests.support.backend import GM, PLAYER, RESULTS, STAFF, House
from tests.support.soundness import require_whole
from tests.support.toyscene import Table

CHANNEL = 2**60 + 9
BEHIND_COVER = {"Bob": {"cover": 1}}


async def roll_hundred(house: House, request: RollRequest, *dice: int) -> RollResult:
    """Roll with d100 faces."""
    house.dice.script_dice(*((100, die) for die in dice))
    return await house.roll_as_they_fall(request)


async def find_known(house: House, request: RollRequest) -> Facts:
    """Return what is known of part one."""
    return (await house.database.read(house.resolver.preview, house.campaign, request)).known[0]


def homes(made: RollResult) -> Mapping[str, int]:
    """Return messages' channels by kind."""
    return {post.kind: post.channel_id for post in made.posts}


async def test_marks_of_the_participants_count(table: Table) -> None:
    """In every role, while the scene lasts."""
    begun = await table.begin("Ann", "Bob", "Cid", marks=BEHIND_COVER)
    facts = await find_known(table.house, ask_ann("duel", "Bob"))
    assert facts == {"resister.cover": KnownFact(1, Origin("scene", "The docks", begun.number))}
    made = await roll_hundred(table.house, ask_ann("duel", "Bob", "Cid"), 60, 46, 46)
    assert [part["outcome"]["id"] for part in made.entry.content()["parts"]] == ["parried", "struck"]
    assert made.entry.content()["uses"] == [begun.number]
    await table.over()
    assert await find_known(table.house, ask_ann("duel", "Bob")) == {}


@pytest.mark.slow
async def test_conditions_are_those_of_the_beginning(table: Table) -> None:
    """Later ones don't count."""
    await table.begin("Ann", "Bob", conditions={"actor.rope": 1, "actor.tired": 0})
    (ann,) = [key for key, value in (await table.house.state()).items() if value == "Ann"]
    await table.keep(Change(ann[0], "effect.tired", None, {"entry": 4}))
    assert list(await find_known(table.house, ask_ann("climb"))) == ["actor.rope"]
    named = replace(ask_ann("climb"), scene="scene:the docks")
    stranger = named.with_part(0, replace(named.parts[0], subjects={"actor": "Eve"}))
    assert list(await find_known(table.house, stranger)) == ["actor.rope"]
    await table.leave("Ann")
    assert list(await find_known(table.house, ask_ann("climb"))) == ["actor.tired"]


async def test_a_public_result_goes_to_the_channel_of_its_scene(table: Table) -> None:
    """Staff results go to the staff."""
    await table.begin("Ann", "Bob", channel=str(CHANNEL))
    assert homes(await roll_hundred(table.house, ask_ann("climb"), 60)) == {"results": CHANNEL}
    named = replace(ask_ann("climb"), scene="scene:the docks")
    named = named.with_part(0, replace(named.parts[0], subjects={"actor": "Eve"}))
    assert homes(await roll_hundred(table.house, named, 60)) == {"results": CHANNEL}
    for to, home in (("staff", {"staff": STAFF}), ("results", {"results": RESULTS})):
        made = await roll_hundred(table.house, replace(ask_ann("climb"), to=to, reason="Again"), 60)
        assert homes(made) == home
    await require_whole(table.house)


@pytest.mark.slow
async def test_another_channel_can_be_asked_for(table: Table) -> None:
    """The one where it was typed."""
    await table.begin("Ann", channel=str(CHANNEL))
    made = await roll_hundred(table.house, replace(ask_ann("climb"), here=CHANNEL + 1), 60)
    assert homes(made) == {"results": CHANNEL + 1}


@pytest.mark.slow
async def test_people_of_two_scenes_are_told_of_in_the_results_channel(table: Table) -> None:
    """Each part counts its own marks."""
    await table.begin("Ann", channel=str(CHANNEL))
    await table.begin("Bob", name="The roof", marks=BEHIND_COVER, channel=str(CHANNEL + 1))
    assert homes(await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 46)) == {"results": RESULTS}


@pytest.mark.slow
async def test_an_amended_roll_is_made_in_the_scene_as_it_was(table: Table) -> None:
    """Ended cover counts again."""
    await table.begin("Ann", "Bob", "Cid", marks=BEHIND_COVER, channel=str(CHANNEL))
    made = await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 46)
    await table.over()
    amended = await table.house.amend(made.entry.number)
    assert [part["outcome"]["id"] for part in amended.entry.content()["parts"]] == ["parried"]
    assert homes(amended)["results"] == CHANNEL


async def test_a_scene_that_is_over_takes_no_roll(table: Table) -> None:
    """Nothing is written."""
    await table.begin("Ann", "Bob")
    await table.over()
    before = await table.house.entries()
    with pytest.raises(NotOpen, match="The docks is over: it ended in turn 1"):
        await roll_hundred(table.house, replace(ask_ann("climb"), scene="scene:the docks"), 60)
    assert await table.house.entries() == before


async def secret(table: Table, name: str) -> None:
    """Save someone as secret."""
    key = next(key for key, value in (await table.house.state()).items() if value == name)
    await table.keep(Change(key[0], "profile", None, Profile(name, "npc", secret=True).value()))


async def test_where_somebody_secret_stands_does_not_show(table: Table) -> None:
    """Marks, conditions and channel stay hidden."""
    await table.begin("Ghost", marks={"Ghost": {"cover": 1}}, conditions={"actor.rope": 1}, channel=str(CHANNEL))
    await secret(table, "Ghost")
    ghost = next(key for key, value in (await table.house.state()).items() if value == "Ghost")
    number = int(ghost[0].partition(":")[2])
    request = ask_ann("duel", "Ghost")
    part = replace(request.parts[0], ids={"actor": (None,), "resister": (number,)})
    request = request.with_part(0, part)
    facts = await find_known(table.house, request)
    assert {name: item.secret for name, item in facts.items()} == {"actor.rope": True, "resister.cover": True}
    house = table.house
    viewer = Viewer(PLAYER, house.campaign, None)
    seen = await house.database.read(house.resolver.preview, house.campaign, request, viewer)
    assert seen.known == ({},)
    assert seen.scene is None
    assert set(homes(await roll_hundred(house, request, 60, 59)).values()) == {STAFF}


@pytest.mark.slow
async def test_a_card_says_that_the_result_goes_to_its_scene(table: Table) -> None:
    """For those who may change it."""
    await table.begin("Ann", channel=str(CHANNEL))
    house = table.house
    view = await house.database.write(open_card, house.resolver, GM, house.campaign, ask_ann("climb"))
    shown = json.dumps(draw(view, 0, page="more").to_components())
    assert '"label": "Result goes to its scene\'s channel"' in shown


async def find_lasting(house: House) -> dict[str, int | None]:
    """Return effects with turns left."""
    kept = ((name, value) for (_, name), value in (await house.state()).items() if name.startswith("effect."))
    return {name.removeprefix("effect."): value["turns"]["left"] if "turns" in value else None for name, value in kept}


async def test_an_effect_of_two_turns_ends_with_its_bearers_second_one(table: Table) -> None:
    """Not the turn in which it began."""
    await table.begin("Ann", "Bob", "Cid")
    await table.next()
    await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 59)
    assert await find_lasting(table.house) == {"dazed": 2, "wounded": None}
    house = table.house
    shown = await house.database.read(effects.list_effects, house.resolver.library, GM, house.campaign)
    assert {item.trait: item.ends for item in shown} == {
        "dazed": "until it has had 2 more turns in The docks, not counting the current one",
        "wounded": None,
    }
    for left in (2, 2, 2, 1, 1, 1):  # Bob, Cid, Ann, Bob, Cid, Ann
        await table.next()
        assert (await find_lasting(table.house))["dazed"] == left
    ended = await table.next()
    assert await find_lasting(table.house) == {"wounded": None}
    assert [item["name"] for item in ended.content()["changes"]] == ["scene", "effect.dazed"]
    await require_whole(table.house)

    await table.house.take_back(ended.number)
    assert (await find_lasting(table.house))["dazed"] == 1


@pytest.mark.parametrize("how", ["leave", "over"])
@pytest.mark.slow
async def test_turns_that_nobody_has_any_more_end_what_they_count(table: Table, how: str) -> None:
    """Clock effects go on."""
    await table.begin("Ann", "Bob", "Cid")
    await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 59)
    await (table.leave("Bob") if how == "leave" else table.over())
    assert await find_lasting(table.house) == {"wounded": None}
    await require_whole(table.house)


@pytest.mark.slow
async def test_what_a_scene_ends_goes_with_its_beginning(table: Table) -> None:
    """Nothing would end it otherwise."""
    begun = await table.begin("Ann", "Bob", "Cid")
    made = await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 59)
    taken = await table.house.take_back(begun.number)
    assert [entry.number for entry, _ in taken.pairs] == [made.entry.number, begun.number]
    assert await find_lasting(table.house) == {}
    await require_whole(table.house)


@pytest.mark.slow
async def test_of_two_scenes_that_of_whose_turns_are_counted_ends_them(table: Table) -> None:
    """By the bearer's turns."""
    await table.begin("Ann")
    await table.begin("Bob", name="The roof")
    await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 59)
    assert await find_lasting(table.house) == {"dazed": 2, "wounded": None}


@pytest.mark.slow
async def test_turns_that_were_counted_stay_when_the_roll_is_taken_back(table: Table) -> None:
    """Only the roll's effect ends."""
    await table.begin("Ann", "Bob")
    await table.next()
    made = await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 59)
    for _ in range(3):
        ended = await table.next()
    assert (await find_lasting(table.house))["dazed"] == 1
    taken = await table.house.take_back(made.entry.number)
    assert [entry.number for entry, _ in taken.pairs] == [made.entry.number]
    assert await find_lasting(table.house) == {}
    assert (await table.scene()).header.turn == 3
    await table.house.take_back(ended.number)
    assert await find_lasting(table.house) == {}
    assert (await table.scene()).header.turn == 2
    await require_whole(table.house)


@pytest.mark.slow
async def test_turns_that_were_counted_stay_counted_when_the_roll_is_amended(table: Table) -> None:
    """However often it's amended."""
    await table.begin("Ann", "Bob")
    await table.next()
    made = await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 59)
    for _ in range(3):
        await table.next()
    assert (await find_lasting(table.house))["dazed"] == 1
    for _ in range(2):
        made = await table.house.amend(made.entry.number)
        assert (await find_lasting(table.house))["dazed"] == 1
    await table.next()
    made = await table.house.amend(made.entry.number)
    assert (await find_lasting(table.house))["dazed"] == 1
    await table.house.take_back(made.entry.number)
    assert (await find_lasting(table.house))["dazed"] == 1
    await table.next()
    assert (await find_lasting(table.house)) == {"wounded": None}
    await require_whole(table.house)


@pytest.mark.parametrize(("turns", "left"), [(0, 3), (1, 3), (2, 2), (4, 1), (6, None)])
@pytest.mark.slow
async def test_an_effect_that_holds_again_has_no_turn_more(table: Table, turns: int, left: int | None) -> None:
    """It has had those turns."""
    await table.begin("Ann", "Bob")
    await set_effect(table.house, "Bob", "Dazed", turns=4)
    for _ in range(2):
        await table.next()
    anew = await set_effect(table.house, "Bob", "Dazed", turns=9)
    for _ in range(turns):
        await table.next()
    await table.house.take_back(anew)
    assert await find_lasting(table.house) == ({"dazed": left} if left else {})
    await require_whole(table.house)


@pytest.mark.slow
async def test_what_began_after_the_turns_were_over_stays(table: Table) -> None:
    """Undoing the first leaves the second."""
    await table.begin("Ann", "Bob")
    await table.next()
    made = await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 59)
    for _ in range(5):
        await table.next()
    assert await find_lasting(table.house) == {"wounded": None}
    amended = await table.house.amend(made.entry.number)
    assert await find_lasting(table.house) == {"wounded": None}
    bob = next(subject for (subject, _), value in (await table.house.state()).items() if value == "Bob")
    anew = {"entry": amended.entry.number + 1, "scene": "scene:the docks"}
    await table.keep(Change(bob, "effect.dazed", None, anew))
    taken = await table.house.take_back(amended.entry.number)
    assert [entry.number for entry, _ in taken.pairs] == [amended.entry.number]
    taken = await table.house.take_back(made.entry.number)
    assert [entry.number for entry, _ in taken.pairs] == [made.entry.number]
    assert (await find_lasting(table.house)) == {"dazed": None}
    await require_whole(table.house)


def _without_cover(request: RollRequest, _preview: object, _seen: object) -> RollRequest:
    return request.with_part(0, replace(request.parts[0], marks={"resister.cover": 0}))


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.slow
async def test_an_amended_roll_begins_nothing_that_ended_with_its_scene(table: Table, *, again: bool) -> None:
    """Nor does a scene of the same name."""
    await table.begin("Ann", "Bob", "Cid", marks=BEHIND_COVER)
    made = await roll_hundred(table.house, ask_ann("duel", "Bob"), 60, 46)
    await table.over()
    if again:
        await table.begin("Ann", "Bob")
    amended = await table.house.amend(made.entry.number, _without_cover)
    await table.house.amend(amended.entry.number)
    assert await find_lasting(table.house) == {"wounded": None}
    await require_whole(table.house)
