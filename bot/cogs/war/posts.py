"""Posts of a war: battles that begin, each with a thread, and in fog what each faction sees, in the channel of its group.

A faction's channel gets the battles that begin in its sight, in their threads what it sees of each act there, and what it has
seen of a turn that ends. Those without one use `/war map` and `/war show`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import discord
from sqlalchemy import Connection

from bot.cogs.war import ids
from bot.core import entries, permissions, state, voiding
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.core.records import Entry
from bot.core.state import VOIDED
from bot.outbox import store
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post, PostKind, thread_topic
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.resolver import Resolver
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer, strike_pages
from bot.ui.text import plain
from rules.books.total_war import keeping
from rules.books.total_war.order_kinds import ADVANCE, JOIN, NEXT, OPENING, SEEN
from rules.effects import SCENE
from rules.geometry import Hex
from rules.procedure import PartResult

BATTLES = "battles"
"""Under which name the body of a roll tells which battles it has opened."""
BEGINS = "The attackers start with their half of turn 1."
"""Whose half it is as a battle begins (AMB-39)."""
FOUGHT = "fought"
"""Under which name the body of an act on a board tells which entry has begun its battle."""
TOLD_TO = "groups"
"""Under which name the body of a roll tells which groups (numbers) the factions had then that have seen it, by their ids."""
BATTLE_ON = "Battle on "
"""How the names of battles' threads begin; the panel follows."""
HOW = "Act: `/battle act`. See the board: `/battle show`. Either side can withdraw at any time."
TOLD: PostKind = "told"
"""The kind of these posts, which no one may see but the group."""
TURNED = "turned"
"""Under which name a war keeps which entry has ended its last turn."""
LOOK = "-# See the current state: `/war map`, `/war show`."
TITLE = "What your faction saw this turn"
JOINED = "**New players**"
"""What stands over those who have joined: below all else, since that is no news of the turn."""

Housed = Mapping[int, int]
"""The channels (ids) of groups that have one, by the groups' numbers."""


def topic_of(at: object) -> str:
    """Return the topic of the post about a battle on a panel, which has a thread of that name."""
    return thread_topic(f"{BATTLE_ON}{at}")


