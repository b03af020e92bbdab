"""`/verify`: checks in words, and a file to check elsewhere."""

import asyncio
import io

import discord
from discord import app_commands

from bot.actions import find_named_campaign, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.fairness.service import CheckedFile, check_document, close_due, gather
from bot.core.campaigns import Campaign
from bot.core.errors import NotAsItIs
from bot.kernel import Feature
from bot.outbox.queue import Post
from bot.rolls.entries import VERIFY
from bot.rolls.fairness.random_org import INTENT_ENTRY
from bot.rolls.options import CampaignName
from bot.ui.answering import CUT_OFF
from bot.ui.components import component
from bot.ui.parsing import describe
from bot.ui.reply import person, say
from bot.ui.text import fit_lines

_ROOM, _LONGEST = 1600, 600
"""Characters of the list and of one line: a message has 2,000."""

Number = app_commands.Range[int, 1, 2**31 - 1]
LATER = "Ask again in a minute."

HOW = (
    "Check the file yourself: open `docs/verify.html` from Adjutant's source in a browser, or run `adjutant verify`. "
    "Paste the messages of the dice proof thread{where} too. `docs/fairness.md` explains what this proves."
)


@app_commands.command()
@app_commands.guild_only()
@describe(entry="The entry's number, such as 12", campaign="Another campaign. Default: this channel's")
async def verify(interaction: Interaction, entry: Number, campaign: CampaignName | None = None) -> None:
    """Check that a roll's dice were fixed before it."""
    await _answer(interaction, await find_named_campaign(interaction, campaign), entry)


@component(VERIFY)
async def verify_entry(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Answer as `/verify` does."""
    await _answer(interaction, await find_pressed_campaign(interaction, campaign), number)


async def _answer(interaction: Interaction, campaign: Campaign, number: int) -> None:
    bot = interaction.client
    document, posts = await bot.database.read(gather, person(interaction), campaign, number)
    texts = [await _read_message(bot, item) for item in posts]
    checked = await asyncio.to_thread(check_document, document, "\n".join(texts))
    found = (item.thread_id or item.channel_id for item, text in zip(posts[::-1], texts[::-1], strict=True) if text)
    file = discord.File(io.BytesIO(checked.file), f"entry-{number}.json")
    await say(interaction, content=_words(number, checked, next(found, None)), file=file)


async def _read_message(bot: discord.Client, item: Post) -> str:
    channel = bot.get_partial_messageable(item.channel_id)
    if item.message_id is None:
        return ""
    try:
        message = await channel.fetch_message(item.message_id)
    except (discord.NotFound, discord.Forbidden):
        return ""
    except (discord.HTTPException, *CUT_OFF) as problem:
        raise NotAsItIs("I couldn't read the dice proof thread, so I checked nothing.", LATER) from problem
    return "\n".join(embed.description or "" for embed in message.embeds)


def _words(number: int, checked: CheckedFile, thread: int | None) -> str:
    lines = [f"**Entry #{number}: {checked.words}**", *checked.rolled]
    lines += [f"\N{BULLET} {line}" for line in (*checked.verdict.faults[:5], *checked.verdict.checked)]
    if thread is None:
        lines.append("I can't find the dice proof thread: it was deleted, or I can't read it.")
    how = HOW.format(where="" if thread is None else f" (<#{thread}>)")
    return "\n".join([*fit_lines(_ROOM, [line[:_LONGEST] for line in lines]), f"-# {how}"])


FEATURE = Feature(commands=(verify,), components=(verify_entry,), chores=(close_due,), entry_kinds=(INTENT_ENTRY,))
