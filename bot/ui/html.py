"""Embeds as HTML; all that was typed is escaped."""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from html import escape
from zoneinfo import ZoneInfo

import discord
from msgspec import Struct

from bot.ui.text import Picture

_BLOCK = re.compile(r"```(?:\w*\n)?(.*?)```", re.DOTALL)
_TOKEN = re.compile(
    r"\\(?P<literal>[^\w\s])|`(?P<code>[^`\n]+)`|<(?P<what>@|@&|#)(?P<id>\d+)>"
    r"|<t:(?P<time>-?\d{1,11})(?::\w)?>|<:?(?P<command>/[^:<>\n]+):\d+>|\[(?P<label>[^\]\n]+)\]\((?:https?://[^)\s]+)\)"
    r"|(?P<mark>\*\*|~~|__|\*)",
)
_TAGS: Mapping[str, str] = {"**": "strong", "~~": "s", "__": "u", "*": "em"}
_NAMES: Mapping[str, str] = {"@": "member", "@&": "role", "#": "channel"}
_ANYONE: Mapping[str, str] = {"@": "a player", "@&": "a role", "#": "a channel"}
_FORMS: Mapping[str, str] = {
    **dict.fromkeys(("code", "command"), "<code>{}</code>"),
    "literal": "{}",
}
_BEGINNING = re.compile(r"(?P<small>-# )|> |(?P<head>#{1,3} )")
_TYPED_MENTION = re.compile(r"\\?<\\?@[!\u200b]*(\d{1,20})\\?>")
_LONG_NUMBER = re.compile(r"\d{17,20}")
"""Ids of Discord. No other number on a page is as long."""

_ENTRY = re.compile(r"(?<![\w&])#(\d{1,9})\b")


def link_nothing(_number: int) -> str | None:
    """Return None."""
    return None


class HtmlWriter(Struct, frozen=True):
    """Writes HTML with times of a `zone`. `link` gives an entry's address; `public` leaves ids and members out."""

    zone: str
    link: Callable[[int], str | None] = link_nothing
    public: bool = False
    level: int = 3

    def embed(self, shown: discord.Embed) -> Iterator[str]:
        """Yield an embed in pieces, without footer."""
        if shown.author.name:
            yield f'<p class="said">{escape(shown.author.name)}</p>'
        if shown.title:
            yield f"<h{self.level}>{self.line(shown.title)}</h{self.level}>"
        if shown.description:
            yield self.paragraph(shown.description)
        for field in shown.fields:
            yield f"<h{self.level + 1}>{self.line(field.name or '')}</h{self.level + 1}>"
            yield self.paragraph(field.value or "")

    def paragraph(self, text: str) -> str:
        """Return a paragraph; marks end with their line."""
        lines = [""]
        for place, piece in enumerate(_BLOCK.split(text)):
            if place % 2:
                lines[-1] += f"<code>{escape(self._hide(piece))}</code>"
            else:
                first, *others = map(self.line, piece.split("\n"))
                lines = [*lines[:-1], lines[-1] + first, *others]
        return f"<p>{'<br>'.join(lines)}</p>"

    def line(self, text: str) -> str:
        """Return one line."""
        begins = _BEGINNING.match(text)
        inner = self._write_inline(self._hide(text[begins.end() :] if begins else text))
        tag = (begins["small"] and "small") or (begins["head"] and "strong") if begins else None
        return f"<{tag}>{inner}</{tag}>" if tag else inner

    def _hide(self, text: str) -> str:
        if not self.public:
            return text
        return _LONG_NUMBER.sub("\N{HORIZONTAL ELLIPSIS}", _TYPED_MENTION.sub("<@1>", text))

    def _write_inline(self, text: str) -> str:
        out: list[str] = []
        opened: list[str] = []
        at = 0
        for found in _TOKEN.finditer(text):
            out.append(self._write_plain(text[at : found.start()]))
            at = found.end()
            mark = found["mark"]
            out.append(_toggle_mark(mark, opened) if mark else self._write_token(found))
        out.append(self._write_plain(text[at:]))
        return "".join(out) + "".join(f"</{_TAGS[mark]}>" for mark in reversed(opened))

    def _write_plain(self, text: str) -> str:
        return _ENTRY.sub(partial(_link_entry, self.link), escape(text.replace("@\u200b", "@")))

    def _write_token(self, found: re.Match[str]) -> str:
        if found["id"]:
            name = _ANYONE[found["what"]] if self.public else f"{_NAMES[found['what']]} {found['id']}"
            return f'<span class="who">{name}</span>'
        if found["time"]:
            return _format_time(int(found["time"]), self.zone)
        if found["label"]:
            return self._write_plain(found["label"])
        name = next(name for name in _FORMS if found[name] is not None)
        return _FORMS[name].format(escape(found[name]))


def _link_entry(link: Callable[[int], str | None], found: re.Match[str]) -> str:
    address = link(int(found[1]))
    return found[0] if address is None else f'<a href="{escape(address)}">{found[0]}</a>'


def picture_html(picture: Picture) -> str:
    """Return a picture as an `img` tag that contains its data."""
    data = base64.b64encode(picture.data).decode()
    return f'<img alt="{escape(picture.alt)}" src="data:image/png;base64,{data}">'


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


def _format_time(seconds: int, zone: str) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC).astimezone(ZoneInfo(zone)):%d %b %Y %H:%M %Z}"
    except (OverflowError, ValueError, OSError):
        return str(seconds)
