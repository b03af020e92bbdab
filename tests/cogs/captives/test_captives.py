"""`/captive`: taken, moved, released, listed, shown, taken back; and a captive's whole life."""

from __future__ import annotations

import asyncio

import pytest
import simcord

from bot.cogs.captives.service import CaptiveChange
from bot.core.profiles import Profile
from bot.errors import BadInput
from rules.books.campaign.captivity import CAPTIVE, FATE
from tests.cogs.captives import cells
from tests.cogs.captives.cells import befall, counts, interrogation, kept, known_as, save, sound, take
from tests.support.acting import close_update, more, take_back
from tests.support.backend import House
from tests.support.prepared import prepared
from tests.support.reading import offers, press, refused, response, said, text, ticked
from tests.support.world import START, World, entry, entry_texts, rows, written


async def captive(world: World, deed: str, who: simcord.MemberActor | None = None, **options: str) -> str:
    """What a subcommand of /captive answers, and its window once it is sent."""
    if deed == "undo":
        result = await take_back(world, "captive undo", who, **options)
    else:
        result = await (who or world.gm).slash(world.orders, f"captive {deed}", **options)
    return "\n".join(map(text, [response(result), *result.followups]))


@prepared
async def held(world: World, name: str = "Amuro", by: str = "Red", at: str = "Fort Anvil") -> str:
    """Take a captive."""
    return await captive(world, "take", captive=name, by=by, at=at)


async def test_a_captives_whole_life(world: World) -> None:
    """Taken, cracked, moved, failed and free with nothing cracked any more; captured again, not cracked; killed for good."""
    database = world.bots[0].database
    await save(
        database,
        Profile("Amuro", "pc", side="White", owner=await known_as(database, world.player.id)),
        Profile("Fort Anvil", "base", traits={"enlarged-cellblock": 1}),
        Profile("Luna", "base", traits={"urban": 1}),
    )
    assert "Amuro is taken captive by Red and held at Fort Anvil" in await held(world)
    await roll(world, "interrogate", 13, interrogators="Stahl")
    assert "cracked (entry #5)" in await captive(world, "show", captive="AMURO")
    assert entry(world)["parts"][0]["steps"][0]["total"] == 14, "the enlarged cellblock counts"

    assert "moved from Fort Anvil to Luna" in await captive(world, "move", captive="amuro", at="luna")
    card = response(await world.gm.slash(world.orders, "escape", captive="Amuro"))
    assert ticked(card, "base") == {"base.urban"}
    await roll(world, "escape", 2)
    await close_update(world)
    shown = await captive(world, "show", world.player, captive="Amuro")
    assert "held by Red at Luna" in shown
    assert "cracked\n\N{BULLET} injured" in shown, "the entry is the staff's, so its number is not told"

    await world.player.slash(world.orders, "escape", captive="Amuro")
    card = response(await world.gm.slash(world.orders, "escape"))
    world.dice.script(20)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert "escaped (entry #10)\n\N{BULLET} injured" in await captive(world, "show", captive="Amuro")
    assert "Amuro is no captive" in refused(await interrogate(world))

    await held(world, at="Luna")
    assert "cracked" not in await captive(world, "show", captive="Amuro")
    card = response(await interrogate(world))
    assert ticked(card, "captive") == {"captive.injured"}
    world.dice.script(16)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert "killed (entry #12)" in await captive(world, "show", captive="Amuro")
    assert "\nkilled\n" in await captive(world, "show", world.player, captive="Amuro")
    before = written(world)
    told = refused(await take_again(world))
    assert (
        "Amuro is dead: killed when Amuro is interrogated by Stahl at Luna, in Update 2, 2026-03-01 (entry #12)" in told
    )
    assert written(world) == before


async def roll(world: World, command: str, face: int, **options: str) -> None:
    """Roll for Amuro at once."""
    world.dice.script(face)
    await world.gm.slash(world.orders, command, captive="Amuro", roll="now", **options)


