"""Wars to draw: the shipped example, and random ones."""

from __future__ import annotations

from io import BytesIO
from random import Random

from msgspec.structs import replace
from PIL import Image

from rules.books.total_war import battles
from rules.books.total_war.board import board_of
from rules.books.total_war.catalog import set_switches
from rules.books.total_war.fight import Fight
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.storage import begin_war
from rules.books.total_war.war import NEUTRAL, Force, HeldPanel, Rules, Side, Unit, War
from rules.geometry import Hex, disc
from rules.loader import load_book

BOOK = load_book("total_war")
SCENARIO = read_scenario(BOOK, example()).scenario
RULES = Rules(set_switches(BOOK, SCENARIO.switches), SCENARIO)
START = begin_war(RULES)

KINDS = ("plain",) * 6 + ("resource", "ms_factory", "special", "colony", "fortress")
PIECES = ("fleet", "squadron", "squadron", "superweapon")


PANEL = Hex(1, -2)
"""Where the battle is."""


def battle(plan: int = 0, seed: int = 0) -> War:
    """Return a battle of a fleet and a squadron with random units."""
    fleet, squadron = START.forces["2nd Fleet"], START.forces["21st Squadron"]
    war = START.with_forces(replace(fleet, at=PANEL, units=(*fleet.units, *squadron.units)))
    war = battles.open_battle(RULES, war, PANEL, "Z")
    board, made = SCENARIO.boards[plan], war.battles[PANEL]
    fight = replace(made.fight, ground=battles.ground_of(RULES, board), where=board.map, turn=2)
    chance = Random(seed)  # noqa: S311 - no secret
    free = [tile for tile in board_of(RULES.terms).squares() if str(tile) not in fight.ground.terrain]
    tiles = chance.sample(free, len(fight.units))
    units = {name: replace(unit, at=at) for at, (name, unit) in zip(tiles, fight.units.items(), strict=True)}
    return fighting(war, replace(fight, units=units))


def fighting(war: War, fight: Fight) -> War:
    """Return the war with another fight."""
    return replace(war, battles={PANEL: replace(war.battles[PANEL], fight=fight)})


def scattered(count: int, seed: int, forces: int = 12) -> War:
    """Return a random war of three factions and a rogue."""
    chance = Random(seed)  # noqa: S311 - no secret
    places = sorted(disc(Hex(0, 0), 20)[:count])
    panels = {at: _panel(chance, at) for at in places}
    seats = {"E": places[-1], "Z": places[0]}
    for name, at in seats.items():
        panels[at] = HeldPanel("capitol", owner=name, garrison=(Unit(f"s{name}", "gm"),))
    sides = {name: replace(START.factions[name], seat=at, gold=chance.randrange(900)) for name, at in seats.items()}
    sides["R1"] = Side("Free Side 6", "#2e7d32", 15, "gm", rogue=True)
    taken = chance.sample(places, min(forces, count))
    raised = [_force(chance, number, at, [*sides, "Char"]) for number, at in enumerate(taken, 1)]
    return replace(START, panels=panels, factions=sides, forces={item.name: item for item in raised}, turn=12)


def _panel(chance: Random, at: Hex) -> HeldPanel:
    kind = chance.choice(KINDS)
    owner = chance.choice((*("E" if at.q > 0 else "Z",) * 6, NEUTRAL, "E", "Z", "R1"))
    facility = chance.choice((None, "mining_station")) if kind == "resource" else None
    garrison = (Unit(f"g{at}", "gm"),) * chance.randrange(3) if kind in {"colony", "fortress"} else ()
    return HeldPanel(kind, 10 * chance.randrange(1, 6) if kind == "resource" else 0, owner, facility, garrison)


def _force(chance: Random, number: int, at: Hex, factions: list[str]) -> Force:
    kind = chance.choice(PIECES)
    units = () if kind == "superweapon" else (Unit(f"u{number}", "gm"),) * chance.randrange(1, 5)
    return Force(f"{number}. Group", kind, chance.choice(factions), at, None, units)


def opened(data: bytes) -> Image.Image:
    """Check a PNG and return it in full colour."""
    with Image.open(BytesIO(data)) as picture:
        picture.verify()
    with Image.open(BytesIO(data)) as picture:
        assert picture.format == "PNG"
        return picture.convert("RGB")


def count(picture: Image.Image, colour: tuple[int, int, int]) -> int:
    """Count the pixels of a colour."""
    found = picture.getcolors(picture.width * picture.height) or []
    return sum(number for number, each in found if each == colour)
