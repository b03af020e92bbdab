"""Changes of battles: who may make one, its entry, and what the entry says; it's posted where it is public."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal, NotRequired, TypedDict, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import knowledge, scene_entries, scenes, subjects
from bot.core.campaigns import Campaign, require_on_server, require_open
from bot.core.encoding import Json
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.library import Library, label_effect
from bot.core.permissions import Person, require_roller
from bot.core.records import Entry
from bot.core.scene_entries import SceneChange, count_down
from bot.core.scenes import Kind
from bot.core.visibility import Viewer, make_player_viewer
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer
from bot.ui.text import DOT, fit_embeds, listing, paginate, plain, shorten
from rules.books.battlesystem.state import BATTLE, EVENT, Battle, BattleHeader, EventLine, How, InForce
from rules.effects import EFFECT
from rules.scenes import Names
from rules.subjects import number_of


class UnitBody(TypedDict):
    """A unit of a roster."""

    name: str
    side: str
    tags: list[str]
    spells: int | None


class EndedBody(TypedDict):
    """An event has ended before its time; `side` has spent a token on it."""

    deed: How
    battle: str
    turn: int
    ended: list[EventLine]
    side: NotRequired[str]


class RosterBody(TypedDict):
    """Units join a battle or leave it, with what ends on others by that."""

    deed: Literal["add", "remove"]
    battle: str
    units: list[UnitBody]
    ended: NotRequired[list[EventLine]]


class EditBody(TypedDict):
    """A unit is changed; `foe` is the enemy that it has a grudge against."""

    deed: Literal["edit"]
    battle: str
    before: UnitBody
    after: UnitBody
    foe: NotRequired[str]


Item = TypeVar("Item")


BULLET = "\N{BULLET} "


MAX_SENTENCE = 180


TITLES: Mapping[str, str] = {
    "start": "Battle started",
    "end": "Battle over",
    "turn": "Turn ended",
    "add": "Units added",
    "edit": "Unit changed",
    "remove": "Units removed",
    "token": "Event ignored",
    "condition": "Event ended",
    "cancel": "Event cancelled",
}


def _sentence(body: Body, _view: View) -> str:
    first, *rest = CHANGES[body["deed"]](body)
    more = f" (and {len(rest)} lines more)" if len(rest) > 1 else f": {rest[0]}" if rest else ""
    return shorten(f"{plain(body['battle'])}: {first}{more}", MAX_SENTENCE)


def entry_pages(shown: EntryView, view: View) -> Pages:
    """Return an entry about a battle in full; why an event was cancelled is for the staff."""
    body = shown.entry.content()
    first, *rest = CHANGES[body["deed"]](body)
    reason = shown.entry.text("reason") if view == "staff" else None
    lines = [f"**{plain(body['battle'])}:** {first}", *(f"{BULLET}{line}" for line in rest)]
    lines += [f"**Reason:** {plain(reason)}"] if reason else []
    return paginate(fit_embeds(TITLES[body["deed"]], lines, colour=COLOURS["success"], footer=entry_footer(shown)))


def describe_traits(tags: Iterable[str], spells: int | None) -> list[str]:
    """Return the tags of a unit and its spells, each in words."""
    return [*tags, *([_spells(spells)] if spells is not None else [])]


def _spells(count: int) -> str:
    return f"{count} {'spell' if count == 1 else 'spells'}"


def gather(items: Iterable[Item], key: Callable[[Item], Hashable]) -> dict[Hashable, list[Item]]:
    """Return the items under what they share, both in their order."""
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def describe_ended(lines: Iterable[EventLine], how: str = "ended") -> list[str]:
    """Return what has ended, each in one line: the same on several units is told once."""
    return [_ending(items, how) for items in gather(lines, _alike).values()]


def _ending(items: Sequence[EventLine], how: str) -> str:
    names, text = ", ".join(plain(item["name"]) for item in items), plain(items[0]["text"])
    done = ", ".join([how, *_again(items[0])])
    if len(items) > 1:
        return f"{text} \N{EM DASH} {done}: {names}"
    return f"{names}: {text} \N{EM DASH} {done}"


def _alike(item: EventLine) -> Hashable:
    return (item["text"], *_again(item))


def _staying(lines: Iterable[EventLine]) -> list[str]:
    alike = gather(lines, itemgetter("text"))
    parts = [
        f"{plain(str(text))} on {', '.join(plain(item['name']) for item in items)}" for text, items in alike.items()
    ]
    return [f"Still in force: {'; '.join(parts)}"] if parts else []


def _again(item: EventLine) -> list[str]:
    return [f"{_spells(item['spells'])} again"] if "spells" in item else []


def _started(body: Body) -> list[str]:
    return [f"{' against '.join(map(plain, body['sides']))}; turn 1 starts"]


def _over(body: Body) -> list[str]:
    lost = [f"{plain(item['name'])}: {plain(item['text'])} \N{EM DASH} stays lost" for item in body["lost"]]
    return [f"over in turn {body['turn']}", *describe_ended(body["ended"]), *lost]


def _turned(body: Body) -> list[str]:
    missing = [f"Random events not checked for {listing([plain(side) for side in body['unchecked']])}"]
    return [
        f"turn {body['turn']} ended, turn {body['turn'] + 1} starts",
        *(missing if body["unchecked"] else []),
        *describe_ended(body["ended"]),
        *_staying(body.get("stays", ())),
    ]


def _added(body: RosterBody) -> list[str]:
    units = body["units"]
    return [f"{len(units)} for {plain(units[0]['side'])}", *map(_described, units)]


def _removed(body: RosterBody) -> list[str]:
    return [
        f"{len(body['units'])} removed",
        *map(_described, body["units"]),
        *describe_ended(body.get("ended", ())),
    ]


def _edited(body: EditBody) -> list[str]:
    if "foe" in body:
        return [f"{plain(body['after']['name'])} has a grudge against {plain(body['foe'])}"]
    return [f"{_described(body['before'])} \N{RIGHTWARDS ARROW} {_described(body['after'])}"]


def _described(item: UnitBody) -> str:
    return DOT.join([plain(item["name"]), plain(item["side"]), *describe_traits(item["tags"], item["spells"])])


def _ignored(body: EndedBody) -> list[str]:
    return [f"{plain(body['side'])} used its token", *describe_ended(body["ended"], "ignored")]


def _condition(body: EndedBody) -> list[str]:
    return [f"turn {body['turn']}", *describe_ended(body["ended"])]


def _cancelled(body: EndedBody) -> list[str]:
    return [f"turn {body['turn']}", *describe_ended(body["ended"], "cancelled")]


CHANGES: Mapping[str, Callable[[Any], list[str]]] = {
    "start": _started,
    "end": _over,
    "turn": _turned,
    "add": _added,
    "edit": _edited,
    "remove": _removed,
    "token": _ignored,
    "condition": _condition,
    "cancel": _cancelled,
}
"""How each change is told: what it came to, then line by line."""


BATTLE_CHANGED = EntryKind("battle", "results", _sentence, entry_pages)


BOOK, FAMILY = "battlesystem", "random-events"


def _read_battle(values: Mapping[str, Json], events: Sequence[Mapping[str, Json]], names: Names) -> Battle:
    return Battle.of(BattleHeader.of(values[BATTLE]), values, [InForce.of(value, names) for value in events], names)


BATTLES = Kind(
    header=BattleHeader,
    read=_read_battle,
    doing="being fought",
    begin="A game master starts one with /events battle action:start.",
    look="See /events active.",
    members="See /events unit list.",
    beside=EVENT,
)


class EnteredChange(Struct, frozen=True):
    """A change that is entered: the posts that are still to be sent, and the battle as it stands now, None once it is over.

    `asides` are what only the person who did it is told.
    """

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]
    battle: Battle | None
    asides: Sequence[str]


def campaign_with_battles(
    tx: Connection, library: Library, person: Person, campaign_id: int, *, lock: bool = True
) -> Campaign:
    """Return the campaign when battles can be fought in it, its row locked unless it is only read."""
    campaign = require_on_server(tx, person.guild_id, campaign_id, lock=lock)
    require_open(campaign)
    library.require(campaign, BOOK)
    return campaign


def campaign_to_command(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, action: str | None = None
) -> Campaign:
    """Return the campaign as `campaign_with_battles` does, for somebody who may roll random events; see `require_commander`."""
    campaign = campaign_with_battles(tx, resolver.library, person, campaign_id)
    require_commander(person, campaign, action)
    return campaign


def enter(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, change: SceneChange) -> EnteredChange:
    """Enter a change of a battle with the effects that it ends and that are public, and queue the post for the results channel."""
    over = ended_effects(tx, resolver.library, make_player_viewer(campaign), change)
    if over:
        change = replace(change, body={**change.body, "ended": [*change.body.get("ended", ()), *over]})
    entry = scene_entries.enter_change(tx, resolver.ledger, campaign, person.user_id, change)
    pages = entry_pages(EntryView(entry, campaign.name), "public") if change.public else []
    messages = [OutgoingMessage("results", campaign.results_channel_id, page) for page in pages]
    posts = resolver.outbox.queue(tx, campaign.id, entry.number, messages)
    battle = next(
        (item for item in scenes.list_running(tx, campaign.id, BATTLES) if item.name == change.scene.name), None
    )
    return EnteredChange(campaign, entry, tuple(posts), battle, change.asides)


def ended_effects(tx: Connection, library: Library, viewer: Viewer, change: SceneChange) -> list[EventLine]:
    """Return the effects from elsewhere that end with this change of a battle, if the viewer may know of them."""
    lasting = scene_entries.find_effects(tx, viewer.campaign)
    ended = {
        (item.subject, item.name) for item in count_down(lasting, change.scene, change.replacements) if not item.after
    }
    if not ended:
        return []
    every, known = {key: lasting[key] for key in ended}, library.effects(tx, viewer.campaign)
    seen = {key for key, value in knowledge.see_values(tx, viewer, every).items() if value == every[key]}
    if not viewer.person.leads(viewer.campaign):
        seen -= {(subject, EFFECT + trait) for subject, _ in seen for trait, effect in known.items() if effect.secret}
    names = subjects.name_subjects(tx, viewer.campaign.id, {number_of(subject) for subject, _ in seen})
    lines = ((names[number_of(key)], label_effect(known, name, lasting[key, name])) for key, name in seen)
    return [{"name": name, "text": text} for name, text in sorted(lines)]


def may_command(person: Person, campaign: Campaign) -> bool:
    """Return whether the person may roll random events and do what belongs to it."""
    return person.leads(campaign) or (person.plays(campaign) and FAMILY in campaign.players_may)


def require_commander(person: Person, campaign: Campaign, action: str | None = None) -> None:
    """Refuse a person who may not roll random events: game masters may, and players if their campaign allows it.

    `action` says what is refused if it isn't a roll.
    """
    require_roller(person, campaign, FAMILY, deed=action)
