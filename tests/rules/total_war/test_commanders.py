"""Who may order what in a war, and what is offered for an order: all of it is possible, and all that is possible is there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.actions import ORDERS, Commanded, list_details, list_orders, list_targets, read_order
from rules.books.total_war.order_text import OrderText
from rules.books.total_war.war import War, WarAction
from rules.geometry import Hex
from tests.answers.war_games import is_allowed
from tests.rules.total_war.wars import COLONY, RULES, after, attacked, met, played, rogue, rules, seeds, started, won


def doer(war: War, name: str) -> Commanded:
    """One of those who carry out orders."""
    return next(item for item in list_orders(RULES, war) if item.name == name)


def test_forces_are_their_commanders_to_move() -> None:
    """M7, K6, C2: only the commander moves a force; it is awaited until it has moved, and not while it has to fight first; one without a commander is the game master's."""
    war = after(started(), actions.Assign(actor="Ann", who="11th Squadron", player="Bob"))
    squadron = doer(war, "11th Squadron")
    assert squadron.orders == {"move": {"Bob"}, "follow": {"Bob"}, "assign": {"Ann"}}
    assert squadron.awaited is True
    moved = after(war, actions.Move(actor="Bob", who="11th Squadron", path=("S",)))
    assert doer(moved, "11th Squadron") == Commanded("11th Squadron", {"assign": frozenset({"Ann"})})
    lost = war.with_forces(replace(war.forces["11th Squadron"], commander=None))
    assert doer(lost, "11th Squadron").orders["move"] == frozenset()
    assert not doer(lost, "11th Squadron").awaited
    assert not doer(met(), "11th Squadron").orders
    assert not doer(met(), "11th Squadron").awaited
    assert not doer(attacked(), "11th Squadron").orders


def test_whoever_is_asked_is_awaited() -> None:
    """V2, R9: a leader who has not answered yet, about the war's end or a lone rogue's wish."""
    war = replace(started(), asked="E")
    assert [doer(war, name).awaited for name in ("E", "Z")] == [True, True]
    war = after(war, actions.Answer(actor="Ann", faction="E", answer="on"))
    assert [doer(war, name).awaited for name in ("E", "Z")] == [False, True]
    asked = after(rogue(), actions.Petition(actor="Bob", player="Bob", faction="Z"))
    assert [doer(asked, name).awaited for name in ("E", "Z")] == [False, True]
    assert not doer(after(asked, actions.Admit(actor="Cid", player="Bob", takes=False)), "Z").awaited


def test_posts_give_the_orders_of_a_faction() -> None:
    """B1, K4, K5: its leader builds, buys, researches, promotes, assigns and allots; a delegate with a fleet allots too."""
    war = started().with_player("Bob", rank="Captain").with_side("E", pool={"gm": 1})
    assert doer(war, "E").orders == dict.fromkeys(["build", "buy", "research", "garrison"], frozenset({"Ann"}))
    assert doer(war, "Bob").orders == {"promote": {"Ann"}, "rogue": {"Bob"}}
    assert doer(war, "1st Fleet").orders["allot"] == {"Ann"}
    war = after(war, actions.Assign(actor="Ann", who="1st Fleet", player="Bob"))
    assert doer(war, "E").orders["delegate"] == {"Ann"}
    assert list_targets(RULES, war, "delegate", "E") == ["Bob"]
    war = after(war, actions.Delegate(actor="Ann", faction="E", player="Bob"))
    assert doer(war, "1st Fleet").orders["allot"] == {"Ann", "Bob"}
    assert list_targets(RULES, war, "delegate", "E") == ["none"]
    alone = after(war, actions.Rogue(actor="Ann", player="Ann"))
    assert doer(alone, "E").orders["buy"] == frozenset()


def test_rogues_and_those_who_are_asked_have_orders_of_their_own() -> None:
    """R7, R9, V2: a lone rogue asks, a rogue faction's leader names it, leaders answer rogues and about a capitol."""
    war = rogue()
    assert doer(war, "Bob").orders == {"petition": {"Bob"}}
    assert list_targets(RULES, war, "petition", "Bob") == ["Earth Federation", "Zeon"]
    war = after(war, actions.Petition(actor="Bob", player="Bob", faction="Z"))
    assert (list_targets(RULES, war, "answer", "Z"), list_details(RULES, war, "answer", "Z", "Bob")) == (
        ["Bob"],
        ["yes", "no"],
    )
    assert (doer(war, "Z").orders["answer"], "answer" in doer(war, "E").orders) == (frozenset({"Cid"}), False)
    assert list_targets(RULES, replace(war, asked="E"), "answer", "E") == ["end", "on"]
    assert list_targets(RULES, replace(war, asked="E", answers={"E": "on"}), "answer", "E") == ["end"]
    assert doer(won(), "R1").orders["found"] == {"Bob"}
    assert "#2e7d32" not in list_details(RULES, won(), "found", "R1", "") or won().factions["R1"].colour == "#2e7d32"
    assert "promote" not in doer(won(), "Bob").orders


