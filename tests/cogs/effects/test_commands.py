"""`/gm effect`: set, list, end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from bot.cogs.captives import queries
from bot.cogs.effects import queries as effects
from bot.core.errors import BadInput, NotAllowed
from bot.core.permissions import Person
from bot.core.profiles import Profile
from tests.cogs.captives import cells
from tests.support.acting import confirmed, effect_ended, roll_command, tick
from tests.support.backend import GM, PLAYER, STRANGER, House, scouting
from tests.support.reading import assert_says, components, control, refused, response, said, text, ticked
from tests.support.world import World, entry, entry_texts, nothing_written, rows, send_raw

FORT = "Fort Basalt"


async def list_traits(house: House, who: Person = PLAYER, about: str | None = None) -> list[tuple[str, str]]:
    """Listed effects, as bearer and trait."""
    return [(item.who, item.trait) for item in await list_effects(house, who, about)]


async def list_effects(house: House, who: Person = GM, about: str | None = None) -> list[effects.LastingEffect]:
    """Listed effects."""
    return await house.database.read(effects.list_effects, house.resolver.library, who, house.campaign, about)


async def set_by_command(world: World, who: str = FORT, effect: str = "Under siege", **more: str | int) -> str:
    """Set an effect; return the answer."""
    return said(await world.gm.slash(world.orders, "gm effect", who=who, effect=effect, **more))


async def read_list(world: World, actor: Any = None, **more: str) -> str:  # noqa: ANN401 - a member
    """What `/gm effect` lists."""
    return said(await (actor or world.gm).slash(world.orders, "gm effect", **more))


async def test_an_effect_counts_in_a_roll_until_it_is_cleared(world: World) -> None:
    """A siege ticks a scouting's line until cleared."""
    answer = await set_by_command(world, note="since dawn")
    assert_says(answer, f"{FORT}: under siege, until it is cleared", "**Note:** since dawn")
    card = response(await world.gm.slash(world.orders, "scout", scouter="Owl", base="fort  BASALT"))
    assert ticked(card, "base") == {"base.under-siege"}
    assert "since entry 3" in str(list(components(card)))
    assert "Under siege · since entry #3 · until it is cleared" in await read_list(world)

    (done,) = (await effect_ended(world.gm, world.orders, who=FORT, effect="under-siege")).followups
    assert f"{FORT}: under siege (ended)" in text(done)
    assert "No effects that you can see" in await read_list(world)
    card = response(await world.gm.slash(world.orders, "scout", scouter="Owl", base=FORT))
    assert ticked(card, "base") == set()


async def test_it_is_an_entry_for_the_staff_with_the_note_beside_it(world: World) -> None:
    """The note isn't in the body; players read nothing."""
    await set_by_command(world, note="since dawn")
    assert entry_texts(world, 3) == {"note": "since dawn"}
    assert "dawn" not in rows(world, "select body from entry where number = 3")[0][0]
    assert f"{FORT}: under siege" in str(list(components(response(await world.gm.slash(world.orders, "ledger")))))
    assert "since dawn" in said(await world.gm.slash(world.orders, "ledger", entry=3))
    assert "siege" not in said(await world.player.slash(world.orders, "ledger"))
    assert "no entry #3 that you can see" in refused(await world.player.slash(world.orders, "ledger", entry=3))


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
    """With the update, when cleared, or as chosen."""
    await cells.set_effect(house, FORT, effect, until=until)
    (found,) = await list_effects(house)
    assert found.until == ("Update 1" if ends else None)
    await house.close_update()
    assert (await list_traits(house, GM) == []) is ends
    assert await cells.sound(house)


async def test_setting_it_again_changes_only_how_long_it_lasts(house: House) -> None:
    """The same is refused; another end is an entry."""
    await cells.take(house, "Amuro")
    await house.roll(cells.interrogation("Amuro"), 13)
    first = (await cells.read_value(house, "Amuro"))["effect.injured"]
    assert first["levels"] == [1]
    with pytest.raises(BadInput, match="is already set, by entry #3"):
        await cells.set_effect(house, "amuro", "Injured")
    number = await cells.set_effect(house, "AMURO", "injured", until="update")
    assert (await cells.read_value(house, "Amuro"))["effect.injured"] == first | {"entry": number, "update": 1}

    await house.close_update()
    await cells.set_effect(house, "Amuro", "injured")
    assert await cells.sound(house)


