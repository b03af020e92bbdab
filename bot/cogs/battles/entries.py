"""Entries about battles: who may change one, and what is posted."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import scene_entries, scenes, subjects, visibility
from bot.core.campaigns import Campaign, require_on_server, require_open
from bot.core.ledger import About, Body, EntryKind, EntryView, Pages, View
from bot.core.library import Library, label_effect
from bot.core.permissions import Person, require_roller
from bot.core.records import Entry, Json
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls.resolver import Resolver
from bot.ui.receipt import entry_footer
from bot.ui.text import COLOURS, DOT, fit_embeds, join_words, paginate, plain, shorten
from rules.books.battlesystem import state
from rules.effects import EFFECT
from rules.scenes import Names
from rules.subjects import number_of

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
    """Return an entry in full; why an event was cancelled is staff only."""
    body = shown.entry.content()
    first, *rest = CHANGES[body["deed"]](body)
    reason = shown.entry.text("reason") if view == "staff" else None
    lines = [f"**{plain(body['battle'])}:** {first}", *(f"{BULLET}{line}" for line in rest)]
    lines += [f"**Reason:** {plain(reason)}"] if reason else []
    return paginate(fit_embeds(TITLES[body["deed"]], lines, colour=COLOURS["success"], footer=entry_footer(shown)))


def describe_traits(tags: Iterable[str], spells: int | None) -> list[str]:
    """Return a unit's tags and spells in words."""
    return [*tags, *([_count_spells(spells)] if spells is not None else [])]


def _count_spells(count: int) -> str:
    return f"{count} {'spell' if count == 1 else 'spells'}"


def gather(items: Iterable[Item], key: Callable[[Item], Hashable]) -> dict[Hashable, list[Item]]:
    """Group items by a key, keeping their order."""
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def describe_ended(lines: Iterable[state.EventLine], how: str = "ended") -> list[str]:
    """Return lines about what ended, with `how`; the same on several units takes one line."""
    found = []
    for items in gather(lines, _text_and_spells).values():
        names, text = ", ".join(plain(item["name"]) for item in items), plain(items[0]["text"])
        done = f" \N{EM DASH} {', '.join([how, *_text_and_spells(items[0])[1:]])}"
        found.append(f"{text}{done}: {names}" if len(items) > 1 else f"{names}: {text}{done}")
    return found


def _text_and_spells(item: state.EventLine) -> tuple[str, ...]:
    spells = (f"{_count_spells(item['spells'])} again",) if "spells" in item else ()
    return (item["text"], *spells)


def _start_lines(body: Body) -> list[str]:
    return [f"{' against '.join(map(plain, body['sides']))}; turn 1 starts"]


def _end_lines(body: Body) -> list[str]:
    lost = [f"{plain(item['name'])}: {plain(item['text'])} \N{EM DASH} stays lost" for item in body["lost"]]
    return [f"over in turn {body['turn']}", *describe_ended(body["ended"]), *lost]


def _turn_lines(body: Body) -> list[str]:
    missing = [f"Random events not checked for {join_words([plain(side) for side in body['unchecked']])}"]
    staying = [
        f"{plain(str(text))} on {', '.join(plain(item['name']) for item in items)}"
        for text, items in gather(body.get("stays", ()), itemgetter("text")).items()
    ]
    return [
        f"turn {body['turn']} ended, turn {body['turn'] + 1} starts",
        *(missing if body["unchecked"] else []),
        *describe_ended(body["ended"]),
        *([f"Still in force: {'; '.join(staying)}"] if staying else []),
    ]


def _join_lines(body: Body) -> list[str]:
    units = body["units"]
    return [f"{len(units)} for {plain(units[0]['side'])}", *map(_describe_unit, units)]


def _leave_lines(body: Body) -> list[str]:
    gone = [*map(_describe_unit, body["units"]), *describe_ended(body.get("ended", ()))]
    return [f"{len(body['units'])} removed", *gone]


def _edit_lines(body: Body) -> list[str]:
    if "foe" in body:
        return [f"{plain(body['after']['name'])} has a grudge against {plain(body['foe'])}"]
    return [f"{_describe_unit(body['before'])} \N{RIGHTWARDS ARROW} {_describe_unit(body['after'])}"]


def _describe_unit(item: Body) -> str:
    return DOT.join([plain(item["name"]), plain(item["side"]), *describe_traits(item["tags"], item["spells"])])


