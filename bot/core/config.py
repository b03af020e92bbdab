"""Settings, from the environment and a `.env` file; logging, one line per record; and stopping the process."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import re
import signal
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from bot.core.errors import StartError


@dataclass(frozen=True, slots=True)
class Pace:
    """How many requests at once, and how many per second."""

    burst: int
    rate: float

    @classmethod
    def read(cls, text: str) -> Pace | None:
        """Return the pace from `20+2`, None for `off`, or raise ValueError."""
        if text.strip() == "off":
            return None
        found = re.fullmatch(r"(\d{1,5})\+(\d{1,5}(?:\.\d{1,3})?)", text.strip(), re.ASCII)
        if found is None or int(found[1]) < 1 or float(found[2]) <= 0:
            raise ValueError("Input should be how many at once and a second, such as 20+2, or off")
        return cls(int(found[1]), float(found[2]))

    def __str__(self) -> str:
        return f"{self.burst}+{self.rate:g}"

    def times(self, factor: int) -> Pace:
        """Return a pace this many times as fast."""
        return Pace(self.burst * factor, self.rate * factor)

    @property
    def refill(self) -> float:
        """How many seconds an empty bucket needs until it is full."""
        return self.burst / self.rate


SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)  # the last on Windows only: Ctrl-Break, and what a service gets


def call_on_stop(stop: Callable[[], object]) -> None:
    """Call `stop` when the process should stop, on Windows too."""
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # the loops of Windows
            signal.signal(number, partial(_stop_soon, loop, stop))


def _stop_soon(loop: asyncio.AbstractEventLoop, stop: Callable[[], object], *_: object) -> None:
    loop.call_soon_threadsafe(stop)


_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


_ENCODER = json.JSONEncoder(default=str, ensure_ascii=False)


class Line(logging.Formatter):
    """A log record as one line of text or JSON."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return a record's line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = {name: value for name, value in vars(record).items() if name not in _PLAIN}
        head = {"at": at, "level": record.levelname.lower(), "logger": record.name, "event": record.getMessage()}
        if self._as_json:
            failure = {"exception": self.formatException(record.exc_info)} if record.exc_info else {}
            return _ENCODER.encode({**head, **fields, **failure})
        pairs = " ".join(f"{name}={value}" for name, value in fields.items())
        line = f"{at} {head['level']:7} {head['event']}  {pairs}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def configure(level: str, style: Literal["auto", "json", "text"], file: Path | None = None) -> None:
    """Log to standard output or a file, or raise OSError."""
    as_json = style == "json" or (style == "auto" and (file is not None or not sys.stdout.isatty()))
    handler: logging.Handler = logging.StreamHandler(sys.stdout)
    if file is not None:
        from bot.core.daily_log import DailyFile  # noqa: PLC0415 - most start without such a file

        handler = DailyFile(file)
    handler.setFormatter(Line(as_json=as_json))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("aiosqlite", "alembic", "discord.gateway", "discord.client"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLevelName(level)))


T = TypeVar("T")
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
LogFormat = Literal["auto", "json", "text"]
Switch = Literal["on", "off"]
FILE = Path(".env")
SECRET_BYTES = 32
LAST_PORT = 65535
FONTS = {b"\0\1\0\0", b"OTTO", b"true", b"ttcf"}
SECRETS = ("discord_token", "secrets_key", "database_url")


@dataclass(frozen=True, slots=True)
class Shards:
    """A process's shards, `first` to `last` of all."""

    first: int
    last: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shards:
        """Return shards from `0-3/16` or `2/3`, or raise ValueError."""
        found = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?/(\d{1,5})", text.strip(), re.ASCII)
        if found is None:
            raise ValueError("Input should be shards of how many in all, such as 0-3/16 or 2/3")
        first, last, count = int(found[1]), int(found[2] or found[1]), int(found[3])
        if not first <= last < count:
            raise ValueError(f"Of {count} shards the first is 0 and the last {count - 1}, not {first} to {last}")
        return cls(first, last, count)

    def ids(self) -> list[int]:
        """Return the shards' numbers, from 0."""
        return list(range(self.first, self.last + 1))


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens; port 0 is any."""

    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Address:
        """Return an address from `9464` or `[::1]:9464`, or raise ValueError."""
        host, _, port = text.strip().rpartition(":")
        if not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > LAST_PORT:
            raise ValueError("Input should be a port, such as 9464, or an address with one, such as 0.0.0.0:9464")
        return cls(host.strip("[]") or "127.0.0.1", int(port))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, as listed in `.env.example` with the same texts."""

    discord_token: str = field(default="", repr=False)
    """The bot's token from Discord's developer portal."""
    discord_token_file: Path | None = None
    """A file with the token, such as a Docker secret; read when DISCORD_TOKEN isn't set."""
    database_url: str = field(default="sqlite+aiosqlite:///adjutant.db", repr=False)  # it can hold a password
    """Where campaigns are kept: an SQLite file, or a PostgreSQL server (postgresql://...)."""
    log_level: LogLevel = "INFO"
    """The lowest level that is logged."""
    log_format: LogFormat = "auto"
    """How log lines look; auto is text on a terminal and JSON elsewhere."""
    log_file: Path | None = None
    """A file to log to instead of standard output; a new one each day, kept for 30 days."""
    health_port: Address | None = None
    """A port for health checks and metrics on this machine, such as 9464; 0.0.0.0:9464 also answers other machines."""
    backups: Path | None = Path("backups")
    """The folder for the daily backups, or off."""
    backups_kept: int = 7
    """How many backups are kept in that folder."""
    removed_servers_kept: int | None = 30
    """Days until the campaigns of a server that removed the bot are deleted, or off to keep them."""
    secrets_key: bytes | None = field(default=None, repr=False)
    """Encrypts the random.org keys of campaigns: 32 random bytes as base64 (openssl rand -base64 32)."""
    random_org_url: str = "https://api.random.org/json-rpc/4/invoke"
    """Where random.org is asked, for campaigns with a key."""
    sheet_links: Switch = "on"
    """Whether rosters can be imported by a link to a public Google sheet, on or off."""
    shards: Shards | None = None
    """The Discord shards this process serves, such as 0-3/16; all of them if not set."""
    member_limit: Pace | None = Pace(20, 2)
    """Commands and presses one member may make: at once + per second, or off."""
    server_limit: Pace | None = Pace(60, 20)
    """The same for all members of one server together, or off."""
    font_file: Path | None = None
    """A second font for pictures (TTF or OTF), for letters that Noto Sans lacks, such as Chinese or Arabic."""
    rules_overlays: Sequence[Path] = ()
    """House rules for every campaign: overlay files, as a JSON list of paths."""
    web_host: str = "127.0.0.1"
    """Where `adjutant web` listens; 0.0.0.0 also answers other machines."""
    web_port: int = 8080
    """The port of `adjutant web`."""
    public_url: str = ""
    """The address under which people reach `adjutant web`, such as https://games.example."""


