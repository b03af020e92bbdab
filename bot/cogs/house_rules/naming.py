"""Names of files of house rules: which can be, and which file one means."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.house_files import HouseFile
from bot.errors import BadInput, unknown_name
from rules.names import visible
from rules.subjects import name_key

MAX_NAME = 32
"""Characters of a file's name, as Discord counts them: it stands in the ids of buttons."""


def checked_name(typed: str) -> str:
    """Return the name of a file, trimmed."""
    name = visible(typed)
    size = len(name.encode("utf-16-le")) // 2
    if not 1 <= size <= MAX_NAME:
        raise BadInput(f"A name has 1 to {MAX_NAME} characters, not {size}.", "Give the file another name.")
    return name


def require_follows(files: Sequence[HouseFile], name: str, *, follows: bool) -> None:
    """Check that a new file takes a new name, and another version one that is on."""
    on = next((file for file in files if file.on and file.key == name_key(name)), None)
    if on is not None and not follows:
        raise BadInput(f"{on.label} is already on.", "Send its next version with /table edit.")
    if on is None and follows:
        require_on(named(files, name))


def named(files: Sequence[HouseFile], typed: str) -> HouseFile:
    """Return the file of this name.

    Raises:
        BadInput: there is none.

    """
    named = next((file for file in files if file.key == name_key(typed)), None)
    if named is None:
        names, what = [file.name for file in files], f"I can't find a file called {typed[:60]!r}."
        raise unknown_name(what, typed, names, "See them with /table list.")
    return named


def require_on(file: HouseFile) -> None:
    """Refuse a file that is off."""
    if not file.on:
        raise BadInput(f"{file.label} is off.", "Turn it on again with /table add, or download it with /table export.")
