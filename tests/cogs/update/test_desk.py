"""The desk: each waiting thing has a line and its button."""

from __future__ import annotations

import re
from typing import Any

import simcord

from bot.core.profiles import Profile
from bot.ui.receipt import few
from tests.cogs.captives.cells import find_pseudonym, save
from tests.cogs.weather.skywatch import FAIR, ROUGH
from tests.support.acting import close_update, confirmed, fill_in, list_cards, opened, roll_command, take_back
from tests.support.reading import (
    assert_lacks,
    assert_says,
    components,
    control,
    footer,
    newest,
    press,
    refused,
    response,
    said,
    text,
)
from tests.support.world import World, nothing_written, rows, send_raw


async def desk(world: World, actor: simcord.MemberActor | None = None) -> simcord.ResponseMessage:
    """Return the desk of the game master, or another's."""
    return response(await (actor or world.gm).slash(world.orders, "update show"))


def labels(message: Any) -> list[str]:  # noqa: ANN401 - a response or a message
    """Return the labels of buttons and selects."""
    return [item.get("label") or item.get("placeholder", "") for item in components(message) if item["type"] in {2, 3}]


def key(message: Any, label: str) -> str:  # noqa: ANN401 - a response or a message
    """Return the id of a label."""
    found = [
        item["custom_id"]
        for item in components(message)
        if item["type"] in {2, 3} and label in (item.get("label"), item.get("placeholder"))
    ]
    assert len(found) == 1, (label, labels(message))
    return str(found[0])


async def captives(world: World, *names: str, owner: simcord.MemberActor | None = None) -> None:
    """Save captive characters of an owner."""
    database = world.bots[0].database
    pseudonym = await find_pseudonym(database, (owner or world.player).id)
    await save(database, *(Profile(name, "pc", owner=pseudonym) for name in names))
    for name in names:
        await world.gm.slash(world.orders, "capture", captive=name, by="Red", at="Fort Anvil")


async def roll(world: World, command: str, face: int, **options: Any) -> None:  # noqa: ANN401 - options
    """Roll at once as the game master."""
    await roll_command(world, command, face, **options, roll="now")


async def test_an_empty_desk_says_which_update_and_what_ends(world: World) -> None:
    """A player sees only the update."""
    shown = await desk(world)
    assert text(shown).split("\n")[1:] == [
        "### Update 1",
        "Since <t:1772366400:f>.",
        "**Weather:**",
        "\N{BULLET} Week 1 is due.",
        "**Ends with this update:**",
        "Nothing.",
    ]
    assert labels(shown) == ["Roll week 1", "Resolve", "Board", "Digest", "Close Update 1"]
    for actor in (world.player, world.stranger):
        theirs = await desk(world, actor)
        assert labels(theirs) == []
        assert "Weather" not in text(theirs)


async def test_ordered_escapes_are_rolled_from_the_desk(world: World) -> None:
    """One card for all; a player reads only their own."""
    other = world.guild.add_member(world.env.create_user("player2"), roles=[world.roles["player"]])
    await captives(world, "Amuro")
    await captives(world, "Kai", owner=other)
    await world.player.slash(world.orders, "escape", captive="Amuro")
    await other.slash(world.orders, "escape", captive="Kai")
    shown = await desk(world)
    lines = text(shown).partition("**Captives:**\n")[2].split("\n")[:2]
    held = "\N{MIDDLE DOT} held by Red at Fort Anvil \N{MIDDLE DOT} escape ordered"
    assert lines == [f"\N{BULLET} **{name}** {held}" for name in ("Amuro", "Kai")]
    card = response(await world.gm.click(shown, custom_id=key(shown, "Roll the escapes")))
    assert [item["label"] for item in control(card, "part")["options"]] == ["1. Amuro", "2. Kai"]
    theirs = await desk(world, world.player)
    assert_says(text(theirs), f"**Amuro** {held}", "**Amuro**: Escape")
    assert "Kai" not in text(theirs)
    assert labels(theirs) == ["Try to escape ..."]


