"""Escapes that players order: given, refused, and rolled together on a game master's press."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from bot.cogs.captives import rolls
from bot.core.profiles import Profile
from bot.errors import NotOpen
from bot.orders.giving import describe_given
from tests.cogs.captives import cells
from tests.cogs.captives.cells import known_as, order, save, sound, take
from tests.cogs.captives.test_escape import another_player, flee, imprison, joint
from tests.support.acting import close_update, confirmed
from tests.support.backend import GM, PLAYER, House
from tests.support.reading import components, control, refused, response, said, text
from tests.support.world import World, entry, entry_texts, nothing_written, send_raw, written


async def test_many_orders_with_long_names_are_told_whole(house: House) -> None:
    """Ten captives whose names are all markdown fit into one answer, within Discord's 4,000 characters."""
    names = [f"{'*' * 58}{place:02d}" for place in range(10)]
    owner = await known_as(house.database, PLAYER.user_id)
    await save(house.database, *(Profile(name, "pc", owner=owner) for name in names))
    await take(house, *names, by="_" * 60, at="~" * 60)
    told = "\n".join(describe_given(await order(house, ", ".join(names), PLAYER, "*" * 500)))
    assert len(told) <= 3900
    assert told.count("Escape (entry #") == 10


async def test_a_game_masters_bare_escape_opens_the_same_card(world: World) -> None:
    """Without a name it is for all who are ordered to, and works after a restart; the orders stand in the next update."""
    await imprison(world, "Amuro", "Kai")
    before = written(world)[0]
    told = said(await flee(world.player, world, captive="Amuro, Kai", note="Both of us"))
    assert [(entry(world, number)["deed"], entry(world, number)["who"]) for number in (before + 1, before + 2)] == [
        ("give", "Amuro"),
        ("give", "Kai"),
    ]
    assert [entry_texts(world, before + 1), entry_texts(world, before + 2)] == [{"note": "Both of us"}] * 2
    assert f"Orders given: entries #{before + 1} to #{before + 2}" in told
    await world.restart()
    for note in ("As ordered", "The week after"):
        card = response(await flee(world.gm, world, note=note))
        assert [item["label"] for item in control(card, "part")["options"]] == ["1. Amuro", "2. Kai"]
        assert f"Note: {note}" in text(card)
        await close_update(world)
    assert "replaces #" in said(await flee(world.player, world, captive="Kai"))


async def test_of_several_orders_each_can_be_picked(world: World) -> None:
    """The answer lists them shortly, with what is changed or withdrawn about each; an order that is held is in no card."""
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
    """Players who may roll escapes still do not roll those of others; a forged button opens nothing."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    await world.gm.slash(world.orders, "campaign edit", players_may="escape")
    with nothing_written(world):
        assert "Only game masters" in refused(await send_raw(world.player, world.staff, "captive:1:escapes:1"))
        for forged in ("2:escapes:1", "1:escapes:2", "x:escapes:1", "1:escapes", "1:escapes:1:1"):
            assert refused(await send_raw(world.gm, world.staff, f"captive:{forged}"))
        assert refused(await send_raw(world.gm, world.staff, "escape:1:4")), "as buttons of older versions were"


async def test_a_button_of_another_servers_campaign_tells_nothing_of_it(house: House) -> None:
    """Somebody who leads a game elsewhere learns neither a name nor whether anything is ordered."""
    await save(house.database, Profile("Amuro", "pc"))
    await take(house, "Amuro")
    await order(house, "Amuro")
    elsewhere = replace(GM, guild_id=GM.guild_id + 1000)
    with pytest.raises(NotOpen, match="That campaign isn't on this server"):
        await house.database.write(rolls.open_ordered, house.resolver, elsewhere, house.campaign.id)


async def test_what_is_ordered_is_rolled_at_once_where_that_is_asked_for(world: World) -> None:
    """With `roll:now` and nobody named all who are ordered to are rolled in one entry; before that it says why not."""
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
    """For who isn't a captive, is dead or another's, or with what only a card takes: a private answer, nothing written, of none of them."""
    await imprison(world, "Amuro", "Job")
    world.dice.script(1)
    await flee(world.gm, world, captive="Job", roll="now")
    await imprison(world, "Ryu", owner=another_player(world))
    await save(
        world.bots[0].database, Profile("Kai", "pc", owner=await known_as(world.bots[0].database, world.player.id))
    )
    for options, words in REFUSED:
        with nothing_written(world, options):
            assert words in refused(await flee(world.player, world, **options)), options


async def test_locked_orders_are_refused_to_players(world: World) -> None:
    """Once orders are locked a player orders no escape, while a game master rolls those that stand."""
    await imprison(world, "Amuro", "Kai")
    await flee(world.player, world, captive="Amuro")
    await send_raw(world.gm, world.orders, "board:1:lock:1:1")
    with nothing_written(world):
        assert "have been locked since" in refused(await flee(world.player, world, captive="Kai"))
    assert "Amuro** tries to escape" in text(response(await flee(world.gm, world)))


async def test_an_archived_campaign_takes_no_escape(world: World) -> None:
    """Neither is anything ordered there nor a card opened."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        assert "archived" in refused(await flee(world.player, world, captive="Amuro"))
        assert "archived" in refused(await send_raw(world.gm, world.staff, "captive:1:escapes:1"))


async def test_an_ordered_escape_is_taken_back(house: House) -> None:
    """An entry like any other: voided, the escape is ordered no more and can be anew; the captivity is as it was."""
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
    """Who was let go waits for no escape, and does not count as one who tries, until the release is taken back."""
    await cells.save(house.database, Profile("Amuro", "pc"))
    await take(house, "Amuro", "Kai")
    await cells.order(house, "Amuro")
    assert joint(await _weighed(house)) == "others try in this update"
    await cells.release(house, "Amuro")
    assert joint(await _weighed(house)) is None
    with pytest.raises(NotOpen, match="No escapes to roll"):
        await cells.open_ordered(house)
    await cells.undo(house, "Amuro", "Never let go")
    assert joint(await _weighed(house)) == "others try in this update"
    (view,) = await cells.open_ordered(house)
    assert [part.subjects["captive"] for part in view.request.parts] == ["Amuro"]
    assert await sound(house)


async def _weighed(house: House) -> dict[str, Any]:
    """What counts as Kai escapes, without the roll."""
    (part,) = (await house.roll(cells.escape("Kai", reason="Again"), 10)).entry.content()["parts"]
    number = (await house.entries())[-1].number
    await house.take_back(number)
    return dict(part)
