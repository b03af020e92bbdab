"""Files that people send: how large they may be, the one thread that reads them, and reports of their faults."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

import discord
from discord import ui
from msgspec import Struct

from bot.errors import BadInput
from bot.ui.answering import CUT_OFF
from bot.ui.attending import ended
from bot.ui.colours import COLOURS
from bot.ui.reply import AnyInteraction, say, submitted
from bot.ui.text import plain, within
from rules.bounds import Bounds

MAX_TOML, MAX_CSV = Bounds().size, 1024 * 1024
"""Bytes of a file. TOML takes longer to read; what else it may hold, `rules.bounds` says."""

ADVICE = "Nothing was imported. Fix the file and send it again."
ROOM = 3300
MAX_LISTED = 2_000_000
"""Characters of a list of faults as a file; in UTF-8 that stays under the 10 MiB that Discord takes."""

_READER = ThreadPoolExecutor(1, thread_name_prefix="reader")
P = ParamSpec("P")
T = TypeVar("T")


class Fault(Struct, frozen=True, order=True):
    """One thing wrong in a file: its line, and what is wrong and what would be right."""

    line: int
    what: str


class FaultyFile(BadInput):
    """A file with faults, all of which it carries, in the order of their lines."""

    def __init__(self, file: str, faults: Sequence[Fault]) -> None:
        self.file = file
        self.faults = sorted(faults)
        super().__init__(f"Errors in {file}: {len(faults)}.", "Fix the file and send it again.")


def most_bytes(name: str) -> int:
    """Return how many bytes a file of this name may have."""
    return MAX_TOML if name.casefold().endswith(".toml") else MAX_CSV


def sent_file(interaction: AnyInteraction, field: str) -> discord.Attachment | None:
    """Return the file that a window was sent with in a field (its id); None when there is none."""
    data: Any = interaction.data or {}
    files = data.get("resolved", {}).get("attachments", {})
    number = next(iter(submitted(interaction).get(field) or []), None)
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


async def apart(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run what reads a sent file, and return what it does: in the one thread for that, outside of any transaction.

    Files wait for each other, so that however many are sent, rolls and the event loop wait for none.
    """
    return await asyncio.get_running_loop().run_in_executor(_READER, partial(function, *args, **kwargs))


async def tell_faults(
    interaction: AnyInteraction, faulty: FaultyFile, mend: str = ADVICE, below: ui.View | None = None
) -> None:
    """Answer with all faults of a file, and what can be done `below`; the list is attached when it does not fit into the message."""
    ended(interaction, "refused", faulty)
    embed, listed = faults_embed(faulty.file, [(fault.line, fault.what) for fault in faulty.faults], mend)
    extras: dict[str, Any] = {} if listed is None else {"file": discord.File(io.BytesIO(listed), "faults.txt")}
    extras |= {} if below is None else {"view": below}
    await say(interaction, embed=embed, **extras)


def faults_embed(
    file: str, faults: Sequence[tuple[int, str]], mend: str = ADVICE
) -> tuple[discord.Embed, bytes | None]:
    """Return all that is wrong with a file, each with its line; with the list as a text file where the embed has no room for it."""
    lines = [f"**Line {line}:** {plain(what)}" for line, what in faults]
    shown = list(within(ROOM, lines))
    listed = None if shown == lines else _listed(faults)
    do = f"{mend} All errors are in the attached file." if listed else mend
    title = f"{len(faults)} {'error' if len(faults) == 1 else 'errors'} in {file[:100]}"
    embed = discord.Embed(title=plain(title), description="\n".join([*shown, "", do]), colour=COLOURS["danger"])
    return embed, listed


def _listed(faults: Sequence[tuple[int, str]]) -> bytes:
    """Return all faults as a text file; beyond the limit, only their number."""
    return "\n".join(within(MAX_LISTED, [f"line {line}: {what}" for line, what in faults])).encode()
