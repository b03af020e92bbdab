"""Units and characters by command."""

from __future__ import annotations

from typing import Any

import pytest

from bot.cogs.roster.embed import list_embeds
from bot.core.profiles import Profile
from tests.support.acting import confirmed, removed, roll_command
from tests.support.reading import assert_says, press, refused, response, said
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written, rows, send_raw
from tests.ui.test_lost import CALLBACK, UNKNOWN_INTERACTION, find_later

LONG = "n" * 61


async def save_unit(world: World, what: str = "unit", **options: Any) -> Any:  # noqa: ANN401
    """The answer after saving."""
    options = {"kind": "ship" if what == "unit" else "pc"} | options
    return response(await world.gm.slash(world.orders, "roster add", **options))


def pseudonym(world: World, actor: Any) -> str:  # noqa: ANN401
    """A person's pseudonym."""
    found: str = rows(world, "select pseudonym from actor where campaign_id = 1 and user_id = ?", actor.id)[0][0]
    return found


async def let_players_edit(world: World) -> None:
    """Let players edit their own characters."""
    await world.gm.slash(world.orders, "gm settings", players_may="characters")


async def test_an_oldtype_is_told_in_the_ledger(world: World) -> None:
    """Zero is a level."""
    await save_unit(world, "character", name="Kai", fields="newtype: 0")
    assert "newtype level: 0" in said(await world.gm.slash(world.orders, "ledger", entry=3))


async def test_fields_are_changed_and_emptied(world: World) -> None:
    """none, -1 or the bot clears a field."""
    await save_unit(world, "character", name="Kai", side="EF", owner=world.player, fields="newtype: 3; callsign: Owl")
    await world.gm.slash(world.orders, "roster edit", name="Kai", side="none", fields="newtype: none; callsign: Bat")
    value = entry(world)["changes"][0]["after"]
    assert (value["side"], value.get("newtype"), value["callsign"]) == (None, None, "Bat")
    assert value["owner"] == pseudonym(world, world.player)
    assert entry(world)["before"] == {"side": "EF", "newtype": 3, "callsign": "Owl"}
    helper = world.guild.add_member(world.env.create_user("helper", bot=True))
    await world.gm.slash(world.orders, "roster edit", name="Kai", owner=helper)
    assert entry(world)["changes"][0]["after"]["owner"] is None
    assert "owner: none" in said(await world.gm.slash(world.orders, "ledger"))
    await require_whole(world)


BAD_UNITS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("roster add", {"name": LONG, "kind": "ship"}, ["too long", "The limit is 60"]),
    ("roster add", {"name": "A, B", "kind": "ship"}, ["has a comma"]),
    ("roster add", {"name": "  ", "kind": "ship"}, ["has no name"]),
    ("roster add", {"name": "white BASE", "kind": "base"}, ["There's already a ship called White Base"]),
    ("roster add", {"name": "X", "kind": "ship", "side": LONG}, ["The side", "too long"]),
    ("roster add", {"name": "X", "kind": "ship", "region": LONG}, ["The region", "too long"]),
    ("roster edit", {"name": "White Base"}, ["is already like that"]),
    ("roster edit", {"name": "White Base", "side": "none"}, ["is already like that"]),
    ("roster edit", {"name": "White Bass", "side": "EF"}, ["called 'White Bass'", "Did you mean White Base?"]),
    ("roster add", {"name": "Grey Ghost:neutral", "kind": "ship"}, ["stance", "Leave the colon out"]),
    ("roster edit", {"name": "White Base", "new_name": "KAI"}, ["There's already a PC called Kai"]),
    ("roster edit", {"name": "Kai", "kind": "ship"}, ["Kai is a PC, which can't become a ship"]),
    ("roster edit", {"name": "White Base", "kind": "npc"}, ["White Base is a ship, which can't become an NPC"]),
    ("roster add", {"name": "X", "kind": "ship", "squad": "White Base"}, ["A ship has no squad"]),
    ("unit", {"name": "Nobody's"}, ["I don't know a unit or character called", "/unit"]),
    ("roster add", {"kind": "pc", "name": "X", "squad": "Argama"}, ["saved unit 'Argama'"]),
    ("roster add", {"kind": "pc", "name": "X", "squad": "Kai"}, ["saved unit 'Kai'"]),
    ("roster edit", {"name": "Kai", "fields": f"callsign: {LONG}"}, ["The callsign", "too long"]),
]


