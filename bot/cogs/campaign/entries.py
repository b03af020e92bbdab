"""Entries about a campaign and its settings."""

from __future__ import annotations

from typing import Any

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages
from bot.ui.text import plain

_FIELDS = {
    "name": "Name",
    "books": "Books",
    "timezone": "Time zone",
    "results_channel_id": "Results channel",
    "staff_channel_id": "Staff channel",
    "game_master_role_id": "Game master role",
    "player_role_id": "Player role",
    "players_may": "Players may",
    "writeup_threads": "Threads for write-ups",
}


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Campaign settings", _settings_lines(shown.entry.content()))


def _sentence(body: Body, _view: View) -> str:
    if "archived" in body:
        return "Campaign archived" if body["archived"] else "Campaign taken back from the archive"
    if "bound" in body or "unbound" in body:
        return f"<#{body.get('bound') or body['unbound']}> {'bound' if 'bound' in body else 'unbound'}"
    return "Campaign created" if "created" in body else "Campaign settings changed"


def _settings_lines(body: Any) -> list[str]:  # noqa: ANN401
    if "created" in body:
        return [f"**{_FIELDS[field]}:** {_value(field, value)}" for field, value in body["created"].items()]
    if "edited" in body:
        return [
            f"**{_FIELDS[field]}:** {_value(field, change['before'])} \N{RIGHTWARDS ARROW} {_value(field, change['after'])}"
            for field, change in body["edited"].items()
        ]
    return [_sentence(body, "staff")]


def _value(field: str, value: Any) -> str:  # noqa: ANN401
    if not value:
        return "none"
    if field.endswith("channel_id"):
        return f"<#{value}>"
    if field.endswith("role_id"):
        return f"<@&{value}>"
    return plain(", ".join(value) if isinstance(value, list) else value)


CAMPAIGN = EntryKind("campaign", "staff", _sentence, _pages)
