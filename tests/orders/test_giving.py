"""`/order`: given, replaced, changed, withdrawn and passed; sealed for all but the staff and whoever gave it."""

from __future__ import annotations

import pytest

from bot.app import KINDS
from bot.core import audit
from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import listed, order, picked, populate
from tests.support.acting import close_update
from tests.support.reading import components, press, refused, response, said, text
from tests.support.world import World, entry, entry_texts, send_raw, written


async def test_an_order_is_told_with_its_phase_and_its_odds(world: World) -> None:
    """The answer is private, names who does what to whom, when it is resolved and how likely what is; nothing is posted."""
    await populate(world)
    before = (len(world.results.history()), len(world.staff.history()))
    result = await order(world, "Scout a base", "Kai", to="Fort Anvil", note="By night")
    told = said(result)
    assert response(result).ephemeral
    assert "**Kai**: Scout a base, Fort Anvil" in told
    assert "Resolved in the phase **Scouting**" in told
    assert "By night" in told
    assert "Scouting action succeeds" in told or "%" in told
    assert (len(world.results.history()), len(world.staff.history())) == before
    made = entry(world)
    assert (made["deed"], made["label"], made["who"], made["to"]) == ("give", "Scout a base", "Kai", "Fort Anvil")


async def test_what_is_declared_is_told_with_what_it_lays(world: World) -> None:
    """An order without a die says what holds for the rest of the update; by its id it is found too."""
    await populate(world)
    assert "is assaulted today, until the update ends" in said(
        await order(world, "assault", "White Base", to="Fort Anvil")
    )


async def test_orders_are_sealed(world: World) -> None:
    """Another player sees nothing of an order: not in the list, not in the ledger, not in completions; the staff does."""
    await populate(world)
    other = another_player(world)
    await order(world, "Hide", "Kai", to="Secret valley", note="Hush")
    for actor, seen in ((world.player, True), (world.gm, True), (other, False)):
        assert ("Secret valley" in await listed(world, actor)) == seen
        ledger = said(await actor.slash(world.orders, "ledger list"))
        assert ("Secret valley" in ledger) == seen
    offered = await other.autocomplete(world.orders, "order give", "to", "", kind="Patrol or blockade a sector")
    assert "Secret valley" not in str(offered)


async def test_the_same_kind_for_the_same_one_replaces(world: World) -> None:
    """Of two orders of a kind for one the later stands, and says in place of which entry."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    assert "in place of #" in said(await order(world, "Hide", "Kai", to="Hill"))
    told = await listed(world)
    assert "Hill" in told
    assert "Valley" not in told


async def test_an_order_is_changed_and_withdrawn_from_the_list(world: World) -> None:
    """Whoever picks an order from the list changes it in a window, or withdraws it; a second press is told that it is gone."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    shown = response(await world.player.slash(world.orders, "order list"))
    select = next(item for item in components(shown) if item["type"] == 3)
    picked = response(await world.player.select(shown, [select["options"][0]["value"]], custom_id=select["custom_id"]))
    window = await world.player.click(picked, custom_id=press(picked, ""))
    await world.player.submit_modal(window, {"to": "Hill", "note": "Better"})
    assert "Hill" in await listed(world)
    assert entry_texts(world, written(world)[0]) == {"note": "Better"}
    shown = response(await world.player.slash(world.orders, "order list"))
    picked = response(await world.player.select(shown, [components_of(shown)], custom_id=select["custom_id"]))
    key = next(item["custom_id"] for item in components(picked) if str(item.get("custom_id", "")).endswith("withdraw"))
    assert "withdrawn" in said(await world.player.click(picked, custom_id=key))
    assert "No orders yet" in await listed(world)
    assert "stands no more" in refused(await send_raw(world.player, world.orders, key))
    assert [item.faults for item in await audit.check(world.bots[-1].database, KINDS)] == [()]


