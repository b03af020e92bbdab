"""`/captive`: taken, moved, released, listed, shown, taken back; and a captive's whole life."""

from __future__ import annotations

import asyncio
from itertools import product

import pytest
import simcord

from bot.actions import Done, perform
from bot.cogs.captives.actions import Take
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.errors import BadInput
from rules.books.campaign.captivity import CAPTIVE, FATE
from tests.cogs.captives import cells
from tests.cogs.captives.cells import befall, counts, interrogation, kept, known_as, put, save, sound, take
from tests.support.acting import confirmed
from tests.support.backend import House
from tests.support.prepared import prepared
from tests.support.reading import assert_says, refused, response, said, text
from tests.support.world import START, World, entry, nothing_written, rows


async def captive(world: World, deed: str, who: simcord.MemberActor | None = None, **options: str) -> str:
    """What a subcommand of /captive answers."""
    result = await (who or world.gm).slash(world.orders, f"captive {deed}", **options)
    return "\n".join(map(text, [response(result), *result.followups]))


@prepared
async def held(world: World, name: str = "Amuro", by: str = "Red", at: str = "Fort Anvil") -> str:
    """Take a captive."""
    return await captive(world, "take", captive=name, by=by, at=at)


async def test_captivity_is_kept_as_entered(world: World) -> None:
    """By whom, where, since when and by which entry, under the names as they are saved; the ledger tells it to the staff."""
    await save(world.bots[0].database, Profile("Amuro", "npc"), Profile("Fort Anvil", "base"))
    told = await held(world, "  amuro ", at="FORT  anvil")
    assert "held by Red at Fort Anvil since" in told
    body = entry(world)
    (captivity,) = [item["after"] for item in body["changes"] if item["name"] == CAPTIVE]
    called = {name: int(number) for number, name in body["names"].items()}
    assert captivity == {"by": called["Red"], "at": called["Fort Anvil"], "since": START.isoformat(), "entry": 4}
    assert called.keys() == {"Amuro", "Red", "Fort Anvil"}
    assert rows(world, "select kind, audience from entry where number = 4") == [("captive", "staff")]
    assert str(world.gm.id) not in str(rows(world, "select body, header from entry"))
    assert "Amuro was captured by Red" in said(await world.gm.slash(world.orders, "ledger show", number=4))
    assert "Amuro was captured by Red" in said(await world.gm.slash(world.orders, "ledger list"))
    assert "no entry #4 that you can see" in refused(await world.player.slash(world.orders, "ledger show", number=4))
    assert "captive" not in said(await world.player.slash(world.orders, "ledger list"))


async def test_a_long_list_is_split_and_never_cut(world: World) -> None:
    """Thirty captives with long names take several messages, and every one is there."""
    bot, names = world.bots[0], [f"{number:02}{'x' * 58}" for number in range(30)]
    leader = Person(world.gm.id, world.guild.id, frozenset({world.roles["gm"].id}), manages_server=False)
    for name in names:
        await bot.database.write(perform, bot.resolver, leader, 1, Take(captive=name, by="r" * 60, at="f" * 60))
    told = await captive(world, "list")
    assert [name for name in names if f"**{name}**" not in told] == []


async def test_what_was_rolled_on_it_stays_and_is_listed(house: House) -> None:
    """Whoever was interrogated was thought to be there: a move that was a slip is taken back, and the roll on it is named."""
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
    """What went with a release comes back with it; that a captive was taken is taken back with how it cracked since, a later move leaves that."""
    await take(house, "Amuro")
    await house.roll(interrogation("Amuro"), 14)
    before = await kept(house, "Amuro")
    await cells.release(house, "Amuro")
    assert set(await kept(house, "Amuro")) == {"rolled.interrogation.amuro", FATE}
    await cells.undo(house, "Amuro", "Wrong cell")
    assert await kept(house, "Amuro") == before
    assert await sound(house)
    await cells.move(house, "Amuro", "Luna")
    await cells.undo(house, "Amuro", "Not Luna")
    assert (await kept(house, "Amuro"))["effect.cracked"]["entry"] == 3
    done = await cells.undo(house, "Amuro", "Wrong name")
    assert [entry.number for entry, _ in done.pairs] == [3, 2]
    assert await kept(house, "Amuro") == {}
    assert await sound(house)


async def test_of_two_who_take_the_same_captive_at_once_one_does(house: House) -> None:
    """The other hears who holds the captive, and nothing is entered twice."""
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
    ("move", {"captive": "Kai", "at": "Luna"}, "Kai isn't a captive"),
    ("move", {"captive": "Amuro", "at": "fort ANVIL"}, "is already held at Fort Anvil"),
    ("move", {"captive": "Amuro", "at": " "}, "at least one place"),
    ("move", {"captive": "Amuro", "at": "Hayato"}, "Hayato is a character, not a place"),
    ("release", {"captive": "Kai"}, "Kai isn't a captive"),
    ("show", {"captive": "Kai"}, "Kai isn't a captive"),
    ("show", {"captive": ","}, "at least one captive"),
]


async def test_bad_input_is_refused(world: World) -> None:
    """A private answer names what is wrong, and nothing is written."""
    await save(world.bots[0].database, Profile("Hayato", "npc"), Profile("Argama", "ship"))
    await held(world)
    for deed, options, words in BAD:
        with nothing_written(world, (deed, options)):
            told = refused(await world.gm.slash(world.orders, f"captive {deed}", **options))
            assert words in told.replace("\\", ""), (deed, options)


