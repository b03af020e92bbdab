"""Captives in words, with buttons, and in `/update show`."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import discord
from discord import ui
from discord.utils import TimestampStyle, format_dt
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.captives import queries
from bot.cogs.captives.queries import INTERROGATION, CaptiveStatus, hide_unknown, read_statuses
from bot.core.campaigns import Campaign, current_update, find_update_entry
from bot.core.ledger import EntryView, Pages
from bot.core.library import Library
from bot.core.permissions import Person, find_now
from bot.core.profiles import Profile
from bot.core.records import Entry, Json
from bot.core.subjects import find_twins, label_subject
from bot.core.visibility import Viewer
from bot.orders.ids import WITHDRAW
from bot.ui import text
from bot.ui.components import IdTemplate
from bot.ui.parsing import MAX_CHOICES
from bot.ui.receipt import entry_footer, picker
from bot.ui.text import COLOURS, DOT, join_words, plain
from bot.ui.todo import Item, Todo, few
from rules.books.campaign.captivity import PASSWORD_KNOWN
from rules.subjects import name_key, names_of, number_of

NO_SIDE = "The captive has no side yet: add the effect to one with /effect set."


def status_embed(status: CaptiveStatus, *, footer: str) -> discord.Embed:
    """Show one captive."""
    colour = COLOURS["neutral" if status.captivity else "failure"]
    text = "\n".join(status_lines(status))
    return discord.Embed(title=plain(status.name), description=text, colour=colour).set_footer(text=footer)


def status_lines(status: CaptiveStatus) -> list[str]:
    """Return place or fate, then conditions."""
    return [_whereabouts(status, "f"), *(f"\N{BULLET} {line}" for line in _describe_conditions(status))]


def list_pages(everyone: Sequence[CaptiveStatus], *, campaign: str) -> Pages:
    """Show all captives, then former ones."""
    named = label_namesakes(everyone)
    captives, gone = ([item for item in named if bool(item.captivity) == held] for held in (True, False))
    lines = [*map(_line, captives)] or ["You don't know of any captives. Game masters add one with /captive take."]
    embeds = text.fit_embeds("Captives", lines, colour=COLOURS["neutral"], footer=campaign)
    if gone:
        embeds += text.fit_embeds("Former captives", map(_line, gone), colour=COLOURS["failure"], footer=campaign)
    return text.paginate(embeds)


def handover(shown: EntryView) -> discord.Embed | None:
    """Ask the staff to pass on revealed passwords."""
    revealed = [
        (item, part["subjects"].get("interrogator", ""))
        for part in shown.entry.content()["parts"]
        for item in part["consequences"]
        if item["do"] == "reveal-passwords"
    ]
    if not revealed:
        return None
    lines = [line for item, interrogators in revealed for line in _describe_handover(item, interrogators)]
    changes, names = shown.entry.content()["changes"], shown.entry.names()
    known = [names[number_of(item["subject"])] for item in changes if item["name"] == PASSWORD_KNOWN]
    captives = {name_key(item["to"]) for item, _ in revealed}
    sides = [plain(name) for name in known if name_key(name) not in captives]
    count = f"Complications now count them against {join_words(sides)}." if sides else NO_SIDE
    lines.append(f"I don't store passwords. {count}")
    embed = discord.Embed(title="Passwords to pass on", description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(text=entry_footer(shown))


def _describe_handover(item: Mapping[str, Json], interrogators: str) -> Iterator[str]:
    who = plain(item["to"])
    count = {None: "every board password", 1: "one board password"}.get(item["amount"], f"{item['amount']} passwords")
    to = join_words([plain(name) for name in names_of(interrogators) if name]) or "the interrogators"
    yield f"**{who}** has revealed **{count}**."
    it = "it" if item["amount"] == 1 else "them"
    yield f"Ask the player of {who} for {it} and pass {it} on to {to}."


def _line(status: CaptiveStatus) -> str:
    words = [_whereabouts(status, "d"), *_describe_conditions(status)]
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
    """Return " at" with the place; empty if captor and place are the same."""
    return "" if name_key(by) == name_key(at) else f" at {plain(at)}"


def _entry(status: CaptiveStatus, number: int) -> str:
    return "" if number in status.unreadable else f" (entry #{number})"


def _moment(moment: str, style: TimestampStyle) -> str:
    return format_dt(datetime.fromisoformat(moment), style)


def _describe_conditions(status: CaptiveStatus) -> Iterator[str]:
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
    """Yield captivity lines for the character's card."""
    if viewer.person.leads(viewer.campaign) or viewer.owns(profile):
        found = read_statuses(tx, viewer.campaign.id, [profile.id], find_now(tx, viewer.person, viewer.campaign)).get(
            profile.id
        )
        if found is not None:
            yield "\n".join(["**Captivity:**", *status_lines(hide_unknown(tx, viewer, found))])


