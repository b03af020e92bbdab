"""Rolls in a scene: what it makes true of them, and the channel where their public results go."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from discord import ui

from bot.cogs.effects import queries as effects
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.visibility import Viewer
from bot.errors import NotOpen
from bot.rolls.card.layout import draw
from bot.rolls.card.service import open_card
from bot.rolls.request import RollRequest
from bot.rolls.resolver import Rolled
from rules.modifiers import Facts, Known, Origin
from tests.cogs.captives.cells import set_effect
from tests.rolls.test_toy_book import asked
from tests.support.backend import GM, PLAYER, RESULTS, STAFF, House
from tests.support.soundness import require_whole
from tests.support.toyscene import Table

CHANNEL = 2**60 + 9
BEHIND_COVER = {"Bob": {"cover": 1}}


async def rolled(house: House, request: RollRequest, *dice: int) -> Rolled:
    """Roll with these faces of a d100."""
    house.dice.script_dice(*((100, die) for die in dice))
    return await house.roll_as_they_fall(request)


async def known(house: House, request: RollRequest) -> Facts:
    """What is known of the first part of a roll."""
    return (await house.database.read(house.resolver.preview, house.campaign, request)).known[0]


def homes(made: Rolled) -> Mapping[str, int]:
    """Where the messages of a roll go, by their kind."""
    return {post.kind: post.channel_id for post in made.posts}


async def test_marks_of_the_participants_count(table: Table) -> None:
    """Whoever is noted as behind cover has it in every role that knows of it, from the scene, as long as it lasts."""
    begun = await table.begin("Ann", "Bob", "Cid", marks=BEHIND_COVER)
    facts = await known(table.house, asked("duel", "Bob"))
    assert facts == {"resister.cover": Known(1, Origin("scene", "The docks", begun.number))}
    made = await rolled(table.house, asked("duel", "Bob", "Cid"), 60, 46, 46)
    assert [part["outcome"]["id"] for part in made.entry.content()["parts"]] == ["parried", "struck"]
    assert made.entry.content()["uses"] == [begun.number]
    await table.over()
    assert await known(table.house, asked("duel", "Bob")) == {}


@pytest.mark.slow
async def test_conditions_are_those_of_the_beginning(table: Table) -> None:
    """What held then counts although nobody says so, and what has become true since does not."""
    await table.begin("Ann", "Bob", conditions={"actor.rope": 1, "actor.tired": 0})
    (ann,) = [key for key, value in (await table.house.state()).items() if value == "Ann"]
    await table.keep(Change(ann[0], "effect.tired", None, {"entry": 4}))
    assert list(await known(table.house, asked("climb"))) == ["actor.rope"]
    named = asked("climb").model_copy(update={"scene": "scene:the docks"})
    stranger = named.with_part(0, named.parts[0].model_copy(update={"subjects": {"actor": "Eve"}}))
    assert list(await known(table.house, stranger)) == ["actor.rope"]
    await table.leave("Ann")
    assert list(await known(table.house, asked("climb"))) == ["actor.tired"]


async def test_a_public_result_goes_to_the_channel_of_its_scene(table: Table) -> None:
    """By who stands there or by its name; what the staff alone may see goes to the staff as ever."""
    await table.begin("Ann", "Bob", channel=str(CHANNEL))
    assert homes(await rolled(table.house, asked("climb"), 60)) == {"results": CHANNEL}
    named = asked("climb").model_copy(update={"scene": "scene:the docks"})
    named = named.with_part(0, named.parts[0].model_copy(update={"subjects": {"actor": "Eve"}}))
    assert homes(await rolled(table.house, named, 60)) == {"results": CHANNEL}
    for to, home in (("staff", {"staff": STAFF}), ("results", {"results": RESULTS})):
        made = await rolled(table.house, asked("climb").model_copy(update={"to": to, "reason": "Again"}), 60)
        assert homes(made) == home
    await require_whole(table.house)


@pytest.mark.slow
async def test_another_channel_can_be_asked_for(table: Table) -> None:
    """A result that is to stand where it was typed does."""
    await table.begin("Ann", channel=str(CHANNEL))
    made = await rolled(table.house, asked("climb").model_copy(update={"here": CHANNEL + 1}), 60)
    assert homes(made) == {"results": CHANNEL + 1}


@pytest.mark.slow
async def test_people_of_two_scenes_are_told_of_in_the_results_channel(table: Table) -> None:
    """Neither channel has it; marks count in the part of whoever bears them."""
    await table.begin("Ann", channel=str(CHANNEL))
    await table.begin("Bob", name="The roof", marks=BEHIND_COVER, channel=str(CHANNEL + 1))
    assert homes(await rolled(table.house, asked("duel", "Bob"), 60, 46)) == {"results": RESULTS}


@pytest.mark.slow
async def test_an_amended_roll_is_made_in_the_scene_as_it_was(table: Table) -> None:
    """The cover that has ended since counts again, and the result goes where it went."""
    await table.begin("Ann", "Bob", "Cid", marks=BEHIND_COVER, channel=str(CHANNEL))
    made = await rolled(table.house, asked("duel", "Bob"), 60, 46)
    await table.over()
    amended = await table.house.amend(made.entry.number)
    assert [part["outcome"]["id"] for part in amended.entry.content()["parts"]] == ["parried"]
    assert homes(amended)["results"] == CHANNEL


async def test_a_scene_that_is_over_takes_no_roll(table: Table) -> None:
    """A roll that names one is refused, and nothing is written."""
    await table.begin("Ann", "Bob")
    await table.over()
    before = await table.house.entries()
    with pytest.raises(NotOpen, match="The docks is over: it ended in turn 1"):
        await rolled(table.house, asked("climb").model_copy(update={"scene": "scene:the docks"}), 60)
    assert await table.house.entries() == before


async def secret(table: Table, name: str) -> None:
    """Save somebody as secret."""
    key = next(key for key, value in (await table.house.state()).items() if value == name)
    await table.keep(Change(key[0], "profile", None, Profile(name, "npc", secret=True).value()))


async def test_where_somebody_secret_stands_does_not_show(table: Table) -> None:
    """Neither their marks, nor the conditions that they alone are under, nor their scene's channel are there for players."""
    await table.begin("Ghost", marks={"Ghost": {"cover": 1}}, conditions={"actor.rope": 1}, channel=str(CHANNEL))
    await secret(table, "Ghost")
    ghost = next(key for key, value in (await table.house.state()).items() if value == "Ghost")
    number = int(ghost[0].partition(":")[2])
    request = asked("duel", "Ghost")
    part = request.parts[0].model_copy(update={"ids": {"actor": (None,), "resister": (number,)}})
    request = request.with_part(0, part)
    facts = await known(table.house, request)
    assert {name: item.secret for name, item in facts.items()} == {"actor.rope": True, "resister.cover": True}
    house = table.house
    viewer = Viewer(PLAYER, house.campaign, None)
    seen = await house.database.read(house.resolver.preview, house.campaign, request, viewer)
    assert seen.known == ({},)
    assert seen.scene is None
    assert set(homes(await rolled(house, request, 60, 59)).values()) == {STAFF}


