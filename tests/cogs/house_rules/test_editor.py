"""Tables from sheets, and tables made line by line in Discord."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
import simcord

from tests.architecture.source import ROOT
from tests.cogs.house_rules.homebrew import roll_table, send_and_switch_on, send_file, table
from tests.cogs.house_rules.test_typed import boxes, type_table
from tests.support.acting import use_file
from tests.support.reading import assert_says, components, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, nothing_written, send_raw

OMENS = "min,max,text,then\n1,2,Silence,\n3,6,A sign,reveal target\n\nmodifier,value,when\nTemple,+2,\n"


async def send_sheet(world: World, sheet: str, file: str = "omens.csv") -> simcord.InteractionResult:
    """The answer to a sent sheet."""
    return await world.gm.slash(world.orders, "gm rules", name="Omens", file=(file, sheet.encode()))


async def test_a_table_comes_from_a_spreadsheet(world: World) -> None:
    """As a file or pasted, with modifiers to tick; a fault has the line of the sheet."""
    shown = response(await send_sheet(world, OMENS))
    assert_says(text(shown), "**33.33%** (1/3)", "2 or less: Silence", "target is revealed", "+2 Temple")
    await world.gm.click(shown, custom_id=press(shown, "on:"))
    assert "**3** + 2 = **5**" in await roll_table(world, "omens", 3, modifiers="roller.temple")
    sheet = (ROOT / "docs" / "games" / "table.csv").read_text("utf-8")
    told = text(response(await send_sheet(world, sheet.replace("Devout,1", "Devout,2"))))
    assert_says(
        told, "+2 Devout \N{MULTIPLICATION SIGN} `roller.devotion`", "1 Storm, if `weather.storms and not weather.fog`"
    )
    pasted = response(await type_table(world, OMENS.replace(",", "\t"), name="Pasted"))
    assert_says(text(pasted), "Pasted v1", "+2 Temple")
    told = refused(await send_sheet(world, OMENS.replace("reveal", "reveel"), "omens.tsv".replace("tsv", "csv")))
    assert "**Line 3:** row a-sign: unknown deed reveel, did you mean reveal?" in told.replace("\\", "")


@pytest.mark.parametrize("typed", ["injure roller x", "injure roller 1 2", "reveal target injure roller"])
async def test_a_slip_in_an_effect_is_told_in_the_words_of_a_sheet(world: World, typed: str) -> None:
    """Not as a key of TOML that nobody wrote."""
    told = refused(await send_sheet(world, OMENS.replace("reveal target", typed)))
    assert_says(told, "**Line 3:**", f"'{typed}' isn't one effect: write injure roller 1, and a semicolon")


async def test_what_was_typed_wrong_is_explained(world: World) -> None:
    """Where the page says how tables are written."""
    assert "docs/homebrew.md#your-first-table" in refused(await type_table(world, "Nothing"))


async def test_a_sheet_of_two_columns_is_a_table(world: World) -> None:
    """With or without a heading, sent or pasted; it can be edited in the window."""
    for sheet, file in (("Roll,Result\n1,Sun\n2-6,Rain\n", "a.csv"), ("1\tSun\n2-6\tRain\n", "a.tsv")):
        shown = response(await send_sheet(world, sheet, file))
        assert_says(text(shown), "**16.67%** (1/6)", "Sun", "Rain")
    pasted = response(await type_table(world, "Roll\tResult\n1\tSun\n2-6\tRain", name="Pasted"))
    assert_says(text(pasted), "Sun", "Rain")
    await world.gm.click(shown, custom_id=press(shown, "on:"))
    there = response(await world.gm.slash(world.orders, "table show", name="Omens"))
    assert "Edit as text" in [item.get("label") for item in components(there)]


async def test_a_typed_table_is_edited_in_its_window(world: World) -> None:
    """It has what was typed, modifiers too; a sent file has no such button."""
    sheet = OMENS.replace(",", "\t")
    typed = response(await type_table(world, sheet, name="Omens"))
    await world.gm.click(typed, custom_id=press(typed, "on:"))
    shown = response(await world.gm.slash(world.orders, "table show", name="Omens"))
    window = await world.gm.click(shown, label="Edit as text")
    assert window.modal is not None
    die, lines = (item["value"] for item in boxes(window.modal))
    assert die == "6"
    assert_says(lines, "Silence", "reveal target", "Temple\t+2")
    again = response(
        await world.gm.submit_modal(window, {"die": die, "lines": lines.replace("Temple\t+2", "Temple\t+3")})
    )
    assert_says(text(again), "Omens v2", "+3 Temple")
    file = response(await send_and_shown(world))
    assert "Edit as text" not in [item.get("label") for item in components(file)]


async def test_a_modifier_is_added_in_a_window(world: World) -> None:
    """To a typed table before it's switched on, and to one that is on: that is the next version."""
    typed = response(await type_table(world, '1-19 "Nothing" of use\n20 Jackpot', name="Salvage"))
    shown = response(await add_modifier(world, typed, "Has a temple", "+2", ""))
    assert_says(text(shown), "Salvage v1", '"Nothing" of use', "Jackpot", "+2 Has a temple")
    await world.gm.click(shown, custom_id=press(shown, "on:"))
    there = response(await world.gm.slash(world.orders, "table show", name="Salvage"))
    told = refused(await add_modifier(world, there, "Storm", "much", "weather.storms"))
    assert "value: 'much' isn't a whole number" in told
    again = response(await add_modifier(world, there, "Storm", "-1", "weather.storms"))
    assert_says(text(again), "Salvage v2", "2 modifiers", "1 Storm")
    for custom_id, modal in (
        (press(there, "edit:"), False),
        (press(there, "modify:"), False),
        (press(there, "modify:"), True),
    ):
        with nothing_written(world):
            assert "Only game masters" in refused(await send_raw(world.player, world.orders, custom_id, modal=modal))


