"""Immediate costs of events: ignored, cancelled, and shown by present names."""

from __future__ import annotations

from typing import Any

import pytest

from rules.books.battlesystem.effects import group_events
from rules.books.battlesystem.state import ActiveEvent, Battle, BattleHeader, Loss
from rules.tables import EventPart
from tests.cogs.battles.battlefield import FORD, ask, battle_over, check, ford, join, option, posted, sound, state
from tests.cogs.campaign.grouping import newest_entry
from tests.support.reading import assert_says, refused
from tests.support.world import World, entry_texts, nothing_written

HIT = "Pikes: Stragglers (52): Takes one hit now, without an AR check"


async def prepared(world: World, *others: Any) -> None:  # noqa: ANN401 - dice
    """The Reds have the token of 54; next turn the Pikes roll a 1."""
    await ford(world, reds="Pikes", blues="Ogres")
    await join(world, "Reds", "Witches", caster=True, spells=3)
    await check(world, [1, 2, 2], (100, 54))
    await ask(world, "turn")
    await check(world, [1, 2, 2], *others)


async def test_a_token_is_spent_on_what_happened_at_once(world: World) -> None:
    """A token gives the loss back; cancelling needs a staff reason instead."""
    await prepared(world, (100, 52))
    event = await option(world, "Stragglers")
    with nothing_written(world):
        bare = await world.gm.slash(world.orders, "gm-events use", event=event, how="cancel")
        assert "Cancelling Stragglers (52): Takes one hit now, without an AR check without a token" in refused(bare)
        hanging = refused(await world.gm.slash(world.orders, "gm-events use", event=event, how="condition"))
        assert_says(hanging, "has no end condition", "Its effect was immediate")
    assert f"{HIT} — cancelled" in await ask(world, "use", event=event, how="cancel", reason="it was hit already")
    assert "already" not in posted(world)
    assert list(entry_texts(world, newest_entry(world)).values()) == ["it was hit already"]
    assert state(world, "loss.") == {}
    assert len(state(world, "token.")) == 1
    await check(world, [1, 2, 2], (100, 53), reason="more")
    used = await ask(world, "use", event=await option(world, "Stragglers"))
    for told in (used, posted(world)):
        assert_says(told, "Reds used its token", "Pikes: Stragglers (53): Loses a figure now — ignored")
        assert "ended" not in told
    assert state(world, "token.") == {}
    assert state(world, "loss.") == {}
    assert "stays lost" not in await battle_over(world)
    assert await sound(world)


async def test_an_ignored_interruption_gives_the_spell_back(world: World) -> None:
    """Other lost spells stay lost."""
    await prepared(world, (100, 80))
    dice = ((100, 64), (3, 2)), ((100, 64), (2, 1))
    await check(world, [2, 1, 2], *dice[0], reason="one")
    await check(world, [2, 1, 2], *dice[1], reason="two")
    assert "1 spell" in await ask(world, "units")
    used = await ask(world, "use", event=await option(world, "(d3: 2)"))
    assert "Witches: Caster interrupted (64): Loses a spell picked by chance (d3: 2) — ignored, 2 spells again" in used
    assert "2 spells again" in posted(world)
    assert "**Witches** · caster · 2 spells" in await ask(world, "units")
    assert "(d2: 1) — stays lost" in await battle_over(world)
    assert await sound(world)


@pytest.mark.slow
async def test_a_spell_that_nobody_counts_any_more_is_not_given_back(world: World) -> None:
    """Only the loss goes."""
    await prepared(world, (100, 80))
    for reason, change in (
        ("no caster", {"command": "unit edit", "unit": "Witches", "caster": False}),
        ("gone", {"command": "unit remove", "units": "Witches"}),
    ):
        await ask(world, "unit edit", unit="Witches", caster=True, spells=1)
        await check(world, [2, 1, 2], (100, 64), reason=reason)
        await ask(world, **change)
        used = await ask(world, "use", event="Witches", how="cancel", reason=reason)
        assert "Loses a spell picked by chance — cancelled" in used
        assert "again" not in used
        assert state(world, "loss.") == {}
    assert await sound(world)


async def test_a_loss_from_before_the_token_is_not_ignored(world: World) -> None:
    """Also within one check."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    await check(world, [1, 1, 1], (100, 52), (100, 54), (100, 53))
    with nothing_written(world):
        early = await world.gm.slash(world.orders, "gm-events use", event="Pikes")
        assert "without an AR check is older than the token of Reds" in refused(early)
        other = await world.gm.slash(world.orders, "gm-events use", event="Ogres")
        assert "Blues has no token" in refused(other)
    assert len(state(world, "loss.")) == 2


@pytest.mark.slow
async def test_a_loss_goes_by_the_units_new_name(world: World) -> None:
    """When ignored, and at the end."""
    await world.gm.slash(world.orders, "roster add", name="Pikes", kind="squad")
    await prepared(world, (100, 52))
    await check(world, [1, 2, 2], (100, 53), reason="more")
    await world.gm.slash(world.orders, "roster edit", name="Pikes", new_name="Old Guard")
    event = await option(world, "Old Guard: Stragglers (52)")
    assert "Old Guard: Stragglers (52)" in await ask(world, "use", event=event)
    over = await battle_over(world)
    assert "Old Guard: Stragglers (53): Loses a figure now — stays lost" in over
    assert "Pikes" not in over
    assert await sound(world)


def test_one_event_that_lasts_and_costs_is_one_event() -> None:
    """House rules may combine both."""
    force = ActiveEvent(1, "Pikes", "Reds", FORD, 1, 52, "Mud", (EventPart("AD -1", "turn"),), entry=8, place=0)
    loss = Loss(1, "Pikes", "Reds", 1, "Mud (52): Loses a figure", entry=8, place=0, among=0, spell=False)
    header = BattleHeader(FORD, ("Reds", "Blues"), 4)
    (group,) = group_events(Battle(header, losses=(loss,), events=(force,)))
    assert (group.key, group.side, group.names, group.label) == ("8.0.0", "Reds", ["Pikes"], force.label)
    assert (group.events, group.losses) == ([force], [loss])
