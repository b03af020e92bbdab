"""`/captives` and `/capture`: a captive's whole life; the dead; pings of an undo."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import Any

import pytest
import simcord

from bot.actions import Done, perform
from bot.cogs.captives.actions import Take
from bot.core.errors import BadInput
from bot.core.permissions import Person
from bot.core.profiles import Profile
from rules.books.campaign.captivity import CAPTIVE, FATE
from tests.cogs.captives import cells
from tests.cogs.captives.cells import (
    add_effect,
    counts,
    find_pseudonym,
    interrogation,
    put,
    read_value,
    save,
    sound,
    take,
)
from tests.support.acting import moved, released, removed
from tests.support.backend import House
from tests.support.prepared import prepared
from tests.support.reading import assert_says, newest, press, refused, response, said, text
from tests.support.world import START, World, entry, nothing_written, rows, written


async def use(world: World, deed: str, who: simcord.MemberActor | None = None, **options: str) -> Any:  # noqa: ANN401
    """Do something with captives, by command or by button."""
    actor = who or world.gm
    if deed in {"move", "release"}:
        return await (moved if deed == "move" else released)(actor, world.orders, **options)
    return await actor.slash(world.orders, "capture" if deed == "take" else "captives", **options)


async def captive(world: World, deed: str, who: simcord.MemberActor | None = None, **options: str) -> str:
    """What is answered when captives are shown, taken, moved or released."""
    result = await use(world, deed, who, **options)
    return "\n".join(map(text, [response(result), *result.followups]))


@prepared
async def take_one(world: World, name: str = "Amuro", by: str = "Red", at: str = "Fort Anvil") -> str:
    """Take a captive."""
    return await captive(world, "take", captive=name, by=by, at=at)


async def test_captivity_is_kept_as_entered(world: World) -> None:
    """Captor, place, time and entry; only the staff reads it."""
    await save(world.bots[0].database, Profile("Amuro", "npc"), Profile("Fort Anvil", "base"))
    answer = await take_one(world, "  amuro ", at="FORT  anvil")
    assert "held by Red at Fort Anvil since" in answer
    body = entry(world)
    (captivity,) = [item["after"] for item in body["changes"] if item["name"] == CAPTIVE]
    called = {name: int(number) for number, name in body["names"].items()}
    assert captivity == {"by": called["Red"], "at": called["Fort Anvil"], "since": START.isoformat(), "entry": 4}
    assert called.keys() == {"Amuro", "Red", "Fort Anvil"}
    assert rows(world, "select kind, audience from entry where number = 4") == [("captive", "staff")]
    assert str(world.gm.id) not in str(rows(world, "select body, header from entry"))
    assert "Amuro was captured by Red" in said(await world.gm.slash(world.orders, "ledger", entry=4))
    assert "Amuro was captured by Red" in said(await world.gm.slash(world.orders, "ledger"))
    assert "no entry #4 that you can see" in refused(await world.player.slash(world.orders, "ledger", entry=4))
    assert "captive" not in said(await world.player.slash(world.orders, "ledger"))


async def test_a_long_list_is_split_and_never_cut(world: World) -> None:
    """Thirty long names take several messages."""
    bot, names = world.bots[0], [f"{number:02}{'x' * 58}" for number in range(30)]
    leader = Person(world.gm.id, world.guild.id, frozenset({world.roles["gm"].id}), manages_server=False)
    for name in names:
        await bot.database.write(perform, bot.resolver, leader, 1, Take(captive=name, by="r" * 60, at="f" * 60))
    answer = await captive(world, "list")
    assert [name for name in names if f"**{name}**" not in answer] == []


async def test_what_was_rolled_on_it_stays_and_is_listed(house: House) -> None:
    """An undo names rolls made meanwhile."""
    await take(house, "Amuro")
    await cells.move(house, "Amuro", "Luna")
    rolled = await house.roll(interrogation("Amuro", at="Luna"), 1)
    done = await cells.undo(house, "Amuro")
    assert (done.used, len(done.pairs)) == ((rolled.entry.number,), 1)
    held = (await cells.show(house, "Amuro")).captivity
    assert held is not None
    assert held.at.name == "Fort Anvil"
    assert await sound(house)


async def test_what_was_changed_since_goes_and_comes_with_it(house: House) -> None:
    """Later changes go along, a later move doesn't."""
    await take(house, "Amuro")
    await house.roll(interrogation("Amuro"), 14)
    before = await read_value(house, "Amuro")
    await cells.release(house, "Amuro")
    assert set(await read_value(house, "Amuro")) == {"rolled.interrogation.amuro", FATE}
    await cells.undo(house, "Amuro", "Wrong cell")
    assert await read_value(house, "Amuro") == before
    assert await sound(house)
    await cells.move(house, "Amuro", "Luna")
    await cells.undo(house, "Amuro", "Not Luna")
    assert (await read_value(house, "Amuro"))["effect.cracked"]["entry"] == 3
    done = await cells.undo(house, "Amuro", "Wrong name")
    assert [entry.number for entry, _ in done.pairs] == [3, 2]
    assert await read_value(house, "Amuro") == {}
    assert await sound(house)


