"""What one sees of the ledger, and publishing."""

from __future__ import annotations

import discord
import pytest
import simcord

from tests.cogs.ledger.test_amend import amend_with
from tests.cogs.ledger.test_void import undo_entry
from tests.support.acting import close_update, roll_command, take_back
from tests.support.reading import assert_lacks, assert_says, components, newest, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, rows, send_raw


async def scout(world: World, face: int, **options: str) -> simcord.InteractionResult:
    """Scout Fort Anvil at once."""
    return await roll_command(world, "scout", face, scouter="Jonas", base="Fort Anvil", roll="now", **options)


async def publish(
    world: World,
    message: discord.Message | simcord.ResponseMessage,
    number: int = 3,
    who: simcord.MemberActor | None = None,
) -> simcord.InteractionResult:
    """Press Publish, and again under the preview."""
    actor = who or world.gm
    asked = await actor.click(message, custom_id=f"publish:1:{number}")
    shown = response(asked)
    return await actor.click(shown, label="Publish") if shown.components else asked


async def test_what_is_public_says_so_among_the_staff(world: World) -> None:
    """The staff's message loses Publish and names the publication."""
    await scout(world, 20)
    await publish(world, newest(world.staff))
    (message,) = world.staff.history()
    assert message.embeds[0].author.name == "Published by #4"
    assert not any(item["type"] == 2 for item in components(message))
    await amend_with(world, 3, "1", "Rope")
    assert world.staff.history()[0].embeds[0].author.name == "Amended by #5"
    await undo_entry(world, 5)
    message = world.staff.history()[0]
    assert message.embeds[0].author.name == "Published by #4"
    assert not any(item["type"] == 2 for item in components(message))


async def test_a_result_is_published_once_and_by_a_game_master(world: World) -> None:
    """Players are refused, and so is a second press."""
    await scout(world, 20)
    assert "Only game masters" in refused(await publish(world, newest(world.staff), who=world.player))
    assert not world.results.history()
    await publish(world, newest(world.staff))
    assert "is already public" in refused(await send_raw(world.gm2, world.staff, "publish:1:3:now"))
    assert len(world.results.history()) == 1


async def roll_mixed(world: World) -> None:
    """Roll one patrol with a public and a secret target."""
    await roll_command(
        world, "patrol", 1, 20, patrol="Kilo", target="Zaku column, Dom", note="An informer told", roll="now"
    )


async def test_of_a_mixed_entry_players_see_no_staff_post(world: World) -> None:
    """They get a link to #results, which later says that it was private."""
    await roll_mixed(world)
    links = [f"/{channel.id}/{newest(channel).id}" for channel in (world.results, world.staff)]
    player = said(await world.player.slash(world.orders, "ledger", entry=3))
    master = said(await world.gm.slash(world.orders, "ledger", entry=3))

    assert [link in player for link in links] == [True, False]
    assert str(world.staff.id) not in player
    assert [link in master for link in links] == [True, True]
    await publish(world, newest(world.staff))
    footers = [embed.footer.text or "" for embed in newest(world.results).embeds]
    assert ["privately first" in text for text in footers] == [True, False]


async def test_the_note_of_a_mixed_roll_stays_with_the_staff(world: World) -> None:
    """It may name secrets, so only a wholly public roll shows it."""
    await roll_mixed(world)
    player = said(await world.player.slash(world.orders, "ledger", entry=3))
    for public in (text(newest(world.results)), player):
        assert "Dom" in public
        assert_lacks(public, "Zaku column", "informer")
    assert "**Note:** An informer told" in text(newest(world.staff))

    await roll_command(world, "patrol", 20, patrol="Lima", target="Dom", note="At dusk", roll="now")
    assert "**Note:** At dusk" in text(newest(world.results))


