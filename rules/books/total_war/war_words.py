"""Describes what an action changed; a masked war reveals no more than its viewer sees."""

from collections.abc import Iterator

from rules.books.total_war import storage
from rules.books.total_war.catalog import Piece
from rules.books.total_war.course import Advance
from rules.books.total_war.movement import list_panels
from rules.books.total_war.orders.movement import Follow
from rules.books.total_war.rulings.values import SetGold, SetOwner
from rules.books.total_war.war import NEUTRAL, UNKNOWN, Force, Rules, Side, War, WarAction, Works, supply
from rules.books.total_war.words import BATTLES, WarDiff, find_missing, list_models
from rules.geometry import Hex
from rules.phrases import format_count, join_words, upper_first


def _describe_factions(diff: WarDiff) -> Iterator[str]:
    for name, side in diff.after.factions.items():
        old = diff.before.factions.get(name)
        if old is None:
            yield f"New faction: {side.name}{f', led by {side.leader}' if side.leader else ''}. Its leader may order a name and colour."
            continue
        if (side.name, side.colour) != (old.name, old.colour):
            yield f"{old.name} {diff.verb('is now')} called {side.name} (colour {side.colour})."
        if side.leader != old.leader:
            led = f"{side.leader} {diff.verb('now leads')} {side.name}."
            now = "" if diff.foreseen else " now"
            none = f"{side.name} {diff.verb('has')} no leader{now}: a game master appoints one."
            yield led if side.leader else none
        if side.delegate != old.delegate:
            who = upper_first(side.delegate or "only the leader")
            yield f"{who} {diff.verb('can now')} assign new units of {side.name}."
        if side.source != old.source:
            yield f"{side.name} is now supplied from {f'{side.source} too' if side.source else 'its capitol only'}."
    for name, old in diff.before.factions.items():
        if name not in diff.after.factions:
            yield f"{old.name} lost its last stronghold and dissolves: its land is neutral, its players are lone rogues."


def _describe_gold(diff: WarDiff) -> Iterator[str]:
    for name, side in diff.after.factions.items():
        old = diff.before.factions.get(name, Side("", "", 0, ""))
        for model, count in side.pool.items():
            if count > old.pool.get(model, 0):
                waiting = "to assign" if diff.foreseen else f"({count} to assign)"
                yield f"{side.name} gets {count - old.pool.get(model, 0)} {model} {waiting}."
        if side.models - old.models:
            yield f"{side.name} {diff.verb('can now')} use {join_words(sorted(side.models - old.models))}."
        if side.gold != old.gold and isinstance(diff.action, SetGold):
            yield f"{side.name} {diff.verb('has')} {side.gold} gold {diff.instead_of(str(old.gold))}."
        elif side.gold > old.gold:
            yield f"{side.name} gets {side.gold - old.gold} gold ({side.gold} in the bank)."
        elif side.gold < old.gold:
            yield f"{side.name} pays {old.gold - side.gold} gold{'' if diff.foreseen else f' ({side.gold} left)'}."


def _describe_works(diff: WarDiff) -> Iterator[str]:
    for works in diff.after.works:
        if works not in diff.before.works and works.at not in diff.hidden:
            number = f"{works.number} " if works.number > 1 else ""
            yield f"{diff.side(works.faction)} starts {number}{_name_works(diff, works)} (ready in turn {works.done})."
    for works in diff.before.works:
        if works not in diff.after.works and works.done > diff.after.turn and works.at not in diff.hidden:
            yield f"{diff.side(works.faction)} loses an unfinished project: {_name_works(diff, works)}."


def _name_works(diff: WarDiff, works: Works) -> str:
    model = f" ({works.model})" if works.model else ""
    return f"research of {works.item}" if works.at is None else f"{diff.item(works.item)}{model} on {works.at}"


def _describe_players(diff: WarDiff) -> Iterator[str]:
    for name, player in diff.after.players.items():
        old = diff.before.players.get(name)
        if old is None:
            yield f"{name} joins {diff.side(player.faction or name)}."
            continue
        if player.faction != old.faction:
            where = "a lone rogue" if player.faction is None else f"with {diff.side(player.faction)}"
            yield f"{name} {diff.verb('is now')} {where}."
        if player.rank != old.rank and UNKNOWN not in {player.rank, old.rank}:
            yield f"{name} {diff.verb('is now')} {player.rank} {diff.instead_of(old.rank)}."
        if player.petition is not None and player.petition != old.petition:
            yield f"{name} asks to join {diff.side(player.petition)}. Its leader answers with an order."
        elif old.petition is not None and player.petition is None and player.faction is None:
            yield f"{diff.side(old.petition)} turns {name} down."


