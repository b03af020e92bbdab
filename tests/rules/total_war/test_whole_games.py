from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from rules.books.total_war.aftermath import Retreat
from rules.books.total_war.catalog import Piece, Refused
from rules.books.total_war.course import Advance
from rules.books.total_war.orders.command import (
    Admit,
    Allot,
    AnswerCapitol,
    Assign,
    Delegate,
    Found,
    Petition,
    Promote,
    Rogue,
)
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.rulings.values import SetRank
from rules.books.total_war.storage import find_misfits
from rules.books.total_war.war import Rules, War, WarBattle
from rules.geometry import Hex
from tests.answers import war_games
from tests.answers.random_play import Allowed, Chance, Maker, OrderAction, next_deed
from tests.answers.war_games import Game
from tests.rules.total_war.asking import ask
from tests.rules.total_war.sums import Sums
from tests.rules.total_war.wars import COLONY, RULES, after, attack_colony, find_code, reread, start_war, win_colony

TURNS = 30
GAMES = [(1, 4), pytest.param(3, TURNS, marks=[pytest.mark.slow, pytest.mark.no_cover], id="whole")]
"""Seeds and turns."""


def sound(war: War) -> None:
    """Check what is always true of a war."""
    known = {*war.factions}
    assert all(panel.owner in {*known, "N"} for panel in war.panels.values())
    assert all(force.at in war.panels for force in war.forces.values())
    places = Counter((force.at, force.faction) for force in war.forces.values())
    assert max(places.values(), default=1) == 1
    fighting = {name for battle in war.battles.values() for name in battle.forces}
    fighting |= {force.name for force in war.forces.values() if force.at in war.battles and not force.units}
    crowded = {at for at, count in Counter(force.at for force in war.forces.values()).items() if count > 1}
    assert {force.name for force in war.forces.values() if force.at in crowded} <= fighting
    every = [unit.id for unit in war.every_unit()]
    assert len(every) == len({*every})
    assert all(side.gold >= 0 and all(count >= 0 for count in side.pool.values()) for side in war.factions.values())
    assert find_misfits(RULES, war, War({}, {}, {})) == []
    posts = [(name, post) for name, side in war.factions.items() for post in (side.leader, side.delegate)]
    assert all(war.players[post].faction == name for name, post in posts if post is not None)
    assert all(player.petition in {None, *known} for player in war.players.values())
    assert all(force.units or not RULES.terms.of(Piece, force.kind).attacks for force in war.forces.values())
    assert all({*on_board(war, battle)} >= battle.fight.units.keys() for battle in war.battles.values())


def on_board(war: War, battle: WarBattle) -> Iterator[str]:
    """Return ids that may be on a battle's board."""
    yield from battle.garrison & {unit.id for unit in war.panels[battle.at].garrison}
    for name in battle.forces:
        yield from (unit.id for unit in war.forces[name].units)


def _next_sealed(chance: Chance, rules: Rules, war: War, waiting: list[Maker], allowed: Allowed) -> OrderAction:
    while waiting:
        made = waiting.pop()(chance, rules, war)
        if made is not None and allowed(rules, war, made):
            return made
    return next_deed(chance, rules, war, waiting, allowed)


def _with_rogues(war: War) -> War:
    for leader, player, forces in (
        ("Ann", "Bob", ("11th Squadron", "12th Squadron")),
        ("Cid", "Dan", ("21st Squadron", "22nd Squadron")),
    ):
        given: list[OrderAction] = [Assign(actor=leader, who=who, player=player) for who in forces]
        for action in (
            SetRank(player=player, rank="Captain"),
            *given,
            Rogue(actor=player, player=player),
        ):
            war = after(war, action)
    for at, model in ((Hex(2, -3), "gm"), (Hex(-2, 3), "zaku"), (Hex(3, -2), "gm")):
        war, guards = war.new_units([model] * 2)
        war = war.with_panel(at, garrison=guards)
    return war


