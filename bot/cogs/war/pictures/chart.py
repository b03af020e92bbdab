"""What a strategy map shows: the facts for picture and words."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bot.cogs.war.wars import Layer
from bot.orders.digest import name_some
from bot.ui.pictures.style import set_luminance
from rules.books.total_war import catalog, economy
from rules.books.total_war.storage import WHOLE, Sight
from rules.books.total_war.war import NEUTRAL, NOBODYS, HeldPanel, Rules, War, sources, supply
from rules.geometry import Hex, disc
from rules.phrases import format_count, lower_first, upper_first

_MANY: Final = 150  # panels of larger maps are too small for details


LUMINANCES: Final = (0.48, 0.27, 0.37, 0.23, 0.56, 0.32)
"""Relative luminance by faction; dark letters have at least 4.5 to 1."""

PATTERNS: Final = ("", "", "upright", "level", "grid")
_CUT_OFF: Final = 0.5  # how far cut-off land nears white
_DEEP: Final = 0.07
_LINE: Final = 0.13


class Scheme(Struct, frozen=True):
    """A faction's colours for land, cut-off land (`pale`), lines and pieces, and its pattern."""

    land: str
    pale: str
    line: str
    piece: str
    pattern: str = ""


NEUTRAL_SCHEME: Final = Scheme("#dcdee1", "#dcdee1", "#9aa1a9", "#4a525c")
LONE_SCHEME: Final = Scheme("#dcdee1", "#dcdee1", "#4a525c", "#3b3f45")  # for a lone rogue, who has no land


def scheme_of(colour: str, place: int) -> Scheme:
    """Return a faction's colours, from its base colour and its place among factions from 0."""
    light = LUMINANCES[place % len(LUMINANCES)]
    pale = light + (1 - light) * _CUT_OFF
    return Scheme(
        set_luminance(colour, light),
        set_luminance(colour, pale),
        set_luminance(colour, _LINE),
        set_luminance(colour, _DEEP),
        PATTERNS[place % len(PATTERNS)],
    )


class MapPanel(Struct, frozen=True):
    """A panel and what is on it.

    `pays` is the gold its owner gets or could get, `fed` means supply begins there, `seen` that its content is known; `forces` are numbers.
    """

    at: Hex
    owner: str | None
    kind: str
    mark: str | None
    bonus: int
    facility: str | None
    garrison: int
    pays: int
    fight: tuple[str, str] | None
    cut_off: bool = False
    fed: bool = False
    seen: bool = True
    forces: tuple[int, ...] = ()


class MapFaction(Struct, frozen=True):
    """A faction with its letters, and how many panels it has; gold and income are None if hidden."""

    id: str
    letters: str
    name: str
    colour: str
    place: int
    gold: int | None
    income: int | None
    panels: int
    cut_off: int

    @property
    def scheme(self) -> Scheme:
        """Its colours."""
        return scheme_of(self.colour, self.place)


class MapForce(Struct, frozen=True):
    """A force by its number on the map."""

    number: int
    name: str
    kind: str
    drawn: str
    faction: str
    at: Hex
    units: int
    moved: bool


class Chart(Struct, frozen=True):
    """A strategy map: panels (`lots`) and blocked ones, factions (`holders`) by id, forces (`tokens`) by number."""

    title: str
    turn: int
    layer: Layer
    lots: tuple[MapPanel, ...]
    blocked: tuple[Hex, ...]
    holders: Mapping[str, MapFaction]
    tokens: tuple[MapForce, ...]
    winner: str | None = None

    def on(self, lot: MapPanel) -> tuple[MapForce, ...]:
        """Return the forces on a panel."""
        return tuple(self.tokens[number - 1] for number in lot.forces)

    def letters(self, faction: str | None) -> str:
        """Return a faction's letters; none without a faction."""
        return self.holders[faction].letters if faction is not None and faction in self.holders else ""

    def scheme(self, faction: str | None, other: Scheme) -> Scheme:
        """Return a faction's colours, else `other`."""
        return self.holders[faction].scheme if faction is not None and faction in self.holders else other

    def name(self, faction: str | None) -> str:
        """Return the name of a force's side, rogue or neutral too."""
        if faction == NEUTRAL:
            return NOBODYS
        return self.holders[faction].name if faction is not None and faction in self.holders else "a lone rogue"