def _describe_outcome(diff: WarDiff) -> Iterator[str]:
    before, after = diff.before, diff.after
    if after.asked is not None and after.asked != before.asked:
        by = diff.rules.scenario.victory.asks[after.asked]
        leaders = f"The leaders of {diff.side(after.asked)} and {diff.side(by)}"
        yield f"The capitol of {diff.side(after.asked)} has fallen. {leaders} decide with an order whether the war ends."
    for name, answer in after.answers.items():
        if before.answers.get(name) != answer:
            yield f"{diff.side(name)} answers: the war {'ends' if answer == 'end' else 'goes on'}."
    if before.asked is not None and after.asked is None and after.winner is None:
        second = diff.rules.scenario.second
        yield f"The war goes on with the scenario {second}. A game master starts it." if second else "The war goes on."
    if after.winner is not None and before.winner is None:
        yield f"The war is over: {diff.side(after.winner)} has won."
    if isinstance(diff.action, SetOwner):
        seats = (side.name for name, side in before.factions.items() if _loses_seat(diff, name))
        yield from (f"{seat} lost its capitol by a setting, not by capture. The war goes on." for seat in seats)


def _loses_seat(diff: WarDiff, faction: str) -> bool:
    seat = diff.before.factions[faction].seat
    if seat is None or not {seat} <= diff.before.panels.keys() & diff.after.panels.keys():
        return False
    return diff.before.panels[seat].owner == faction != diff.after.panels[seat].owner


def _describe_settings(diff: WarDiff) -> Iterator[str]:
    for name, cost in diff.after.prices.items():
        if diff.before.prices.get(name) != cost:
            of, _, what = name.partition(".")
            yield f"The {of} {what} now costs {cost} gold."
    for name, value in diff.after.switches.items():
        if diff.before.switches.get(name) != value:
            text = join_words(value) if isinstance(value, tuple) else str(value).lower()
            yield f"The switch {name} is now {text}."
    if isinstance(diff.action, Advance) and diff.after.turn != diff.before.turn:
        yield f"Turn {diff.after.turn} begins."


def describe_changes(rules: Rules, before: War, action: WarAction, after: War) -> list[str]:
    """Describe everything an action changed."""
    return _describe(WarDiff(rules.apply_settings(after), before, action, after, after))


def describe_forecast(rules: Rules, before: War, action: WarAction, after: War) -> list[str]:
    """Describe what a sealed action would change."""
    return _describe(WarDiff(rules.apply_settings(after), before, action, after, after, foreseen=True))


def describe_to(rules: Rules, before: War, action: WarAction, after: War, viewer: str | None) -> list[str]:
    """Describe what a faction, lone rogue or onlooker (None) sees of a change (AMB-80)."""
    if not rules.scenario.has_fog:
        return describe_changes(rules, before, action, after)
    end = storage.last_seen(rules, before, after, viewer)
    hidden = frozenset(storage.find_unseen(rules, before, viewer) | storage.find_unseen(rules, after, viewer, end))
    first, then = storage.mask_war(rules, before, viewer), storage.mask_war(rules, after, viewer, end)
    rules = rules.apply_settings(after)
    return _describe(WarDiff(rules, first, action, then, after, viewer, masked=True, hidden=hidden))


def describe_to_factions(rules: Rules, before: War, action: WarAction, after: War) -> dict[str, list[str]]:
    """Describe a change to each faction by id, ended ones too, if it sees anything."""
    found = ((name, describe_to(rules, before, action, after, name)) for name in {**before.factions, **after.factions})
    return {name: lines for name, lines in found if lines}


def _describe(diff: WarDiff) -> list[str]:
    on_map = (_describe_moves, _describe_land, _describe_sites, *BATTLES, _describe_forces)
    affairs = (_describe_factions, _describe_players, _describe_works, _describe_gold, _describe_outcome)
    return [line for part in (*on_map, *affairs, _describe_settings, _describe_supply) for line in part(diff)]


def _describe_moves(diff: WarDiff) -> Iterator[str]:
    for force in diff.after.forces.values():
        old = diff.before.forces.get(force.name)
        if old is None or any(force.name in item.forces for item in diff.before.battles.values()):
            continue
        if force.tagged and not old.tagged:
            yield f"{force.name} rides along from {old.at} to {force.at}."
        elif force.moved and not old.moved:
            way = f"moves from {old.at} to {force.at}" if force.at != old.at else f"moves out and back to {force.at}"
            yield f"{force.name} {way}."
        elif force.at != old.at:
            yield f"{force.name} is placed on {force.at} (before: {old.at})."
        pledges = isinstance(diff.action, Follow) and diff.action.who == force.name  # even a repeated pledge
        if force.follows is not None and (force.follows != old.follows or pledges):
            yield f"{force.name} will ride along with {force.follows} if it moves."


