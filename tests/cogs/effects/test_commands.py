"""`/effect`: what befalls units, characters and sides, set, listed and cleared by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from bot.cogs.captives import queries
from bot.cogs.effects import queries as effects
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.errors import BadInput, NotAllowed
from tests.cogs.captives.cells import befall, interrogation, kept, known_as, release, save, set_effect, sound, take
from tests.support.acting import confirmed, roll_command
from tests.support.backend import GM, PLAYER, STRANGER, House, scouting
from tests.support.reading import assert_says, components, refused, response, said, ticked
from tests.support.world import World, entry, entry_texts, nothing_written, rows

FORT = "Fort Basalt"


async def seen(house: House, who: Person = PLAYER, about: str | None = None) -> list[tuple[str, str]]:
    """Which effects somebody is listed, as bearer and trait."""
    return [(item.who, item.trait) for item in await listed(house, who, about)]


async def listed(house: House, who: Person = GM, about: str | None = None) -> list[effects.LastingEffect]:
    """The effects that somebody is listed."""
    return await house.database.read(effects.list_effects, house.resolver.library, who, house.campaign, about)


async def setting(world: World, who: str = FORT, effect: str = "Under siege", **more: str | int) -> str:
    """Set an effect through Discord; gives what is said."""
    return said(await world.gm.slash(world.orders, "effect set", who=who, effect=effect, **more))


async def listing(world: World, actor: Any = None, **more: str) -> str:  # noqa: ANN401 - a member
    """What `/effect list` says."""
    return said(await (actor or world.gm).slash(world.orders, "effect list", **more))


async def test_an_effect_counts_in_a_roll_until_it_is_cleared(world: World) -> None:
    """A siege is set, ticked on the card of a scouting with its entry, listed, cleared, and then ticked no more."""
    told = await setting(world, note="since dawn")
    assert_says(told, f"{FORT}: under siege, until it is cleared", "**Note:** since dawn")
    card = response(await world.gm.slash(world.orders, "scout", scouter="Owl", base="fort  BASALT"))
    assert ticked(card, "base") == {"base.under-siege"}
    assert "since entry 3" in str(list(components(card)))
    assert "Under siege · since entry #3 · until it is cleared" in await listing(world)

    cleared = said(await world.gm.slash(world.orders, "effect clear", who=FORT, effect="under-siege"))
    assert f"{FORT}: under siege (ended)" in cleared
    assert "No effects that you can see" in await listing(world)
    card = response(await world.gm.slash(world.orders, "scout", scouter="Owl", base=FORT))
    assert ticked(card, "base") == set()


async def test_it_is_an_entry_for_the_staff_with_the_note_beside_it(world: World) -> None:
    """Game masters read of it in the ledger, note and all; a player's ledger knows nothing; the note is no part of the body."""
    await setting(world, note="since dawn")
    assert entry_texts(world, 3) == {"note": "since dawn"}
    assert "dawn" not in rows(world, "select body from entry where number = 3")[0][0]
    assert f"{FORT}: under siege" in str(list(components(response(await world.gm.slash(world.orders, "ledger list")))))
    assert "since dawn" in said(await world.gm.slash(world.orders, "ledger show", number=3))
    assert "siege" not in said(await world.player.slash(world.orders, "ledger list"))
    assert "no entry #3 that you can see" in refused(await world.player.slash(world.orders, "ledger show", number=3))


@pytest.mark.parametrize(
    ("effect", "until", "ends"),
    [
        ("Attacked today", None, True),
        pytest.param("Attacked today", "cleared", False, marks=pytest.mark.slow),
        pytest.param("Under siege", None, False, marks=pytest.mark.slow),
        pytest.param("Under siege", "update", True, marks=pytest.mark.slow),
    ],
)
async def test_it_ends_by_its_own_rule_or_as_was_chosen(
    house: House, effect: str, until: str | None, *, ends: bool
) -> None:
    """What is of today ends with the update, a siege when it is cleared, and either way round if that is chosen."""
    await set_effect(house, FORT, effect, until=until)
    (found,) = await listed(house)
    assert found.until == ("Update 1" if ends else None)
    await house.close_update()
    assert (await seen(house, GM) == []) is ends
    assert await sound(house)


