"""House rules over restarts, races and campaigns."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from bot.actions import Done
from bot.app import KINDS
from bot.core import audit, campaigns, schema, state
from bot.core.database import KEPT_FOR
from bot.core.errors import NotOpen
from bot.core.library import MAX_WAITING, forget_old_files
from rules.loader import load_books
from tests.cogs.house_rules import homebrew
from tests.support.acting import use_file
from tests.support.backend import House
from tests.support.reading import assert_says, newest, offers, option, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import BOOKS, World, entry, nothing_written, rows, send_raw, written


async def faults(world: World) -> list[str]:
    """What the audit finds."""
    return [fault for item in await audit.check_ledgers(world.bots[-1].database, KINDS) for fault in item.faults]


@pytest.mark.slow
async def test_a_restart_between_look_and_switch_changes_nothing(world: World) -> None:
    """So do rolls."""
    looked = response(await homebrew.send_file(world, homebrew.table()))
    key = press(looked, "on:")
    await world.restart()
    assert "loot v1 is on: entry #3" in said(await world.gm.click(looked, custom_id=key))
    assert "already on: loot v1, entry #3" in refused(await send_raw(world.gm, world.orders, key))
    assert rows(world, "select count(*) from entry where kind = 'house'") == [(1,)]
    await world.restart()
    assert "Much" in await homebrew.roll_table(world, "loot", 4)
    await require_whole(world)


@pytest.mark.slow
async def test_of_two_who_press_at_once_one_switches_it_on(house: House) -> None:
    """The other one reads why."""
    shown = await homebrew.prepare_file(house, "loot", homebrew.table())
    presses = (homebrew.switch_on(house, shown) for _ in range(2))
    done = await asyncio.gather(*presses, return_exceptions=True)
    (refused,) = [item for item in done if not isinstance(item, Done)]
    assert isinstance(refused, NotOpen)  # NotAsItIs or not, by which of its looks comes after the other one's commit
    assert [item.kind for item in await house.entries()] == ["campaign", "house"]
    (found,) = await audit.check_ledgers(house.database, KINDS)
    assert found.faults == ()


@pytest.mark.slow
async def test_a_press_after_somebody_else_was_faster_shows_the_preview_anew(world: World) -> None:
    """The next press switches it on."""
    mine = response(await homebrew.send_file(world, homebrew.table(title="Mine")))
    theirs = response(await homebrew.send_file(world, homebrew.table(title="Theirs"), who=world.gm2))
    await world.gm2.click(theirs, custom_id=press(theirs, "on:"))
    with nothing_written(world):
        again = response(await world.gm.click(mine, custom_id=press(mine, "on:")))
        assert_says(text(again), "loot v1 is on now (entry #3): this would replace it.", "## loot v2")
    assert "loot v2 is on" in said(await world.gm.click(again, custom_id=press(again, "on:")))
    assert "Mine" in said(await world.gm.slash(world.orders, "table show"))


@pytest.mark.slow
async def test_a_press_looks_at_what_is_on_by_then(world: World) -> None:
    """By line; nothing is switched on."""
    mine = response(await homebrew.send_file(world, homebrew.table(), "mine"))
    await homebrew.send_and_switch_on(world, homebrew.table(title="Theirs"), "theirs")
    with nothing_written(world):
        answer = refused(await world.gm.click(mine, custom_id=press(mine, "on:")))
        assert "**Line 1:** table loot: duplicate id, already at theirs:1" in answer


async def test_a_file_is_discarded_or_forgotten_after_a_day(world: World) -> None:
    """Neither can be switched on."""
    first = response(await homebrew.send_file(world, homebrew.table("one"), "one"))
    key = press(first, "on:")
    assert "Discarded. Nothing was changed." in said(await world.gm.click(first, custom_id=press(first, "drop:")))
    assert rows(world, "select * from document") == []
    assert "is gone" in refused(await send_raw(world.gm, world.orders, key))
    second = response(await homebrew.send_file(world, homebrew.table("two"), "two"))
    world.clock.advance(seconds=KEPT_FOR.total_seconds() + 1)
    assert "older than a day" in refused(await world.gm.click(second, custom_id=press(second, "on:")))
    await homebrew.send_file(world, homebrew.table("three"), "three")
    await forget_old_files(world.bots[-1])
    assert len(rows(world, "select * from document")) == 1
    assert "Send it again" in refused(await send_raw(world.gm, world.orders, press(second, "on:")))


async def test_forged_buttons_are_refused(world: World) -> None:
    """Privately."""
    await homebrew.send_file(world, homebrew.table())
    before = written(world)
    for key in ("table", "table:1", "table:1:%:1:on:0:loot", f"table:1:{'g' * 16}:1:on:0:loot", "table:x:y:z:on:0:a"):
        assert "That button no longer works" in refused(await send_raw(world.gm, world.orders, key))
    for key in (f"table:1:{'0' * 16}:1:on:0:loot", f"table:9:{'0' * 16}:1:on:0:loot"):
        assert "Too late" in refused(await send_raw(world.gm, world.orders, key))
    assert written(world) == before


async def test_players_roll_and_see_what_is_open_to_them(world: World) -> None:
    """And no other table."""
    await homebrew.send_and_switch_on(world, homebrew.SALVAGE, "salvage")
    assert "No tables yet that you can roll on" in said(await world.player.slash(world.orders, "table show"))
    for name in ("salvage", "rumours"):
        for command in ("table roll", "table show"):
            answer = refused(await world.player.slash(world.orders, command, name=name))
            assert answer == refused(await world.player.slash(world.orders, command, name="nothing")).replace(
                "nothing", name
            )
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, salvage")
    assert entry(world)["edited"]["players_may"]["after"] == ["scouting", "salvage"]
    listed = said(await world.player.slash(world.orders, "table show"))
    assert ("Salvage (`salvage`)" in listed, "rumours" in listed, "v1" in listed) == (True, False, False)
    assert "**45%** (9/20)" in said(await world.player.slash(world.orders, "table show", name="salvage"))
    card = response(await world.player.slash(world.orders, "table roll", name="salvage"))
    assert "**player** rolls" in text(card)
    world.dice.script(14)
    assert "Scrap" in said(await world.player.click(card, custom_id=press(card, "roll")))
    assert "I don't know the roll 'salvag'" in refused(
        await world.gm.slash(world.orders, "gm settings", players_may="salvag")
    )


@pytest.mark.slow
async def test_a_table_that_goes_is_not_open_to_players_when_it_comes_back(world: World) -> None:
    """In its own entry."""
    await homebrew.send_and_switch_on(world, homebrew.table() + homebrew.table("gems"))
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, loot, gems")
    assert "No longer open to players: loot" in await homebrew.send_and_switch_on(world, homebrew.table("gems"))
    kept = {"before": ["scouting", "loot", "gems"], "after": ["scouting", "gems"]}
    assert (entry(world)["deed"], entry(world)["edited"]) == ("on", {"players_may": kept})
    assert "No longer open to players: loot" in await homebrew.show_entry(world, 5)
    assert "loot, " not in await homebrew.show_entry(world, 5, world.player)
    assert "Gems" not in said(await world.gm.slash(world.orders, "gm settings"))
    answer = said(await use_file(world.gm, world.orders, "remove", "loot"))
    assert "No longer open to players: gems" in answer
    assert entry(world)["edited"]["players_may"]["after"] == ["scouting"]
    answer = await homebrew.send_and_switch_on(
        world, homebrew.table("gems", rest=f'audience = "staff"\n{homebrew.ROWS}'), "new"
    )
    assert "no more" not in answer
    for do in ("show", "roll"):
        with nothing_written(world):
            refused(await world.player.slash(world.orders, f"table {do}", name="gems"))
    await require_whole(world)


@pytest.mark.slow
async def test_a_table_that_comes_is_closed_whatever_was_left_open(world: World) -> None:
    """When a table of that id comes."""
    database = world.bots[-1].database

    def leave_open(tx: sa.Connection) -> None:
        campaign = campaigns.open_campaign(tx, 1, lock=False)
        campaigns.save_campaign(tx, replace(campaign, players_may=("scouting", "loot")))

    await database.write(leave_open)
    assert "No longer open to players: loot" in await homebrew.send_and_switch_on(world, homebrew.table())
    campaign = await database.read(campaigns.open_campaign, 1, lock=False)
    assert campaign.players_may == ("scouting",)
    await require_whole(world)


@pytest.mark.slow
async def test_no_more_than_twenty_files_wait(world: World) -> None:
    """Those that are on don't count."""
    await homebrew.send_and_switch_on(world, homebrew.table("on"), "on")
    world.clock.advance(seconds=1)
    looks = []
    for number in range(MAX_WAITING + 2):
        looks.append(response(await homebrew.send_file(world, homebrew.table(f"t{number}"), f"t{number}")))
        world.clock.advance(seconds=number % 2)
    assert rows(world, "select kept, count(*) from document group by kept order by kept") == [(0, MAX_WAITING), (1, 1)]
    for place in (0, 1):
        gone = await world.gm.click(looks[place], custom_id=press(looks[place], "on:"))
        assert "is gone" in refused(gone)
    for place in (2, -1):
        assert " v1 is on" in said(await world.gm.click(looks[place], custom_id=press(looks[place], "on:")))
    await require_whole(world)


