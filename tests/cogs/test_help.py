"""`/help` and `/ping`."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.client import Adjutant
from bot.cogs import help as helping
from tests.cogs.update.test_desk import captives, desk, key, labels, roll
from tests.support.acting import confirmed, has_cards, list_cards, opened
from tests.support.reading import assert_lacks, assert_says, components, newest, refused, response, said, text
from tests.support.world import World, rows, running, send_raw, show_every_command
from tests.transcripts import commands

NAMED = re.compile(r"`/([a-z -]+)`")
ALL_BOOKS = "campaign, infinity, battlesystem, roe, total_war"


def find_names(told: str) -> set[str]:
    """The commands that a text names."""
    return set(NAMED.findall(told))


async def ask_help(world: World, actor: Any, **about: str) -> str:  # noqa: ANN401 - an actor
    """What `/help` shows a person."""
    return said(await actor.slash(world.orders, "help", **about))


def options(page: Any, custom_id: str = "help:about") -> list[str]:  # noqa: ANN401 - a response or a message
    """What a select of the page offers."""
    found = [item for item in components(page) if item.get("custom_id") == custom_id]
    return [item["value"] for select in found for item in select["options"]]


async def first_page(world: World, actor: Any) -> Any:  # noqa: ANN401 - an actor and a response
    """The page without a topic."""
    return response(await actor.slash(world.orders, "help"))


async def find_usable(world: World, actor: Any) -> set[str]:  # noqa: ANN401 - an actor
    """The commands that the pages of all tasks list."""
    found: set[str] = set()
    for topic in options(await first_page(world, actor))[1:]:
        answer = await ask_help(world, actor, about=topic)
        found |= set(re.findall("^`/([a-z -]+)` ", answer, re.MULTILINE))
    return found


async def test_the_first_page_names_the_first_commands_of_each_task(world: World) -> None:
    """It counts the others."""
    await world.gm.slash(world.orders, "gm settings", books=ALL_BOOKS)
    for actor in (world.gm, world.player):
        page = await first_page(world, actor)
        lines = dict(re.findall(r"^\*\*(.+)\*\*: (.+)$", text(page), re.MULTILINE))
        assert options(page) == ["Your first evening", *lines]
        for topic, line in lines.items():
            page = response(await actor.slash(world.orders, "help", about=topic))
            named, listed = NAMED.findall(line), [name[1:] for name in options(page, "help:command")]
            assert named == (listed[:4] if len(listed) > 5 else listed)
            assert line.endswith(f" and {len(listed) - 4} more" if len(listed) > 5 else f"`/{named[-1]}`")


async def test_a_player_reads_what_they_can_do_in_the_order_of_a_game(world: World) -> None:
    """Books that are off and commands of game masters are left out."""
    lines = text(await first_page(world, world.player)).split("\n")
    assert [line for line in lines if line] == [
        "### What you can do here",
        "-# You're a player of Iron Sea.",
        "Nothing waits for you.",
        "**Orders and updates**: `/order give` `/update show` `/order list`",
        "**Rolls**: `/roll`",
        "**Captives**: `/captives` `/escape`",
        "**Units and characters**: `/unit`",
        "**Weather**: `/forecast`",
        "**Write-ups**: `/writeups`",
        "**Ledger**: `/ledger` `/verify` `/luck`",
        "**House rules**: `/table roll` `/table show`",
        "**Campaign**: `/help`",
        "-# Tap a command to use it. Pick a task below to read what each does.",
    ]


async def test_orders_are_named_where_the_person_can_give_some(world: World) -> None:
    """Books may have none."""
    for books, named in (("campaign", True), ("infinity, -campaign", False)):
        await world.gm.slash(world.orders, "gm settings", books=books)
        assert ("order give" in find_names(await ask_help(world, world.player))) is named


async def test_the_first_page_begins_with_what_waits_for_the_person(world: World) -> None:
    """As `/update show` has it, with its buttons."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    page = await first_page(world, world.gm)
    waiting = text(page).partition("**What waits for you**\n")[2].partition("\n**Orders")[0]
    assert_says(waiting, "\N{BULLET} Weather: Week 1 is due.", "\N{BULLET} Unpublished results: #3")
    assert {"Publish #3", "Roll week 1"} <= {*labels(page)} & {*labels(await desk(world))}


async def test_of_much_that_waits_five_lines_are_shown(world: World) -> None:
    """The fifth says how much more `/update show` lists."""
    await fill_the_desk(world)
    waiting = (await ask_help(world, world.gm)).partition("**What waits for you**\n")[2].split("\n\n")[0].split("\n")
    assert [line[0] for line in waiting[:5]] == [*"\N{BULLET}" * 4, "*"]
    assert re.fullmatch(r"\*and [0-9]+ more: `/update show`\*", waiting[4])
    assert waiting[5].startswith("**Orders and updates**")


