"""Text, pictures and components as Discord takes them: made safe, readable, and cut or split to its limits."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import cache, lru_cache, partial
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

import discord
from discord import ui
from msgspec import Struct

from rules.phrases import percent

COLOURS: Mapping[str, int] = {"success": 0x2F9E6E, "failure": 0x7A8599, "danger": 0xC8453B, "neutral": 0x4A6FA5}
BAR_CELLS = 6
_EIGHTHS = " \N{LEFT ONE EIGHTH BLOCK}\N{LEFT ONE QUARTER BLOCK}\N{LEFT THREE EIGHTHS BLOCK}\N{LEFT HALF BLOCK}\N{LEFT FIVE EIGHTHS BLOCK}\N{LEFT THREE QUARTERS BLOCK}\N{LEFT SEVEN EIGHTHS BLOCK}"
DOT = " \N{MIDDLE DOT} "

_DIRECTIONS = dict.fromkeys(map(ord, "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
"""Invisible characters that change a text's direction, for `str.translate`."""

DIRECTED = re.compile(f"[{''.join(map(chr, _DIRECTIONS))}]")
"""The same as an expression: faster on long texts beyond ASCII."""

_MARKS = str.maketrans(_DIRECTIONS | {"\n": " "} | {mark: f"\\{mark}" for mark in "\\*_~|`<[]"})
_MARKS_IN_PLACE = re.compile(r"^[#>+-]|(?<=\d)\.(?=\s)|:(?=//)|(?<=discord)\.(?=gg/)", re.IGNORECASE)
"""Markdown only where it is: headings, lists, addresses, invitations."""
_MARK = re.compile(r"\\(.)|[*_~|`]", re.DOTALL)


@lru_cache(maxsize=1000)  # the same names in each message
def plain(text: str) -> str:
    """Escape typed text: no markdown, mentions, links or timestamps."""
    escaped = _MARKS_IN_PLACE.sub(r"\\\g<0>", text.translate(_MARKS))
    return discord.utils.escape_mentions(escaped)


def code(text: str) -> str:
    """Return typed text as code. A backtick in it doesn't end the code."""
    one_line = text.translate(_DIRECTIONS | {ord("\n"): " "})
    if "``" in one_line:
        one_line = one_line.replace("`", "'")
    shown = discord.utils.escape_mentions(one_line)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def strip_marks(text: str) -> str:
    """Return markdown without marks and escapes, for plain-text places."""
    return _MARK.sub(r"\1", text).replace("@\u200b", "@")


def plus(value: int) -> str:
    """Return a value as added to a die: + 3, or a true minus and 3."""
    return f"\N{MINUS SIGN} {-value}" if value < 0 else f"+ {value}"


def chance_line(chance: Fraction, outcome: str, *, bars: bool) -> str:
    """Return an outcome with its chance; with `bars`, also as one in eighths. Only 0 is empty and only 1 full."""
    line = f"**{percent(chance)}** {outcome}"
    return f"`{_draw_bar(chance)}` {line}" if bars else line


def _draw_bar(chance: Fraction) -> str:
    eighths = round(chance * BAR_CELLS * 8)
    if chance not in {0, 1}:
        eighths = min(max(eighths, 1), BAR_CELLS * 8 - 1)
    full, rest = divmod(eighths, 8)
    filled = "\N{FULL BLOCK}" * full + _EIGHTHS[rest] * bool(rest)
    return filled + "\N{LIGHT SHADE}" * (BAR_CELLS - len(filled))


def to_local(moment: datetime, zone: str) -> str:
    """Return a moment in a time zone, for places without timestamps."""
    return f"{moment.astimezone(ZoneInfo(zone)):%d %b %H:%M %Z}"


def shorten(text: str, limit: int) -> str:
    """Cut a label with an ellipsis; its full text must be elsewhere."""
    return text if len(text) <= limit else text[: limit - 1] + "\N{HORIZONTAL ELLIPSIS}"


def join_words(words: list[str]) -> str:
    """Join words as in a sentence: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def has_words(text: str, line: str) -> bool:
    """Return whether a text has a line's words in order, apart from marks."""
    said = iter(_words(text))
    return all(word in said for word in _words(line))


