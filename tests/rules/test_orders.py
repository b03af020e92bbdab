"""Orders of the campaign book: how those of a phase pair, and that it is no matter in which order they came."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import books
from rules.loader import load_book
from rules.orders import (
    KnownOfScene,
    KnownOfUpdate,
    Lapse,
    Order,
    OrderedBattle,
    OrderKind,
    Outcome,
    Phase,
    Rank,
    Task,
    Who,
    in_order,
    outcomes,
)

BOOK = load_book("campaign")
KINDS, PHASES = BOOK.listed(OrderKind), BOOK.listed(Phase)
PAIRING = books.pairing_of("campaign")
assert PAIRING is not None
MOST = 25

VESNA, ROOK, SOL = Who("Vesna", 1), Who("Rook", 2), Who("Sol", 3)
IRON, HAWK = Who("Iron", 11), Who("Hawk", 12)
BASALT, LIMA = Who("Fort Basalt", 21), Who("Lima", 22)
RIFT, MOON = Who("Rift"), Who("Moon")


def come_to(phase: str, *orders: Order, known: KnownOfUpdate | None = None) -> list[Outcome]:
    """What a phase of the campaign book comes to."""
    assert PAIRING is not None
    return outcomes(PHASES[phase], orders, known or KnownOfUpdate(), PAIRING, MOST)


def told(found: Sequence[Outcome]) -> list[tuple[str, list[dict[str, str]], tuple[int, ...]]]:
    """Tasks as their family, who is in the roles of each part, and the orders behind them."""
    return [
        (
            item.family,
            [
                {role: ", ".join(who.name for who in people) for role, people in part.roles.items()}
                for part in item.parts
            ],
            item.orders,
        )
        for item in found
        if isinstance(item, Task)
    ]


def test_every_kind_is_taken_by_a_phase_and_names_a_roll() -> None:
    """What is declared comes first, detection before patrols (23), escapes last, after a base was scouted or assaulted; a hushed outcome is one of a roll or act."""
    assert {kind for phase in PHASES.values() for kind in phase.takes} == {*KINDS}
    assert {kind.family for kind in KINDS.values()} <= {*BOOK.procedures}
    assert [*PHASES] == ["declare", "detect", "patrol", "scout", "battle", "interrogate", "escape"]
    rows = {row.outcome for table in BOOK.tables.values() for row in table.rows} | {"done"}
    hushed = {outcome for kind in KINDS.values() for outcome in kind.hushed}
    assert hushed == {"undetected", "no-catch", "done"}
    assert hushed <= rows


def test_what_is_declared_is_true_without_a_die() -> None:
    """Hiding, assault, rescue and resistance are one task each; a surprise attack is one for the base and whom it frees."""
    found = come_to(
        "declare",
        Order(1, "hide", VESNA, RIFT),
        Order(2, "assault", IRON, BASALT),
        Order(3, "surprise-attack", HAWK, LIMA, (SOL,)),
        Order(4, "rescue", ROOK, SOL),
        Order(5, "resist", SOL),
    )
    assert told(found) == [
        ("hide", [{"hider": "Vesna", "sector": "Rift"}], (1,)),
        ("assault", [{"attacker": "Iron", "base": "Fort Basalt"}], (2,)),
        ("surprise-attack", [{"attacker": "Hawk", "target": "Lima"}, {"attacker": "Hawk", "target": "Sol"}], (3,)),
        ("rescue", [{"rescuer": "Rook", "captive": "Sol"}], (4,)),
        ("resist", [{"captive": "Sol"}], (5,)),
    ]


def test_every_hidden_one_is_rolled_against_every_detector_of_the_sector() -> None:
    """Two hidden and two detectors are four parts of one roll (127); a sector with nobody hidden has one part for each detector."""
    orders = [
        Order(1, "hide", VESNA, RIFT),
        Order(2, "hide", ROOK, Who("rift")),
        Order(3, "detect", IRON, RIFT),
        Order(4, "detect", HAWK, RIFT),
        Order(5, "detect", SOL, MOON),
    ]
    found = come_to("detect", *orders, known=KnownOfUpdate(hidden=frozenset({VESNA.key, ROOK.key})))
    pairs = [{"detector": who, "hider": hider} for who in ("Iron", "Hawk") for hider in ("Vesna", "Rook")]
    assert told(found) == [("detection", pairs, (3, 4)), ("detection", [{"detector": "Sol"}], (5,))]


def test_who_was_revealed_before_is_not_looked_for() -> None:
    """Who ordered to hide and is hidden no more stands in no roll of detection."""
    found = come_to("detect", Order(1, "hide", VESNA, RIFT), Order(2, "detect", IRON, RIFT))
    assert told(found) == [("detection", [{"detector": "Iron"}], (2,))]


def test_a_patrol_meets_all_that_move_through_its_sector_by_priority() -> None:
    """Each patrol rolls for every target (22), the lowest priority first (65), whoever ordered first; others move on."""
    found = come_to(
        "patrol",
        Order(1, "move", VESNA, RIFT, rank=2),
        Order(2, "patrol", IRON, RIFT),
        Order(3, "move", ROOK, RIFT, rank=1),
        Order(4, "patrol", HAWK, RIFT),
        Order(5, "move", SOL, MOON),
    )
    assert told(found) == [
        ("patrol", [{"patrol": "Hawk", "target": "Rook"}, {"patrol": "Hawk", "target": "Vesna"}], (4, 3, 1)),
        ("patrol", [{"patrol": "Iron", "target": "Rook"}, {"patrol": "Iron", "target": "Vesna"}], (2, 3, 1)),
        ("move", [{"target": "Sol", "sector": "Moon"}], (5,)),
    ]


def test_a_patrol_lets_its_own_side_through_and_watches_where_nobody_comes() -> None:
    """Who is known to be on its side is no target; it watches without a die; whoever was stopped moves no more (22), and a taken order stands in no roll of its own again."""
    known = KnownOfUpdate(sides={VESNA.key: "Zeon", IRON.key: "zeon"})
    found = come_to("patrol", Order(1, "move", VESNA, RIFT), Order(2, "patrol", IRON, RIFT), known=known)
    assert told(found) == [
        ("watch", [{"patrol": "Iron", "sector": "Rift"}], (2,)),
        ("move", [{"target": "Vesna", "sector": "Rift"}], (1,)),
    ]
    orders = [Order(1, "move", VESNA, RIFT, open=False), Order(2, "patrol", IRON, RIFT, open=False)]
    orders.append(Order(3, "patrol", HAWK, RIFT))
    assert told(come_to("patrol", *orders)) == [("patrol", [{"patrol": "Hawk", "target": "Vesna"}], (3,))]
    found = come_to("patrol", *orders, known=KnownOfUpdate(stopped=frozenset({VESNA.key})))
    assert told(found) == [("watch", [{"patrol": "Hawk", "sector": "Rift"}], (3,))]


def test_all_who_scout_a_base_or_are_held_in_one_place_are_in_one_roll() -> None:
    """One roll for each base, a part for each who scouts it (82), and one for each place of those who escape (341); where nobody knows the place, they are one too."""
    found = come_to(
        "scout", Order(1, "scout", VESNA, BASALT), Order(2, "scout", ROOK, LIMA), Order(3, "scout", SOL, BASALT)
    )
    assert told(found) == [
        ("scouting", [{"scouter": who, "base": "Fort Basalt"} for who in ("Vesna", "Sol")], (1, 3)),
        ("scouting", [{"scouter": "Rook", "base": "Lima"}], (2,)),
    ]
    known = KnownOfUpdate(at={VESNA.key: LIMA, ROOK.key: BASALT, SOL.key: LIMA})
    found = come_to(
        "escape", *(Order(number, "escape", who) for number, who in enumerate((VESNA, ROOK, SOL), 1)), known=known
    )
    assert told(found) == [
        ("escape", [{"captive": who, "base": "Lima"} for who in ("Vesna", "Sol")], (1, 3)),
        ("escape", [{"captive": "Rook", "base": "Fort Basalt"}], (2,)),
    ]


def test_each_side_of_a_battle_is_rolled_for_once() -> None:
    """Attackers of one side are one side (268), and the base counts for who defends it; so for battles that came about."""
    known = KnownOfUpdate(
        sides={IRON.key: "EF", HAWK.key: "EF", BASALT.key: "Zeon"},
        battles=(
            OrderedBattle(3, "Ambush of Vesna", (IRON,), (VESNA,)),
            OrderedBattle(4, "Long over", (IRON,), (ROOK,)),
        ),
    )
    found = come_to(
        "battle",
        Order(1, "assault", IRON, BASALT),
        Order(2, "assault", HAWK, BASALT),
        Order(3, "detect", IRON, RIFT),
        Order(4, "patrol", IRON, RIFT, open=False),
        known=known,
    )
    assert told(found) == [
        (
            "complications",
            [
                {"side": "EF", "battle": "Battle of Fort Basalt"},
                {"side": "Zeon", "battle": "Battle of Fort Basalt", "base": "Fort Basalt"},
            ],
            (1, 2),
        ),
        (
            "complications",
            [{"side": "EF", "battle": "Ambush of Vesna"}, {"side": "Vesna", "battle": "Ambush of Vesna"}],
            (3,),
        ),
    ]


def test_a_captive_is_interrogated_once_by_all_together() -> None:
    """One roll however many interrogate (284), where the captive is held."""
    found = come_to(
        "interrogate",
        Order(1, "interrogate", VESNA, SOL),
        Order(2, "interrogate", ROOK, SOL),
        known=KnownOfUpdate(at={SOL.key: LIMA}),
    )
    assert told(found) == [
        ("interrogation", [{"captive": "Sol", "base": "Lima", "interrogator": "Vesna, Rook"}], (1, 2))
    ]


@pytest.mark.parametrize(("movers", "rolls"), [(25, [25]), (26, [25, 1]), (60, [25, 25, 10])])
def test_a_task_of_too_many_parts_is_split_and_never_cut(movers: int, rolls: list[int]) -> None:
    """Nobody is left out of a roll that would have more than 25 parts."""
    moves = [Order(number, "move", Who(f"Mover {number}", 100 + number), RIFT) for number in range(1, movers + 1)]
    found = come_to("patrol", *moves, Order(99, "patrol", IRON, RIFT))
    met = [part.roles["target"][0].id for item in found if isinstance(item, Task) for part in item.parts]
    assert [len(item.parts) for item in found if isinstance(item, Task)] == rolls
    assert sorted(met, key=str) == sorted((order.who.id for order in moves), key=str)
    tasks = [item for item in found if isinstance(item, Task)]
    assert [99 in item.later for item in tasks] == [True] * (len(rolls) - 1) + [False], "the patrol goes on to the last"
    again = Order(99, "patrol", IRON, RIFT, rolled=tuple(part.key for part in tasks[0].parts))
    closed = [Order(order.entry, "move", order.who, RIFT, open=order.entry not in tasks[0].orders) for order in moves]
    left = [
        item.key for item in come_to("patrol", *closed, again) if isinstance(item, Task) and item.family == "patrol"
    ]
    assert left == [item.key for item in tasks[1:]]


def test_the_side_in_a_scene_comes_before_a_saved_one() -> None:
    """AMB-81: who is of a faction of the war takes its turns, whatever side is saved on their character."""
    scene = KnownOfScene({"vesna": "Z", "iron": "Z"}, "Z", None)
    known = KnownOfUpdate(sides={VESNA.key: "Pirates", SOL.key: "Pirates"}, scene=scene)
    assert [known.side(who) for who in (VESNA, IRON, SOL)] == ["z", "z", "pirates"]


@pytest.mark.parametrize("rank", ["given", "priority", "alternating"])
def test_what_game_masters_move_goes_by_their_priority_in_every_phase(rank: Rank) -> None:
    """The first by every rank is the last once it has the highest number."""
    orders = [Order(number, "scout", who, BASALT) for number, who in enumerate((IRON, ROOK, SOL), 1)]
    moved = [Order(1, "scout", IRON, BASALT, rank=5), *orders[1:]]
    before, after = (in_order(rank, some, KnownOfUpdate()) for some in (orders, moved))
    assert (before[0].who, after[-1].who) == (IRON, IRON)


def test_sides_alternate_until_one_has_no_orders_left() -> None:
    """Where a phase alternates, the sides take turns, each in the order in which it ordered."""
    sides = {VESNA.key: "Zeon", ROOK.key: "Zeon", SOL.key: "Zeon", IRON.key: "EF"}
    orders = [Order(number, "scout", who, BASALT) for number, who in enumerate((VESNA, ROOK, SOL, IRON), 1)]
    assert [order.who.name for order in in_order("alternating", orders, KnownOfUpdate(sides=sides))] == [
        "Iron",
        "Vesna",
        "Rook",
        "Sol",
    ]


PEOPLE = [VESNA, ROOK, SOL, IRON, HAWK]
SECTORS = [RIFT, MOON]


@st.composite
def updates(draw: st.DrawFn) -> list[tuple[str, Who, Who | None]]:
    """Who orders what in an update: any kind, once for each who."""
    chosen = draw(
        st.lists(st.tuples(st.sampled_from([*KINDS]), st.sampled_from(PEOPLE)), min_size=2, unique=True, max_size=20)
    )
    places = {"sector": SECTORS, "base": [BASALT, LIMA], "captive": PEOPLE}
    return [(kind, who, draw(st.sampled_from(places[to])) if (to := KINDS[kind].to) else None) for kind, who in chosen]


@given(updates(), st.randoms(use_true_random=False))
def test_who_is_quicker_to_order_changes_no_task(update: list[tuple[str, Who, Who | None]], chance: object) -> None:
    """Whatever the order of arrival, each phase comes to the same tasks, and each of its orders is in one, or lapses."""
    mixed = update[:]
    chance.shuffle(mixed)  # type: ignore[attr-defined] # a random.Random, which hypothesis does not name
    known = KnownOfUpdate(hidden=frozenset(who.key for who in PEOPLE[:2]), sides={VESNA.key: "EF", IRON.key: "EF"})
    keys: list[list[set[str]]] = []
    for arrived in (update, mixed):
        orders = [Order(number, kind, who, to) for number, (kind, who, to) in enumerate(arrived, 1)]
        found = {phase: come_to(phase, *orders, known=known) for phase in PHASES}
        keys.append([{item.key for item in items if isinstance(item, Task)} for items in found.values()])
        for phase, items in found.items():
            taken = [entry for item in items if isinstance(item, Task) for entry in item.orders]
            lapsed = [item.order for item in items if isinstance(item, Lapse)]
            there = {order.entry for order in orders if order.kind in PHASES[phase].takes}
            assert {*taken, *lapsed} <= there
            assert phase == "battle" or {*taken, *lapsed} == there
            assert not {*taken} & {*lapsed}
    assert keys[0] == keys[1]
