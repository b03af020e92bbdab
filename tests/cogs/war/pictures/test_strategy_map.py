"""The strategy map without hue, at any size, and in words."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from msgspec.structs import replace
from PIL import Image

from bot.cogs.war.pictures.chart import (
    LUMINANCES,
    TITLES,
    Chart,
    MapPanel,
    chart_of,
    map_words,
    scheme_of,
    shorten_names,
)
from bot.cogs.war.pictures.panels import FIGHT, PanelLand, draw_land
from bot.cogs.war.pictures.strategy_map import draw_base_map, draw_map
from bot.cogs.war.wars import Layer, MapView
from bot.ui.pictures.canvas import WIDTH, face
from bot.ui.pictures.style import full, luminance_of, to_linear
from bot.ui.text import MAX_ALT
from rules.books.total_war.battles import open_battle as begin_battle
from rules.books.total_war.storage import Sight
from rules.books.total_war.war import NEUTRAL, HeldPanel, War
from rules.geometry import Hex
from tests.cogs.war.pictures.wars import PANEL, RULES, START, battle, count, opened, scattered

LAYERS = [*TITLES]
CUT = Hex(0, 2)
PAPER = full("paper")


def panel(chart: Chart, at: Hex) -> Image.Image:
    """Return a panel's picture on black."""
    made = draw_base_map(chart, "")
    left, top = made.grid.corner(at)
    mask = face(made.grid.unit, made.grid.half)
    whole = opened(draw_map(chart)).crop((left, top, left + mask.width, top + mask.height))
    return Image.composite(whole, Image.new("RGB", mask.size), mask)


def luminance(colour: str) -> float:
    """Return a colour's relative luminance."""
    return luminance_of(to_linear(colour))


def shade(picture: Image.Image) -> int:
    """Return the most frequent brightness that isn't black."""
    counts = picture.convert("L").histogram()[1:]
    return counts.index(max(counts))


def changed(chart: Chart, at: Hex, **change: object) -> Chart:
    """Return the map with one panel changed."""
    return replace(chart, lots=tuple(replace(lot, **change) if lot.at == at else lot for lot in chart.lots))


