"""Next steps, time zones, books, unlinking and restoring."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import discord
import pytest
import simcord

from bot.app import FEATURES, list_played_books
from bot.cogs.campaign import settings
from bot.cogs.campaign.settings import ABBREVIATIONS, check_timezone, offer_time_zones, time_zones
from bot.core.errors import BadInput
from rules.loader import book_ids
from tests.support.acting import confirmed
from tests.support.reading import assert_says, labels, newest, refused, response, said, text
from tests.support.world import World, create_campaign, entry, nothing_written, rows, running, written


@pytest.fixture
async def bare(database_url: str) -> AsyncIterator[World]:
    """A bot without a campaign, and its manager."""
    async with running(database_url, campaign=False) as made:
        made.manager = boss_of(made)
        yield made


def boss_of(world: World) -> simcord.MemberActor:
    """A manager who is also a game master."""
    return world.guild.add_member(world.env.create_user("boss"), roles=[world.roles["manager"], world.roles["gm"]])


async def create_card(world: World, **options: Any) -> Any:  # noqa: ANN401 - what an option takes, and the card
    """Create a campaign and return its card."""
    usual = {"name": "Iron Sea", "results": world.results, "staff": world.staff, "game_master": world.roles["gm"]}
    return response(await world.manager.slash(world.orders, "campaign create", **usual | options))


async def test_this_channel_is_bound_by_a_press(bare: World) -> None:
    """A second press changes nothing."""
    card = await create_card(bare)
    for _ in range(2):
        await bare.manager.click(card, label="Link this channel")
        assert "\N{WHITE HEAVY CHECK MARK} **Link this channel**" in text(card)
    assert entry(bare) == entry(bare) | {"bound": str(bare.orders.id)}
    assert rows(bare, "select count(*) from entry") == [(2,)]
    assert "Update 1" in said(await bare.manager.slash(bare.orders, "update show"))


async def test_the_first_week_is_set_in_a_window(bare: World) -> None:
    """The weather begins in that week."""
    card = await create_card(bare)
    window = await bare.manager.click(card, label="Which week is it")
    sent = await bare.manager.submit_modal(window, {"week": "37", "zones": "Australia: 3\nNorth Africa: good"})
    assert "Done: entry #2" in text(sent.followups[-1])
    assert_says(text(card), "Next steps", "\N{WHITE HEAVY CHECK MARK} **Which week is it**: it is week 37")
    await bare.manager.click(card, label="Link this channel")
    assert "Weather of week 38" in said(await bare.manager.slash(bare.orders, "weather rollover"))


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"week": "many", "zones": "Australia: 3"}, "isn't a valid week"),
        ({"week": "37", "zones": "Australia 3"}, "I can't read 'Australia 3'"),
        ({"week": "37", "zones": "Australia: 3\nAustralia: 4"}, "I can't read 'Australia: 4'"),
        ({"week": "37", "zones": "Australia: 3\naustralia : 4"}, "Each zone needs one category"),
        ({"week": "37", "zones": "Australia: 99"}, "has no category"),
        ({"week": "37", "zones": "Atlantis: 3"}, "Pick one of: South Africa, North Africa"),
        ({"week": "37", "zones": " "}, "Each zone needs one category"),
    ],
)
async def test_a_first_week_that_cannot_be_read_is_refused(bare: World, sent: dict[str, str], says: str) -> None:
    """Nothing is written."""
    window = await bare.manager.click(await create_card(bare), label="Which week is it")
    before = written(bare)
    assert says in refused(await bare.manager.submit_modal(window, sent)).replace("\\", "")
    assert written(bare) == before


async def test_books_are_chosen_in_a_window(bare: World) -> None:
    """The same books again make no entry."""
    card = await create_card(bare)
    for _ in range(2):
        window = await bare.manager.click(card, label="Books")
        await bare.manager.submit_modal(window, {"books": ["infinity", "battlesystem"]})
        assert "it plays Infinity CodeOne (infinity), BATTLESYSTEM random events (battlesystem)" in text(card)
        assert labels(card).count("Which week is it") == 0
    assert set(entry(bare)["edited"]["books"]["after"]) == {"infinity", "battlesystem"}
    assert rows(bare, "select count(*) from entry") == [(2,)]


async def test_the_players_role_is_picked_in_a_window(bare: World) -> None:
    """Without a role, everyone plays."""
    card = await create_card(bare)
    for picked, answer, after in (
        ([bare.roles["player"]], "plays", str(bare.roles["player"].id)),
        ([], "everyone can play", ""),
    ):
        window = await bare.manager.click(card, label="Players' role")
        await bare.manager.submit_modal(window, {"players": picked})
        assert answer in text(card)
        assert entry(bare)["edited"]["player_role_id"]["after"] == after


async def test_what_is_missing_is_told(world: World) -> None:
    """Until the role or permission is there."""
    closed = discord.PermissionOverwrite(send_messages=False)
    names = {
        name: world.guild.create_text_channel(name, overwrites={world.guild.default_role: closed}) for name in "rs"
    }
    card = await create_card(world, name="Dune Sea", results=names["r"], staff=names["s"])
    assert f"You don't have <@&{world.roles['gm'].id}>, the game-master role" in text(card)
    for channel in names.values():
        assert f"I can't post in <#{channel.id}>. Missing permissions: Send Messages, Embed Links." in text(card)
    assert f"Everyone can see <#{names['s'].id}>" in text(card)
    boss = boss_of(world)
    shown = response(await boss.slash(world.orders, "gm settings", campaign="Dune Sea"))
    assert "You do not hold" not in said(await boss.click(shown, label="Next steps"))


async def test_players_get_no_next_steps(world: World) -> None:
    """Neither buttons nor forged windows work for others."""
    shown = response(await world.player.slash(world.orders, "gm settings"))
    assert labels(shown) == ["Groups"]
    lead: simcord.MemberActor = world.gm
    card = response(await lead.click(response(await lead.slash(world.orders, "gm settings")), label="Next steps"))
    with nothing_written(world):
        assert "Manage Server" in refused(await lead.click(card, label="Link this channel"))


WINTER, SUMMER = datetime(2026, 1, 15, 12, tzinfo=UTC), datetime(2026, 7, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize("now", [WINTER, SUMMER])
@pytest.mark.parametrize(
    ("typed", "hours"),
    [("GMT+2", 2), ("UTC+2", 2), ("utc \N{MINUS SIGN} 5", -5), ("+5:30", 5.5), ("GMT-0330", -3.5), ("+13", 13)],
)
def test_an_offset_leads_to_zones_of_that_offset_alone(typed: str, hours: float, now: datetime) -> None:
    """Completions and guesses have the typed offset."""
    found = [zone for _, zone in offer_time_zones(typed, now)]
    assert all(now.astimezone(ZoneInfo(zone)).utcoffset() == timedelta(hours=hours) for zone in found)
    with pytest.raises(BadInput, match="is an offset") as caught:
        check_timezone(typed, now)
    assert not found or found[0] in caught.value.do


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("CEST", "Europe/Berlin (14:00, UTC+2) or Europe/Paris (14:00, UTC+2)"),
        ("EDT", "America/New_York (08:00, UTC-4) or America/Panama (07:00, UTC-5)"),
        ("est", "America/New_York"),
        ("IST", "Asia/Kolkata (17:30, UTC+5:30) or Europe/Dublin (13:00, UTC+1) or Asia/Jerusalem"),
        ("PT", "America/Los_Angeles (05:00, UTC-7)"),
        ("HST", "Pacific/Honolulu"),
        ("Europe/Berln", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("London", "Europe/London"),
    ],
)
def test_abbreviations_and_cities_are_asked_about(typed: str, meant: str) -> None:
    """Guesses never have another offset."""
    with pytest.raises(BadInput) as caught:
        check_timezone(typed, SUMMER)
    assert f"Did you mean {meant}" in caught.value.do


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("UTC", "UTC"),
        ("gmt", "GMT"),
        ("europe/berlin", "Europe/Berlin"),
        (" America/New York ", "America/New_York"),
        ("Etc/GMT-2", "Etc/GMT-2"),
        ("Europe/Berlin (14:00, UTC+2)", "Europe/Berlin"),
    ],
)
def test_a_name_of_a_zone_is_taken(typed: str, zone: str) -> None:
    """In any case, with spaces, or as completed."""
    assert check_timezone(typed, SUMMER) == zone


@pytest.mark.parametrize("typed", ["Berl", "new york", "CET", "GMT+2", "Europe/Berlin (14:00, UTC+2)", ""])
def test_what_a_completion_shows_is_taken_as_what_it_means(typed: str) -> None:
    """Picked or typed, it's the same zone."""
    found = offer_time_zones(typed, SUMMER)
    assert found
    assert all(check_timezone(label, SUMMER) == check_timezone(zone, SUMMER) == zone for label, zone in found)