@pytest.mark.slow
async def test_a_card_says_that_the_result_goes_to_its_scene(table: Table) -> None:
    """Whoever may send it elsewhere reads where it goes otherwise."""
    await table.begin("Ann", channel=str(CHANNEL))
    house = table.house
    view = await house.database.write(open_card, house.resolver, GM, house.campaign, asked("climb"))
    selects = (item for item in draw(view, 0, page="more").walk_children() if isinstance(item, ui.Select))
    labels = [option.label for select in selects for option in select.options]
    assert "Result goes to its scene's channel" in labels


async def lasting(house: House) -> dict[str, int | None]:
    """The effects that are kept, each with the turns that it has left, None where it counts none."""
    kept = ((name, value) for (_, name), value in (await house.state()).items() if name.startswith("effect."))
    return {name.removeprefix("effect."): value["turns"]["left"] if "turns" in value else None for name, value in kept}


async def test_an_effect_of_two_turns_ends_with_its_bearers_second_one(table: Table) -> None:
    """Other turns are not counted, nor the one in which it began; what is counted stands in the entry of the turn."""
    await table.begin("Ann", "Bob", "Cid")
    await table.next()
    await rolled(table.house, asked("duel", "Bob"), 60, 59)
    assert await lasting(table.house) == {"dazed": 2, "wounded": None}
    house = table.house
    shown = await house.database.read(effects.list_effects, house.resolver.library, GM, house.campaign)
    assert {item.trait: item.ends for item in shown} == {
        "dazed": "until it has had 2 more turns in The docks, not counting the current one",
        "wounded": None,
    }
    for left in (2, 2, 2, 1, 1, 1):  # Bob, Cid, Ann, Bob, Cid, Ann
        await table.next()
        assert (await lasting(table.house))["dazed"] == left
    ended = await table.next()
    assert await lasting(table.house) == {"wounded": None}
    assert [item["name"] for item in ended.content()["changes"]] == ["scene", "effect.dazed"]
    await require_whole(table.house)

    await table.house.take_back(ended.number)
    assert (await lasting(table.house))["dazed"] == 1


@pytest.mark.parametrize("how", ["leave", "over"])
@pytest.mark.slow
async def test_turns_that_nobody_has_any_more_end_what_they_count(table: Table, how: str) -> None:
    """When the bearer leaves or the scene is over it ends; a wound that the clock ends goes on."""
    await table.begin("Ann", "Bob", "Cid")
    await rolled(table.house, asked("duel", "Bob"), 60, 59)
    await (table.leave("Bob") if how == "leave" else table.over())
    assert await lasting(table.house) == {"wounded": None}
    await require_whole(table.house)


@pytest.mark.slow
async def test_what_a_scene_ends_goes_with_its_beginning(table: Table) -> None:
    """When it is taken back nothing would end it any more, but another scene of its name."""
    begun = await table.begin("Ann", "Bob", "Cid")
    made = await rolled(table.house, asked("duel", "Bob"), 60, 59)
    taken = await table.house.take_back(begun.number)
    assert [entry.number for entry, _ in taken.pairs] == [made.entry.number, begun.number]
    assert await lasting(table.house) == {}
    await require_whole(table.house)


