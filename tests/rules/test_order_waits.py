from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field
from msgspec.structs import replace

from rules import books
from rules.effects import Kept, Moment
from rules.loader import load_book
from rules.orders import Cancellation, Order, Outcome, Phase, Task, UpdateKnowledge, Wait, Who, find_outcomes

PHASES = load_book("campaign").entries_of(Phase)
PAIRING = books.find_pairing("campaign")
MOST = 25
ALFA, BRAVO, CHARLIE = Who("Alfa", 11), Who("Bravo", 12), Who("Charlie", 13)
VESNA, ROOK, SOL = Who("Vesna", 1), Who("Rook", 2), Who("Sol", 3)
RIFT, MOON = Who("Rift"), Who("Moon")
WHY = "Vesna must win its battle first"


def _resolve_phase(*orders: Order, phase: str = "patrol", known: UpdateKnowledge | None = None) -> list[Outcome]:
    return find_outcomes(PHASES[phase], {}, orders, known or UpdateKnowledge(), PAIRING, MOST)


def _list_rolled(found: list[Outcome]) -> list[tuple[str, str]]:
    tasks = [item for item in found if isinstance(item, Task) and item.family == "patrol"]
    pairs = [tuple(part.roles[role][0].name for role in ("patrol", "target")) for item in tasks for part in item.parts]
    return [(patrol, target) for patrol, target in pairs]


def _know_battle(who: Who) -> UpdateKnowledge:
    return UpdateKnowledge(fighting=frozenset({who.key}))


ALFA_HAD = Order(1, "patrol", ALFA, RIFT, open=False)
MOVES = (
    Order(3, "move", VESNA, RIFT, rank=2, open=False),
    Order(4, "move", ROOK, RIFT, rank=1, open=False),
    Order(5, "move", SOL, RIFT, rank=3),
    Order(6, "move", Who("Far", 9), MOON),
)


def test_the_next_patrol_waits_for_the_battle_and_what_hangs_on_nothing_goes_on() -> None:
    """Only those behind the caught one wait (22, 66)."""
    found = _resolve_phase(ALFA_HAD, Order(2, "patrol", BRAVO, RIFT), *MOVES, known=_know_battle(VESNA))
    assert _list_rolled(found) == [("Bravo", "Rook")]
    assert [item for item in found if isinstance(item, Wait)] == [Wait((5,), WHY)]
    (patrol, move) = (item for item in found if isinstance(item, Task))
    assert patrol.later == {2}, "the patrol goes on once the battle is decided"
    assert (move.family, move.orders) == ("move", (6,))
    after = Order(2, "patrol", BRAVO, RIFT, rolled=tuple(part.key for part in patrol.parts))
    found = _resolve_phase(ALFA_HAD, after, *MOVES, known=_know_battle(VESNA))
    assert _list_rolled(found) == []
    assert [item for item in found if isinstance(item, Wait)] == [Wait((2, 5), WHY)]


def test_who_won_moves_on_and_who_lost_or_drew_is_met_by_nobody_again() -> None:
    """Lines 24, 66 and PB-9."""
    found = _resolve_phase(ALFA_HAD, Order(2, "patrol", BRAVO, RIFT), *MOVES)
    assert _list_rolled(found) == [("Bravo", "Rook"), ("Bravo", "Vesna"), ("Bravo", "Sol")]
    assert not any(isinstance(item, Wait) for item in found)
    known = UpdateKnowledge(stopped=frozenset({VESNA.key}))
    found = _resolve_phase(ALFA_HAD, Order(2, "patrol", BRAVO, RIFT), *MOVES, known=known)
    assert _list_rolled(found) == [("Bravo", "Rook"), ("Bravo", "Sol")]


