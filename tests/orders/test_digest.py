"""The digest: one public post and one for staff."""

from __future__ import annotations

import pytest

from bot.core.profiles import Profile
from bot.outbox.queue import remove_mark
from tests.cogs.captives.cells import save
from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import order, populate
from tests.orders.test_resolving import resolved
from tests.support.acting import use_desk
from tests.support.reading import assert_lacks, assert_says, labels, newest, refused, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry, nothing_written, rows


@pytest.mark.slow
async def test_a_digest_by_hand_says_what_still_waits(world: World) -> None:
    """For the staff; nothing before the first result."""
    await populate(world)
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    with nothing_written(world):
        assert "No order of this update is resolved" in refused(await use_desk(world.gm, world.orders, "Digest"))
    assert "game masters" in refused(await use_desk(world.player, world.orders, "Digest"))
    await resolved(world, 10, 10)
    await order(world, "Hide", "Kai", to="Valley")
    await resolved(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    assert "already posted" in refused(await use_desk(world.gm, world.orders, "Digest"))
    await resolved(world, 10)
    assert "Digest of Update 1" in said(await world.gm.slash(world.orders, "ledger"))


@pytest.mark.slow
async def test_every_result_of_an_entry_has_a_line_however_many_it_has(world: World) -> None:
    """Eleven results of one attack."""
    await populate(world)
    captives = [f"Prisoner of Fort Anvil {number}" for number in range(10)]
    await save(world.bots[0].database, *(Profile(name, "npc") for name in captives))
    for name in captives:
        await world.gm.slash(world.orders, "capture", captive=name, by="Zeon", at="Fort Anvil")
    asked = {"to": "Fort Anvil", "with": ", ".join(captives)}
    await order(world, "Attack by surprise to free captives", "Kai", world.gm, **asked)
    await resolved(world, 10, 10)
    for place in (world.results, world.staff):
        told = text(newest(place))
        for name in (*captives, "Fort Anvil"):
            assert f"makes a surprise attack to free {name}" in told
        assert "\N{HORIZONTAL ELLIPSIS}" not in told


@pytest.mark.slow
async def test_a_further_digest_tells_what_is_new_and_leads_to_the_one_before(world: World) -> None:
    """Without public news only staff get it."""
    await populate(world)
    await save(world.bots[0].database, Profile("Zaku", "squad", side="Zaku"))
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    await resolved(world, 10, 10)
    first = rows(world, "select max(number) from entry where kind = 'digest'")[0][0]
    await order(world, "Hide", "Kai", to="Valley")
    count = len(world.results.history())
    await resolved(world)
    assert len(world.results.history()) == count, "a digest without a line would tell that something is kept from all"
    assert said(await world.player.slash(world.orders, "ledger")).count("Digest of") == 1
    whole = text(newest(world.staff))
    assert_says(whole, "More results", "hides")
    assert "assaults" not in whole
    await order(world, "Assault a base", "Zaku", world.gm, to="Luna")
    await resolved(world, 10, 10)
    public = text(newest(world.results))
    assert "Luna" in public
    assert "Fort Anvil" not in public
    assert f"Earlier results: [entry #{first}](https://" in public
    assert "already posted" in refused(await use_desk(world.gm, world.orders, "Digest"))
    await require_whole(world)


async def test_results_are_grouped_by_the_side_that_every_player_knows(world: World) -> None:
    """A secret unit has no side for players; game masters read it, after the public results."""
    await populate(world)
    database = world.bots[0].database
    await save(database, Profile("Gwazine", "ship", side="Zeon"), Profile("Ghost", "ship", side="Titans", secret=True))
    for who, at in (("White Base", "Fort Anvil"), ("Gwazine", "Luna"), ("Ghost", "Axis")):
        await order(world, "Assault a base", who, world.gm, to=at)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await resolved(world, *(10,) * 7)
    public, whole = (text(newest(place)).split("\n") for place in (world.results, world.staff))
    heads = [line for line in public if line.startswith("**")]
    assert heads == ["**EF**", "**Zeon**", *(["**Others**"] if any("Ghost" in line for line in public) else [])]
    assert "Titans" not in "\n".join(public)
    aside = whole.index("-# For game masters only:")
    assert "Fort Anvil" in "\n".join(whole[:aside])
    assert "Kai" in "\n".join(whole[aside:])
    assert "Kai" not in "\n".join(public)


async def test_a_digest_without_public_results_is_one_line(world: World) -> None:
    """It has no title, and still the button to one's own results."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    await resolved(world)
    shown = newest(world.results)
    assert [(embed.title, remove_mark(embed.description or "")) for embed in shown.embeds] == [
        (None, "No public results this update.")
    ]
    assert labels(shown) == ["What happened to you", "Details"]
    assert "hides" in text(newest(world.staff))


async def test_a_digest_mentions_whose_orders_have_public_results(world: World) -> None:
    """Once, not for private results, nor for a secret doer, whose owner no one knows."""
    await populate(world)
    other = another_player(world)
    await world.gm.slash(world.orders, "roster edit", name="Amuro", owner=other)
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    await order(world, "Hide", "Amuro", other, to="Valley")
    await resolved(world, 10, 10)
    assert [item.content for item in world.results.history() if "Results: Update" in text(item)] == [
        f"<@{world.player.id}>"
    ]


async def test_a_public_line_names_no_side_whose_part_stays_private(world: World) -> None:
    """A patrol catches one of two that move there; players don't read the side of the other."""
    await populate(world)
    moving = (("Gelgoog", "Zeon"), ("Hizack", "Titans"))
    await save(world.bots[0].database, *(Profile(name, "squad", side=side) for name, side in moving))
    await order(world, "Patrol or blockade a sector", "White Base", to="Valley")
    for name, _ in moving:
        await order(world, "Move", name, world.gm, to="Valley")
    await resolved(world, 1, 20)
    assert entry(world, 11)["parts"][0]["audience"] != entry(world, 11)["parts"][1]["audience"]
    await use_desk(world.gm, world.orders, "Digest")
    public = text(newest(world.results))
    assert_says(public, "Hizack", "**EF and Titans**")
    assert_lacks(public, "Gelgoog", "Zeon")
