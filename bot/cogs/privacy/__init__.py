"""Your data, under `/help`: what Adjutant stores about you, to export or erase."""

import io
from collections.abc import Iterator

import discord
from discord import ButtonStyle, ui

from bot.client import Interaction
from bot.cogs.privacy import service
from bot.cogs.privacy.service import ERASED, ErasureResult, PersonalData, export, find_kept
from bot.core.errors import NotOpen
from bot.kernel import Feature
from bot.ui.commands import YOUR_DATA
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, IdTemplate, component, person, redraw, say
from bot.ui.text import COLOURS, DOT, fit_lines, join_words, plain

EXPORT = IdTemplate("privacy:export")
ERASE = IdTemplate("privacy:erase:{user:id}")
CONFIRM = IdTemplate("privacy:erase-for-good:{user:id}")
"""`user` is whose data it is; only they can press it."""

ROOM = 3000
MAX_NAMED = 10
FILE = "adjutant-privacy.json"
NOTHING = "I have no data about you on this server."
GOES = (
    "**Erased:** names you rolled under, your notes, reasons and links, the link to your pseudonym, "
    "your roll cards, requests and settings, and files you sent. Messages that show any of it are edited one "
    "by one, which can take hours."
)
STAYS = (
    "**Kept:** the entries themselves, dice and results, and names of units, characters "
    "and places. I can't find what others wrote about you."
)
FOLLOWS = "My messages are edited one by one, which can take hours. If you play again, you start as someone new."
LOST = (
    "You can't undo this. You lose your units and characters, until a game master gives them back. "
    "Get a copy first with Export. To keep your data, close this message."
)
UNCOUNTED = "-# Not counted, but erased too: your data in entries that only game masters can see."


@component(YOUR_DATA)
async def show_kept(interaction: Interaction) -> None:
    """Show what Adjutant stores about a person on this server."""
    found = await interaction.client.database.read(find_kept, person(interaction))
    lines = [*fit_lines(ROOM, [*map(_line, found), UNCOUNTED] if found else [NOTHING])]
    erasing = _button("Erase\N{HORIZONTAL ELLIPSIS}", ERASE.fill(user=interaction.user.id))
    buttons = [ui.Button(label="Export", custom_id=EXPORT.fill()), erasing] if found else []
    await say(interaction, view=receipt("Your data here", lines, COLOURS["neutral"], buttons))


@component(EXPORT)
async def send_copy(interaction: Interaction) -> None:
    """Send what Adjutant stores about a person as a file."""
    data = await interaction.client.database.read(export, person(interaction))
    if data is None:
        await say(interaction, view=receipt("Your data here", [NOTHING], COLOURS["neutral"]))
    else:
        await say(interaction, content="This is your data.", file=discord.File(io.BytesIO(data), FILE))


@component(ERASE)
async def ask_again(interaction: Interaction, *, user: str) -> None:
    """Ask a second time."""
    _require_own(interaction, user)
    buttons = [_button("Erase for good", CONFIRM.fill(user=user)), ui.Button(label="Export", custom_id=EXPORT.fill())]
    await redraw(interaction, receipt("Really erase it?", [LOST, GOES, STAYS], COLOURS["danger"], buttons))


@component(CONFIRM)
async def erase(interaction: Interaction, *, user: str) -> None:
    """Erase the person's data, campaign by campaign."""
    _require_own(interaction, user)
    bot, who = interaction.client, person(interaction)
    done = []
    for found in await bot.database.read(find_kept, who):
        erased = await service.erase(bot.database, bot.resolver, who, found)
        bot.outbox.hand(bot, erased.posts)
        done.append(erased)
    lines = [*fit_lines(ROOM, [*map(_describe_erased, done), FOLLOWS] if done else [NOTHING])]
    await redraw(interaction, receipt("Erased" if done else "Nothing to erase", lines))


def _require_own(interaction: Interaction, user: str) -> None:
    if user != str(interaction.user.id):
        raise NotOpen(*STALE)


def _button(label: str, key: str) -> ui.Button[ui.LayoutView]:
    return ui.Button(label=label, style=ButtonStyle.danger, custom_id=key)


def _line(item: PersonalData) -> str:
    archived = " (archived)" if item.campaign.archived_at else ""
    return f"**{plain(item.campaign.name)}**{archived}: {DOT.join(_list_parts(item))}"


def _list_parts(item: PersonalData) -> Iterator[str]:
    first = min((made.first for made in item.made), default=None)
    since = f" since {discord.utils.format_dt(first, 'D')}" if first else ""
    yield f"{_count(sum(made.count for made in item.made), 'entry', 'entries')} of yours{since}"
    yield _count(item.texts, "text or name", "texts and names")
    if item.owned:
        names = [plain(each.name) for each in item.owned[:MAX_NAMED]]
        more = len(item.owned) - MAX_NAMED
        yield f"you play {join_words([*names, *([f'{more} more'] if more > 0 else [])])}"
    for count, one, many in (
        (len(item.cards), "roll card", "roll cards"),
        (len(item.waiting), "roll waiting for answers", "rolls waiting for answers"),
        (len(item.drafts), "file to import", "files to import"),
        (len(item.letters), "DM with your results", "DMs with your results"),
    ):
        if count:
            yield _count(count, one, many)
    if item.by_dm:
        yield "your results come by DM"
    yield from (f"{name} off" for name, on in item.settings.items() if not on)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _describe_erased(item: ErasureResult) -> str:
    names = join_words([plain(name) for name in item.owned[:MAX_NAMED]])
    free = f" {names} {'has' if len(item.owned) == 1 else 'have'} no player now." if item.owned else ""
    return f"**{plain(item.campaign.name)}**: {_count(item.texts, 'text or name', 'texts and names')} erased.{free}"


FEATURE = Feature(components=(show_kept, send_copy, ask_again, erase), entry_kinds=(ERASED,))