async def test_of_two_who_take_the_same_captive_at_once_one_does(house: House) -> None:
    """The second game master reads who has them."""
    takers = [cells.capture(house, "Amuro", by, "Luna") for by in ("Red", "Blue", "Green")]
    answers = await asyncio.gather(*takers, return_exceptions=True)
    assert sorted(type(item).__name__ for item in answers) == ["BadInput", "BadInput", "Done"]
    (done,) = [item for item in answers if isinstance(item, Done)]
    held = (await cells.show(house, "Amuro")).captivity
    assert held is not None
    assert held.by.name == done.entry.content()["by"]
    assert len(await house.entries()) == 2


BAD = [
    ("take", {"captive": " ", "by": "Red", "at": "Luna"}, "at least one captive"),
    ("take", {"captive": "Kai, Hayato", "by": "Red", "at": "Luna"}, "You typed 2 names, but I need one captive"),
    ("take", {"captive": "n" * 61, "by": "Red", "at": "Luna"}, "is too long"),
    ("take", {"captive": "Kai", "by": ",", "at": "Luna"}, "at least one captor"),
    ("take", {"captive": "Kai", "by": "Red", "at": "l" * 61}, "is too long"),
    ("take", {"captive": "amuro", "by": "Red", "at": "Luna"}, "Amuro is already a captive, held by Red at Fort Anvil"),
    ("take", {"captive": "Argama", "by": "Red", "at": "Luna"}, "Argama is saved as a ship"),
    ("take", {"captive": "Kai", "by": "KAI", "at": "Luna"}, "can't capture"),
    ("take", {"captive": "Kai", "by": "Red", "at": "kai"}, "is a character, not a place"),
    ("take", {"captive": "Kai", "by": "Red", "at": "Hayato"}, "Hayato is a character, not a place"),
    ("move", {"captive": "Amuro", "at": "fort ANVIL"}, "is already held at Fort Anvil"),
    ("move", {"captive": "Amuro", "at": " "}, "at least one place"),
    ("move", {"captive": "Amuro", "at": "Hayato"}, "Hayato is a character, not a place"),
    ("show", {"captive": "Kai"}, "Kai isn't a captive"),
    ("show", {"captive": ","}, "at least one captive"),
]


async def test_bad_input_is_refused(world: World) -> None:
    """Privately, and nothing is written."""
    await save(world.bots[0].database, Profile("Hayato", "npc"), Profile("Argama", "ship"))
    await take_one(world)
    for deed, options, words in BAD:
        with nothing_written(world, (deed, options)):
            answer = refused(await use(world, deed, None, **options))
            assert words in answer.replace("\\", ""), (deed, options)


async def test_only_game_masters_enter_captives(world: World) -> None:
    """Privately, and nothing is written."""
    await take_one(world)
    with nothing_written(world):
        for who in (world.player, world.stranger, world.manager):
            answer = refused(await who.slash(world.orders, "capture", captive="Kai", by="Red", at="Luna"))
            assert "Only game masters of Iron Sea" in answer
            assert "Fort Anvil" not in answer


