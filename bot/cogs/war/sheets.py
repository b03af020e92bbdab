"""Sheets in words as the viewer sees them: war, faction, force, player, panel."""

from collections.abc import Iterator

from bot.client import Interaction
from bot.cogs.war.wars import RunningWar, say_lines, see_war
from bot.core.errors import BadInput, unknown_name
from bot.rolls.desk import desk_of
from bot.ui.text import join_words, plain
from rules.books.total_war import battles, catalog, course, economy
from rules.books.total_war.battles import units_of
from rules.books.total_war.course import list_pending
from rules.books.total_war.movement import list_panels
from rules.books.total_war.storage import find_unseen, knows
from rules.books.total_war.war import UNKNOWN as HIDDEN
from rules.books.total_war.war import Force, Player, Unit, find_supplied, sources, supply
from rules.geometry import Hex
from rules.phrases import format_count, percent, possessive, upper_first
from rules.subjects import name_key

UNKNOWN = "not known"


async def show(interaction: Interaction, what: str | None) -> None:
    """Answer with an overview of the war, or a sheet."""
    campaign = await desk_of(interaction).campaign(interaction)
    await say_lines(interaction, campaign, *_sheet(await see_war(interaction, campaign), what))


def names(seen: RunningWar) -> list[str]:
    """Return names offered for a sheet; unit ids work too."""
    factions = [item.name for item in seen.seen.factions.values()]
    pilots = (unit.pilot for _, unit in _list_units(seen) if unit.pilot)
    return [*factions, *seen.seen.forces, *seen.seen.players, *pilots, *map(str, sorted(seen.seen.panels))]


def _sheet(seen: RunningWar, what: str | None) -> tuple[str, list[str]]:
    if not what:
        return f"{plain(seen.name)}, turn {seen.seen.turn}", [*_describe_overview(seen)]
    sheets = [(plain(title), [*lines]) for title, lines in _find_sheets(seen, what)]
    if sheets:
        (title, first), *others = sheets
        return title, [*first, *(line for name, lines in others for line in (f"**{name}**", *lines))]
    at = _panel_named(what)
    if at is not None:
        raise BadInput(str(catalog.refuse_off_map(seen.seen.panels, at)), "See /war map.")
    players = f"Players here: {', '.join(seen.seen.players)}. " if seen.seen.players else ""
    advice = f"{players}See /war show and /war map."
    raise unknown_name(f"You can't see anything called {what[:60]!r}.", what, names(seen), advice)


def _find_sheets(seen: RunningWar, what: str) -> Iterator[tuple[str, Iterator[str]]]:
    war, faction = seen.seen, seen.seen.match_faction(what)
    if faction in war.factions:
        yield war.factions[faction].name, _describe_faction(seen, faction)
    for name in (name for name in war.forces if name_key(name) == name_key(what)):
        yield name, _describe_force(seen, war.forces[name])
    for name in (name for name in war.players if name_key(name) == name_key(what)):
        yield name, _describe_player(seen, name)
    for where, unit in _list_units(seen):
        if unit.pilot and name_key(unit.pilot) == name_key(what):
            yield unit.pilot, _unit_sheet(seen, where, unit, "Pilots ")
        if name_key(unit.id) == name_key(what):
            yield unit.id, _unit_sheet(seen, where, unit)
    at = _panel_named(what)
    if at is not None and at in war.panels:
        yield f"Panel {at}", _describe_panel(seen, at)


def _panel_named(what: str) -> Hex | None:
    try:
        return Hex.parse(what)
    except ValueError:
        return None


def _describe_overview(seen: RunningWar) -> Iterator[str]:
    war = seen.seen
    if war.winner is not None:
        yield f"**The war is over: {_name_side(seen, war.winner)} has won.**"
    for name in war.factions:
        yield from _in_short(seen, name)
    lone = [name for name, item in war.players.items() if item.faction is None]
    if lone:
        yield f"**Lone rogues:** {join_words([plain(name) for name in lone])}"
    for battle in war.battles.values():
        sides = f"{_name_side(seen, battle.attacker)} against {_name_side(seen, battle.defender)}"
        stands = f"turn {battle.fight.turn}" if war.winner is None else "not decided"
        yield f"\N{CROSSED SWORDS} Battle on {battle.at}: {sides}, {stands}"
    if war.asked is not None:
        yield f"{possessive(_name_side(seen, war.asked))} capitol has fallen. The leaders decide whether the war ends."
    second = course.find_second(seen.rules, seen.war)
    if second is not None:
        yield f"The war goes on with the scenario {plain(second)}. A game master starts it: `/gm-war new scenario:`."
    for name in war.factions:
        yield from _due_answers(seen, name)