@pytest.mark.slow
async def test_of_two_scenes_that_of_whose_turns_are_counted_ends_them(table: Table) -> None:
    """An effect that reaches from one into another lasts as long as its bearer's turns there, and not for ever."""
    await table.begin("Ann")
    await table.begin("Bob", name="The roof")
    await rolled(table.house, asked("duel", "Bob"), 60, 59)
    assert await lasting(table.house) == {"dazed": 2, "wounded": None}


@pytest.mark.slow
async def test_turns_that_were_counted_stay_when_the_roll_is_taken_back(table: Table) -> None:
    """The effect of the roll ends; the turns that have ended since are those of the scene, and give nothing back later."""
    await table.begin("Ann", "Bob")
    await table.next()
    made = await rolled(table.house, asked("duel", "Bob"), 60, 59)
    for _ in range(3):
        ended = await table.next()
    assert (await lasting(table.house))["dazed"] == 1
    taken = await table.house.take_back(made.entry.number)
    assert [entry.number for entry, _ in taken.pairs] == [made.entry.number]
    assert await lasting(table.house) == {}
    assert (await table.scene()).header.turn == 3
    await table.house.take_back(ended.number)
    assert await lasting(table.house) == {}
    assert (await table.scene()).header.turn == 2
    await require_whole(table.house)


@pytest.mark.slow
async def test_turns_that_were_counted_stay_counted_when_the_roll_is_amended(table: Table) -> None:
    """However often it is amended, the effect has as many turns left as without; taken back, the roll has them too."""
    await table.begin("Ann", "Bob")
    await table.next()
    made = await rolled(table.house, asked("duel", "Bob"), 60, 59)
    for _ in range(3):
        await table.next()
    assert (await lasting(table.house))["dazed"] == 1
    for _ in range(2):
        made = await table.house.amend(made.entry.number)
        assert (await lasting(table.house))["dazed"] == 1
    await table.next()
    made = await table.house.amend(made.entry.number)
    assert (await lasting(table.house))["dazed"] == 1
    await table.house.take_back(made.entry.number)
    assert (await lasting(table.house))["dazed"] == 1
    await table.next()
    assert (await lasting(table.house)) == {"wounded": None}
    await require_whole(table.house)


@pytest.mark.parametrize(("turns", "left"), [(0, 3), (1, 3), (2, 2), (4, 1), (6, None)])
@pytest.mark.slow
async def test_an_effect_that_holds_again_has_no_turn_more(table: Table, turns: int, left: int | None) -> None:
    """Another that was set in its place is taken back some turns later: it has had these as well."""
    await table.begin("Ann", "Bob")
    await set_effect(table.house, "Bob", "Dazed", turns=4)
    for _ in range(2):
        await table.next()
    anew = await set_effect(table.house, "Bob", "Dazed", turns=9)
    for _ in range(turns):
        await table.next()
    await table.house.take_back(anew)
    assert await lasting(table.house) == ({"dazed": left} if left else {})
    await require_whole(table.house)


@pytest.mark.slow
async def test_what_began_after_the_turns_were_over_stays(table: Table) -> None:
    """A second roll dazes anew after the first daze has ended: taking the first back, or amending it, does not touch it."""
    await table.begin("Ann", "Bob")
    await table.next()
    made = await rolled(table.house, asked("duel", "Bob"), 60, 59)
    for _ in range(5):
        await table.next()
    assert await lasting(table.house) == {"wounded": None}
    amended = await table.house.amend(made.entry.number)
    assert await lasting(table.house) == {"wounded": None}
    bob = next(subject for (subject, _), value in (await table.house.state()).items() if value == "Bob")
    anew = {"entry": amended.entry.number + 1, "scene": "scene:the docks"}
    await table.keep(Change(bob, "effect.dazed", None, anew))
    taken = await table.house.take_back(amended.entry.number)
    assert [entry.number for entry, _ in taken.pairs] == [amended.entry.number]
    taken = await table.house.take_back(made.entry.number)
    assert [entry.number for entry, _ in taken.pairs] == [made.entry.number]
    assert (await lasting(table.house)) == {"dazed": None}
    await require_whole(table.house)


def _uncovered(request: RollRequest, _preview: object, _seen: object) -> RollRequest:
    return request.with_part(0, request.parts[0].model_copy(update={"marks": {"resister.cover": 0}}))


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.slow
async def test_an_amended_roll_begins_nothing_that_ended_with_its_scene(table: Table, *, again: bool) -> None:
    """Nothing would end it any more; nor does another scene of that name, which has begun since."""
    await table.begin("Ann", "Bob", "Cid", marks=BEHIND_COVER)
    made = await rolled(table.house, asked("duel", "Bob"), 60, 46)
    await table.over()
    if again:
        await table.begin("Ann", "Bob")
    amended = await table.house.amend(made.entry.number, _uncovered)
    await table.house.amend(amended.entry.number)
    assert await lasting(table.house) == {"wounded": None}
    await require_whole(table.house)