DEEDS: dict[str, dict[str, str]] = {
    "take": {"captive": "Kai", "by": "Red", "at": "Luna"},
    "move": {"captive": "Amuro", "at": "Luna"},
    "release": {"captive": "Amuro"},
}


async def test_only_game_masters_enter_captives(world: World) -> None:
    """Players and strangers are refused privately, and nothing is written."""
    await held(world)
    with nothing_written(world):
        for (deed, options), who in product(DEEDS.items(), (world.player, world.stranger, world.manager)):
            told = refused(await who.slash(world.orders, f"captive {deed}", **options))
            assert "Only game masters of Iron Sea" in told
            assert "Fort Anvil" not in told


async def test_a_player_sees_own_captive_characters_only(world: World) -> None:
    """A refusal says whose a character is, and nothing of any captivity."""
    database = world.bots[0].database
    await save(database, Profile("Amuro", "pc", owner=await known_as(database, world.player.id)), Profile("Kai", "pc"))
    await held(world)
    await held(world, "Kai")
    assert "held by Red at Fort Anvil" in await captive(world, "show", world.player, captive="amuro")
    for name, words in (("Kai", "Kai isn't yours"), ("Nobody", "You don't have a character called Nobody")):
        told = refused(await world.player.slash(world.orders, "captive show", captive=name))
        assert words in told
        assert "Anvil" not in told
    assert "You don't play" in refused(await world.stranger.slash(world.orders, "captive show", captive="Amuro"))


async def test_names_take_no_effect_in_what_is_shown(world: World) -> None:
    """Markdown and mentions in names are escaped, in answers and in the ledger."""
    nasty = "**@everyone** [x](https://y.z)"
    for told in (await held(world, nasty, by=nasty[:-1], at=f"{nasty}!"), await captive(world, "list")):
        assert_says(told, "\\*\\*@\N{ZERO WIDTH SPACE}everyone\\*\\*", "\\[x\\](https\\:")


async def test_what_lasts_for_an_update_alone_is_gone_with_it(house: House) -> None:
    """An injury that a game master set for the day counts that day, and no longer stands beside a later one."""
    await take(house, "Amuro")
    await befall(house.database, "Amuro", "injured", update=1)
    status = await cells.show(house, "Amuro")
    assert status.injuries == (None,)
    await house.close_update()
    assert (await cells.show(house, "Amuro")).injuries == ()
    await house.roll(interrogation("Amuro"), 13)
    assert (await cells.show(house, "Amuro")).injuries == (1,)
    assert (await kept(house, "Amuro"))["effect.injured"]["levels"] == [1]


async def test_long_texts_are_refused(house: House) -> None:
    """A note or reason beyond 500 characters is refused where Discord would let it through."""
    await take(house, "Amuro")
    before = await counts(house)
    with pytest.raises(BadInput, match="501 characters"):
        await cells.release(house, "Amuro", "n" * 501)
    with pytest.raises(BadInput, match="501 characters"):
        await cells.undo(house, "Amuro", "n" * 501)
    assert await counts(house) == before


async def taken(world: World, name: str) -> simcord.InteractionResult:
    """Take a captive, come what may."""
    return await world.gm.slash(world.orders, "captive take", captive=name, by="Red", at="Luna")


async def test_names_that_are_not_saved_are_pointed_out(world: World) -> None:
    """Whoever is taken or moved is so all the same, with a line for each such name and what is near; saved ones get none."""
    await save(world.bots[0].database, Profile("Kai", "pc"), Profile("Fort Teak", "base", side="Zeon"))
    told = await held(world, "Kay", by="Zeon", at="Fort Tek")
    assert "Kay isn't saved, so its traits don't count. Did you mean Kai?" in told
    assert "Fort Tek isn't saved, so its traits don't count. Did you mean Fort Teak?" in told
    assert "Zeon is not saved" not in told
    assert "not saved" not in await captive(world, "move", captive="Kay", at="fort teak")
    assert "Luna isn't saved" in await captive(world, "move", captive="Kay", at="Luna")


async def test_a_move_is_told_beside_the_taking(world: World) -> None:
    """Who is moved is held since the taking, and there since the move; taken anew, the move is forgotten."""
    await held(world)
    assert "at this place since" not in await captive(world, "show", captive="Amuro")
    assert "at this place since" in await captive(world, "move", captive="Amuro", at="Luna")
    await captive(world, "release", captive="Amuro")
    assert "at this place since" not in await held(world)


async def test_a_slip_about_the_dead_has_a_way_out(world: World) -> None:
    """Somebody killed is taken no more; who is saved can be removed and saved anew, anybody else enters under a new name."""
    await save(world.bots[0].database, Profile("Kai", "pc"))
    dead = {"fate": "killed", "entry": 1}
    await put(world.bots[0].database, {(name, FATE): dead for name in ("Kai", "Ryu")})
    assert "Use a new name" in refused(await taken(world, "Ryu"))
    assert "/character remove, then /character add" in refused(await taken(world, "Kai"))
    await confirmed(world, "character remove", name="Kai")
    await world.gm.slash(world.orders, "character add", name="Kai")
    assert "was captured" in await held(world, "Kai")
