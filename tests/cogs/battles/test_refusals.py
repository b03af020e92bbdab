"""Refusals about battles: private, specific, and without an entry."""

from __future__ import annotations

from typing import Any

import pytest
from discord import ui
from msgspec.structs import replace

from bot.cogs.battles.embed import ROWS, table_view
from rules.books.battlesystem.book import TABLE
from rules.books.battlesystem.effects import item_key
from rules.books.battlesystem.state import ActiveEvent
from rules.loader import load_book
from tests.cogs.battles.battlefield import (
    FORD,
    ask,
    battle_over,
    begun,
    check,
    ford,
    join,
    option,
    selects,
    sound,
    state,
    told,
    typed,
    written_down,
)
from tests.support.acting import confirmed
from tests.support.reading import assert_lacks, assert_says, press, refused, response
from tests.support.world import World, nothing_written, rows, send_raw, show_every_command, written


async def denied(world: World, command: str, actor: Any = None, **options: Any) -> str:  # noqa: ANN401
    """Return the refusal of a command that wrote nothing."""
    kept = rows(world, "select * from state order by subject, name")
    with nothing_written(world):
        what = refused(await (actor or world.gm).slash(world.orders, typed(command), **options))
    assert rows(world, "select * from state order by subject, name") == kept
    return what


async def test_the_book_has_to_be_switched_on(world: World) -> None:
    """Each command says how."""
    await show_every_command(world)
    for command, options in (
        ("battle", {"action": "start", "name": "Ford", "sides": "A, B"}),
        ("battles", {}),
        ("units", {}),
        ("roll", {}),
        ("active", {}),
        ("turn", {}),
        ("table", {}),
    ):
        what = await denied(world, command, **options)
        assert "doesn't use the book BATTLESYSTEM random events (battlesystem)." in what
        assert "/gm settings books" in what
    assert await world.gm.autocomplete(world.orders, "events active", "battle", "") == []


async def test_a_battle_needs_a_name_and_two_sides(world: World) -> None:
    """Each fault has its own words."""
    await ford(world)
    for options, words in (
        ({"sides": "Reds, Blues"}, "A battle needs a name."),
        ({"name": "Hill, Ford", "sides": "Reds, Blues"}, "A battle's name can't have a comma."),
        ({"name": "x" * 61, "sides": "Reds, Blues"}, "at most 60 characters"),
        ({"name": "Hill"}, "at least one side"),
        ({"name": "Hill", "sides": "Reds"}, "two sides"),
        ({"name": "Hill", "sides": "Reds, reds"}, "named twice"),
        ({"name": "Hill", "sides": "Reds, Blues, Greens"}, "3 names"),
        ({"name": "black  FORD", "sides": "Reds, Blues"}, "Black Ford is already being fought"),
    ):
        assert words in await denied(world, "battle", action="start", **options)


