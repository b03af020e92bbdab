"""What can be done to a request on a card, as pure functions."""

from __future__ import annotations

from bot.rolls.card import edits
from bot.rolls.request import PartRequest, RollRequest
from rules.stages import Tickable

SHIP = Tickable("patrol.ship", "Ship", "patrol", (3,), one_of="kind")
FLEET = Tickable("patrol.fleet", "Fleet", "patrol", (5,), one_of="kind")
NEWTYPE = Tickable("patrol.newtype", "Newtype", "patrol", (1,))
LUCKY = Tickable("target.lucky", "Lucky", "target", (-1,))
STORMS = Tickable("weather.storms", "Storms", "conditions", (-1,))
BALLOON = Tickable("service.balloon", "Balloons", "target", (-1,), per="service")
ALL = (SHIP, FLEET, NEWTYPE, LUCKY, STORMS, BALLOON)


def request(*pairs: tuple[str, str]) -> RollRequest:
    """A patrol request for pairs of patrol and target."""
    parts = tuple(PartRequest(subjects={"patrol": patrol, "target": target}) for patrol, target in pairs)
    return RollRequest(book="campaign", family="patrol", parts=parts)


TWO = request(("Kilo", "Ghost"), ("Kilo", "Zaku"))


def marks(changed: RollRequest) -> list[dict[str, int]]:
    """The ticks of each part."""
    return [part.marks for part in changed.parts]


def test_a_side_is_ticked_wherever_it_stands() -> None:
    """A group named after a role holds for all parts with the same name in that role, and for no other."""
    three = request(("Kilo", "Ghost"), ("Lima", "Ghost"), ("Kilo", "Zaku"))
    assert marks(edits.tick(three, 0, ALL, added={"patrol.newtype"}, removed=())) == [
        {"patrol.newtype": 1},
        {},
        {"patrol.newtype": 1},
    ]
    assert marks(edits.tick(three, 0, ALL, added={"target.lucky"}, removed=())) == [
        {"target.lucky": 1},
        {"target.lucky": 1},
        {},
    ]


def test_ticks_and_counts_are_a_parts_own() -> None:
    """A condition is ticked on the part that is shown, an untick is a mark of 0, which wins over facts, and a count of a target's line holds for that target."""
    assert marks(edits.tick(TWO, 1, ALL, added={"weather.storms"}, removed=())) == [{}, {"weather.storms": 1}]
    assert marks(edits.tick(TWO, 0, ALL, added=(), removed={"patrol.newtype"}))[1] == {"patrol.newtype": 0}
    assert marks(edits.count(TWO, 1, {BALLOON: 4})) == [{}, {"service.balloon": 4}]


def test_alternatives_are_unticked_by_the_one_ticked() -> None:
    """Ticking one writes down that its rivals are not, so that no fact brings them back."""
    ticked = edits.tick(TWO, 0, ALL, added={"patrol.ship"}, removed=())
    assert marks(ticked)[0] == {"patrol.ship": 1, "patrol.fleet": 0}
    ticked = edits.tick(ticked, 0, ALL, added={"patrol.fleet"}, removed=())
    assert marks(ticked)[0] == {"patrol.ship": 0, "patrol.fleet": 1}
