"""Commands that a text names can be tapped, where Discord shows mentions and takes as much text."""

from __future__ import annotations

import discord
import pytest
from discord import ui

from bot.outbox.queue import OutgoingMessage
from bot.ui.limits import CommandMentions
from tests.support.reading import newest, said
from tests.support.world import World

IDS = {"order": 1, "roll": 2, "campaign": 3}
NAMES = ("order give", "roll", "campaign edit", "campaign group add", "help")
ROLL = "</roll:2>"


@pytest.fixture
def mentions() -> CommandMentions:
    """Mentions that know the ids of all commands but one."""
    made = CommandMentions()
    made.learn(NAMES, IDS)
    return made


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Use /order give.", "Use </order give:1>."),
        ("*See `/order give`* (/roll)", "*See </order give:1>* (</roll:2>)"),
        ("`/order give kind:Answer for a …`", "</order give:1> `kind:Answer for a …`"),
        ("`` /order give who:Kai ``, /roll", "</order give:1> `` who:Kai ``, </roll:2>"),
        (r"/campaign edit players\_may:orders", r"</campaign edit:3> players\_may:orders"),
        ("/campaign group add, /campaign group, /help", "</campaign group add:3>, /campaign group, /help"),
        ("and/roll /rolls /roll-call /roll/x </roll:9>", "and/roll /rolls /roll-call /roll/x </roll:9>"),
        (
            "```\n/roll\n``` `d6 /roll` [/roll](https://a.b/roll)",
            "```\n/roll\n``` `d6 /roll` [/roll](https://a.b/roll)",
        ),
        (r"https://a.b /roll \`/roll\`", r"https://a.b </roll:2> \`</roll:2>\`"),
    ],
)
def test_known_commands_become_mentions(mentions: CommandMentions, text: str, written: str) -> None:
    """Options stay as they are; code, links, groups and commands without an id do too. Writing twice changes nothing."""
    assert mentions.write(text, 100) == written
    assert mentions.write(written, 100) == written
    assert CommandMentions().write(text, 100) == text


@pytest.mark.parametrize("over", [False, True])
def test_a_text_without_room_for_mentions_keeps_the_names(mentions: CommandMentions, *, over: bool) -> None:
    """A mention fills each of Discord's limits to the last character, and passes none."""
    shown, more = ("/roll", 1) if over else (ROLL, 0)
    long = {most: "!" * (most + more - len(ROLL)) for most in (1024, 2000, 4000, 4096, 6000)}
    embed = discord.Embed(title="/roll", description=long[4096] + "/roll").set_footer(text="/roll")
    embed.add_field(name="/roll", value=long[1024] + "/roll")
    sent = mentions.write_message({"embed": embed, "content": long[2000] + "/roll"})
    assert (sent["content"], embed.description) == (long[2000] + shown, long[4096] + shown)
    assert (embed.title, embed.footer.text, embed.fields[0].name) == ("/roll",) * 3
    assert embed.fields[0].value == long[1024] + shown

    whole = [discord.Embed(description=text) for text in ("!" * 3000, long[6000][3000:] + "/roll")]
    assert mentions.write_embeds(whole)[1].description == long[6000][3000:] + shown

    view = ui.LayoutView().add_item(ui.TextDisplay("!" * 3000)).add_item(ui.TextDisplay(long[4000][3000:] + "/roll"))
    mentions.write_message({"view": view})
    assert [item.content for item in view.children if isinstance(item, ui.TextDisplay)][1] == long[4000][3000:] + shown


async def test_answers_and_posts_have_mentions_and_queued_posts_names(world: World) -> None:
    """Ids can change before a post goes out, so it gets them then."""
    bot = world.bots[-1]
    assert "/cards" in said(await world.player.slash(world.orders, "help", about="Rolls"))
    bot.mentions.learn(["cards"], {"cards": 7})
    assert "</cards:7>" in said(await world.player.slash(world.orders, "help", about="Rolls"))
    words = [OutgoingMessage("told", world.results.id, [discord.Embed(description="See /cards.")])]
    queued = await bot.database.write(bot.outbox.queue, 1, None, words)
    await bot.outbox.send(bot, queued)
    assert "See </cards:7>." in (newest(world.results).embeds[0].description or "")
    assert "See /cards." in (queued[0].payload or "")
