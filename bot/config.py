"""Settings, read from the environment and from a `.env` file in the working directory."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from bot.errors import StartError

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
LogFormat = Literal["auto", "json", "text"]
MEANING = "meaning"
FILE = Path(".env")
SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting of Adjutant; the meanings stand in `.env.example` too."""

    discord_token: str = field(
        default="", repr=False, metadata={MEANING: "The bot's token from Discord's developer portal."}
    )
    database_url: str = field(
        default="sqlite+aiosqlite:///adjutant.db",
        metadata={MEANING: "Where campaigns are kept: an SQLite file, or a PostgreSQL server (postgresql://...)."},
    )
    log_level: LogLevel = field(default="INFO", metadata={MEANING: "The least level that is logged."})
    log_format: LogFormat = field(
        default="auto", metadata={MEANING: "How log lines look; auto is text on a terminal and JSON elsewhere."}
    )
    log_file: Path | None = field(
        default=None,
        metadata={MEANING: "A file to log to instead of standard output; each day gets its own, for 30 days."},
    )
    heartbeat_file: Path | None = field(
        default=None,
        metadata={MEANING: "A file touched every 15 seconds while Discord is connected; `adjutant health` reads it."},
    )
    secrets_key: bytes | None = field(
        default=None,
        repr=False,
        metadata={
            MEANING: "What secrets of campaigns are encrypted with, such as their keys for random.org: 32 random bytes as base64."
        },
    )
    random_org_url: str = field(
        default="https://api.random.org/json-rpc/4/invoke",
        metadata={MEANING: "Where random.org is asked, for campaigns that have given a key of theirs."},
    )
    rules_overlays: Sequence[Path] = field(
        default=(),
        metadata={MEANING: "House rules: overlay files laid over the rule books, as a JSON list of paths."},
    )


def read() -> Settings:
    """Return the settings; what is empty counts as not set, and the environment before the file.

    Raises:
        StartError: one of them cannot be used.

    """
    given, values, faults = _given(), {}, []
    for name in (item.name for item in fields(Settings)):
        if name in given:
            try:
                values[name] = _READERS.get(name, str)(given[name])
            except ValueError as error:
                faults.append(f"{name.upper()}: {error}")
    if faults:
        raise StartError(
            f"A setting cannot be used. {'; '.join(faults)}. See .env.example for the values that it takes."
        )
    return Settings(**values)


def _given() -> dict[str, str]:
    """Return what is set, by names in small letters."""
    written: Mapping[str, str | None] = {}
    if FILE.is_file():
        from dotenv import dotenv_values  # noqa: PLC0415 - most start without such a file

        written = dotenv_values(FILE, encoding="utf-8")
    return {name.lower(): value for source in (written, os.environ) for name, value in source.items() if value}


def _one_of(known: Sequence[str]) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in known:
            *most, last = (f"'{item}'" for item in known)
            raise ValueError(f"Input should be {', '.join(most)} or {last}")
        return value

    return check


def _paths(value: str) -> list[Path]:
    fault = "Input should be a JSON list of paths"
    try:
        found = json.loads(value)
    except ValueError as error:
        raise ValueError(fault) from error
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ValueError(fault)
    return [Path(item) for item in found]


def _secret(value: str) -> bytes:
    fault = (
        f"Input should be {SECRET_BYTES} random bytes as base64, such as `openssl rand -base64 {SECRET_BYTES}` prints"
    )
    try:
        key = base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        key = b""
    if len(key) != SECRET_BYTES:
        raise ValueError(fault)  # what was given may be most of a key, and is not repeated
    return key


_READERS: Mapping[str, Callable[[str], Any]] = {
    "log_level": _one_of(get_args(LogLevel)),
    "log_format": _one_of(get_args(LogFormat)),
    "log_file": Path,
    "heartbeat_file": Path,
    "secrets_key": _secret,
    "rules_overlays": _paths,
}
