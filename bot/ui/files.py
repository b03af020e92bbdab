"""Files that people send, read in one thread; spreadsheet cells without formulas; embeds as HTML without other files."""

import asyncio
import base64
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from html import escape
from typing import Any, ParamSpec, TypeVar
from zoneinfo import ZoneInfo

import discord
from discord import ui

from bot.core.errors import BadInput
from bot.ui import answering, reply
from bot.ui.text import Picture
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


_TOKEN = re.compile(
    r"```(?:\w*\n)?(?P<block>.*?)```|\\(?P<literal>[^\w\s])|`(?P<code>[^`\n]+)`|<(?P<what>@|@&|#)(?P<id>\d+)>"
    r"|<t:(?P<time>-?\d{1,11})(?::\w)?>|<:?(?P<command>/[^:<>\n]+):\d+>|\[(?P<label>[^\]\n]+)\]\((?:https?://[^)\s]+)\)"
    r"|(?P<mark>\*\*|~~|__|\*)",
    re.DOTALL,
)
_TAGS: Mapping[str, str] = {"**": "strong", "~~": "s", "__": "u", "*": "em"}
_NAMES: Mapping[str, str] = {"@": "member", "@&": "role", "#": "channel"}
_FORMS: Mapping[str, str] = {
    **dict.fromkeys(("block", "code", "command"), "<code>{}</code>"),
    **dict.fromkeys(("literal", "label"), "{}"),
}
_BEGINNING = re.compile(r"^(?:-# |> |#{1,3} )", re.MULTILINE)


def embed_html(embed: discord.Embed, zone: str) -> Iterator[str]:
    """Yield an embed as pieces of HTML, without footer, with times of a zone."""
    if embed.author.name:
        yield f'<p class="said">{escape(embed.author.name)}</p>'
    if embed.title:
        yield f"<h3>{_inline(embed.title, zone)}</h3>"
    if embed.description:
        yield render_markup(embed.description, zone)
    for field in embed.fields:
        yield f"<h4>{_inline(field.name or '', zone)}</h4>"
        yield render_markup(field.value or "", zone)


def picture_html(picture: Picture) -> str:
    """Return a picture as an `img` tag that contains its data."""
    data = base64.b64encode(picture.data).decode()
    return f'<img alt="{escape(picture.alt)}" src="data:image/png;base64,{data}">'


def render_markup(text: str, zone: str) -> str:
    """Return Discord's markdown as an HTML paragraph, with times of a zone."""
    lines = _inline(text, zone).split("\n")
    return f"<p>{'<br>'.join(lines)}</p>"


def _inline(text: str, zone: str) -> str:
    out: list[str] = []
    opened: list[str] = []
    text, at = _BEGINNING.sub("", text), 0
    for found in _TOKEN.finditer(text):
        out.append(_plain(text[at : found.start()]))
        at = found.end()
        mark = found["mark"]
        out.append(_toggle_mark(mark, opened) if mark else _render_token(found, zone))
    out.append(_plain(text[at:]))
    return "".join(out) + "".join(f"</{_TAGS[mark]}>" for mark in reversed(opened))


def _plain(text: str) -> str:
    return escape(text.replace("@\u200b", "@"))


def _toggle_mark(mark: str, opened: list[str]) -> str:
    if mark not in opened:
        opened.append(mark)
        return f"<{_TAGS[mark]}>"
    closed = ""
    while opened:
        last = opened.pop()
        closed += f"</{_TAGS[last]}>"
        if last == mark:
            break
    return closed


def _render_token(found: re.Match[str], zone: str) -> str:
    if found["id"]:
        return f'<span class="who">{_NAMES[found["what"]]} {found["id"]}</span>'
    if found["time"]:
        return _format_time(int(found["time"]), zone)
    name = next(name for name in _FORMS if found[name] is not None)
    return _FORMS[name].format(escape(found[name]))


def _format_time(seconds: int, zone: str) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC).astimezone(ZoneInfo(zone)):%d %b %Y %H:%M %Z}"
    except (OverflowError, ValueError, OSError):
        return str(seconds)
