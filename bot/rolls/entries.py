"""Entries about rolls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.core.entry_kinds import Body, EntryKind, View
from bot.rolls.embed import outcome_line, result_pages
from bot.rolls.entry_body import entry_audience, is_makers, is_shared
from bot.ui.text import plain, shorten

MAX_LINE = 180


def _sentence(body: Body, view: View) -> str:
    return shorten(f"{_about(body, view)}{'; '.join(_outcomes(body, view))}", MAX_LINE)


def _results(body: Body, view: View) -> Sequence[str]:
    return [f"{_about(body, view)}{outcome}" for outcome in _outcomes(body, view, whole=True)]


def _about(body: Body, view: View) -> str:
    told = "amends" in body and (view == "staff" or not body.get("amends_private"))
    amends = f" (amends #{body['amends']})" if told else ""
    return f"{plain(body['title'])}{amends} \N{MIDDLE DOT} "


def _outcomes(body: Body, view: View, *, whole: bool = False) -> Iterator[str]:
    """Yield what came of each part that is told; `whole` with what is told behind it in words alone."""
    everything = view == "staff" or body.get("public") or entry_audience(body) == "results" or is_makers(body)
    for part in body["parts"]:
        if everything or is_shared(part):
            more = (step["text"] for step in part["steps"] if whole and step.get("title") == "")
            told = [part["outcome"]["text"] if part["outcome"] else "not rolled", *more]
            yield outcome_line(body, part, plain(" ".join(told)), mark="")


ROLL = EntryKind("roll", entry_audience, _sentence, result_pages, results=_results)
