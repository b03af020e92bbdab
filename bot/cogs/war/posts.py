"""Posts of a war, and the buttons of battles: battles that begin, each with a thread, and in fog what each faction sees, in its group's channel.

A faction's channel gets the battles that begin in its sight, in their threads what it sees of each act there, and what it has
seen of a turn that ends. Those without one use `/war map` and `/war show`. A button carries the battle's panel and the entry that
has begun it; what moves a battle on carries the half of the turn that was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import discord
from discord import ButtonStyle, ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, permissions, state, voiding
from bot.core.campaigns import Campaign
from bot.core.encoding import Json
from bot.core.entry_kinds import EntryView
from bot.core.records import Entry
from bot.core.state import VOIDED
from bot.outbox import store
from bot.outbox.queue import Buttons, OutgoingMessage
from bot.outbox.store import Post, PostKind, thread_topic
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.resolver import Resolver
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate
from bot.ui.receipt import entry_footer, strike_pages
from bot.ui.text import plain
from rules.books.total_war import storage
from rules.books.total_war.order_kinds import ADVANCE, JOIN, NEXT, OPENING, SEEN
from rules.effects import SCENE
from rules.geometry import Hex
from rules.procedure import PartResult

SHOW_BOARD: Final = IdTemplate("battle:{campaign:int}:show:{at:word}:{begun:int}")
REFRESH_BOARD: Final = IdTemplate("battle:{campaign:int}:again:{at:word}:{begun:int}")
END_HALF: Final = IdTemplate("battle:{campaign:int}:next:{at:word}:{begun:int}:{turn:int}:{side:int}")
"""Ends the half of a turn of a side (its place); it asks first where units could still act."""
END_ANYWAY: Final = IdTemplate("battle:{campaign:int}:sure:{at:word}:{begun:int}:{turn:int}:{side:int}")
ASK_WITHDRAWAL: Final = IdTemplate("battle:{campaign:int}:withdraw:{at:word}:{begun:int}:{side:int}")
WITHDRAW: Final = IdTemplate("battle:{campaign:int}:leave:{at:word}:{begun:int}:{side:int}")
RETREAT_TO: Final = IdTemplate("battle:{campaign:int}:retreat:{at:word}:{begun:int}:{force:int}:{to:word}")
"""Sends a force (its place by name) to a panel."""
BOARD_WORDS: Final = IdTemplate("battle:{campaign:int}:words:{at:word}:{begun:int}:{unit:rest}")
"""Shows all of a board in words, and what a unit can do there, if one is named."""
MISSING_ACT: Final = IdTemplate("battle:{campaign:int}:act:{at:word}:{begun:int}:{attack:word}:{roll:word}:{unit:rest}")
BATTLES = "battles"
"""The name in the body of a roll for the battles that it has opened."""
BEGINS = "The attackers start with their half of turn 1."
"""Whose half it is as a battle begins (AMB-39)."""
FOUGHT = "fought"
"""The name in the body of an act for the entry that has begun its battle."""
SEEN_BY = "groups"
"""The name in the body of a roll for the groups (numbers) of the factions (ids) that have seen it."""
BATTLE_ON = "Battle on "
"""How the names of battles' threads begin; the panel follows."""
HOW = "Act: `/battle act`. See the board: `/battle show`. Either side can withdraw at any time."
FACTION_POST: PostKind = "told"
"""The kind of these posts, which no one may see but the group."""
TURNED = "turned"
"""The name of a war's value for the entry that has ended its last turn."""
MORE = "-# See the current state: `/war map`, `/war show`."
TITLE = "What your faction saw this turn"
JOINED = "**New players**"
"""The heading of those who have joined: last, since they're no news of the turn."""

Housed = Mapping[int, int]
"""The channels (ids) of groups that have one, by the groups' numbers."""


class BattleKey(Struct, frozen=True):
    """Which battle a button is about: its campaign, its panel, and the number of the entry that has begun it."""

    campaign: int
    at: str
    begun: int

    def fill(self, form: IdTemplate, **more: object) -> str:
        """Return the custom id of this form."""
        return form.fill(campaign=self.campaign, at=self.at, begun=self.begun, **more)

    def button(
        self, label: str, form: IdTemplate, style: ButtonStyle = ButtonStyle.secondary, **more: object
    ) -> ui.Button[ui.LayoutView]:
        """Return a button of this form."""
        return ui.Button(label=label, custom_id=self.fill(form, **more), style=style)


