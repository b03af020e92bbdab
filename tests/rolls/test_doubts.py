"""A slip never changes a roll that is made at once: it is asked about first, and nothing is rolled before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.profiles import Profile
from bot.rolls.doubts import find_near_key, likely_slips
from tests.cogs.captives.cells import save
from tests.support.acting import close_update
from tests.support.reading import newest, offers, press, refused, response, said, text
from tests.support.world import World, entry, rows, send_raw

KILO = Profile("Blockade Kilo", "fleet", traits={"newtype": 1})
HIDDEN = Profile("Silent Thunder", "fleet", secret=True)


async def asked(world: World, actor: Any = None, **options: str) -> Any:  # noqa: ANN401 - who, and the question
    """What a patrol that is to be rolled at once is answered with, when it is a question; nothing is rolled."""
    given = {"patrol": "Kilo", "target": "Zaku column"} | options
    before = rows(world, "select count(*) from entry")
    answer = response(await (actor or world.gm).slash(world.orders, "patrol", **given, roll="now"))
    assert answer.ephemeral
    assert "Nothing is rolled yet" in text(answer)
    assert rows(world, "select count(*) from entry") == before
    assert world.results.last_message is None
    return answer


def counts(world: World) -> dict[str, int]:
    """What counted in the newest roll."""
    (step,) = entry(world)["parts"][0]["steps"]
    return {item["id"]: item["count"] for item in step["modifiers"] if item["count"]}


@pytest.mark.parametrize("mark", ["; ", " / ", "/", " & ", " and ", " + ", "\N{FULLWIDTH COMMA}"])
async def test_several_names_without_commas_are_asked_about(world: World, mark: str) -> None:
    """Two names with something else between them aren't silently one, as game master and as player."""
    await save(world.bots[0].database, KILO)
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    for who in (world.gm, world.player):
        question = await asked(world, who, target=f"Blockade Kilo{mark}Dom")
        assert "Use commas for several: Blockade Kilo, Dom." in text(question)
        assert offers(question, "roll")


async def test_what_joins_the_words_of_one_name_is_no_doubt(world: World) -> None:
    """A saved name may have such a word, and so may one of which no part is known; a secret one is no part that is known."""
    pair = Profile("Rock and Roll", "squad")
    await save(world.bots[0].database, pair, HIDDEN)
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    for target in ("Rock and Roll", "Sun & Moon"):
        world.dice.script(10)
        told = said(await world.gm.slash(world.orders, "patrol", patrol=f"K {target[:1]}", target=target, roll="now"))
        assert "Rolled: entry #" in told
    world.dice.script(10)
    options = {"patrol": "Lima", "target": "Silent Thunder and Dom"}
    assert "Nothing is rolled" not in said(await world.player.slash(world.orders, "patrol", **options, roll="now"))
    assert "Use commas" in text(
        response(
            await world.gm.slash(world.orders, "patrol", **{**options, "target": "Silent Thunder & Dom"}, roll="now")
        )
    )


async def test_whom_no_roll_can_mean_is_no_way_out(world: World) -> None:
    """Where the saved one of a near name cannot take part, the roll is offered as typed alone."""
    await save(world.bots[0].database, Profile("Kai Brandt", "pc"))
    await world.gm.slash(world.orders, "captive take", captive="Kai Brandt", by="Zeon", at="Fort")
    world.dice.script(1)
    await world.gm.slash(world.orders, "escape", captive="Kai Brandt", roll="now")
    question = response(await world.gm.slash(world.orders, "scout", scouter="Kai Brant", base="Keep", roll="now"))
    assert "Nothing is rolled yet" in text(question)
    assert not offers(question, "meant")
    world.dice.script(10)
    assert "Rolled: entry #" in said(await world.gm.click(question, custom_id=press(question, "roll")))


@pytest.mark.slow
async def test_a_name_that_is_nearly_one_that_has_rolled_is_asked_about(world: World) -> None:
    """Nobody gets a second stop in an update by a slip in a name: whoever was rolled is known, saved or not."""
    world.dice.script(18)
    await world.gm.slash(world.orders, "patrol", patrol="Blockade Kilo", target="Zaku column", roll="now")
    for slip in ({"patrol": "Blokade Kilo"}, {"patrol": "Blockade Kilo", "target": "Zaku colum"}):
        question = response(await world.gm.slash(world.orders, "patrol", **{"target": "Dom wing"} | slip, roll="now"))
        assert "Did you mean" in text(question)
    asked_about = {"patrol": "Blokade Kilo", "target": "Dom"}
    question = response(await world.gm.slash(world.orders, "patrol", **asked_about, roll="now"))
    await world.gm.click(question, custom_id=press(question, "meant"))
    assert "has already used its stop" in text(question)
    question = response(await world.gm.slash(world.orders, "patrol", **asked_about, roll="now"))
    world.dice.script(10)
    await world.gm.click(question, custom_id=press(question, "roll"))
    assert entry(world)["parts"][0]["subjects"]["patrol"] == "Blokade Kilo"

    await close_update(world)
    world.dice.script(10)
    told = said(await world.gm.slash(world.orders, "patrol", patrol="Blockade Kilos", target="Gelgoog", roll="now"))
    assert "Rolled: entry #" in told, "who rolled in the update before is not on the field any more"