def chart_of(rules: Rules, war: War, layer: Layer = "control", sight: Sight = WHOLE) -> Chart:
    """Return a layer of the map as the viewer sees the war."""
    supplied = {(faction, at) for faction in war.factions for at in supply(rules, war, faction)}
    begins = {(faction, at) for faction in war.factions for at in sources(rules, war, faction)} & supplied
    tokens = tuple(_list_tokens(rules, war))
    standing: dict[Hex, list[int]] = {}
    for token in tokens:
        standing.setdefault(token.at, []).append(token.number)
    lots = tuple(
        replace(
            _panel(rules, war, at, panel),
            cut_off=panel.owner != NEUTRAL and (panel.owner, at) not in supplied,
            fed=(panel.owner, at) in begins,
            seen=at not in sight.unseen,
            forces=tuple(standing.get(at, ())),
        )
        for at, panel in sorted(war.panels.items())
    )
    holders = {item.id: item for item in _list_holders(war, lots, sight.known)}
    won = war.factions.get(war.winner or "")
    blocked, winner = tuple(sorted(rules.scenario.blocked)), won.name if won else war.winner
    return Chart(rules.scenario.title, war.turn, layer, lots, blocked, holders, tokens, winner)


def crop_chart(chart: Chart, places: Collection[Hex], within: int) -> Chart:
    """Return the part of a large map around places."""
    if len(chart.lots) <= _MANY or not places:
        return chart
    about = {at for place in places for at in disc(place, within)}
    shown = tuple(lot for lot in chart.lots if lot.at in about)
    if 2 * len(shown) > len(chart.lots):
        return chart
    return replace(chart, lots=shown, blocked=tuple(at for at in chart.blocked if at in about))


SHORT = 2  # in characters; such names are their own letters


def shorten_names(names: Sequence[str]) -> list[str]:
    """Return for each name its shortest beginning that no other name has; short names stay whole."""
    found = []
    for name in names:
        others = [other.casefold() for other in names if other != name]
        heads = (name[:size] for size in range(1, len(name) if len(name) > SHORT else 1))
        unique = (head for head in heads if not any(other.startswith(head.casefold()) for other in others))
        found.append(next(unique, name))
    return found


def _panel(rules: Rules, war: War, at: Hex, panel: HeldPanel) -> MapPanel:
    kind, battle = rules.kind(panel), war.battles.get(at)
    printed = rules.terms.book.entries_of(catalog.Item).get(panel.facility or "")
    return MapPanel(
        at,
        None if panel.owner == NEUTRAL else panel.owner,
        kind.label,
        kind.drawn,
        panel.bonus,
        panel.facility if printed is None else printed.label,  # a scenario's own has no label
        len(panel.garrison),
        economy.panel_income(rules, panel),
        None if battle is None else (battle.attacker, battle.defender),
    )


def _list_tokens(rules: Rules, war: War) -> Iterator[MapForce]:
    ordered = [item for faction in war.factions for item in war.forces.values() if item.faction == faction]
    ordered += [item for item in war.forces.values() if item.faction not in war.factions]
    for number, item in enumerate(ordered, 1):
        piece = rules.terms.of(catalog.Piece, item.kind)
        yield MapForce(number, item.name, piece.label, piece.drawn, item.faction, item.at, len(item.units), item.moved)


def _list_holders(war: War, lots: Sequence[MapPanel], known: Collection[str] | None) -> Iterator[MapFaction]:
    letters = shorten_names([*war.factions])
    for place, (name, side) in enumerate(war.factions.items()):
        own = [lot for lot in lots if lot.owner == name]
        is_known = known is None or name in known
        income = sum(lot.pays for lot in own if not lot.cut_off)
        cut_off = sum(lot.cut_off for lot in own)
        yield MapFaction(
            name,
            letters[place],
            side.name,
            side.colour,
            place,
            side.gold if is_known else None,
            income if is_known else None,
            len(own),
            cut_off,
        )


TITLES: Final[Mapping[Layer, str]] = {"control": "owners", "supply": "supply", "income": "income", "forces": "forces"}


def title_of(chart: Chart) -> str:
    """Return the map's title, with the winner."""
    over = "" if chart.winner is None else f", won by {chart.winner}"
    return f"{chart.title}{over}, turn {chart.turn}: {TITLES[chart.layer]}"


def map_words(chart: Chart) -> list[str]:
    """Return a map line by line."""
    lines = [f"Map of {title_of(chart)}."]
    for holder in chart.holders.values():
        own = [lot for lot in chart.lots if lot.owner == holder.id]
        joined, cut = ([lot.at for lot in own if lot.cut_off == cut_off] for cut_off in (False, True))
        land = f"Panels: {places(joined)}." + (f" Cut off: {places(cut)}." if cut else "")
        lines.append(f"{holder.name} ({holder.letters}): {holder_words(holder)}. {land}")
    rest = [lot.at for lot in chart.lots if lot.owner not in chart.holders]
    lines += [f"Neutral: {places(rest)}."] if rest else []
    lines += [f"Blocked: {places(chart.blocked)}."] if chart.blocked else []
    hidden = [lot.at for lot in chart.lots if not lot.seen]
    lines += [f"Out of sight: {places(hidden)}."] if hidden else []
    return [*lines, *_VIEWS[chart.layer](chart)]