async def test_bad_input_is_refused(world: World) -> None:
    """Privately, and nothing is written."""
    await save_unit(world, name="White Base")
    await save_unit(world, "character", name="Kai")
    for command, options, words in BAD_UNITS:
        with nothing_written(world):
            answer = refused(await world.gm.slash(world.orders, command, **options)).replace("\\", "")
            assert [word for word in words if word not in answer] == []


async def test_removing_takes_all_that_was_kept(world: World) -> None:
    """Its rolls are remembered."""
    await save_unit(world, name="Fort Anvil", kind="base")
    await roll_command(world, "scout", 20, scouter="Owl", base="Fort Anvil", roll="now")
    assert len(kept(world, "Fort Anvil")) > 2
    answer = said(await removed(world, name="fort anvil"))
    assert "Fort Anvil and its effects are removed" in answer
    assert [name.partition(".")[0] for name in kept(world, "Fort Anvil")] == ["rolled"]
    assert rows(world, "select subject from recent") == []
    await require_whole(world)


async def test_what_others_need_is_not_removed(world: World) -> None:
    """The refusal says what to do."""
    await save_unit(world, name="Team", kind="squad")
    await save_unit(world, name="Fort", kind="base")
    await save_unit(world, "character", name="Kai", squad="Team")
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Zeon", at="Fort")
    with nothing_written(world):
        for name, words in (
            ("Team", ["Kai", "/roster edit"]),
            ("Fort", ["Fort has captives: Kai", "/captives"]),
            ("Kai", ["Kai is a captive", "/captives"]),
        ):
            answer = refused(await removed(world, name))
            assert [word for word in words if word not in answer] == []


async def test_players_see_what_is_not_secret_and_what_is_theirs(world: World) -> None:
    """Game masters see all."""
    await save_unit(world, name="Public", side="EF")
    await save_unit(world, name="Hidden One", side="Zeon", secret=True)
    await save_unit(world, name="Own One", owner=world.player, secret=True)
    await save_unit(world, "character", name="Kai", squad="Hidden One")
    listed = said(await world.player.slash(world.orders, "unit", kind="units"))
    assert_says(listed, "Public", "Own One")
    assert "Hidden" not in listed
    assert "Hidden One" in said(await world.gm.slash(world.orders, "unit", kind="units"))
    assert "called 'Hidden One'" in refused(await world.player.slash(world.orders, "unit", name="Hidden One"))
    meant = refused(await world.player.slash(world.orders, "unit", name="Hidden Ones")).partition("mean")[2]
    assert "Hidden" not in meant
    shown = await world.player.slash(world.orders, "unit", name="Kai")
    assert "Hidden" not in said(shown), "nor is its squad told to who does not know it"


@pytest.mark.parametrize("who", ["player", "stranger"])
async def test_only_game_masters_save_edit_and_remove_units(world: World, who: str) -> None:
    """Privately, and nothing is written."""
    await save_unit(world, name="White Base", owner=world.player)
    actor = getattr(world, who)
    with nothing_written(world):
        for command, options in (
            ("roster add", {"name": "X", "kind": "ship"}),
            ("roster edit", {"name": "White Base", "side": "Zeon"}),
            ("roster add", {"kind": "pc", "name": "X"}),
        ):
            refused(await actor.slash(world.orders, command, **options))
        for key in ("remove:1:1:ask", "traits:1:1:0:edit"):
            refused(await send_raw(actor, world.orders, key))
        for key in ("traits:1:1:0:edited:3", "remove:1:1:3"):
            refused(await send_raw(actor, world.orders, key, modal="edited" in key))