def test_a_third_patrol_waits_for_what_the_second_has_left() -> None:
    """It ends when no unmet target moves on."""
    known = UpdateKnowledge(
        fighting=frozenset({VESNA.key}), sides={VESNA.key: "EF", CHARLIE.key: "EF", ALFA.key: "Zeon", BRAVO.key: "Zeon"}
    )
    orders = [ALFA_HAD, Order(2, "patrol", BRAVO, RIFT), Order(7, "patrol", CHARLIE, RIFT), *MOVES]
    found = _resolve_phase(*orders, known=known)
    assert _list_rolled(found) == [("Bravo", "Rook"), ("Charlie", "Rook")]
    assert {number for item in found if isinstance(item, Wait) for number in item.orders} == {5}
    first = Order(2, "patrol", BRAVO, RIFT, rolled=("patrol=#12,target=#2",))
    known = UpdateKnowledge(stopped=frozenset({VESNA.key}))
    (last,) = _resolve_phase(ALFA_HAD, first, *MOVES[:2], known=known)
    assert isinstance(last, Task)
    assert (last.family, last.orders, last.later) == ("watch", (2,), frozenset())


def test_what_a_patrol_whose_stop_is_used_up_had_stays() -> None:
    """Its rest is cancelled (22, PB-5), others move on."""
    first = Order(2, "patrol", BRAVO, RIFT, rolled=("patrol=#12,target=#2",))
    known = UpdateKnowledge(fighting=frozenset({VESNA.key}), spent=frozenset({BRAVO.key}))
    found = _resolve_phase(ALFA_HAD, first, *MOVES[:2], known=known)
    assert found == [Cancellation(2, "it already stopped a target")]
    patrol = Order(4, "patrol", BRAVO, RIFT, rolled=("patrol=#12,target=#2",))
    known = UpdateKnowledge(spent=frozenset({BRAVO.key}))
    found = _resolve_phase(ALFA_HAD, Order(3, "move", SOL, RIFT), patrol, known=known)
    assert [item.order for item in found if isinstance(item, Cancellation)] == [4]
    assert [(item.family, item.orders) for item in found if isinstance(item, Task)] == [("move", (3,))]


@pytest.mark.parametrize(("known", "outcome"), [
    (_know_battle(VESNA), Wait((3,), WHY)),
    (UpdateKnowledge(stopped=frozenset({VESNA.key})), Cancellation(3, "its move was stopped")),
])  # fmt: skip
def test_a_move_that_a_patrol_has_caught_by_hand_waits_or_lapses(known: UpdateKnowledge, outcome: Outcome) -> None:
    """It waits for the battle, and ends if lost."""
    assert _resolve_phase(Order(3, "move", VESNA, RIFT), known=known) == [outcome]


def test_later_phases_wait_for_no_battle() -> None:
    """Fighters still scout."""
    found = _resolve_phase(Order(1, "scout", VESNA, RIFT), phase="scout", known=_know_battle(VESNA))
    assert [item.family for item in found if isinstance(item, Task)] == ["scouting"]


def test_what_is_kept_of_battles_and_stops_is_known() -> None:
    """Only this update's battles and stops count."""
    kept: Kept = {
        VESNA.key: {"effect.awaits-battle": {"entry": 7, "update": 2, "battles": [7]}},
        ROOK.key: {"effect.awaits-battle": {"entry": 3, "update": 1, "battles": [3]}},
        ALFA.key: {"effect.stop-used": {"entry": 7, "update": 2}},
        BRAVO.key: {"effect.stop-used": {"entry": 3, "update": 1}},
    }
    known = PAIRING.know(kept, Moment(2, lambda _hours: ""), lambda number: Who("", number))
    assert (set(known.fighting), set(known.spent)) == ({VESNA.key}, {ALFA.key})