async def test_hiding_anew_ends_having_been_revealed(house: House) -> None:
    """The entry says so."""
    await cells.add_effect(house.database, "Zaku column", "revealed", update=1)
    number = await cells.set_effect(house, "zaku COLUMN", "hidden")
    assert set(await cells.read_value(house, "Zaku column")) == {"effect.hidden"}
    body = (await house.entries())[number - 1].content()
    assert (body["who"], body["ended"]) == ("Zaku column", ["Revealed"])
    assert await cells.sound(house)


async def test_cracked_ends_with_the_captivity(house: House) -> None:
    """Even set by hand."""
    await cells.take(house, "Amuro")
    await cells.set_effect(house, "Amuro", "Cracked")
    await cells.release(house, "Amuro")
    assert await list_traits(house, GM) == []


async def test_what_rolls_have_left_is_listed_and_cleared_too(world: World) -> None:
    """Cleared, the patrol needs no reason."""
    await roll_command(world, "patrol", 20, patrol="Kilo", target="Zaku", roll="now")
    answer = await read_list(world, who="kilo")
    assert "Stop used · since entry #3 · until the end of Update 1" in answer
    assert "Zaku" not in answer
    assert "already used its stop" in refused(
        await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom", roll="now")
    )
    await effect_ended(world.gm, world.orders, who="Kilo", effect="stop used")
    done = said(await roll_command(world, "patrol", 1, patrol="Kilo", target="Dom", roll="now"))
    assert "entry #5" in done


async def test_players_see_what_is_not_secret(house: House) -> None:
    """Of theirs they see all."""
    me = await cells.find_pseudonym(house.database, PLAYER.user_id)
    await cells.save(
        house.database, Profile("Ghost", "squad", secret=True), Profile("Amuro", "pc", owner=me, secret=True)
    )
    await cells.take(house, "Amuro", "Kai")
    for name in ("Amuro", "Kai"):
        await house.roll(cells.interrogation(name), 14)
    await house.roll(scouting("Anvil", "Owl"), 20)
    await cells.set_effect(house, "Ghost", "Under siege")
    await cells.set_effect(house, FORT, "Under siege")
    await cells.set_effect(house, FORT, "Tipped off by inside information")
    await house.patrol("Zaku", faces=(20,))

    everything = await list_traits(house, GM)
    mine = await list_traits(house)
    assert mine == [("Amuro", "cracked"), (FORT, "under-siege"), ("Kilo", "stop-used"), ("Zaku", "awaits-battle")]
    assert set(everything) - set(mine) == {
        ("Anvil", "scouted"),
        (FORT, "inside-information"),
        ("Ghost", "under-siege"),
        ("Kai", "cracked"),
    }
    with pytest.raises(NotAllowed):
        await list_traits(house, STRANGER)


async def test_a_player_learns_of_a_part_when_that_part_is_public(house: House) -> None:
    """A published result is listed in full."""
    rolled = await house.patrol("Ghost", "Zaku", faces=(1, 20))
    assert rolled.entry.audience == "mixed"
    assert await list_traits(house) == [("Kilo", "stop-used"), ("Zaku", "awaits-battle")]
    await cells.take(house, "Kai")
    number = (await house.roll(cells.interrogation("Kai"), 14)).entry.number
    assert ("Kai", "cracked") not in await list_traits(house)
    await house.publish(number)
    assert ("Kai", "cracked") in await list_traits(house)


async def test_a_slip_in_whose_effects_are_listed_is_asked_about(world: World) -> None:
    """One press lists the base's effects."""
    await set_by_command(world)
    await world.gm.slash(world.orders, "gm effect", who=FORT, effect="Hidden")
    asked = await world.gm.slash(world.orders, "gm effect", who="Fort Basatl")
    assert f"Did you mean {FORT}?" in refused(asked)
    assert_says(said(await world.gm.click(response(asked), label=FORT)), FORT, "Hidden")


async def test_only_game_masters_set_and_end_effects(world: World) -> None:
    """By command, button or window, also forged ones; nothing is written."""
    await world.gm.slash(world.orders, "roster add", name=FORT, kind="base")
    await set_by_command(world)
    listed = response(await world.gm.slash(world.orders, "gm effect", who=FORT))
    select = control(listed, "end:")
    (picked,) = [option["value"] for option in select["options"]]
    number = picked.split(":")[0]
    with nothing_written(world):
        for actor in (world.player, world.stranger):
            for told in (
                await actor.slash(world.orders, "gm effect", who=FORT, effect="Hidden"),
                await send_raw(actor, world.orders, select["custom_id"], picked),
                await send_raw(actor, world.orders, f"effect:1:set:{number}"),
                await send_raw(actor, world.orders, f"effect:1:set:{number}", modal=True),
            ):
                assert "Only game masters" in refused(told)
        for forged in ("", "1", "1:2", "x:2:hidden"):
            assert "no longer works" in refused(await send_raw(world.gm, world.orders, select["custom_id"], forged))