async def test_players_edit_their_own_characters_where_that_is_open(world: World) -> None:
    """Only their own, and only some fields."""
    await save_unit(world, "character", name="Kai", owner=world.player)
    await save_unit(world, "character", name="Mirai", owner=world.gm)
    answer = refused(await world.player.slash(world.orders, "roster edit", name="Kai", fields="callsign: Owl"))
    assert "Ask a game master, or ask one to let players edit characters." in answer
    assert "/campaign" not in answer
    await let_players_edit(world)
    assert "callsign Owl" in said(
        await world.player.slash(world.orders, "roster edit", name="Kai", fields="callsign: Owl")
    )
    with nothing_written(world):
        assert "You can't edit" in refused(
            await world.player.slash(world.orders, "roster edit", name="Mirai", fields="callsign: Bat")
        )
        for options in (
            {"new_name": "Ryu"},
            {"owner": world.gm},
            {"kind": "npc"},
            {"secret": True},
            {"side": "EF"},
            {"fields": "newtype: 10"},
        ):
            answer = refused(await world.player.slash(world.orders, "roster edit", name="Kai", **options))
            assert "Only game masters" in answer


async def test_a_player_learns_nothing_of_secret_squads(world: World) -> None:
    """A game master's pick may stay."""
    await save_unit(world, name="Hidden One", secret=True)
    await save_unit(world, "character", name="Kai", owner=world.player, squad="Hidden One")
    await save_unit(world, "character", name="Ryu", owner=world.player)
    await let_players_edit(world)
    assert "saved unit" in refused(
        await world.player.slash(world.orders, "roster edit", name="Ryu", squad="Hidden One")
    )
    assert "Hidden" not in said(await world.player.slash(world.orders, "unit", kind="characters"))
    assert "in Hidden One" in said(await world.gm.slash(world.orders, "unit", kind="characters"))
    await world.player.slash(world.orders, "roster edit", name="Kai", fields="callsign: Owl")
    assert "in Hidden One" in said(await world.gm.slash(world.orders, "unit", name="Kai"))
    await world.player.slash(world.orders, "roster edit", name="Kai", squad="hidden one", fields="callsign: Hawk")
    assert "in Hidden One" in said(await world.gm.slash(world.orders, "unit", name="Kai"))


async def test_a_player_whose_answer_was_lost_is_told_no_number_of_a_staff_entry(world: World) -> None:
    """Game masters are."""
    await save_unit(world, "character", name="Kai", owner=world.player)
    await let_players_edit(world)
    for who, fields, told in ((world.player, "Owl", "Done: only game masters"), (world.gm, "Bat", "Done: entry #6")):
        world.env.inject_error("POST", CALLBACK, status=404, code=UNKNOWN_INTERACTION)
        await who.slash(world.orders, "roster edit", name="Kai", fields=f"callsign: {fields}")
        assert kept(world, "Kai")["profile"]["callsign"] == fields
        later = find_later(await who.slash(world.orders, "help"))
        assert told in later
        assert ("#" in later) == (who is world.gm)


@pytest.mark.slow
async def test_a_player_joins_no_squad_of_another_side(world: World) -> None:
    """Game masters can put it anywhere."""
    await world.gm.slash(world.orders, "gm settings", players_may="characters, scouting")
    await save_unit(world, "character", name="Bob", side="EF", owner=world.player)
    await save_unit(world, name="Sea Wolf", kind="base", side="Zeon")
    for name, more in (("White", {"side": "ef"}), ("Strays", {}), ("Mine", {"side": "Zeon", "owner": world.player})):
        await save_unit(world, name=name, kind="squad", **more)
    with nothing_written(world):
        why = refused(await world.player.slash(world.orders, "roster edit", name="Bob", squad="Sea Wolf"))
        assert_says(why, "Sea Wolf is of the side Zeon, and Bob is of EF", "ask a game master")
    for squad in ("White", "Strays", "Mine"):
        answer = said(await world.player.slash(world.orders, "roster edit", name="Bob", squad=squad))
        assert f"in {squad}" in answer
    assert "Sea Wolf" in said(await world.gm.slash(world.orders, "roster edit", name="Bob", squad="Sea Wolf"))