async def test_a_note_is_read_where_orders_are_and_kept_when_one_is_changed(world: World) -> None:
    """The staff reads a note in the list and with the order; the window of a change has it, so that it is not lost."""
    await populate(world)
    note = "Along the *coast* " * 20
    await order(world, "Hide", "Kai", to="Valley", note=note)
    assert "Note: Along the" in await listed(world, world.gm)
    shown = await picked(world, world.gm)
    assert text(shown).replace("\\", "").count("Along the *coast*") == 20
    own = await picked(world, world.player)
    window = await world.player.click(own, custom_id=press(own, "change"))
    assert window.modal is not None
    fields = [item["component"] for item in window.modal["components"] if "component" in item]
    assert [field["value"].strip() for field in fields] == ["Valley", note.strip()]


async def test_a_move_is_not_told_beforehand_that_no_patrol_is_there(world: World) -> None:
    """What comes of a move hangs on the patrols of others, so its answer promises nothing about them."""
    await populate(world)
    await order(world, "Patrol or blockade a sector", "White Base", world.gm, to="Valley")
    told = said(await order(world, "Move through a sector", "Kai", to="Valley"))
    assert "Resolved in the phase **Patrols**" in told
    assert "No patrol" not in told


def components_of(shown: object) -> str:
    """The value of the first option of a message's select."""
    select = next(item for item in components(shown) if item["type"] == 3)
    return str(select["options"][0]["value"])


async def test_forged_ids_and_strangers_learn_nothing(world: World) -> None:
    """Another player who presses Withdraw of an order that is not theirs is answered as if it did not stand."""
    await populate(world)
    other = another_player(world)
    given = response(await order(world, "Hide", "Kai", to="Valley"))
    keys = [item["custom_id"] for item in components(given) if "custom_id" in item]
    for key in keys:
        assert "stands no more" in refused(await send_raw(other, world.orders, key))
    assert "Valley" in await listed(world)


REFUSED = [
    ("Scuot a base", "Kai", {"to": "Fort Anvil"}, "Scout a base"),
    ("Scout a base", "Kai", {}, "which base"),
    ("Scout a base", "Ramba", {"to": "Fort Anvil"}, "Ramba isn't yours: the game masters play them."),
    ("Scout a base", "Nobody", {"to": "Fort Anvil"}, "takes no orders from you"),
    ("Scout a base", "Kai", {"to": "Kai"}, "cannot be the target"),
    ("Scout a base", "Kai", {"to": "Amuro"}, "Amuro is saved as pc: that is no base"),
    ("Assault a base", "Kai", {"to": "White Base"}, "White Base is saved as ship: that is no base"),
    ("Hide", "Kai", {"to": "Ramba"}, "that is no sector"),
    ("Escape", "Kai", {}, "is no captive"),
    ("Escape", "Kai", {"to": "Fort Anvil"}, "has no target"),
    ("Interrogate a captive", "Kai", {"to": "Amuro"}, "is no captive"),
    ("Hide", "Kai", {"to": "Valley", "with": "Amuro"}, "done by one alone"),
]
"""Kinds of orders, whom each is about, its options, and what is said of it."""


async def test_what_cannot_be_ordered_is_refused(world: World) -> None:
    """Each fault has its own private answer, and nothing is written."""
    await populate(world)
    before = written(world)
    for kind, who, options, words in REFUSED:
        assert words in refused(await order(world, kind, who, None, **options)), (kind, who, options)
        assert written(world) == before, (kind, who, options)


async def test_a_captive_may_escape_and_scout_but_not_patrol(world: World) -> None:
    """What captives cannot do is refused with what they can (125, 165)."""
    await populate(world)
    await world.gm.slash(world.orders, "captive take", captive="Kai", by="Zeon", at="Fort Anvil")
    told = refused(await order(world, "Patrol or blockade a sector", "Kai", to="Valley"))
    assert "is a captive" in told
    assert "Escape" in told
    assert "Resolved in the phase **Escapes**" in said(await order(world, "Escape", "Kai"))
    assert "Scouting" in said(await order(world, "Scout a base", "Kai", to="Fort Anvil"))


async def test_orders_that_exclude_each_other_are_refused(world: World) -> None:
    """Who patrols does not move through a sector in the same update, until the one order is withdrawn."""
    await populate(world)
    await order(world, "Patrol or blockade a sector", "White Base", to="Valley")
    assert "excludes this one" in refused(await order(world, "Move through a sector", "White Base", to="Valley"))


