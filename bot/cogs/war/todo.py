"""What waits in a war, for game masters and for players: its turn, battles, answers and outdated cards; and the reach of a force with its order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from discord import ui
from sqlalchemy import Connection

from bot.cogs.war import posts
from bot.cogs.war.battles import own_sides
from bot.cogs.war.maps import REACH, with_orders
from bot.cogs.war.posts import begun_by
from bot.cogs.war.wars import BOOK, RunningWar, find_war
from bot.core import entries, state
from bot.core.campaigns import Campaign, current_update
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.errors import BadInput
from bot.orders.additions import OrderAddition
from bot.orders.digest import is_due
from bot.orders.ids import PLAN
from bot.orders.standing import StandingOrder, list_standing
from bot.rolls.card.service import still_open
from bot.rolls.extension import Question
from bot.ui.text import plain
from bot.ui.todo import FEW, Todo
from rules.books.total_war import storage
from rules.books.total_war.acts import BEATEN
from rules.books.total_war.battles import retreating_forces
from rules.books.total_war.course import find_second
from rules.books.total_war.land import NEUTRAL, NOBODYS
from rules.books.total_war.order_kinds import ANSWER, MOVE, UNIT
from rules.books.total_war.orders.membership import pending_answers
from rules.books.total_war.sight import has_fog, unseen
from rules.books.total_war.war import Battle
from rules.books.total_war.words import describe_reach
from rules.effects import SCENE
from rules.ends import Moment
from rules.errors import RollError
from rules.geometry import Hex
from rules.orders import OrderKind
from rules.phrases import counted, join_words
from rules.procedure import Part
from rules.subjects import name_key

STAYS = "If you close now, the turn goes on in the next update, and forces that have moved wait. To end it first, press Resolve after the last battle."
"""What closing the update means for a turn that has not ended."""


def list_todo(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what a war waits for: of game masters, or the battles and answers of a player."""
    try:
        seen = find_war(tx, library, viewer.person, viewer.campaign)
    except BadInput:  # the book is off
        return
    if seen is not None:
        yield from _staff_todo(tx, seen) if seen.leads else (*own_battles(seen), *_own_answers(tx, seen))


def _staff_todo(tx: Connection, seen: RunningWar) -> Iterator[Todo]:
    """Yield outdated cards, answers of leaders, the next scenario, and a turn that hasn't ended in this update or whose results aren't posted."""
    war, name = seen.war, plain(seen.name)
    yield from _outdated_cards(tx, seen)
    if war.winner is not None:
        if is_due(tx, seen.campaign, BOOK):  # a war won by a battle ends without Resolve
            line = f"{name} is over, but its last results aren't posted"
            yield Todo("War", [f"\N{BULLET} {line}: `/update digest`"], undone=f"{line}.")
        return
    owing = [
        (side, what) for faction, side in war.factions.items() for what in pending_answers(seen.rules, war, faction)
    ]
    lines = [f"{side.name} ({side.leader or 'no leader, so you answer'}): {what}" for side, what in owing]
    if lines:
        yield Todo("Answers due in the war", [f"\N{BULLET} {plain(line)}" for line in lines])
    second = find_second(seen.rules, war)
    if second is not None:
        yield Todo("War", [f"\N{BULLET} The war goes on with the scenario {plain(second)}: `/war new scenario:`"])
    update = current_update(tx, seen.campaign.id)["number"]
    if war.update != update:
        waits = f" ({counted(len(war.battles), 'battles')} to finish)" if war.battles else ""
        line = f"Turn {war.turn} of {name} hasn't ended{waits}"
        key = PLAN.fill(campaign=seen.campaign.id, number=update)
        button: ui.Button[ui.LayoutView] = ui.Button(label="Resolve", custom_id=key)
        yield Todo("War", [f"\N{BULLET} {line}"], [[button]], undone=f"{line}. {STAYS}", instead=[button])


def _outdated_cards(tx: Connection, seen: RunningWar) -> Iterator[Todo]:
    """Yield the open cards of acts that became impossible since, such as those of a battle that is over, each with why."""
    found = [*islice(_refused_cards(tx, seen), FEW)]
    if found:
        lines = [f"{who} can't be rolled any more: {why}" for who, why in found]
        shown = [f"\N{BULLET} {plain(line)}" for line in lines]
        yield Todo("Outdated roll cards", [*shown, "-# Cancel them: `/cards`."], undone=plain(" ".join(lines)))


def _refused_cards(tx: Connection, seen: RunningWar) -> Iterator[tuple[str, str]]:
    """Yield what such cards are about, and why they are refused; of several alike the first."""
    known: set[tuple[str, str]] = set()
    for _, request in still_open(tx, seen.viewer.person, seen.campaign):
        for item in request.parts if (request.book, request.scene) == (seen.book.id, seen.subject) else ():
            part = Part(key="", subjects=item.subjects, inputs=item.inputs, kept={SCENE: seen.values})
            try:
                seen.book.procedure(request.family).method.check(part, seen.book)
            except RollError as refused:
                line = (f"{request.family} {item.subjects.get(UNIT, '')}".strip(), str(refused))
                if line not in known:
                    known.add(line)
                    yield line


def own_battles(seen: RunningWar) -> Iterator[Todo]:
    """Yield the battles that wait for the viewer, each with the button of its board."""
    acts = seen.callsign is not None and seen.war.winner is None
    found = [*islice(_waiting(seen), FEW)] if acts else []
    if found:
        keys = (posts.BattleKey(seen.campaign.id, str(at), begun_by(seen.values, at)) for at, _ in found)
        buttons = [key.button(f"Board of {key.at}", posts.SHOW_BOARD) for key in keys]
        lines = [plain(f"Battle on {at}: {line}") for at, line in found]
        yield Todo("Needs you", [f"\N{BULLET} {line}" for line in lines], [buttons])


