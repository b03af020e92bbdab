"""Effects as embeds: what lasts on whom, and what was set or cleared by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import cast

from discord.utils import format_dt

from bot.cogs.effects.bodies import EffectBody, EffectSetBody
from bot.cogs.effects.ending import until_told
from bot.cogs.effects.service import LastingEffect
from bot.core.entry_kinds import Body, EntryView, Pages, View
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import DOT, plain
from rules.phrases import inside

TITLES: Mapping[str, str] = {"set": "Effect set", "clear": "Effect cleared"}
NOTHING = "No effects that you can see."
ENDS_WITH: Mapping[str, str] = {"cracked": "until the captivity ends"}
"""What an effect without a fixed end ends with, beside being cleared."""


def list_pages(effects: Iterable[LastingEffect], *, campaign: str) -> Pages:
    """Return all effects that hold, bearer by bearer; none is left out."""
    lines = list(_lines(effects)) or [NOTHING]
    return paging.pages(paging.fit("Effects", lines, colour=COLOURS["neutral"], footer=campaign))


def sentence(told: Body, _view: View = "staff") -> str:
    """Return an entry about an effect in one line."""
    body = cast("EffectBody", told)
    who, label = plain(body["who"]), plain(body["label"])
    if body["deed"] == "clear":
        return f"{who}: {inside(label)} (ended)"
    ended = "".join(f"; {plain(other)} (ended)" for other in body["ended"])
    return f"{who}: {inside(label)}, {_until_set(body)}{ended}"


def entry_pages(shown: EntryView, _view: View = "staff", name_warnings: Sequence[str] = ()) -> Pages:
    """Return an entry about an effect, with its note and with what may be a slip; such entries are the staff's."""
    body, note = shown.entry.content(), shown.entry.text("note")
    lines = [sentence(body), *([f"**Note:** {plain(note)}"] if note else []), *map(plain, name_warnings)]
    return paging.pages(paging.fit(TITLES[body["deed"]], lines, colour=COLOURS["success"], footer=entry_footer(shown)))


def line(effect: LastingEffect) -> str:
    """Return one effect: what it is, since when and until when."""
    ends = plain(effect.ends) if effect.ends else _until(effect.until, effect.at, effect.trait)
    since = [] if effect.since is None else [f"since entry #{effect.since}"]
    return f"\N{BULLET} {DOT.join([plain(effect.label), *since, ends])}"


def _lines(effects: Iterable[LastingEffect]) -> Iterator[str]:
    bearer = None
    for effect in effects:
        if effect.who != bearer:
            bearer = effect.who
            yield f"**{plain(bearer)}**"
        yield line(effect)


def _until_set(body: EffectSetBody) -> str:
    if "scene" in body:
        return plain(until_told(body, body["who"]))
    return _until(body["until"], body.get("at"), "")


def _until(update: str | None, at: str | None, trait: str) -> str:
    if at is not None:
        time = datetime.fromisoformat(at)
        return f"until {format_dt(time, 'f')} ({format_dt(time, 'R')})"
    if update is not None:
        return f"until the end of {plain(update)}"
    return ENDS_WITH.get(trait, "until it is cleared")