def _describe_land(diff: WarDiff) -> Iterator[str]:
    gone = diff.before.panels.keys() - diff.after.panels.keys()
    if gone:
        yield f"{list_panels(gone)} {'is' if len(gone) == 1 else 'are'} destroyed and can't be entered."
    gained: dict[tuple[str, str], list[Hex]] = {}
    for at, panel in diff.after.panels.items():
        old = diff.before.panels[at].owner if at in diff.before.panels else panel.owner
        if old != panel.owner:
            gained.setdefault((panel.owner, old), []).append(at)
    for (now, old), panels in gained.items():
        becomes = diff.verb("becomes" if len(panels) == 1 else "become")
        lost = f"{list_panels(panels)} {becomes} neutral {diff.instead_of(diff.side(old))}."
        taken = f"{diff.side(now)} {diff.verb('takes')} {list_panels(panels)} {diff.instead_of(diff.side(old))}."
        yield lost if now == NEUTRAL else taken


def _describe_sites(diff: WarDiff) -> Iterator[str]:
    fought = diff.before.battles.keys() - diff.after.battles.keys()
    for at, panel in diff.after.panels.items():
        old = diff.before.panels.get(at, panel)
        if at in diff.hidden or panel is old:
            continue
        if panel.facility != old.facility:
            if old.facility is not None and panel.owner != old.owner:
                yield f"{diff.item(old.facility)} on {at} is destroyed."
            elif panel.facility is not None:
                yield f"{diff.item(panel.facility)} {diff.verb('is built')} on {at}."
            else:
                yield f"{diff.item(str(old.facility))} on {at} is gone."
        lost, new = find_missing(old.garrison, panel.garrison), find_missing(panel.garrison, old.garrison)
        if lost and at not in fought:
            yield f"The garrison of {at} loses {list_models(lost)}."
        if new:
            yield f"The garrison of {at} gets {list_models(new)}."


def _describe_forces(diff: WarDiff) -> Iterator[str]:
    fought = {name for at, item in diff.before.battles.items() if at not in diff.after.battles for name in item.forces}
    for name, force in diff.after.forces.items():
        old = diff.before.forces.get(name)
        if old is None:
            what = "In sight" if diff.is_others(force) else "New force"
            label = diff.rules.terms.of(Piece, force.kind).label.lower()
            units = f", {list_models(force.units)}" if force.units else ""
            yield f"{what}: {name} of {diff.side(force.faction)} on {force.at} ({label}{units})."
        elif old is not force:
            yield from _describe_changed_force(diff, old, force, fought=name in fought)
    yield from _describe_commands(diff)
    for name, old in diff.before.forces.items():
        if name not in diff.after.forces and name not in fought:
            gone = "is out of sight" if diff.is_others(old) else "is lost"
            yield f"{name} of {diff.side(old.faction)} {gone}."


def _describe_commands(diff: WarDiff) -> Iterator[str]:
    given: dict[str, list[str]] = {}
    for name, force in diff.after.forces.items():
        if name in diff.before.forces and force.commander != diff.before.forces[name].commander:
            given.setdefault(diff.truth.describe_commander(force), []).append(name)
    yield from (f"{upper_first(who)} {diff.verb('now commands')} {join_words(names)}." for who, names in given.items())


def _describe_changed_force(diff: WarDiff, old: Force, force: Force, *, fought: bool) -> Iterator[str]:
    lost, new = find_missing(old.units, force.units), find_missing(force.units, old.units)
    if lost and not fought:
        yield f"{force.name} loses {list_models(lost)}."
    if new and not fought:
        yield f"{force.name} gets {list_models(new)} (now {format_count(len(force.units), 'units')})."
    if force.faction != old.faction:
        yield f"{force.name} {diff.verb('now belongs')} to {diff.side(force.faction)}."


def _describe_supply(diff: WarDiff) -> Iterator[str]:
    wars = (diff.after, diff.before)
    first, then = ({name: (side.seat, side.source) for name, side in war.factions.items()} for war in wars)
    if diff.before.owners == diff.after.owners and first == then:
        return
    for faction in diff.after.factions:
        cut, before = (_find_cut_off(diff, war, faction) for war in wars)
        if cut - before:
            yield f"Out of supply ({diff.side(faction)}): {list_panels(cut - before)}."
        own = {at for at in before - cut if diff.after.panels[at].owner == faction}
        if own:
            yield f"Back in supply ({diff.side(faction)}): {list_panels(own)}."


def _find_cut_off(diff: WarDiff, war: War, faction: str) -> set[Hex]:
    if faction not in war.factions:
        return set()
    own = {at for at, panel in war.panels.items() if panel.owner == faction}
    return (own - supply(diff.rules, war, faction)) & diff.after.panels.keys()
