"""Write down what people on a simulated server see, as plain text that reads like a chat log."""

from __future__ import annotations

import difflib
import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import simcord
from PIL import Image
from simcord.backend.access import message_accessible
from simcord.backend.models import Channel, Message
from simcord.enums import ChannelType

from bot.outbox.queue import remove_mark
from tests.support.world import World, rows

_TEXT_FILES = (".txt", ".md", ".csv", ".toml")
_SNOWFLAKE = re.compile(r"(?:<(?:@[!&]?|#))?(?<![0-9a-zA-Z])(\d{17,20})(?![0-9a-zA-Z])>?")
_TAPPED = re.compile(r"(</[a-z -]+):\d+>")
"""A command that can be tapped."""
_ID = re.compile(r" [a-z-]+:\S*")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_KINDS = {4: "text", 5: "members", 6: "roles", 7: "members or roles", 8: "channels", 19: "file"}
_STYLES = {1: "primary", 3: "green", 4: "red", 5: "link"}


class Page:
    """The log of one evening: what was done, and after each step all that changed on the server and in the ledger."""

    def __init__(self, world: World, people: dict[str, simcord.MemberActor]) -> None:
        self.world, self.people = world, people
        self.lines: list[str] = []
        self.order: list[tuple[int, int]] = []
        """Messages by channel and id, in the order in which they last changed."""
        self.entries: dict[int, int] = {}
        """The number of each campaign's newest entry."""
        self._seen: dict[tuple[int, int], Any] = {}
        self._names: dict[tuple[int, int], str] = {}
        self._described: dict[tuple[int, int], list[str]] = {}
        self._channels: dict[int, str] = {}
        self._unknown: dict[str, str] = {}

    @property
    def backend(self) -> simcord.backend.Backend:
        """The simulated Discord."""
        return self.world.env.backend

    def write(self, *lines: str) -> None:
        """Add lines."""
        self.lines += [line for text in lines for line in text.split("\n")]

    def step(self, what: str) -> None:
        """Begin a step with what somebody does."""
        self.write("", what)

    def look(self) -> None:
        """Write down all that has changed since the last look."""
        for channel in list(self.backend.channels.values()):
            self._look_at_channel(channel)
        gone = [key for key in self._seen if key[1] not in self.backend.messages.get(key[0], {})]
        for key in gone:
            self.write(f"  {self._names[key]} deleted")
            del self._seen[key]
            self.order.remove(key)
        for channel_id in list(self.backend.channels):
            for message in sorted(self.backend.messages.get(channel_id, {}).values(), key=lambda item: item.id):
                self._look_at_message(message)
        self._look_at_ledger()

    def text(self) -> str:
        """Return the whole log with the ledger at its end; ids of Discord are replaced by names."""
        known = self._known_ids()
        body = _SNOWFLAKE.sub(lambda match: self._name_of(match, known), "\n".join([*self.lines, *self._ledger()]))
        for user in self.backend.users.values():
            body = body.replace(_base36(user.id), f"{{{user.name}}}")
        return "\n".join(line.rstrip() for line in body.split("\n")).strip() + "\n"

    def readers(self, channel_id: int, message: Message | None = None) -> str:
        """Return who of those present can read a channel or message."""
        probe = message or Message(id=0, channel_id=channel_id, author_id=0)
        able = [
            name for name, actor in self.people.items() if message_accessible(self.backend, channel_id, probe, actor.id)
        ]
        return "everyone" if len(able) == len(self.people) else ", ".join(able) or "nobody here"

    def channel_name(self, channel_id: int) -> str:
        """Return what a channel, thread or direct message is called."""
        channel = self.backend.channels[channel_id]
        if channel.type == ChannelType.DM:
            return "DM to " + ", ".join(self.backend.users[user].name for user in channel.recipient_ids)
        return f"#{channel.name}"

    def _look_at_channel(self, channel: Channel) -> None:
        state, described = channel.thread_metadata, self.channel_name(channel.id)
        if state is None:
            return
        marks = [word for word, on in (("archived", state.archived), ("locked", state.locked)) if on]
        described += f" in {self.channel_name(channel.parent_id or 0)}, for {self.readers(channel.id)}"
        described += "".join(f", {mark}" for mark in marks)
        if self._channels.get(channel.id) != described:
            self.write(f"  thread {described}")
            self._channels[channel.id] = described

    def _look_at_message(self, message: Message) -> None:
        key, now = (message.channel_id, message.id), _content(message)
        before = self._seen.get(key)
        if before == now:
            return
        if before is None:
            count = sum(known[0] == key[0] for known in self._names) + 1
            self._names[key] = f"{self.channel_name(key[0])} {count}"
        else:
            self.order.remove(key)
        self._seen[key] = now
        self.order.append(key)
        lines = [_TAPPED.sub(r"\1>", line) for line in self.describe(message)]
        how, shown = ("", lines) if before is None else _edited(self._described[key], lines)
        self._described[key] = lines
        title = f"  {self._names[key]}{how}"
        private = "private to " if message.is_ephemeral else "to "
        pings = [self.backend.users[user].name for user in message.ping_user_ids]
        pings += [self.world.env.backend.get_role(self.world.guild.id, role).name for role in message.ping_role_ids]
        title += f", {private}{self.readers(message.channel_id, message)}"
        title += f", pings {', '.join(pings)}" if pings else ""
        title += ", pinned" if message.pinned else ""
        self.write(title + ":", *(f"    {line}" for line in shown))

    def describe(self, message: Message) -> Iterator[str]:
        """Yield the lines of a message: its text, embeds, components and files."""
        yield from message.content.splitlines()
        for embed in message.embeds:
            yield from (f"▌ {line}" for line in describe_embed(embed))
        yield from describe_components(message.components)
        for file in message.attachments:
            yield from self._described_file(file)

    def _described_file(self, file: dict[str, Any]) -> Iterator[str]:
        content = self.backend.cdn.get(file["url"]) or b""
        if (file["content_type"] or "").startswith("image/"):
            with Image.open(io.BytesIO(content)) as image:
                pixels = _digest(image.convert("RGBA").tobytes())
                size = f"{image.width}x{image.height}"
            yield f"picture {file['filename']} {size} pixels {pixels}: {file.get('description') or 'no alt text'}"
        elif file["filename"].endswith(_TEXT_FILES):
            yield f"file {file['filename']}:"
            yield from (f"  {line}" for line in content.decode("utf-8-sig").splitlines())
        elif file["filename"].endswith(".zip"):
            yield f"file {file['filename']}:"
            with zipfile.ZipFile(io.BytesIO(content)) as parts:
                yield from (f"  {name} {_digest(parts.read(name))}" for name in parts.namelist())
        else:
            yield f"file {file['filename']} {_digest(content)}"

    def _look_at_ledger(self) -> None:
        query = "select campaign_id, number, kind, audience from entry order by campaign_id, number"
        for campaign, number, kind, audience in rows(self.world, query):
            if number > self.entries.get(campaign, 0):
                self.entries[campaign] = number
                self.write(f"  entry {number}{_of(campaign)}: {kind}, for {audience}")

    def _ledger(self) -> Iterator[str]:
        """Yield every entry as it is kept: its header, its body, and its free texts."""
        yield from ("", "", "Ledger", "======")
        texts: dict[tuple[int, int], list[str]] = {}
        for campaign, number, text in rows(
            self.world, "select campaign_id, number, text from entry_text order by campaign_id, number, name"
        ):
            texts.setdefault((campaign, number), []).append(f"  text {text!r}")
        query = "select campaign_id, number, kind, audience, header, body from entry order by campaign_id, number"
        for campaign, number, kind, audience, header, body in rows(self.world, query):
            yield f"{number}{_of(campaign)} {kind}, for {audience}"
            yield from (f"  {header}", f"  {body}", *texts.get((campaign, number), ()))

    def _known_ids(self) -> dict[str, str]:
        guild = self.backend.guilds[self.world.guild.id]
        known = {str(user.id): user.name for user in self.backend.users.values()}
        known |= {str(role.id): role.name for role in guild.roles.values()} | {str(guild.id): guild.name}
        known |= {str(number): self.channel_name(number) for number in self.backend.channels}
        return known | {str(message): name for (_, message), name in self._names.items()}

    def _name_of(self, match: re.Match[str], known: dict[str, str]) -> str:
        name = known.get(match[1]) or self._unknown.setdefault(match[1], f"id {len(self._unknown) + 1}")
        return f"@{name}" if match[0].startswith("<@") else name