def _waiting(seen: RunningWar) -> Iterator[tuple[Hex, str]]:
    for at in seen.seen.battles:
        battle = seen.war.battles[at]
        fight = battle.fight
        own = [force.name for force in retreating_forces(seen.rules, seen.war, at) if force.commander == seen.callsign]
        if not fight.ended.over and fight.active in own_sides(seen.war, battle, seen.callsign):
            yield at, f"turn {fight.turn}, your half"
        elif own:
            yield at, f"over, {join_words(own)} {'have' if own[1:] else 'has'} to retreat"


def _own_answers(tx: Connection, seen: RunningWar) -> Iterator[Todo]:
    """Yield what the viewer still has to answer as the leader of a faction, until they have ordered as many answers."""
    given = [name_key(item.who.name) for item in list_standing(tx, seen.campaign) if item.kind == ANSWER]
    led = [(name, side) for name, side in seen.war.factions.items() if side.leader and side.leader == seen.callsign]
    owing = [(side.name, [*pending_answers(seen.rules, seen.war, name)]) for name, side in led]
    label = seen.book.listed(OrderKind)[ANSWER].label
    lines = [
        f"\N{BULLET} {plain(side)}: {plain(what)}: `/order give kind:{label} who:{plain(side)}`"
        for side, answers in owing
        for what in answers
        if given.count(name_key(side)) < len(answers)
    ]
    if lines:
        yield Todo("Needs your answer", lines)


def open_battles(tx: Connection, campaign: Campaign, _now: Moment) -> Iterator[Question]:
    """Yield the battles that are fought in a campaign's war, each with whose turn it is, or whose retreat it waits for."""
    headers = state.find_values_of_name(tx, campaign.id, storage.WAR)
    going = {subject for subject, header in headers.items() if not header["over"]}
    for subject in sorted(going):
        kept = state.get_values(tx, campaign.id, {subject})
        values = {name: value for (_, name), value in kept.items()}
        if storage.is_won(values):  # what was still fought then is not decided any more
            continue
        for at, battle in storage.read_battles(values).items():
            beaten = _beaten(tx, campaign, battle, values)
            line = f"Battle on {at}: {_describe_battle(battle, values, beaten)}"
            begun = begun_by(values, at)
            key = posts.BattleKey(campaign.id, str(at), begun).fill(posts.SHOW_BOARD)
            yield Question(begun, f"the battle on {at}", line, f"Board of {at}", key, holds=True)


def _describe_battle(battle: Battle, values: storage.Values, beaten: Sequence[str]) -> str:
    """Return for whom a battle waits; `beaten` are the forces that have to retreat."""
    fight = battle.fight
    if not fight.ended.over:
        side, names = _called(fight.active, values), _commanders(battle, fight.active, values)
        return f"turn {fight.turn}, {side} to act{f' ({names})' if names not in {'', side} else ''}"
    return f"over, {' and '.join(beaten)} {'have' if beaten[1:] else 'has'} to retreat"


def _beaten(tx: Connection, campaign: Campaign, battle: Battle, values: storage.Values) -> Sequence[str]:
    """Return the forces that have to retreat: as the entry has found that has left the battle so."""
    if not battle.fight.ended.over:
        return ()
    number = values[f"{storage.BATTLE}{battle.at}"]["entry"]
    made = entries.get_entries_bare(tx, campaign.id, {number}).values()
    records = [part["record"] for entry in made for part in entry.content()["parts"]]
    lost = [name for name in battle.forces if battle.result(name) != "won" and name not in battle.retreats]
    told: list[Sequence[str]] = [record[BEATEN].get(str(battle.at), ()) for record in records if BEATEN in record]
    return told[0] if told else lost  # an older version has kept none


def _called(side: str, values: storage.Values) -> str:
    """Return what a side of a battle is called: as its faction is called now or at the start; a lone rogue goes by their own name."""
    start = values[storage.SCENARIO]["is"]["factions"].get(side, {})
    return NOBODYS if side == NEUTRAL else str((_is(values, f"faction.{side}") or start).get("name", side))


def _commanders(battle: Battle, side: str, values: storage.Values) -> str:
    forces = (_is(values, f"force.{name}") for name, fights in battle.forces.items() if fights == side)
    given = (str(item["commander"]) for item in forces if item.get("commander"))
    names = dict.fromkeys(name for name in given if _is(values, f"player.{name}"))  # else they have not joined yet
    leader = _is(values, f"faction.{side}").get("leader")
    return ", ".join(names) or str(leader or "")


def _is(values: storage.Values, name: str) -> Mapping[str, object]:
    found: Mapping[str, object] = values.get(name, {}).get("is") or {}
    return found


def beside_order(tx: Connection, library: Library, viewer: Viewer, order: StandingOrder) -> OrderAddition | None:
    """Return the reach of a force that is to move, with the button that draws it; None where no war is on."""
    seen = find_war(tx, library, viewer.person, viewer.campaign)
    if seen is None:
        return None
    knows_all, name = seen.leads or not has_fog(seen.rules), order.who.name
    if order.kind != MOVE or name not in seen.seen.forces:
        return OrderAddition(knows_all=knows_all)
    war, _ = with_orders(tx, seen, seen.seen, name)
    hidden = () if knows_all else unseen(seen.rules, seen.war, seen.faction)
    lines = [f"-# {plain(line)}" for line in describe_reach(seen.rules, war, war.forces[name], hidden)]
    key = REACH.fill(campaign=viewer.campaign.id, force=name)
    return OrderAddition(lines, [ui.Button(label="Reach on the map", custom_id=key)], knows_all)
