"""Ordered escapes: given, refused, cancelled, rolled together."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.app import KINDS
from bot.cogs.captives import rolls
from bot.core import audit, campaigns, state
from bot.core.errors import NotOpen
from bot.core.ledger import EntryDraft, next_number
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.subjects import Subjects
from bot.orders.giving import describe_given
from tests.cogs.captives import cells
from tests.cogs.captives.cells import find_pseudonym, order, save, sound, take
from tests.cogs.captives.test_escape import another_player, flee, imprison, joint
from tests.cogs.ledger.test_void import undo_entry
from tests.support.acting import close_update, confirmed, released
from tests.support.backend import GM, PLAYER, House
from tests.support.reading import assert_says, components, control, press, refused, response, said, text
from tests.support.world import World, entry, entry_texts, nothing_written, send_raw, show_every_command, written


async def test_many_orders_with_long_names_are_told_whole(house: House) -> None:
    """Ten markdown names fit one answer."""
    names = [f"{'*' * 58}{place:02d}" for place in range(10)]
    owner = await find_pseudonym(house.database, PLAYER.user_id)
    await save(house.database, *(Profile(name, "pc", owner=owner) for name in names))
    await take(house, *names, by="_" * 60, at="~" * 60)
    answer = "\n".join(describe_given(await order(house, ", ".join(names), PLAYER, "*" * 500)))
    assert len(answer) <= 3900
    assert answer.count("Escape (entry #") == 10


async def test_a_game_masters_bare_escape_opens_the_same_card(world: World) -> None:
    """After a restart too; orders last into the next update."""
    await imprison(world, "Amuro", "Kai")
    before = written(world)[0]
    answer = said(await flee(world.player, world, captive="Amuro, Kai", note="Both of us"))
    assert [(entry(world, number)["deed"], entry(world, number)["who"]) for number in (before + 1, before + 2)] == [
        ("give", "Amuro"),
        ("give", "Kai"),
    ]
    assert [entry_texts(world, before + 1), entry_texts(world, before + 2)] == [{"note": "Both of us"}] * 2
    assert f"Orders given: entries #{before + 1} to #{before + 2}" in answer
    await world.restart()
    for note in ("As ordered", "The week after"):
        card = response(await flee(world.gm, world, note=note))
        assert [item["label"] for item in control(card, "part")["options"]] == ["1. Amuro", "2. Kai"]
        assert f"Note: {note}" in text(card)
        await close_update(world)
    assert "replaces #" in said(await flee(world.player, world, captive="Kai"))


async def test_of_several_orders_each_can_be_picked(world: World) -> None:
    """Each can be edited or cancelled; held ones have no card."""
    await imprison(world, "Amuro", "Kai")
    await flee(world.player, world, captive="Kai")
    given = response(await flee(world.player, world, captive="Amuro, Kai"))
    assert "replaces #" in text(given)
    (select,) = (item for item in components(given) if item["type"] == 3)
    assert [option["label"] for option in select["options"]] == ["Amuro: Escape", "Kai: Escape"]
    chosen = [select["options"][0]["value"]]
    shown = response(await world.player.select(given, chosen, custom_id=select["custom_id"]))
    await world.player.click(shown, label="Cancel order")
    card = response(await flee(world.gm, world))
    assert "Kai** tries to escape" in text(card)
    assert "Amuro" not in text(card)
    subject, _, number = select["options"][1]["value"].partition(".")
    await send_raw(world.gm, world.orders, f"order:1:{subject}:{number}:hold:1")
    assert "No escapes to roll" in refused(await flee(world.gm, world))


async def test_the_button_is_for_game_masters(world: World) -> None:
    """A forged button opens nothing."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    await world.gm.slash(world.orders, "gm settings", players_may="escape")
    with nothing_written(world):
        assert "Only game masters" in refused(await send_raw(world.player, world.staff, "captive:1:escapes:1"))
        for forged in ("2:escapes:1", "1:escapes:2", "x:escapes:1", "1:escapes", "1:escapes:1:1"):
            assert refused(await send_raw(world.gm, world.staff, f"captive:{forged}"))
        assert refused(await send_raw(world.gm, world.staff, "escape:1:4")), "as buttons of older versions were"


async def test_a_button_of_another_servers_campaign_tells_nothing_of_it(house: House) -> None:
    """Neither names nor orders."""
    await save(house.database, Profile("Amuro", "pc"))
    await take(house, "Amuro")
    await order(house, "Amuro")
    elsewhere = replace(GM, guild_id=GM.guild_id + 1000)
    with pytest.raises(NotOpen, match="That campaign isn't on this server"):
        await house.database.write(rolls.open_ordered, house.resolver, elsewhere, house.campaign.id)