def opening_buttons(battle: BattleKey, half: Sequence[int] = ()) -> Buttons:
    """Return the buttons under the post of a battle or of a half that begins: the board, and the end of that half (turn and side's place)."""
    grey, shown = ButtonStyle.secondary.value, battle.fill(SHOW_BOARD)
    ends = [("End turn", battle.fill(END_HALF, turn=half[0], side=half[1]), grey)] if half else []
    return [("Show board", shown, grey), *ends]


def topic_of(at: object) -> str:
    """Return the topic of the post about a battle on a panel, which has a thread of that name."""
    return thread_topic(f"{BATTLE_ON}{at}")


def keep_begun(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Keep which entry has opened a battle, also in its body; in that of an act on a board, which has opened the battle there."""
    scene, first = made.request.scene, made.resolution.parts[0].part
    if scene is None or not scene.startswith(f"{storage.WAR}:"):
        return ExtraChanges()
    begun = [at for part in made.resolution.parts for at in _opened_battles(part)]
    opened = {at: {"entry": made.moment.entry, "open": True} for at in begun}
    body: dict[str, object] = {BATTLES: begun} if begun else {}
    if "at" in first.inputs:
        at = Hex.parse(first.inputs["at"])
        body[FOUGHT] = opened[str(at)]["entry"] if str(at) in opened else begun_by(first.kept[SCENE], at)
    return ExtraChanges({(scene, f"{storage.OPENED}{at}"): value for at, value in opened.items()}, body)


def add_battle_posts(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add the post of each battle that a roll has opened: where its result goes, so that no stranger hears of it in fog."""
    channel = campaign.results_channel_id if entry.audience == "results" else campaign.staff_channel_id
    footer = entry_footer(EntryView(entry, campaign.name))
    lines, more = dict.fromkeys(_result_lines(entry)), []
    for at in entry.content().get(BATTLES, ()):
        opens = (line for line in lines if line.startswith(OPENING.format(at)))
        more.append(_opening(BattleKey(campaign.id, at, entry.number), opens, "notice", channel, footer))
    return [*messages, *more]


def begun_by(values: storage.Values, at: Hex) -> int:
    """Return the number of the entry that has begun the battle on a panel, by a war's values."""
    opened = values.get(f"{storage.OPENED}{at}") or values[storage.WAR]
    number: int = opened["entry"]
    return number


def threads_of(tx: Connection, campaign_id: int, values: storage.Values, at: Hex) -> list[int | None]:
    """Return the threads (ids; None where there is none) of the battle on a panel: of the post for all or the staff, then of factions."""
    posts = store.posts_of_entry(tx, campaign_id, begun_by(values, at))
    return [post.thread_id for post in posts if post.topic == topic_of(at)]


def _opened_battles(part: PartResult) -> Iterator[str]:
    before = part.part.kept.get(SCENE, {})
    for who, name, value in part.changes:
        if who == SCENE and name.startswith(storage.BATTLE) and value is not None and name not in before:
            yield name.removeprefix(storage.BATTLE)


def _opening(key: BattleKey, lines: Iterable[str], kind: PostKind, channel: int, footer: str) -> OutgoingMessage:
    """Return the post of a battle, which has a thread: lines about it, whose half of the turn it is, and what to do."""
    text = "\n".join([*map(plain, lines), BEGINS, HOW])
    embed = discord.Embed(title=plain(f"{BATTLE_ON}{key.at}"), description=text, colour=COLOURS["danger"])
    embed.set_footer(text=footer)
    return OutgoingMessage(kind, channel, [embed], topic_of(key.at), buttons=opening_buttons(key))


def _result_lines(entry: Entry) -> Iterator[str]:
    for part in entry.content()["parts"]:
        if part["outcome"] is not None:
            yield part["outcome"]["text"]
        yield from (step["text"] for step in part["steps"] if "text" in step)


def keep_turn_end(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Keep which entry has ended a turn, so that the next digest starts after it."""
    if made.request.scene is None:
        return ExtraChanges()
    return ExtraChanges({(str(made.request.scene), TURNED): {"entry": made.moment.entry}})


def post_to_factions(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Queue for each faction the battles that a roll has opened in its sight, what it sees of an act, and at the end of a turn all that it has seen of that; return the posts."""
    return resolver.outbox.queue(tx, campaign.id, entry.number, [*_faction_messages(tx, campaign, entry)])


def strike_through(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterator[Post]:
    """Strike through the factions' posts of an entry that is void; yield them.

    The old channel of a group that has another one by now only learns that it is void.
    """
    sent = [post for post in store.posts_of_entry(tx, campaign.id, entry.number) if post.kind == FACTION_POST]
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
    body = entry.content()
    ends = body["family"] == ADVANCE
    if not (ends or (SEEN_BY in body and (BATTLES in body or FOUGHT in body))):
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
                yield _opening(
                    BattleKey(campaign.id, at, entry.number), lines, FACTION_POST, housed[group], campaign.name
                )


def _acts(tx: Connection, campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    """Yield for each faction what it sees of an act, in its thread of the battle; what ends a half has the board's button."""
    body = entry.content()
    at, begun = Hex.parse(str(body["parts"][0]["inputs"]["at"])), int(body[FOUGHT])
    opened = (post for post in store.posts_of_entry(tx, campaign.id, begun) if post.topic == topic_of(at))
    threads = {post.channel_id: post.thread_id for post in opened if post.kind == FACTION_POST}
    half = body["parts"][0]["record"].get("halves", {}).get(str(at), ())
    buttons = opening_buttons(BattleKey(campaign.id, str(at), begun), half) if body["family"] == NEXT else ()
    for group, lines in _seen_by_groups(body):
        thread = threads.get(housed.get(group, 0))
        if thread is not None and lines:
            first, *others = map(plain, sorted(lines, key=_is_consequence))
            embeds = text.fit_embeds(first, others, colour=COLOURS["neutral"], footer=campaign.name)
            yield from (OutgoingMessage(FACTION_POST, thread, page, buttons=buttons) for page in text.paginate(embeds))


def _is_consequence(line: str) -> bool:
    """Return whether a line follows from the act: where a force retreats to is the act itself."""
    return " retreats to " not in line


def _digests(tx: Connection, campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    """Yield for each faction what it has seen of a turn, by the entry that has ended it; also for a faction that is gone since."""
    before = {item["name"]: item["before"] for item in entry.content()["changes"]}
    began = (before.get(TURNED) or before[storage.WAR])["entry"]
    seen: dict[int, tuple[list[str], list[str]]] = {}
    for made in (*_valid_entries(tx, campaign, range(began + 1, entry.number)), entry):
        body = made.content()
        for group, lines in _seen_by_groups(body):
            seen.setdefault(group, ([], []))[body["family"] == JOIN].extend(lines)
    for group, (news, joined) in seen.items():
        if group in housed:
            lines = [*map(_bullet, news), *([JOINED] if joined else []), *map(_bullet, joined), MORE]
            embeds = text.fit_embeds(TITLE, lines, colour=COLOURS["neutral"], footer=campaign.name)
            yield from (OutgoingMessage(FACTION_POST, housed[group], page) for page in text.paginate(embeds))


def _bullet(line: str) -> str:
    return f"\N{BULLET} {plain(line)}"


def _valid_entries(tx: Connection, campaign: Campaign, numbers: range) -> Iterator[Entry]:
    """Yield the entries of these numbers that weren't void at the end of the range, in order: what was posted then stays."""
    marks = state.get_values_named(tx, campaign.id, {f"entry:{number}" for number in numbers}, {VOIDED})
    gone = {whose for (whose, _), mark in marks.items() if mark["by"] < numbers.stop}
    made = entries.get_entries_bare(tx, campaign.id, numbers)
    yield from (made[number] for number in sorted(made) if f"entry:{number}" not in gone)


def _seen_by_groups(body: Mapping[str, Json]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield what each faction has seen of a roll, by the number of the group that it had then."""
    told: Mapping[str, int] = body.get(SEEN_BY, {})
    for part in body["parts"] if told else ():
        seen = part["record"].get(SEEN, {})
        yield from ((told[faction], lines) for faction, lines in seen.items() if faction in told)