async def test_what_is_not_open_to_players_is_for_game_masters(world: World) -> None:
    """Without the setting a player may order only what is theirs anyhow; one kind is opened by its own word."""
    await populate(world)
    await world.gm.slash(world.orders, "campaign edit", players_may="orders.hide")
    assert "orders.scout" in refused(await order(world, "Scout a base", "Kai", to="Fort Anvil"))
    assert "Hide" in said(await order(world, "Hide", "Kai", to="Valley"))
    assert "Scout a base" in said(await order(world, "Scout a base", "Kai", world.gm, to="Fort Anvil"))
    assert "Orders of players:** hide" in said(await world.gm.slash(world.orders, "campaign show"))


async def test_who_passes_is_not_waited_for(world: World) -> None:
    """Somebody passes once and without orders; an order given later calls it off."""
    await populate(world)
    assert "Kai does nothing more" in said(await world.player.slash(world.orders, "order pass", who="Kai"))
    assert "Passed:** Kai" in await listed(world)
    assert "has passed already" in refused(await world.player.slash(world.orders, "order pass", who="Kai"))
    await order(world, "Hide", "Kai", to="Valley")
    assert "Passed" not in await listed(world)
    assert "has orders" in refused(await world.player.slash(world.orders, "order pass", who="Kai"))


async def test_completions_offer_what_can_be_ordered_now(world: World) -> None:
    """Kinds that are open, one's own and the units of these, and targets that fit the kind."""
    await populate(world)
    kinds = await world.player.autocomplete(world.orders, "order give", "kind", "sc")
    assert "Scout a base" in str(kinds)
    doers = str(await world.player.autocomplete(world.orders, "order give", "who", "", kind="Hide"))
    assert ("Kai" in doers, "White Base" in doers, "Ramba" in doers) == (True, True, False)
    assert "Kai" not in str(await world.player.autocomplete(world.orders, "order give", "who", "", kind="Escape"))
    targets = str(await world.player.autocomplete(world.orders, "order give", "to", "", kind="Scout a base"))
    assert ("Fort Anvil" in targets, "Ramba" in targets) == (True, False)


async def test_a_game_masters_order_is_replaced_without_a_word_of_it(world: World) -> None:
    """A player who orders the same for their own is not told what the game master had sealed."""
    await populate(world)
    await order(world, "Hide", "Kai", world.gm, to="Cave of secrets")
    told = said(await order(world, "Hide", "Kai", to="Valley"))
    assert "in place of" not in told
    assert "Cave" not in told
    assert "Cave" not in await listed(world, world.gm)


@pytest.mark.slow
async def test_who_is_removed_has_no_orders(world: World) -> None:
    """Orders go with whoever was to carry them out."""
    await populate(world)
    await order(world, "Hide", "Amuro", to="Valley")
    asked = response(await world.gm.slash(world.orders, "character remove", name="Amuro"))
    keys = [item["custom_id"] for item in components(asked) if item["type"] == 2]
    if keys:
        await world.gm.click(asked, custom_id=keys[0])
    assert "No orders yet" in await listed(world)


@pytest.mark.slow
async def test_orders_that_stand_are_told_before_the_update_closes(world: World) -> None:
    """The question before closing names how many orders are not resolved; they stand in the next update."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    assert "1 order not resolved" in said(await world.gm.slash(world.orders, "update close"))
    desk = said(await world.player.slash(world.orders, "update show"))
    assert "**Kai**: Hide, Valley" in desk
    await close_update(world)
    assert "**Kai**: Hide, Valley" in await listed(world)


async def test_nobody_undoes_the_order_of_another_player_for_a_common_unit(world: World) -> None:
    """Who shares a unit is refused what would undo the other's order, be it of the same kind or one that excludes it; nothing is lost unseen."""
    await populate(world)
    other = another_player(world)
    await world.gm.slash(world.orders, "character edit", name="Ramba", owner=other, squad="White Base")
    await order(world, "Patrol or blockade a sector", "White Base", to="Valley")
    before = written(world)
    for kind in ("Patrol or blockade a sector", "Move through a sector"):
        told = refused(await order(world, kind, "White Base", other, to="Hill"))
        assert "Somebody else has given White Base an order" in told
        assert "Valley" not in told
    assert written(world) == before
    assert "Valley" in await listed(world)