async def test_only_one_table_is_edited(world: World) -> None:
    """A forged button of a file with two is refused, and its window too."""
    both = table() + table("gems")
    await send_and_switch_on(world, both)
    digest = sha256(both.encode()).hexdigest()
    for deed, modal in (("edit", False), ("modify:0", False), ("modify:0", True), ("row:0", True), ("change:0", False)):
        with nothing_written(world):
            told = refused(await send_raw(world.gm, world.orders, f"table:1:{digest[:16]}:{deed}:loot", modal=modal))
            assert "I can't edit loot here" in told


async def add_modifier(world: World, shown: Any, label: str, value: str, when: str) -> simcord.InteractionResult:  # noqa: ANN401 - a message
    """The answer to one more modifier."""
    window = await world.gm.click(shown, label="Add a modifier")
    assert window.modal is not None, said(window)
    return await world.gm.submit_modal(window, {"label": label, "value": value, "when": when})


async def test_a_table_is_made_step_by_step(world: World) -> None:
    """Nothing typed is an empty d20; each window changes the same message, which says what is missing, and its odds."""
    card = response(await type_table(world, "", name="Salvage"))
    assert_says(
        text(card), "not finished", "**100%** (1) \N{MIDDLE DOT} 1-20: *no result yet*", "**Still missing:** 1-20."
    )
    await fill_line(world, card, "Add a result", numbers="1-5", result="It blows up", tone=["danger"])
    assert_says(text(card), "**25%** (1/4) \N{MIDDLE DOT} 1-5: It blows up", "**Still missing:** 6-20.")
    window = await world.gm.click(card, label="Add a result")
    assert window.modal is not None
    assert boxes(window.modal)[0]["value"] == "6-20"
    await world.gm.submit_modal(window, {"numbers": "5-20", "result": "Nothing"})
    assert_says(text(card), "nothing is switched on yet", "**20%** (1/5)", "**80%** (4/5)", "5 or more: Nothing")
    await pick_line(world, card, "row:2", numbers="20", result="Jackpot", then="")
    assert_says(text(card), "not finished", "**Still missing:** 5-19.")
    await pick_line(world, card, "row:1", numbers="1-4", result="")
    assert_says(text(card), "**Still missing:** 1-19.")
    await fill_line(world, card, "Add a result", numbers="1-19", result="Nothing", then="")
    assert "Salvage v1 is on" in said(await world.gm.click(card, custom_id=press(card, "on:")))
    await require_whole(world)


