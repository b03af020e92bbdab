"""How somebody is after a fight, as far as somebody else may know: HP, wounds, debt, captivity, and what else lasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import discord
from discord.utils import format_dt
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import acting
from bot.cogs.roe.after.held import next_try
from bot.cogs.roe.fight_view import BOOK, campaign_with_fights
from bot.core import knowledge, profiles, state, subjects
from bot.core.campaigns import locate
from bot.core.library import Library, effect_label
from bot.core.permissions import Person, now_of
from bot.core.profiles import Profile
from bot.core.visibility import Viewer, find_known, viewer_of
from bot.ui.colours import COLOURS
from bot.ui.text import plain
from rules.book import Book, Effect
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe.health import HEALTH
from rules.books.roe.prisoners import WOUNDED
from rules.effects import EFFECT
from rules.ends import Moment, holds

MORTAL = f"{EFFECT}mortally-wounded"


class Shown(Struct, frozen=True):
    """Somebody as seen by a viewer: what is kept of them that the viewer may know, when, and the book."""

    viewer: Viewer
    item: Profile
    kept: Mapping[str, Any]
    now: Moment
    book: Book
    effects: Mapping[str, Effect]


def shown(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str | None
) -> discord.Embed:
    """Return how somebody is: who is named, or the person's own character.

    Raises:
        UserError: there is nobody of that name, or it could be several.

    """
    seen = _seen(tx, library, person, channels, named)
    lines = [*_wounds(seen), *_captivity(tx, seen), *_effects(seen)] or ["No wounds or effects."]
    wounded = WOUNDED in seen.kept
    colour = COLOURS["danger" if wounded else "neutral"]
    embed = discord.Embed(title=plain(seen.item.name), description="\n".join(lines), colour=colour)
    return embed.set_footer(text=seen.viewer.campaign.name)


def _seen(tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str | None) -> Shown:
    campaign = campaign_with_fights(tx, library, person, locate(tx, person.guild_id, channels).id, lock=False)
    viewer = viewer_of(tx, person, campaign)
    if named is None:
        item = acting(tx, library, person, channels, None).actor
    else:
        known = [item for item in profiles.everyone(tx, campaign.id) if viewer.knows(item)]
        item = find_known(viewer, known, "character", named)
    book = library.book(tx, campaign, BOOK)
    (item,) = knowledge.profiles(tx, viewer, [item], library.fields(tx, campaign))
    now = now_of(tx, person, campaign)
    kept = state.named(tx, campaign.id, {item.key}, {HEALTH, CAPTIVE})
    kept |= state.beginning(tx, campaign.id, {item.key}, EFFECT)
    effects = library.effects(tx, campaign)
    secret = set() if person.leads(campaign) else {EFFECT + trait for trait, one in effects.items() if one.secret}
    told = knowledge.values(tx, viewer, kept)
    values = {name: value for (_, name), value in told.items() if holds(value, now) and name not in secret}
    return Shown(viewer, item, values, now, book, effects)


def _wounds(seen: Shown) -> Iterator[str]:
    full, lost = seen.item.fields.get("hp"), seen.kept.get(HEALTH, {}).get("lost", 0)
    if full is not None:
        yield f"**HP** {max(0, full - lost)} of {full}"
    elif lost:
        yield f"**HP** {lost} lost"
    wound = seen.kept.get(WOUNDED)
    if wound is not None:
        until = f" until {_when(wound['at'])}" if "at" in wound else ""
        yield f"**Wounded**{until}: no combat. Attacking or being attacked means going down again and staying Wounded for longer."
    if MORTAL in seen.kept:
        yield (
            "**Mortal Wound**: half of each stack in pocket 0, rounded up, goes to the attacker or is lost. Permanents are "
            "safe. Half of the credits go to the hospital, with how:hospital."
        )


def _captivity(tx: Connection, seen: Shown) -> Iterator[str]:
    held = seen.kept.get(CAPTIVE)
    if held is None:
        return
    campaign = seen.viewer.campaign
    by = subjects.by_number(tx, campaign.id, [held["by"]]).get(held["by"])
    whose = plain(seen.viewer.named(by)) if by else "someone unknown"
    yield f"**Captive** of {whose} since {_when(held['since'])}"
    early = next_try(seen.kept, seen.book, seen.now)
    if early is not None:
        yield f"Next try to escape: {_when(early[1])}."


def _effects(seen: Shown) -> Iterator[str]:
    """Yield what else lasts, with its count and end."""
    for name, value in sorted(seen.kept.items()):
        if name.startswith(EFFECT) and name not in {WOUNDED, MORTAL}:
            label = effect_label(seen.effects, name, value)
            count = f": {value['amount']}" if value.get("amount") else ""
            turns = value.get("turns", {}).get("left")
            ends = f" until {_when(value['at'])}" if isinstance(value.get("at"), str) else ""
            ends += f", {turns} turn{'' if turns == 1 else 's'} left" if turns else ""
            yield f"**{plain(label)}**{count}{ends}"


def _when(moment: str) -> str:
    at = datetime.fromisoformat(moment)
    return f"{format_dt(at, 'f')} ({format_dt(at, 'R')})"
