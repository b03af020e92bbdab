"""What waits in a war, and a force's reach with its order."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from discord import ui
from sqlalchemy import Connection

from bot.cogs.war import posts
from bot.cogs.war.battles import own_sides
from bot.cogs.war.wars import BOOK, RunningWar, find_war
from bot.core import entries, state
from bot.core.campaigns import Campaign, current_update
from bot.core.errors import BadInput
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.orders.digest import is_due
from bot.orders.ids import PLAN
from bot.orders.standing import list_standing
from bot.rolls.card.service import list_open
from bot.rolls.extension import Question
from bot.ui.receipt import FEW, Todo
from bot.ui.text import plain
from rules.books.total_war import storage
from rules.books.total_war.battles import list_retreating
from rules.books.total_war.course import find_second, list_pending
from rules.books.total_war.order_kinds import ANSWER, BEATEN, UNIT
from rules.books.total_war.war import NEUTRAL, NOBODYS, WarBattle
from rules.effects import SCENE, Moment
from rules.errors import RollError
from rules.geometry import Hex
from rules.orders import OrderKind
from rules.phrases import format_count, join_words
from rules.procedure import Part
from rules.subjects import name_key

STAYS = "If you close now, the turn goes on in the next update, and forces that have moved wait. To end it first, press Resolve after the last battle."


def list_todo(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what a war waits for from the viewer."""
    try:
        seen = find_war(tx, library, viewer.person, viewer.campaign)
    except BadInput:  # the book is off
        return
    if seen is not None:
        yield from _staff_todo(tx, seen) if seen.leads else (*own_battles(seen), *_own_answers(tx, seen))


def _staff_todo(tx: Connection, seen: RunningWar) -> Iterator[Todo]:
    war, name = seen.war, plain(seen.name)
    yield from _list_outdated(tx, seen)
    if war.winner is not None:
        if is_due(tx, seen.campaign, BOOK):  # a war won by a battle ends without Resolve
            line = f"{name} is over, but its last results aren't posted"
            yield Todo("War", [f"\N{BULLET} {line}: `/update digest`"], undone=f"{line}.")
        return
    owing = [(side, what) for faction, side in war.factions.items() for what in list_pending(seen.rules, war, faction)]
    lines = [f"{side.name} ({side.leader or 'no leader, so you answer'}): {what}" for side, what in owing]
    if lines:
        yield Todo("Answers due in the war", [f"\N{BULLET} {plain(line)}" for line in lines])
    second = find_second(seen.rules, war)
    if second is not None:
        yield Todo("War", [f"\N{BULLET} The war goes on with the scenario {plain(second)}: `/war new scenario:`"])
    update = current_update(tx, seen.campaign.id)["number"]
    if war.update != update:
        waits = f" ({format_count(len(war.battles), 'battles')} to finish)" if war.battles else ""
        line = f"Turn {war.turn} of {name} hasn't ended{waits}"
        key = PLAN.fill(campaign=seen.campaign.id, number=update)
        button: ui.Button[ui.LayoutView] = ui.Button(label="Resolve", custom_id=key)
        yield Todo("War", [f"\N{BULLET} {line}"], [[button]], undone=f"{line}. {STAYS}", instead=[button])


def _list_outdated(tx: Connection, seen: RunningWar) -> Iterator[Todo]:
    found = [*islice(_list_refused(tx, seen), FEW)]
    if found:
        lines = [f"{who} can't be rolled any more: {why}" for who, why in found]
        shown = [f"\N{BULLET} {plain(line)}" for line in lines]
        yield Todo("Outdated roll cards", [*shown, "-# Cancel them: `/cards`."], undone=plain(" ".join(lines)))


def _list_refused(tx: Connection, seen: RunningWar) -> Iterator[tuple[str, str]]:
    known: set[tuple[str, str]] = set()
    for _, request in list_open(tx, seen.viewer.person, seen.campaign):
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
    """Yield battles that wait for the viewer, as one item with board buttons."""
    acts = seen.callsign is not None and seen.war.winner is None
    found = [*islice(_list_waiting(seen), FEW)] if acts else []
    if found:
        keys = (posts.BattleKey(seen.campaign.id, str(at), posts.find_first_entry(seen.values, at)) for at, _ in found)
        buttons = [key.button(f"Board of {key.at}", posts.SHOW_BOARD) for key in keys]
        lines = [plain(f"Battle on {at}: {line}") for at, line in found]
        yield Todo("Needs you", [f"\N{BULLET} {line}" for line in lines], [buttons])