async def test_a_player_sees_own_captive_characters_only(world: World) -> None:
    """Not whether they are a captive."""
    database = world.bots[0].database
    await save(
        database, Profile("Amuro", "pc", owner=await find_pseudonym(database, world.player.id)), Profile("Kai", "pc")
    )
    await take_one(world)
    await take_one(world, "Kai")
    assert "held by Red at Fort Anvil" in await captive(world, "show", world.player, captive="amuro")
    for name, words in (("Kai", "Kai isn't yours"), ("Nobody", "You don't have a character called Nobody")):
        answer = refused(await world.player.slash(world.orders, "captives", captive=name))
        assert words in answer
        assert "Anvil" not in answer
    assert "You don't play" in refused(await world.stranger.slash(world.orders, "captives", captive="Amuro"))


async def test_names_take_no_effect_in_what_is_shown(world: World) -> None:
    """In answers and in the ledger."""
    nasty = "**@everyone** [x](https://y.z)"
    for answer in (await take_one(world, nasty, by=nasty[:-1], at=f"{nasty}!"), await captive(world, "list")):
        assert_says(answer, "\\*\\*@\N{ZERO WIDTH SPACE}everyone\\*\\*", "\\[x\\](https\\:")


async def test_what_lasts_for_an_update_alone_is_gone_with_it(house: House) -> None:
    """An injury for the day ends with it."""
    await take(house, "Amuro")
    await add_effect(house.database, "Amuro", "injured", update=1)
    status = await cells.show(house, "Amuro")
    assert status.injuries == (None,)
    await house.close_update()
    assert (await cells.show(house, "Amuro")).injuries == ()
    await house.roll(interrogation("Amuro"), 13)
    assert (await cells.show(house, "Amuro")).injuries == (1,)
    assert (await read_value(house, "Amuro"))["effect.injured"]["levels"] == [1]


async def test_long_texts_are_refused(house: House) -> None:
    """Beyond 500 characters, even if Discord allows it."""
    await take(house, "Amuro")
    before = await counts(house)
    with pytest.raises(BadInput, match="501 characters"):
        await cells.release(house, "Amuro", "n" * 501)
    with pytest.raises(BadInput, match="501 characters"):
        await cells.undo(house, "Amuro", "n" * 501)
    assert await counts(house) == before


async def take_anyway(world: World, name: str) -> simcord.InteractionResult:
    """Take a captive, come what may."""
    return await world.gm.slash(world.orders, "capture", captive=name, by="Red", at="Luna")


async def test_names_that_are_not_saved_are_pointed_out(world: World) -> None:
    """The entry is made, with a line per name."""
    await save(world.bots[0].database, Profile("Kai", "pc"), Profile("Fort Teak", "base", side="Zeon"))
    answer = await take_one(world, "Kay", by="Zeon", at="Fort Tek")
    assert "Kay isn't saved, so its traits don't count. Did you mean Kai?" in answer
    assert "Fort Tek isn't saved, so its traits don't count. Did you mean Fort Teak?" in answer
    assert "Zeon is not saved" not in answer
    assert "not saved" not in await captive(world, "move", captive="Kay", at="fort teak")
    assert "Luna isn't saved" in await captive(world, "move", captive="Kay", at="Luna")


async def test_a_move_is_told_beside_the_taking(world: World) -> None:
    """Captured again, the move is forgotten."""
    await take_one(world)
    assert "at this place since" not in await captive(world, "show", captive="Amuro")
    assert "at this place since" in await captive(world, "move", captive="Amuro", at="Luna")
    await captive(world, "release", captive="Amuro")
    assert "at this place since" not in await take_one(world)


async def test_a_slip_about_the_dead_has_a_way_out(world: World) -> None:
    """Save them again, or use a new name."""
    await save(world.bots[0].database, Profile("Kai", "pc"))
    dead = {"fate": "killed", "entry": 1}
    await put(world.bots[0].database, {(name, FATE): dead for name in ("Kai", "Ryu")})
    assert "Use a new name" in refused(await take_anyway(world, "Ryu"))
    assert "Remove on /unit, then /roster add" in refused(await take_anyway(world, "Kai"))
    await removed(world, name="Kai")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai")
    assert "was captured" in await take_one(world, "Kai")


ROLLS = [
    ("scout", {"scouter": "Kai", "base": "Fort"}),
    ("patrol", {"patrol": "Kai", "target": "Zaku"}),
    ("patrol", {"patrol": "Kilo", "target": "Zaku, Kai"}),
    ("detect", {"detector": "Kai"}),
    ("detect", {"detector": "Owl", "hidden": "Kai"}),
    ("interrogate", {"captive": "Ryu", "interrogators": "Kai"}),
]