def keep_begun(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Keep which entry has opened a battle, and tell so in its body; of an act on a board, which has opened the battle there."""
    scene, first = made.request.scene, made.resolution.parts[0].part
    if scene is None or not scene.startswith(f"{keeping.WAR}:"):
        return ExtraChanges()
    begun = [at for part in made.resolution.parts for at in _opened_battles(part)]
    opened = {at: {"entry": made.moment.entry, "open": True} for at in begun}
    body: dict[str, Any] = {BATTLES: begun} if begun else {}
    if "at" in first.inputs:
        at = Hex.parse(first.inputs["at"])
        body[FOUGHT] = opened[str(at)]["entry"] if str(at) in opened else begun_by(first.kept[SCENE], at)
    return ExtraChanges({(scene, f"{keeping.OPENED}{at}"): value for at, value in opened.items()}, body)


def add_battle_posts(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add the post of each battle that a roll has opened: where its result goes, so that no stranger hears of it in fog."""
    channel = campaign.results_channel_id if entry.audience == "results" else campaign.staff_channel_id
    footer = entry_footer(EntryView(entry, campaign.name))
    lines, more = dict.fromkeys(_result_lines(entry)), []
    for at in entry.content().get(BATTLES, ()):
        opens = (line for line in lines if line.startswith(OPENING.format(at)))
        more.append(_opening(ids.Key(campaign.id, at, entry.number), opens, "notice", channel, footer))
    return [*messages, *more]


def begun_by(values: keeping.Values, at: Hex) -> int:
    """Return the number of the entry that has begun the battle on a panel of a war, by what is kept of that."""
    opened = values.get(f"{keeping.OPENED}{at}") or values[keeping.WAR]
    number: int = opened["entry"]
    return number


def threads_of(tx: Connection, campaign_id: int, values: keeping.Values, at: Hex) -> list[int | None]:
    """Return the threads (ids; None where there is none) of the battle on a panel of a war, by what is kept of that: of the post that all or the staff read, then of factions' own."""
    posts = store.posts_of_entry(tx, campaign_id, begun_by(values, at))
    return [post.thread_id for post in posts if post.topic == topic_of(at)]


def _opened_battles(part: PartResult) -> Iterator[str]:
    """Yield the panels on which a part of a roll has opened battles."""
    before = part.part.kept.get(SCENE, {})
    for who, name, value in part.changes:
        if who == SCENE and name.startswith(keeping.BATTLE) and value is not None and name not in before:
            yield name.removeprefix(keeping.BATTLE)


def _opening(key: ids.Key, lines: Iterable[str], kind: PostKind, channel: int, footer: str) -> OutgoingMessage:
    """Return the post of a battle, which has a thread: lines about it, whose half of the turn it is, and what to do."""
    text = "\n".join([*map(plain, lines), BEGINS, HOW])
    embed = discord.Embed(title=plain(f"{BATTLE_ON}{key.at}"), description=text, colour=COLOURS["danger"])
    embed.set_footer(text=footer)
    return OutgoingMessage(kind, channel, [embed], topic_of(key.at), buttons=ids.opening_buttons(key))


def _result_lines(entry: Entry) -> Iterator[str]:
    """Yield what a roll has come to, line by line."""
    for part in entry.content()["parts"]:
        if part["outcome"] is not None:
            yield part["outcome"]["text"]
        yield from (step["text"] for step in part["steps"] if "text" in step)


def keep_turn_end(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Keep which entry has ended a turn, so that the next digest tells of what came after it."""
    if made.request.scene is None:
        return ExtraChanges()
    return ExtraChanges({(str(made.request.scene), TURNED): {"entry": made.moment.entry}})


def post_to_factions(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Queue for each faction which battles a roll has opened in its sight, what it sees of an act in one, and once the turn ends all that it has seen since that began; return the posts."""
    return resolver.outbox.queue(tx, campaign.id, entry.number, [*_faction_messages(tx, campaign, entry)])


def strike_through(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterator[Post]:
    """Queue anew, struck through, what factions were told by an entry that is void; yield the posts.

    Of a group that has another channel by now no more is left there than that it is void.
    """
    sent = [post for post in store.posts_of_entry(tx, campaign.id, entry.number) if post.kind == TOLD]
    if not sent:
        return
    mark, pages = voiding.find_mark(tx, campaign.id, entry.number), dict[int, list[Sequence[discord.Embed]]]()
    for message in _faction_messages(tx, campaign, entry):
        pages.setdefault(message.channel_id, []).append(message.embeds)
    for post in sent:
        left = pages.get(post.channel_id)
        page = left.pop(0) if left else [discord.Embed(title=TITLE)]
        yield resolver.outbox.revise(tx, post, strike_pages([[*page]], mark)[0])


def _faction_messages(tx: Connection, campaign: Campaign, entry: Entry) -> Iterator[OutgoingMessage]:
    """Yield what a roll tells factions."""
    body = entry.content()
    ends = body["family"] == ADVANCE
    if not (ends or (TOLD_TO in body and (BATTLES in body or FOUGHT in body))):
        return
    housed = {item.id: int(item.channel) for item in permissions.list_groups(tx, campaign.id) if item.channel}
    if not housed:
        return
    yield from _openings(campaign, entry, housed)
    if FOUGHT in body:
        yield from _acts(tx, campaign, entry, housed)
    if ends:
        yield from _digests(tx, campaign, entry, housed)


def _openings(campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    """Yield for each faction the post of each battle that it has seen begin, with all that it has seen of the roll."""
    body = entry.content()
    for at in body.get(BATTLES, ()):
        for group, lines in _seen_by_groups(body):
            if group in housed and any(line.startswith(OPENING.format(at)) for line in lines):
                yield _opening(ids.Key(campaign.id, at, entry.number), lines, TOLD, housed[group], campaign.name)


def _acts(tx: Connection, campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    """Yield for each faction what it sees of an act in a battle, in the thread that it has been given of that; what hands the turn on has the board's button."""
    body = entry.content()
    at, begun = Hex.parse(str(body["parts"][0]["inputs"]["at"])), int(body[FOUGHT])
    opened = (post for post in store.posts_of_entry(tx, campaign.id, begun) if post.topic == topic_of(at))
    threads = {post.channel_id: post.thread_id for post in opened if post.kind == TOLD}
    half = body["parts"][0]["record"].get("halves", {}).get(str(at), ())
    buttons = ids.opening_buttons(ids.Key(campaign.id, str(at), begun), half) if body["family"] == NEXT else ()
    for group, lines in _seen_by_groups(body):
        thread = threads.get(housed.get(group, 0))
        if thread is not None and lines:
            first, *others = map(plain, sorted(lines, key=_is_consequence))
            embeds = text.fit_embeds(first, others, colour=COLOURS["neutral"], footer=campaign.name)
            yield from (OutgoingMessage(TOLD, thread, page, buttons=buttons) for page in text.paginate(embeds))


def _is_consequence(line: str) -> bool:
    """Return whether a line comes behind the first: where a force retreats to is what was done, and all else comes of it."""
    return " retreats to " not in line


def _digests(tx: Connection, campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    """Yield for each faction what it has seen of a turn, by the entry that has ended it; for one that has ended in it too."""
    before = {item["name"]: item["before"] for item in entry.content()["changes"]}
    began = (before.get(TURNED) or before[keeping.WAR])["entry"]
    seen: dict[int, tuple[list[str], list[str]]] = {}
    for made in (*_valid_entries(tx, campaign, range(began + 1, entry.number)), entry):
        body = made.content()
        for group, lines in _seen_by_groups(body):
            seen.setdefault(group, ([], []))[body["family"] == JOIN].extend(lines)
    for group, (news, joined) in seen.items():
        if group in housed:
            lines = [*map(_bullet, news), *([JOINED] if joined else []), *map(_bullet, joined), LOOK]
            embeds = text.fit_embeds(TITLE, lines, colour=COLOURS["neutral"], footer=campaign.name)
            yield from (OutgoingMessage(TOLD, housed[group], page) for page in text.paginate(embeds))


def _bullet(line: str) -> str:
    return f"\N{BULLET} {plain(line)}"


def _valid_entries(tx: Connection, campaign: Campaign, numbers: range) -> Iterator[Entry]:
    """Yield the entries of these numbers that had not been taken back by the one behind them, in their order: what was told then stays to be read."""
    marks = state.get_named(tx, campaign.id, {f"entry:{number}" for number in numbers}, {VOIDED})
    gone = {whose for (whose, _), mark in marks.items() if mark["by"] < numbers.stop}
    made = entries.get_entries_bare(tx, campaign.id, numbers)
    yield from (made[number] for number in sorted(made) if f"entry:{number}" not in gone)


def _seen_by_groups(body: Mapping[str, Any]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield what each faction has seen of a roll, by the number of the group that it had then."""
    told: Mapping[str, int] = body.get(TOLD_TO, {})
    for part in body["parts"] if told else ():
        seen = part["record"].get(SEEN, {})
        yield from ((told[faction], lines) for faction, lines in seen.items() if faction in told)