def read() -> Settings:
    """Return the settings; the environment wins over the file."""
    given, values, faults = _read_given(), {}, []
    for name in (item.name for item in fields(Settings)):
        if name in given:
            try:
                values[name] = _READERS.get(name, str)(given[name])
            except ValueError as error:
                faults.append(f"{name.upper()}: {error}")
    if faults:
        raise StartError(f"A setting is wrong. {'; '.join(faults)}. See .env.example.")
    settings = Settings(**values)
    if settings.discord_token or settings.discord_token_file is None:
        return settings
    try:
        return replace(settings, discord_token=settings.discord_token_file.read_text("utf-8-sig").strip())
    except (OSError, ValueError) as error:
        raise StartError(f"DISCORD_TOKEN_FILE can't be read: {error}.") from error


def _read_given() -> dict[str, str]:
    written: Mapping[str, str | None] = {}
    if FILE.is_file():
        from dotenv import dotenv_values  # noqa: PLC0415 - most start without such a file

        written = dotenv_values(FILE, encoding="utf-8")
        _require_private(written)
    return {name.lower(): value for source in (written, os.environ) for name, value in source.items() if value}


def _require_private(written: Mapping[str, str | None]) -> None:
    # Refuse a file with secrets that other users can read.
    others = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH
    if os.name != "posix" or not FILE.stat().st_mode & others:
        return
    held = sorted(name.upper() for name, value in written.items() if value and name.lower() in SECRETS)
    if held:
        raise StartError(
            f"Other users on this machine can read or change {FILE}, with {', '.join(held)}. "
            f"Make it private: chmod 600 {FILE}"
        )


def _one_of(known: Sequence[str], value: str) -> str:
    if value not in known:
        *most, last = (f"'{item}'" for item in known)
        raise ValueError(f"Input should be {', '.join(most)} or {last}")
    return value


def _paths(value: str) -> list[Path]:
    try:
        found = json.loads(value)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ValueError("Input should be a JSON list of paths")
    return [Path(item) for item in found]


def _font(value: str) -> Path:
    file = Path(value)
    try:
        with file.open("rb") as opened:
            begins = opened.read(4)
    except OSError as error:
        raise ValueError(f"The font can't be read: {error}") from error
    if begins not in FONTS:
        raise ValueError("Input should be a font file, TTF or OTF")
    return file


def _or_off(read: Callable[[str], T], value: str) -> T | None:
    return None if value.strip() == "off" else read(value)


def _count(value: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,3}", value.strip()):
        raise ValueError("Input should be a number from 1 to 9999")
    return int(value)


def _port(value: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,4}", value.strip()) or int(value) > LAST_PORT:
        raise ValueError(f"Input should be a number from 1 to {LAST_PORT}")
    return int(value)


def _public_url(value: str) -> str:
    if not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9._~-]+)*/?", value.strip()):
        raise ValueError("Input should be an address, such as https://games.example")
    return value.strip().rstrip("/")


def _secret(value: str) -> bytes:
    try:
        key = base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        key = b""
    if len(key) != SECRET_BYTES:  # what was given may be most of a key, and isn't repeated
        example = f"such as `openssl rand -base64 {SECRET_BYTES}` prints"
        raise ValueError(f"Input should be {SECRET_BYTES} random bytes as base64, {example}")
    return key


_READERS: Mapping[str, Callable[[str], Any]] = {
    "log_level": partial(_one_of, get_args(LogLevel)),
    "log_format": partial(_one_of, get_args(LogFormat)),
    "discord_token_file": Path,
    "log_file": Path,
    "health_port": Address.read,
    "backups": partial(_or_off, Path),
    "backups_kept": _count,
    "removed_servers_kept": partial(_or_off, _count),
    "secrets_key": _secret,
    "sheet_links": partial(_one_of, get_args(Switch)),
    "shards": Shards.read,
    "member_limit": Pace.read,
    "server_limit": Pace.read,
    "font_file": _font,
    "rules_overlays": _paths,
    "web_port": _port,
    "public_url": _public_url,
}
