from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import books, orders
from rules.loader import load_book

BOOK = load_book("campaign")
KINDS, PHASES = BOOK.entries_of(orders.OrderKind), BOOK.entries_of(orders.Phase)
PAIRING = books.find_pairing("campaign")
MOST = 25
VESNA, ROOK, SOL = orders.Who("Vesna", 1), orders.Who("Rook", 2), orders.Who("Sol", 3)
IRON, HAWK = orders.Who("Iron", 11), orders.Who("Hawk", 12)
BASALT, LIMA = orders.Who("Fort Basalt", 21), orders.Who("Lima", 22)
RIFT, MOON = orders.Who("Rift"), orders.Who("Moon")


def _resolve_phase(
    phase: str, *given: orders.Order, known: orders.UpdateKnowledge | None = None
) -> list[orders.Outcome]:
    return orders.find_outcomes(PHASES[phase], KINDS, given, known or orders.UpdateKnowledge(), PAIRING, MOST)


def _describe_tasks(found: Sequence[orders.Outcome]) -> list[tuple[str, list[dict[str, str]], tuple[int, ...]]]:
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
        if isinstance(item, orders.Task)
    ]


def test_every_kind_is_taken_by_a_phase_and_names_a_roll() -> None:
    """Declarations, detection (23), patrols, then escapes."""
    assert {kind for phase in PHASES.values() for kind in phase.takes} == {*KINDS}
    assert {kind.family for kind in KINDS.values()} <= {*BOOK.procedures}
    assert [*PHASES] == ["declare", "detect", "patrol", "scout", "battle", "interrogate", "escape"]
    rows = {row.outcome for table in BOOK.tables.values() for row in table.rows} | {"done"}
    hushed = {outcome for kind in KINDS.values() for outcome in kind.hushed}
    assert hushed == {"undetected", "no-catch", "done"}
    assert hushed <= rows


def test_what_is_declared_is_true_without_a_die() -> None:
    """One task each; surprise attacks by base and target."""
    found = _resolve_phase(
        "declare",
        orders.Order(1, "hide", VESNA, RIFT),
        orders.Order(2, "assault", IRON, BASALT),
        orders.Order(3, "surprise-attack", HAWK, LIMA, (SOL,)),
        orders.Order(4, "rescue", ROOK, SOL),
        orders.Order(5, "resist", SOL),
    )
    assert _describe_tasks(found) == [
        ("hide", [{"hider": "Vesna", "sector": "Rift"}], (1,)),
        ("assault", [{"attacker": "Iron", "base": "Fort Basalt"}], (2,)),
        ("surprise-attack", [{"attacker": "Hawk", "target": "Lima"}, {"attacker": "Hawk", "target": "Sol"}], (3,)),
        ("rescue", [{"rescuer": "Rook", "captive": "Sol"}], (4,)),
        ("resist", [{"captive": "Sol"}], (5,)),
    ]


def test_every_hidden_one_is_rolled_against_every_detector_of_the_sector() -> None:
    """Two by two are four parts (127), without revealed ones."""
    given = [
        orders.Order(1, "hide", VESNA, RIFT),
        orders.Order(2, "hide", ROOK, orders.Who("rift")),
        orders.Order(3, "detect", IRON, RIFT),
        orders.Order(4, "detect", HAWK, RIFT),
        orders.Order(5, "detect", SOL, MOON),
    ]
    found = _resolve_phase("detect", *given, known=orders.UpdateKnowledge(hidden=frozenset({VESNA.key, ROOK.key})))
    pairs = [{"detector": who, "hider": hider} for who in ("Iron", "Hawk") for hider in ("Vesna", "Rook")]
    assert _describe_tasks(found) == [("detection", pairs, (3, 4)), ("detection", [{"detector": "Sol"}], (5,))]
    found = _resolve_phase("detect", orders.Order(1, "hide", VESNA, RIFT), orders.Order(2, "detect", IRON, RIFT))
    assert _describe_tasks(found) == [("detection", [{"detector": "Iron"}], (2,))]


def test_a_patrol_meets_all_that_move_through_its_sector_by_priority() -> None:
    """By target (22), lowest priority first (65)."""
    found = _resolve_phase(
        "patrol",
        orders.Order(1, "move", VESNA, RIFT, rank=2),
        orders.Order(2, "patrol", IRON, RIFT),
        orders.Order(3, "move", ROOK, RIFT, rank=1),
        orders.Order(4, "patrol", HAWK, RIFT),
        orders.Order(5, "move", SOL, MOON),
    )
    assert _describe_tasks(found) == [
        ("patrol", [{"patrol": "Hawk", "target": "Rook"}, {"patrol": "Hawk", "target": "Vesna"}], (4, 3, 1)),
        ("patrol", [{"patrol": "Iron", "target": "Rook"}, {"patrol": "Iron", "target": "Vesna"}], (2, 3, 1)),
        ("move", [{"target": "Sol", "sector": "Moon"}], (5,)),
    ]