async def test_what_is_ordered_is_rolled_at_once_where_that_is_asked_for(world: World) -> None:
    """`roll:now` makes one entry, or says why not."""
    await imprison(world, "Amuro", "Kai")
    assert "No escapes to roll" in refused(await flee(world.gm, world, roll="now"))
    await flee(world.player, world, captive="Amuro, Kai")
    world.dice.script(20, 10)
    await flee(world.gm, world, roll="now")
    body = entry(world)
    assert [part["subjects"]["captive"] for part in body["parts"]] == ["Amuro", "Kai"]
    assert "No escapes to roll" in refused(await flee(world.gm, world, roll="now"))


REFUSED = [
    ({"captive": "Kai"}, "Kai isn't a captive"),
    ({"captive": "Amuro, Kai"}, "Kai isn't a captive"),
    ({"captive": "Amuro, amuro"}, "named twice"),
    ({"captive": "Job"}, "Job isn't a captive"),
    ({"captive": "Ryu"}, "Ryu isn't yours"),
    ({"captive": "Amuro", "region": "Coral Sea"}, "Leave them out and use the note"),
    ({"captive": "Amuro", "modifiers": "captive.lucky"}, "picked when a game master rolls"),
    ({"captive": "Amuro", "note": "n" * 501}, "501 characters"),
]
"""What is typed, and what is said of it."""


async def test_an_escape_that_cannot_be_ordered_is_refused(world: World) -> None:
    """Privately, and nothing is written."""
    await imprison(world, "Amuro", "Job")
    world.dice.script(1)
    await flee(world.gm, world, captive="Job", roll="now")
    await imprison(world, "Ryu", owner=another_player(world))
    await save(
        world.bots[0].database,
        Profile("Kai", "pc", owner=await find_pseudonym(world.bots[0].database, world.player.id)),
    )
    for options, words in REFUSED:
        with nothing_written(world, options):
            assert words in refused(await flee(world.player, world, **options)), options


async def test_locked_orders_are_refused_to_players(world: World) -> None:
    """Game masters can still roll open ones."""
    await imprison(world, "Amuro", "Kai")
    await flee(world.player, world, captive="Amuro")
    await send_raw(world.gm, world.orders, "board:1:lock:1:1")
    with nothing_written(world):
        assert "have been locked since" in refused(await flee(world.player, world, captive="Kai"))
    assert "Amuro** tries to escape" in text(response(await flee(world.gm, world)))


async def test_an_archived_campaign_takes_no_escape(world: World) -> None:
    """Neither orders nor cards."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    await confirmed(world, "campaign archive", world.manager)
    await show_every_command(world)
    with nothing_written(world):
        assert "archived" in refused(await flee(world.player, world, captive="Amuro"))
        assert "archived" in refused(await send_raw(world.gm, world.staff, "captive:1:escapes:1"))


async def test_an_ordered_escape_is_taken_back(house: House) -> None:
    """The undone order can be given again."""
    await cells.save(house.database, Profile("Amuro", "pc"), Profile("Kai", "pc"))
    await take(house, "Amuro", "Kai")
    given = await cells.order(house, "Amuro, Kai")
    for item in given:
        await house.take_back(item.entry.number)
    status = await cells.show(house, "Kai")
    assert (status.ordered, status.captivity is not None) == (None, True)
    with pytest.raises(NotOpen, match="No escapes to roll"):
        await cells.open_ordered(house)
    await cells.order(house, "Amuro")
    assert await sound(house)


async def test_whoever_is_captive_no_more_is_not_to_escape(house: House) -> None:
    """Released, they don't escape until that's undone."""
    await cells.save(house.database, Profile("Amuro", "pc"))
    await take(house, "Amuro", "Kai")
    await cells.order(house, "Amuro")
    assert joint(await _weigh(house)) == "others try in this update"
    await cells.release(house, "Amuro")
    assert joint(await _weigh(house)) is None
    with pytest.raises(NotOpen, match="No escapes to roll"):
        await cells.open_ordered(house)
    await cells.undo(house, "Amuro", "Never let go")
    assert joint(await _weigh(house)) == "others try in this update"
    (view,) = await cells.open_ordered(house)
    assert [part.subjects["captive"] for part in view.request.parts] == ["Amuro"]
    assert await sound(house)


async def _weigh(house: House) -> dict[str, Any]:
    """What counts in Kai's escape."""
    (part,) = (await house.roll(cells.escape("Kai", reason="Again"), 10)).entry.content()["parts"]
    number = (await house.entries())[-1].number
    await house.take_back(number)
    return dict(part)