async def test_results_are_published_from_the_desk(world: World) -> None:
    """One button per staff result; the desk stays."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    await roll(world, "patrol", 20, patrol="Kilo", target="Zaku column")
    await roll(world, "scout", 17, scouter="Owl", base="Luna")
    shown = await desk(world)
    lines = text(shown).partition("**Unpublished results:**\n")[2].split("\n")[:2]
    assert [line[:4] for line in lines] == ["\N{BULLET} #5", "\N{BULLET} #3"]
    assert "Luna" in lines[0]
    assert ("Publish #3" in labels(shown), "Publish #4" in labels(shown)) == (True, False)
    asked = response(await world.gm.click(shown, custom_id=key(shown, "Publish #3")))
    done = await world.gm.click(asked, label="Publish")
    assert "Entry #3 is public" in said(done)
    assert "Fort Anvil" in text(newest(world.results))
    assert "Publish #3" not in labels(await desk(world))
    assert "is already public" in refused(await world.gm.click(shown, custom_id=key(shown, "Publish #3")))
    theirs = await desk(world, world.player)
    assert_lacks(text(theirs), "Luna", "Unpublished")


async def test_open_cards_are_opened_again_from_the_desk(world: World) -> None:
    """The same select as in `/help`."""
    await opened(world)
    world.clock.advance(minutes=1)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    await world.player.slash(world.orders, "patrol", patrol="Lima", target="Gouf")
    shown = await desk(world)
    assert "2 wait for a roll, 1 of them by other players." in text(shown)
    select = next(item for item in components(shown) if item["type"] == 3)
    assert [item["label"] for item in select["options"]] == ["patrol: Lima, Gouf", "patrol: Kilo, Zaku column"]
    card = await world.gm.select(shown, [select["options"][1]["value"]], custom_id=select["custom_id"])
    assert "Kilo" in said(card)
    theirs = await desk(world, world.player)
    assert "1 waits for a roll." in text(theirs)
    (only,) = next(item for item in components(theirs) if item["type"] == 3)["options"]
    assert "Lima" in only["label"]
    assert only["description"].startswith("yours")
    assert only["description"].endswith("13:01 CET")
    await world.gm.slash(world.orders, "gm settings", timezone="Asia/Tokyo")
    listed = await list_cards(world.player, world.orders)
    (only,) = next(item for item in components(listed) if item["type"] == 3)["options"]
    assert only["description"].endswith("21:01 JST")


async def test_challenges_are_answered_and_withdrawn_from_the_desk(world: World) -> None:
    """Each side finds its own button."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity")
    await world.player.slash(world.orders, "infinity versus", mine=13, opponent=world.gm, my_name="Angus")
    shown = await desk(world)
    assert_says(text(shown), "**Open challenges:**", f"**Angus** to <@{world.gm.id}>, expires <t:")
    (challenge,) = rows(world, "select id from pending")[0]
    answer = await world.gm.select(shown, [challenge], custom_id=key(shown, "Answer one"))
    assert answer.modal is not None
    theirs = await desk(world, world.player)
    assert labels(theirs) == ["Withdraw one"]
    before = text(theirs)
    gone = await world.player.select(theirs, [challenge], custom_id=key(theirs, "Withdraw one"))
    assert "withdrawn" in said(gone).casefold()
    assert response(gone).id != theirs.id
    assert text(theirs) == before
    assert "challenges" not in text(await desk(world)) + text(await desk(world, world.stranger))


async def test_who_is_held_stands_on_the_desk(world: World) -> None:
    """With captor, place, news and undo."""
    await captives(world, "Amuro", "Kai", "Bright")
    await roll(world, "escape", 1, captive="Kai")
    await roll(world, "interrogate", 14, captive="Bright", interrogators="Stahl")
    shown = await desk(world)
    lines = text(shown).partition("**Captives:**\n")[2].split("\n")[:3]
    assert lines == [
        "\N{BULLET} **Amuro** \N{MIDDLE DOT} held by Red at Fort Anvil",
        "\N{BULLET} **Bright** \N{MIDDLE DOT} held by Red at Fort Anvil \N{MIDDLE DOT} cracked",
        "\N{BULLET} **Kai** \N{MIDDLE DOT} killed",
    ]
    select = control(shown, "show:0")
    assert [item["label"] for item in select["options"]] == ["Amuro", "Bright"], "the dead are none to act on"
    card = response(await world.gm.select(shown, [select["options"][0]["value"]], custom_id=select["custom_id"]))
    assert labels(card) == ["Interrogate", "Escape", "Move", "Release", "Undo"]
    theirs = await desk(world, world.player)
    assert text(theirs).partition("**Captives:**\n")[2].split("\n")[:3] == lines
    assert labels(theirs) == ["Try to escape ...", "Claim #7"]
    assert "Captives" not in text(await desk(world, world.stranger))
    await close_update(world)
    assert text(await desk(world)).partition("**Captives:**\n")[2].split("\n")[:2] == lines[:2], (
        "the dead are told once"
    )


async def test_a_captive_of_others_is_no_news_to_a_player(world: World) -> None:
    """A secret captor isn't named."""
    other = world.guild.add_member(world.env.create_user("player2"), roles=[world.roles["player"]])
    await world.gm.slash(world.orders, "roster add", name="Shadow", kind="ship", secret=True)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Amuro", owner=world.player)
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Shadow", at="Fort Anvil")
    assert "held by Shadow" in text(await desk(world))
    theirs = await desk(world, world.player)
    assert "held by someone unknown at Fort Anvil" in text(theirs)
    select = control(theirs, "show:0")
    assert "Shadow" not in str(select)
    picked = await world.player.select(theirs, [select["options"][0]["value"]], custom_id=select["custom_id"])
    assert "held by someone unknown at Fort Anvil" in said(picked)
    assert labels(response(picked)) == ["Escape"]
    assert "Amuro" not in text(await desk(world, other))
    told = refused(await send_raw(other, world.orders, select["custom_id"], select["options"][0]["value"]))
    assert "That captivity has ended" in told


