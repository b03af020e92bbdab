"""Posts of a war, and the buttons of battles.

A battle gets a thread. In fog each faction's channel gets only what it sees: battles that begin, acts in their threads, and its digest of a turn.
Buttons carry the panel and the entry that began the battle, and the half turn that was seen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import discord
from discord import ButtonStyle, ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, permissions, state, voiding
from bot.core.campaigns import Campaign
from bot.core.ledger import EntryView
from bot.core.records import Entry, Json
from bot.outbox import queue
from bot.outbox.queue import Buttons, OutgoingMessage
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.resolver import Resolver
from bot.ui import text
from bot.ui.receipt import entry_footer, strike_pages
from bot.ui.reply import IdTemplate
from bot.ui.text import COLOURS, plain
from rules.books.total_war import storage
from rules.books.total_war.order_kinds import ADVANCE, JOIN, NEXT, OPENING, SEEN
from rules.effects import SCENE
from rules.geometry import Hex

SHOW_BOARD: Final = IdTemplate("battle:{campaign:int}:show:{at:word}:{begun:int}")
REFRESH_BOARD: Final = IdTemplate("battle:{campaign:int}:again:{at:word}:{begun:int}")
END_HALF: Final = IdTemplate("battle:{campaign:int}:next:{at:word}:{begun:int}:{turn:int}:{side:int}")
"""By turn and side (its place)."""
END_ANYWAY: Final = IdTemplate("battle:{campaign:int}:sure:{at:word}:{begun:int}:{turn:int}:{side:int}")
ASK_WITHDRAWAL: Final = IdTemplate("battle:{campaign:int}:withdraw:{at:word}:{begun:int}:{side:int}")
WITHDRAW: Final = IdTemplate("battle:{campaign:int}:leave:{at:word}:{begun:int}:{side:int}")
RETREAT_TO: Final = IdTemplate("battle:{campaign:int}:retreat:{at:word}:{begun:int}:{force:int}:{to:word}")
"""By force (its place by name)."""
BOARD_WORDS: Final = IdTemplate("battle:{campaign:int}:words:{at:word}:{begun:int}:{unit:rest}")
MISSING_ACT: Final = IdTemplate("battle:{campaign:int}:act:{at:word}:{begun:int}:{attack:word}:{roll:word}:{unit:rest}")
BATTLES = "battles"  # in a roll's body: the battles it opened
BEGINS = "The attackers start with their half of turn 1."  # AMB-39
FOUGHT = "fought"  # in an act's body: the entry that began its battle
SEEN_BY = "groups"  # in a roll's body: the groups that saw it, by faction id
BATTLE_ON = "Battle on "  # begins a thread's name; the panel follows
HOW = "Act: `/battle act`. See the board: `/battle show`. Either side can withdraw at any time."
FACTION_POST: queue.PostKind = "told"  # only the group may see these
TURNED = "turned"  # the war's value for the entry that ended its last turn
MORE = "-# See the current state: `/war map`, `/war show`."
TITLE = "What your faction saw this turn"
JOINED = "**New players**"  # the heading for new players, which comes last
Housed = Mapping[int, int]
"""Channel ids by group number."""


class BattleKey(Struct, frozen=True):
    """A battle in ids: campaign, panel, and the entry that began it."""

    campaign: int
    at: str
    begun: int

    def fill(self, form: IdTemplate, **more: object) -> str:
        """Return the custom id."""
        return form.fill(campaign=self.campaign, at=self.at, begun=self.begun, **more)

    def button(
        self, label: str, form: IdTemplate, style: ButtonStyle = ButtonStyle.secondary, **more: object
    ) -> ui.Button[ui.LayoutView]:
        """Return a button with that id."""
        return ui.Button(label=label, custom_id=self.fill(form, **more), style=style)


def _battle_buttons(battle: BattleKey, half: Sequence[int] = ()) -> Buttons:
    grey, shown = ButtonStyle.secondary.value, battle.fill(SHOW_BOARD)
    ends = [("End turn", battle.fill(END_HALF, turn=half[0], side=half[1]), grey)] if half else []
    return [("Show board", shown, grey), *ends]


def topic_of(at: object) -> str:
    """Return the topic, and thread name, of a panel's battle."""
    return queue.thread_topic(f"{BATTLE_ON}{at}")


