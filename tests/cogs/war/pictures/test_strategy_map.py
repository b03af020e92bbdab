"""The strategy map without hue, at any size, and in words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise

import pytest
from msgspec.structs import replace
from PIL import Image

from bot.cogs.war.pictures import panels
from bot.cogs.war.pictures.chart import (
    LUMINANCES,
    TITLES,
    Chart,
    MapPanel,
    chart_of,
    gist_words,
    map_words,
    scheme_of,
    shorten_names,
)
from bot.cogs.war.pictures.panels import FIGHT, PanelLand, draw_land, empty_map
from bot.cogs.war.pictures.strategy_map import draw_map
from bot.cogs.war.wars import PICTURE, Layer, MapView
from bot.ui.pictures import canvas, rows
from bot.ui.pictures.canvas import EDGE, PHONE, ROOM, Pen, face, write
from bot.ui.pictures.style import full, luminance_of, to_linear
from bot.ui.text import MAX_ALT, paginate, picture_embeds
from rules.books.total_war.battles import open_battle as begin_battle
from rules.books.total_war.storage import Sight
from rules.books.total_war.war import NEUTRAL, HeldPanel, War
from rules.geometry import Hex, disc
from tests.cogs.war.pictures.wars import PANEL, RULES, START, battle, count, opened, scattered

LAYERS = [*TITLES]
CUT = Hex(0, 2)
PAPER = full("paper")


def panel(chart: Chart, at: Hex) -> Image.Image:
    """Return a panel's picture on black."""
    made = empty_map(chart)
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


def test_gold_and_names_are_told_below_and_places_drawn() -> None:
    """Bank, income and forces."""
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
        assert gist_words(other) != gist_words(chart)
    assert [draw_map(other) != draw_map(chart) for other in others] == [False, False, False, True]


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

    assert picture.width <= ROOM[0]
    inner = picture.copy()
    inner.paste(PAPER, (4, 4, picture.width - 4, picture.height - 4))
    assert {colour for _, colour in inner.getcolors() or []} == {PAPER}
    assert len(shown.alt) <= MAX_ALT


@pytest.mark.parametrize("panels", [37, 91, 397])
def test_forces_have_numbers_that_the_text_below_explains(panels: int) -> None:
    """Each once, with name and place."""
    war = scattered(panels, 1, forces=30)
    chart = chart_of(RULES, war)
    below = "\n".join(MapView(RULES, war).words()[1]).replace("\\", "")

    for token in chart.tokens:
        assert below.count(f" {token.number} {token.name} ({token.at})") == 1


def letters_of(monkeypatch: pytest.MonkeyPatch, draw: Callable[[], bytes]) -> tuple[Image.Image, dict[str, int]]:
    """Return a picture, and all that is written on it with the least size."""
    sizes: dict[str, int] = {}

    def note(picture: Image.Image, text: str, at: tuple[float, float], pen: Pen, align: float = 0, **how: bool) -> int:
        if text:
            sizes[text] = min(pen.size, sizes.get(text, pen.size))
        return write(picture, text, at, pen, align, **how)

    panels._draw_face.cache_clear()
    panels._draw_ground.cache_clear()
    monkeypatch.setattr(canvas, "write", note)
    monkeypatch.setattr(rows, "write", note)
    return opened(draw()), sizes


def largest() -> War:
    """Return a war on the largest map that a scenario's radius gives, with forces side by side."""
    war, places = scattered(1261, 1, forces=150), sorted(disc(Hex(0, 0), 30))
    owned = {at: replace(war.panels.get(at, HeldPanel("plain")), owner="EZ"[at.q < 0]) for at in places}
    return replace(war, panels=owned)