def test_zones_are_read_from_the_disk_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Completions look at hundreds for each letter."""
    first = offer_time_zones("GMT+2", WINTER)
    monkeypatch.delattr(settings, "ZoneInfo")
    assert offer_time_zones("GMT+2", WINTER) == first


def test_every_abbreviation_leads_to_zones_that_there_are() -> None:
    """No guess is refused."""
    assert {zone for meant in ABBREVIATIONS.values() for zone in meant} <= time_zones()


async def test_the_answer_shows_what_time_it_is_there(world: World) -> None:
    """After an edit and in the settings."""
    words = said(await world.gm.slash(world.orders, "gm settings", timezone="Asia/Tokyo"))
    assert "**Time zone:** Asia/Tokyo (21:00, UTC+9)" in words
    assert "Asia/Tokyo (21:00, UTC+9)" in said(await world.gm.slash(world.orders, "gm settings"))
    answer = refused(await world.gm.slash(world.orders, "gm settings", timezone="GMT+2"))
    assert_says(answer, "'GMT+2' is an offset", "UTC+2")
    assert "Etc/GMT+2" not in answer


def test_a_book_is_offered_once_a_feature_plays_by_it() -> None:
    """A book without a command can't be picked."""
    played = {feature.book for feature in FEATURES if feature.book}
    assert {*list_played_books()} == played
    assert played <= {*book_ids()}