async def test_the_battle_that_is_meant_has_to_be_there(world: World) -> None:
    """None, unknown, or over."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, battlesystem")
    for command, options in (
        ("active", {}),
        ("roll", {}),
        ("turn", {}),
        ("battle", {"action": "end"}),
        ("units", {}),
        ("unit add", {"units": "Pikes", "side": "Reds"}),
        ("unit edit", {"unit": "Pikes", "missile": True}),
        ("unit remove", {"units": "Pikes"}),
        ("use", {"event": "7.0.0"}),
    ):
        assert "No battle is being fought" in await denied(world, command, **options)
    await begun(world)
    assert "Did you mean Black Ford?" in await denied(world, "active", battle="Blak Ford")
    assert "I don't know the battle 'Zzz'" in await denied(world, "turn", battle="Zzz")
    await battle_over(world)
    for command in ("turn", "roll", "active"):
        assert "Black Ford is over: it ended in turn 1" in await denied(world, command, battle=FORD)
    assert "is over" in await denied(world, "turn", battle=FORD, end_battle=True)
    assert "is over" in await denied(world, "battle", action="end", name=FORD)


async def test_units_are_checked_before_they_join_and_when_they_change(world: World) -> None:
    """Sides, names, spells, numbers, and empty edits."""
    await ford(world, reds="Pikes")
    assert "no side called 'Rads'" in (what := await denied(world, "unit add", units="Axes", side="Rads"))
    assert "Did you mean Reds?" in what
    assert "Its sides are Reds and Blues" in await denied(world, "unit add", units="Axes", side="q")
    assert "named twice" in await denied(world, "unit add", units="Axes, axes", side="Reds")
    stands = "Pikes is already in Black Ford, for Reds"
    assert stands in await denied(world, "unit add", units="PIKES", side="Blues")
    assert "isn't a caster" in await denied(world, "unit add", units="Axes", side="Reds", spells=2)
    assert "at least one unit" in await denied(world, "unit add", units=" ", side="Reds")
    many = ", ".join(f"U{number}" for number in range(100))
    assert "at most 100 units; that would make 101" in await denied(world, "unit add", units=many, side="Reds")
    for command, options in (("unit edit", {"unit": "Pike", "missile": True}), ("unit remove", {"units": "Pike"})):
        what = await denied(world, command, **options)
        assert_says(what, "Black Ford has no unit called 'Pike'", "Did you mean Pikes?")
    assert "That changes nothing about Pikes" in await denied(world, "unit edit", unit="Pikes", missile=False)
    assert "no side called 'Greens'" in await denied(world, "unit edit", unit="Pikes", side="Greens")
    assert "isn't a caster" in await denied(world, "unit edit", unit="Pikes", spells=1)
    await ask(world, "unit edit", unit="Pikes", caster=True, spells=1)
    await ask(world, "unit edit", unit="Pikes", caster=False)
    assert "spell" not in await ask(world, "units")
    await begun(world, "White Hill", "Elves, Orcs")
    assert "already in Black Ford" in await denied(world, "unit add", units="Pikes", side="Orcs", battle="White Hill")


async def test_nobody_is_there_to_roll(world: World) -> None:
    """Empty rosters and sides, and unknown ones."""
    await ford(world)
    assert "The roster is empty" in await denied(world, "roll")
    assert "Black Ford has no units yet" in await denied(world, "turn")
    await join(world, "Reds", "Pikes")
    assert "Blues has no units to roll" in await denied(world, "roll", side="Blues")
    assert "no side called 'Greens'" in await denied(world, "roll", side="Greens")
    asked = response(await world.gm.slash(world.orders, "gm-events turn"))
    ended = told(await world.gm.click(asked, custom_id=press(asked, "turn")))
    assert "checked for Reds" in ended
    assert "Blues" not in ended


async def test_typed_faces_have_to_be_those_that_are_rolled(world: World) -> None:
    """Number, range and form."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    written_down(world, [])
    for options, words in (
        ({"faces": "1 2"}, "3 units roll a d4, but you typed 2 results"),
        ({"faces": "1 2 3 4"}, "3 units roll a d4, but you typed 4 results"),
        ({"faces": "1 2 5"}, "A d4 has no face 5"),
        ({"faces": "1 0 2"}, "A d4 has no face 0"),
        ({"faces": "1 2 x"}, "'x' is neither a face nor a die"),
        ({"faces": "1 2 -3"}, "'-3' is neither a face nor a die"),
        ({"faces": " , "}, "You didn't type any faces"),
        ({"faces": "1 2 3 d100:"}, "The d100 has no faces behind it"),
        ({"faces": "1 2 3 d1: 1"}, "I don't know the die 'd1:'"),
        ({"faces": "1 2 3 d100: 101"}, "A d100 has no face 101"),
        ({"faces": "1 1 2, d100: 7"}, "Of the d100 there are too few faces: 1 typed, and more are needed"),
        ({"faces": "1 2 2, d100: 9 10 11"}, "Of the d100 there are too many faces: 3 typed, 1 needed"),
        ({"faces": "2 2 2 d8: 3"}, "Left over: 3"),
        ({"faces": "70 9", "mode": "side", "side": "Reds"}, "Of the d100 there are too many faces: 2 typed, 1 needed"),
        ({"faces": "70 70, d4: 1", "mode": "side"}, "Of the d4 there are too many faces: 1 typed, 0 needed"),
        ({"faces": "d4: 1", "mode": "side"}, "0 units roll a d4"),
        ({"faces": "1 2", "side": "Blues"}, "1 unit rolls a d4, but you typed 2 results"),
    ):
        assert words in await denied(world, "roll", **options)