def short_words(chart: Chart) -> list[str]:
    """Return a map in fewer words, without lists of land."""
    lines = [f"Map of {title_of(chart)}.", *map(_holder_line, chart.holders.values())]
    cut = [lot.at for lot in chart.lots if lot.cut_off]
    lines += [f"Cut off: {places(cut)}."] if cut else []
    hidden = sum(not lot.seen for lot in chart.lots)
    lines += [f"Out of sight: {format_count(hidden, 'panels')}."] if hidden else []
    return [*lines, *_VIEWS[chart.layer](chart)]


def gist_words(chart: Chart) -> list[str]:
    """Return lines under the map: factions, forces by number, battles."""
    shown, forces = {lot.at for lot in chart.lots}, dict[str, list[str]]()
    for token in chart.tokens if chart.layer != "income" else ():
        if token.at in shown:
            forces.setdefault(token.faction, []).append(f"{token.number} {token.name} ({token.at})")
    lines = []
    for holder in chart.holders.values():
        own = forces.pop(holder.id, [])
        lines.append(_holder_line(holder) + (f" Forces: {name_some(own)}." if own else ""))
    others = (f"{upper_first(chart.name(name))}: {name_some(items)}." for name, items in forces.items())
    return [*lines, *others, *_list_fights(chart)]


def _holder_line(holder: MapFaction) -> str:
    return f"{holder.name} ({holder.letters}): {holder_words(holder)}."


def holder_words(holder: MapFaction) -> str:
    """Return a faction's gold and land."""
    land = format_count(holder.panels, "panels") + (f", {holder.cut_off} cut off" if holder.cut_off else "")
    if holder.gold is None:
        return f"gold not known, {land}"
    return f"{holder.gold} gold, {holder.income} a turn, {land}"


def places(panels: Iterable[Hex]) -> str:
    """Return panels by coordinates, or "none"."""
    return "; ".join(map(str, panels)) or "none"


def _describe_control(chart: Chart) -> Iterator[str]:
    yield from _list_forces(chart)
    for lot in chart.lots:
        about = [*_describe_facts(lot)]
        if about:
            yield f"{lot.at}, {chart.name(lot.owner) if lot.owner else 'neutral'}: {', '.join(about)}."


def _describe_facts(lot: MapPanel) -> Iterator[str]:
    if lot.mark:
        yield lower_first(lot.kind)
    if lot.bonus:
        yield f"+{lot.bonus} gold"
    if lot.facility:
        yield lot.facility
    if lot.garrison:
        yield f"garrison of {format_count(lot.garrison, 'units')}"


def _describe_supply(chart: Chart) -> Iterator[str]:
    begins = [lot.at for lot in chart.lots if lot.fed]
    yield f"Supply comes from {places(begins)}."
    if not any(lot.cut_off for lot in chart.lots):
        yield "Everything is in supply."
    yield from _list_forces(chart)


def _describe_income(chart: Chart) -> Iterator[str]:
    for holder in chart.holders.values():
        yield f"{holder.name} gets {_gold_words(lot for lot in chart.lots if lot.owner == holder.id and not lot.cut_off)}."
    rest = [lot for lot in chart.lots if lot.owner is None or lot.cut_off]
    if rest:
        yield f"Not paid out: {_gold_words(rest)}."


def _gold_words(lots: Iterable[MapPanel]) -> str:
    by_gold: dict[tuple[int, bool], list[Hex]] = {}
    for lot in lots:
        by_gold.setdefault((lot.pays, lot.seen), []).append(lot.at)
    each = (
        f"{gold}{'' if seen else ' or more'} on {places(by_gold[gold, seen])}"
        for gold, seen in sorted(by_gold, reverse=True)
    )
    return ", and ".join(each) or "nothing"


def _list_forces(chart: Chart) -> Iterator[str]:
    shown = {lot.at for lot in chart.lots}
    for token in (token for token in chart.tokens if token.at in shown):
        units = f", {format_count(token.units, 'units')}" if token.units else ""
        kind = f"{token.kind.lower()} of {chart.name(token.faction)}"
        yield f"{token.number}: {token.name}, {kind}, on {token.at}{units}."
    yield from _list_fights(chart)


def _list_fights(chart: Chart) -> Iterator[str]:
    for at, fight in ((lot.at, lot.fight) for lot in chart.lots if lot.fight):
        attacker, defender = map(chart.name, fight)
        yield f"Battle on {at}: {attacker} attacks, {defender} defends."


_VIEWS: Final = {
    "control": _describe_control,
    "supply": _describe_supply,
    "income": _describe_income,
    "forces": _list_forces,
}