async def test_whoever_has_ordered_an_escape_withdraws_it(world: World) -> None:
    """Once, and for no other player."""
    other = another_player(world)
    await imprison(world, "Amuro")
    answer = response(await flee(world.player, world, captive="Amuro"))
    key = press(answer, f"{written(world)[0]}:withdraw")
    before = written(world)
    assert "already changed, cancelled" in refused(await send_raw(other, world.orders, key))
    assert written(world) == before
    redrawn = response(await world.player.click(answer, custom_id=key))
    assert "**Amuro**: Escape" in text(redrawn)
    assert [item for item in components(redrawn) if "custom_id" in item] == []
    assert (entry(world)["deed"], entry(world)["before"]) == ("withdraw", before[0])
    assert "already changed, cancelled" in refused(await send_raw(world.player, world.orders, key))
    assert "No escapes to roll" in refused(await flee(world.gm, world))
    listed = response(await world.player.slash(world.orders, "captives", captive="Amuro"))
    assert "Cancel the escape" not in str(list(components(listed)))
    assert [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]


async def test_an_escape_that_was_rolled_is_not_withdrawn(world: World) -> None:
    """The order is done; before, the captive shows the button."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    listed = response(await world.player.slash(world.orders, "captives", captive="Amuro"))
    key = press(listed, f"{written(world)[0]}:withdraw")
    world.dice.script(12)
    await flee(world.gm, world, roll="now")
    with nothing_written(world):
        assert "already changed, cancelled" in refused(await send_raw(world.player, world.orders, key))


async def test_an_escape_is_withdrawn_where_its_captive_is_met_again(world: World) -> None:
    """A game master's order has no button."""
    await imprison(world, "Amuro")
    await world.gm.slash(world.orders, "order give", kind="Escape", who="Amuro")
    desk = response(await world.player.slash(world.orders, "update show"))
    assert "escape ordered" not in text(desk)
    assert "escape ordered" in said(await world.gm.slash(world.orders, "update show"))
    for label in ("Escape", "Cancel the escape"):
        desk = response(await world.player.slash(world.orders, "update show"))
        select = next(item for item in components(desk) if item["type"] == 3)
        picked = await world.player.select(desk, [select["options"][0]["value"]], custom_id=select["custom_id"])
        shown = response(picked)
        assert [item["label"] for item in components(shown) if item["type"] == 2] == [label]
        done = said(await world.player.click(shown, label=label))
        assert ("Order given" in done, "cancelled" in done) == (label == "Escape", label != "Escape")
        assert "replaces" not in done
    assert "No escapes to roll" in refused(await flee(world.gm, world))


async def declare(world: World, name: str) -> int:
    """Declare an escape, as older versions did."""
    bot = world.bots[0]

    def work(tx: Connection) -> int:
        campaign = campaigns.get_campaign(tx, 1)
        assert campaign is not None
        key = Subjects(tx, 1).of(name).key
        change = Change(key, "declared", None, {"entry": next_number(tx, campaign), "update": 1})
        draft = EntryDraft(
            "escape", "maker", {"deed": "declare", "captive": name}, (change,), {"note": "Over the wall"}
        )
        return bot.ledger.enter(tx, campaign, world.player.id, draft).number

    return await bot.database.write(work)


async def test_a_declaration_of_an_older_version_is_rolled_with_the_orders(world: World) -> None:
    """It counts for others (line 341), until it's rolled."""
    await imprison(world, "Amuro", "Kai")
    await declare(world, "Amuro")
    assert "escape ordered" in said(await world.gm.slash(world.orders, "update show"))
    await flee(world.player, world, captive="Kai")
    card = response(await flee(world.gm, world))
    assert [item["label"] for item in control(card, "part")["options"]] == ["1. Amuro", "2. Kai"]
    world.dice.script(10)
    await flee(world.gm, world, captive="Kai", roll="now")
    assert joint(entry(world)["parts"][0]) == "others try in this update"
    assert "Amuro** tries" in text(response(await flee(world.gm, world)))
    world.dice.script(10)
    await flee(world.gm, world, roll="now")
    assert "No escapes to roll" in refused(await flee(world.gm, world))
    assert [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]


@pytest.mark.parametrize("over", ["closed", "released", "void"])
async def test_a_declaration_of_an_older_version_ends(world: World, over: str) -> None:
    """With its update, the captivity, or an undo."""
    await imprison(world, "Amuro")
    number = await declare(world, "Amuro")
    if over == "closed":
        await close_update(world)
    elif over == "released":
        await released(world.gm, world.orders, captive="Amuro")
    else:
        await undo_entry(world, number)
    assert "No escapes to roll" in refused(await flee(world.gm, world))
    assert [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]


async def test_its_entry_is_shown_as_ever(world: World) -> None:
    """Its maker and game masters read it; the state rebuilds."""
    await imprison(world, "Amuro")
    number = await declare(world, "Amuro")
    for actor in (world.player, world.gm):
        answer = said(await actor.slash(world.orders, "ledger", entry=number))
        assert_says(answer, "Escape ordered", "Over the wall")
        assert "Amuro tries to escape" in said(await actor.slash(world.orders, "ledger"))
    database = world.bots[0].database
    before = await database.read(state.get_whole, 1)
    await audit.rebuild_states(database, KINDS)
    assert before == await database.read(state.get_whole, 1)