async def test_a_button_on_the_first_page_answers_below_it(world: World) -> None:
    """The page stays."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    page = await first_page(world, world.gm)
    before = text(page)
    asked = await world.gm.click(page, custom_id=key(page, "Publish #3"))
    assert "Publish" in labels(response(asked))
    assert text(page) == before


async def test_others_see_nothing_of_what_waits_for_a_player(world: World) -> None:
    """Neither a rival nor people outside the campaign."""
    rival = world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])
    await captives(world, "Kai")
    await world.player.slash(world.orders, "escape", captive="Kai")
    assert "Kai" in await ask_help(world, world.player)
    for actor in (rival, world.stranger, world.manager):
        answer = await ask_help(world, actor)
        assert ("Nothing waits for you." in answer) is (actor is rival)
        assert "Kai" not in answer


async def test_nothing_waits_in_an_archived_campaign(world: World) -> None:
    """The page says why most commands are refused there."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    await confirmed(world, "campaign archive", world.manager)
    for actor in (world.gm, world.player, world.stranger):
        answer = await ask_help(world, actor)
        assert "Iron Sea is archived: nothing can be added to it." in answer
        assert_lacks(answer, "What waits for you", "Nothing waits")


async def test_people_outside_the_campaign_find_what_is_open_to_everyone(world: World) -> None:
    """Each of these answers them; a server manager's commands come with it."""
    answer = await ask_help(world, world.stranger)
    assert_says(answer, "You aren't in Iron Sea yet. Ask a game master for the player role.")
    assert {"forecast", "update show"} <= find_names(answer)
    for name in find_names(answer) - {"forecast"}:  # no week is known yet
        assert "You can't do that" not in said(await world.stranger.slash(world.orders, name)), name
    assert not {"roll", "ledger", "order give", "unit"} & await find_usable(world, world.stranger)
    assert "campaign link" in find_names(await ask_help(world, world.manager))


async def test_rarely_needed_things_are_buttons_on_the_first_page(world: World) -> None:
    """A game master has a command for their campaign; cards are offered to who has some."""
    for actor, buttons in (
        (world.player, ["Your data", "This campaign", "Your settings"]),
        (world.stranger, ["Your data", "This campaign", "Your settings"]),
        (world.manager, ["Your data", "This campaign", "Your settings"]),
        (world.gm, ["Your data", "Your settings"]),
    ):
        assert labels(await first_page(world, actor))[-len(buttons) :] == buttons
    page = await first_page(world, world.player)
    shown = await world.player.click(page, label="This campaign")
    assert "That button no longer works" in refused(await send_raw(world.player, world.orders, "campaign:1:nothing"))
    assert_says(said(shown), "Iron Sea", "**Players:**")
    assert response(shown).ephemeral
    assert "What you can do here" in text(page)
    await world.player.slash(world.orders, "roll", expression="d6", roll="card")
    for actor, offered in ((world.player, True), (world.stranger, False)):
        assert await has_cards(actor, world.orders) is offered
    assert "1 of Iron Sea" in text(await list_cards(world.player, world.orders))


async def test_open_cards_are_offered_where_nothing_else_waits(world: World) -> None:
    """An archived campaign's cards can still be seen, and those of who left it."""
    await world.player.slash(world.orders, "roll", expression="d6", roll="card")
    await confirmed(world, "campaign archive", world.manager)
    assert_lacks(await ask_help(world, world.player), "What waits for you")
    assert await has_cards(world.player, world.orders)


async def test_a_forged_list_of_cards_shows_only_ones_own(world: World) -> None:
    """Also in another campaign's name."""
    await world.player.slash(world.orders, "roll", expression="d6", roll="card")
    assert "No open cards" in said(await send_raw(world.stranger, world.orders, "card:1:-:0:0:list"))
    assert "isn't on this server" in refused(await send_raw(world.player, world.orders, "card:7:-:0:0:list"))


