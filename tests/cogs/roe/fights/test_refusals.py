"""Refused changes of fights: private, specific, and without an entry."""

from __future__ import annotations

from typing import Any

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.support.acting import confirmed
from tests.support.reading import assert_says, refused, response
from tests.support.world import nothing_written, send_raw, show_every_command


async def test_the_book_has_to_be_switched_on(ring: Ring) -> None:
    """Without the book, every command says how to switch it on."""
    await ring.gm.slash(ring.world.orders, "gm settings", books="campaign, -roe")
    await show_every_command(ring.world)
    asked: dict[str, dict[str, Any]] = {
        "start": {"who": f"{KAI}, {CHAR}"},
        "show": {},
        "turn": {},
        "end": {},
        "join": {"character": KAI},
        "order": {"names": f"{KAI}, {CHAR}"},
        "mode": {},
        "lock": {},
    }
    for command, options in asked.items():
        what = await ring.fail(command, **options)
        assert_says(what, "doesn't use the book", "/gm settings books")


async def test_who_fights_is_saved(ring: Ring) -> None:
    """2 to 12 saved characters, each once; a player names one of theirs."""
    await ring.gm.slash(ring.world.orders, "roster add", name="Convoy", kind="ship")
    for who, words in (
        (KAI, "A fight needs at least two characters."),
        (f"{KAI}, kai", "named twice"),
        (f"{KAI}, Chr", "Did you mean Char?"),
        (f"{KAI}, Nobody", "I don't know the character 'Nobody'"),
        (f"{KAI}, Convoy", "Convoy is a unit"),
        (", ".join(f"N{place}" for place in range(13)), "up to 12"),
    ):
        assert words in await ring.fail("start", who=who)
    assert "I need at least one name of the fight" in await ring.fail("start", who=f"{KAI}, {CHAR}", name=" ")
    assert "None of these characters is yours." in await ring.fail("start", ring.player, who=f"{CHAR}, {GUARD}")
    assert "don't play" in await ring.fail("start", ring.world.stranger, who=f"{KAI}, {CHAR}")
    await ring.begin()
    assert "don't play" in await ring.fail("show", ring.world.stranger)


async def test_one_fight_in_a_channel_and_one_for_each_fighter(ring: Ring) -> None:
    """A second fight here, with that name or those fighters is refused; elsewhere it isn't."""
    yard = ring.world.guild.create_text_channel("yard")
    await ring.world.manager.slash(ring.world.orders, "campaign link", channel=yard)
    for name in ("Lalah", "Haas"):
        await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name=name)
    await ring.begin(name="Duel")
    assert "Duel is already running in this channel" in await ring.fail("start", who="Lalah, Haas")
    assert "Kai is already in Duel." in await ring.fail("start", channel=yard, who=f"Lalah, {KAI}")
    assert "Duel is already running" in await ring.fail("start", channel=yard, who="Lalah, Haas", name="duel")
    offered = await ring.gm.autocomplete(yard, "fight start", "who", "")
    assert {item["value"] for item in offered} == {GUARD, "Lalah", "Haas", "Shadow"}
    await ring.use("start", channel=yard, who="Lalah, Haas")
    assert "Fight in #yard" in await ring.run("show", channel=yard)
    assert "Duel" in await ring.run("show")
    hall = ring.world.guild.create_text_channel("hall")
    await ring.world.manager.slash(ring.world.orders, "campaign link", channel=hall)
    what = await ring.fail("show", channel=hall)
    assert_says(what, "Several fights are running", "Use the command in that fight's channel.")


async def test_no_turn_before_the_defender_has_chosen(ring: Ring) -> None:
    """A forged button ends nothing."""
    await ring.use("start", who=f"{KAI}, {CHAR}")
    key = ring.newest_with("choose").components[0].children[0].custom_id
    fight = key.split(":")[3]
    kai = ring.number(KAI)
    with nothing_written(ring.world):
        end = await send_raw(ring.gm, ring.world.orders, f"fight:1:turn:{fight}:1:{kai}")
        assert "The defender hasn't chosen dice or free-form yet." in refused(end)
        odd = await send_raw(ring.gm, ring.world.orders, f"fight:1:choose:{fight}:cards")
        assert "That button no longer works" in refused(odd)


async def test_an_archived_campaign_is_read_and_not_played(ring: Ring) -> None:
    """A fight is shown but not changed."""
    await ring.begin()
    turn = ring.newest_with("turn")
    await confirmed(ring.world, "campaign archive", ring.world.manager)
    await show_every_command(ring.world)
    assert "Kai" in await ring.show()
    assert "is archived" in refused(await ring.click("turn", ring.player, turn))
    asked = response(await ring.use("end"))
    assert "is archived" in refused(await ring.click("end", ring.gm, asked))