async def test_setting_it_again_changes_only_how_long_it_lasts(house: House) -> None:
    """The same once more is refused; another end is a new entry, and how badly somebody is injured is kept."""
    await take(house, "Amuro")
    await house.roll(interrogation("Amuro"), 13)
    first = (await kept(house, "Amuro"))["effect.injured"]
    assert first["levels"] == [1]
    with pytest.raises(BadInput, match="is already set, by entry #3"):
        await set_effect(house, "amuro", "Injured")
    number = await set_effect(house, "AMURO", "injured", until="update")
    assert (await kept(house, "Amuro"))["effect.injured"] == first | {"entry": number, "update": 1}

    await house.close_update()
    await set_effect(house, "Amuro", "injured")
    assert await sound(house)


async def test_hiding_anew_ends_having_been_revealed(house: House) -> None:
    """Whoever is set hidden is revealed no more, and the entry tells so."""
    await befall(house.database, "Zaku column", "revealed", update=1)
    number = await set_effect(house, "zaku COLUMN", "hidden")
    assert set(await kept(house, "Zaku column")) == {"effect.hidden"}
    body = (await house.entries())[number - 1].content()
    assert (body["who"], body["ended"]) == ("Zaku column", ["Revealed"])
    assert await sound(house)


async def test_cracked_ends_with_the_captivity(house: House) -> None:
    """Cracked that was set by hand goes with the captivity."""
    await take(house, "Amuro")
    await set_effect(house, "Amuro", "Cracked")
    await release(house, "Amuro")
    assert await seen(house, GM) == []


async def test_what_rolls_have_left_is_listed_and_cleared_too(world: World) -> None:
    """A stop that is used up, which no book declares, is listed; cleared, the patrol rolls on without a reason."""
    await roll_command(world, "patrol", 20, patrol="Kilo", target="Zaku", roll="now")
    told = await listing(world, who="kilo")
    assert "Stop used · since entry #3 · until the end of Update 1" in told
    assert "Zaku" not in told
    assert "already used its stop" in refused(
        await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom", roll="now")
    )
    await world.gm.slash(world.orders, "effect clear", who="Kilo", effect="stop used")
    done = said(await roll_command(world, "patrol", 1, patrol="Kilo", target="Dom", roll="now"))
    assert "entry #5" in done


async def test_players_see_what_is_not_secret(house: House) -> None:
    """Neither a secret effect, nor one on somebody secret, nor what a staff result did; but all of that on their own."""
    me = await known_as(house.database, PLAYER.user_id)
    await save(house.database, Profile("Ghost", "squad", secret=True), Profile("Amuro", "pc", owner=me, secret=True))
    await take(house, "Amuro", "Kai")
    for name in ("Amuro", "Kai"):
        await house.roll(interrogation(name), 14)
    await house.roll(scouting("Anvil", "Owl"), 20)
    await set_effect(house, "Ghost", "Under siege")
    await set_effect(house, FORT, "Under siege")
    await set_effect(house, FORT, "Tipped off by inside information")
    await house.patrol("Zaku", faces=(20,))

    everything = await seen(house, GM)
    mine = await seen(house)
    assert mine == [("Amuro", "cracked"), (FORT, "under-siege"), ("Kilo", "stop-used"), ("Zaku", "awaits-battle")]
    assert set(everything) - set(mine) == {
        ("Anvil", "scouted"),
        (FORT, "inside-information"),
        ("Ghost", "under-siege"),
        ("Kai", "cracked"),
    }
    with pytest.raises(NotAllowed):
        await seen(house, STRANGER)


async def test_a_player_learns_of_a_part_when_that_part_is_public(house: House) -> None:
    """Of a partly public patrol the public part's effects are listed; a published result is listed whole."""
    rolled = await house.patrol("Ghost", "Zaku", faces=(1, 20))
    assert rolled.entry.audience == "mixed"
    assert await seen(house) == [("Kilo", "stop-used"), ("Zaku", "awaits-battle")]
    await take(house, "Kai")
    number = (await house.roll(interrogation("Kai"), 14)).entry.number
    assert ("Kai", "cracked") not in await seen(house)
    await house.publish(number)
    assert ("Kai", "cracked") in await seen(house)


async def test_a_slip_in_whose_effects_are_listed_is_asked_about(world: World) -> None:
    """One press lists the effects on the base that was meant."""
    await setting(world)
    await world.gm.slash(world.orders, "effect set", who=FORT, effect="Hidden")
    asked = await world.gm.slash(world.orders, "effect list", who="Fort Basatl")
    assert f"Did you mean {FORT}?" in refused(asked)
    assert_says(said(await world.gm.click(response(asked), label=FORT)), FORT, "Hidden")


