"""Entries about house rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, cast

from bot.cogs.house_rules.embed import SHOWN, closed_lines, describe_origin
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui.entries import plain_pages
from bot.ui.text import plain
from rules.book import HOUSE


class HouseRulesBody(TypedDict):
    """The body of an entry: a file was switched on or off.

    `file` is what it was called when it was sent, `extends` the id of the book that it changes or adds to, `tables` what it
    brings, id to title. `replaced` is the fingerprint of the version that was on before. `edited` are settings of the
    campaign that changed with it, each with `before` and `after`; entries of the first releases have none.
    """

    deed: Literal["on", "off"]
    name: str
    version: int
    fingerprint: str
    file: str
    extends: str
    tables: dict[str, str]
    replaced: str | None
    edited: NotRequired[Mapping[str, Any]]


def _describe(body: HouseRulesBody) -> str:
    how = "switched on" if body["deed"] == "on" else "switched off"
    instead = ", replacing the version before" if body["replaced"] else ""
    return f"House rules {plain(body['name'])} v{body['version']} {how}{instead}"


def _lines(body: HouseRulesBody, view: View) -> list[str]:
    """Return an entry in full; which tables there are, players see elsewhere."""
    if view == "public":
        return [_describe(body), f"-# Fingerprint {body['fingerprint'][:SHOWN]}"]
    tables = [f"\N{BULLET} {plain(title)} (`{name}`)" for name, title in body["tables"].items()]
    where = "Own tables" if body["extends"] == HOUSE else f"Over the book {body['extends']}"
    may = body.get("edited", {}).get("players_may", {"before": [], "after": []})  # of old entries none has it
    closed = closed_lines([name for name in may["before"] if name not in may["after"]])
    sent = f"{where}, {describe_origin(body['file'])}"
    return [_describe(body), sent, *tables, *closed, f"-# Fingerprint {body['fingerprint'][:SHOWN]}"]


def _sentence(body: Body, _view: View) -> str:
    return _describe(cast("HouseRulesBody", body))


def _pages(shown: EntryView, view: View) -> Pages:
    return plain_pages(shown, "House rules", _lines(cast("HouseRulesBody", shown.entry.content()), view))


HOUSE_RULES_CHANGED = EntryKind("house", "results", _sentence, _pages)