async def test_what_is_ended_has_to_be_in_force(world: World) -> None:
    """No event, several, no token, no condition, no reason."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [1, 2], (100, 3))
    event = await option(world, "Pikes")
    for gone in ("9.9.9", "Ogres", "x" * 300):
        assert "isn't in force in Black Ford" in await denied(world, "use", event=gone)
    assert "Reds has no token" in await denied(world, "use", event=event)
    what = await denied(world, "use", event=event, how="condition")
    assert "has no end condition. It lasts until Black Ford is over" in what.replace("\n", " ")
    assert "without a token needs a reason" in await denied(world, "use", event=event, how="cancel")
    await check(world, [1, 2], (100, 12), reason="more")
    assert "Pikes has several events" in await denied(world, "use", event="pikes")
    await ask(world, "use", event=event, how="cancel", reason="no")
    assert "isn't in force" in await denied(world, "use", event=event, how="cancel", reason="no")


async def test_the_turns_question_answers_who_may_and_while_it_holds(world: World) -> None:
    """Players, forged ids and finished battles end nothing."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [1, 2], (100, 45))
    asked = (await world.gm.slash(world.orders, "gm-events turn")).followups[-1]
    (tired,) = selects(asked)
    key, value = tired["custom_id"], tired["options"][0]["value"]
    before = written(world)
    assert "for game masters" in refused(await send_raw(world.player, world.orders, key, value))
    assert "has already ended" in refused(await send_raw(world.gm, world.orders, key, "1.1"))
    for forged in (f"{key}:1", "events:1:until_never:4:1:0", "events:x:table:1", "events:1:table", "events:1:table:-1"):
        assert "That button no longer works" in refused(await send_raw(world.gm, world.orders, forged, value))
    assert "isn't on this server" in refused(await send_raw(world.gm, world.orders, "events:77:table:0"))
    assert written(world) == before
    await battle_over(world)
    assert "That battle is over" in refused(await send_raw(world.gm, world.orders, key, value))
    assert "don't play" in refused(await send_raw(world.stranger, world.orders, "events:1:table:0"))
    assert await sound(world)


async def test_an_archived_campaign_is_read_and_not_played(world: World) -> None:
    """Lists still answer."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [1, 2], (100, 3))
    event = await option(world, "Pikes")
    await confirmed(world, "campaign archive", world.manager)
    await show_every_command(world)
    assert "Bonus promised" in await ask(world, "active")
    for command, options in (
        ("battle", {"action": "start", "name": "Hill", "sides": "A, B"}),
        ("unit add", {"units": "Axes", "side": "Reds"}),
        ("roll", {"reason": "again"}),
        ("turn", {}),
        ("use", {"event": event, "how": "cancel", "reason": "no"}),
    ):
        assert "is archived" in await denied(world, command, **options)


async def test_what_was_typed_takes_no_effect_in_what_is_shown(world: World) -> None:
    """Markdown and mentions are escaped."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, battlesystem")
    await begun(world, "**Ford**", "@everyone, __Blues__")
    world.typed.append(f"<@{world.player.id}>")
    await join(world, "@everyone", f"<@{world.player.id}>")
    await join(world, "__Blues__", "`Ogres`")
    answer = told(await check(world, [1, 1], (100, 3), (100, 45)))
    shown = [answer, *[await ask(world, command) for command in ("active", "units", "turn")]]
    shown += [await ask(world, "battles"), await battle_over(world)]
    for text in shown:
        assert_lacks(text, "@everyone", f"<@{world.player.id}>", " **Ford** against", "`Ogres`")
    assert state(world, "effect.") == {}


@pytest.mark.parametrize("rows_left", [1, 15, 29, 66])
def test_no_two_buttons_of_the_table_have_one_id(rows_left: int) -> None:
    """Discord refuses equal ids, however few rows are left."""
    table = load_book("battlesystem").table(TABLE)
    pages = range(-(-rows_left // ROWS))
    for page in pages:
        view = table_view(replace(table, rows=table.rows[:rows_left]), 1, page)
        found = [item.custom_id for item in view.walk_children() if isinstance(item, ui.Button)]
        assert found == [f"events:1:table:{other}" for other in (page - 1, page + 1) if other in pages]
        title = next(item.content for item in view.walk_children() if isinstance(item, ui.TextDisplay))
        assert (f", page {page + 1} of {len(pages)}" in title) is (len(pages) > 1), "one page is not counted"


def test_one_event_on_several_units_is_asked_for_unit_by_unit() -> None:
    """Each is an option."""
    tired = ActiveEvent(1, "Pikes", "Reds", FORD, 1, 45, "Tired", (), entry=8, place=0)
    assert item_key(tired) != item_key(replace(tired, id=2, name="Axes"))
