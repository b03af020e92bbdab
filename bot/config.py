"""Settings, read from the environment and from a `.env` file beside the working directory."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import StartError


def read() -> Settings:
    """Return the settings.

    Raises:
        StartError: one of them cannot be used.

    """
    try:
        return Settings()
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, item['loc'])).upper()}: {item['msg']}" for item in error.errors())
        raise StartError(
            f"A setting cannot be used. {faults}. See .env.example for the values that it takes."
        ) from error


class Settings(BaseSettings):
    """Every setting of Adjutant; the descriptions stand in `.env.example` too."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True)

    discord_token: SecretStr = Field(SecretStr(""), description="The bot's token from Discord's developer portal.")
    database_url: str = Field(
        "sqlite+aiosqlite:///adjutant.db",
        description="Where campaigns are kept: an SQLite file, or a PostgreSQL server (postgresql://...).",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="The least level that is logged."
    )
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="How log lines look; auto is text on a terminal and JSON elsewhere."
    )
    heartbeat_file: Path | None = Field(
        None, description="A file touched every 15 seconds while Discord is connected; `adjutant health` reads it."
    )
    rules_overlays: list[Path] = Field(
        default_factory=list,
        description="House rules: overlay files laid over the rule books, as a JSON list of paths.",
    )
