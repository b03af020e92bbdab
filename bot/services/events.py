"""Battles with random events: begun and ended, turn by turn, and what becomes of the events that are in force."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection

from bot import typed
from bot.embeds.events import Standing, span
from bot.errors import BadInput, NeedsReason, NotOpen
from bot.request import subject_key
from bot.services.field import BOOK, Deed, Done, Field, chosen, require_commander
from bot.services.people import Person, require_game_master
from bot.store import battles, entries
from bot.store.battles import BATTLE, CHOSEN, CONDITIONS, PERMANENT, Battle, Header, InForce, Token, battle_key
from bot.store.campaigns import Campaign
from bot.store.records import Change
from rules.books.battlesystem.random_events import TABLE
from rules.tables import RollTable

How = Literal["token", "condition", "cancel"]
SIDES = 2


@dataclass(frozen=True, slots=True)
class Use:
    """The options of the command that ends an event, as typed."""

    event: str
    how: How
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """One event as it is in force on the units of one side; its key tells it from all others of its battle."""

    key: str
    side: str
    events: tuple[InForce, ...]

    @property
    def first(self) -> InForce:
        """The event on the first of the units: the others differ by name only."""
        return self.events[0]


class Events:
    """The use cases around battles and the events in force."""

    def __init__(self, field: Field) -> None:
        self._field = field

    async def start(self, person: Person, campaign_id: int, name: str | None, sides: str | None) -> Done:
        """Begin a battle between two sides; its first turn begins with it.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: name or sides cannot be used, or a battle of this name is being fought.

        """
        (called,) = typed.names(name or "", "name of the battle", 1)
        named = typed.names(sides or "", "side", SIDES)
        if len(named) != SIDES:
            raise BadInput("A battle has two sides.", "Name both, parted by a comma: Zeon, EF.")

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_game_master(person, campaign, "begin battles")
            before = next((item for item in battles.headers(tx, campaign.id) if item.key == battle_key(called)), None)
            if before is not None and not before.over:
                raise BadInput(f"{before.name} is being fought already.", "Take another name, or end that one first.")
            header = Header(called, named, entries.newest(tx, campaign.id, campaign.uuid).number + 1)
            change = Change(header.key, BATTLE, before and before.value(), header.value())
            return Deed({"deed": "start", "battle": called, "sides": list(named)}, [change], public=True)

        return await self._field.do(person, campaign_id, work)

    async def end(self, person: Person, campaign_id: int, named: str | None) -> Done:
        """End a battle: with it ends all that is in force in it but what is permanent; losses stay lost.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput, NotOpen: no such battle is being fought.

        """

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_game_master(person, campaign, "end battles")
            battle = chosen(tx, campaign.id, named)
            spans = {part.lasts for item in battle.events for part in item.parts} - {PERMANENT}
            dropped = [Change(*key, value, None) for key, value in battle.kept.items() if key[1] != BATTLE]
            over = battle.header_change(replace(battle.header, over=True))
            removed = [{"name": item.name, "text": item.label} for item in battle.events if item.removes]
            lost = [{"name": item["name"], "text": item["text"]} for item in battle.losses]
            body = {
                "deed": "end",
                "battle": battle.name,
                "turn": battle.header.turn,
                "ended": _told(battle.events, *spans),
                "lost": [*removed, *lost],
            }
            return Deed(body, [over, *dropped, *battle.ending(*spans)], public=True)

        return await self._field.do(person, campaign_id, work)

    async def turn(self, person: Person, campaign_id: int, named: str | None) -> Done:
        """End the turn of a battle with all that lasts as long, and begin the next.

        Raises:
            NotAllowed: the person may not.
            BadInput, NotOpen: no such battle is being fought, or its turn has not begun since nobody stands in it.

        """

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign)
            battle = chosen(tx, campaign.id, named)
            if not battle.roster:
                what = f"Turn {battle.header.turn} of {battle.name} has not begun: nobody is on its roster."
                raise NotOpen(what, "Add units first, with /events unit add.")
            after = replace(battle.header, turn=battle.header.turn + 1, checked={})
            manned = {item.side for item in battle.fighting}
            body = {
                "deed": "turn",
                "battle": battle.name,
                "turn": battle.header.turn,
                "ended": _told(battle.events, "turn"),
                "unchecked": [
                    side for side in battle.header.sides if side in manned and side not in battle.header.checked
                ],
            }
            return Deed(body, [battle.header_change(after), *battle.ending("turn")], public=True)

        return await self._field.do(person, campaign_id, work)

    async def condition(self, person: Person, campaign_id: int, which: tuple[int, str], keys: Collection[str]) -> Done:
        """End what hangs on a condition that has come about; `which` is the entry that began the battle, and the condition.

        Raises:
            NotAllowed: the person may not.
            NotOpen: the battle is over, or the condition hangs on none of these events any more.

        """
        begun, wanted = which

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign)
            running = battles.fought(tx, campaign.id)
            battle = next((item for item in running if item.header.entry == begun), None)
            if battle is None:
                raise NotOpen("That battle is over.", "Everything of it has ended.")
            events = [item for item in hanging(battle, wanted) if item_key(item) in keys]
            if not events:
                raise NotOpen("That has ended already.", "See /events active for what is in force.")
            return _ended(battle, "condition", events, wanted)

        return await self._field.do(person, campaign_id, work)

    async def use(self, person: Person, campaign_id: int, named: str | None, wish: Use) -> Done:
        """End an event on the units of one side: by a token, since its condition has come, or by a game master's word.

        Raises:
            NotAllowed: the person may not.
            BadInput: it is not in force, hangs on no condition, or its side holds no token that would do.
            NeedsReason: a game master cancels it without a reason.
            NotOpen: the battle is over.

        """
        why = typed.text(wish.reason, "reason")

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign)
            battle = chosen(tx, campaign.id, named)
            group = _found(battle, wish.event)
            if wish.how == "token":
                return _spent(battle, group)
            if wish.how == "condition":
                _require_conditional(group)
                return _ended(battle, wish.how, group.events, *CONDITIONS)
            require_game_master(person, campaign, "cancel events")
            if why is None:
                raise NeedsReason(f"{group.first.label} would be cancelled without a token.", "Say why, as reason.")
            return replace(_ended(battle, wish.how, group.events, *_spans(group)), texts={"reason": why})

        return await self._field.do(person, campaign_id, work)

    async def active(self, person: Person, campaign: Campaign, named: str | None) -> Battle:
        """A battle that is being fought, for whoever takes part in the campaign.

        Raises:
            NotAllowed: the person takes no part.
            BadInput, NotOpen: no such battle is being fought.

        """
        return await self._field.look(person, campaign, lambda tx: chosen(tx, campaign.id, named))

    async def listed(self, person: Person, campaign: Campaign) -> list[Standing]:
        """All battles that were ever begun, the newest first, each with how many units fight on each side.

        Raises:
            NotAllowed: the person takes no part.

        """

        def work(tx: Connection) -> list[Standing]:
            running = {item.header.key: item for item in battles.fought(tx, campaign.id)}
            every = battles.headers(tx, campaign.id)
            return [_standing(item, running.get(item.key)) for item in every]

        return await self._field.look(person, campaign, work)

    async def table(self, person: Person, campaign: Campaign) -> RollTable:
        """The table of events as the campaign plays by it.

        Raises:
            NotAllowed: the person takes no part.
            BadInput: the campaign does not play by the book.

        """
        library = self._field.library
        return await self._field.look(person, campaign, lambda tx: library.book(tx, campaign, BOOK).table(TABLE))

    async def fought(self, person: Person, campaign: Campaign) -> list[Battle]:
        """The battles that are being fought.

        Raises:
            NotAllowed: the person takes no part.

        """
        return await self._field.look(person, campaign, lambda tx: battles.fought(tx, campaign.id))


def groups(battle: Battle) -> list[Group]:
    """The events in force, each side's for itself, in the order in which they came."""
    sides = battle.header.sides
    found: dict[tuple[int, int, int], list[InForce]] = {}
    for item in battle.events:
        found.setdefault((*_came(item), sides.index(_side(battle, item))), []).append(item)
    return [
        Group(f"{entry}.{place}.{side}", sides[side], tuple(found[entry, place, side]))
        for entry, place, side in sorted(found)
    ]