def describe_embed(embed: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of an embed."""
    for part in (embed.get("title"), embed.get("description")):
        yield from remove_mark(part or "").splitlines()
    for item in embed.get("fields") or ():
        yield f"{item['name']}: {item['value']}".replace("\n", "\n  ")
    if image := (embed.get("image") or {}).get("url"):
        yield f"picture {image.rpartition('/')[2]}"
    yield from remove_mark((embed.get("footer") or {}).get("text") or "").splitlines()


def describe_components(components: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of components: texts, buttons, selects and fields, each with its id."""
    for item in components:
        kind = item["type"]
        if kind in _LINES:
            yield from _LINES[kind](item)
        elif kind in _KINDS:
            yield _field(item)
        else:
            accessory = [item["accessory"]] if "accessory" in item else []
            yield from describe_components([*item.get("components", ()), *accessory])


def _gallery(item: dict[str, Any]) -> Iterator[str]:
    for picture in item["items"]:
        yield f"shows {picture['media']['url'].rpartition('/')[2]}: {picture.get('description') or 'no alt text'}"


def _labelled(item: dict[str, Any]) -> Iterator[str]:
    yield f"{item['label']}: {item.get('description') or ''}".rstrip(": ")
    yield from (f"  {line}" for line in describe_components([item["component"]]))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _button(item: dict[str, Any]) -> str:
    emoji = (item.get("emoji") or {}).get("name") or ""
    marks = [_STYLES[item["style"]]] if item.get("style") in _STYLES else []
    marks += ["disabled"] if item.get("disabled") else []
    label = f"{emoji} {item.get('label') or ''}".strip()
    return f"[{label}] {item.get('custom_id') or item.get('url')}" + "".join(f" ({mark})" for mark in marks)


def _select(item: dict[str, Any]) -> Iterator[str]:
    least, most = item.get("min_values", 1), item.get("max_values", 1)
    bounds = "" if (least, most) == (1, 1) else f" ({least} to {most})"
    disabled = " (disabled)" if item.get("disabled") else ""
    yield f"select {item['custom_id']}: {item.get('placeholder') or ''}{bounds}{disabled}"
    for option in item["options"]:
        mark = "(x)" if option.get("default") else "( )"
        more = f": {option['description']}" if option.get("description") else ""
        value = "" if option["value"] == option["label"] else f" = {option['value']}"
        yield f"  {mark} {option['label']}{value}{more}"


def _field(item: dict[str, Any]) -> str:
    parts = [f"{_KINDS[item['type']]} field {item['custom_id']}", item.get("label"), item.get("placeholder")]
    parts += ["needed" if item.get("required", True) else "may be left out"]
    parts += [f"{item.get('min_length') or 0} to {item['max_length']} characters"] if item.get("max_length") else []
    parts += [f"filled with {item['value']!r}"] if item.get("value") else []
    return ", ".join(part.replace("\n", " / ") for part in parts if part)


def _edited(before: Sequence[str], now: Sequence[str]) -> tuple[str, list[str]]:
    """Return how to call an edit, and the lines that it removed and added; all lines where few stayed.

    Of lines that only have another id, how they are now is enough.
    """
    same, old = ({_ID.sub("", line) for line in lines} for lines in (now, before))
    if 3 * len(same & old) < len(old):
        return " becomes", list(now)
    changes = list(difflib.unified_diff(before, now, lineterm="", n=0))[2:]
    changes = [line for line in changes if line[0] == "+" or (line[0] == "-" and _ID.sub("", line[1:]) not in same)]
    return " edited", [f"{line[0]} {line[1:]}" for line in changes]


_LINES: dict[int, Callable[[dict[str, Any]], Iterable[str]]] = {
    2: lambda item: [_button(item)],
    3: _select,
    10: lambda item: item["content"].splitlines(),
    12: _gallery,
    14: lambda _: ["---"],
    18: _labelled,
}


def _content(message: Message) -> tuple[Any, ...]:
    return message.content, message.embeds, message.components, message.attachments, message.pinned


def _of(campaign: int) -> str:
    return "" if campaign == 1 else f" of campaign {campaign}"


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
