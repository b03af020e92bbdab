"""`/privacy`: what Adjutant stores about you: show, export, erase."""

import io
from collections.abc import Iterator

import discord
from discord import ButtonStyle, app_commands, ui

from bot.client import Interaction
from bot.cogs.privacy import service
from bot.cogs.privacy.service import ERASED, ErasureResult, PersonalData, export, find_kept
from bot.core.errors import NotOpen
from bot.kernel import Feature
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, IdTemplate, component, person, redraw, say
from bot.ui.text import COLOURS, DOT, fit_lines, join_words, plain

ERASE = IdTemplate("privacy:erase:{user:id}")
CONFIRM = IdTemplate("privacy:erase-for-good:{user:id}")
"""`user` is whose data it is; only they can press it."""

ROOM = 3000
MAX_NAMED = 10
FILE = "adjutant-privacy.json"
NOTHING = "I have no data about you on this server."
GOES = (
    "**Erased:** names you rolled under, your notes, reasons and links, the link to your pseudonym, "
    "your roll cards and requests, and files you sent. Messages that show any of it are edited one "
    "by one, which can take hours."
)
STAYS = (
    "**Kept:** the entries themselves, dice and results, and names of units, characters "
    "and places. I can't find what others wrote about you."
)
FOLLOWS = "My messages are edited one by one, which can take hours. If you play again, you start as someone new."
UNCOUNTED = "-# Not counted, but erased too: your data in entries that only game masters can see."


@component(ERASE)
async def ask_again(interaction: Interaction, *, user: str) -> None:
    """Ask a second time."""
    _require_own(interaction, user)
    button = _button("Erase for good", CONFIRM.fill(user=user))
    lines = [
        "You can't undo this. You lose your units and characters, until a game master gives them back.",
        "Get a copy first with `/privacy export`. To keep your data, close this message.",
    ]
    await redraw(interaction, receipt("Really erase it?", lines, COLOURS["danger"], [button]))


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
    ):
        if count:
            yield _count(count, one, many)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _describe_erased(item: ErasureResult) -> str:
    names = join_words([plain(name) for name in item.owned[:MAX_NAMED]])
    free = f" {names} {'has' if len(item.owned) == 1 else 'have'} no player now." if item.owned else ""
    return f"**{plain(item.campaign.name)}**: {_count(item.texts, 'text or name', 'texts and names')} erased.{free}"


class PrivacyCog(app_commands.Group, name="privacy", description="What Adjutant stores about you"):
    """Privacy: no option names a person, so everyone acts for themselves."""

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show what Adjutant stores about you on this server."""
        found = await interaction.client.database.read(find_kept, person(interaction))
        hint = "Get it as a file with `/privacy export`, or erase it with `/privacy erase`."
        lines = [*fit_lines(ROOM, [*map(_line, found), UNCOUNTED, hint] if found else [NOTHING])]
        await say(interaction, view=receipt("Your data here", lines, COLOURS["neutral"]))

    @app_commands.command()
    async def export(self, interaction: Interaction) -> None:
        """Export what Adjutant stores about you as a file."""
        data = await interaction.client.database.read(export, person(interaction))
        if data is None:
            await say(interaction, view=receipt("Your data here", [NOTHING], COLOURS["neutral"]))
        else:
            await say(interaction, content="This is your data.", file=discord.File(io.BytesIO(data), FILE))

    @app_commands.command()
    async def erase(self, interaction: Interaction) -> None:
        """Erase your names and texts. You confirm it twice."""
        found = await interaction.client.database.read(find_kept, person(interaction))
        if not found:
            await say(interaction, view=receipt("Nothing to erase", [NOTHING], COLOURS["neutral"]))
            return
        button = _button("Erase\N{HORIZONTAL ELLIPSIS}", ERASE.fill(user=interaction.user.id))
        lines = [*fit_lines(ROOM, [*map(_line, found), GOES, STAYS])]
        await say(interaction, view=receipt("Erase your data?", lines, COLOURS["neutral"], [button]))


FEATURE = Feature(commands=(PrivacyCog(),), components=(ask_again, erase), entry_kinds=(ERASED,))