async def test_a_campaign_comes_back_to_channels_that_are_free(world: World) -> None:
    """If another campaign uses its channels, restoring is refused."""
    await confirmed(world, "campaign archive", world.manager, campaign="Iron Sea")
    await create_campaign(world, "Red Sea")
    back = {"campaign": "Iron Sea", "restore": True}
    answer = refused(await world.manager.slash(world.orders, "campaign archive", **back))
    assert "already belongs to Red Sea, and a channel has one campaign" in answer
    await confirmed(world, "campaign archive", world.manager, campaign="Red Sea")
    assert "is restored" in said(await world.manager.slash(world.orders, "campaign archive", **back))


@pytest.mark.parametrize(("channel", "what"), [("results", "Results"), ("staff", "Staff posts")])
async def test_what_is_posted_there_still_goes_there_and_that_is_said(world: World, channel: str, what: str) -> None:
    """The answer names commands to pick another or link again."""
    unlinked = getattr(world, channel)
    answer = said(await world.manager.slash(world.orders, "campaign link", channel=unlinked, unlink=True))
    assert f"no longer linked to <#{unlinked.id}>" in answer
    assert f"{what} still go to <#{unlinked.id}>. Pick another channel: `/gm settings {channel}:`." in answer
    assert "Commands there no longer act on Iron Sea." in answer
    assert "isn't linked to a campaign" in refused(await world.gm.slash(unlinked, "update show"))
    world.dice.script(4)
    options = {"patrol": "Kilo", "target": "Zaku", "roll": "now"}
    await world.gm.slash(world.orders, "patrol", **options, to=channel)
    assert "not caught by" in text(newest(unlinked))