@pytest.mark.slow
async def test_a_name_that_is_nearly_one_under_an_effect_is_asked_about(world: World) -> None:
    """What lasts on somebody unsaved is not got around by a slip, also in a later update."""
    await world.gm.slash(world.orders, "effect set", who="Fort Granite", effect="Under siege")
    await close_update(world)
    question = response(await world.gm.slash(world.orders, "scout", scouter="K", base="Fort Granit", roll="now"))
    assert "Did you mean Fort Granite?" in text(question)


async def test_a_private_part_of_a_public_roll_does_not_show_by_a_question(world: World) -> None:
    """Of a command with several patrols, a player knows those whose result was public."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    world.dice.script(10, 18)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Grey Ghost, Zaku column", roll="now")
    assert [part["audience"] for part in entry(world)["parts"]] == ["staff", "results"]
    world.dice.script(10)
    told = said(await world.player.slash(world.orders, "patrol", patrol="Lima", target="Gray Ghost", roll="now"))
    assert "the game masters have the result" in told
    question = await world.player.slash(world.orders, "patrol", patrol="Lima", target="Zaku colum", roll="now")
    assert "Did you mean Zaku column?" in said(question)


async def test_a_region_without_weather_is_asked_about(world: World) -> None:
    """One that is nearly a known one can be rolled as meant; of any other it is said that no weather counts there."""
    near = await asked(world, region="Madagascr")
    assert "There's no weather for the region Madagascr. Did you mean Madagascar?" in text(near)
    far = await asked(world, region="Sea of Nowhere")
    assert "No weather counts" in text(far)
    assert not offers(far, "meant")


async def test_as_meant_is_pressed_once(world: World) -> None:
    """The second press, from another look at the question, rolls nothing more."""
    question = await asked(world, region="Madagascr")
    key = press(question, "meant")
    world.dice.script(10)
    await world.gm.click(question, custom_id=key)
    assert entry(world)["region"] == "Madagascar"
    before = rows(world, "select count(*) from entry")
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku column"))
    told = refused(await send_raw(world.gm, world.orders, key, on=card))
    assert "rolled already" in told
    assert rows(world, "select count(*) from entry") == before


async def test_a_player_is_never_asked_about_a_secret_name(world: World) -> None:
    """What is nearly the name of somebody secret is rolled for a player as any name; a game master is asked."""
    await save(world.bots[0].database, HIDDEN)
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    world.dice.script(18)
    options = {"patrol": "Silent Thundr", "target": "Zaku"}
    told = said(await world.player.slash(world.orders, "patrol", **options, roll="now"))
    assert "Rolled: entry #" in told
    assert "Thunder" not in told
    assert "Thunder" not in text(newest(world.results))
    question = response(
        await world.gm.slash(world.orders, "patrol", patrol="Silent Thundre", target="Zaku", roll="now")
    )
    assert "Did you mean Silent Thunder?" in text(question)


async def test_a_game_masters_private_roll_does_not_show_by_what_is_not_asked(world: World) -> None:
    """A game master isn't asked again about a name that was rolled as typed; a player still is, where that was in private."""
    await save(world.bots[0].database, KILO)
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    slip = {"patrol": "Blockade Killo", "target": "Zaku"}
    question = await asked(world, **slip)
    world.dice.script(10)
    await world.gm.click(question, custom_id=press(question, "roll"))
    world.dice.script(10)
    assert "Rolled: entry #" in said(
        await world.gm.slash(world.orders, "patrol", **slip | {"target": "Gouf"}, roll="now")
    )
    told = said(await world.player.slash(world.orders, "patrol", **slip | {"target": "Dom"}, roll="now"))
    assert "Did you mean Blockade Kilo?" in told


@pytest.mark.parametrize(
    ("typed", "known", "close"),
    [
        ("blockade killo", ["blockade kilo"], True),
        ("gray ghost", ["grey ghost"], True),
        ("greyghost", ["grey ghost"], True),
        ("blockade lima", ["blockade kilo"], False),
        ("fort oak", ["fort teak"], False),
        ("zaku 2", ["zaku 1"], False),
        ("dom iii", ["dom ii"], False),
        ("team b", ["team a"], False),
        ("kay", ["kai"], False),
    ],
)
def test_other_units_of_a_kind_are_no_slips(typed: str, known: list[str], *, close: bool) -> None:
    """A slip changes a letter or two of a word; numbers, letters and other words tell units apart."""
    assert find_near_key(typed, known) == (known[0] if close else None)


WORDS = st.lists(st.text("abeikos12", min_size=1, max_size=7), min_size=1, max_size=3).map(" ".join)


@given(WORDS, WORDS, st.integers(0, 12), st.text("abe 1", max_size=2))
@example("brandt", "kai brandt", 0, "")
@pytest.mark.slow
def test_the_first_look_hides_no_slip(name: str, other: str, at: int, typed: str) -> None:
    """Whatever is a slip of a name has letters enough in common with it, so that the saved ones are looked at."""
    for known in (other, name[:at] + typed + name[at + 1 :], f"{other} {name}"):
        if find_near_key(name, [known]) is not None:
            assert [*likely_slips(name, [known])] == [known]