@pytest.mark.slow
async def test_a_file_over_a_book_that_is_shipped_no_more_can_be_removed(world: World) -> None:
    """The answers say so."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, battlesystem")
    await homebrew.send_and_switch_on(
        world, homebrew.OVERLAY.replace('"campaign"', '"battlesystem"') + homebrew.table(), "omens"
    )
    await world.restart({name: book for name, book in BOOKS.items() if name != "battlesystem"})
    with nothing_written(world):
        gone = "no longer part of the bot"
        assert gone in refused(await world.gm.slash(world.orders, "table show", name="omens"))
        assert gone in refused(await world.gm.slash(world.orders, "table roll", name="loot"))
        assert gone in refused(
            await homebrew.send_file(world, homebrew.OVERLAY.replace('"campaign"', '"battlesystem"'), "more")
        )
        assert "omens v1" in said(await world.gm.slash(world.orders, "table show"))
    assert "omens v1 is off" in said(await use_file(world.gm, world.orders, "remove", "omens"))
    await require_whole(world)


@pytest.mark.slow
async def test_two_campaigns_do_not_see_each_others_files(world: World) -> None:
    """The same file can be on in both."""
    other = world.guild.create_text_channel("other")
    results, staff = world.guild.create_text_channel("r2"), world.guild.create_text_channel("s2")
    await world.manager.slash(
        other, "campaign create", name="Red Sea", results=results, staff=staff, game_master=world.roles["gm"]
    )
    await world.manager.slash(other, "campaign link", channel=other, campaign="Red Sea")
    await homebrew.send_and_switch_on(world, homebrew.SALVAGE, "salvage")
    await homebrew.send_and_switch_on(world, homebrew.modifier("patrol.newtype", 7), "newtypes")
    assert "No tables yet" in said(await world.gm.slash(other, "table show"))
    assert "I can't find a table" in refused(await world.gm.slash(other, "table roll", name="salvage"))
    assert "I can't find a file" in refused(await send_raw(world.gm, other, "table:2:export:salvage"))
    card = response(await world.gm.slash(other, "patrol", patrol="Kilo", target="Ghost"))
    assert "+7" not in option(card, "tick:patrol:0", "patrol.newtype")["label"]
    looked = response(await homebrew.send_file(world, homebrew.SALVAGE, "salvage", where=other))
    key = press(looked, "on:")
    stolen = key.replace("table:2:", "table:1:")
    assert "already on: salvage v1" in refused(await send_raw(world.gm, other, stolen))
    assert "salvage v1 is on" in said(await world.gm.click(looked, custom_id=key))
    await require_whole(world)


@pytest.mark.slow
async def test_the_audit_tells_what_became_of_files(world: World) -> None:
    """A rebuild repairs the state."""
    await homebrew.send_and_switch_on(world, homebrew.table())
    await homebrew.send_and_switch_on(world, homebrew.table(title="Again"))
    database = world.bots[-1].database
    await database.write(lambda tx: tx.execute(sa.delete(schema.state).where(schema.state.c.subject == "house")))
    assert "State 'house' 'File:loot'" in " ".join(await faults(world))
    await audit.rebuild_states(database, KINDS)
    await require_whole(world)
    assert "Again" in said(await world.gm.slash(world.orders, "table show"))
    first = entry(world, 3)["fingerprint"]
    change = sa.update(schema.document).where(schema.document.c.fingerprint == first)
    await database.write(lambda tx: tx.execute(change.values(text=homebrew.table(title="Forged"))))
    assert any("file of house rules" in fault and "fingerprint" in fault for fault in await faults(world))
    await database.write(
        lambda tx: tx.execute(sa.delete(schema.document).where(schema.document.c.fingerprint == first))
    )
    assert await faults(world) == ["Entry 3: its file of house rules is not kept."]


async def test_what_people_write_into_a_file_is_shown_as_it_is(world: World) -> None:
    """In previews, cards, results and lists."""
    nasty = "**@everyone** [x](https://y.zz)"
    plain = r"\*\*@" + "\N{ZERO WIDTH SPACE}everyone"
    rest = f'rows = [{{ outcome = "all", text = "{nasty}", line = 1 }}]\nmodifiers = [{{ id = "m", value = 1, '
    rest += f'label = "{nasty}", group = "g", line = 1, when = [["roller.luck"]] }}]\n'
    fact = f'facts = [{{ trait = "luck", label = "{nasty}", roles = ["roller"] }}]\n'
    looked = response(await homebrew.send_file(world, fact + homebrew.table(title=nasty, rest=rest), "*a* @here"))
    assert plain in text(looked)
    assert r"## \*a\* @" in text(looked)
    await world.gm.click(looked, custom_id=press(looked, "on:"))
    card = response(await world.gm.slash(world.orders, "table roll", name="loot", modifiers="m"))
    receipt = await homebrew.roll_table(world, "loot", 1, modifiers="m")
    result = newest(world.results).embeds[0].description or ""
    for answer in (text(card), receipt, result, text(looked), await homebrew.show_entry(world, 3)):
        assert (nasty in answer, plain in answer) == (False, True), answer
    assert result.count(plain) == 3
    listed = said(await world.gm.slash(world.orders, "table show"))
    assert (plain in listed, nasty in listed, "@here" in listed) == (True, False, False)
    assert r"House rules \*a\* @" in await homebrew.show_entry(world, 3)


@pytest.mark.slow
async def test_a_table_is_found_by_its_id_before_any_title(world: World) -> None:
    """Completions fit long names."""
    await homebrew.send_and_switch_on(
        world, homebrew.table("first", "loot") + homebrew.table("loot", "Treasure") + homebrew.table("x" * 50, "T" * 80)
    )
    await homebrew.roll_table(world, "loot", 4)
    assert entry(world)["family"] == "loot"
    found = await world.gm.autocomplete(world.orders, "table roll", "name", "xxx")
    assert [(len(item["name"]), item["value"]) for item in found] == [(100, "x" * 50)]


async def test_players_do_not_read_of_tables_in_the_ledger(world: World) -> None:
    """Its tables are for game masters."""
    await homebrew.send_and_switch_on(world, homebrew.SALVAGE, "salvage")
    answer = await homebrew.show_entry(world, 3, world.player)
    assert ("salvage v1 switched on" in answer, "Rumours" in answer) == (True, False)
    assert "Rumours" in await homebrew.show_entry(world, 3)


@pytest.mark.slow
async def test_weather_that_only_a_file_knew_is_still_told(world: World) -> None:
    """Its regions can still be rolled for."""
    fact = 'facts = [{ trait = "ash-rain", label = "Rain of ash", roles = ["weather"] }]\n'
    condition = 'conditions = [{ trait = "ash-rain", severity = 4, mark = "As" }]\n'
    cells = '[[climate]]\nzone = "south-asia"\nrows = [{ outcome = "good", regions = { india = ["ash-rain"] } }]\n'
    carry = '{ id = "last-week.north-africa-6", value = -2, label = "Ash", group = "carry-over", line = 1 }'
    change = f'[[change]]\ntable = "campaign.weather.south-asia"\nmodifiers = [{carry}]\n'
    await homebrew.send_and_switch_on(world, homebrew.OVERLAY + fact + condition + cells + change, "ash")
    looked = response(await world.gm.slash(world.orders, "weather rollover"))
    world.dice.script(*[20] * 4, 10)
    await world.gm.click(looked, custom_id=press(looked, "roll"))
    assert "House rules: ash v1" in await homebrew.show_entry(world, 4)
    assert entry(world)["house"] == ["ash v1"]
    asked = {"patrol": "Kilo", "target": "Ghost", "region": "India"}
    assert "in India: Rain of ash" in text(response(await world.gm.slash(world.orders, "patrol", **asked)))
    await use_file(world.gm, world.orders, "remove", "ash")
    assert "in India: ash rain" in text(response(await world.gm.slash(world.orders, "patrol", **asked)))


@pytest.mark.slow
async def test_names_of_files_and_tables_are_completed(world: World) -> None:
    """Known ones, 25 at most."""
    many = "".join(homebrew.table(f"t{number}", f"Table {number}".ljust(80, "x")) for number in range(20))
    await homebrew.send_and_switch_on(world, many, "m" * 32)
    await homebrew.send_and_switch_on(world, "".join(homebrew.table(f"u{number}") for number in range(9)), "more")
    found = await world.gm.autocomplete(world.orders, "table roll", "name", "")
    assert len(found) == 25
    assert all(len(item["name"]) <= 100 for item in found)
    assert [item["value"] for item in await world.gm.autocomplete(world.orders, "table roll", "name", "table 13")] == [
        "t13"
    ]
    assert [item["value"] for item in await world.gm.autocomplete(world.orders, "gm rules", "name", "MOR")] == ["more"]
    assert await world.player.autocomplete(world.orders, "table show", "name", "") == []
    await homebrew.send_and_switch_on(world, homebrew.SALVAGE, "salvage")
    typed = await world.gm.autocomplete(world.orders, "table roll", "modifiers", "engin", name="salvage")
    assert [item["value"] for item in typed] == ["roller.engineers"]
    assert await world.gm.autocomplete(world.orders, "table roll", "modifiers", "engin", name="nothing") == []


async def test_a_book_that_changed_under_house_rules_says_so(world: World, tmp_path: Path) -> None:
    """The file can be fixed or removed."""
    await homebrew.send_and_switch_on(world, homebrew.DRONES, "drones")
    file = tmp_path / "operator.toml"
    file.write_text(homebrew.DRONES.partition("[[change]]")[0])
    await world.restart(load_books([file]), rules_overlays=[file])
    answer = refused(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost"))
    assert_says(answer, "no longer fit the book campaign", "drones, line 6: fact patrol.drones: duplicate id")
    assert "duplicate id" in refused(await world.gm.slash(world.orders, "update show"))
    assert_says(
        said(await world.gm.slash(world.orders, "help")), "Can't be listed: `/update show` says why.", "**Rolls**"
    )
    assert "drones v1" in said(await world.gm.slash(world.orders, "table show"))
    assert "duplicate id" in refused(await world.gm.slash(world.orders, "table show", name="drones"))
    assert response(await use_file(world.gm, world.orders, "export", "drones")).attachments
    assert "drones v1 is off" in said(await use_file(world.gm, world.orders, "remove", "drones"))
    assert offers(response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost")), "roll")


@pytest.mark.parametrize("do", ["battle", pytest.param("write-up", marks=pytest.mark.slow)])
async def test_a_row_that_calls_for_writing_is_listed(world: World, do: str) -> None:
    """Such as a battle."""
    rest = f'rows = [{{ outcome = "all", text = "A fight", line = 1, then = [{{ do = "{do}" }}] }}]\n'
    await homebrew.send_and_switch_on(world, homebrew.table(rest=rest))
    await homebrew.roll_table(world, "loot", 1)
    assert "**#4** gm rolls on Loot: A fight" in said(await world.gm.slash(world.orders, "writeups"))
    kept = await world.bots[-1].database.read(lambda tx: state.find_values_of_name(tx, 1, "writeup"))
    assert len(kept) == 1
    await require_whole(world)