async def test_another_channel_is_unbound_without_more_words(world: World) -> None:
    """Nothing is posted there, so nothing more is said."""
    assert "still go" not in said(
        await world.manager.slash(world.orders, "campaign link", channel=world.orders, unlink=True)
    )


async def test_what_players_may_do_is_picked_in_a_window(bare: World) -> None:
    """Rights that the window doesn't offer, such as one kind of order, stay."""
    card = await create_card(bare, players_may="escape, orders.scout")
    assert_says(text(card), "**Players may**: they may roll escape and give the order scout")
    window = await bare.manager.click(card, label="Players may")
    picked = {"may": ["characters", "scouting"]}
    await bare.manager.submit_modal(window, picked)
    assert entry(bare)["edited"]["players_may"]["after"] == ["orders.scout", "characters", "scouting"]
    assert_says(text(card), "edit their own characters and roll scouting")
    before = written(bare)
    await bare.manager.submit_modal(await bare.manager.click(card, label="Players may"), picked)
    assert written(bare) == before


def hidden_in(card: Any) -> set[str]:  # noqa: ANN401 - a card
    """The commands that a card's last lines name for hiding."""
    (line,) = (line for line in text(card).splitlines() if "I refuse players either way" in line)
    return {word.split(":")[0] for word in re.findall(r"</?([\w:-]+)>|`/([\w-]+)`", line) for word in word if word}


async def test_the_card_names_what_a_server_can_hide_from_players(bare: World) -> None:
    """The game masters' commands of the books that are played, but none that players use or that needs Manage Server."""
    card = await create_card(bare, players_may="patrol, escape")
    assert "Server Settings > Integrations" in text(card)
    named = hidden_in(card)
    assert {"gm", "scout", "detect", "interrogate"} <= named
    assert named.isdisjoint({"campaign", "help", "roll", "order", "patrol", "escape", "infinity", "war"})
    shown = bare.bots[-1].tree.get_commands()
    assert named <= {command.name for command in shown}
    window = await bare.manager.click(card, label="Books")
    await bare.manager.submit_modal(window, {"books": ["infinity"]})
    assert hidden_in(card).isdisjoint({"scout", "detect", "interrogate"})
    assert "gm" in hidden_in(card)


async def test_rolls_that_are_always_open_are_not_offered(bare: World) -> None:
    """Closing them there would change nothing."""
    card = await create_card(bare, books="campaign, infinity, roe", players_may="escape")
    window = await bare.manager.click(card, label="Players may")
    assert window.modal is not None
    offered = {item["value"] for item in window.modal["components"][0]["component"]["options"]}
    assert {"escape", "patrol", "orders"} <= offered
    books = list_played_books()
    opened = [
        family
        for book in ("campaign", "infinity", "roe")
        for family, item in books[book].procedures.items()
        if item.policy.open_to_players
    ]
    assert opened
    assert offered.isdisjoint(opened)


async def test_the_first_roll_ticks_itself(bare: World) -> None:
    """Its button names the rolls of the campaign's books."""
    card = await create_card(bare)
    shown = response(await bare.manager.click(card, label="First roll"))
    assert_says(text(shown), "`/patrol` Roll a patrol", "`/roll` Roll any dice")
    assert text(shown).index("`/patrol`") < text(shown).index("`/interrogate`")
    assert shown.ephemeral
    boss = boss_of(bare)
    await bare.manager.click(card, label="Link this channel")
    bare.dice.script(18)
    await boss.slash(bare.orders, "patrol", patrol="Kilo", target="Zaku", roll="now")
    again = response(await boss.click(response(await boss.slash(bare.orders, "gm settings")), label="Next steps"))
    assert "\N{WHITE HEAVY CHECK MARK} **First roll**: everyone can see one" in text(again)
