"""Fights on the desk of the week: those that wait for somebody's word, or for somebody who was called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, starmap

from discord import ButtonStyle, ui
from sqlalchemy import Connection

from bot.cogs.roe.fights import buttons
from bot.cogs.roe.fights.embed import PROPOSED
from bot.cogs.roe.fights.looking import BOOK, FIGHTS, Look, looked_at
from bot.cogs.roe.fights.views import asked
from bot.core import profiles, scenes
from bot.core.library import Library
from bot.core.profiles import Profile
from bot.core.visibility import Viewer
from bot.ui.parsing import MAX_CHOICE
from bot.ui.text import DOT, listing, plain, shorten
from bot.ui.todo import FEW, Item, Todo, few
from rules.books.roe import calls
from rules.phrases import inside
from rules.scenes import Participant

MOST_COMING = 2
"""How many have a button each who were called into one fight; further ones come by the call's own, or by `/fight join`."""
MAX_LABEL = 80
"""The characters of a button's label."""


def open_fights(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the fights that wait for the viewer's choice or answer; for game masters all that wait for anybody's."""
    campaign = viewer.campaign
    if BOOK not in campaign.books:
        return
    fights = [looked_at(tx, viewer, item) for item in scenes.running(tx, campaign.id, FIGHTS)]
    waiting = [(item, _called(tx, item)) for item in fights]
    found = [(item, called) for item, called in waiting if called or asked(item) or (item.leads and _waits(item))]
    if found:
        lines = few(starmap(_line, found), len(found), "/fight show")
        yield Todo("Fights waiting", lines, [row for each in found[:FEW] if (row := _row(*each))])


def _called(tx: Connection, seen: Look) -> list[Profile]:
    """Return who was called into a fight and has not said yet that they come: the viewer's own, for game masters all, by callers they know of."""
    numbers = calls.wanted(seen.shown)
    people = profiles.read(tx, seen.campaign.id, numbers) if numbers else {}
    return [item for item in people.values() if seen.leads or seen.viewer.owns(item)]


def _waits(seen: Look) -> bool:
    """Return whether a fight waits for anybody: for a choice, for an answer, or for a turn of which the others do not know."""
    return seen.fight.header.mode is None or seen.fight.header.votes is not None or _secret_turn(seen) is not None


def _secret_turn(seen: Look) -> Participant | None:
    """Return who has a turn of which only game masters know."""
    return next((item for item in seen.fight.roster if item.id == seen.fight.now and item.id not in seen.open), None)


def _line(seen: Look, called: Sequence[Profile]) -> str:
    header, hidden = seen.fight.header, _secret_turn(seen) if seen.leads else None
    words = [f"**{plain(header.name)}**{f' in <#{header.channel}>' if header.channel else ''}"]
    words += ["the defender chooses dice or free-form"] if header.mode is None else []
    words += [f"vote: {inside(PROPOSED[header.votes.aim])}?"] if header.votes else []
    words += [f"it's **{plain(hidden.name)}**'s turn (hidden from players)"] if header.mode and hidden else []
    words += [f"called for aid, waiting for Come: {listing([plain(item.name) for item in called])}"] if called else []
    return DOT.join(words)


def _row(seen: Look, called: Sequence[Profile]) -> list[Item]:
    name, header = shorten(seen.fight.name, MAX_CHOICE // 2), seen.fight.header
    says = {item.id: item.name for item in called if seen.viewer.owns(item) or item.owner is None}
    comings = buttons.comings(seen.campaign.id, header.entry, dict(islice(says.items(), MOST_COMING)))
    return [
        ui.Button(label=shorten(f"{label}: {name}", MAX_LABEL), custom_id=key, style=ButtonStyle(style))
        for label, key, style in (*asked(seen), *comings)
    ]