def test_prices_and_numbers_stand_beside_what_is_offered() -> None:
    """B2 to B11, E6: panels where something can be built or bought now, what that costs, and how many wait."""
    war = started().with_side("E", pool={"gm": 2, "saberfish": 0})
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
    """M1, T5: panels in reach; of a follower all those to which some ride of the fleet can lead."""
    war = started()
    assert {"2,-1", "2,1", "-1,1"} <= {*list_targets(RULES, war, "move", "1st Fleet")}
    assert "2,-2" not in list_targets(RULES, war, "move", "1st Fleet")
    assert list_targets(RULES, war, "follow", "11th Squadron") == ["1st Fleet"]
    after_ = list_details(RULES, war, "follow", "11th Squadron", "1st Fleet")
    assert {"1,0", "1,2"} <= {*after_}
    assert str(Hex(-3, 0)) not in after_


@pytest.mark.parametrize("kind", ["move", "follow", "assign", "allot", "build", "buy", "research", "garrison", "delegate", "found", "answer", "promote", "rogue", "petition"])  # fmt: skip
def test_nothing_is_offered_to_nobody(kind: str) -> None:
    """E_NO_TARGET: names that there are not have no choices, nor has an order that there is not."""
    for who in ("", "nobody", "N"):
        assert not ORDERS[kind].is_possible(RULES, started(), who)
        assert list_targets(RULES, started(), kind, who) == []
        assert [text for text in list_details(RULES, started(), kind, who, "x") if kind != "found"] == []
    assert list_targets(RULES, started(), "dance", "E") == list_details(RULES, started(), "dance", "E", "x") == []


def test_a_war_that_is_over_has_no_orders() -> None:
    """V1, E_GAME_OVER: nobody is awaited any more."""
    assert list_orders(RULES, replace(started(), winner="E")) == ()


@pytest.mark.parametrize("seed", seeds(4))
def test_all_that_is_offered_is_possible(seed: int) -> None:
    """B1, K5, M7: whoever may give an order may give it to all that is offered for it, with all that is offered beside that."""
    for number, (war, *_) in enumerate(played(seed, 12)):
        if number % 31:
            continue
        for item in list_orders(RULES, war):
            for kind, givers in item.orders.items():
                for deed in offered(war, kind, item.name, next(iter(givers), None)):
                    assert is_allowed(RULES, war, deed), deed


def offered(war: War, kind: str, who: str, actor: str | None) -> Iterator[WarAction]:
    """The deeds of all choices of an order."""
    for to in list_targets(RULES, war, kind, who) or ["Axis"]:
        for with_ in list_details(RULES, war, kind, who, to) or [""]:
            yield read_order(RULES, war, OrderText(kind, who, to, with_, actor))


@pytest.mark.parametrize("seed", seeds(4))
def test_all_that_is_possible_is_offered(seed: int) -> None:
    """B1, K5, M7: each order of a game is one that was offered to who gave it."""
    for war, deed, _ in played(seed, 12):
        asked = WORDS.get(type(deed))
        if asked is None or after(war, deed) == war:
            continue
        if isinstance(deed, actions.Delegate) and deed.player == war.factions[deed.faction].leader:
            continue  # it may be, and makes no difference
        kind, who, to = asked[0], *(getattr(deed, name, name) for name in asked[1:])
        kind = "garrison" if isinstance(deed, actions.Build) and "garrison" in deed.item else kind
        found = {item.name: item for item in list_orders(RULES, war) if kind in item.orders}
        assert who in found
        givers = found[who].orders[kind]
        assert deed.actor is None or deed.actor in givers
        choices = {text.split(" (")[0] for text in list_targets(RULES, war, kind, who)}
        to = war.called(str(to)) if kind == "petition" else to
        assert str(to or "none") in choices or not asked[2]


WORDS: dict[type, tuple[str, str, str]] = {
    actions.Follow: ("follow", "who", "fleet"),
    actions.Build: ("build", "faction", "at"),
    actions.Buy: ("buy", "faction", "at"),
    actions.Research: ("research", "faction", "model"),
    actions.Promote: ("promote", "player", "rank"),
    actions.Assign: ("assign", "who", "player"),
    actions.Allot: ("allot", "who", "model"),
    actions.Delegate: ("delegate", "faction", "player"),
    actions.Rogue: ("rogue", "player", ""),
    actions.Petition: ("petition", "player", "faction"),
    actions.Answer: ("answer", "faction", "answer"),
}


def test_a_scenario_with_more_has_more_to_offer() -> None:
    """B3: what only the scenario lists is offered like all else; what has no price is not."""

    def more(data: dict[str, list[dict[str, object]]]) -> None:
        data["items"] += [{"id": "radar", "on": ["colony"], "cost": 5}, {"id": "dock", "on": ["colony"]}]

    by = rules(more)
    assert list_details(by, started(by), "build", "E", str(COLONY)) == ["radar (5 gold)"]
