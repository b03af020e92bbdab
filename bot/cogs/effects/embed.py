"""Effects in words: what lasts on whom, and until when; also for the card of a unit or character."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from discord.utils import format_dt
from sqlalchemy import Connection

from bot.cogs.effects.queries import LastingEffect, lasting, until_told
from bot.core import state
from bot.core.entry_kinds import Body, Pages
from bot.core.library import Library
from bot.core.profiles import Profile
from bot.core.visibility import Viewer
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, plain
from rules.books.campaign.captivity import CAPTIVE, CRACKED, FATE, INJURED
from rules.effects import EFFECT

NOTHING = "No effects that you can see."
ENDS_WITH: Mapping[str, str] = {"cracked": "until the captivity ends"}
"""What an effect without a fixed end ends with, beside being cleared."""


def list_pages(effects: Iterable[LastingEffect], *, campaign: str) -> Pages:
    """Return all effects that hold, bearer by bearer; none is left out."""
    lines = list(_lines(effects)) or [NOTHING]
    return text.paginate(text.fit_embeds("Effects", lines, colour=COLOURS["neutral"], footer=campaign))


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


def until(body: Body) -> str:
    """Return when an effect ends that an entry (its body) has set."""
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


IN_CAPTIVITY = frozenset({CRACKED.removeprefix(EFFECT), INJURED.removeprefix(EFFECT), "seriously-injured", "resisting"})
"""The effects that the captivity of somebody tells already, to whoever may know of it."""


def status(tx: Connection, library: Library, viewer: Viewer, profile: Profile) -> Iterator[str]:
    """Yield the effects that hold on somebody and that the person may know of."""
    found = lasting(tx, viewer, library.effects(tx, viewer.campaign), profile.id)
    if _shows_captivity(tx, viewer, profile):
        found = [item for item in found if item.trait not in IN_CAPTIVITY]
    if found:
        yield "\n".join(["**Effects:**", *map(line, found)])


def _shows_captivity(tx: Connection, viewer: Viewer, profile: Profile) -> bool:
    """Tell whether the card shows a captivity beside the effects."""
    may_know = viewer.person.leads(viewer.campaign) or viewer.owns(profile)
    return may_know and bool(state.get_named(tx, viewer.campaign.id, {profile.key}, {CAPTIVE, FATE}))