async def kill_kai(world: World, how: str = "escape") -> None:
    """Kill Kai, publicly or in secret."""
    for name in ("Kai", "Ryu"):
        await world.gm.slash(world.orders, "capture", captive=name, by="Zeon", at="Fort")
    if how == "escape":
        world.dice.script(1)
        await world.gm.slash(world.orders, "escape", captive="Kai", roll="now")
    else:
        world.dice.script(17)
        await world.gm.slash(world.orders, "interrogate", captive="Kai", interrogators="Stahl", roll="now")


async def test_the_dead_take_part_in_no_roll(world: World) -> None:
    """Card and roll are refused, with killer and entry."""
    await kill_kai(world, "interrogation")
    for (command, options), roll in product(ROLLS, ("card", "now")):
        with nothing_written(world, (command, roll)):
            answer = refused(await world.gm.slash(world.orders, command, **options, roll=roll))
            assert "Kai is dead, killed in Update 1, 2026-03-01: Kai is interrogated" in answer, (command, roll)
            assert "(entry #5)" in answer, (command, roll)
    for command, options in (("interrogate", {"interrogators": "Stahl"}), ("escape", {})):
        answer = refused(await world.gm.slash(world.orders, command, captive="Kai", **options))
        assert_says(answer, "Kai is dead (entry #5)", "/ledger entry:5")


async def test_the_dead_hold_nobody(world: World) -> None:
    """And they can't be captured."""
    await kill_kai(world)
    with nothing_written(world):
        for captive, by in (("Job", "Kai"), ("Kai", "Zeon")):
            answer = refused(await world.gm.slash(world.orders, "capture", captive=captive, by=by, at="Fort"))
            assert "Kai is dead, killed in Update 1, 2026-03-01: Kai tries to escape from Fort" in answer


async def test_a_card_is_not_rolled_for_somebody_who_has_died_since(world: World) -> None:
    """A card opened before is refused."""
    card = response(await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort"))
    await kill_kai(world)
    with nothing_written(world):
        assert "Kai is dead" in refused(await world.gm.click(card, custom_id=press(card, "roll")))


@pytest.mark.parametrize(("how", "knows"), [("escape", True), ("interrogation", False)])
async def test_a_player_is_refused_only_where_the_death_is_known(world: World, how: str, *, knows: bool) -> None:
    """A secret death doesn't show."""
    await kill_kai(world, how)
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    answer = await world.player.slash(world.orders, "scout", scouter="Kai", base="Keep")
    assert ("is dead" in said(answer)) == knows


async def test_the_owner_learns_of_no_secret_killer(world: World) -> None:
    """A secret killer stays secret."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=world.player)
    await world.gm.slash(world.orders, "roster add", name="Hidden Fort", kind="base", secret=True)
    await world.gm.slash(world.orders, "roster add", name="Stahl", kind="npc", secret=True)
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Zeon", at="Hidden Fort")
    world.dice.script(17)
    await world.gm.slash(world.orders, "interrogate", captive="Kai", interrogators="Stahl", roll="now")
    answer = refused(await world.player.slash(world.orders, "scout", scouter="Kai", base="Keep"))
    assert "Kai is dead (entry #8)." in answer
    assert "killed in" in refused(await world.gm.slash(world.orders, "scout", scouter="Kai", base="Keep"))


async def test_taking_a_release_back_pings_whom_it_pinged(world: World) -> None:
    """If the campaign pings players."""
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Alf", owner=world.player)
    await world.gm.slash(world.orders, "roster add", name="Den", kind="base")
    await world.gm.slash(world.orders, "capture", captive="Alf", by="Zeon", at="Den")
    for pings, pinged in (("nobody", False), ("players", True)):
        await world.gm.slash(world.orders, "gm settings", pings=pings)
        await released(world.gm, world.orders, captive="Alf")
        before = len(world.results.history())
        window = await world.gm.slash(world.orders, "gm undo", entry=written(world)[0])
        await world.gm.submit_modal(window, {"reason": "Too early"})
        posts = world.results.history()[before:]
        assert [f"<@{world.player.id}>" in post.content for post in posts] == [True] * pinged
    assert "was undone" in text(newest(world.results))