LARGEST = largest()


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("war", [START, scattered(91, 1), scattered(217, 2, forces=40), scattered(397, 1), LARGEST])
def test_all_letters_on_a_map_are_readable_on_a_phone(monkeypatch: pytest.MonkeyPatch, war: War, layer: Layer) -> None:
    """At least 9 pixels high where the map is 280 high: coordinates, numbers of forces, and owners."""
    chart = chart_of(RULES, war, layer)
    picture, sizes = letters_of(monkeypatch, lambda: draw_map(chart))
    shown = min(1, PHONE[0] / picture.width, PHONE[1] / picture.height)

    assert min(sizes.values()) * shown >= 9
    assert picture.width / picture.height >= 1
    coordinates = [at for at in map(str, war.panels) if at in sizes]
    assert len(coordinates) > (20 if war is LARGEST else len(war.panels) // (3 if len(war.panels) <= 91 else 40))
    if layer != "income":
        assert all(str(token.number) in {text.split()[0] for text in sizes} for token in chart.tokens)
    if layer in {"supply", "forces"}:
        assert {holder.letters for holder in chart.holders.values() if holder.panels} <= {*sizes}


def test_a_map_fills_the_width_of_its_picture() -> None:
    """And a phone's."""
    for war in (START, scattered(91, 1), scattered(397, 1), LARGEST):
        made = empty_map(chart_of(RULES, war))
        assert made.grid.width + 2 * EDGE == made.picture.width
        assert made.picture.width >= 1.15 * made.picture.height


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("force", [None, "1st Fleet"])
def test_the_words_under_the_largest_map_fit_a_message(layer: Layer, force: str | None) -> None:
    """With the longest names, its key is whole."""
    named = {f"{number:03}{'*' * 77}": number for number in range(900)}
    forces = {name: replace(START.forces["1st Fleet"], name=name) for name in named} | {**START.forces}
    sides = {f"F{number}": replace(START.factions["E"], name="_" * 80) for number in range(60)} | {**START.factions}
    war = replace(LARGEST, forces=forces, factions=sides)
    view = MapView(RULES, war, layer, force=force)
    for lines in (view.words()[1], replace(view, force=None, before=START).words()[1]):
        embeds = picture_embeds("T" * 256, lines, footer="F" * 100, picture=PICTURE)

        assert len(paginate(embeds)) == 1
        assert lines[-1].startswith("-# ")
        assert "owner" in lines[-1]


def test_the_key_explains_each_sign_on_the_map() -> None:
    """Those that aren't there are left out."""
    war = battle()
    key = MapView(RULES, war).words()[1][-1]
    chart = chart_of(RULES, war)
    drawn = {lot.mark for lot in chart.lots if lot.mark} | {token.drawn for token in chart.tokens}

    assert all(f"{sign.capitalize()}: " in key for sign in drawn)
    assert "Cross: battle" in key
    assert "Hatched" not in key
    hidden = MapView(RULES, war, "income", sight=Sight(frozenset({Hex(-2, 0)}))).words()[1][-1]
    assert "Dotted: out of sight" in hidden
    assert "12+: or more" in hidden.replace("\\", "")
    assert "Hatched: cut off" in MapView(RULES, START.with_panel(CUT, owner="E")).words()[1][-1]


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


STRANGE = ("", "W" * 80, "日本", "a\nb\0", "x" * 500)


@pytest.mark.parametrize("text", STRANGE)
def test_strange_names_are_drawn(text: str) -> None:
    """Any length and letters."""
    force = replace(START.forces["1st Fleet"], name=text)
    war = replace(START.with_side("E", name=text), forces={text: force})

    picture = opened(MapView(RULES, war).draw().data)

    assert picture.width <= ROOM[0]


@pytest.mark.parametrize("panels", [(), (Hex(0, 0),), (Hex(-40, 0), Hex(40, 0)), (Hex(0, -60), Hex(0, 60))])
def test_a_map_of_any_shape_is_drawn(panels: tuple[Hex, ...]) -> None:
    """One panel, none, or far apart."""
    war = War({at: HeldPanel("plain", owner=NEUTRAL) for at in panels}, {}, {})

    assert opened(MapView(RULES, war).draw().data).width <= 2 * ROOM[0]


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
