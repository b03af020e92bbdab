"""Captives as embeds: how things stand with them, what was entered about them, and what the staff is asked to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import discord
from discord.utils import TimestampStyle, format_dt
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.captives.queries import CaptiveStatus, as_known, statuses
from bot.core.entry_kinds import EntryView, Pages
from bot.core.library import Library
from bot.core.permissions import find_now
from bot.core.profiles import Profile
from bot.core.subjects import find_twins, label_subject
from bot.core.visibility import Viewer
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer
from bot.ui.text import DOT, listing, plain
from rules.books.campaign.captivity import PASSWORD_KNOWN
from rules.subjects import name_key, names_of, number_of

NO_SIDE = "The captive has no side yet: add the effect to one with /effect set."


def status_embed(status: CaptiveStatus, *, footer: str) -> discord.Embed:
    """Return how things stand with one captive."""
    colour = COLOURS["neutral" if status.captivity else "failure"]
    text = "\n".join(status_lines(status))
    return discord.Embed(title=plain(status.name), description=text, colour=colour).set_footer(text=footer)


def status_lines(status: CaptiveStatus) -> list[str]:
    """Return where somebody is held or what became of it, then what else is to be said, each in a line."""
    return [_whereabouts(status, "f"), *(f"\N{BULLET} {line}" for line in _conditions(status))]


def list_pages(everyone: Sequence[CaptiveStatus], *, campaign: str) -> Pages:
    """Return all captives, then those who are none any more; nobody is left out."""
    several = find_twins(everyone)
    called = [replace(item, name=label_subject(item)) if item.id in several else item for item in everyone]
    captives = [item for item in called if item.captivity]
    gone = [item for item in called if not item.captivity]
    lines = [*map(_line, captives)] or ["You don't know of any captives. Game masters add one with /captive take."]
    embeds = text.fit_embeds("Captives", lines, colour=COLOURS["neutral"], footer=campaign)
    if gone:
        embeds += text.fit_embeds("Former captives", map(_line, gone), colour=COLOURS["failure"], footer=campaign)
    return text.paginate(embeds)


def handover(shown: EntryView) -> discord.Embed | None:
    """Return for the staff whose board passwords are to be handed over after a roll; None when nobody's are."""
    revealed = [
        (item, part["subjects"].get("interrogator", ""))
        for part in shown.entry.content()["parts"]
        for item in part["consequences"]
        if item["do"] == "reveal-passwords"
    ]
    if not revealed:
        return None
    lines = [line for item, interrogators in revealed for line in _asked(item, interrogators)]
    sides = _sides(shown, {item["to"] for item, _ in revealed})
    count = f"Complications now count them against {listing(sides)}." if sides else NO_SIDE
    lines.append(f"I don't store passwords. {count}")
    embed = discord.Embed(title="Passwords to pass on", description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(text=entry_footer(shown))


def _sides(shown: EntryView, captives: Collection[str]) -> list[str]:
    """Return against whom else than these captives an entry makes passwords count: the sides that are saved of them."""
    changes, names = shown.entry.content()["changes"], shown.entry.names()
    known = [names[number_of(item["subject"])] for item in changes if item["name"] == PASSWORD_KNOWN]
    keys = {name_key(name) for name in captives}
    return [plain(name) for name in known if name_key(name) not in keys]


def _asked(item: Mapping[str, Any], interrogators: str) -> Iterator[str]:
    who = plain(item["to"])
    count = {None: "every board password", 1: "one board password"}.get(item["amount"], f"{item['amount']} passwords")
    to = listing([plain(name) for name in names_of(interrogators) if name]) or "the interrogators"
    yield f"**{who}** has revealed **{count}**."
    it = "it" if item["amount"] == 1 else "them"
    yield f"Ask the player of {who} for {it} and pass {it} on to {to}."


def _line(status: CaptiveStatus) -> str:
    words = [_whereabouts(status, "d"), *_conditions(status)]
    return f"\N{BULLET} **{plain(status.name)}**{DOT}{DOT.join(words)}"


def _whereabouts(status: CaptiveStatus, style: TimestampStyle) -> str:
    captivity, fate = status.captivity, status.fate
    if captivity is None:
        return f"{fate['fate']}{_entry(status, fate['entry'])}" if fate else "free"
    since = _moment(captivity.since, style)
    since += f", at this place since {_moment(captivity.moved, style)}" if captivity.moved else ""
    held = f"held by {plain(captivity.by.name)}{place_after(captivity.by.name, captivity.at.name)}"
    return f"{held} since {since}{_entry(status, captivity.entry)}"


def place_after(by: str, at: str) -> str:
    """Return where a captive is held; nothing where that is with who holds them."""
    return "" if name_key(by) == name_key(at) else f" at {plain(at)}"


def _entry(status: CaptiveStatus, number: int) -> str:
    return "" if number in status.unreadable else f" (entry #{number})"


def _moment(moment: str, style: TimestampStyle) -> str:
    return format_dt(datetime.fromisoformat(moment), style)


def _conditions(status: CaptiveStatus) -> Iterator[str]:
    if status.cracked is not None:
        yield f"cracked{_entry(status, status.cracked)}"
    for level, count in Counter(status.injuries).items():
        times = f" \N{MULTIPLICATION SIGN} {count}" if count > 1 else ""
        yield f"{'injured' if level is None else f'injury {level}'}{times}"
    if status.seriously:
        yield "seriously injured"
    if status.resisting:
        yield "resisting today"
    if status.ordered is not None:
        yield f"escape ordered{_entry(status, status.ordered)}"


def status(tx: Connection, _library: Library, viewer: Viewer, profile: Profile) -> Iterator[str]:
    """Yield the captivity of whoever is or was a captive, for game masters and for whose character it is."""
    if viewer.person.leads(viewer.campaign) or viewer.owns(profile):
        found = statuses(tx, viewer.campaign.id, [profile.id], find_now(tx, viewer.person, viewer.campaign)).get(
            profile.id
        )
        if found is not None:
            yield "\n".join(["**Captivity:**", *status_lines(as_known(tx, viewer, found))])
