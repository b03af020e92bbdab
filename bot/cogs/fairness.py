"""`/verify`: checks of an entry's dice, in words and as a file; and the end of each day's dice set."""

import asyncio
import io
import json
from collections.abc import Iterator, Sequence

import discord
from discord import app_commands
from msgspec import Struct
from sqlalchemy import Connection

from bot.actions import find_named_campaign, find_pressed_campaign
from bot.client import Interaction
from bot.core import epochs, errors
from bot.core.campaigns import Campaign
from bot.core.outages import do_each
from bot.core.permissions import Person
from bot.kernel import Chore, Client, Feature
from bot.outbox.queue import Post
from bot.rolls import entries, options
from bot.rolls.fairness import checks, disclosure, random_org
from bot.rolls.fairness.forms import VerificationFile
from bot.ui import answering, parsing
from bot.ui.reply import component, person, say
from bot.ui.text import fit_lines

EARLY = "These dice were fixed before you rolled. Full proof is published tomorrow."
EARLY_PLACE = "The ledger is unchanged so far. Full proof is published tomorrow."


class _CheckedFile(Struct, frozen=True):
    data: bytes
    headline: str
    lines: Sequence[str]
    faulty: bool


def _gather(
    tx: Connection, person: Person, campaign: Campaign, number: int, public_url: str
) -> tuple[VerificationFile, list[Post], str | None]:
    document = disclosure.document_of(tx, person, campaign, number)
    page = disclosure.find_check(tx, campaign, number, public_url)
    return document, disclosure.audit_posts(tx, campaign, document.epoch.number), page


def _check_file(document: VerificationFile, published: str) -> _CheckedFile:
    # It blocks, so it runs in a thread.
    try:
        anchors = checks.read_anchors(published, document.campaign) if published.strip() else None
    except ValueError as error:
        verdict = checks.Verdict((f"The dice proof thread can't be read: {error}.",), (), anchored=False)
    else:
        verdict = checks.check(document, anchors)
    item = next(item for item in document.entries if item.number == document.about)
    early = EARLY_PLACE if item.header is None or item.draw is None else EARLY
    words = early if document.epoch.last is None and not verdict.faults else verdict.words
    found = (f"\N{BULLET} {line}" for line in (*verdict.faults[:5], *verdict.checked))
    lines = [*_describe_dice(document), *found]
    headline = f"**Entry #{document.about}: {words}**"
    return _CheckedFile(disclosure.document_bytes(document), headline, lines, faulty=bool(verdict.faults))


def _describe_dice(document: VerificationFile) -> Iterator[str]:
    item = next(item for item in document.entries if item.number == document.about)
    if item.header is None:
        yield "You can't see these dice, so only its place in the ledger was checked."
        return
    if item.draw is None:
        yield "It has no dice, so only its place in the ledger was checked."
        return
    kinds: dict[int, list[str]] = {}
    for part in item.draw.parts:
        for sides, face in json.loads(part.text)["dice"]:
            kinds.setdefault(sides, []).append(str(face))
    dice = "; ".join(f"d{sides}: {', '.join(faces)}" for sides, faces in kinds.items())
    yield f"Dice: {dice}." if dice else "None of its dice came from the bot: they were typed, or it has none."
    if dice and item.seed is None:
        yield "Check again tomorrow, when the seed is public."


async def close_due(client: Client) -> Sequence[Post]:
    """Close due epochs, a transaction per campaign."""
    database = client.database
    over = await database.read(epochs.campaigns_with_ended, client.ledger.now())
    return await do_each((database.write(_close, client, campaign_id) for campaign_id in over), "epoch.bug")


def _close(tx: Connection, client: Client, campaign_id: int) -> Sequence[Post]:
    return client.outbox.queue(tx, campaign_id, None, disclosure.close_due(tx, client.ledger, campaign_id))


_ROOM, _LONGEST = 1600, 600
"""Characters of the list and of one line: a message has 2,000."""

Number = app_commands.Range[int, 1, 2**31 - 1]
LATER = "Ask again in a minute."

HOW = (
    "Check the file yourself: open `docs/verify.html` from Adjutant's source in a browser, or run `adjutant verify`. "
    "Paste the messages of the dice proof thread{where} too. `docs/fairness.md` explains what this proves."
)


@app_commands.command()
@parsing.describe(entry="The entry's number, such as 12", campaign="Another campaign. Default: this channel's")
async def verify(interaction: Interaction, entry: Number, campaign: options.CampaignName | None = None) -> None:
    """Check that a roll's dice were fixed before it."""
    await _answer(interaction, await find_named_campaign(interaction, campaign), entry)


@component(entries.VERIFY)
async def verify_entry(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Answer as `/verify` does."""
    await _answer(interaction, await find_pressed_campaign(interaction, campaign), number)


async def _answer(interaction: Interaction, campaign: Campaign, number: int) -> None:
    bot = interaction.client
    await bot.outbox.save_results()
    url = bot.settings.public_url
    document, posts, page = await bot.database.read(_gather, person(interaction), campaign, number, url)
    texts = [await _read_message(bot, item) for item in posts]
    file = await asyncio.to_thread(_check_file, document, "\n".join(texts))
    found = (item.thread_id or item.channel_id for item, text in zip(posts[::-1], texts[::-1], strict=True) if text)
    thread = next(found, None)
    lines = [file.headline, *(() if page and not file.faulty else file.lines)]
    if thread is None:
        lines.append("I can't find the dice proof thread: it was deleted, or I can't read it.")
    how = HOW.format(where="" if thread is None else f" (<#{thread}>)")
    last = f"[Check it in your browser](<{page}>)" if page else f"-# {how}"
    content = "\n".join([*fit_lines(_ROOM, [line[:_LONGEST] for line in lines]), last])
    await say(interaction, content=content, file=discord.File(io.BytesIO(file.data), f"entry-{number}.json"))


async def _read_message(bot: discord.Client, item: Post) -> str:
    channel = bot.get_partial_messageable(item.channel_id)
    if item.message_id is None:
        return ""
    try:
        message = await channel.fetch_message(item.message_id)
    except (discord.NotFound, discord.Forbidden):
        return ""
    except (discord.HTTPException, *answering.CUT_OFF) as problem:
        raise errors.NotAsItIs("I couldn't read the dice proof thread, so I checked nothing.", LATER) from problem
    return "\n".join(embed.description or "" for embed in message.embeds)


FEATURE = Feature(
    commands=(verify,), components=(verify_entry,), chores=(Chore(close_due),), entry_kinds=(random_org.INTENT_ENTRY,)
)