@pytest.mark.parametrize("deed", ["set", pytest.param("clear", marks=pytest.mark.slow)])
async def test_only_game_masters_set_and_clear(world: World, deed: str) -> None:
    """A player and a stranger are refused privately, and nothing is written."""
    await setting(world)
    with nothing_written(world):
        for actor in (world.player, world.stranger):
            told = refused(await actor.slash(world.orders, f"effect {deed}", who=FORT, effect="Hidden"))
            assert "Only game masters" in told


BAD = [
    ("effect set", {"who": FORT, "effect": "Under sige"}, ["the effect 'Under sige'", "Did you mean Under siege?"]),
    ("effect set", {"who": FORT, "effect": "siege"}, ["the effect 'siege'", "Did you mean Under siege?"]),
    ("effect set", {"who": FORT, "effect": "e" * 6000}, ["the effect 'eee", "Pick one of: Attacked today"]),
    ("effect set", {"who": "n" * 61, "effect": "Hidden"}, ["is too long"]),
    ("effect set", {"who": "A, B", "effect": "Hidden"}, ["2 names"]),
    ("effect set", {"who": " ", "effect": "Hidden"}, ["at least one name"]),
    ("effect set", {"who": "Amuro", "effect": "Cracked"}, ["Amuro isn't a captive"]),
    ("effect clear", {"who": "Kilo", "effect": "Hidden"}, ["doesn't have the effect 'Hidden'", "has no effects"]),
    ("effect clear", {"who": FORT, "effect": "Hidden"}, ["Its effects: Under siege"]),
    ("effect list", {"who": ","}, ["at least one name"]),
]
"""Commands, what is typed, and what is said of it."""


async def test_bad_input_is_refused(world: World) -> None:
    """A private answer that names what is wrong and what would be right, and nothing is written."""
    await setting(world)
    for command, options, words in BAD:
        with nothing_written(world, (command, options)):
            told = refused(await world.gm.slash(world.orders, command, **options)).replace("\\", "")
            assert [word for word in words if word not in told] == [], (command, options)


async def test_names_of_saved_ones_of_sides_and_of_bearers_are_offered(world: World) -> None:
    """Game masters are offered all, players what is not secret, strangers nothing; effects by label, at most 25."""
    await world.gm.slash(world.orders, "unit add", name="White Base", kind="ship", side="EF")
    await world.gm.slash(world.orders, "unit add", name="Ghost", kind="squad", side="Zeon", secret=True)
    await setting(world)

    async def names(actor: Any, typed: str = "") -> list[str]:  # noqa: ANN401 - a member
        found = await actor.autocomplete(world.orders, "effect set", "who", typed)
        return [choice["value"] for choice in found]

    assert await names(world.gm) == ["Ghost", "White Base", "EF", "Zeon", FORT]
    assert await names(world.gm, "BAS") == ["White Base", FORT]
    assert await names(world.player) == ["White Base", "EF"]
    assert await names(world.stranger) == []
    labels = await world.gm.autocomplete(world.orders, "effect set", "effect", "TODAY", who=FORT)
    assert [choice["value"] for choice in labels][:2] == ["Attacked today", "Assaulted today"]
    held = await world.gm.autocomplete(world.orders, "effect clear", "effect", "", who=FORT)
    assert [choice["value"] for choice in held] == ["Under siege"]
    assert await world.gm.autocomplete(world.orders, "effect clear", "effect", "", who="") == []
    lobby = world.guild.create_text_channel("lobby")
    for option in ("who", "effect"):
        assert await world.gm.autocomplete(lobby, "effect clear", option, "") == []
    assert await world.gm.autocomplete(lobby, "effect set", "effect", "") == []


@pytest.mark.slow
async def test_a_long_list_is_split_and_leaves_nothing_out(world: World) -> None:
    """Two hundred effects on long names come in several private messages, every one of them told."""
    names = [f"{'*' * 40}{number}" for number in range(200)]
    for name in names:
        await befall(world.bots[0].database, name, "under-siege")
    result = await world.gm.slash(world.orders, "effect list")
    answers = [response(result), *result.followups]
    assert len(answers) > 1
    assert all(answer.ephemeral for answer in answers)
    told = sum((embed.description or "").count("Under siege") for answer in answers for embed in answer.embeds)
    assert told == 200


