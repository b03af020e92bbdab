"""Battles with random events: begun and ended, turn by turn, and what becomes of the events that are in force."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection

from bot.cogs.battles import store
from bot.cogs.battles.embed import Engagement, span
from bot.cogs.battles.store import BATTLE, CONDITIONS, PERMANENT, Battle, Header, InForce, Loss, Token, battle_key
from bot.cogs.battles.transaction import BOOK, Deed, Done, Headquarters, chosen, require_commander
from bot.core.campaigns import Campaign
from bot.core.ledger import next_number
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change
from bot.core.subjects import subject_key
from bot.errors import BadInput, NeedsReason, NotOpen
from bot.ui import parsing
from rules.books.battlesystem.random_events import TABLE
from rules.events import CHOSEN
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
    """One event on the units of one side: what of it is in force, and what it has cost at once.

    Its key tells it from all others of its battle; `came` is by which entry and as which of its happenings.
    """

    key: str
    side: str
    came: tuple[int, int]
    items: tuple[InForce | Loss, ...]

    @property
    def events(self) -> list[InForce]:
        """What of it is in force."""
        return [item for item in self.items if isinstance(item, InForce)]

    @property
    def losses(self) -> list[Loss]:
        """What it has cost."""
        return [item for item in self.items if isinstance(item, Loss)]

    @property
    def names(self) -> list[str]:
        """The units that it fell on."""
        return list(dict.fromkeys(item.name for item in self.items))

    @property
    def label(self) -> str:
        """What it is: the same on each of its units."""
        return self.items[0].label


class Events:
    """The use cases around battles and the events in force."""

    def __init__(self, headquarters: Headquarters) -> None:
        self._headquarters = headquarters

    async def start(self, person: Person, campaign_id: int, name: str | None, sides: str | None) -> Done:
        """Begin a battle between two sides; its first turn begins with it.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: name or sides cannot be used, or a battle of this name is being fought.

        """
        called = _called(name or "")
        named = parsing.names(sides or "", "side", SIDES)
        if len(named) != SIDES:
            raise BadInput("A battle has two sides.", "Name both, parted by a comma: Zeon, EF.")

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_game_master(person, campaign, "begin battles")
            before = next((item for item in store.headers(tx, campaign.id) if item.key == battle_key(called)), None)
            if before is not None and not before.over:
                raise BadInput(f"{before.name} is being fought already.", "Take another name, or end that one first.")
            header = Header(called, named, next_number(tx, campaign))
            change = Change(header.key, BATTLE, before and before.value(), header.value())
            return Deed({"deed": "start", "battle": called, "sides": list(named)}, [change], public=True)

        return await self._headquarters.do(person, campaign_id, work)

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
            lost = [{"name": item.name, "text": item.label} for item in battle.losses]
            body = {
                "deed": "end",
                "battle": battle.name,
                "turn": battle.header.turn,
                "ended": _told(battle.events, *spans),
                "lost": [*removed, *lost],
            }
            return Deed(body, [over, *dropped, *battle.ending(*spans)], public=True)

        return await self._headquarters.do(person, campaign_id, work)

    async def turn(self, person: Person, campaign_id: int, named: str | None) -> Done:
        """End the turn of a battle with all that lasts as long, and begin the next.

        Raises:
            NotAllowed: the person may not.
            BadInput, NotOpen: no such battle is being fought, or its turn has not begun since nobody stands in it.

        """

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign, "ending a turn")
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
                "stays": [{"name": item.name, "text": item.title} for item in battle.events if item.without("turn")],
                "unchecked": [
                    side for side in battle.header.sides if side in manned and side not in battle.header.checked
                ],
            }
            return Deed(body, [battle.header_change(after), *battle.ending("turn")], public=True)

        return await self._headquarters.do(person, campaign_id, work)

    async def condition(self, person: Person, campaign_id: int, which: tuple[int, str], keys: Collection[str]) -> Done:
        """End what hangs on a condition that has come about; `which` is the entry that began the battle, and the condition.

        Raises:
            NotAllowed: the person may not.
            NotOpen: the battle is over, or the condition hangs on none of these events any more.

        """
        begun, wanted = which

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign, "ending an event")
            running = store.fought(tx, campaign.id)
            battle = next((item for item in running if item.header.entry == begun), None)
            if battle is None:
                raise NotOpen("That battle is over.", "Everything of it has ended.")
            events = [item for item in hanging(battle, wanted) if item_key(item) in keys]
            if not events:
                raise NotOpen("That has ended already.", "See /events active for what is in force.")
            return _ended(battle, "condition", events, wanted)

        return await self._headquarters.do(person, campaign_id, work)

    async def use(self, person: Person, campaign_id: int, named: str | None, wish: Use) -> Done:
        """End an event on the units of one side: by a token, since its condition has come, or by a game master's word.

        What it has cost at once is ignored or cancelled with it; no condition gives that back.

        Raises:
            NotAllowed: the person may not.
            BadInput: it has befallen nobody, hangs on no condition, or its side holds no token that would do.
            NeedsReason: a game master cancels it without a reason.
            NotOpen: the battle is over.

        """
        why = parsing.text(wish.reason, "reason")

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign, "ending an event")
            battle = chosen(tx, campaign.id, named)
            group = _found(battle, wish.event)
            if wish.how == "token":
                return _spent(battle, group)
            if wish.how == "condition":
                _require_conditional(group)
                return _ended(battle, wish.how, group.events, *CONDITIONS)
            require_game_master(person, campaign, "cancel events")
            if why is None:
                raise NeedsReason(f"{group.label} would be cancelled without a token.", "Say why, as reason.")
            return replace(_undone(battle, wish.how, group), texts={"reason": why})

        return await self._headquarters.do(person, campaign_id, work)

    async def active(self, person: Person, campaign: Campaign, named: str | None) -> Battle:
        """A battle that is being fought, for whoever takes part in the campaign.

        Raises:
            NotAllowed: the person takes no part.
            BadInput, NotOpen: no such battle is being fought.

        """
        return await self._headquarters.look(person, campaign, lambda tx: chosen(tx, campaign.id, named))

    async def listed(self, person: Person, campaign: Campaign) -> list[Engagement]:
        """All battles that were ever begun, the newest first, each with how many units fight on each side.

        Raises:
            NotAllowed: the person takes no part.

        """

        def work(tx: Connection) -> list[Engagement]:
            running = {item.header.key: item for item in store.fought(tx, campaign.id)}
            every = store.headers(tx, campaign.id)
            return [_engagement(item, running.get(item.key)) for item in every]

        return await self._headquarters.look(person, campaign, work)

    async def table(self, person: Person, campaign: Campaign) -> RollTable:
        """The table of events as the campaign plays by it.

        Raises:
            NotAllowed: the person takes no part.
            BadInput: the campaign does not play by the book.

        """
        library = self._headquarters.library
        return await self._headquarters.look(person, campaign, lambda tx: library.book(tx, campaign, BOOK).table(TABLE))

    async def fought(self, person: Person, campaign: Campaign) -> list[Battle]:
        """The battles that are being fought.

        Raises:
            NotAllowed: the person takes no part.

        """
        return await self._headquarters.look(person, campaign, lambda tx: store.fought(tx, campaign.id))


def groups(battle: Battle) -> list[Group]:
    """The events that are in force or have cost something, each side's for itself, in the order in which they came."""
    sides = battle.header.sides
    found: dict[tuple[int, int, int], list[InForce | Loss]] = {}
    every: list[InForce | Loss] = [*battle.events, *battle.losses]
    for item in every:
        found.setdefault((*_came(item), sides.index(battle.side(item))), []).append(item)
    return [Group(".".join(map(str, key)), sides[key[-1]], key[:2], tuple(found[key])) for key in sorted(found)]


