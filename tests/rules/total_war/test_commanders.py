from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from rules.books.total_war.actions import ORDERS, CommandTarget, list_details, list_orders, list_targets, read_order
from rules.books.total_war.order_kinds import OrderText
from rules.books.total_war.orders.command import Admit, Allot, AnswerCapitol, Assign, Delegate, Petition, Promote, Rogue
from rules.books.total_war.orders.movement import Follow, MoveForce
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.war import War, WarAction
from rules.geometry import Hex
from tests.answers.war_games import is_allowed
from tests.rules.total_war import wars
from tests.rules.total_war.wars import RULES, after, start_war


def _find_doer(war: War, name: str) -> CommandTarget:
    return next(item for item in list_orders(RULES, war) if item.name == name)


def test_forces_are_their_commanders_to_move() -> None:
    """M7, K6, C2: only commanders move their forces."""
    war = after(start_war(), Assign(actor="Ann", who="11th Squadron", player="Bob"))
    squadron = _find_doer(war, "11th Squadron")
    assert squadron.orders == {"move": {"Bob"}, "follow": {"Bob"}, "assign": {"Ann"}}
    assert squadron.expected is True
    moved = after(war, MoveForce(actor="Bob", who="11th Squadron", path=("S",)))
    assert _find_doer(moved, "11th Squadron") == CommandTarget("11th Squadron", {"assign": frozenset({"Ann"})})
    lost = war.with_forces(replace(war.forces["11th Squadron"], commander=None))
    assert _find_doer(lost, "11th Squadron").orders["move"] == frozenset()
    assert not _find_doer(lost, "11th Squadron").expected
    assert not _find_doer(wars.meet_fleet(), "11th Squadron").orders
    assert not _find_doer(wars.meet_fleet(), "11th Squadron").expected
    assert not _find_doer(wars.attack_colony(), "11th Squadron").orders


def test_whoever_is_asked_is_awaited() -> None:
    """V2, R9: the update waits for leaders with open answers."""
    war = replace(start_war(), asked="E")
    assert [_find_doer(war, name).expected for name in ("E", "Z")] == [True, True]
    war = after(war, AnswerCapitol(actor="Ann", faction="E", answer="on"))
    assert [_find_doer(war, name).expected for name in ("E", "Z")] == [False, True]
    asked = after(wars.go_rogue(), Petition(actor="Bob", player="Bob", faction="Z"))
    assert [_find_doer(asked, name).expected for name in ("E", "Z")] == [False, True]
    assert not _find_doer(after(asked, Admit(actor="Cid", player="Bob", takes=False)), "Z").expected


def test_posts_give_the_orders_of_a_faction() -> None:
    """B1, K4, K5: leaders order; a delegate with a fleet allots."""
    war = start_war().with_player("Bob", rank="Captain").with_side("E", pool={"gm": 1})
    assert _find_doer(war, "E").orders == dict.fromkeys(["build", "buy", "research", "garrison"], frozenset({"Ann"}))
    assert _find_doer(war, "Bob").orders == {"promote": {"Ann"}, "rogue": {"Bob"}}
    assert _find_doer(war, "1st Fleet").orders["allot"] == {"Ann"}
    war = after(war, Assign(actor="Ann", who="1st Fleet", player="Bob"))
    assert _find_doer(war, "E").orders["delegate"] == {"Ann"}
    assert list_targets(RULES, war, "delegate", "E") == ["Bob"]
    war = after(war, Delegate(actor="Ann", faction="E", player="Bob"))
    assert _find_doer(war, "1st Fleet").orders["allot"] == {"Ann", "Bob"}
    assert list_targets(RULES, war, "delegate", "E") == ["none"]
    alone = after(war, Rogue(actor="Ann", player="Ann"))
    assert _find_doer(alone, "E").orders["buy"] == frozenset()


def test_rogues_and_those_who_are_asked_have_orders_of_their_own() -> None:
    """R7, R9, V2: rogues ask, leaders answer."""
    war = wars.go_rogue()
    assert _find_doer(war, "Bob").orders == {"petition": {"Bob"}}
    assert list_targets(RULES, war, "petition", "Bob") == ["Earth Federation", "Zeon"]
    war = after(war, Petition(actor="Bob", player="Bob", faction="Z"))
    assert (list_targets(RULES, war, "answer", "Z"), list_details(RULES, war, "answer", "Z", "Bob")) == (
        ["Bob"],
        ["yes", "no"],
    )
    assert (_find_doer(war, "Z").orders["answer"], "answer" in _find_doer(war, "E").orders) == (
        frozenset({"Cid"}),
        False,
    )
    assert list_targets(RULES, replace(war, asked="E"), "answer", "E") == ["end", "on"]
    assert list_targets(RULES, replace(war, asked="E", answers={"E": "on"}), "answer", "E") == ["end"]
    assert _find_doer(wars.win_colony(), "R1").orders["found"] == {"Bob"}
    assert (
        "#2e7d32" not in list_details(RULES, wars.win_colony(), "found", "R1", "")
        or wars.win_colony().factions["R1"].colour == "#2e7d32"
    )
    assert "promote" not in _find_doer(wars.win_colony(), "Bob").orders


