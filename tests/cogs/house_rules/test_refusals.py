"""Refusals of house rules."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.house_rules.homebrew import (
    DRONES,
    OVERLAY,
    ROWS,
    modifier,
    patrols,
    send_and_switch_on,
    send_file,
    table,
)
from tests.cogs.house_rules.test_games import at_sea
from tests.support.acting import confirmed, more_of, use_file
from tests.support.reading import assert_says, components, press, refused, response
from tests.support.world import World, entry, nothing_written, rows, send_raw, written

DEEP = "a = " + "[" * 600 + "]" * 600


def row(words: str) -> str:
    """A table with one row."""
    return table(rest=f'rows = [\n  {{ outcome = "all", text = "All", line = 1, {words} }},\n]\n')


OTHER_ROWS = """remove-rows = ["no-catch", "caught"]
rows = [{ max = 9, outcome = "a", text = "A", line = 1 }, { min = 10, outcome = "b", text = "B", line = 2 }]"""
ROW = 'rows = [{{ max = 17, outcome = "no-catch", text = "No", line = 1, then = [{{ do = "{}", to = "{}" }}] }}]'
REFUSED: list[tuple[str, str | bytes, list[str]]] = [
    ("nothing", b"", ["Line 1:", "this file has no table"]),
    ("no tables", "facts = []\ntable = []\n", ["Line 2:", "this file has no table"]),
    ("large", b"#" * (64 * 1024 + 1), ["The file is too large (64 KiB).", "The limit is 64 KiB: split it."]),
    ("latin", table(title="Bäume").encode("latin-1"), ["this isn't text: save it as UTF-8"]),
    ("workbook", b"PK\x03\x04\x14\0", ["this is a workbook or a zip file, not text: save the sheet as .csv"]),
    ("utf16", table().encode("utf-16"), ["has a NUL character"]),
    ("nul", table().encode() + b"# \0\n", ["has a NUL character"]),
    ("syntax", "[[table]\n", ["Line 1:", "this isn't TOML"]),
    ("deep", DEEP, ["nested too deeply"]),
    ("dots", "\n".join("a" + ".a" * 900 + f"{number} = 1" for number in range(35)), ["a line has 900 dots"]),
    ("long line", f"[[table]] # {'x' * 2000}\n", ["a line has 2013 bytes, over the limit of 2000"]),
    ("many tables", "[[table]]\n" * 6_000, ["table: 6000 items, over the limit of 20"]),
    ("many rows", table(rest=f"rows = [{', '.join(['{}'] * 101)}]"), ["rows: 101 items, over the limit of 100"]),
    ("many facts", f"facts = [{', '.join(['{}'] * 101)}]\n{table()}", ["facts: 101 items, over the limit of 100"]),
    ("many values", "\n".join(f"a{n} = [{'[1, 1, 1], ' * 55}]" for n in range(55)) + "\n" + table(), ["values in all"]),
    ("many keys", "\n".join(f"k{number} = 1" for number in range(70)), ["70 keys, over the limit of 60"]),
    ("long key", f"{'k' * 150} = 1\n{table()}", ["150 characters, over the limit of 100"]),
    ("long title", table(title="T" * 81), ["Line 3:", "title: 81 characters, over the limit of 80"]),
    ("long id", table("x" * 51), ["Line 2:", "id: 51 characters, over the limit of 50"]),
    ("deep value", "facts = " + "[" * 12 + "]" * 12, ["nested more than 10 deep"]),
    ("unknown key", table(rest=ROWS + "dice = 3\n"), ["Line 10:", "dice: unknown key, did you mean die?"]),
    ("gap", table(rest=ROWS.replace("min = 4", "min = 5")), ["Line 8:", "row high: a gap before it"]),
    ("whole book", table() + '[book]\nid = "x"\n', ["Line 10:", "book: only a whole game has that"]),
    ("a roll's name", table("patrol"), ["Line 2:", "a roll of the book campaign has that name"]),
    ("a table's name", table("campaign.escape"), ["a table of the book campaign has that name"]),
    ("reserved", table("characters"), ["what players may do or see has that name"]),
    ("reserved for places", table("places"), ["what players may do or see has that name"]),
    (
        "undeclared",
        table(rest=ROWS + 'modifiers = [{ id = "x.y", value = 1, label = "Y", group = "g", line = 1 }]'),
        ["undeclared fact x.y"],
    ),
    ("many dice", table(die='"20d1000"'), ["Line 4:", "20d1000 goes up to 20000", "400"]),
    ("nobody", row('then = [{ do = "kill" }]'), ["Line 7:", 'kill to nobody: write to = "roller" or to = "target"']),
    ("stranger", row('then = [{ do = "kill", to = "patrol" }]'), ["kill to patrol"]),
    ("not a roll's own", row('then = [{ do = "mud-flood", to = "roller" }]'), ["mud-flood is for a book's own rolls"]),
    ("no amount", row('then = [{ do = "set-newtype", to = "roller" }]'), ["set-newtype needs an amount"]),
    ("amount", row('then = [{ do = "set-newtype", to = "roller", amount = 21 }]'), ["amount = 0 to 20"]),
    ("blank", table(title=" "), ["Line 3:", "title: only invisible characters"]),
    ("less than none", row('then = [{ do = "injure", to = "roller", amount = -3 }]'), ["injure of -3", "0 to 1000"]),
    ("a book's roles", patrols(ROW.format("kill", "roller")), ['kill to roller: write to = "patrol" or to = "target"']),
    ("a book's deeds", patrols(ROW.format("mud-flood", "target")), ["mud-flood is for a book's own rolls"]),
    ("a book's amounts", patrols(ROW.format("set-newtype", "target")), ["set-newtype needs an amount"]),
    ("event", row('event = { cause = "Bees" }'), ["event is for tables of random events"]),
    ("audience", table(rest=ROWS + 'audience = "players"\n'), ["unknown audience players"]),
    ("no book", OVERLAY.replace("campaign", "infinity"), ["Line 3:", "doesn't play the book infinity"]),
    ("misspelt book", OVERLAY.replace("campaign", "campain"), ["Line 3:", "did you mean campaign?"]),
    ("no extends", OVERLAY.replace("extends", "extent"), ["extent: unknown key, did you mean extends?"]),
    ("row needed", patrols('remove-rows = ["caught"]'), ["row no-catch: no row covers 18"]),
    ("row known by name", patrols(OTHER_ROWS), ["the patrol roll needs row caught of table campaign.patrol.catch"]),
    ("unknown row", patrols('remove-rows = ["catch"]'), ["unknown row catch to remove, did you mean"]),
]


async def test_a_file_with_faults_is_refused(world: World) -> None:
    """By line, and nothing is kept."""
    cases: list[tuple[str | bytes, list[str]]] = [item[1:] for item in REFUSED]
    for file, words in cases:
        before = written(world)
        answer = refused(await send_file(world, file))
        assert_says(answer.replace("\\", ""), *words)
        assert (written(world), rows(world, "select * from document")) == (before, [])


async def test_more_faults_than_a_message_holds_are_attached(world: World) -> None:
    """The file lists every one."""
    many = "".join(table(f"t{number}", rest="rows = []\nmodifiers = [{}]\n") for number in range(20))
    result = await send_file(world, many)
    answer = refused(result)
    assert "lines more" in answer
    (file,) = response(result).attachments
    lines = (await file.read()).decode().splitlines()
    assert len(lines) == 100
    assert_says(answer, f"{len(lines)} errors in rules.toml", "the first 100")


async def test_one_who_is_no_game_master_changes_nothing(world: World) -> None:
    """Nor press its buttons."""
    shown = response(await send_file(world, table()))
    switch = press(shown, "on:")
    with nothing_written(world):
        for actor in (world.player, world.stranger, world.manager):
            assert "Only game masters" in refused(await send_file(world, table(title="Mine"), "mine", who=actor))
            for do in ("remove:1", "export"):
                assert "Only game masters" in refused(await send_raw(actor, world.orders, f"table:1:{do}:loot"))
            for do in ("on", "drop", "look"):
                pressed = await send_raw(actor, world.orders, switch.replace(":on:", f":{do}:"))
                assert "Only game masters" in refused(pressed)
    assert len(rows(world, "select * from document")) == 1


async def test_names_that_cannot_be_are_refused(world: World) -> None:
    """Also a second name for what is on."""
    for name, words in (("   ", "1 to 32 characters"), ("x" * 33, "not 33"), ("\N{PISTOL}" * 17, "not 34")):
        assert words in refused(await send_file(world, table(), name))
    await send_and_switch_on(world, table())
    with nothing_written(world):
        assert "duplicate id" in refused(await send_file(world, table(title="Other"), "loott"))
        assert "loot v1, entry #3" in refused(await send_file(world, table()))
        assert "loot v1, entry #3" in refused(await send_file(world, table(), "again"))


async def test_ids_that_another_file_has_are_refused(world: World) -> None:
    """Facts can repeat in the same words."""
    await send_and_switch_on(world, DRONES, "drones")
    assert "the file drones has that name" in refused(await send_file(world, table("drone-failures"), "mine"))
    fact = 'facts = [{{ trait = "luck", label = "{}", roles = ["roller"] }}]\n'
    await send_and_switch_on(world, fact.format("is lucky") + table("one"), "one")
    assert "already at one:1" in refused(await send_file(world, fact.format("has luck") + table("two"), "two"))
    assert "two v1 is on" in await send_and_switch_on(world, fact.format("is lucky") + table("two"), "two")
    again = DRONES.replace("Drones", "Again")
    answer = refused(await send_file(world, again, "again"))
    assert_says(answer, "table drone-failures: duplicate id, already at drones:", "fact patrol.drones: duplicate id")


@pytest.mark.slow
async def test_a_card_has_room_for_all_that_files_bring(world: World) -> None:
    """As many as fit are rolled."""

    def crowd(lists: int, each: int) -> str:
        lines = [
            f'{{ id = "m{place}", value = 1, label = "{"L" * 80}", group = "g{place % lists}", line = 1, when = [["roller.t"]] }}'
            for place in range(lists * each)
        ]
        fact = 'facts = [{ trait = "t", label = "T", roles = ["roller"] }]\n'
        return fact + table(rest=ROWS + "modifiers = [\n" + ",\n".join(lines) + "\n]\n")

    assert "needs 13 lists, and its card has room for 12" in refused(await send_file(world, crowd(13, 1)))
    assert "needs 13 lists" not in refused(await send_file(world, crowd(3, 34)))  # more than 100 in all
    await send_and_switch_on(world, crowd(12, 8))
    card = response(await world.gm.slash(world.orders, "table roll", name="loot", about="Somebody"))
    first = list(components(card))
    lists = [
        item for item in (*first, *components(await more_of(world.gm, card))) if ":tick:" in item.get("custom_id", "")
    ]
    offered = {option["value"] for item in lists for option in item["options"]}
    assert len(offered) == sum(len(item["options"]) for item in lists) == 96, "on the card or behind More"


@pytest.mark.slow
async def test_no_more_than_twenty_files_are_on(world: World) -> None:
    """So is too large a total."""
    big = "# " + "x" * 1800 + "\n"
    for number in range(8):
        await send_and_switch_on(world, table(f"b{number}") + big * 34, f"b{number}")
    assert "The limit is 512 KiB" in refused(await send_file(world, table("b8") + big * 20, "b8"))
    for number in range(12):
        await send_and_switch_on(world, table(f"t{number}"), f"t{number}")
    with nothing_written(world):
        assert "20 files are on, the most a campaign can have." in refused(
            await send_file(world, table("more"), "more")
        )


@pytest.mark.slow
async def test_an_archived_campaign_takes_no_files(world: World) -> None:
    """They stay visible."""
    await send_and_switch_on(world, table())
    shown = response(await send_file(world, modifier("patrol.newtype", 2), "more"))
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        assert "is archived" in refused(await send_file(world, table("x"), "x"))
        assert "is archived" in refused(await use_file(world.gm, world.orders, "remove", "loot"))
        assert "is archived" in refused(await world.gm.click(shown, custom_id=press(shown, "on:")))
    assert response(await use_file(world.gm, world.orders, "export", "loot")).attachments


async def test_what_names_no_table_is_refused(world: World) -> None:
    """Nothing is rolled."""
    await send_and_switch_on(world, table())
    with nothing_written(world):
        for options, words in (
            ({"name": "lot"}, "Did you mean"),
            ({"name": "loot", "who": "A, B"}, "I need one roller"),
            ({"name": "loot", "who": "A", "about": "a"}, "is on both sides"),
            ({"name": "loot", "week": 2}, "Name the region too"),
            ({"name": "loot", "modifiers": "luck"}, "I don't know the modifier"),
        ):
            given: dict[str, Any] = dict(options)
            assert words in refused(await world.gm.slash(world.orders, "table roll", **given))
        assert "I can't find a table called 'zzz'" in refused(
            await world.gm.slash(world.orders, "table show", name="zzz")
        )
    assert entry(world)["name"] == "loot"


async def test_names_that_are_not_there_are_answered_by_those_that_are(world: World) -> None:
    """The campaign's own tables come first; without fields, none are listed."""
    await at_sea(world)
    told = refused(await world.gm.slash(world.orders, "gm settings", players_may="gunnery"))
    assert "Pick from: raiding, events, volley" in told
    await use_file(world.gm, world.orders, "remove", "sails")
    told = refused(await world.gm.slash(world.orders, "roster edit", name="Vengeance", fields="rudder: 5"))
    assert_says(told, "I don't know the field 'rudder'.", "There are none yet.")