def _play_out(seed: int, chosen: Callable[..., OrderAction] = next_deed, turns: int = TURNS) -> Counter[str]:
    game = Game(RULES, Chance(seed), None, restarts=False)
    if chosen is _next_sealed:
        game.war = _with_rogues(game.war)
    before, sums, done = game.war, Sums(RULES, game.war), Counter[str]()
    for action in game.play(turns, chosen):
        sums.add(action, game.war)
        sound(game.war)
        assert reread(game.war) == game.war
        if isinstance(action, Advance) or not game.war.battles:
            sums.require(game.war)
        done["founded"] += len(game.war.factions.keys() - before.factions.keys())
        done["dissolved"] += len(before.factions.keys() - game.war.factions.keys())
        done["at once"] += len(game.war.battles) > 1
        done["asked"] += game.war.asked is not None and before.asked is None
        before = game.war
    done["won"], done["turns"] = int(game.war.winner is not None), game.played
    return done


@pytest.mark.parametrize(("games", "turns"), GAMES)
def test_games_of_random_orders_add_up(times: int, games: int, turns: int) -> None:
    """Panels, units, kills and gold add up each turn."""
    done = [_play_out(seed, turns=turns) for seed in range(times * games)]
    assert all(game["turns"] == turns or game["won"] for game in done)
    assert turns < TURNS or any(game["won"] or game["asked"] for game in done)


@pytest.mark.parametrize(("games", "turns"), GAMES)
def test_games_with_several_battles_at_once_add_up(times: int, games: int, turns: int) -> None:
    """The same with sealed orders."""
    done = [_play_out(seed, _next_sealed, turns) for seed in range(times * games)]
    assert all(game["turns"] == turns or game["won"] for game in done)
    assert sum(game["at once"] for game in done) > len(done)


def test_a_rogue_faction_of_a_game_is_founded_and_dissolved() -> None:
    """Random games cover the rare cases."""
    done = _play_out(59)
    assert min(done["founded"], done["dissolved"], done["asked"]) == 1


def test_orders_of_every_kind_are_played() -> None:
    """And a side wins."""
    games = [ask(op="simulate", turns=30, seed=seed) for seed in (*range(4), 59)]
    kinds = {order["kind"] for answer in games for order in answer["orders"]}
    assert kinds == {kind.__struct_config__.tag for kind in OrderAction.__args__}
    assert any(answer["turns"] < 30 for answer in games)


@pytest.mark.parametrize("seed", [1, 3])
def test_the_same_seed_gives_the_same_game_with_and_without_restarts(seed: int) -> None:
    """Stored wars continue the same way."""
    answer = ask(op="simulate", turns=15, seed=seed)
    assert ask(op="simulate", turns=15, seed=seed) == answer
    assert ask(op="simulate", turns=15, seed=seed, restart=True) == answer
    again = ask(op="simulate", turns=15, orders=answer["orders"], dice=answer["dice"])
    assert all(again[name] == answer[name] for name in ("state", "dice", "units", "gold"))