async def test_a_step_keeps_each_word_and_a_fault_is_changed_where_it_was_made(world: World) -> None:
    """Commas, signs and numbers of a text stay; what an effect lacks is asked for in the same window."""
    card = response(await type_table(world, "", "6", "Salvage"))
    await fill_line(world, card, "Add a result", numbers="1", result="- 5 ships, lost: |a|")
    refusal = await fill_line(world, card, "Add a result", numbers="2-6", result="6+ days, calm", then="explode")
    assert_says(refused(refusal), "1 error in what you typed", "unknown deed explode")
    fixed = await world.gm.click(response(refusal), label="Change it")
    assert fixed.modal is not None
    assert [box.get("value") for box in boxes(fixed.modal)] == ["2-6", "6+ days, calm", "explode"]
    shown = await world.gm.submit_modal(fixed, {"numbers": "2-6", "result": "6+ days, calm", "then": ""})
    assert_says(said(shown), "1 or less: \\- 5 ships, lost: \\|a\\|", "2 or more: 6+ days, calm")


async def test_a_window_takes_what_discord_takes(world: World) -> None:
    """Wide ranges are filled in whole; a fact whose id is too long for a list is refused."""
    wide = "die,20\nmin,max,text\n1,99999,Low\n100000,199999,High\n200000,,Best\n\nmodifier,value\nLuck,+4\n"
    card = response(await send_sheet(world, wide))
    window = await world.gm.select(card, custom_id=press(card, "change:"), values=["row:2"])
    assert window.modal is not None
    assert boxes(window.modal)[0]["value"] == "100000-199999"
    fact = f'facts = [{{ trait = "{"x" * 100}", label = "long", roles = ["roller"] }}]\n'
    assert "over the limit of 40" in refused(await send_file(world, fact + table("raid"), "raid"))


async def test_tables_share_facts_without_needing_each_other(world: World) -> None:
    """Both declare them in the same words, so either can go; a game's words count."""
    for name in ("Alpha", "Beta"):
        card = response(await type_table(world, "1-3 Lost\n4-6 Won", name=name))
        await fill_line(world, card, "Add a modifier", label="Temple", value="+2", when="", times="")
        assert f"{name} v1 is on" in said(await world.gm.click(card, custom_id=press(card, "on:")))
    fact = 'facts = [{ trait = "temple", label = "has a temple", roles = ["roller"] }]\n'
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    assert "game v1 is on" in await send_and_switch_on(world, f'[game]\ntitle = "Gods"\n{fact}', "game")
    assert "Alpha v1 is off" in said(await use_file(world.gm, world.orders, "remove", "Alpha"))
    shown = response(await world.gm.slash(world.orders, "table show", name="Beta"))
    assert_says(text(shown), "Beta v1", "+2 Temple")
    await require_whole(world)


async def test_rows_beyond_the_die_are_edited(world: World) -> None:
    """A modifier leads there; each number in between needs a row."""
    sheet = "die,6\nmin,max,text\n1,6,Low\n7,9,High\n10,,Best\n\nmodifier,value\nTemple,+4\nStorm\n"
    assert "a modifier has a name and a value" in refused(await send_sheet(world, sheet))
    card = response(await send_sheet(world, sheet.replace("Storm\n", "")))
    await pick_line(world, card, "row:3", numbers="11+", result="Best", then="")
    assert_says(text(card), "**Still missing:** 10.", "**0%** (0)")
    await fill_line(world, card, "Add a result", numbers="10", result="Good", then="")
    assert "nothing is switched on yet" in text(card)


