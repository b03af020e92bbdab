"""The group of the game master's commands, and the commands that got another name."""

from collections.abc import Mapping

from discord import app_commands

from bot.core.errors import NotOpen

GM = app_commands.Group(name="gm", description="Run the game: orders, settings, corrections")
"""Each feature adds its commands for game masters, so that a server can hide all of them from players at once."""

MOVED: Mapping[str, str] = {}
"""New names by old ones, for one release: pinned messages still name them."""


def explain_unknown(error: app_commands.AppCommandError) -> Exception:
    """Return what to show for a command that isn't there: its new name, if it has one; other errors as they are."""
    if isinstance(error, app_commands.CommandNotFound):
        old = " ".join([*error.parents, error.name])
        if old in MOVED:
            return NotOpen(f"/{old} has a new name.", f"Use `/{MOVED[old]}`.")
    return error
