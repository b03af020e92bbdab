"""Escape: rows, joint attempts, weather, surprise attacks, refusals."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import simcord

from bot.core.errors import NeedsReason
from bot.core.profiles import Profile
from rules.books.campaign.captivity import CAPTIVE, FATE
from tests.cogs.captives.cells import add_effect, escape, find_pseudonym, read_value, save, sound, take
from tests.cogs.weather.skywatch import FAIR, put, roll
from tests.support.acting import close_update, list_cards
from tests.support.backend import RESULTS, House
from tests.support.prepared import prepared
from tests.support.reading import assert_lacks, components, newest, option, press, refused, response, said, text, ticked
from tests.support.world import World, entry, nothing_written

DEAD, BATTERED, HURT, FREE = {"fate": "killed"}, {"battered": True}, {"hurt": True}, {"fate": "escaped"}
WRITTEN, NOTHING = {"written": True}, {"written": False}
TOTALS: dict[int, dict[str, Any]] = {
    **dict.fromkeys((-9, 0, 1), DEAD),
    2: BATTERED,
    **dict.fromkeys((3, 4), HURT),
    **dict.fromkeys((5, 6), WRITTEN),
    **dict.fromkeys((7, 19), NOTHING),
    **dict.fromkeys((20, 33), FREE),
}
"""What each total of the page does (lines 317-322)."""

ROWS = [(10, total - 10, wanted) for total, wanted in TOTALS.items()] + [(1, 30, DEAD), (20, -30, FREE)]
"""Face, adjustment and what comes of it: by the total, and by a natural 1 and 20 whatever is added (line 323)."""


@pytest.mark.parametrize("injured", [False, True], ids=["whole", "injured"])
@pytest.mark.parametrize("cracked", [False, True], ids=["fresh", "cracked"])
async def test_every_row_is_applied_in_its_own_entry(house: House, *, cracked: bool, injured: bool) -> None:
    """The free and the dead aren't captives, and not cracked."""
    for face, plus, wanted in ROWS:
        name = f"Kai {face} {plus}"
        await take(house, name)
        if cracked:
            await add_effect(house.database, name, "cracked")
        if injured:
            await add_effect(house.database, name, "injured", levels=[1])
        rolled = await house.roll(escape(name, plus=plus), face)
        await house.close_update()  # so that each tries alone
        number, fate = rolled.entry.number, wanted.get("fate")
        held = await read_value(house, name)
        answer = {
            "captive": CAPTIVE in held,
            "fate": held.get(FATE),
            "cracked": "effect.cracked" in held,
            "injuries": held.get("effect.injured", {}).get("levels", []),
            "battered": "effect.seriously-injured" in held,
            "written": (f"writeup:{number}.0", "writeup") in await house.state(),
            "posts": [(item.kind, item.channel_id) for item in rolled.posts],
        }
        assert (name, answer) == (
            name,
            {
                "captive": fate is None,
                "fate": {"fate": fate, "entry": number} if fate else None,
                "cracked": cracked and fate is None,
                "injuries": [*[1] * injured, *[None] * ("hurt" in wanted)],
                "battered": "battered" in wanted,
                "written": wanted != NOTHING,
                "posts": [("results", RESULTS)],
            },
        )
    assert await sound(house)


async def test_those_who_escape_together_count_for_each_other(house: House) -> None:
    """+1 each; alone, nothing."""
    await take(house, "Amuro", "Kai", "Bright", "Mirai")
    parts = (await house.roll(escape("Amuro", "Kai", "Bright"), 10, 19, 1)).entry.content()["parts"]
    assert [(item["steps"][0]["faces"], item["steps"][0]["total"]) for item in parts] == [
        ([10], 11),
        ([19], 20),
        ([1], 2),
    ]
    assert [joint(item) for item in parts] == [
        "together with Kai and 1 more",
        "together with Amuro and 1 more",
        "together with Amuro and 1 more",
    ]
    assert [(await read_value(house, name)).get(FATE, {}).get("fate") for name in ("Amuro", "Kai", "Bright")] == [
        None,
        "escaped",
        "killed",
    ]


async def test_those_who_tried_in_the_same_update_count_too(house: House) -> None:
    """One roll or two, within an update."""
    await take(house, "Amuro", "Kai", "Bright")
    (first,) = (await house.roll(escape("Amuro"), 10)).entry.content()["parts"]
    (second,) = (await house.roll(escape("Kai"), 10)).entry.content()["parts"]
    await house.close_update()
    (third,) = (await house.roll(escape("Bright"), 10)).entry.content()["parts"]
    assert [joint(item) for item in (first, second, third)] == [None, "others try in this update", None]


