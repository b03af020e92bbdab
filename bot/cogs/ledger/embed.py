"""Any entry of the ledger as embeds, and as one line of a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import discord

from bot.cogs.battles import embed as battles
from bot.cogs.captives import embed as captives
from bot.cogs.effects import embed as effects
from bot.cogs.house_rules import embed as house_rules
from bot.cogs.roster import embed as roster
from bot.cogs.weather import category_embed
from bot.cogs.weather.embed import digest_pages
from bot.cogs.writeups import embed as writeups
from bot.core.entry_kinds import EntryView, View
from bot.core.records import Entry
from bot.rolls.embed import headline, result_pages
from bot.schedules.embed import schedule_sentence
from bot.schedules.store import SCHEDULE
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import plain, shorten
from rules.climate import category_label

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
_MAX_LINE = 180

ROLLS: Mapping[str, Callable[[EntryView, View], list[list[discord.Embed]]]] = {"weather": digest_pages}
"""Roll families that are told otherwise than part by part."""

SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "weather": category_embed.sentence,
    "void": lambda body: captives.sentence(body) if "captive" in body else category_embed.sentence(body),
    "captive": captives.sentence,
    "unit": roster.sentence,
    "effect": effects.sentence,
    "writeup": writeups.sentence,
    "battle": battles.sentence,
    "house": house_rules.sentence,
    "schedule": schedule_sentence,
}
"""Entries whose one line is told elsewhere, by kind."""

PAGES: Mapping[str, Callable[[EntryView], list[list[discord.Embed]]]] = {
    "effect": effects.entry_pages,
    "writeup": writeups.entry_pages,
}
"""Entries that are told elsewhere whole, by kind."""


def entry_pages(shown: EntryView, view: View) -> list[list[discord.Embed]]:
    """The messages that show an entry of whatever kind."""
    body = shown.entry.content()
    if shown.entry.kind == "roll":
        return ROLLS.get(body["family"], result_pages)(shown, view)
    if "captive" in body:
        return captives.entry_pages(shown)
    if shown.entry.kind == "battle":
        return battles.entry_pages(shown, view)
    if shown.entry.kind in PAGES:
        return PAGES[shown.entry.kind](shown)
    if shown.entry.kind in {"weather", "void"}:
        return paging.pages(_changed_by_hand(shown, view))
    title = {
        "campaign": "Campaign settings",
        "update": "Update closed",
        "publication": "Result published",
        "schedule": "Schedule",
        "unit": "Units and characters",
        "house": "House rules",
    }
    footer = f"Entry #{shown.entry.number} \N{MIDDLE DOT} {shown.campaign}"
    in_full: Callable[[Any], list[str]] = partial(house_rules.entry_lines, view=view)
    told = {"campaign": _settings_lines, "unit": roster.lines, "house": in_full}.get(shown.entry.kind)
    lines = told(body) if told else [_sentence(shown.entry.kind, body)]
    return paging.pages(paging.fit(title[shown.entry.kind], lines, colour=COLOURS["neutral"], footer=footer))


def entry_line(shown: EntryView, view: View, *, who: int | None) -> str:
    """One line for a list: number, when, what, by whom, and what has voided it."""
    entry = shown.entry
    body = entry.content()
    stamp = discord.utils.format_dt(entry.at, "d")
    by = "" if who is None else f" \N{MIDDLE DOT} {'by schedule' if who == SCHEDULE else f'<@{who}>'}"
    void = f" \N{MIDDLE DOT} *void by #{shown.voided}*" if shown.voided is not None else ""
    return f"**#{entry.number}** {stamp} {_gist(entry, body, view)}{by}{void}"


def _gist(entry: Entry, body: Any, view: View) -> str:  # noqa: ANN401
    if entry.kind != "roll":
        return _sentence(entry.kind, body)
    if "weather" in body:
        zones = [f"{plain(zone['label'])} {category_label(zone['outcome'])}" for zone in body["weather"]["zones"]]
        return shorten(f"Weather of week {body['weather']['week']} \N{MIDDLE DOT} {', '.join(zones)}", _MAX_LINE)
    parts = [
        part
        for part in body["parts"]
        if view == "staff" or part["audience"] == "results" or entry.audience == "results"
    ]
    told = "; ".join(
        f"{headline(body, part, mark='')}: {plain(part['outcome']['text']) if part['outcome'] else 'not rolled'}"
        for part in parts
    )
    return shorten(f"{plain(body['title'])} \N{MIDDLE DOT} {told}", _MAX_LINE)


def _sentence(kind: str, body: Any) -> str:  # noqa: ANN401
    if kind in SENTENCES:
        return SENTENCES[kind](body)
    if kind == "update":
        return f"{plain(body['closed']['name'])} closed, {plain(body['opened']['name'])} begun"
    if kind == "publication":
        return f"Entry #{body['entry']} published"
    if "archived" in body:
        return "Campaign archived" if body["archived"] else "Campaign taken back from the archive"
    if "bound" in body or "unbound" in body:
        return f"<#{body.get('bound') or body['unbound']}> {'bound' if 'bound' in body else 'unbound'}"
    return "Campaign created" if "created" in body else "Campaign settings changed"


def _changed_by_hand(shown: EntryView, view: View) -> list[discord.Embed]:
    """What was set or taken back, and to the staff why."""
    embeds = category_embed.notice(shown.entry.content(), campaign=shown.campaign, number=shown.entry.number)
    reason = shown.entry.text("reason") if view == "staff" else None
    if reason:
        embeds.append(discord.Embed(description=f"**Reason:** {plain(reason)}", colour=COLOURS["neutral"]))
    return embeds


def _settings_lines(body: Any) -> list[str]:  # noqa: ANN401
    if "created" in body:
        return [f"**{_FIELDS[field]}:** {_value(field, value)}" for field, value in body["created"].items()]
    if "edited" in body:
        return [
            f"**{_FIELDS[field]}:** {_value(field, change['before'])} \N{RIGHTWARDS ARROW} {_value(field, change['after'])}"
            for field, change in body["edited"].items()
        ]
    return [_sentence("campaign", body)]


def _value(field: str, value: Any) -> str:  # noqa: ANN401
    if not value:
        return "none"
    if field.endswith("channel_id"):
        return f"<#{value}>"
    if field.endswith("role_id"):
        return f"<@&{value}>"
    return plain(", ".join(value) if isinstance(value, list) else value)