BAD: list[tuple[str, dict[str, Any], list[str]]] = [
    ("gm effect", {"who": FORT, "effect": "Under sige"}, ["the effect 'Under sige'", "Did you mean Under siege?"]),
    ("gm effect", {"who": FORT, "effect": "siege"}, ["the effect 'siege'", "Did you mean Under siege?"]),
    ("gm effect", {"who": FORT, "effect": "e" * 6000}, ["the effect 'eee", "Pick one of: Attacked today"]),
    ("gm effect", {"who": "n" * 61, "effect": "Hidden"}, ["is too long"]),
    ("gm effect", {"who": "A, B", "effect": "Hidden"}, ["2 names"]),
    ("gm effect", {"who": " ", "effect": "Hidden"}, ["at least one name"]),
    ("gm effect", {"who": "Amuro", "effect": "Cracked"}, ["Amuro isn't a captive"]),
    ("gm effect", {"who": FORT, "hours": 2}, ["You picked none", "Pick an effect"]),
    ("gm effect", {"effect": "Hidden"}, ["at least one name"]),
    ("gm effect", {"who": ","}, ["at least one name"]),
]
"""Commands, what is typed, and what is said of it."""


async def test_bad_input_is_refused(world: World) -> None:
    """Privately, and nothing is written."""
    await set_by_command(world)
    for command, options, words in BAD:
        with nothing_written(world, (command, options)):
            answer = refused(await world.gm.slash(world.orders, command, **options)).replace("\\", "")
            assert [word for word in words if word not in answer] == [], (command, options)


async def test_names_of_saved_ones_of_sides_and_of_bearers_are_offered(world: World) -> None:
    """At most 25, by label."""
    await world.gm.slash(world.orders, "roster add", name="White Base", kind="ship", side="EF")
    await world.gm.slash(world.orders, "roster add", name="Ghost", kind="squad", side="Zeon", secret=True)
    await set_by_command(world)

    async def names(actor: Any, typed: str = "") -> list[str]:  # noqa: ANN401 - a member
        found = await actor.autocomplete(world.orders, "gm effect", "who", typed)
        return [choice["value"] for choice in found]

    assert await names(world.gm) == ["Ghost", "White Base", "EF", "Zeon", FORT]
    assert await names(world.gm, "BAS") == ["White Base", FORT]
    assert await names(world.player) == ["White Base", "EF"]
    assert await names(world.stranger) == []
    labels = await world.gm.autocomplete(world.orders, "gm effect", "effect", "TODAY", who=FORT)
    assert [choice["value"] for choice in labels][:2] == ["Attacked today", "Assaulted today"]
    lobby = world.guild.create_text_channel("lobby")
    for option in ("who", "effect"):
        assert await world.gm.autocomplete(lobby, "gm effect", option, "") == []


@pytest.mark.slow
async def test_a_long_list_is_split_and_leaves_nothing_out(world: World) -> None:
    """Two hundred effects take several messages."""
    names = [f"{'*' * 40}{number}" for number in range(200)]
    for name in names:
        await cells.add_effect(world.bots[0].database, name, "under-siege")
    result = await world.gm.slash(world.orders, "gm effect")
    answers = [response(result), *result.followups]
    assert len(answers) > 1
    assert all(answer.ephemeral for answer in answers)
    words = sum((embed.description or "").count("Under siege") for answer in answers for embed in answer.embeds)
    assert words == 200


async def test_an_archived_campaign_keeps_its_effects(world: World) -> None:
    """They are listed, but don't change."""
    await world.gm.slash(world.orders, "roster add", name=FORT, kind="base")
    await set_by_command(world)
    card = response(await world.gm.slash(world.orders, "unit", name=FORT))
    listed = response(await world.gm.click(card, label="Effects"))
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        assert "Under siege" in await read_list(world)
        assert "is archived" in refused(await world.gm.click(listed, label="Set an effect"))
        assert "is archived" in refused(await effect_ended(world.gm, listed, FORT, "Under siege"))
        for effect in ("Under siege", "Hidden"):
            assert "is archived" in refused(await world.gm.slash(world.orders, "gm effect", who=FORT, effect=effect))
        now = response(await world.gm.slash(world.orders, "gm effect", who=FORT))
        assert not list(components(now)), "nothing can be pressed"