def endable(battle: Battle, how: How) -> list[Group]:
    """The events that can be ended so: by a token that their side holds, by a condition that they hang on, or at all."""
    match how:
        case "token":
            return [item for item in groups(battle) if _tokens(battle, item)]
        case "condition":
            return [item for item in groups(battle) if _conditional(item)]
        case _:
            return groups(battle)


def hanging(battle: Battle, condition: str) -> list[InForce]:
    """The events of which something lasts until a condition comes about."""
    return [item for item in battle.events if item.lasts(condition)]


def item_key(item: InForce) -> str:
    """By which entry, as which of its happenings and on whom an event came: one may lie on several units."""
    return f"{item.entry}.{item.place}.{subject_key(item.name)}"


def _called(name: str) -> str:
    """What a new battle is called.

    Raises:
        BadInput: the name is missing, has a comma or is too long.

    """
    if not name.strip():
        raise BadInput("A battle needs a name.", "Type one as name, such as Black Ford.")
    if "," in name:
        raise BadInput("A battle's name has no comma.", "Its sides are parted by one: they go into sides.")
    (called,) = parsing.names(name, "name of the battle", 1)
    return called


def _engagement(header: Header, battle: Battle | None) -> Engagement:
    counts = dict.fromkeys(header.sides, 0)
    for item in battle.fighting if battle else ():
        counts[item.side] += 1
    return Engagement(header, counts)