def joint(part: dict[str, Any]) -> str | None:
    """Why a part counts as a joint escape."""
    known = part["facts"].get("captive.joint-escape")
    return str(known["origin"]["label"]) if known else None


async def test_a_second_attempt_in_one_update_asks_for_a_reason(house: House) -> None:
    """Not in the next update."""
    await take(house, "Amuro", "Kai")
    await house.roll(escape("Amuro"), 10)
    with pytest.raises(NeedsReason, match="Amuro has already had one this update"):
        await house.roll(escape("Kai", "Amuro"))
    assert (await house.roll(escape("Kai", "Amuro", reason="A second chance"), 10, 10)).entry.text("reason")
    await house.close_update()
    await house.roll(escape("Amuro"), 10)
    assert await sound(house)


async def flee(actor: simcord.MemberActor, world: World, **options: str) -> simcord.InteractionResult:
    """Use /escape."""
    return await actor.slash(world.orders, "escape", **options)


@prepared
async def imprison(world: World, *names: str, owner: simcord.MemberActor | None = None, at: str = "Fort Anvil") -> None:
    """Save a player's characters as captives."""
    database = world.bots[0].database
    mine = await find_pseudonym(database, (owner or world.player).id)
    await save(database, *(Profile(name, "pc", owner=mine) for name in names))
    for name in names:
        await world.gm.slash(world.orders, "capture", captive=name, by="Red", at=at)


def another_player(world: World) -> simcord.MemberActor:
    """A second player of the campaign."""
    return world.guild.add_member(world.env.create_user("player2"), roles=[world.roles["player"]])


async def test_those_held_in_several_regions_have_a_card_each(world: World) -> None:
    """A roll has one weather; by name they're refused."""
    database = world.bots[0].database
    await save(database, Profile("Fort Anvil", "base", region="India"), Profile("Luna", "base", region="Malaysia"))
    await imprison(world, "Amuro")
    await imprison(world, "Kai", at="Luna")
    with nothing_written(world):
        answer = refused(await flee(world.gm, world, captive="Amuro, Kai"))
        assert "India: Amuro; Malaysia: Kai" in answer
    await flee(world.player, world, captive="Amuro, Kai")
    opened = await flee(world.gm, world)
    cards = [response(opened), *opened.followups]
    assert ["in India" in text(cards[0]), "in Malaysia" in text(cards[1])] == [True, True]
    assert "others try in this update" in str(list(components(cards[0])))


async def test_a_player_rolls_at_once_where_the_campaign_lets_players(world: World) -> None:
    """The player gets the card or the roll."""
    await imprison(world, "Amuro")
    await world.gm.slash(world.orders, "gm settings", players_may="escape")
    card = response(await flee(world.player, world, captive="Amuro"))
    assert press(card, "roll")
    world.dice.script(20)
    assert "Amuro** escaped from **Fort Anvil**" in said(await flee(world.player, world, captive="Amuro", roll="now"))
    assert "Escaped" in text(newest(world.results))
    with nothing_written(world):
        assert "Amuro isn't a captive" in refused(await world.player.click(card, custom_id=press(card, "roll")))


@pytest.mark.parametrize("opened", ["none", "escape"])
async def test_a_player_deals_with_own_captives_only(world: World, opened: str) -> None:
    """Not whether they are a captive."""
    await imprison(world, "Amuro")
    await imprison(world, "Kai", owner=another_player(world))
    await world.gm.slash(world.orders, "gm settings", players_may=opened)
    with nothing_written(world):
        theirs, none = "Kai isn't yours", "You don't have a character called Nobody"
        for names, words in (("Kai", theirs), ("Amuro, Kai", theirs), ("Nobody", none)):
            answer = refused(await flee(world.player, world, captive=names, roll="now"))
            assert words in answer
            assert "Fort" not in answer
        assert "Name a captive character of yours" in refused(await flee(world.player, world))
        assert "You don't play in Iron Sea" in refused(await flee(world.stranger, world, captive="Amuro"))