ROLL_ESCAPES = IdTemplate("captive:{campaign:int}:escapes:{number:int}")
PICK = IdTemplate("captive:{campaign:int}:show:{_place:int}")
"""Selects under a list; `_place` tells several apart."""

_ONE: Final = "captive:{campaign:int}:{subject:int}:{newest:int}:"
INTERROGATE, BREAK_OUT, MOVE, RELEASE = (
    IdTemplate(_ONE + verb) for verb in ("interrogate", "escape", "move", "release")
)
"""`newest` is the newest entry of the captivity."""

AGAIN = IdTemplate("interrogate:{campaign:int}:{entry:int}")
FREE = frozenset({"free", "kill"})


def captive_buttons(status: CaptiveStatus, campaign: Campaign, reader: Person) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what the reader can do about a captive."""
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
    """Yield the button below an interrogation, unless it visibly freed or killed the captive."""
    body = entry.content()
    if body["family"] != INTERROGATION:
        return
    seen = (part for part in body["parts"] if person.leads(campaign) or part["audience"] == "results")
    if not any(item["do"] in FREE for part in seen for item in part["consequences"]):
        yield ui.Button(label="Interrogate again", custom_id=AGAIN.fill(campaign=campaign.id, entry=entry.number))


BULLET = "\N{BULLET}"


def about_captives(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what `/update show` has about captives: current ones, this update's changes, and escapes."""
    campaign, leads = viewer.campaign, viewer.person.leads(viewer.campaign)
    known = queries.list_known(tx, viewer)
    trying = {item.id for item in known if item.ordered is not None}
    if leads:
        trying = queries.find_escaping(tx, campaign.id, find_now(tx, viewer.person, campaign))
    begun = find_update_entry(tx, campaign.id)
    current = [item for item in known if item.captivity or _newest(item) > begun]
    if current:
        shown = (_todo_line(item, trying) for item in current)
        lines = few(shown, len(current), "/captive list" if leads else "/captive show")
        own = queries.filter_owned(tx, viewer, current)
        able = [item for item in own if leads or not (item.captivity and item.captivity.in_person)]
        acting = "Interrogate, move, release ..." if leads else "Try to escape ..."
        rows: list[list[Item]] = []
        if leads and trying:
            key = ROLL_ESCAPES.fill(campaign=campaign.id, number=current_update(tx, campaign.id)["number"])
            rows.append([ui.Button(label="Roll the escapes", custom_id=key)])
        held = list_held(able)[:MAX_CHOICES]
        rows += [[select] for select in picker(PICK.fill(campaign=campaign.id, _place=0), acting, held)]
        yield Todo("Captives", lines, rows)


def label_namesakes(everyone: Sequence[CaptiveStatus]) -> list[CaptiveStatus]:
    """Return captives; those who share a name are labelled apart."""
    several = find_twins(everyone)
    return [replace(item, name=label_subject(item)) if item.id in several else item for item in everyone]


def list_held(captives: Sequence[CaptiveStatus]) -> list[tuple[str, str, str]]:
    """Return current captives as choices of a select: number, name, captor and place."""
    return [
        (str(item.id), item.name, f"held by {held.by.name} at {held.at.name}")
        for item in captives
        if (held := item.captivity)
    ]


def _newest(status: CaptiveStatus) -> int:
    held = status.captivity.entry if status.captivity else 0
    fate = status.fate["entry"] if status.fate else 0
    return max(held, fate, status.cracked or 0)


def _todo_line(status: CaptiveStatus, trying: Container[int]) -> str:
    held, fate = status.captivity, status.fate
    where = f"held by {plain(held.by.name)} at {plain(held.at.name)}" if held else fate["fate"] if fate else "free"
    words = [where, *(["cracked"] if status.cracked else []), *(["escape ordered"] if status.id in trying else [])]
    return f"{BULLET} **{plain(status.name)}**{DOT}{DOT.join(words)}"
