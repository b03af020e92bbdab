"""Players are told what they can do, and of what only game masters can that these do it."""

from __future__ import annotations

import pytest

from tests.support.acting import roll_command
from tests.support.reading import components, refused, response, said
from tests.support.world import World


async def test_how_to_change_settings_is_told_to_those_who_may(world: World) -> None:
    """A player's /campaign show says nothing of /campaign edit; a game master's does, and a manager's of /campaign link too."""
    told = [said(await actor.slash(world.orders, "campaign show")) for actor in (world.player, world.gm, world.manager)]
    assert ["/campaign edit" in text for text in told] == [False, True, True]
    assert ["/campaign link" in text for text in told] == [False, False, True]


async def test_players_read_who_does_what(world: World) -> None:
    """Hints name game masters where only these can do it."""
    cases: list[tuple[str, dict[str, str], str, str]] = [
        ("weather categories", {"zone": "australia"}, "", "default: change a cell"),
        ("help", {"about": "Ledger"}, "/ledger show", "publish"),
        ("effect set", {"who": "Fort", "effect": "scouted"}, "Ask one.", "manages the server"),
        ("interrogate", {"captive": "Amuro", "interrogators": "Stahl"}, "Game masters see", "; /captive take"),
        ("help", {"about": "/escape"}, "Only when you roll", ""),
    ]
    await world.gm.slash(world.orders, "campaign edit", players_may="interrogation, escape")
    for command, options, right, wrong in cases:
        told = said(await world.player.slash(world.orders, command, **options))
        assert right in told
        assert not wrong or wrong not in told


async def test_a_list_of_entries_promises_nothing_more(world: World) -> None:
    """A player's select says that it shows an entry; a game master's, that something can be done about it."""
    await roll_command(world, "patrol", 10, patrol="Kilo", target="Zaku", to="results", roll="now")
    for actor, told in ((world.player, "Open an entry"), (world.gm, "Open an entry to publish, amend or undo it")):
        shown = response(await actor.slash(world.orders, "ledger list"))
        assert [item["placeholder"] for item in components(shown) if item["type"] == 3] == [told]


@pytest.mark.parametrize(
    ("options", "right", "wrong"),
    [({"to": "me"}, "choose where a result goes", "adjust"), ({"modifiers": "+2 luck"}, "adjust a roll", "goes")],
)
async def test_a_refusal_says_what_was_asked_for(world: World, options: dict[str, str], right: str, wrong: str) -> None:
    """Where a result goes and adjustments are refused each by itself."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    told = refused(await world.player.slash(world.orders, "scout", scouter="Bob", base="Fort", **options))
    assert right in told
    assert wrong not in told


async def test_an_order_promises_no_card(world: World) -> None:
    """A player who orders an escape with modifiers is told that they are ticked when it is rolled."""
    await world.gm.slash(world.orders, "character add", name="Kai", owner=world.player)
    await world.gm.slash(world.orders, "captive take", captive="Kai", by="Zeon", at="Fort")
    told = refused(await world.player.slash(world.orders, "escape", captive="Kai", modifiers="x"))
    assert "when a game master rolls" in told
    assert "card" not in told


async def test_a_stranger_reads_that_they_take_no_part(world: World) -> None:
    """Asked about a captive, the bot refuses a stranger as it does elsewhere."""
    assert "You don't play in Iron Sea" in refused(
        await world.stranger.slash(world.orders, "captive show", captive="Kai")
    )