BAD = [
    ({"captive": " "}, "at least one captive"),
    ({"captive": "Amuro,"}, "One captive has no name"),
    ({"captive": "Amuro, AMURO"}, "named twice"),
    ({"captive": ", ".join(map(str, range(11)))}, "11 names"),
    ({"captive": "n" * 61}, "is too long"),
    ({"captive": "Kai"}, "Kai isn't a captive"),
    ({"captive": "Amuro, Kai"}, "Kai isn't a captive"),
    ({"captive": "Amuro", "modifiers": "captive.xyz"}, "I don't know the modifier"),
    ({"captive": "Amuro", "note": "n" * 501}, "501 characters"),
    ({"modifiers": "captive.lucky"}, "picked on the card"),
    ({"note": "n" * 501}, "501 characters"),
]
"""What is typed, and what is said of it."""


async def test_bad_input_is_refused(world: World) -> None:
    """Privately, and nothing is written."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    for (options, words), how in product(BAD, ("card", "now")):
        with nothing_written(world, options):
            assert words in refused(await flee(world.gm, world, **options, roll=how)), options


async def test_own_captives_are_completed(world: World) -> None:
    """Game masters are offered all."""
    await imprison(world, "Amuro", "Amalia")
    await imprison(world, "Kai", owner=another_player(world))
    for actor, found in ((world.player, ["Amuro, Amalia"]), (world.gm, ["Amuro, Amalia", "Amuro, Kai"])):
        offered = await actor.autocomplete(world.orders, "escape", "captive", "Amuro, ")
        assert [item["value"] for item in offered] == found
    assert await world.stranger.autocomplete(world.orders, "escape", "captive", "") == []


async def test_a_secret_captive_who_tries_too_is_named_to_nobody(world: World) -> None:
    """The line counts; die and sum stay with the staff."""
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=world.player)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Hayato", secret=True)
    for name in ("Kai", "Hayato"):
        await world.gm.slash(world.orders, "capture", captive=name, by="Zeon", at="Fort")
    world.dice.script(10, 10)
    await world.gm.slash(world.orders, "escape", captive="Kai, Hayato", roll="now")
    public = text(newest(world.results))
    assert "Kai" in public
    assert_lacks(public, "Hayato", "together")
    (kai, _) = entry(world)["parts"]
    assert kai["secret"]


async def test_an_open_card_is_listed_without_the_secret_base(world: World) -> None:
    """There, the place has no name."""
    await world.gm.slash(world.orders, "gm settings", players_may="escape")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=world.player)
    await world.gm.slash(world.orders, "roster add", name="Hidden Fort", kind="base", secret=True)
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Zeon", at="Hidden Fort")
    await world.player.slash(world.orders, "escape", captive="Kai")
    listed = str(list(components(await list_cards(world.player, world.orders))))
    assert "Kai, an unknown place" in listed
    assert "Hidden Fort" not in listed
    assert "Hidden Fort" in str(list(components(await list_cards(world.gm, world.orders))))


COVER = "weather.covers-escape"


async def make_base(world: World, *names: str, at: str = "Fort", **place: Any) -> None:  # noqa: ANN401
    """A base with these captives."""
    if place:
        await world.gm.slash(world.orders, "roster add", name=at, kind="base", **place)
    for name in names:
        await world.gm.slash(world.orders, "capture", captive=name, by="Zeon", at=at)


async def use_escape(world: World, **options: Any) -> Any:  # noqa: ANN401
    """The answer to a game master's escape."""
    return await world.gm.slash(world.orders, "escape", **options)


async def test_a_region_and_a_week_can_be_named(world: World) -> None:
    """Lines 337 and 350: even if the place isn't saved."""
    await put(world, "South Africa", "3", 1)
    await roll(world, *FAIR)
    await make_base(world, "Kai")
    card = response(await use_escape(world, captive="Kai"))
    assert ticked(card, "conditions") == set()
    card = response(await use_escape(world, captive="Kai", region="madagascar", week=1))
    assert "in Madagascar: Storms and Fog (weather, week 1)" in text(card)
    assert ticked(card, "conditions") == {COVER}
    card = response(await use_escape(world, captive="Kai", region="Lutzow-Holm Bay", week=1))
    assert ticked(card, "conditions") == {COVER, "weather.heatwave-or-freezing"}
    assert "A week needs a region" in refused(await use_escape(world, captive="Kai", week=1))