def test_a_patrol_lets_its_own_side_through_and_watches_where_nobody_comes() -> None:
    """Stopped targets don't move again (22)."""
    known = orders.UpdateKnowledge(sides={VESNA.key: "Zeon", IRON.key: "zeon"})
    found = _resolve_phase(
        "patrol", orders.Order(1, "move", VESNA, RIFT), orders.Order(2, "patrol", IRON, RIFT), known=known
    )
    assert _describe_tasks(found) == [
        ("watch", [{"patrol": "Iron", "sector": "Rift"}], (2,)),
        ("move", [{"target": "Vesna", "sector": "Rift"}], (1,)),
    ]
    given = [orders.Order(1, "move", VESNA, RIFT, open=False), orders.Order(2, "patrol", IRON, RIFT, open=False)]
    given.append(orders.Order(3, "patrol", HAWK, RIFT))
    assert _describe_tasks(_resolve_phase("patrol", *given)) == [
        ("patrol", [{"patrol": "Hawk", "target": "Vesna"}], (3,))
    ]
    found = _resolve_phase("patrol", *given, known=orders.UpdateKnowledge(stopped=frozenset({VESNA.key})))
    assert _describe_tasks(found) == [("watch", [{"patrol": "Hawk", "sector": "Rift"}], (3,))]


def test_all_who_scout_a_base_or_are_held_in_one_place_are_in_one_roll() -> None:
    """By base (82), or place of captives (341)."""
    found = _resolve_phase(
        "scout",
        orders.Order(1, "scout", VESNA, BASALT),
        orders.Order(2, "scout", ROOK, LIMA),
        orders.Order(3, "scout", SOL, BASALT),
    )
    assert _describe_tasks(found) == [
        ("scouting", [{"scouter": who, "base": "Fort Basalt"} for who in ("Vesna", "Sol")], (1, 3)),
        ("scouting", [{"scouter": "Rook", "base": "Lima"}], (2,)),
    ]
    known = orders.UpdateKnowledge(at={VESNA.key: LIMA, ROOK.key: BASALT, SOL.key: LIMA})
    found = _resolve_phase(
        "escape",
        *(orders.Order(number, "escape", who) for number, who in enumerate((VESNA, ROOK, SOL), 1)),
        known=known,
    )
    assert _describe_tasks(found) == [
        ("escape", [{"captive": who, "base": "Lima"} for who in ("Vesna", "Sol")], (1, 3)),
        ("escape", [{"captive": "Rook", "base": "Fort Basalt"}], (2,)),
    ]


