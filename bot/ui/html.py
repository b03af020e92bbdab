"""Embeds and Discord's markdown as HTML that needs no other files. All typed text is escaped."""

import base64
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from html import escape
from zoneinfo import ZoneInfo

import discord

from bot.ui.text import Picture

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