def test_prices_and_numbers_stand_beside_what_is_offered() -> None:
    """B2 to B11, E6: offers show prices and numbers."""
    war = start_war().with_side("E", pool={"gm": 2, "saberfish": 0})
    assert list_targets(RULES, war, "buy", "E") == ["2,-1", "3,-3"]
    assert list_details(RULES, war, "buy", "E", "2,-1") == [
        "gm (20 gold)", "saberfish (8 gold)", "columbus (10 gold)", "magellan (50 gold)",
    ]  # fmt: skip
    assert list_targets(RULES, war, "garrison", "E") == ["1,-3", "3,-3"]
    assert list_details(RULES, war, "garrison", "E", "1,-3") == ["Colony garrison (25 gold)"]
    assert list_targets(RULES, war, "build", "E") == ["2,-1"]
    assert list_details(RULES, war, "build", "E", "2,-1") == ["MS facility upgrade (60 gold)"]
    assert list_targets(RULES, war, "research", "E") == ["guncannon (50 gold)"]
    assert list_targets(RULES, war, "allot", "11th Squadron") == ["gm (2 wait)"]
    assert list_details(RULES, war, "allot", "11th Squadron", "gm (2 wait)") == ["1", "2"]
    poor = war.with_side("E", gold=9)
    assert list_details(RULES, poor, "buy", "E", "2,-1") == ["saberfish (8 gold)"]
    assert list_targets(RULES, poor, "garrison", "E") == []


def test_moves_are_offered_as_far_as_they_go() -> None:
    """M1, T5: followers get panels after any ride."""
    war = start_war()
    assert {"2,-1", "2,1", "-1,1"} <= {*list_targets(RULES, war, "move", "1st Fleet")}
    assert "2,-2" not in list_targets(RULES, war, "move", "1st Fleet")
    assert list_targets(RULES, war, "follow", "11th Squadron") == ["1st Fleet"]
    after_ = list_details(RULES, war, "follow", "11th Squadron", "1st Fleet")
    assert {"1,0", "1,2"} <= {*after_}
    assert str(Hex(-3, 0)) not in after_


@pytest.mark.parametrize("kind", ["move", "follow", "assign", "allot", "build", "buy", "research", "garrison", "delegate", "found", "answer", "promote", "rogue", "petition"])  # fmt: skip
def test_nothing_is_offered_to_nobody(kind: str) -> None:
    """E_NO_TARGET: unknown names have no choices."""
    for who in ("", "nobody", "N"):
        assert not ORDERS[kind].is_possible(RULES, start_war(), who)
        assert list_targets(RULES, start_war(), kind, who) == []
        assert [text for text in list_details(RULES, start_war(), kind, who, "x") if kind != "found"] == []
    assert list_targets(RULES, start_war(), "dance", "E") == list_details(RULES, start_war(), "dance", "E", "x") == []


def test_a_war_that_is_over_has_no_orders() -> None:
    """V1, E_GAME_OVER: no order after the war."""
    assert list_orders(RULES, replace(start_war(), winner="E")) == ()


@pytest.mark.parametrize("seed", wars.seeds(4))
def test_all_that_is_offered_is_possible(seed: int) -> None:
    """B1, K5, M7: every offer can be ordered."""
    for number, (war, *_) in enumerate(wars.play_game(seed, 12)):
        if number % 31:
            continue
        for item in list_orders(RULES, war):
            for kind, givers in item.orders.items():
                for action in list_offered(war, kind, item.name, next(iter(givers), None)):
                    assert is_allowed(RULES, war, action), action


def list_offered(war: War, kind: str, who: str, actor: str | None) -> Iterator[WarAction]:
    """Return the actions of all choices."""
    for to in list_targets(RULES, war, kind, who) or ["Axis"]:
        for with_ in list_details(RULES, war, kind, who, to) or [""]:
            yield read_order(RULES, war, OrderText(kind, who, to, with_, actor))


@pytest.mark.parametrize("seed", wars.seeds(4))
def test_all_that_is_possible_is_offered(seed: int) -> None:
    """B1, K5, M7: every order of a game was on offer."""
    for war, action, _ in wars.play_game(seed, 12):
        asked = WORDS.get(type(action))
        if asked is None or after(war, action) == war:
            continue
        if isinstance(action, Delegate) and action.player == war.factions[action.faction].leader:
            continue  # it may be, and makes no difference
        kind, who, to = asked[0], *(getattr(action, name, name) for name in asked[1:])
        kind = "garrison" if isinstance(action, Build) and "garrison" in action.item else kind
        found = {item.name: item for item in list_orders(RULES, war) if kind in item.orders}
        assert who in found
        givers = found[who].orders[kind]
        assert action.actor is None or action.actor in givers
        choices = {text.split(" (")[0] for text in list_targets(RULES, war, kind, who)}
        to = war.name_side(str(to)) if kind == "petition" else to
        assert str(to or "none") in choices or not asked[2]


WORDS: dict[type, tuple[str, str, str]] = {
    Follow: ("follow", "who", "fleet"),
    Build: ("build", "faction", "at"),
    Buy: ("buy", "faction", "at"),
    Research: ("research", "faction", "model"),
    Promote: ("promote", "player", "rank"),
    Assign: ("assign", "who", "player"),
    Allot: ("allot", "who", "model"),
    Delegate: ("delegate", "faction", "player"),
    Rogue: ("rogue", "player", ""),
    Petition: ("petition", "player", "faction"),
    AnswerCapitol: ("answer", "faction", "answer"),
}


def test_a_scenario_with_more_has_more_to_offer() -> None:
    """B3: offers need a price."""

    def more(data: dict[str, list[dict[str, object]]]) -> None:
        data["items"] += [{"id": "radar", "on": ["colony"], "cost": 5}, {"id": "dock", "on": ["colony"]}]

    by = wars.rules(more)
    assert list_details(by, start_war(by), "build", "E", str(wars.COLONY)) == ["radar (5 gold)"]