async def test_what_was_typed_takes_no_effect_in_what_is_shown(world: World) -> None:
    """The state keeps the name as typed."""
    nasty = f"**@everyone** <@{world.player.id}>"
    world.typed.append(nasty)
    await set_by_command(world, who=nasty)
    assert entry(world)["who"] == nasty
    for answer in (await read_list(world), said(await world.gm.slash(world.orders, "ledger"))):
        assert nasty not in answer
        assert "\\*\\*" in answer


async def test_a_name_that_is_not_saved_is_pointed_out(world: World) -> None:
    """The effect is set all the same."""
    await cells.save(world.bots[0].database, Profile("Fort Teak", "base", side="Zeon"))
    answer = await set_by_command(world, "Fort Tek")
    assert "Fort Tek isn't saved, so its traits don't count. Did you mean Fort Teak?" in answer
    for name in ("fort teak", "ZEON"):
        assert "not saved" not in await set_by_command(world, name)


async def test_an_effect_of_hours_ends_by_the_clock(world: World) -> None:
    """Afterwards it's over and can be set again."""
    answer = await set_by_command(world, effect="Under siege", until="update", hours=4)
    ends = int((world.clock() + timedelta(hours=4)).timestamp())
    assert f"{FORT}: under siege, until <t:{ends}:f> (<t:{ends}:R>)" in answer
    assert f"Under siege · since entry #3 · until <t:{ends}:f> (<t:{ends}:R>)" in await read_list(world)
    world.clock.advance(hours=3)
    assert ticked(response(await world.gm.slash(world.orders, "scout", scouter="Owl", base=FORT)), "base") == {
        "base.under-siege"
    }
    again = int((world.clock() + timedelta(hours=2)).timestamp())
    assert f"<t:{again}:R>" in await set_by_command(world, effect="Under siege", hours=2)
    listed = response(await world.gm.slash(world.orders, "gm effect", who=FORT))
    world.clock.advance(hours=2)
    assert "No effects that you can see" in await read_list(world)
    card = response(await world.gm.slash(world.orders, "scout", scouter="Owl", base=FORT))
    assert ticked(card, "base") == set()
    assert "already answered, ended or undone" in refused(await effect_ended(world.gm, listed, FORT, "Under siege"))
    assert "siege" not in said(await world.gm.slash(world.orders, "update show"))
    assert "until it is cleared" in await set_by_command(world, effect="Under siege")


@pytest.mark.slow
async def test_what_is_over_by_the_clock_leaves_the_state_with_the_update(house: House) -> None:
    """Closing clears it; undoing that changes nothing else."""
    await cells.set_effect(house, FORT, "Attacked today", hours=4)
    await cells.set_effect(house, FORT, "Assaulted today", hours=50)
    house.clock.advance(hours=4)
    closed = await house.close_update()
    assert closed.ended == ()
    assert set(await cells.read_value(house, FORT)) == {"effect.assaulted-today"}
    await house.take_back(closed.entry)
    assert set(await cells.read_value(house, FORT)) == {"effect.assaulted-today", "effect.attacked-today"}
    assert await list_traits(house, replace(GM, at=house.clock())) == [(FORT, "assaulted-today")]
    await house.take_back(3)
    assert await cells.sound(house)


async def test_an_injury_of_hours_heals_by_the_clock(house: House) -> None:
    """Neither a captive's status nor a roll shows it."""
    await cells.take(house, "Amuro")
    await cells.set_effect(house, "Amuro", "Injured", hours=4)
    now, read = house.clock(), house.database.read
    for after, injuries in ((3, (None,)), (4, ())):
        asking = replace(GM, at=now + timedelta(hours=after))
        assert (await read(queries.show, asking, house.campaign, "Amuro")).injuries == injuries


async def test_a_card_shows_with_each_tick_what_began_and_ended(world: World) -> None:
    """The last change's preview doesn't hide it, however often it is taken again."""
    card = response(await world.gm.slash(world.orders, "scout", scouter="Owl", base=FORT))
    await tick(world.gm, card, "scouter", "scouter.newtype")
    await set_by_command(world, hours=1)
    await tick(world.gm, card, "scouter")
    assert ticked(card, "base") == {"base.under-siege"}
    world.clock.advance(minutes=59, seconds=50)
    for number in range(4):
        await tick(world.gm, card, "scouter", *["scouter.newtype"] * (number % 2))
        world.clock.advance(seconds=9)
    assert ticked(card, "base") == set()
