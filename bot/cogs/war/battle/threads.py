"""The post of a battle that begins, with a thread of its own in which it is fought."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import discord
from sqlalchemy import Connection

from bot.cogs.war.battle import ids
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.core.records import Entry
from bot.outbox import store
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import threaded
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import plain
from rules.books.total_war import keeping
from rules.books.total_war.order_kinds import OPENING
from rules.effects import SCENE
from rules.geometry.hexes import Hex
from rules.procedure import PartResult

BATTLES = "battles"
"""Under which name the body of a roll tells which battles it has opened."""
BEGINS = "The attackers start with their half of turn 1."
"""Whose half it is as a battle begins (AMB-39)."""
FOUGHT = "fought"
"""Under which name the body of an act on a board tells which entry has begun its battle."""
BATTLE_ON = "Battle on "
"""How the names of battles' threads begin; the panel follows."""
HOW = "Act: `/battle act`. See the board: `/battle show`. Either side can withdraw at any time."


def title_of(at: object) -> str:
    """Return what the post of a battle on a panel is called, and its thread."""
    return f"{BATTLE_ON}{at}"


def topic_of(at: Hex) -> str:
    """Return the topic of the post about a battle on a panel, which has a thread of that name."""
    return threaded(title_of(at))


def note_begun(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Keep which entry has opened a battle, and tell so in its body; of an act on a board, which has opened the battle there."""
    scene, first = made.request.scene, made.resolution.parts[0].part
    if scene is None or not scene.startswith(f"{keeping.WAR}:"):
        return ExtraChanges()
    begun = [at for part in made.resolution.parts for at in _begun(part)]
    opened = {at: {"entry": made.moment.entry, "open": True} for at in begun}
    body: dict[str, Any] = {BATTLES: begun} if begun else {}
    if "at" in first.inputs:
        at = Hex.parse(first.inputs["at"])
        body[FOUGHT] = opened[str(at)]["entry"] if str(at) in opened else begun_by(first.kept[SCENE], at)
    return ExtraChanges({(scene, f"{keeping.OPENED}{at}"): value for at, value in opened.items()}, body)


def announce(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Add the post of each battle that a roll has opened: where its result goes, so that no stranger hears of it in fog."""
    begun = entry.content().get(BATTLES, ())
    public = entry.audience == "results"
    channel = campaign.results_channel_id if public else campaign.staff_channel_id
    return [*messages, *(_post(campaign, entry, Hex.parse(at), channel) for at in begun)]


def begun_by(values: keeping.Values, at: Hex) -> int:
    """Return the number of the entry that has begun the battle on a panel of a war, by what is kept of that."""
    opened = values.get(f"{keeping.OPENED}{at}") or values[keeping.WAR]
    number: int = opened["entry"]
    return number


def threads_of(tx: Connection, campaign_id: int, values: keeping.Values, at: Hex) -> list[int | None]:
    """Return the threads (ids; None where there is none) of the battle on a panel of a war, by what is kept of that: of the post that all or the staff read, then of factions' own."""
    posts = store.of_entry(tx, campaign_id, begun_by(values, at))
    return [post.thread_id for post in posts if post.topic == topic_of(at)]


def _begun(part: PartResult) -> Iterator[str]:
    """Yield the panels on which a part of a roll has opened battles."""
    before = part.part.kept.get(SCENE, {})
    for who, name, value in part.changes:
        opened = value is not None and name not in before
        if who == SCENE and name.startswith(keeping.BATTLE) and opened:
            yield name.removeprefix(keeping.BATTLE)


def opening_text(lines: Iterable[str]) -> str:
    """Return what the post of a battle says: these lines, whose half of the turn it is, and what to do."""
    return "\n".join([*map(plain, lines), BEGINS, HOW])


def _post(campaign: Campaign, entry: Entry, at: Hex, channel: int) -> OutgoingMessage:
    opens = [line for line in _lines(entry) if line.startswith(OPENING.format(at))]
    embed = discord.Embed(title=plain(title_of(at)), description=opening_text(opens), colour=COLOURS["danger"])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    buttons = ids.opening(ids.Key(campaign.id, str(at), entry.number))
    return OutgoingMessage("notice", channel, [embed], topic_of(at), buttons=buttons)


def _lines(entry: Entry) -> Iterator[str]:
    """Yield the lines that tell what a roll has come to, each once; whoever reads all of the result reads them."""
    told = (line for part in entry.content()["parts"] for line in _told(part))
    yield from dict.fromkeys(told)


def _told(part: Mapping[str, Any]) -> Iterator[str]:
    if part["outcome"] is not None:
        yield part["outcome"]["text"]
    yield from (step["text"] for step in part["steps"] if "text" in step)
