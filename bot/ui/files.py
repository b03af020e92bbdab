"""Files that people send, read in one thread; spreadsheet cells without formulas."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

import discord
from discord import ui

from bot.core.errors import BadInput
from bot.ui import answering, reply
from rules.documents import Bounds

MAX_TOML, MAX_CSV = Bounds().size, 1024 * 1024
"""Bytes of a file. TOML takes longer to read."""

_READER = ThreadPoolExecutor(1, thread_name_prefix="reader")
P = ParamSpec("P")
T = TypeVar("T")


def most_bytes(name: str) -> int:
    """Return how many bytes a file of this name may have."""
    return MAX_TOML if name.casefold().endswith(".toml") else MAX_CSV


def find_sent_file(interaction: reply.AnyInteraction, field: str) -> discord.Attachment | None:
    """Return the file in a window's field (id), if there is one."""
    data: Any = interaction.data or {}
    files = data.get("resolved", {}).get("attachments", {})
    number = next(iter(reply.read_submitted(interaction).get(field) or []), None)
    state = interaction.client._connection  # noqa: SLF001 - discord.py makes attachments only with it, for windows that it keeps
    return discord.Attachment(data=files[number], state=state) if number in files else None


def file_field(field: str, label: str, description: str, *, needed: bool = True) -> ui.Label[ui.Modal]:
    """Return a window's field for one file; `find_sent_file` reads it."""
    box: ui.FileUpload[ui.Modal] = ui.FileUpload(custom_id=field, required=needed)
    return ui.Label(text=label, description=description, component=box)


async def read_file(file: discord.Attachment, most: int, mend: str = "split") -> bytes:
    """Return an attachment's content. A larger one than `most` isn't fetched; `mend` says what to do."""
    if file.size > most:
        do = f"The limit is {most // 1024} KiB: {mend} it."
        raise BadInput(f"The file is too large ({file.size // 1024} KiB).", do)
    try:
        return await file.read()
    except (discord.HTTPException, *answering.CUT_OFF) as problem:
        raise BadInput("Discord didn't deliver the file.", "Send it again.") from problem


async def run_apart(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what reads a sent file in one thread: files wait for each other, and rolls for none."""
    return await asyncio.get_running_loop().run_in_executor(_READER, partial(function, *args, **kwargs))


_SIGNS = "=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
_FORMULA = re.compile(rf"\s*[{_SIGNS}]| *[\t\r\n]")
_GUARDED = re.compile(rf"'+(?:{_FORMULA.pattern})")


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet program may run a cell as a formula."""
    return _FORMULA.match(cell) is not None


def guard_cell(cell: str) -> str:
    """Return a cell with an apostrophe before a formula, so that none runs."""
    return f"'{cell}" if is_formula(cell) or _GUARDED.match(cell) else cell


def unguard_cell(cell: str) -> str:
    """Return a cell without the apostrophe that `guard_cell` added."""
    return cell[1:] if _GUARDED.match(cell) else cell