class _Sector(Struct):
    """Patrols and moves of a sector while they're resolved."""

    orders: dict[int, Order]
    rolls: list[tuple[str, str]] = field(default_factory=list)
    ended: dict[int, str] = field(default_factory=dict)
    battles: set[tuple[str, str]] = field(default_factory=set)
    stopped: set[str] = field(default_factory=set)
    spent: set[str] = field(default_factory=set)

    @property
    def known(self) -> UpdateKnowledge:
        """Say what the book knows."""
        fighting = frozenset(target for _, target in self.battles) - self.stopped
        return UpdateKnowledge(fighting=fighting, stopped=frozenset(self.stopped), spent=frozenset(self.spent))

    def press(self, fate: Mapping[tuple[str, str], str]) -> bool:
        """Roll or cancel the next; False if all wait."""
        found = _resolve_phase(*self.orders.values(), known=self.known)
        task = next((item for item in found if isinstance(item, Task)), None)
        lapse = next((item for item in found if isinstance(item, Cancellation)), None)
        if task is not None:
            self._roll(task, fate)
        elif lapse is not None:
            self._end(lapse.order, "done" if self.orders[lapse.order].rolled else "lapsed")
        return task is not None or lapse is not None

    def answer(self, battle: tuple[str, str], *, won: bool) -> None:
        """Name the winner."""
        self.battles.remove(battle)
        self.stopped |= set() if won else {battle[1]}

    def _roll(self, task: Task, fate: Mapping[tuple[str, str], str]) -> None:
        for part in task.parts if task.family == "patrol" else ():
            (patrol,), (target,) = part.roles["patrol"], part.roles["target"]
            pair = (patrol.key, target.key)
            if patrol.key in self.spent:
                continue
            assert pair not in self.rolls, "nobody is rolled against twice"
            assert target.key not in self.known.stopped | self.known.fighting, (
                "whoever is stopped or fights is met by none"
            )
            self.rolls.append(pair)
            if fate[pair] in {"won", "lost"}:
                self.battles.add(pair)
            if fate[pair] == "blocked":
                self.stopped.add(target.key)
            self.spent |= set() if fate[pair] == "missed" else {patrol.key}
        for number in task.orders:
            mine = tuple(part.key for part in task.parts if number in part.orders)
            if number in task.later:
                self.orders[number] = replace(self.orders[number], rolled=(*self.orders[number].rolled, *mine))
            else:
                self._end(number, "done")

    def _end(self, number: int, how: str) -> None:
        assert number not in self.ended, "each order ends once"
        self.ended[number] = how
        order = self.orders[number]
        self.orders[number] = Order(number, order.kind, order.who, order.to, rank=order.rank, open=False)


def _resolve_sector(orders: dict[int, Order], fate: Mapping[tuple[str, str], str], chance: Random) -> _Sector:
    sector = _Sector(dict(orders))
    while True:
        if sector.battles and chance.random() < 0.5:
            battle = chance.choice(sorted(sector.battles))
            sector.answer(battle, won=fate[battle] == "won")
        elif not sector.press(fate) and not sector.battles:
            return sector


@given(st.data(), st.integers(1, 3), st.integers(1, 4), st.integers())
def test_each_order_ends_once_however_presses_and_answers_come(
    data: st.DataObject, patrols: int, movers: int, seed: int
) -> None:
    """The result is as if battles were decided at once."""
    every = [Order(number, "patrol", Who(f"Patrol {number}", number), RIFT) for number in range(1, patrols + 1)]
    every += [Order(number, "move", Who(f"Mover {number}", number), RIFT) for number in range(11, 11 + movers)]
    orders = {order.entry: order for order in every}
    fates = st.sampled_from(["missed", "won", "lost", "blocked"])
    fate = {
        (one.who.key, other.who.key): data.draw(fates) for one in every[:patrols] for other in every[patrols:]
    }  # fmt: skip
    sectors = [_resolve_sector(orders, fate, Random(seed + place)) for place in range(3)]  # noqa: S311 - to be repeated
    for sector in sectors:
        assert sorted(sector.ended) == sorted(orders)
        assert sorted(sector.rolls) == sorted(sectors[0].rolls)
        assert sector.stopped == sectors[0].stopped