async def test_an_entry_out_of_sight_reads_as_one_that_does_not_exist(world: World) -> None:
    """A player gets the same words for both."""
    await scout(world, 20)
    hidden = refused(await world.player.slash(world.orders, "ledger", entry=3))
    absent = refused(await world.player.slash(world.orders, "ledger", entry=99))
    assert hidden.replace("#3", "#99") == absent
    assert "Only players of Iron Sea" in refused(await world.stranger.slash(world.orders, "ledger", entry=3))


async def test_a_result_for_one_person_is_seen_by_that_person_only(world: World) -> None:
    """`to:me` isn't posted, and no one else's ledger has it."""
    result = await scout(world, 20, to="me")
    assert result.ephemeral
    assert all(item.ephemeral for item in result.followups)
    assert any("Fort Anvil" in text(item) for item in result.followups)
    assert not world.results.history()
    assert not world.staff.history()

    assert "**#3**" in said(await world.gm.slash(world.orders, "ledger"))
    for other in (world.gm2, world.player):
        assert "**#3**" not in said(await other.slash(world.orders, "ledger"))
        assert "no entry #3" in refused(await other.slash(world.orders, "ledger", entry=3))


async def test_two_campaigns_of_one_server_see_nothing_of_each_other(world: World) -> None:
    """Numbers, effects and ledgers are separate."""
    await scout(world, 20)
    cold = world.guild.create_text_channel("cold")
    await world.manager.slash(
        cold,
        "campaign create",
        name="Cold Front",
        results=cold,
        staff=world.guild.create_text_channel("cold-staff"),
        game_master=world.roles["gm"],
        player=world.roles["player"],
        timezone="UTC",
    )

    listed = said(await world.gm.slash(cold, "ledger"))
    assert_lacks(listed, "Fort Anvil", "**#2**")
    assert "no entry #3" in refused(await world.gm.slash(cold, "ledger", entry=3))
    world.dice.script(20)
    await world.gm.slash(cold, "patrol", patrol="Fort Anvil", target="Zaku column", roll="now")
    assert "1d20: **20** + 0 = **20**" in text(newest(cold))


async def test_another_server_cannot_reach_a_campaign(world: World) -> None:
    """A forged button is refused there."""
    await scout(world, 20)
    elsewhere = world.env.create_guild("Elsewhere")
    channel = elsewhere.create_text_channel("orders")
    outsider = elsewhere.add_member(world.env.create_user("outsider"))
    assert "isn't linked to a campaign" in refused(await outsider.slash(channel, "ledger", entry=3))
    assert "no campaign" in refused(await outsider.slash(channel, "gm settings", campaign="Iron Sea"))


async def footer(world: World) -> str:
    """Return the newest result's footer."""
    return newest(world.results).embeds[0].footer.text or ""


@pytest.mark.slow
async def test_what_was_rolled_in_private_and_published_later_says_so(world: World) -> None:
    """The footer counts the maker's private rolls in that update, not those the rules kept."""
    await roll_command(world, "scout", 20, scouter="Jonas", base="Anvil", roll="now")
    for base, actor, to in (
        ("Alpha", world.gm, "me"),
        ("Bravo", world.gm, "staff"),
        ("Camp", world.gm2, "me"),
        ("Delta", world.gm, "results"),
        ("Echo", world.gm, "me"),
    ):
        await roll_command(world, "scout", 20, actor=actor, scouter="Jonas", base=base, to=to, roll="now")
    assert "privately" not in await footer(world)
    await send_raw(world.gm, world.staff, "publish:1:8:now")
    told = "#8 \N{MIDDLE DOT} Rolled privately first, 1 of 3 private rolls by this person in update 1"
    assert told in await footer(world)
    assert told in said(await world.player.slash(world.orders, "ledger", entry=8))

    await close_update(world)
    await roll_command(world, "scout", 20, scouter="Jonas", base="Foxtrot", to="staff", roll="now")
    await publish(world, newest(world.staff), 11)
    assert "Rolled privately first, the only private roll by this person in update 2" in await footer(world)
    assert told in said(await world.player.slash(world.orders, "ledger", entry=8))