def keep_begun(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return changes that keep which entry began each battle; acts' bodies name it too."""
    scene, first = made.request.scene, made.resolution.parts[0].part
    if scene is None or not scene.startswith(f"{storage.WAR}:"):
        return ExtraChanges()
    begun = [
        name.removeprefix(storage.BATTLE)
        for part in made.resolution.parts
        for who, name, value in part.changes
        if who == SCENE and name.startswith(storage.BATTLE)
        if value is not None and name not in part.part.kept.get(SCENE, {})
    ]
    opened = {at: {"entry": made.moment.entry, "open": True} for at in begun}
    body: dict[str, object] = {BATTLES: begun} if begun else {}
    if "at" in first.inputs:
        at = Hex.parse(first.inputs["at"])
        body[FOUGHT] = opened[str(at)]["entry"] if str(at) in opened else find_first_entry(first.kept[SCENE], at)
    return ExtraChanges({(scene, f"{storage.OPENED}{at}"): value for at, value in opened.items()}, body)


def add_battle_posts(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add a post for each battle that an entry began, in the channel of its result, so fog stays."""
    channel = campaign.results_channel_id if entry.audience == "results" else campaign.staff_channel_id
    footer = entry_footer(EntryView(entry, campaign.name))
    lines, more = dict.fromkeys(_result_lines(entry)), []
    for at in entry.content().get(BATTLES, ()):
        opens = (line for line in lines if line.startswith(OPENING.format(at)))
        more.append(_draw_opening(BattleKey(campaign.id, at, entry.number), opens, "notice", channel, footer))
    return [*messages, *more]


def find_first_entry(values: storage.Values, at: Hex) -> int:
    """Return the entry that began the panel's battle."""
    opened = values.get(f"{storage.OPENED}{at}") or values[storage.WAR]
    number: int = opened["entry"]
    return number


def threads_of(tx: Connection, campaign_id: int, values: storage.Values, at: Hex) -> list[int | None]:
    """Return a battle's thread ids (None: no thread): of the common post, then of factions."""
    posts = queue.posts_of_entry(tx, campaign_id, find_first_entry(values, at))
    return [post.thread_id for post in posts if post.topic == topic_of(at)]


def _draw_opening(
    key: BattleKey, lines: Iterable[str], kind: queue.PostKind, channel: int, footer: str
) -> OutgoingMessage:
    text = "\n".join([*map(plain, lines), BEGINS, HOW])
    embed = discord.Embed(title=plain(f"{BATTLE_ON}{key.at}"), description=text, colour=COLOURS["danger"])
    embed.set_footer(text=footer)
    return OutgoingMessage(kind, channel, [embed], topic_of(key.at), buttons=_battle_buttons(key))


def _result_lines(entry: Entry) -> Iterator[str]:
    for part in entry.content()["parts"]:
        if part["outcome"] is not None:
            yield part["outcome"]["text"]
        yield from (step["text"] for step in part["steps"] if "text" in step)


def keep_turn_end(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Keep which entry ended a turn, where the next digest starts."""
    if made.request.scene is None:
        return ExtraChanges()
    return ExtraChanges({(str(made.request.scene), TURNED): {"entry": made.moment.entry}})


def post_to_factions(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[queue.Post]:
    """Queue what each faction sees of a roll, and its digest of an ended turn."""
    return resolver.outbox.queue(tx, campaign.id, entry.number, [*_faction_messages(tx, campaign, entry)])


def strike_through(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterator[queue.Post]:
    """Strike through factions' posts of a void entry.

    A group's former channel only learns that the post is void.
    """
    sent = [post for post in queue.posts_of_entry(tx, campaign.id, entry.number) if post.kind == FACTION_POST]
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
    yield from _list_openings(campaign, entry, housed)
    if FOUGHT in body:
        yield from _act_posts(tx, campaign, entry, housed)
    if ends:
        yield from _digest_posts(tx, campaign, entry, housed)


def _list_openings(campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    body = entry.content()
    for at in body.get(BATTLES, ()):
        for group, lines in _list_seen(body):
            if group in housed and any(line.startswith(OPENING.format(at)) for line in lines):
                yield _draw_opening(
                    BattleKey(campaign.id, at, entry.number), lines, FACTION_POST, housed[group], campaign.name
                )


def _act_posts(tx: Connection, campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    body = entry.content()
    at, begun = Hex.parse(str(body["parts"][0]["inputs"]["at"])), int(body[FOUGHT])
    opened = (post for post in queue.posts_of_entry(tx, campaign.id, begun) if post.topic == topic_of(at))
    threads = {post.channel_id: post.thread_id for post in opened if post.kind == FACTION_POST}
    half = body["parts"][0]["record"].get("halves", {}).get(str(at), ())
    buttons = _battle_buttons(BattleKey(campaign.id, str(at), begun), half) if body["family"] == NEXT else ()
    for group, lines in _list_seen(body):
        thread = threads.get(housed.get(group, 0))
        if thread is not None and lines:
            first, *others = map(plain, sorted(lines, key=_is_consequence))
            embeds = text.fit_embeds(first, others, colour=COLOURS["neutral"], footer=campaign.name)
            yield from (OutgoingMessage(FACTION_POST, thread, page, buttons=buttons) for page in text.paginate(embeds))


def _is_consequence(line: str) -> bool:
    return " retreats to " not in line


def _digest_posts(tx: Connection, campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    before = {item["name"]: item["before"] for item in entry.content()["changes"]}
    began = (before.get(TURNED) or before[storage.WAR])["entry"]
    seen: dict[int, tuple[list[str], list[str]]] = {}
    for made in (*_valid_entries(tx, campaign, range(began + 1, entry.number)), entry):
        body = made.content()
        for group, lines in _list_seen(body):
            seen.setdefault(group, ([], []))[body["family"] == JOIN].extend(lines)
    for group, (news, joined) in seen.items():
        if group in housed:
            lines = [*map(_bullet, news), *([JOINED] if joined else []), *map(_bullet, joined), MORE]
            embeds = text.fit_embeds(TITLE, lines, colour=COLOURS["neutral"], footer=campaign.name)
            yield from (OutgoingMessage(FACTION_POST, housed[group], page) for page in text.paginate(embeds))


def _bullet(line: str) -> str:
    return f"\N{BULLET} {plain(line)}"


def _valid_entries(tx: Connection, campaign: Campaign, numbers: range) -> Iterator[Entry]:
    marks = state.get_values_named(tx, campaign.id, {f"entry:{number}" for number in numbers}, {state.VOIDED})
    gone = {whose for (whose, _), mark in marks.items() if mark["by"] < numbers.stop}
    made = entries.get_entries_bare(tx, campaign.id, numbers)
    yield from (made[number] for number in sorted(made) if f"entry:{number}" not in gone)


def _list_seen(body: Mapping[str, Json]) -> Iterator[tuple[int, Sequence[str]]]:
    groups: Mapping[str, int] = body.get(SEEN_BY, {})
    for part in body["parts"] if groups else ():
        seen = part["record"].get(SEEN, {})
        yield from ((groups[faction], lines) for faction, lines in seen.items() if faction in groups)