async def test_the_weather_is_rolled_from_the_desk(world: World) -> None:
    """Due once in each update."""
    shown = await desk(world)
    world.dice.script(*FAIR)
    done = await world.gm.click(shown, custom_id=key(shown, "Roll week 1"))
    assert "Week 1 is rolled: entry #3" in said(done)
    assert response(done).id != shown.id
    after = await desk(world)
    assert "### Update 1 \N{MIDDLE DOT} week 1" in text(after)
    assert "Roll week 2" not in labels(after)
    assert "week 1" in text(await desk(world, world.player))
    again = await world.gm.click(shown, custom_id=key(shown, "Roll week 1"))
    assert "already rolled" in refused(again)


async def test_weeks_are_told_with_their_update(world: World) -> None:
    """In the preview and in the digest."""
    await close_update(world, name="The thaw")
    assert "Weather of week 1 \N{MIDDLE DOT} The thaw" in said(await world.gm.slash(world.orders, "weather rollover"))
    shown = await desk(world)
    world.dice.script(*FAIR)
    await world.gm.click(shown, custom_id=key(shown, "Roll week 1"))
    footers = [footer(embed) for embed in newest(world.results).embeds]
    assert "The thaw" in footers[-1].split(" \N{MIDDLE DOT} ")
    assert "### The thaw \N{MIDDLE DOT} week 1" in text(await desk(world))


async def test_a_week_that_rolls_by_itself_says_when(world: World) -> None:
    """A week set by hand leaves none due."""
    await world.gm.slash(world.orders, "gm schedule", what="weather", day="Saturday", time="18:00")
    assert re.search(r"Week 1 is due; it rolls by itself <t:[0-9]+:R>", text(await desk(world)))
    await world.gm.slash(
        world.orders, "weather set", zone="north-africa", category="3", week=13, reason="as the page had it"
    )
    shown = text(await desk(world))
    assert "### Update 1 \N{MIDDLE DOT} week 13" in shown
    assert "is due" not in shown


async def test_a_campaign_without_weather_has_none_due(world: World) -> None:
    """Such as Infinity."""
    await world.gm.slash(world.orders, "gm settings", books="infinity, -campaign")
    shown = await desk(world)
    assert "### Update 1\n" in text(shown)
    assert labels(shown) == ["Close Update 1"]


async def test_closing_from_the_desk_asks_first_and_offers_the_weather(world: World) -> None:
    """The answer offers undo too."""
    await roll(world, "patrol", 20, patrol="Kilo", target="Zaku column")
    world.dice.script(*FAIR)
    shown = await desk(world)
    await world.gm.click(shown, custom_id=key(shown, "Roll week 1"))
    shown = await desk(world)
    assert "**Ends with this update:**\n\N{BULLET} Kilo: stop used" in text(shown)
    question = response(await world.gm.click(shown, custom_id=key(shown, "Close Update 1")))
    assert_says(text(question), "Close Update 1 \N{MIDDLE DOT} week 1?", "Kilo: stop used")
    assert "begins" not in text(newest(world.results))
    done = response(await world.gm.click(question, custom_id=press(question, "close")))
    assert "Update 2 has begun \N{MIDDLE DOT} week 1." in text(done)
    assert labels(done) == ["Roll week 2", "Undo"]
    public = newest(world.results)
    assert public.embeds[0].title == "Update 2 begins \N{MIDDLE DOT} week 1"
    assert "Update 1 is closed." in text(public)
    for told in (public, newest(world.staff)):
        assert footer(told.embeds[0]) == "#5"
    assert "stop used" not in text(public)
    assert "Kilo: stop used" in text(newest(world.staff))
    world.dice.script(*ROUGH)
    rolled = await world.gm.click(done, custom_id=key(done, "Roll week 2"))
    assert "Week 2 is rolled" in said(rolled)
    assert "already closed" in refused(await world.gm.click(shown, custom_id=key(shown, "Close Update 1")))


async def test_a_closing_that_is_taken_back_is_struck_through(world: World) -> None:
    """The desk is the old update's again."""
    done = response(await close_update(world))
    await fill_in(world.gm, done, {"reason": "Too soon"}, custom_id=key(done, "Undo"))
    assert "~~" in (world.results.history()[0].embeds[0].title or "")
    assert "### Update 1" in text(await desk(world))