async def test_an_archived_campaign_keeps_its_effects(world: World) -> None:
    """In an archived campaign effects are listed, and none is set or cleared."""
    await setting(world)
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        assert "Under siege" in await listing(world)
        for deed in ("set", "clear"):
            told = refused(await world.gm.slash(world.orders, f"effect {deed}", who=FORT, effect="Under siege"))
            assert "is archived" in told


async def test_what_was_typed_takes_no_effect_in_what_is_shown(world: World) -> None:
    """Markdown and mentions in a name are escaped; the state keeps the name as typed."""
    nasty = f"**@everyone** <@{world.player.id}>"
    world.typed.append(nasty)
    await setting(world, who=nasty)
    assert entry(world)["who"] == nasty
    for told in (await listing(world), said(await world.gm.slash(world.orders, "ledger list"))):
        assert nasty not in told
        assert "\\*\\*" in told


async def test_a_name_that_is_not_saved_is_pointed_out(world: World) -> None:
    """The effect is set all the same, with a line that names what is near; saved names and their sides get none."""
    await save(world.bots[0].database, Profile("Fort Teak", "base", side="Zeon"))
    told = await setting(world, "Fort Tek")
    assert "Fort Tek isn't saved, so its traits don't count. Did you mean Fort Teak?" in told
    for name in ("fort teak", "ZEON"):
        assert "not saved" not in await setting(world, name)


async def test_an_effect_of_hours_ends_by_the_clock(world: World) -> None:
    """Set for hours it says when it ends; until then it counts and is listed, afterwards neither, and setting it is no repeat."""
    told = await setting(world, effect="Under siege", until="update", hours=4)
    ends = int((world.clock() + timedelta(hours=4)).timestamp())
    assert f"{FORT}: under siege, until <t:{ends}:f> (<t:{ends}:R>)" in told
    assert f"Under siege · since entry #3 · until <t:{ends}:f> (<t:{ends}:R>)" in await listing(world)
    world.clock.advance(hours=3)
    assert ticked(response(await world.gm.slash(world.orders, "scout", scouter="Owl", base=FORT)), "base") == {
        "base.under-siege"
    }
    again = int((world.clock() + timedelta(hours=2)).timestamp())
    assert f"<t:{again}:R>" in await setting(world, effect="Under siege", hours=2)
    world.clock.advance(hours=2)
    assert "No effects that you can see" in await listing(world)
    card = response(await world.gm.slash(world.orders, "scout", scouter="Owl", base=FORT))
    assert ticked(card, "base") == set()
    assert "It has no effects" in refused(
        await world.gm.slash(world.orders, "effect clear", who=FORT, effect="Under siege")
    )
    assert "siege" not in said(await world.gm.slash(world.orders, "update show"))
    assert "until it is cleared" in await setting(world, effect="Under siege")


@pytest.mark.slow
async def test_what_is_over_by_the_clock_leaves_the_state_with_the_update(house: House) -> None:
    """It stays out of what ends with the update; the closing takes it out of the state, and taking that back changes nothing else."""
    await set_effect(house, FORT, "Attacked today", hours=4)
    await set_effect(house, FORT, "Assaulted today", hours=50)
    house.clock.advance(hours=4)
    closed = await house.close_update()
    assert closed.ended == ()
    assert set(await kept(house, FORT)) == {"effect.assaulted-today"}
    await house.take_back(closed.entry)
    assert set(await kept(house, FORT)) == {"effect.assaulted-today", "effect.attacked-today"}
    assert await seen(house, replace(GM, at=house.clock())) == [(FORT, "assaulted-today")]
    await house.take_back(3)
    assert await sound(house)


async def test_an_injury_of_hours_heals_by_the_clock(house: House) -> None:
    """How things stand with a captive, and with whom one meets in a roll, tells of no injury whose time is over."""
    await take(house, "Amuro")
    await set_effect(house, "Amuro", "Injured", hours=4)
    now, read = house.clock(), house.database.read
    for after, injuries in ((3, (None,)), (4, ())):
        asking = replace(GM, at=now + timedelta(hours=after))
        assert (await read(queries.show, asking, house.campaign, "Amuro")).injuries == injuries
