"""What follows when a channel is unlinked that the campaign posts to."""

from __future__ import annotations

import pytest

from tests.support.reading import newest, refused, said, text
from tests.support.world import World


@pytest.mark.parametrize(("channel", "what"), [("results", "Results"), ("staff", "Staff posts")])
async def test_what_is_posted_there_still_goes_there_and_that_is_said(world: World, channel: str, what: str) -> None:
    """With the commands that pick another channel and that link it again; and so it is."""
    unlinked = getattr(world, channel)
    told = said(await world.manager.slash(world.orders, "campaign unlink", channel=unlinked))
    assert f"no longer linked to <#{unlinked.id}>" in told
    assert (
        f"\N{WARNING SIGN} {what} still go to <#{unlinked.id}>. Pick another channel: `/campaign edit {channel}:`."
        in told
    )
    assert "Commands there no longer act on Iron Sea. To undo: `/campaign link`." in told
    assert "isn't linked to a campaign" in refused(await world.gm.slash(unlinked, "update show"))
    world.dice.script(4)
    options = {"patrol": "Kilo", "target": "Zaku", "roll": "now"}
    await world.gm.slash(world.orders, "patrol", **options, to=channel)
    assert "not caught by" in text(newest(unlinked))


async def test_another_channel_is_unbound_without_more_words(world: World) -> None:
    """Nothing is posted in #orders, so nothing but the unbinding is told."""
    assert "still go" not in said(await world.manager.slash(world.orders, "campaign unlink", channel=world.orders))