async def test_buttons_of_the_desk_are_for_game_masters(world: World) -> None:
    """Forged presses write nothing."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    shown = await desk(world)
    with nothing_written(world):
        for label in ("Roll week 1", "Publish #3", "Close Update 1"):
            for actor in (world.player, world.stranger):
                assert "Only game masters" in refused(await send_raw(actor, world.orders, key(shown, label)))


async def test_an_archived_campaign_has_nothing_to_do(world: World) -> None:
    """The update is still shown."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    await confirmed(world, "campaign archive", world.manager)
    shown = await desk(world)
    assert "### Update 1" in text(shown)
    assert labels(shown) == []


async def test_the_desk_tells_the_newest_dice_alone(world: World) -> None:
    """Three of five, with a count; the closing has all."""
    for face in range(1, 6):
        await roll_command(world, "roll", face, actor=world.player, expression="d20")
    told = text(await desk(world, world.player)).partition("**Rolls in play:**")[2]
    assert re.findall("\N{BULLET} #([0-9]+)", told) == ["5", "6", "7"]
    assert "*and 2 more: `/ledger`*" in told
    closed = said(await close_update(world))
    assert all(f"#{number} " in closed for number in range(3, 8))


async def test_what_is_told_in_the_summary_stands(world: World) -> None:
    """Public rolls of this update, none void."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity")
    world.dice.script(2, 5, sides=6)
    await world.player.slash(world.orders, "roll", expression="2d6+1 for the charge")
    await roll_command(world, "infinity roll", 7, actor=world.player, attribute=12, label="Angus")
    world.dice.script(3, sides=6)
    await world.gm.slash(world.orders, "roll", expression="1d6", to="staff")
    world.dice.script(4, sides=6)
    await world.player.slash(world.orders, "roll", expression="1d6")
    await take_back(world, "gm undo", entry=7, reason="A slip")
    for actor in (world.gm, world.player):
        told = text(await desk(world, actor)).partition("**Rolls in play:**")[2]
        assert re.findall("\N{BULLET} #([0-9]+)", told)[:2] == ["4", "5"]
        assert "#7" not in told
    assert "Rolled" not in text(await desk(world, world.stranger))
    done = response(await close_update(world))
    public = text(newest(world.results)).partition("**Rolls in play:**")[2]
    assert re.findall("\N{BULLET} #([0-9]+)", public) == ["4", "5"]
    assert_says(public, "2d6+1", "Angus")
    assert "Rolled" not in text(await desk(world))
    await fill_in(world.gm, done, {"reason": "Too soon"}, custom_id=key(done, "Undo"))
    assert "2d6+1" in text(await desk(world)), "the update goes on as it was"


async def test_however_much_waits_the_desk_fits_into_messages(world: World) -> None:
    """Thirty of each kind."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity")
    names = [f"{'Very long name of somebody':<40}{number}".replace(" ", "_") for number in range(30)]
    await captives(world, *names)
    for start in range(0, 30, 10):
        await world.player.slash(world.orders, "escape", captive=", ".join(names[start : start + 10]))
    for number in range(30):
        await roll(world, "scout", 17, scouter=f"Owl {number}", base=f"{'*' * 40}{number}")
        await roll_command(world, "infinity roll", number % 20 + 1, attribute=12, label="Angus")
    for number in range(6):
        await roll(world, "patrol", 20, patrol=f"Kilo {number}", target=f"Zaku {number}")
        await opened(world, patrol=f"Lima {number}")
    for number in range(8):
        await world.gm.slash(world.orders, "infinity versus", mine=13, opponent=world.player, my_name=f"Angus {number}")
    first = await world.gm.slash(world.orders, "update show")
    pages = [response(first), *first.followups]
    whole = "".join(map(text, pages))
    assert_says(
        whole,
        "*and 26 more: `/order list`*",
        "*and 26 more: `/captives`*",
        "*and 2 more: `/writeups`*",
        "*and 4 more: `/infinity challenges`*",
        "*and 26 more: `/ledger`*",
    )
    for page in pages:
        listed = list(components(page))
        keys = [item["custom_id"] for item in listed if "custom_id" in item]
        assert len(listed) <= 40
        assert len(keys) == len(set(keys))
        assert len(text(page)) <= 4000
        assert all(len(item["components"]) <= 5 for item in listed if item["type"] == 1)
    assert len(pages) == 2
    assert "Close Update 1" in labels(pages[-1])


def test_more_than_anybody_counts_is_said_so() -> None:
    """The number left is shown if known."""
    lines = [str(number) for number in range(9)]
    assert few(lines[:4], 4, "/help") == lines[:4]
    assert few(lines, 9, "/help") == [*lines[:4], "*and 5 more: `/help`*"]
    assert few(lines, None, "/help") == [*lines[:4], "*and more: `/help`*"]