async def interrogate(world: World) -> simcord.InteractionResult:
    """Open a card for an interrogation."""
    return await world.gm.slash(world.orders, "interrogate", captive="Amuro", interrogators="Stahl")


async def take_again(world: World) -> simcord.InteractionResult:
    """Take Amuro."""
    return await world.gm.slash(world.orders, "captive take", captive="amuro", by="Red", at="Luna")


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
    assert "Amuro is taken captive by Red" in said(await world.gm.slash(world.orders, "ledger show", number=4))
    assert "Amuro is taken captive by Red" in said(await world.gm.slash(world.orders, "ledger list"))
    assert "no entry #4 for you" in refused(await world.player.slash(world.orders, "ledger show", number=4))
    assert "captive" not in said(await world.player.slash(world.orders, "ledger list"))


async def test_released_captives_are_free_and_not_cracked(world: World) -> None:
    """The note is kept beside the entry and told to the staff; who is no captive is not released twice."""
    await held(world)
    await befall(world.bots[0].database, "Amuro", "cracked")
    assert "released by Red at Fort Anvil" in await captive(world, "release", captive="amuro", note="For *ransom*")
    assert entry_texts(world, 5) == {"note": "For *ransom*"}
    assert "**Note:** For \\*ransom\\*" in said(await world.gm.slash(world.orders, "ledger show", number=5))
    shown = await captive(world, "show", captive="Amuro")
    assert "released (entry #5)" in shown
    assert "cracked" not in shown


async def test_all_captives_are_listed_and_those_who_were(world: World) -> None:
    """By name, with what is wrong with them; an empty list says how to begin."""
    assert "Nobody is held captive" in await captive(world, "list")
    for name in ("Kai", "Amuro", "Bright"):
        await held(world, name)
    await befall(world.bots[0].database, "Kai", "injured", levels=[1, 1, None])
    await befall(world.bots[0].database, "Kai", "resisting", update=1)
    await captive(world, "release", captive="Bright")
    lines = (await captive(world, "list")).splitlines()
    names = [line.split("**")[1] for line in lines if line.startswith("\N{BULLET}")]
    assert names == ["Amuro", "Kai", "Bright"]
    assert any(line.endswith("injury 1 \N{MULTIPLICATION SIGN} 2 · injured · resisting today") for line in lines)
    await close_update(world)
    assert "resisting" not in await captive(world, "list")


async def test_a_long_list_is_split_and_never_cut(world: World) -> None:
    """Sixty captives with long names take several messages, and every one is there."""
    for number in range(60):
        await held(world, f"{number:02}{'x' * 58}", by="r" * 60, at="f" * 60)
    told = await captive(world, "list")
    assert [number for number in range(60) if f"**{number:02}{'x' * 58}**" not in told] == []


async def test_the_newest_entry_is_taken_back_and_the_next_with_it(world: World) -> None:
    """Release, move and take are voided one after the other; nothing is deleted and each void tells why, to the staff alone."""
    await held(world)
    await captive(world, "move", captive="Amuro", at="Luna")
    await captive(world, "release", captive="Amuro")
    told = await captive(world, "undo", captive="amuro", reason="It was Kai")
    assert "Entry #5 is void (entry #6): Amuro is released by Red at Luna." in told
    assert "held by Red at Luna since" in await captive(world, "show", captive="Amuro")
    await undo(world, "Nor that")
    assert "held by Red at Fort Anvil since" in await captive(world, "show", captive="Amuro")
    await undo(world, "Never")
    assert "is no captive" in refused(await world.gm.slash(world.orders, "captive show", captive="Amuro"))
    before = written(world)
    assert "Nothing is entered about Amuro" in refused(await undo(world))
    assert written(world) == before
    assert (
        rows(world, "select kind, audience from entry where number > 2")
        == [("captive", "staff")] * 3 + [("void", "staff")] * 3
    )
    listed = said(await world.gm.slash(world.orders, "ledger list"))
    assert [number for number in (3, 4, 5) if f"void by #{11 - number}" not in listed] == []
    assert "**Why:** It was Kai" in said(await world.gm.slash(world.orders, "ledger show", number=6))
    assert world.results.last_message is None
    assert "no entry #6 for you" in refused(await world.player.slash(world.orders, "ledger show", number=6))
    assert "is taken captive" in await held(world), "who was never taken can be taken"