def _early_end_lines(body: Body) -> list[str]:
    how = {"token": "ignored", "condition": "ended", "cancel": "cancelled"}[body["deed"]]
    first = f"{plain(body['side'])} used its token" if body["deed"] == "token" else f"turn {body['turn']}"
    return [first, *describe_ended(body["ended"], how)]


CHANGES: Mapping[str, Callable[[Body], list[str]]] = {
    "start": _start_lines,
    "end": _end_lines,
    "turn": _turn_lines,
    "add": _join_lines,
    "edit": _edit_lines,
    "remove": _leave_lines,
    "token": _early_end_lines,
    "condition": _early_end_lines,
    "cancel": _early_end_lines,
}
"""Each change's summary and lines."""


def _list_shown(body: Body, view: View) -> Iterator[About]:
    yield "family", "battle"
    items = [item for name in ("units", "ended", "lost", "stays") for item in body.get(name, ())]
    items += [body[name] for name in ("before", "after") if name in body]
    shown = {*(item["name"] for item in items), body.get("foe")}
    yield from (
        ("unit", int(number)) for number, name in body.get("names", {}).items() if view == "staff" or name in shown
    )


BATTLE_CHANGED = EntryKind("battle", "results", _sentence, entry_pages, about=_list_shown)


BOOK, FAMILY = "battlesystem", "random-events"


def _read_battle(values: Mapping[str, Json], events: Sequence[Mapping[str, Json]], names: Names) -> state.Battle:
    return state.Battle.of(
        state.BattleHeader.of(values[state.BATTLE]),
        values,
        [state.ActiveEvent.of(value, names) for value in events],
        names,
    )


BATTLES = scenes.Kind(
    header=state.BattleHeader,
    read=_read_battle,
    doing="being fought",
    begin="A game master starts one with /gm-events battle action:start.",
    look="See /events active.",
    members="See /events units.",
    beside=state.EVENT,
)


class EnteredChange(Struct, frozen=True):
    """An entered change: posts to send, the battle (None once over), and `asides` only its maker sees."""

    campaign: Campaign
    entry: Entry
    posts: tuple[Post, ...]
    battle: state.Battle | None
    asides: Sequence[str]


def campaign_with_battles(
    tx: Connection, library: Library, person: Person, campaign_id: int, *, lock: bool = True
) -> Campaign:
    """Return an open campaign whose books have battles, or refuse."""
    campaign = require_on_server(tx, person.guild_id, campaign_id, lock=lock)
    require_open(campaign)
    library.require(campaign, BOOK)
    return campaign


def battle_to_command(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    which: scenes.Which,
    action: str | None = None,
) -> tuple[Campaign, state.Battle]:
    """Return the campaign and its battle, for a person who may roll random events."""
    campaign = campaign_with_battles(tx, resolver.library, person, campaign_id)
    require_roller(person, campaign, FAMILY, named=action)
    return campaign, scenes.find_scene(tx, campaign.id, BATTLES, which)


def enter(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, change: scene_entries.SceneChange
) -> EnteredChange:
    """Enter a change with the public effects that it ends, and queue its post."""
    over = find_ended_effects(tx, resolver.library, visibility.make_player_viewer(campaign), change)
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


def find_ended_effects(
    tx: Connection, library: Library, viewer: visibility.Viewer, change: scene_entries.SceneChange
) -> list[state.EventLine]:
    """Return lines about lasting effects, not events, that end with a battle's change, if the viewer may know them."""
    lasting = scene_entries.find_effects(tx, viewer.campaign)
    ended = {
        (item.subject, item.name)
        for item in scene_entries.count_down(lasting, change.scene, change.replacements)
        if not item.after
    }
    if not ended:
        return []
    every, known = {key: lasting[key] for key in ended}, library.effects(tx, viewer.campaign)
    seen = {key for key, value in visibility.see_values(tx, viewer, every).items() if value == every[key]}
    if not viewer.person.leads(viewer.campaign):
        seen -= {(subject, EFFECT + trait) for subject, _ in seen for trait, effect in known.items() if effect.secret}
    names = subjects.name_subjects(tx, viewer.campaign.id, {number_of(subject) for subject, _ in seen})
    lines = ((names[number_of(key)], label_effect(known, name, lasting[key, name])) for key, name in seen)
    return [{"name": name, "text": text} for name, text in sorted(lines)]


def may_command(person: Person, campaign: Campaign) -> bool:
    """Return whether the person may roll random events."""
    return person.leads(campaign) or (person.plays(campaign) and FAMILY in campaign.players_may)