async def test_a_table_that_an_act_rolls_is_still_shown(world: World) -> None:
    """Then it isn't offered to be rolled by itself."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    card = response(await type_table(world, "1-3 Lost\n4-6 Won", name="Raid"))
    await world.gm.click(card, custom_id=press(card, "on:"))
    act = '[[acts]]\nid = "raiding"\ntitle = "Raid"\nactor = "roller"\nsubject = "target"\ntext = "Raided"\nrolls = "raid"\n'
    act += 'headline = "{roller} raids {target}"\n'
    assert "game v1 is on" in await send_and_switch_on(world, f'[game]\ntitle = "Seas"\n{act}', "game")
    shown = response(await world.gm.slash(world.orders, "table show", name="Raid"))
    assert_says(text(shown), "Raid v1")
    await pick_line(world, shown, "row:1", numbers="1-3", result="Sunk", then="")
    assert "Sunk" in text(shown)


async def test_a_wrong_number_loses_no_words(world: World) -> None:
    """The refusal repeats the text; the card stays as it was."""
    card = response(await type_table(world, "1-5 It blows up", "20"))
    for numbers in ("6-x", "19-25", "0"):
        told = refused(await fill_line(world, card, "Add a result", numbers=numbers, result="Jack*pot"))
        assert_says(told.replace("\\", ""), "Write numbers like 6-19; 1d20 gives 1 to 20. You typed: Jack*pot")
    assert "**Still missing:** 6-20." in text(card)
    for where in ("row:9", "modify:1"):
        forged = press(card, "row:").replace("row:0", where)
        assert "out of date" in refused(await send_raw(world.gm, world.orders, forged, modal=True))


async def test_a_modifier_uses_what_the_game_declares(world: World) -> None:
    """Facts of other files and the weather are picked from a list; the table declares only new ones."""
    fact = 'facts = [{ trait = "veteran", label = "has a veteran crew", roles = ["roller"] }]\n'
    await send_and_switch_on(world, fact + table("raid"), "raid")
    card = response(await type_table(world, "1-3 Lost\n4-6 Won", name="Salvage"))
    window = await world.gm.click(card, label="Add a modifier")
    shown = str(window.modal)
    assert_says(shown, "has a veteran crew", "weather.storms", "Counts when all are true.")
    fields = {
        "label": "Old hands",
        "value": "+2",
        "facts": ["roller.veteran"],
        "when": "lucky or weather.fog",
        "times": "",
    }
    await world.gm.submit_modal(window, fields)
    assert_says(text(card), "+2 Old hands", "fact `roller.lucky` added")
    assert "veteran` added" not in text(card)
    again = await world.gm.select(card, custom_id=press(card, "change:"), values=["modifier:1"])
    assert "roller.veteran and roller.lucky or roller.veteran and weather.fog" in str(again.modal)
    await world.gm.submit_modal(again, {"label": "Old hands", "value": "+3", "facts": ["roller.veteran"], "when": ""})
    assert_says(text(card), "+3 Old hands")
    await world.gm.click(card, custom_id=press(card, "on:"))
    assert "+ 3 = **4**" in await roll_table(world, "Salvage", 1, sides=6, modifiers="Old hands")
    there = response(await world.gm.slash(world.orders, "table show", name="Salvage"))
    await pick_line(world, there, "modifier:1", label="", value="3")
    assert_says(text(there), "Salvage v2", "0 modifiers", "modifier `roller.old-hands` removed")
    await require_whole(world)


async def fill_line(world: World, card: Any, button: str, /, **fields: Any) -> simcord.InteractionResult:  # noqa: ANN401 - a message and values
    """The answer to a window behind a button."""
    window = await world.gm.click(card, label=button)
    assert window.modal is not None, said(window)
    return await world.gm.submit_modal(window, fields)


async def pick_line(world: World, card: Any, line: str, /, **fields: Any) -> simcord.InteractionResult:  # noqa: ANN401 - a message and values
    """The answer to the window of a picked line."""
    window = await world.gm.select(card, custom_id=press(card, "change:"), values=[line])
    assert window.modal is not None, said(window)
    return await world.gm.submit_modal(window, fields)


async def send_and_shown(world: World) -> simcord.InteractionResult:
    """The answer to looking at a sent file that is on."""
    await send_and_switch_on(world, table("loot"), "loot")
    return await world.gm.slash(world.orders, "table show", name="loot")