async def undo(world: World, reason: str = "Wrong name") -> simcord.InteractionResult:
    """Take the newest entry about Amuro back."""
    return await take_back(world, "captive undo", captive="Amuro", reason=reason)


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


async def test_what_was_changed_since_goes_with_it(house: House) -> None:
    """That a captive was taken is taken back with how it cracked since; a later move alone leaves that."""
    await take(house, "Amuro")
    await house.roll(interrogation("Amuro"), 14)
    await cells.move(house, "Amuro", "Luna")
    await cells.undo(house, "Amuro", "Not Luna")
    assert (await kept(house, "Amuro"))["effect.cracked"]["entry"] == 3
    done = await cells.undo(house, "Amuro", "Wrong name")
    assert [entry.number for entry, _ in done.pairs] == [3, 2]
    assert await kept(house, "Amuro") == {}
    assert await sound(house)


async def test_taking_a_release_back_brings_the_cracking_back(house: House) -> None:
    """What went with the release comes back with it."""
    await take(house, "Amuro")
    await house.roll(interrogation("Amuro"), 14)
    before = await kept(house, "Amuro")
    await cells.release(house, "Amuro")
    assert set(await kept(house, "Amuro")) == {"rolled.interrogation.amuro", FATE}
    await cells.undo(house, "Amuro", "Wrong cell")
    assert await kept(house, "Amuro") == before
    assert await sound(house)


async def test_of_two_who_take_the_same_captive_at_once_one_does(house: House) -> None:
    """The other hears who holds the captive, and nothing is entered twice."""
    takers = [cells.capture(house, "Amuro", by, "Luna") for by in ("Red", "Blue", "Green")]
    answers = await asyncio.gather(*takers, return_exceptions=True)
    assert sorted(type(item).__name__ for item in answers) == ["BadInput", "BadInput", "CaptiveChange"]
    (done,) = [item for item in answers if isinstance(item, CaptiveChange)]
    held = (await cells.show(house, "Amuro")).captivity
    assert held is not None
    assert held.by.name == done.entry.content()["by"]
    assert len(await house.entries()) == 2


BAD = [
    ("take", {"captive": " ", "by": "Red", "at": "Luna"}, "at least one captive"),
    ("take", {"captive": "Kai, Hayato", "by": "Red", "at": "Luna"}, "Those are 2 names; I need one captive"),
    ("take", {"captive": "n" * 61, "by": "Red", "at": "Luna"}, "is too long"),
    ("take", {"captive": "Kai", "by": ",", "at": "Luna"}, "at least one captor"),
    ("take", {"captive": "Kai", "by": "Red", "at": "l" * 61}, "is too long"),
    ("take", {"captive": "amuro", "by": "Red", "at": "Luna"}, "Amuro is a captive already: held by Red at Fort Anvil"),
    ("take", {"captive": "Argama", "by": "Red", "at": "Luna"}, "Argama is saved as a ship"),
    ("take", {"captive": "Kai", "by": "KAI", "at": "Luna"}, "cannot be held by"),
    ("take", {"captive": "Kai", "by": "Red", "at": "kai"}, "that is a person"),
    ("take", {"captive": "Kai", "by": "Red", "at": "Hayato"}, "Nobody is held at Hayato"),
    ("move", {"captive": "Kai", "at": "Luna"}, "Kai is no captive"),
    ("move", {"captive": "Amuro", "at": "fort ANVIL"}, "is held at Fort Anvil already"),
    ("move", {"captive": "Amuro", "at": " "}, "at least one place"),
    ("move", {"captive": "Amuro", "at": "Hayato"}, "Nobody is held at Hayato"),
    ("release", {"captive": "Kai"}, "Kai is no captive"),
    ("show", {"captive": "Kai"}, "Kai is no captive"),
    ("show", {"captive": ","}, "at least one captive"),
    ("undo", {"captive": "Kai", "reason": "x"}, "Nothing is entered about Kai"),
]