def _due_answers(seen: RunningWar, name: str) -> Iterator[str]:
    waits = [plain(what) for what in list_pending(seen.rules, seen.seen, name)] if _knows(seen, name) else []
    if waits:
        yield f"{_name_side(seen, name)} has to decide {join_words(waits)}: `/order give kind:Answer for a faction`"


def _in_short(seen: RunningWar, name: str) -> Iterator[str]:
    side, war = seen.seen.factions[name], seen.seen
    own = [at for at, panel in war.panels.items() if panel.owner == name]
    cut = len(own) - len(supply(seen.rules, war, name))
    gold = f"gold {UNKNOWN}"
    if _knows(seen, name):
        gold = f"{side.gold} gold, {economy.faction_income(seen.rules, war, name)} a turn"
    forces = sum(item.faction == name for item in war.forces.values())
    leader = f"led by {plain(side.leader)}" if side.leader else "no leader"
    land = format_count(len(own), "panels") + (f" ({cut} cut off)" if cut else "")
    sight = "" if _knows(seen, name) else " in sight"
    yield f"**{plain(side.name)}** ({name}), {leader}: {land}, {gold}, {format_count(forces, 'forces')}{sight}"


def _describe_faction(seen: RunningWar, name: str) -> Iterator[str]:
    yield from _in_short(seen, name)
    side, war = seen.seen.factions[name], seen.seen
    if side.delegate:
        yield f"{plain(side.delegate)} can assign new units too."
    if _knows(seen, name):
        pool = [f"{count} {model}" for model, count in side.pool.items() if count]
        yield f"**New units to assign:** {join_words(pool) or 'nothing'}"
        yield f"**Researched:** {join_words(sorted(side.models)) or 'nothing'}"
        works = [
            f"{_item(seen, item.item)}{f' on {item.at}' if item.at else ''} (turn {item.done})"
            for item in war.works
            if item.faction == name
        ]
        yield f"**Being built:** {join_words(works) or 'nothing'}"
    yield from _due_answers(seen, name)
    players = [
        f"{plain(item)}{_rank_words(' ({})', war.players[item])}"
        for item in war.players
        if war.players[item].faction == name
    ]
    yield f"**Players:** {join_words(players) or 'none'}"
    yield from (f"\N{BULLET} {_line(seen, item)}" for item in war.forces.values() if item.faction == name)


def _line(seen: RunningWar, force: Force) -> str:
    kind = seen.rules.terms.of(catalog.Piece, force.kind).label.lower()
    units = f", {format_count(len(force.units), 'units')}" if force.units else ""
    return f"**{plain(force.name)}**: {kind} on {force.at}{units}{_battle_words(seen, force)}"


def _battle_words(seen: RunningWar, force: Force) -> str:
    battle = next((item for item in seen.seen.battles.values() if force.name in item.forces), None)
    if battle is None:
        return ""
    left = sum(unit.id in battle.fight.units for unit in force.units)
    return f", in the battle on {battle.at}: {left} of {len(force.units)} left"


def _describe_force(seen: RunningWar, force: Force) -> Iterator[str]:
    terms = seen.rules.terms
    yield _line(seen, force)
    yield f"{upper_first(_name_side(seen, force.faction))}, commanded by {plain(seen.war.describe_commander(force))}."
    if force.units:
        tier, rate = (
            battles.squadron_tier(terms, force.fought),
            battles.win_rate(force.fought, force.won),
        )
        rating = f", rating {percent(rate)}" if rate is not None else ""
        tiers = f"tier {tier}" if tier else "no tier yet"
        yield f"{format_count(force.fought, 'battles')}, {force.won} won: {tiers}{rating}."
    yield from (f"\N{BULLET} {_unit(seen, unit)}" for unit in force.units)
    done = [word for word, true in (("has moved", force.moved), ("has ridden along", force.tagged)) if true]
    if done:
        yield f"This turn it {join_words(done)}."
    if not seen.seen.is_lone(force.faction):
        joined = force.at in supply(seen.rules, seen.seen, force.faction)
        owned = seen.seen.panels[force.at].owner == force.faction
        yield "In supply." if joined else "On land that is cut off." if owned else "On land its faction doesn't own."