def hanging(battle: Battle, condition: str) -> list[InForce]:
    """The events of which something lasts until a condition comes about."""
    return [item for item in battle.events if item.lasts(condition)]


def item_key(item: InForce) -> str:
    """By which entry, as which of its happenings and on whom an event came: one may lie on several units."""
    return f"{item.entry}.{item.place}.{subject_key(item.name)}"


def _side(battle: Battle, item: InForce) -> str:
    """The side of an event's unit, as it is by now."""
    found = battle.unit(item.name)
    return found.side if found else item.side


def _standing(header: Header, battle: Battle | None) -> Standing:
    counts = dict.fromkeys(header.sides, 0)
    for item in battle.fighting if battle else ():
        counts[item.side] += 1
    return Standing(header, counts)


def _found(battle: Battle, given: str) -> Group:
    """The event that is meant: by its key, or by the only unit that it is in force on.

    Raises:
        BadInput: there is no such event in force, or several.

    """
    every = groups(battle)
    alike = [item for item in every if item.key == given.strip()] or [
        item for item in every if any(subject_key(one.name) == subject_key(given) for one in item.events)
    ]
    if not alike:
        raise BadInput(
            f"{given[:60]!r} is not in force in {battle.name}.", "Pick one of the list, or see /events active."
        )
    if len(alike) > 1:
        raise BadInput(f"Several events are in force on {alike[0].first.name}.", "Pick the one you mean from the list.")
    return alike[0]


