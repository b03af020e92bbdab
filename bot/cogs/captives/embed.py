"""Captives in words, the buttons below them, and what stands on the desk of the update."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import discord
from discord import ui
from discord.utils import TimestampStyle, format_dt
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.captives import queries
from bot.cogs.captives.queries import INTERROGATION, CaptiveStatus, hide_unknown, statuses
from bot.core.campaigns import Campaign, current_update, find_update_entry
from bot.core.encoding import Json
from bot.core.entry_kinds import EntryView, Pages
from bot.core.library import Library
from bot.core.permissions import Person, find_now
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.core.subjects import find_twins, label_subject
from bot.core.visibility import Viewer
from bot.orders.ids import WITHDRAW
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate
from bot.ui.parsing import MAX_CHOICES
from bot.ui.receipt import entry_footer, picker
from bot.ui.text import DOT, listing, plain
from bot.ui.todo import Item, Todo, few
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


def _asked(item: Mapping[str, Json], interrogators: str) -> Iterator[str]:
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
    """Yield lines about a present or past captivity, for game masters and the character's player."""
    if viewer.person.leads(viewer.campaign) or viewer.owns(profile):
        found = statuses(tx, viewer.campaign.id, [profile.id], find_now(tx, viewer.person, viewer.campaign)).get(
            profile.id
        )
        if found is not None:
            yield "\n".join(["**Captivity:**", *status_lines(hide_unknown(tx, viewer, found))])


ROLL_ESCAPES = IdTemplate("captive:{campaign:int}:escapes:{number:int}")
"""The id of the button that rolls the escapes that are ordered in an update (number)."""

PICK = IdTemplate("captive:{campaign:int}:show:{_place:int}")
"""The ids of the selects under a list, from which a captive is picked; the place parts several."""

_ONE: Final = "captive:{campaign:int}:{subject:int}:{newest:int}:"
INTERROGATE, BREAK_OUT, MOVE, RELEASE = (
    IdTemplate(_ONE + deed) for deed in ("interrogate", "escape", "move", "release")
)
"""The ids of what stands with a captive, and of the windows that ask more; `newest` is the newest entry of the captivity."""

AGAIN = IdTemplate("interrogate:{campaign:int}:{entry:int}")
"""The id of the button under an interrogation (entry): opens a card for the next one."""

FREE = frozenset({"free", "kill"})
"""The consequences after which nobody is interrogated again."""


def captive_buttons(status: CaptiveStatus, campaign: Campaign, reader: Person) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what the reader may do about a captive: a game master, a captor, or whose character it is."""
    held, leads = status.captivity, reader.leads(campaign)
    if held is None or campaign.archived_at is not None:
        return
    key = {"campaign": campaign.id, "subject": status.id, "newest": held.entry}
    if leads or (status.captor and INTERROGATION in campaign.players_may):
        yield ui.Button(label="Interrogate", custom_id=INTERROGATE.fill(**key))
    if status.captor:
        return
    if status.ordered is not None and not leads:
        order = {"campaign": campaign.id, "subject": status.id, "number": status.ordered}
        yield ui.Button(label="Cancel the escape", custom_id=WITHDRAW.fill(**order))
    elif not held.in_person:  # the fight's book has its own escape
        yield ui.Button(label="Escape", custom_id=BREAK_OUT.fill(**key))
    if leads:
        yield ui.Button(label="Move", custom_id=MOVE.fill(**key))
        yield ui.Button(label="Release", custom_id=RELEASE.fill(**key))


def interrogate_again_button(person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the button that interrogates again, if the person can see that the subject is still a captive."""
    body = entry.content()
    if body["family"] != INTERROGATION:
        return
    told = (part for part in body["parts"] if person.leads(campaign) or part["audience"] == "results")
    if not any(item["do"] in FREE for part in told for item in part["consequences"]):
        yield ui.Button(label="Interrogate again", custom_id=AGAIN.fill(campaign=campaign.id, entry=entry.number))


BULLET = "\N{BULLET}"


def about_captives(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield who is held, what happened to captives in this update, and who can try to escape; players see their own and their side's captives."""
    campaign, leads = viewer.campaign, viewer.person.leads(viewer.campaign)
    known = queries.list_known(tx, viewer)
    trying = {item.id for item in known if item.ordered is not None}
    if leads:
        trying = queries.find_escaping(tx, campaign.id, find_now(tx, viewer.person, campaign))
    begun = find_update_entry(tx, campaign.id)
    befallen = [item for item in known if item.captivity or _newest(item) > begun]
    if befallen:
        shown = (_todo_line(item, trying) for item in befallen)
        lines = few(shown, len(befallen), "/captive list" if leads else "/captive show")
        own = queries.filter_owned(tx, viewer, befallen)
        able = [item for item in own if leads or not (item.captivity and item.captivity.in_person)]
        acting = "Interrogate, move, release ..." if leads else "Try to escape ..."
        rows = [[_roll_button(tx, campaign)]] if leads and trying else []
        yield Todo("Captives", lines, [*rows, *_held_rows(campaign, able, acting)])


def _held_rows(campaign: Campaign, captives: Sequence[CaptiveStatus], acting: str) -> Iterator[list[Item]]:
    """Yield the row in which one of those who are held is picked, to do something about."""
    held = [
        (str(item.id), item.name, f"held by {at.by.name} at {at.at.name}")
        for item in captives
        if (at := item.captivity)
    ]
    for select in picker(PICK.fill(campaign=campaign.id, _place=0), acting, held[:MAX_CHOICES]):
        yield [select]


def _roll_button(tx: Connection, campaign: Campaign) -> ui.Button[ui.LayoutView]:
    """Return the button that opens a card for all who are to escape."""
    key = ROLL_ESCAPES.fill(campaign=campaign.id, number=current_update(tx, campaign.id)["number"])
    return ui.Button(label="Roll the escapes", custom_id=key)


def _newest(status: CaptiveStatus) -> int:
    """Return the newest entry that has captured, moved, cracked, freed or killed somebody."""
    held = status.captivity.entry if status.captivity else 0
    fate = status.fate["entry"] if status.fate else 0
    return max(held, fate, status.cracked or 0)


def _todo_line(status: CaptiveStatus, trying: Container[int]) -> str:
    held, fate = status.captivity, status.fate
    where = f"held by {plain(held.by.name)} at {plain(held.at.name)}" if held else fate["fate"] if fate else "free"
    words = [where, *(["cracked"] if status.cracked else []), *(["escape ordered"] if status.id in trying else [])]
    return f"{BULLET} **{plain(status.name)}**{DOT}{DOT.join(words)}"