async def test_every_page_fits_into_a_message_with_all_books_and_a_full_desk(world: World) -> None:
    """With mentions as long as Discord's, at least on the first page."""
    await fill_the_desk(world)
    await show_every_command(world)
    bot = world.bots[-1]
    bot.mentions.learn({name.split()[0]: 2**60 for name in commands.names()}, world.guild.id)
    lead = world.guild.add_member(world.env.create_user("boss"), roles=[world.roles["manager"], world.roles["gm"]])
    for actor in (lead, world.gm, world.player):
        first = await first_page(world, actor)
        assert "</update show:1152921504606846976> " in text(first)
        for page in [
            first,
            *[response(await actor.slash(world.orders, "help", about=each)) for each in options(first)],
        ]:
            listed = list(components(page))
            keys = [item["custom_id"] for item in listed if "custom_id" in item]
            assert len(text(page)) <= 4000
            assert len(listed) <= 40
            assert len(keys) == len(set(keys))
            assert all(len(item["options"]) <= 25 for item in listed if item["type"] == 3)
            assert all(len(item["components"]) <= 5 for item in listed if item["type"] == 1)


async def fill_the_desk(world: World) -> None:
    """Things of each kind wait, with long names, in a campaign that plays all books."""
    await world.gm.slash(world.orders, "gm settings", books=ALL_BOOKS)
    names = [f"{'Very long name of a captive':<40}{number}".replace(" ", "_") for number in range(5)]
    await captives(world, *names)
    await world.player.slash(world.orders, "escape", captive=", ".join(names))
    for number in range(5):
        await roll(world, "scout", 17, scouter=f"Owl {number}", base=f"{'*' * 40}{number}")
        await roll(world, "patrol", 20, patrol=f"Kilo {number}", target=f"Zaku {number}")
        await opened(world, patrol=f"Lima {number}")
        await world.gm.slash(world.orders, "infinity versus", mine=13, opponent=world.player, my_name=f"Angus {number}")


async def test_a_player_finds_how_results_can_be_trusted(world: World) -> None:
    """What it says of a result is so: Details ends with the hash."""
    answer = await ask_help(world, world.player, about="Ledger")
    assert_says(answer, "Details under a result ends with its entry's hash", "compare it later with `/ledger entry:`")
    await roll(world, "patrol", 18, patrol="Kilo", target="Zaku")
    details = said(await world.player.click(newest(world.results), label="Details"))
    ((kept,),) = rows(world, "select hash from entry where number = 3")
    assert f"Hash {kept}" in details


async def test_the_page_of_the_ledger_says_where_undo_is(world: World) -> None:
    """A right-click is seen nowhere else before it's tried."""
    assert_says(await ask_help(world, world.player, about="Ledger"), "right-click it", "Undo, Amend, Verify dice")
    assert "Apps has Undo" in await ask_help(world, world.gm, about="Your first evening")


async def test_a_game_master_finds_every_command(world: World) -> None:
    """Except those for Manage Server."""
    assert "You're a game master of Iron Sea." in await ask_help(world, world.gm)
    await world.gm.slash(world.orders, "gm settings", books=ALL_BOOKS)
    lead = world.guild.add_member(world.env.create_user("boss"), roles=[world.roles["manager"], world.roles["gm"]])
    whole = await find_usable(world, lead)
    assert whole == set(commands.names())
    assert whole - await find_usable(world, world.gm) == {
        *(f"campaign {word}" for word in ("create", "link", "archive")),
        "ping",
    }


async def test_a_player_finds_what_is_open(world: World) -> None:
    """As campaign and book open them."""
    found = await find_usable(world, world.player)
    assert {"roll", "escape", "unit", "forecast"} <= found
    assert not {"scout", "patrol", "weather rollover", "campaign create", "gm-events roll", "roster edit"} & found
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, characters")
    assert await find_usable(world, world.player) == found | {"scout"}
    await world.gm.slash(world.orders, "gm settings", books="roe")
    assert {"roe attack", "roe blast"} <= await find_usable(world, world.player)