def _spent(battle: Battle, group: Group) -> Deed:
    """The oldest token that would do is spent, and the event ends on the units of its side (A5: a later event only)."""
    held = [item for item in battle.tokens if item.kind == CHOSEN and item.side == group.side]
    if not held:
        raise BadInput(f"{group.side} holds nothing that lets it ignore an event.", "See /events active for who does.")
    token = next((item for item in held if _came(item) < _came(group.first)), None)
    if token is None:
        what = f"{group.first.label} came before {group.side} was given its token (entry #{held[0].entry})."
        raise BadInput(what, "A later event can be ignored with it.")
    deed = _ended(battle, "token", group.events, *_spans(group))
    gone = Change(battle.header.key, token.key, token.value(), None)
    return replace(deed, body={**deed.body, "side": group.side}, changes=[*deed.changes, gone])


def _ended(battle: Battle, deed: str, events: Sequence[InForce], *spans: str) -> Deed:
    body = {"deed": deed, "battle": battle.name, "turn": battle.header.turn, "ended": _told(events, *spans)}
    return Deed(body, battle.ending(*spans, among=events), public=True)


def _told(events: Iterable[InForce], *spans: str) -> list[dict[str, Any]]:
    """What ends on whom, as an entry tells it: of these events what lasts as long as one of the spans."""
    return [{"name": item.name, "text": item.only(*spans).label} for item in events if item.lasts(*spans)]


def _spans(group: Group) -> list[str]:
    return [part.lasts for part in group.first.parts]


def _require_conditional(group: Group) -> None:
    if not group.first.lasts(*CONDITIONS):
        ends = span(group.first)
        raise BadInput(f"{group.first.label} hangs on no condition.", f"It lasts {ends}.")


def _came(item: Token | InForce) -> tuple[int, int]:
    return item.entry, item.place