def test_a_game_whose_restart_loses_something_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost change is noticed."""
    monkeypatch.setattr(war_games, "list_changes", nothing)
    with pytest.raises(RuntimeError, match="isn't read correctly"):
        ask(op="simulate", turns=2, seed=1, restart=True)


def nothing(*_kept: object) -> tuple[()]:
    """List no changes."""
    return ()


def test_a_game_stops_after_so_many_orders_in_the_middle_of_a_battle() -> None:
    """The state shows the board."""
    answer = ask(op="simulate", turns=30, seed=1)
    first = next(number for number, order in enumerate(answer["orders"], 1) if order["kind"] == "fight")
    stopped = ask(op="simulate", turns=30, seed=1, limit=first + 1)
    assert len(stopped["orders"]) == first + 1
    (battle,) = stopped["state"]["battles"]
    assert battle["units"]


def test_a_replay_that_does_not_fit_is_refused() -> None:
    """Wrong dice or orders are errors."""
    answer = ask(op="simulate", turns=10, seed=1)
    assert answer["dice"]
    assert "together" in ask(op="simulate", turns=10, orders=answer["orders"])["error"]
    assert "the next die" in ask(op="simulate", turns=10, orders=answer["orders"], dice=[])["error"]
    twice = [order for order in answer["orders"] if order["kind"] == "move"][:1] * 2
    assert ask(op="simulate", turns=10, orders=twice, dice=[])["error"] == "E_ALREADY_MOVED"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (MoveForce(actor="Cid", who="1st Fleet", path=("SW",)), "E_NOT_YOURS"),
        (MoveForce(actor="Ann", who="1st Fleet", path=("SW",) * 4), "E_TOO_FAR"),
        (MoveForce(actor="Ann", who="1st Fleet", path=("SW",), followers=("12th Squadron",)), "E_NOT_ADJACENT"),
        (Build(actor="Bob", faction="E", item="mining_station", at=Hex(2, -2)), "E_NOT_COMMANDER"),
        (Build(actor="Ann", faction="E", item="mining_station", at=Hex(2, -2)), "E_ALREADY_BUILT"),
        (Build(actor="Ann", faction="E", item="mining_station", at=Hex(0, 0)), "E_NOT_OWNER"),
        (Buy(actor="Ann", faction="E", model="guncannon", at=Hex(3, -3)), "E_NOT_RESEARCHED"),
        (Buy(actor="Ann", faction="E", model="bigro", at=Hex(3, -3)), "E_NO_TARGET"),
        (Buy(actor="Ann", faction="E", model="gm", number=6, at=Hex(3, -3)), "E_NO_FUNDS"),
        (Research(actor="Bob", faction="E", model="guncannon"), "E_NOT_COMMANDER"),
        (Promote(actor="Bob", player="Bob", rank="Admiral"), "E_NOT_COMMANDER"),
        (Promote(actor="Ann", player="Bob", rank="King"), "E_RANK"),
        (Assign(actor="Ann", who="1st Fleet", player="Bob"), "E_RANK"),
        (Assign(actor="Ann", who="2nd Fleet", player="Bob"), "E_NOT_ALLIED"),
        (Delegate(actor="Ann", faction="E", player="Bob"), "E_RANK"),
        (Allot(actor="Ann", who="1st Fleet", model="gm"), "E_NO_FUNDS"),
        (Rogue(actor="Ann", player="Bob"), "E_NOT_YOURS"),
        (Found(actor="Ann", faction="E", name="X", colour="#000000"), "E_ROGUE"),
        (Petition(actor="Bob", player="Bob", faction="Z"), "E_ROGUE"),
        (Admit(actor="Cid", player="Bob", takes=True), "E_NO_TARGET"),
        (AnswerCapitol(actor="Ann", faction="E", answer="on"), "E_NO_TARGET"),
        (Retreat(actor="Ann", who="1st Fleet", to=Hex(0, 0)), "E_NO_TARGET"),
    ],
)
def test_an_order_that_is_not_possible_is_refused_by_its_code(action: OrderAction, code: str) -> None:
    """Without a die."""
    assert find_code(start_war(), action) == code


def test_the_first_player_of_a_faction_leads_it() -> None:
    """Later ones begin at the lowest rank."""
    war = start_war()
    ranks = [war.players[name].rank for name in ("Ann", "Bob", "Cid", "Dan")]
    assert ranks == ["Admiral", "Ensign", "Admiral", "Ensign"]
    assert war.factions["E"].leader == "Ann"
    assert {force.commander for force in war.forces.values() if force.faction == "Z"} == {"Cid"}


def test_a_lone_rogue_wins_a_colony_and_founds_a_faction() -> None:
    """Lines 91 to 95: with all six panels around."""
    assert len(attack_colony().battles[COLONY].garrison) == RULES.scenario.full_squadron
    war = win_colony()
    assert not war.battles
    side = war.factions["R1"]
    assert (side.rogue, side.leader, war.players["Bob"].faction) == (True, "Bob", "R1")
    held = {at for at, panel in war.panels.items() if panel.owner == "R1"}
    assert held == {Hex(1, -3), Hex(2, -3), Hex(1, -2), Hex(0, -2), Hex(0, -3)}
    named = Found(actor="Bob", faction="R1", name="Delaz Fleet", colour="#123456")
    war = after(war, named)
    assert war.factions["R1"].name == "Delaz Fleet"
    with pytest.raises(Refused, match="A faction is already called zeon"):
        after(war, Found(actor="Bob", faction="R1", name="zeon", colour="#123457"))
