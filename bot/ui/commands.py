"""The group of the game master's commands, and the commands that got another name."""

from collections.abc import Mapping

import discord
from discord import app_commands
from msgspec import Struct, convert, field

from bot.core.errors import BadInput
from bot.ui.reply import IdTemplate

GM = app_commands.Group(name="gm", description="Run the game: orders, settings, corrections")
"""Each feature adds its commands for game masters, so that a server can hide all of them from players at once."""

_SUBCOMMANDS = {discord.AppCommandOptionType.subcommand.value, discord.AppCommandOptionType.subcommand_group.value}

CAMPAIGN = IdTemplate("campaign:{campaign:int}:{what:word}")
"""Buttons that show a campaign's settings (`show`), or a part such as `groups`."""

YOUR_DATA = IdTemplate("privacy:show")

BEGIN, AGAIN = IdTemplate("begin:{campaign:int}:{what:word}"), "again"
"""Buttons of a campaign's next steps; `again` draws them as they are now."""

UPDATE_PAGE = IdTemplate("summed:{campaign:int}:{number:int}")
"""Buttons that show all entries of an update."""

MOVED: Mapping[str, str] = {
    "void": "gm undo",
    "amend": "gm amend",
    "ledger list": "ledger",
    "ledger show": "ledger",
    "ledger search": "ledger",
    "ledger export": "ledger: Export",
    "cards": "help: Open cards",
    "privacy show": "help: Your data",
    "privacy export": "help: Your data",
    "privacy erase": "help: Your data",
    "unit show": "unit",
    "unit list": "unit",
    "unit add": "roster add",
    "unit edit": "roster edit",
    "unit remove": "unit",
    "character show": "unit",
    "character list": "unit",
    "character add": "roster add",
    "character edit": "roster edit",
    "character remove": "unit",
    "roster export": "unit",
    "effect set": "gm effect",
    "effect clear": "gm effect",
    "effect list": "unit",
    "captive take": "capture",
    "captive move": "captives",
    "captive release": "captives",
    "captive list": "captives",
    "captive show": "captives",
    "campaign show": "help: This campaign, or /gm settings",
    "campaign edit": "gm settings",
    "campaign bind": "campaign link",
    "campaign unbind": "campaign link",
    "campaign unlink": "campaign link",
    "campaign randomness": "gm settings: random.org",
    "campaign export": "gm settings: Export",
    "campaign delete": "campaign archive: Delete",
    "campaign group add": "gm settings: Groups",
    "campaign group edit": "gm settings: Groups",
    "campaign group remove": "gm settings: Groups",
    "campaign group list": "help: This campaign, or /gm settings: Groups",
    "ledger update": "update show update:",
    "order pass": "order give kind:Pass",
    "table add": "gm rules",
    "table edit": "gm rules",
    "table export": "table show",
    "table list": "table show",
    "table remove": "table show",
    "update board": "update show",
    "update close": "gm close",
    "update digest": "update show",
    "update resolve": "gm resolve",
    "update schedule": "gm schedule",
    "weather categories": "forecast view:categories",
    "weather forecast": "forecast view:odds of next week",
    "weather history": "forecast view:past weeks",
    "weather schedule": "gm schedule what:weather",
    "weather show": "forecast",
    "writeups claim": "writeups",
    "writeups done": "writeups",
    "writeups list": "writeups",
    "writeups result": "writeups",
    **dict.fromkeys(("fight mode", "fight lock", "fight order"), "fight show"),
    **{f"events {name}": f"gm-events {name}" for name in ("battle", "roll", "use", "turn")},
    **{f"events unit {name}": f"gm-events unit {name}" for name in ("add", "edit", "remove")},
    "events unit list": "events units",
    **{f"war {name}": f"gm-war {name}" for name in ("new", "set", "rule")},
    **{f"battle {name}": f"gm-war {name}" for name in ("place", "condition")},
}
"""New names by old ones, for one release: pinned messages still name them. After a colon follows which button."""


class _Sent(Struct):
    """A command, a subcommand or an option, as Discord sends it."""

    name: str
    type: int
    options: list["_Sent"] = field(default_factory=list)

    def __str__(self) -> str:
        below = (str(item) for item in self.options if item.type in _SUBCOMMANDS)
        return " ".join([self.name, *below])


def explain_unknown(data: object, error: BaseException) -> BaseException:
    """Return what to show for a missing command: its new name, if any; other errors as they are."""
    if isinstance(error, app_commands.CommandNotFound):
        old = str(convert(data, _Sent))  # the error of a group that's gone doesn't know the subcommand
        if old in MOVED:
            return BadInput(f"The command {old!r} has a new name.", f"Use /{MOVED[old]}.")
    return error