async def test_what_players_may_is_told_by_the_campaign(world: World) -> None:
    """`/gm settings` says so."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, characters")
    answer = said(await world.gm.slash(world.orders, "gm settings"))
    assert "may roll scouting and edit their own characters" in answer


async def test_every_change_is_told_to_the_staff_alone(world: World) -> None:
    """Players find no entry."""
    await save_unit(world, name="White *Base*", side="EF")
    await world.gm.slash(world.orders, "roster edit", name="White *Base*", side="Zeon", kind="fleet")
    listed = said(await world.gm.slash(world.orders, "ledger"))
    assert "Ship White \\*Base\\* saved" in listed
    assert "Fleet White \\*Base\\* changed; kind: ship \N{RIGHTWARDS ARROW} fleet; side: EF" in listed
    assert f"<@{world.gm.id}>" in listed
    shown = said(await world.gm.slash(world.orders, "ledger", entry=3))
    assert_says(shown, "Units and characters", "side: EF")
    assert "Base" not in said(await world.player.slash(world.orders, "ledger"))
    assert "no entry" in refused(await world.player.slash(world.orders, "ledger", entry=3))


@pytest.mark.slow
async def test_an_archived_campaign_shows_and_does_not_change(world: World) -> None:
    """Edits are refused."""
    await save_unit(world, name="White Base")
    await confirmed(world, "campaign archive", world.manager)
    card = response(await world.gm.slash(world.orders, "unit", name="White Base"))
    assert "custom_id" not in str(card.components)
    assert "archived" in refused(await world.gm.slash(world.orders, "roster edit", name="White Base", side="EF"))


@pytest.mark.slow
async def test_units_of_another_campaign_are_unknown(world: World) -> None:
    """Names are free there."""
    await save_unit(world, name="White Base")
    other = world.guild.create_text_channel("other")
    channels = {"results": world.guild.create_text_channel("r2"), "staff": world.guild.create_text_channel("s2")}
    roles = {"game_master": world.roles["gm"], "player": world.roles["player"]}
    await world.manager.slash(world.orders, "campaign create", name="Second", **channels, **roles)
    await world.manager.slash(world.orders, "campaign link", channel=other, campaign="Second")
    assert "don't know a unit" in refused(await world.gm.slash(other, "unit", name="White Base"))
    assert "White Base" in said(await world.gm.slash(other, "roster add", name="White Base", kind="base"))


def test_however_many_are_listed_the_embed_stays_within_discords_limit() -> None:
    """And how many are left out."""
    ship, pilot = (Profile("*" * 60, kind, side="_" * 60, region="~" * 60) for kind in ("ship", "pc"))
    for saved in ([ship] * 1000, [pilot] * 1000, [ship] * 1000 + [pilot] * 1000):
        embeds = list_embeds([(item, 2**62) for item in saved], {})
        assert sum(map(len, embeds)) <= 6000
        for embed in embeds:
            assert len(embed.description or "") <= 4096
            assert "lines more" in (embed.description or "")
            assert "1000" in (embed.title or "")


@pytest.mark.slow
async def test_an_old_question_removes_nobody_who_was_saved_anew(world: World) -> None:
    """Saved again, they stay."""
    await save_unit(world, name="Kilo", kind="squad")
    card = response(await world.gm.slash(world.orders, "unit", name="Kilo"))
    old = response(await world.gm.click(card, label="Remove"))
    await removed(world, name="Kilo")
    await save_unit(world, name="Kilo", kind="squad")
    assert "has changed since you looked" in refused(await world.gm.click(old, custom_id=press(old, "1:")))
    assert "Kilo" in said(await world.gm.slash(world.orders, "unit", name="Kilo"))