def _words(text: str) -> list[str]:
    return [stripped for word in text.casefold().split() if (stripped := word.strip("*.,:;\\"))]


def message_link(guild_id: int, channel_id: int, message_id: int) -> str:
    """Return the address of a message."""
    return f"https://discord.com/channels/{guild_id}/{channel_id}/{message_id}"


def channel_link(guild_id: int, channel_id: int) -> str:
    """Return the address of a channel or thread."""
    return f"https://discord.com/channels/{guild_id}/{channel_id}"


def fit_lines(room: int, lines: Sequence[str]) -> Iterator[str]:
    """Yield lines that fit into `room` characters, and how many don't."""
    for place, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            left = len(lines) - place
            yield f"*and {left} {'line' if left == 1 else 'lines'} more*"
            return
        yield line


MAX_MESSAGE = 5870
"""Under Discord's 6,000: voided entries say so, and each post has a mark."""

MAX_EMBEDS = 10
MAX_DESCRIPTION = 4096
MAX_TITLE = 256
_CONTINUED = " (continued)"


def fit_embeds(title: str, lines: Iterable[str], *, colour: int, footer: str) -> list[discord.Embed]:
    """Return as many embeds as the lines need. A long title is cut and repeated as the first line."""
    text = [f"**{title}**", *lines] if len(title) > MAX_TITLE else lines
    embeds = []
    for number, chunk in enumerate(list(chunks(text, MAX_DESCRIPTION)) or [""]):
        heading = shorten(title, MAX_TITLE if number == 0 else MAX_TITLE - len(_CONTINUED))
        heading += _CONTINUED if number else ""
        embed = discord.Embed(title=heading, description=chunk or None, colour=colour)
        embeds.append(embed.set_footer(text=footer))
    return embeds


def paginate(embeds: Iterable[discord.Embed]) -> list[list[discord.Embed]]:
    """Spread embeds over messages: at most 10 and 6,000 characters each."""
    messages: list[list[discord.Embed]] = []
    room = 0
    for embed in embeds:
        if not messages or len(messages[-1]) == MAX_EMBEDS or len(embed) > room:
            messages.append([])
            room = MAX_MESSAGE
        messages[-1].append(embed)
        room -= len(embed)
    return messages


def chunks(lines: Iterable[str], limit: int) -> Iterator[str]:
    """Join lines to few texts. A long line goes on in the next; a block of lines stays together if it fits."""
    chunk = ""
    for line in lines:
        for piece in _list_pieces(line, limit):
            joined = f"{chunk}\n{piece}" if chunk else piece
            if len(joined) > limit:
                yield chunk
                chunk = piece
            else:
                chunk = joined
    if chunk:
        yield chunk


def _list_pieces(line: str, limit: int) -> Iterator[str]:
    if len(line) > limit and "\n" in line:
        yield from chunks(line.split("\n"), limit)
        return
    for start in range(0, max(len(line), 1), limit):
        yield line[start : start + limit]


ATTACHED = "attachment://"
MAX_ALT = 1000
_CUT = " And {count} more lines."


class Picture(Struct, frozen=True):
    """A PNG with alt text."""

    name: str
    data: bytes
    alt: str

    def file(self) -> discord.File:
        """Return the picture as an attachment, new for each attempt to send."""
        return discord.File(BytesIO(self.data), filename=self.name, description=self.alt)


def alt_of(lines: Sequence[str]) -> str:
    """Join sentences as alt text, and count those that don't fit."""
    text = ""
    for place, line in enumerate(lines):
        if len(text) + len(line) + 1 + len(_CUT) > MAX_ALT:
            text = text or line[: MAX_ALT - len(_CUT) - 1]
            return f"{text}{_CUT.format(count=len(lines) - place)}"
        text = f"{text} {line}".strip()
    return text


def picture_embeds(title: str, lines: Iterable[str], *, footer: str, picture: str) -> list[discord.Embed]:
    """Return embeds with the picture on top: Discord draws it below its embed's text."""
    top = discord.Embed(title=title, colour=COLOURS["neutral"]).set_image(url=f"{ATTACHED}{picture}")
    first, *more = fit_embeds(title, lines, colour=COLOURS["neutral"], footer=footer)
    first.title = None
    return [top, first, *more]


