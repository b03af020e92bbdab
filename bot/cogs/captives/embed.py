"""Captives as embeds: how things stand with them, what was entered about them, and what the staff is asked to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import discord

from bot.core.entry_kinds import EntryView
from bot.core.subjects import names_of, unit
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, listing, plain

TITLES: Mapping[str, str] = {
    "take": "Taken captive",
    "move": "Captive moved",
    "release": "Captive released",
    "declare": "Escape declared",
    "void": "Entry voided",
}
NO_SIDE = "no side is saved of the captive, so tell complications of it with /effect set"


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand with somebody who is or was a captive.

    `captivity` tells by whom, where, since when and, after a move, since when there, None when it is over; `fate` tells
    how the last one ended. `cracked` and `declared` are the entries of the cracking and of an escape that waits to be
    rolled. `injuries` are levels as printed, None where no level is.
    """

    name: str
    captivity: Mapping[str, Any] | None
    fate: Mapping[str, Any] | None = None
    cracked: int | None = None
    injuries: tuple[int | None, ...] = ()
    seriously: bool = False
    resisting: bool = False
    declared: int | None = None


def status_embed(status: Status, *, footer: str) -> discord.Embed:
    """One captive."""
    colour = COLOURS["neutral" if status.captivity else "failure"]
    told = "\n".join(status_lines(status))
    return discord.Embed(title=plain(status.name), description=told, colour=colour).set_footer(text=footer)


def status_lines(status: Status) -> list[str]:
    """Where somebody is held or what became of it, then what else is to be said, each in a line."""
    return [_whereabouts(status, "f"), *(f"\N{BULLET} {line}" for line in _conditions(status))]


def list_pages(found: Sequence[Status], *, campaign: str) -> list[list[discord.Embed]]:
    """All captives, then those who are none any more; nobody is left out."""
    held = [item for item in found if item.captivity]
    gone = [item for item in found if not item.captivity]
    lines = [*map(_line, held)] or ["Nobody is held captive. Enter somebody with /captive take."]
    embeds = paging.fit("Captives", lines, colour=COLOURS["neutral"], footer=campaign)
    if gone:
        embeds += paging.fit("No captives any more", map(_line, gone), colour=COLOURS["failure"], footer=campaign)
    return paging.pages(embeds)


def entry_pages(shown: EntryView) -> list[list[discord.Embed]]:
    """An entry about captives, with the free text that came with it; such entries are the staff's."""
    body = shown.entry.content()
    texts = {"Note": shown.entry.text("note"), "Reason": shown.entry.text("reason")}
    lines = [sentence(body), *(f"**{label}:** {plain(text)}" for label, text in texts.items() if text)]
    return paging.pages(paging.fit(TITLES[body["deed"]], lines, colour=COLOURS["neutral"], footer=_footer(shown)))


def sentence(body: Mapping[str, Any]) -> str:
    """An entry about captives in one line."""
    who = listing([plain(name) for name in names_of(body["captive"])])
    match body["deed"]:
        case "take":
            return f"{who} is taken captive by {plain(body['by'])} and held at {plain(body['at'])}"
        case "move":
            return f"{who} is moved from {plain(body['from'])} to {plain(body['at'])}"
        case "release":
            return f"{who} is released by {plain(body['by'])} at {plain(body['at'])}"
        case "declare":
            return f"An escape is declared: {who}"
    return f"Entry #{body['entry']} is void: {sentence(body['undone'])}"


def declared_pages(shown: EntryView, user_id: int, found: Sequence[Status]) -> list[list[discord.Embed]]:
    """For the staff: who declares an escape, and that it waits for a game master."""
    lines = [f"<@{user_id}> declares an escape.", *map(_line, found)]
    note = shown.entry.text("note")
    lines += [f"**Note:** {plain(note)}"] if note else []
    lines.append("It is rolled together with all others that are declared in this update, on a game master's press.")
    return paging.pages(paging.fit(TITLES["declare"], lines, colour=COLOURS["neutral"], footer=_footer(shown)))


def handover(shown: EntryView) -> discord.Embed | None:
    """For the staff: whose board passwords are to be handed over after a roll; None when nobody's are."""
    told = [
        (item, part["subjects"].get("interrogator", ""))
        for part in shown.entry.content()["parts"]
        for item in part["consequences"]
        if item["do"] == "reveal-passwords"
    ]
    if not told:
        return None
    lines = [line for item, interrogators in told for line in _asked(item, interrogators)]
    sides = _sides(shown, {unit(item["to"]) for item, _ in told})
    count = f"complications count it against {listing(sides)}" if sides else NO_SIDE
    lines.append(f"I keep no password, only that it is known: {count}.")
    embed = discord.Embed(title="Passwords to hand over", description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(text=_footer(shown))


def _sides(shown: EntryView, captives: Collection[str]) -> list[str]:
    """Against whom else than these captives an entry makes passwords count: the sides that are saved of them."""
    known = (item for item in shown.entry.content()["changes"] if item["name"] == "effect.password-known")
    return [plain(item["after"]["name"]) for item in known if item["subject"] not in captives]


def _asked(item: Mapping[str, Any], interrogators: str) -> Iterator[str]:
    who = plain(item["to"])
    count = {None: "every board password", 1: "one board password"}.get(item["amount"], f"{item['amount']} passwords")
    to = listing([plain(name) for name in names_of(interrogators) if name]) or "the interrogators"
    yield f"**{who}** has given away **{count}**."
    it = "it" if item["amount"] == 1 else "them"
    yield f"Ask the player of {who} for {it}, and hand {it} to {to}."


def _line(status: Status) -> str:
    words = [_whereabouts(status, "d"), *_conditions(status)]
    return f"\N{BULLET} **{plain(status.name)}**{DOT}{DOT.join(words)}"


def _whereabouts(status: Status, style: Any) -> str:  # noqa: ANN401 - one of Discord's letters
    held = status.captivity
    if held is None:
        return f"{(status.fate or {})['fate']} (entry #{(status.fate or {})['entry']})"
    since = _moment(held["since"], style)
    since += f", here since {_moment(held['moved'], style)}" if "moved" in held else ""
    return f"held by {plain(held['by'])} at {plain(held['at'])} since {since} (entry #{held['entry']})"


def _moment(told: str, style: Any) -> str:  # noqa: ANN401 - one of Discord's letters
    return discord.utils.format_dt(datetime.fromisoformat(told), style)


def _conditions(status: Status) -> Iterator[str]:
    if status.cracked is not None:
        yield f"cracked (entry #{status.cracked})"
    for level, count in Counter(status.injuries).items():
        times = f" \N{MULTIPLICATION SIGN} {count}" if count > 1 else ""
        yield f"{'injured' if level is None else f'injury {level}'}{times}"
    if status.seriously:
        yield "seriously injured"
    if status.resisting:
        yield "resisting today"
    if status.declared is not None:
        yield f"escape declared (entry #{status.declared})"


def _footer(shown: EntryView) -> str:
    return f"Entry #{shown.entry.number}{DOT}{shown.campaign}"
