"""What somebody is told that is kept of them: theirs alone, and nothing of what is not for them."""

from __future__ import annotations

import json
from typing import Any

from tests.cogs.privacy.people import NAME, newcomer, roll
from tests.support.acting import confirmed, roll_command
from tests.support.reading import assert_lacks, assert_says, response, said
from tests.support.world import World, create_campaign, rows


async def exported(world: World, actor: Any) -> dict[str, Any]:  # noqa: ANN401 - who asks
    """The file that somebody gets, as JSON."""
    answer = response(await actor.slash(world.orders, "privacy export"))
    assert answer.ephemeral
    (file,) = answer.attachments
    data: dict[str, Any] = json.loads(await file.read())
    return data


async def test_everybody_is_told_of_themselves_in_all_campaigns(world: World) -> None:
    """An archived campaign counts too; a stranger, of whom nothing is kept, is told so; all of it is private."""
    await world.gm.slash(world.orders, "character add", name="Char", owner=world.player)
    await roll(world, world.player, "my words")
    await confirmed(world, "campaign archive", world.manager)
    await create_campaign(world, "New Sea")
    answer = response(await world.player.slash(world.orders, "privacy show"))
    assert answer.ephemeral
    told = said(await world.player.slash(world.orders, "privacy show"))
    assert_says(told, "**Iron Sea** (archived): 1 entry of yours since", "2 texts and names", "you play Char")
    assert "New Sea" not in told
    assert "New Sea" in said(await world.manager.slash(world.orders, "privacy show"))
    for command in ("show", "export", "erase"):
        assert "I have no data about you" in said(await world.stranger.slash(world.orders, f"privacy {command}"))


async def test_the_file_has_what_was_typed(world: World) -> None:
    """Texts and names by entry, pseudonym and salt, characters, and the notes of open cards; nothing of anybody else."""
    somebody = newcomer(world)
    await roll(world, world.player, "the player's words")
    await roll(world, somebody, "my words")
    await somebody.slash(world.orders, "roll", expression="d8", note="not yet", roll="card")
    (here,) = (await exported(world, somebody))["campaigns"]
    (typed,) = here["texts"]
    assert typed["texts"] == {"name.roller": NAME, "note": "my words"}
    assert typed["kind"] == "roll"
    assert [card["note"] for card in here["cards"]] == ["not yet"]
    assert [(here["pseudonym"], here["salt"])] == rows(
        world, "select pseudonym, salt from actor where user_id = ?", somebody.id
    )
    assert "the player" not in json.dumps(here)


async def test_an_entry_for_the_staff_has_no_number_for_its_maker(world: World) -> None:
    """A player whose scouting went to the staff gets back what they typed, and neither number nor count of the entry."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting, characters")
    await world.gm.slash(world.orders, "unit add", name="Fort", kind="base")
    await world.gm.slash(world.orders, "effect set", who="Fort", effect="under-siege")
    await world.gm.slash(world.orders, "character add", name="Alf", owner=world.player)
    await roll_command(world, "scout", 1, actor=world.player, scouter="Alf", base="Fort", note="my words", roll="now")
    audience = rows(world, "select audience from entry order by number desc")[0][0]
    (typed,) = (await exported(world, world.player))["campaigns"][0]["texts"]
    assert typed["texts"] == {"note": "my words"}
    told = said(await world.player.slash(world.orders, "privacy show"))
    assert audience == "staff"
    assert_lacks(typed, "entry", "kind")
    assert "0 entries of yours" in told