def test_each_side_of_a_battle_is_rolled_for_once() -> None:
    """A side is one roll (268), a base its defender's."""
    known = orders.UpdateKnowledge(
        sides={IRON.key: "EF", HAWK.key: "EF", BASALT.key: "Zeon"},
        battles=(
            orders.OrderedBattle(3, "Ambush of Vesna", (IRON,), (VESNA,)),
            orders.OrderedBattle(4, "Long over", (IRON,), (ROOK,)),
        ),
    )
    found = _resolve_phase(
        "battle",
        orders.Order(1, "assault", IRON, BASALT),
        orders.Order(2, "assault", HAWK, BASALT),
        orders.Order(3, "detect", IRON, RIFT),
        orders.Order(4, "patrol", IRON, RIFT, open=False),
        known=known,
    )
    assert _describe_tasks(found) == [
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
    """One roll (284), at the place."""
    found = _resolve_phase(
        "interrogate",
        orders.Order(1, "interrogate", VESNA, SOL),
        orders.Order(2, "interrogate", ROOK, SOL),
        known=orders.UpdateKnowledge(at={SOL.key: LIMA}),
    )
    assert _describe_tasks(found) == [
        ("interrogation", [{"captive": "Sol", "base": "Lima", "interrogator": "Vesna, Rook"}], (1, 2))
    ]


@pytest.mark.parametrize(("movers", "rolls"), [(25, [25]), (26, [25, 1]), (60, [25, 25, 10])])
def test_a_task_of_too_many_parts_is_split_and_never_cut(movers: int, rolls: list[int]) -> None:
    """At most 25 parts each."""
    moves = [
        orders.Order(number, "move", orders.Who(f"Mover {number}", 100 + number), RIFT)
        for number in range(1, movers + 1)
    ]
    found = _resolve_phase("patrol", *moves, orders.Order(99, "patrol", IRON, RIFT))
    met = [part.roles["target"][0].id for item in found if isinstance(item, orders.Task) for part in item.parts]
    assert [len(item.parts) for item in found if isinstance(item, orders.Task)] == rolls
    assert sorted(met, key=str) == sorted((order.who.id for order in moves), key=str)
    tasks = [item for item in found if isinstance(item, orders.Task)]
    assert [99 in item.later for item in tasks] == [True] * (len(rolls) - 1) + [False], "the patrol goes on to the last"
    again = orders.Order(99, "patrol", IRON, RIFT, rolled=tuple(part.key for part in tasks[0].parts))
    closed = [
        orders.Order(order.entry, "move", order.who, RIFT, open=order.entry not in tasks[0].orders) for order in moves
    ]
    left = [
        item.key
        for item in _resolve_phase("patrol", *closed, again)
        if isinstance(item, orders.Task) and item.family == "patrol"
    ]
    assert left == [item.key for item in tasks[1:]]


def test_the_side_in_a_scene_comes_before_a_saved_one() -> None:
    """A war's faction beats the saved side (AMB-81)."""
    scene = orders.SceneKnowledge({"vesna": "Z", "iron": "Z"}, "Z", None)
    known = orders.UpdateKnowledge(sides={VESNA.key: "Pirates", SOL.key: "Pirates"}, scene=scene)
    assert [known.side(who) for who in (VESNA, IRON, SOL)] == ["z", "z", "pirates"]


@pytest.mark.parametrize("rank", ["given", "priority", "alternating"])
def test_what_game_masters_move_goes_by_their_priority_in_every_phase(rank: orders.Rank) -> None:
    """The highest number is last."""
    given = [orders.Order(number, "scout", who, BASALT) for number, who in enumerate((IRON, ROOK, SOL), 1)]
    moved = [orders.Order(1, "scout", IRON, BASALT, rank=5), *given[1:]]
    before, after = (orders.in_order(rank, some, orders.UpdateKnowledge()) for some in (given, moved))
    assert (before[0].who, after[-1].who) == (IRON, IRON)


def test_sides_alternate_until_one_has_no_orders_left() -> None:
    """Each in the order given."""
    sides = {VESNA.key: "Zeon", ROOK.key: "Zeon", SOL.key: "Zeon", IRON.key: "EF"}
    given = [orders.Order(number, "scout", who, BASALT) for number, who in enumerate((VESNA, ROOK, SOL, IRON), 1)]
    assert [order.who.name for order in orders.in_order("alternating", given, orders.UpdateKnowledge(sides=sides))] == [
        "Iron",
        "Vesna",
        "Rook",
        "Sol",
    ]


PEOPLE = [VESNA, ROOK, SOL, IRON, HAWK]
SECTORS = [RIFT, MOON]


@st.composite
def _draw_updates(draw: st.DrawFn) -> list[tuple[str, orders.Who, orders.Who | None]]:
    chosen = draw(
        st.lists(st.tuples(st.sampled_from([*KINDS]), st.sampled_from(PEOPLE)), min_size=2, unique=True, max_size=20)
    )
    places = {"sector": SECTORS, "base": [BASALT, LIMA], "captive": PEOPLE}
    return [(kind, who, draw(st.sampled_from(places[to])) if (to := KINDS[kind].to) else None) for kind, who in chosen]


@given(_draw_updates(), st.randoms(use_true_random=False))
def test_who_is_quicker_to_order_changes_no_task(
    update: list[tuple[str, orders.Who, orders.Who | None]], chance: object
) -> None:
    """Any order of arrival gives the same tasks."""
    mixed = update[:]
    chance.shuffle(mixed)  # type: ignore[attr-defined] # a random.Random, which hypothesis does not name
    known = orders.UpdateKnowledge(
        hidden=frozenset(who.key for who in PEOPLE[:2]), sides={VESNA.key: "EF", IRON.key: "EF"}
    )
    keys: list[list[set[str]]] = []
    for arrived in (update, mixed):
        given = [orders.Order(number, kind, who, to) for number, (kind, who, to) in enumerate(arrived, 1)]
        found = {phase: _resolve_phase(phase, *given, known=known) for phase in PHASES}
        keys.append([{item.key for item in items if isinstance(item, orders.Task)} for items in found.values()])
        for phase, items in found.items():
            taken = [entry for item in items if isinstance(item, orders.Task) for entry in item.orders]
            lapsed = [item.order for item in items if isinstance(item, orders.Cancellation)]
            there = {order.entry for order in given if order.kind in PHASES[phase].takes}
            assert {*taken, *lapsed} <= there
            assert phase == "battle" or {*taken, *lapsed} == there
            assert not {*taken} & {*lapsed}
    assert keys[0] == keys[1]
