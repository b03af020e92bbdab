"""A fight as it stands, as a message for whoever looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from discord import ui

from bot.cogs.roe.fights import buttons
from bot.cogs.roe.fights.embed import choosing_line, fight_lines
from bot.cogs.roe.fights.looking import Look
from bot.outbox.queue import Buttons
from bot.ui.colours import COLOURS
from bot.ui.receipt import receipt
from bot.ui.text import listing, plain, within
from rules.books.roe.explosives import Fuse

ROOM_FOR_FIGHT = 3700
"""Characters of a fight as it stands, under Discord's 4,000 in all."""


def fight_view(
    seen: Look, waits: str | None, more: Sequence[str] = (), extra: Sequence[ui.Button[ui.LayoutView]] = ()
) -> ui.LayoutView:
    """Return a fight as it stands for whoever looks at it, with what they can do in it; `more` and `extra` come last.

    What of the turn `waits` for others' answers is told in place of the button that would end it.
    """
    shown = seen.shown
    more = [*more, *([plain(waits)] if waits else [])]
    stands = [*fight_lines(shown, choosing(seen), seen.people.keys() - seen.open)]
    lines = [*within(ROOM_FOR_FIGHT - sum(len(line) + 1 for line in more), stands), *more]
    return receipt(plain(shown.name), lines, COLOURS["neutral"], [*steps(seen, waits=waits is not None), *extra])


def unspent_view(seen: Look, left: list[str]) -> ui.LayoutView:
    """Return the question whether a turn ends with so much of it unspent."""
    now = seen.shown.combatant(int(seen.shown.now or 0))
    offered = buttons.end_all_the_same(seen.campaign.id, seen.shown)
    pressed = [
        ui.Button[Any](label=label, custom_id=key, style=discord.ButtonStyle(style)) for label, key, style in offered
    ]
    title = f"End {plain(now.name)}'s turn?" if now else "End the turn?"
    return receipt(title, [f"Still unused: {listing(left)}."], COLOURS["neutral"], pressed)


def choosing(seen: Look) -> str | None:
    """Return who has still to say how a fight is settled, as a line; None where that is said."""
    shown = seen.shown
    defender = shown.combatant(shown.header.defender)
    return choosing_line(defender.name if defender else None) if shown.header.mode is None else None


def asked(seen: Look) -> Buttons:
    """Return what a fight asks of whoever looks at it: how it is settled, or whether they agree to what is proposed."""
    header, campaign = seen.fight.header, seen.campaign
    if header.mode is None and seen.acts_for(header.defender):
        return buttons.choices(campaign.id, header.entry)
    if header.votes is not None and (not {*seen.votes} <= {*header.votes.yes} or seen.decides):
        return buttons.answers(campaign.id, header.entry, header.votes.entry)
    return ()


def steps(seen: Look, due: Mapping[str, Fuse] | None = None, *, waits: bool = False) -> Iterator[ui.Button[Any]]:
    """Yield what whoever looks at a fight can do in it now; `due` are the grenades that explode with the turn.

    The turn is not ended while something of it `waits` for others' answers.
    """
    shown = seen.shown
    mine = not waits and isinstance(shown.now, int) and seen.acts_for(shown.now)
    own = {name: item for name, item in (due or {}).items() if seen.acts_for(item.of)}
    exploding = buttons.explosions(seen.campaign.id, shown, own)
    for label, key, style in (*(buttons.of_turn(seen.campaign.id, shown) if mine else ()), *exploding, *asked(seen)):
        yield ui.Button(label=label, custom_id=key, style=discord.ButtonStyle(style))