def _found(battle: Battle, given: str) -> Group:
    """The event that is meant: by its key, or by a unit that no other befell.

    Raises:
        BadInput: there is no such event, or there are several.

    """
    every = groups(battle)
    alike = [item for item in every if item.key == given.strip()] or [
        item for item in every if subject_key(given) in map(subject_key, item.names)
    ]
    if not alike:
        raise BadInput(
            f"{given[:60]!r} is not in force in {battle.name}.", "Pick one of the list, or see /events active."
        )
    if len(alike) > 1:
        name = next(name for name in alike[0].names if subject_key(name) == subject_key(given))
        raise BadInput(f"Several events befell {name}.", "Pick the one you mean from the list.")
    return alike[0]


def _spent(battle: Battle, group: Group) -> Deed:
    """The oldest token that would do is spent, and the event is ignored by the units of its side (A5: a later one only)."""
    held = [item for item in battle.tokens if item.kind == CHOSEN and item.side == group.side]
    if not held:
        raise BadInput(f"{group.side} holds nothing that lets it ignore an event.", "See /events active for who does.")
    fitting = _tokens(battle, group)
    if not fitting:
        what = f"{group.label} came before {group.side} was given its token (entry #{held[0].entry})."
        raise BadInput(what, "A later event can be ignored with it.")
    deed = _undone(battle, "token", group)
    gone = Change(battle.header.key, fitting[0].key, fitting[0].value(), None)
    return replace(deed, body={**deed.body, "side": group.side}, changes=[*deed.changes, gone])


def _tokens(battle: Battle, group: Group) -> list[Token]:
    """The tokens that would let the side ignore an event, the oldest first: those that it held before (A5)."""
    held = (item for item in battle.tokens if item.kind == CHOSEN and item.side == group.side)
    return [item for item in held if _came(item) < group.came]


def _undone(battle: Battle, deed: str, group: Group) -> Deed:
    """Nothing of an event is in force any more on the units of a side, and what it has cost them they have again."""
    ended = _ended(battle, deed, group.events, *{part.lasts for item in group.events for part in item.parts})
    back = [_given_back(battle, item) for item in group.losses]
    body = {**ended.body, "ended": [*ended.body["ended"], *back]}
    return replace(ended, body=body, changes=[*ended.changes, *battle.restoring(group.losses)])


def _given_back(battle: Battle, item: Loss) -> dict[str, Any]:
    """What is lost no more, as an entry tells it; `spells` is how many the unit has again."""
    unit = battle.restored(item)
    return {"name": item.name, "text": item.label, **({"spells": unit.spells} if unit else {})}


def _ended(battle: Battle, deed: str, events: Sequence[InForce], *spans: str) -> Deed:
    body = {"deed": deed, "battle": battle.name, "turn": battle.header.turn, "ended": _told(events, *spans)}
    return Deed(body, battle.ending(*spans, among=events), public=True)


def _told(events: Iterable[InForce], *spans: str) -> list[dict[str, Any]]:
    """What ends on whom, as an entry tells it: of these events what lasts as long as one of the spans."""
    return [{"name": item.name, "text": item.only(*spans).label} for item in events if item.lasts(*spans)]


def _conditional(group: Group) -> bool:
    return any(item.lasts(*CONDITIONS) for item in group.events)


def _require_conditional(group: Group) -> None:
    if not _conditional(group):
        ends = f"It lasts {span(group.events[0])}." if group.events else "What it cost was lost at once."
        raise BadInput(f"{group.label} hangs on no condition.", ends)


def _came(item: Token | InForce | Loss) -> tuple[int, int]:
    return item.entry, item.place
