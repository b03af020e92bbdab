"""Files that people send, read in one thread; and cells of tables that spreadsheet programs would calculate."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

import discord
from discord import ui

from bot.errors import BadInput
from bot.ui.answering import CUT_OFF
from bot.ui.reply import AnyInteraction, read_submitted
from rules.documents import Bounds

MAX_TOML, MAX_CSV = Bounds().size, 1024 * 1024
"""Bytes of a file. TOML takes longer to read; what else it may hold, `rules.documents` says."""

_READER = ThreadPoolExecutor(1, thread_name_prefix="reader")
P = ParamSpec("P")
T = TypeVar("T")


def most_bytes(name: str) -> int:
    """Return how many bytes a file of this name may have."""
    return MAX_TOML if name.casefold().endswith(".toml") else MAX_CSV


def sent_file(interaction: AnyInteraction, field: str) -> discord.Attachment | None:
    """Return the file that a window was sent with in a field (its id); None when there is none."""
    data: Any = interaction.data or {}
    files = data.get("resolved", {}).get("attachments", {})
    number = next(iter(read_submitted(interaction).get(field) or []), None)
    state = interaction.client._connection  # noqa: SLF001 - discord.py makes attachments by it alone, of windows that it keeps
    return discord.Attachment(data=files[number], state=state) if number in files else None


def file_field(field: str, label: str, description: str, *, needed: bool = True) -> ui.Label[ui.Modal]:
    """Return a field of a window that takes one file; `sent_file` has it."""
    box: ui.FileUpload[ui.Modal] = ui.FileUpload(custom_id=field, required=needed)
    return ui.Label(text=label, description=description, component=box)


async def read_file(file: discord.Attachment, most: int, mend: str = "split") -> bytes:
    """Return the content of an attachment of at most `most` bytes; a larger one is not even fetched; `mend` is the verb of what to do."""
    if file.size > most:
        raise BadInput(
            f"The file is too large ({file.size // 1024} KiB).", f"The limit is {most // 1024} KiB: {mend} it."
        )
    try:
        return await file.read()
    except (discord.HTTPException, *CUT_OFF) as problem:
        raise BadInput("Discord didn't deliver the file.", "Send it again.") from problem


async def run_apart(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what reads a sent file, and return what it does: in the one thread for that, outside of any transaction.

    Files wait for each other, so that however many are sent, rolls and the event loop wait for none.
    """
    return await asyncio.get_running_loop().run_in_executor(_READER, partial(function, *args, **kwargs))


_SIGNS = "=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
_FORMULA = re.compile(rf"\s*[{_SIGNS}]| *[\t\r\n]")
_GUARDED = re.compile(rf"'+(?:{_FORMULA.pattern})")


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet program may take a cell for a formula."""
    return _FORMULA.match(cell) is not None


def guard_cell(cell: str) -> str:
    """Return a cell that no spreadsheet program takes for a formula."""
    return f"'{cell}" if is_formula(cell) or _GUARDED.match(cell) else cell


def unguard_cell(cell: str) -> str:
    """Return a guarded cell as it was meant."""
    return cell[1:] if _GUARDED.match(cell) else cell