def _unit(seen: RunningWar, unit: Unit) -> str:
    level = battles.ace_level(seen.rules.terms, unit.kills)
    pilot = f", {plain(unit.pilot)}" if unit.pilot else ""
    ace = f", ace {level}" if level else ""
    fallen = ", destroyed in the current battle" if _is_destroyed(seen, unit) else ""
    return f"`{unit.id}` {plain(unit.model)}{pilot}, {format_count(unit.kills, 'kills')}{ace}{fallen}"


def _is_destroyed(seen: RunningWar, unit: Unit) -> bool:
    battles = seen.seen.battles.values()
    return any(unit.id in units_of(seen.seen, item) and unit.id not in item.fight.units for item in battles)


def _list_units(seen: RunningWar) -> Iterator[tuple[str, Unit]]:
    for force in seen.seen.forces.values():
        yield from ((f"{force.name}, on {force.at}", unit) for unit in force.units)
    for at, panel in seen.seen.panels.items():
        yield from ((f"the garrison of {at}", unit) for unit in panel.garrison)


def _unit_sheet(seen: RunningWar, where: str, unit: Unit, before: str = "") -> Iterator[str]:
    hero = any(item.hero for item in seen.rules.scenario.pilots if item.name == unit.pilot)
    yield f"{before}{_unit(seen, unit)}{', a hero' if hero else ''}"
    yield f"In {plain(where)}."


def _rank_words(words: str, player: Player) -> str:
    return "" if player.rank == HIDDEN else words.format(plain(player.rank))


def _describe_player(seen: RunningWar, name: str) -> Iterator[str]:
    player, war = seen.seen.players[name], seen.seen
    faction = _name_side(seen, player.faction) if player.faction else "a lone rogue"
    yield f"{upper_first(faction)}{_rank_words(', {}', player)}"
    posts = [f"leads {plain(item.name)}" for item in war.factions.values() if item.leader == name]
    posts += [f"can assign new units of {plain(item.name)}" for item in war.factions.values() if item.delegate == name]
    yield from (f"{post[:1].upper()}{post[1:]}." for post in posts)
    if player.petition:
        yield f"Has asked to join {_name_side(seen, player.petition)}."
    yield from (f"\N{BULLET} {_line(seen, item)}" for item in war.forces.values() if item.commander == name)


def _describe_panel(seen: RunningWar, at: Hex) -> Iterator[str]:
    panel, war = seen.seen.panels[at], seen.seen
    kind = seen.rules.terms.of(catalog.PanelKind, panel.kind).label
    owner = _name_side(seen, panel.owner) if panel.owner in war.factions else "neutral"
    cut = panel.owner in war.factions and at not in supply(seen.rules, war, panel.owner)
    yield f"{kind}, {owner}{', cut off' if cut else ''}{f', +{panel.bonus} gold' if panel.bonus else ''}"
    hidden = not seen.leads and at in find_unseen(seen.rules, seen.war, seen.faction)
    yield from _supply_lines(seen, at, f"{economy.panel_income(seen.rules, panel)} gold{' or more' if hidden else ''}")
    if hidden:
        yield "Out of sight."
    if panel.facility:
        yield f"Facility: {_item(seen, panel.facility)}"
    yield from (f"Being built: {_item(seen, item.item)} (turn {item.done})" for item in war.works if item.at == at)
    if panel.garrison:
        guards = [
            f"{plain(unit.model)} {unit.id}{' (destroyed)' * _is_destroyed(seen, unit)}" for unit in panel.garrison
        ]
        yield f"Garrison: {join_words(guards)}"
    yield from (f"\N{BULLET} {_line(seen, item)}, {_name_side(seen, item.faction)}" for item in war.on(at))


def _supply_lines(seen: RunningWar, at: Hex, gold: str) -> Iterator[str]:
    war, owner = seen.seen, seen.seen.panels[at].owner
    if owner not in war.factions:
        yield f"Pays {gold} a turn to a faction that owns it and supplies it."
        return
    begins = [place for place in sources(seen.rules, war, owner) if at in find_supplied([place], war.owners, owner)]
    if begins:
        yield f"In supply from {list_panels(begins)}: pays {gold} a turn."
    else:
        yield "Out of supply: no gold, no building, no new units."


def _item(seen: RunningWar, name: str) -> str:
    found = seen.rules.terms.book.entries_of(catalog.Item).get(name)
    return plain(found.label if found else name)


def _name_side(seen: RunningWar, faction: str) -> str:
    return plain(seen.war.name_side(faction))


def _knows(seen: RunningWar, faction: str) -> bool:
    return seen.leads or knows(seen.rules, seen.faction, faction)