@pytest.mark.parametrize("layer", LAYERS)
def test_land_that_is_cut_off_is_paler_and_hatched(layer: Layer) -> None:
    """In another line colour."""
    war = START.with_panel(CUT, owner="E")
    fed = START.with_panel(CUT, owner="E").with_side("E", seat=CUT)
    scheme = scheme_of(war.factions["E"].colour, 0)

    cut, joined = (panel(chart_of(RULES, each, layer), CUT) for each in (war, fed))

    assert luminance(scheme.pale) > luminance(scheme.land) + 0.15
    assert count(cut, full(scheme.pale)) > 1000
    assert count(cut, full(scheme.land)) == 0
    assert count(joined, full(scheme.pale)) == 0
    assert count(joined, full(scheme.land)) > 2000
    row = [cut.getpixel((x, cut.height - 12)) for x in range(cut.width // 3, 2 * cut.width // 3)]
    pale = [pixel == full(scheme.pale) for pixel in row]
    assert sum(before != after for before, after in pairwise(pale)) >= 4


@pytest.mark.parametrize("colour", ["#2b6cff", "#d62828", "#ffffff", "#000000", "#777777", "no colour"])
def test_factions_of_one_colour_differ_without_it(colour: str) -> None:
    """Luminance or pattern; letters stay readable."""
    made = [scheme_of(colour, place) for place in range(len(LUMINANCES))]
    ink = luminance("ink")

    for one, other in combinations(made, 2):
        assert one.pattern != other.pattern or abs(luminance(one.land) - luminance(other.land)) > 0.03
    assert abs(luminance(made[0].land) - luminance(made[1].land)) > 0.15
    for scheme in made:
        assert min((luminance(each) + 0.05) / (ink + 0.05) for each in (scheme.land, scheme.pale)) >= 4.5
        assert 1.05 / (luminance(scheme.piece) + 0.05) >= 4.5


def test_factions_are_told_apart_in_grey() -> None:
    """Brightness and letters differ."""
    chart = chart_of(RULES, START)
    shades = [shade(panel(chart, at)) for at in (Hex(2, -3), Hex(-2, 3), Hex(1, 1))]

    assert min(abs(one - other) for one, other in combinations(shades, 2)) > 15
    assert len({holder.letters for holder in chart.holders.values()}) == 2


def test_letters_are_the_shortest_that_tell() -> None:
    """A whole id if another begins with it."""
    assert shorten_names(["E", "Z"]) == ["E", "Z"]
    assert shorten_names(["efsf", "Earth", "zeon"]) == ["ef", "Ea", "z"]
    assert shorten_names(["R", "R1", "R2"]) == ["R", "R1", "R2"]


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("seed", range(3))
def test_each_panel_and_force_is_told(layer: Layer, seed: int) -> None:
    """Once each."""
    war = scattered(61, seed)
    lines = map_words(chart_of(RULES, war, layer))
    land = [line for line in lines if "Panels:" in line or line.startswith("Neutral")]
    named = [place for line in land for part in line.split(": ")[1:] for place in _places(part)]

    assert sorted(named) == sorted(war.panels)
    for force in war.forces.values():
        told = [line for line in lines if f": {force.name}, " in line]
        assert len(told) == (layer != "income")
        assert all(f"on {force.at}" in line for line in told)


def _places(text: str) -> list[Hex]:
    found = []
    for part in text.replace(".", "").replace(" Cut off", "").split("; "):
        try:
            found.append(Hex.parse(part))
        except ValueError:
            continue
    return found


CHANGES: dict[str, tuple[Layer, Hex, dict[str, object]]] = {
    "owner": ("control", Hex(0, 0), {"owner": "Z"}),
    "cut off": ("control", Hex(2, -2), {"cut_off": True}),
    "kind": ("control", Hex(0, 0), {"kind": "Colony", "mark": "wheel"}),
    "bonus": ("control", Hex(0, 0), {"bonus": 50}),
    "facility": ("control", Hex(0, 0), {"facility": "Mining station"}),
    "garrison": ("control", Hex(3, 0), {"garrison": 5}),
    "unseen": ("control", Hex(0, 0), {"seen": False}),
    "fight": ("forces", Hex(1, -2), {"fight": ("Z", "E")}),
    "source": ("supply", Hex(0, 0), {"fed": True}),
    "gold": ("income", Hex(0, 0), {"pays": 99}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_the_words_tell_is_drawn(what: str) -> None:
    """Each fact changes both."""
    layer, at, change = CHANGES[what]
    chart = chart_of(RULES, START, layer)
    other = changed(chart, at, **change)

    assert map_words(other) != map_words(chart)
    assert panel(other, at).tobytes() != panel(chart, at).tobytes()


def test_gold_and_forces_are_told_and_drawn() -> None:
    """Bank, income and places."""
    chart = chart_of(RULES, START)
    holder, token = chart.holders["E"], chart.tokens[0]
    others = [
        replace(chart, holders={**chart.holders, "E": replace(holder, gold=101)}),
        replace(chart, holders={**chart.holders, "E": replace(holder, income=1)}),
        replace(chart, tokens=(replace(token, name="Other"), *chart.tokens[1:])),
        chart_of(RULES, START.with_forces(replace(START.forces["1st Fleet"], at=Hex(0, 0)))),
    ]

    for other in others:
        assert map_words(other) != map_words(chart)
        assert draw_map(other) != draw_map(chart)


def test_what_a_faction_does_not_see_is_unknown() -> None:
    """Question marks, and no foreign gold."""
    at = Hex(-2, 0)
    shown, known = (
        MapView(RULES, START, sight=Sight(frozenset({at}), frozenset({"E"}))),
        MapView(RULES, START),
    )

    lines = shown.words(whole=True)[1]
    assert "Out of sight: -2,0." in lines
    assert shown.draw().data != known.draw().data
    zeon = next(line for line in lines if line.startswith("Zeon"))
    assert "gold not known" in zeon
    assert "gold," not in zeon
    assert "gold," not in next(part for part in shown.draw().alt.split(". ") if part.startswith("Zeon"))


def test_gold_of_panels_out_of_sight_is_told_as_a_least() -> None:
    """Or more."""
    chart, hidden = (chart_of(RULES, START, "income", Sight(frozenset(unseen))) for unseen in ((), {Hex(0, 0)}))

    assert any("21 on 0,0" in line for line in map_words(chart))
    assert any("21 or more on 0,0" in line for line in map_words(hidden))
    assert panel(chart, Hex(0, 0)).tobytes() != panel(hidden, Hex(0, 0)).tobytes()


@pytest.mark.parametrize("layer", LAYERS)
def test_four_hundred_panels_stay_on_their_paper(layer: Layer) -> None:
    """397 panels, 60 forces."""
    shown = MapView(RULES, scattered(397, 1, forces=60), layer).draw()
    picture = opened(shown.data)

    assert picture.width <= WIDTH
    inner = picture.copy()
    inner.paste(PAPER, (4, 4, picture.width - 4, picture.height - 4))
    assert {colour for _, colour in inner.getcolors() or []} == {PAPER}
    assert len(shown.alt) <= MAX_ALT


def test_forces_of_a_large_map_have_numbers_that_the_key_explains() -> None:
    """No name on the panels."""
    war = scattered(397, 1, forces=30)
    renamed = replace(war, forces={name: replace(item, name=f"X{item.name}") for name, item in war.forces.items()})
    charts = [chart_of(RULES, each) for each in (war, renamed)]
    foot = draw_base_map(charts[0], "").grid.height
    maps = [draw_base_map(chart, "").picture.crop((0, 0, 1000, foot)).tobytes() for chart in charts]

    assert maps[0] == maps[1]
    assert draw_map(charts[0]) != draw_map(charts[1])


def test_land_of_later_factions_has_patterns() -> None:
    """From the third on."""
    made = [draw_land(20, 35, PanelLand(scheme_of("#2e7d32", place))) for place in range(5)]
    schemes = [scheme_of("#2e7d32", place) for place in range(5)]

    assert [bool(scheme.pattern) for scheme in schemes] == [False, False, True, True, True]
    for picture, scheme in zip(made, schemes, strict=True):
        centre = picture.crop((30, 20, 50, 50))
        assert (len(centre.getcolors() or []) > 1) == bool(scheme.pattern)
    assert len({picture.convert("L").tobytes() for picture in made}) == 5


def test_a_fight_is_a_red_cross_between_two_forces() -> None:
    """Words name both sides."""
    chart = chart_of(RULES, battle())

    assert "Battle on 1,-2: Zeon attacks, Earth Federation defends." in map_words(chart)
    assert count(panel(chart, PANEL), full(FIGHT)) > 20
    assert count(panel(chart_of(RULES, START), PANEL), full(FIGHT)) == 0


def test_long_names_become_numbers() -> None:
    """All of them, if one doesn't fit."""
    force = replace(START.forces["1st Fleet"], name="The First and Only Fleet of the Earth Federation")
    forces = {item.name: item for item in (*START.forces.values(), force) if item.name != "1st Fleet"}
    named, numbered = (draw_base_map(chart_of(RULES, war), "") for war in (START, replace(START, forces=forces)))

    assert named.named
    assert not numbered.named
    assert numbered.picture.height > named.picture.height


STRANGE = ("", "W" * 80, "日本", "a\nb\0", "x" * 500)


@pytest.mark.parametrize("text", STRANGE)
def test_strange_names_are_drawn(text: str) -> None:
    """Any length and letters."""
    force = replace(START.forces["1st Fleet"], name=text)
    war = replace(START.with_side("E", name=text), forces={text: force})

    picture = opened(MapView(RULES, war).draw().data)

    assert picture.width <= WIDTH


@pytest.mark.parametrize("panels", [(), (Hex(0, 0),), (Hex(-40, 0), Hex(40, 0)), (Hex(0, -60), Hex(0, 60))])
def test_a_map_of_any_shape_is_drawn(panels: tuple[Hex, ...]) -> None:
    """One panel, none, or far apart."""
    war = War({at: HeldPanel("plain", owner=NEUTRAL) for at in panels}, {}, {})

    assert opened(MapView(RULES, war).draw().data).width <= 2 * WIDTH


def test_a_garrison_of_nobody_is_no_rogue() -> None:
    """The words say neutral."""
    fort = Hex(-3, 0)
    placed = START.forces["2nd Fleet"]
    war = begin_battle(RULES, START.with_forces(replace(placed, at=fort)), fort, "Z")

    assert f"Battle on {fort}: Zeon attacks, neutral garrison defends." in map_words(chart_of(RULES, war))


def test_a_lone_rogue_and_many_forces_on_one_panel_are_told() -> None:
    """Above three the rest are counted."""
    at = Hex(0, 0)
    moved = [replace(item, at=at) for item in START.forces.values()]
    war = START.with_forces(*moved, replace(moved[0], name="Pirates", faction="1234567890"))
    lines = MapView(RULES, war, "forces").words(whole=True)[1]

    assert any("Pirates, fleet of a lone rogue, on 0,0" in line for line in lines)
    assert not any("1234567890" in line for line in lines)


def test_panels_that_nobody_enters_are_dark_and_told() -> None:
    """Blocked ones."""
    scenario = replace(RULES.scenario, blocked=frozenset({Hex(4, 0)}))
    lines = MapView(replace(RULES, scenario=scenario), START).words(whole=True)[1]

    assert "Blocked: 4,0." in lines


def test_a_lot_is_told_by_what_it_is() -> None:
    """Supply, pay and facility."""
    lots: dict[Hex, MapPanel] = {lot.at: lot for lot in chart_of(RULES, START).lots}

    assert lots[Hex(2, -2)].pays == 26
    assert lots[Hex(3, -3)].fed
    assert not lots[Hex(2, -2)].cut_off
    assert lots[Hex(2, -2)].facility == "Mining station"
