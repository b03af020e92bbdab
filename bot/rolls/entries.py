"""Entries about rolls."""

from __future__ import annotations

from bot.core.entry_kinds import Body, EntryKind, View
from bot.rolls.embed import headline, result_pages
from bot.rolls.entry_body import entry_audience, is_makers, is_shared
from bot.ui.text import plain, shorten

MAX_LINE = 180


def _sentence(body: Body, view: View) -> str:
    whole = view == "staff" or body.get("public") or entry_audience(body) == "results" or is_makers(body)
    parts = [part for part in body["parts"] if whole or is_shared(part)]
    outcomes = "; ".join(
        f"{headline(body, part, mark='')}: {plain(part['outcome']['text']) if part['outcome'] else 'not rolled'}"
        for part in parts
    )
    told = "amends" in body and (view == "staff" or not body.get("amends_private"))
    amends = f" (amends #{body['amends']})" if told else ""
    return shorten(f"{plain(body['title'])}{amends} \N{MIDDLE DOT} {outcomes}", MAX_LINE)


ROLL = EntryKind("roll", entry_audience, _sentence, result_pages)