async def test_what_the_rules_kept_is_not_counted(world: World) -> None:
    """Its footer says so; only chosen privacy counts."""
    await scout(world, 20)
    await roll_command(world, "scout", 20, scouter="Jonas", base="Alpha", to="staff", roll="now")
    for number, told in ((3, "per the rules"), (4, "the only private roll by this person in update 1")):
        await send_raw(world.gm, world.staff, f"publish:1:{number}:now")
        assert (await footer(world)).count(told) == 1
    assert "1 of" not in text(world.results.history()[0])


@pytest.mark.slow
async def test_ten_published_targets_say_once_that_they_were_private(world: World) -> None:
    """In the first embed."""
    await roll_command(
        world,
        "patrol",
        *[1] * 10,
        patrol="Kilo",
        target=", ".join(f"Zaku {n}" for n in range(10)),
        to="staff",
        roll="now",
    )
    await publish(world, newest(world.staff))
    for message in world.results.history():
        footers = [embed.footer.text or "" for embed in message.embeds]
        assert ["Rolled privately first" in footer for footer in footers] == [True, *[False] * (len(footers) - 1)]


async def test_a_publication_is_taken_back(world: World) -> None:
    """The result is the staff's again, and can be published."""
    await scout(world, 20)
    await publish(world, newest(world.staff))
    assert "Entry #4 undone (#5): Entry #3 published." in await undo_entry(world, 4)
    public = "\n".join(map(text, world.results.history()))
    assert "Entry #3 is no longer public" in public
    assert "Fort Anvil" not in public
    assert "has no entry #3" in refused(await world.player.slash(world.orders, "ledger", entry=3))
    assert "Fort Anvil" not in said(await world.player.slash(world.orders, "ledger", text="Anvil"))
    (message,) = world.staff.history()
    assert message.embeds[0].author.name is None
    await require_whole(world)

    await publish(world, message)
    assert "Fort Anvil" in text(world.results.history()[0])
    assert "Fort Anvil" in said(await world.player.slash(world.orders, "ledger", entry=3))
    await require_whole(world)
    await undo_entry(world, 6)
    await world.results.history()[0].delete()
    await publish(world, message)
    assert "Fort Anvil" in text(newest(world.results)), "the message was deleted meanwhile"
    await undo_entry(world, 8)
    news = world.guild.create_text_channel("news")
    await world.manager.slash(world.orders, "gm settings", results=news)
    assert f"<#{news.id}>" in said(await publish(world, message))
    assert "Fort Anvil" in text(newest(news))
    await undo_entry(world, 11)
    await undo_entry(world, 3)
    every = [*world.results.history(), *news.history()]
    assert "Fort Anvil" not in "\n".join(map(text, every)), "a void result stays hidden"


async def test_the_publication_of_what_was_amended_since_stays(world: World) -> None:
    """The amendment is voided first."""
    await scout(world, 20)
    await publish(world, newest(world.staff))
    await amend_with(world, 3, "1", "Rope")
    told = refused(await take_back(world, "gm undo", entry=4, reason="slip"))
    assert "Entry #3 was amended by #5." in told


async def test_what_becomes_public_is_shown_first(world: World) -> None:
    """The preview is private and names secret units."""
    await world.gm.slash(world.orders, "roster add", name="Night Owl", kind="squad", secret=True)
    world.dice.script(20)
    await world.gm.slash(world.orders, "scout", scouter="Night Owl", base="Fort Anvil", roll="now")
    (number,) = rows(world, "select max(number) from entry")[0]
    asked = await world.gm.click(newest(world.staff), custom_id=f"publish:1:{number}")
    assert asked.ephemeral
    assert_says(said(asked), "This reveals hidden names: Night Owl.", "Fort Anvil")
    assert not world.results.history()
    await world.gm.click(response(asked), label="Publish")
    assert text(newest(world.results)).strip() in said(asked)