@pytest.mark.parametrize(
    ("about", "lines"),
    [
        ("Weather", ["**Game masters only**\n`/weather rollover` Preview next week's weather, then roll it."]),
        (
            "/weather  SET",
            [
                "Set the weather of a week by hand, for one zone or all.",
                "Game masters only",
                "`zone` (optional): The weather",
                "`week` (optional): The week.",
            ],
        ),
        ("gm-events unit", ["`/gm-events unit add` Add units to a side of a battle."]),
        ("Your first evening", ["1. `/campaign create`", "`/patrol`"]),
    ],
)
async def test_a_task_or_a_command_is_explained(world: World, about: str, lines: list[str]) -> None:
    """A group shows its commands."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, battlesystem")
    answer = await ask_help(world, world.gm, about=about)
    assert_says(answer, *lines)


async def test_where_there_is_no_campaign_the_page_says_how_to_begin(database_url: str) -> None:
    """Server managers start one; others look for its channel."""
    async with running(database_url, campaign=False) as bare:
        answer = await ask_help(bare, bare.manager)
        assert_says(answer, "This channel isn't linked to a campaign yet.", "`/campaign create` starts a campaign")
        assert "Ask a server manager" in await ask_help(bare, bare.player)
        assert labels(await first_page(bare, bare.player))[-1] == "Your data"
        assert "1. `/campaign create`" in await ask_help(bare, bare.manager, about="Your first evening")


async def test_elsewhere_the_page_leads_to_the_servers_campaigns(world: World) -> None:
    """Open ones first."""
    elsewhere = world.guild.create_text_channel("elsewhere")
    for name in ("Dune Sea", "Aral Sea"):
        results, staff = (world.guild.create_text_channel(f"{name} {place}") for place in ("results", "staff"))
        own = {"results": results, "staff": staff, "game_master": world.roles["gm"]}
        await world.manager.slash(elsewhere, "campaign create", name=name, **own)
    await confirmed(world, "campaign archive", world.manager, campaign="Aral Sea")
    page = response(await world.player.slash(elsewhere, "help"))
    assert labels(page)[-4:] == ["Your data", "About Dune Sea", "About Iron Sea", "About Aral Sea"]
    assert_says(said(await world.player.click(page, label="About Iron Sea")), "Iron Sea", "**Time zone:**")


async def test_what_a_person_cannot_use_is_left_out_everywhere(world: World) -> None:
    """Its own page says so."""
    answer = await ask_help(world, world.player, about="table")
    assert find_names(answer) == {"table show", "table roll"}
    assert find_names(await ask_help(world, world.gm, about="House rules")) == {*find_names(answer), "gm rules"}
    assert "You can't use this here." in await ask_help(world, world.player, about="/roster")
    assert "You can't use this here." in await ask_help(world, world.player, about="/gm rules")
    assert "You can't use this here." not in await ask_help(world, world.player, about="table roll")
    for actor, open_to in ((world.player, False), (world.gm, True)):
        offered = [item["value"] for item in await actor.autocomplete(world.orders, "help", "about", "rules")]
        assert "House rules" in offered
        assert ("/gm rules" in offered) is open_to


async def test_commands_of_a_book_that_is_off_are_left_out(world: World) -> None:
    """Game masters read which books are off."""
    found = await find_usable(world, world.gm)
    assert not {name for name in found if name.startswith(("infinity", "events", "fight"))}
    assert {"patrol", "weather rollover", "gm effect"} <= found
    answer = await ask_help(world, world.gm)
    assert "Books that are off: battlesystem, infinity, roe and total_war. `/gm settings` turns them on." in answer
    assert "Books that are off" not in await ask_help(world, world.player)
    assert "You can't use this here." in await ask_help(world, world.gm, about="infinity roll")
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity")
    answer = await ask_help(world, world.gm)
    assert_says(answer, "`/infinity roll`", "Books that are off: battlesystem, roe and total_war.")


async def test_a_task_a_command_and_the_first_page_are_picked_one_after_the_other(world: World) -> None:
    """On one page, also where things wait."""
    page = await first_page(world, world.gm)
    before = text(page)
    assert "Week 1 is due" in before
    await world.gm.select(page, ["Weather"], custom_id="help:about")
    assert "`/weather set` Set the weather of a week" in text(page)
    await world.gm.select(page, ["/weather set"], custom_id="help:command")
    assert "`zone` (optional): The weather zone" in text(page)
    assert "/weather rollover" in options(page, "help:command")
    await world.gm.select(page, ["What you can do here"], custom_id="help:about")
    assert text(page) == before


async def test_an_unknown_name_suggests_the_nearest(world: World) -> None:
    """Completions match any part."""
    assert "Did you mean /weather set?" in refused(await world.gm.slash(world.orders, "help", about="/wether set"))
    offered = await world.gm.autocomplete(world.orders, "help", "about", "weath")
    assert [item["value"] for item in offered][:2] == ["Weather", "/weather rollover"]


def test_the_first_evenings_name_commands_that_there_are() -> None:
    """None is gone."""
    evenings = " ".join((*helping.STAFF_EVENING, *helping.PLAYER_EVENING))
    assert find_names(evenings) <= set(commands.names())


async def test_ping_answers_privately(world: World) -> None:
    """Server managers."""
    result = await world.manager.slash(world.orders, "ping")
    assert result.response is not None
    assert result.response.ephemeral
    assert "online" in result.response.content


@pytest.mark.parametrize("latency", [float("inf"), float("nan")])
async def test_ping_tells_no_delay_before_it_is_known(
    world: World, monkeypatch: pytest.MonkeyPatch, latency: float
) -> None:
    """Right after a start."""
    monkeypatch.setattr(Adjutant, "latency", latency)
    assert said(await world.manager.slash(world.orders, "ping")).endswith("is online.")