async def test_a_region_that_is_named_holds_for_all_who_try(world: World) -> None:
    """One region for all, ordered ones too."""
    await put(world, "South Africa", "3", 1)
    await make_base(world, "Kai", region="Madagascar")
    await make_base(world, "Ryu", at="Luna", region="Coral Sea")
    assert "name one as region" in refused(await use_escape(world, captive="Kai, Ryu"))
    card = response(await use_escape(world, captive="Kai, Ryu", region="Zambeze Basin"))
    assert "in Zambeze Basin" in text(card)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Job", owner=world.player)
    await make_base(world, "Job", at="Fort")
    assert "Leave them out and use the note" in refused(
        await world.player.slash(world.orders, "escape", captive="Job", region="Coral Sea")
    )
    await world.player.slash(world.orders, "escape", captive="Job")
    assert "in Zambeze Basin" in text(response(await use_escape(world, region="zambeze basin", week=1)))


async def test_the_weather_at_a_secret_base_counts_in_secret(world: World) -> None:
    """Only the staff reads the base's name."""
    await put(world, "South Africa", "3", 1)
    await make_base(world, "Kai", region="Madagascar", secret=True)
    await make_base(world, "Ryu", at="Luna", region="Coral Sea", secret=True)
    card = response(await use_escape(world, captive="Kai, Ryu"))
    assert option(card, "tick:conditions:0", COVER)["description"].startswith("weather at Fort, week 1")
    assert "Madagascar" not in str(list(components(card)))
    world.dice.script(10, 10)
    said(await use_escape(world, captive="Kai, Ryu", roll="now"))
    first, second = entry(world)["parts"]
    assert [part["audience"] for part in (first, second)] == ["staff", "staff"]
    assert {name for name in first["facts"] if name.startswith("weather.")} == {"weather.storms", "weather.fog"}
    assert not [name for name in second["facts"] if name.startswith("weather.")]


ATTACKED, FREEING = "base.attacked-today", "base.besieged-and-surprised"


async def besiege(world: World, **owners: object) -> None:
    """A besieged Fort with these captives."""
    for name, owner in owners.items():
        more = {} if owner is None else {"owner": owner}
        await world.gm.slash(world.orders, "roster add", name=name, **{"kind": "pc", **more})
        await world.gm.slash(world.orders, "capture", captive=name, by="Zeon", at="Fort")
    await world.gm.slash(world.orders, "gm effect", who="Fort", effect="under-siege")


async def count_lines(world: World, captive: str, actor: Any = None) -> set[str]:  # noqa: ANN401 - a member
    """Which of the two lines is ticked."""
    card = response(await (actor or world.gm).slash(world.orders, "escape", captive=captive))
    return {ATTACKED, FREEING} & ticked(card, "base")


@pytest.mark.parametrize("bearer", ["Kai", "Ryu"])
async def test_an_attack_to_free_a_captive_counts_for_that_players_captives(world: World, bearer: str) -> None:
    """Line 344: +5 for that player's captives, +3 (342) for others'."""
    await besiege(world, Kai=world.player, Ryu=world.player, Job=world.stranger)
    await world.gm.slash(world.orders, "gm effect", who=bearer, effect="surprise-attack-today")
    assert await count_lines(world, "Kai") == {ATTACKED, FREEING}
    assert await count_lines(world, "Ryu") == {ATTACKED, FREEING}
    assert await count_lines(world, "Job") == {ATTACKED}
    await close_update(world)
    assert await count_lines(world, "Kai") == set()


async def test_an_attack_on_a_base_is_for_its_captives_where_they_have_one_player(world: World) -> None:
    """With several players it's an ordinary attack."""
    await besiege(world, Kai=world.player, Ryu=world.player)
    await world.gm.slash(world.orders, "gm effect", who="Fort", effect="surprise-attack-today")
    assert await count_lines(world, "Kai") == {ATTACKED, FREEING}
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Job", owner=world.stranger)
    await world.gm.slash(world.orders, "capture", captive="Job", by="Zeon", at="Fort")
    assert await count_lines(world, "Kai") == {ATTACKED}


async def test_whom_others_mean_to_free_is_on_no_players_card(world: World) -> None:
    """Only the staff sees it."""
    await world.gm.slash(world.orders, "gm settings", players_may="escape")
    await besiege(world, Kai=world.player, Job=world.stranger)
    await world.gm.slash(world.orders, "gm effect", who="Job", effect="surprise-attack-today")
    assert await count_lines(world, "Kai", world.player) == set()
    assert await count_lines(world, "Kai") == {ATTACKED}