async def test_bad_input_is_refused(world: World) -> None:
    """A private answer names what is wrong, and nothing is written."""
    await save(world.bots[0].database, Profile("Hayato", "npc"), Profile("Argama", "ship"))
    await held(world)
    before = written(world)
    for deed, options, words in BAD:
        told = refused(await world.gm.slash(world.orders, f"captive {deed}", **options))
        assert words in told.replace("\\", ""), (deed, options)
        assert written(world) == before, (deed, options)


async def test_nothing_is_taken_back_without_a_reason(world: World) -> None:
    """A window that is sent with a blank reason is refused, and nothing is written."""
    await held(world)
    before = written(world)
    assert "needs a reason" in refused(await undo(world, " "))
    assert written(world) == before


@pytest.mark.parametrize(
    ("deed", "options"),
    [
        ("take", {"captive": "Kai", "by": "Red", "at": "Luna"}),
        ("move", {"captive": "Amuro", "at": "Luna"}),
        ("release", {"captive": "Amuro"}),
        ("list", {}),
        ("undo", {"captive": "Amuro", "reason": "x"}),
    ],
)
async def test_only_game_masters_enter_captives(world: World, deed: str, options: dict[str, str]) -> None:
    """Players and strangers are refused privately, and nothing is written."""
    await held(world)
    before = written(world)
    for who in (world.player, world.stranger, world.manager):
        told = refused(await who.slash(world.orders, f"captive {deed}", **options))
        assert "Only game masters of Iron Sea" in told
        assert "Fort Anvil" not in told
    assert written(world) == before


async def test_a_player_sees_own_captive_characters_only(world: World) -> None:
    """Of anybody else's nothing is told, not even whether there is such a captive."""
    database = world.bots[0].database
    await save(database, Profile("Amuro", "pc", owner=await known_as(database, world.player.id)), Profile("Kai", "pc"))
    await held(world)
    await held(world, "Kai")
    assert "held by Red at Fort Anvil" in await captive(world, "show", world.player, captive="amuro")
    for name in ("Kai", "Nobody"):
        told = refused(await world.player.slash(world.orders, "captive show", captive=name))
        assert f"{name} is no character of yours" in told
    assert "You take no part" in refused(await world.stranger.slash(world.orders, "captive show", captive="Amuro"))


async def test_names_take_no_effect_in_what_is_shown(world: World) -> None:
    """Markdown and mentions in names are escaped, in answers and in the ledger."""
    nasty = "**@everyone** [x](https://y.z)"
    for told in (await held(world, nasty, by=nasty[:-1], at=f"{nasty}!"), await captive(world, "list")):
        assert "\\*\\*@\N{ZERO WIDTH SPACE}everyone\\*\\*" in told
        assert "\\[x\\](https\\:" in told


async def test_a_card_about_captives_has_what_every_card_has(world: World) -> None:
    """Adjusting, choosing where the result goes and cancelling work on it."""
    await held(world)
    card = response(await interrogate(world))
    assert offers(card, "adjust")
    await more(world.gm, card)
    assert [deed for deed in ("to", "cancel", "reset") if not offers(card, deed)] == []


async def test_saved_names_are_completed(world: World) -> None:
    """Characters to be taken, anything as captor, units as places."""
    await save(world.bots[0].database, Profile("Amuro", "pc"), Profile("Argama", "ship"), Profile("Fort Anvil", "base"))
    for option, found in (
        ("captive", {"Amuro"}),
        ("by", {"Amuro", "Argama", "Fort Anvil"}),
        ("at", {"Argama", "Fort Anvil"}),
    ):
        offered = await world.gm.autocomplete(world.orders, "captive take", option, "a")
        assert {item["value"] for item in offered} == found


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