def picture_key(signs: Iterable[tuple[str, str]]) -> str:
    """Return a line with a picture's signs and their meanings."""
    return f"-# {DOT.join(plain(f'{sign}: {meaning}') for sign, meaning in signs)}"


def attachment_name(embed: discord.Embed) -> str | None:
    """Return the file name of an embed's attached image; None without one."""
    url = embed.image.url or ""
    return url.removeprefix(ATTACHED) if url.startswith(ATTACHED) else None


def drop_missing_images(embeds: list[discord.Embed], picture: Picture | None) -> list[discord.Embed]:
    """Remove attached images other than `picture`, which is sent, in place."""
    name = None if picture is None else picture.name
    for embed in embeds:
        if attachment_name(embed) not in {None, name}:
            embed.set_image(url=None)
    return embeds


MAX_CONTENT, MAX_EMBED_TEXT, MAX_VIEW_TEXT = 2000, 6000, 4000
LEAST = 60
"""Characters that every line keeps. Without room for that, lines are left out and counted."""

_LEFT_OUT = "*and {} more lines*"


def cut_message(message: dict[str, Any]) -> dict[str, Any]:
    """Cut a message's texts to Discord's limits. Views and embeds change in place."""
    view = message.get("view")
    if isinstance(view, ui.LayoutView):
        texts = [item for item in view.walk_children() if isinstance(item, ui.TextDisplay)]
        for item, text in zip(texts, _cut_texts([item.content for item in texts], MAX_VIEW_TEXT), strict=True):
            item.content = text
    embeds = [*message.get("embeds", ()), *([message["embed"]] if message.get("embed") else [])]
    cut_embeds(embeds)
    if "embeds" in message:
        message = {**message, "embeds": message["embeds"][:MAX_EMBEDS]}
    if message.get("content"):
        message = {**message, "content": cut_text(message["content"], MAX_CONTENT)}
    return message


