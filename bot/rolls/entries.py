"""Entries about rolls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.core.entry_kinds import About, Body, EntryKind, View
from bot.rolls.embed import result_pages
from bot.rolls.entry_body import entry_audience, is_makers, is_shared
from bot.rolls.headline import outcome_line
from bot.ui.text import DOT, plain, shorten

MAX_LINE = 180


def _sentence(body: Body, view: View) -> str:
    return shorten(f"{plain(body['title'])}{DOT}{'; '.join(_outcomes(body, view))}{_amends(body, view)}", MAX_LINE)


def _results(body: Body, view: View) -> Sequence[str]:
    return [f"{outcome}{_amends(body, view)}" for outcome in _outcomes(body, view, whole=True)]


def _amends(body: Body, view: View) -> str:
    shown = "amends" in body and (view == "staff" or not body.get("amends_private"))
    return f" (amends #{body['amends']})" if shown else ""


def _outcomes(body: Body, view: View, *, whole: bool = False) -> Iterator[str]:
    """Yield what came of each part that is told; `whole` with what is told behind it in words alone."""
    for part in _told(body, view):
        more = (step["text"] for step in part["steps"] if whole and step.get("title") == "")
        told = [part["outcome"]["text"] if part["outcome"] else "not rolled", *more]
        yield outcome_line(body, part, plain(" ".join(told)), mark="")


def _told(body: Body, view: View) -> Iterator[Body]:
    """Yield the parts that are told."""
    everything = view == "staff" or body.get("public") or entry_audience(body) == "results" or is_makers(body)
    return (part for part in body["parts"] if everything or is_shared(part))


def about(body: Body, view: View) -> Iterator[About]:
    """Yield what a roll is about, as far as its parts are told: its family, where and when it was, its outcomes, and who is in it."""
    told = list(_told(body, view))
    if told:
        yield "family", body["family"]
        regions = dict.fromkeys(part.get("region", body.get("region")) for part in told)
        yield from (("region", region) for region in regions if region)
        if body.get("week") is not None:
            yield "week", body["week"]
    yield from (("outcome", part["outcome"]["text"]) for part in told if part["outcome"])
    named = {name for part in told for name in part["subjects"].values()}
    called = body.get("names", {})
    yield from (("unit", int(number)) for number, name in called.items() if view == "staff" or name in named)


ROLL = EntryKind("roll", entry_audience, _sentence, result_pages, results=_results, about=about)