def _list_waiting(seen: RunningWar) -> Iterator[tuple[Hex, str]]:
    for at in seen.seen.battles:
        battle = seen.war.battles[at]
        fight = battle.fight
        own = [force.name for force in list_retreating(seen.rules, seen.war, at) if force.commander == seen.callsign]
        if not fight.outcome.over and fight.active in own_sides(seen.war, battle, seen.callsign):
            yield at, f"turn {fight.turn}, your half"
        elif own:
            yield at, f"over, {join_words(own)} {'have' if own[1:] else 'has'} to retreat"


def _own_answers(tx: Connection, seen: RunningWar) -> Iterator[Todo]:
    given = [name_key(item.who.name) for item in list_standing(tx, seen.campaign) if item.kind == ANSWER]
    led = [(name, side) for name, side in seen.war.factions.items() if side.leader and side.leader == seen.callsign]
    owing = [(side.name, [*list_pending(seen.rules, seen.war, name)]) for name, side in led]
    label = seen.book.entries_of(OrderKind)[ANSWER].label
    lines = [
        f"\N{BULLET} {plain(side)}: {plain(what)}: `/order give kind:{label} who:{plain(side)}`"
        for side, answers in owing
        for what in answers
        if given.count(name_key(side)) < len(answers)
    ]
    if lines:
        yield Todo("Needs your answer", lines)


def open_battles(tx: Connection, campaign: Campaign, _now: Moment) -> Iterator[Question]:
    """Yield unfinished battles as open questions; none once the war is won."""
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
            begun = posts.find_first_entry(values, at)
            key = posts.BattleKey(campaign.id, str(at), begun).fill(posts.SHOW_BOARD)
            yield Question(begun, f"the battle on {at}", line, f"Board of {at}", key, holds=True)


def _describe_battle(battle: WarBattle, values: storage.Values, beaten: Sequence[str]) -> str:
    fight = battle.fight
    if not fight.outcome.over:
        side, names = _name_side(fight.active, values), _commanders(battle, fight.active, values)
        return f"turn {fight.turn}, {side} to act{f' ({names})' if names not in {'', side} else ''}"
    return f"over, {' and '.join(beaten)} {'have' if beaten[1:] else 'has'} to retreat"


def _beaten(tx: Connection, campaign: Campaign, battle: WarBattle, values: storage.Values) -> Sequence[str]:
    if not battle.fight.outcome.over:
        return ()
    number = values[f"{storage.BATTLE}{battle.at}"]["entry"]
    made = entries.get_entries_bare(tx, campaign.id, {number}).values()
    records = [part["record"] for entry in made for part in entry.content()["parts"]]
    lost = [name for name in battle.forces if battle.result(name) != "won" and name not in battle.retreats]
    kept: list[Sequence[str]] = [record[BEATEN].get(str(battle.at), ()) for record in records if BEATEN in record]
    return kept[0] if kept else lost  # an older version has kept none


def _name_side(side: str, values: storage.Values) -> str:
    start = values[storage.SCENARIO]["is"]["factions"].get(side, {})
    return NOBODYS if side == NEUTRAL else str((_value_of(values, f"faction.{side}") or start).get("name", side))


def _commanders(battle: WarBattle, side: str, values: storage.Values) -> str:
    forces = (_value_of(values, f"force.{name}") for name, fights in battle.forces.items() if fights == side)
    given = (str(item["commander"]) for item in forces if item.get("commander"))
    names = dict.fromkeys(
        name for name in given if _value_of(values, f"player.{name}")
    )  # else they have not joined yet
    leader = _value_of(values, f"faction.{side}").get("leader")
    return ", ".join(names) or str(leader or "")


def _value_of(values: storage.Values, name: str) -> Mapping[str, object]:
    found: Mapping[str, object] = values.get(name, {}).get("is") or {}
    return found