def _cut_texts(texts: Sequence[str], room: int) -> list[str]:
    excess = sum(map(len, texts)) - room
    if excess <= 0:
        return list(texts)
    longest = max(range(len(texts)), key=[*map(len, texts)].__getitem__)
    kept = max(len(texts[longest]) - excess, room // len(texts))
    return _cut_texts([cut_text(text, kept) if place == longest else text for place, text in enumerate(texts)], room)


def cut_text(text: str, room: int) -> str:
    """Cut a text to `room` characters: shorten lines, then leave the last ones out."""
    return "\n".join(_cut_lines(text.split("\n"), room)) if len(text) > room else text


def _cut_lines(lines: Sequence[str], room: int) -> list[str]:
    if _length(lines) <= room:
        return list(lines)
    shown, note = list(lines), ""
    while len(shown) > 1 and _length([line[:LEAST] for line in shown] + [note]) > room:
        shown.pop()
        note = _LEFT_OUT.format(len(lines) - len(shown))
    free = room - (len(note) + 1 if note else 0)
    most = max(most for most in range(max(map(len, shown)) + 1) if _length([line[:most] for line in shown]) <= free)
    return [shorten(line, most) for line in shown] + ([note] if note else [])


def cut_embeds(embeds: Iterable[discord.Embed], room: int = MAX_EMBED_TEXT) -> None:
    """Cut a message's embeds, in place, to `room` characters together."""
    every = list(embeds)
    for embed in every:
        embed.title = embed.title and shorten(embed.title, MAX_TITLE)
        embed.description = embed.description and cut_text(embed.description, MAX_DESCRIPTION)
    beside = sum(len(embed) - len(embed.description or "") for embed in every)
    texts = _cut_texts([embed.description or "" for embed in every], room - beside)
    for embed, text in zip(every, texts, strict=True):
        embed.description = text or None


def _length(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines) - 1


MAX_FIELD = 1024
_LEFT = r"\\.|```.*?```|\[[^\[\]\n]*\]\([^)\n]*\)|https?://\S+"


class CommandMentions:
    """Write commands as mentions, once ids are known and while limits allow."""

    def __init__(self) -> None:
        self._ids: dict[int | None, Mapping[str, int]] = {}
        self._named: Callable[[], re.Pattern[str]] | None = None

    def name_commands(self, names: Iterable[str]) -> None:
        """Set all commands' full names, such as `order give`."""
        known = sorted(names, key=len, reverse=True)
        command = f"/(?:{'|'.join(map(re.escape, known))})(?![\\w/-])"
        code = rf"(?<!`)(?P<tick>`++)(?P<pad> ?)(?P<typed>{command})(?P<rest>[^`\n]*?)(?P=pad)(?P=tick)(?!`)"
        text = rf"{_LEFT}|{code}|(?<!`)(?P<code>`++).*?(?<!`)(?P=code)(?!`)|(?<![\w/<.-])(?P<named>{command})"
        self._named = cache(partial(re.compile, text, re.DOTALL)) if known else None  # on first use

    def learn(self, ids: Mapping[str, int], guild_id: int = 0) -> None:
        """Set command ids by first word: a server's own, or for server 0 those that every server has."""
        self._ids[guild_id] = ids

    def write(self, text: str, most: int, guild_id: int | None = None) -> str:
        """Return a text with commands as mentions; unchanged if longer than `most` then. Options in code stay code."""
        if self._named is None or "/" not in text:
            return text
        written = self._named().sub(partial(self._mention, guild_id), text)
        return written if len(written) <= most else text

    def write_embeds(self, embeds: list[discord.Embed], guild_id: int | None = None) -> list[discord.Embed]:
        """Mention commands in a message's embeds, in place."""
        room = _Room(self, MAX_EMBED_TEXT - sum(map(len, embeds)), guild_id)
        for embed in embeds:
            embed.description = embed.description and room.write(embed.description, MAX_DESCRIPTION)
            for place, field in enumerate(embed.fields):
                value = room.write(field.value or "", MAX_FIELD)
                embed.set_field_at(place, name=field.name, value=value, inline=field.inline)
        return embeds

    def write_message(self, message: dict[str, Any], guild_id: int | None = None) -> dict[str, Any]:
        """Mention commands in a message. View and embeds change in place."""
        view = message.get("view")
        if isinstance(view, ui.LayoutView):
            texts = [item for item in view.walk_children() if isinstance(item, ui.TextDisplay)]
            room = _Room(self, MAX_VIEW_TEXT - sum(len(item.content) for item in texts), guild_id)
            for item in texts:
                item.content = room.write(item.content, MAX_VIEW_TEXT)
        self.write_embeds([*message.get("embeds", ()), *([message["embed"]] if message.get("embed") else [])], guild_id)
        if message.get("content"):
            message = {**message, "content": self.write(message["content"], MAX_CONTENT, guild_id)}
        return message

    def _mention(self, guild_id: int | None, found: re.Match[str]) -> str:
        name = (found["typed"] or found["named"] or "").removeprefix("/")
        first = name.partition(" ")[0]
        number = next((ids[first] for server in (guild_id, 0) if first in (ids := self._ids.get(server, {}))), None)
        if number is None:
            return found[0]
        mention, rest = f"</{name}:{number}>", (found["rest"] or "").strip()
        code = f"{found['tick']}{found['pad']}"
        return f"{mention} {code}{rest}{code[::-1]}" if rest else mention


class _Room:
    """The characters by which a message's texts can still grow."""

    def __init__(self, mentions: CommandMentions, left: int, guild_id: int | None) -> None:
        self._mentions, self._left, self._guild_id = mentions, left, guild_id

    def write(self, text: str, most: int) -> str:
        written = self._mentions.write(text, min(most, len(text) + self._left), self._guild_id)
        self._left -= len(written) - len(text)
        return written


class Controls(ui.View):
    """Components under embeds. discord.py keeps views that aren't finished in memory; these are found by their ids."""

    def __init__(self, *items: ui.Item[Any]) -> None:
        super().__init__(timeout=None)
        for item in items:
            self.add_item(item)

    def is_finished(self) -> bool:
        """Return that nothing is to be kept."""
        return True


class Layout(ui.LayoutView):
    """A message that is a container."""

    def __init__(self, container: ui.Container[ui.LayoutView]) -> None:
        super().__init__(timeout=None)
        self.add_item(container)

    def is_finished(self) -> bool:
        """Return that nothing is to be kept."""
        return True
