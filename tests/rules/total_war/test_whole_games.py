"""Whole games of Total War, played at random by the command line's own simulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from rules.books.total_war import actions, storage
from rules.books.total_war.actions import OrderAction, resolve
from rules.books.total_war.catalog import Piece
from rules.books.total_war.combat import Die
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.storage import find_misfits
from rules.books.total_war.terms import Refused, set_switches
from rules.books.total_war.war import Battle, Rules, War
from rules.geometry import Hex
from tests.answers.random_play import Allowed, Chance, Maker, next_deed, turn_of
from tests.answers.war_games import PLAYERS, Game, is_allowed
from tests.rules.total_war.asking import BOOK, ask
from tests.rules.total_war.sums import Sums
from tests.rules.total_war.wars import reread

SCENARIO = read_scenario(BOOK, example()).scenario
RULES = Rules(set_switches(BOOK, SCENARIO.switches), SCENARIO)
TURNS = 30
"""For how many turns a game is played unless it is won before."""
GAMES = [(1, 4), pytest.param(3, TURNS, marks=[pytest.mark.slow, pytest.mark.no_cover], id="whole")]
"""How many games are played, and for how many turns each."""


def unthrown(_die: Die) -> int:
    """No die is thrown."""
    raise AssertionError


def sound(war: War) -> None:
    """What holds of a war at any time."""
    known = {*war.factions}
    assert all(panel.owner in {*known, "N"} for panel in war.panels.values())
    assert all(force.at in war.panels for force in war.forces.values())
    places = Counter((force.at, force.faction) for force in war.forces.values())
    assert max(places.values(), default=1) == 1
    fighting = {name for battle in war.battles.values() for name in battle.forces}
    fighting |= {force.name for force in war.forces.values() if force.at in war.battles and not force.units}
    crowded = {at for at, count in Counter(force.at for force in war.forces.values()).items() if count > 1}
    assert {force.name for force in war.forces.values() if force.at in crowded} <= fighting
    every = [unit.id for force in war.forces.values() for unit in force.units]
    every += [unit.id for panel in war.panels.values() for unit in panel.garrison]
    assert len(every) == len({*every})
    assert all(side.gold >= 0 and all(count >= 0 for count in side.pool.values()) for side in war.factions.values())
    assert find_misfits(RULES, war, War({}, {}, {})) == []
    posts = [(name, post) for name, side in war.factions.items() for post in (side.leader, side.delegate)]
    assert all(war.players[post].faction == name for name, post in posts if post is not None)
    assert all(player.petition in {None, *known} for player in war.players.values())
    assert all(force.units or not RULES.terms.of(Piece, force.kind).attacks for force in war.forces.values())
    assert all({*on_board(war, battle)} >= battle.fight.units.keys() for battle in war.battles.values())


def on_board(war: War, battle: Battle) -> Iterator[str]:
    """The units (ids) that may be on the board of a battle: those of its forces and of the garrison that fights."""
    yield from battle.garrison & {unit.id for unit in war.panels[battle.at].garrison}
    for name in battle.forces:
        yield from (unit.id for unit in war.forces[name].units)


def next_sealed(chance: Chance, rules: Rules, war: War, waiting: list[Maker], allowed: Allowed) -> OrderAction:
    """What is ordered next where all that is ordered in a turn comes before its fights, as with sealed orders: several are fought at once."""
    while waiting:
        made = waiting.pop()(chance, rules, war)
        if made is not None and allowed(rules, war, made):
            return made
    return next_deed(chance, rules, war, waiting, allowed)


def with_rogues(war: War) -> War:
    """The war when two players have left with two squadrons each, so that strongholds are attacked together, and guards beside them."""
    for leader, player, forces in (
        ("Ann", "Bob", ("11th Squadron", "12th Squadron")),
        ("Cid", "Dan", ("21st Squadron", "22nd Squadron")),
    ):
        given: list[OrderAction] = [actions.Assign(actor=leader, who=who, player=player) for who in forces]
        for deed in (
            actions.SetRank(player=player, rank="Captain"),
            *given,
            actions.Rogue(actor=player, player=player),
        ):
            war = resolve(RULES, war, deed, unthrown)
    for at, model in ((Hex(2, -3), "gm"), (Hex(-2, 3), "zaku"), (Hex(3, -2), "gm")):
        war, guards = war.new_units([model] * 2)
        war = war.with_panel(at, garrison=guards)
    return war


def played(seed: int, chosen: Callable[..., OrderAction] = next_deed, turns: int = TURNS) -> Counter[str]:
    """Play a game till a side wins or its turns are over, sound after each order, its sums right after each turn; return what came about."""
    game = Game(RULES, Chance(seed), None, restarts=False)
    if chosen is next_sealed:
        game.war = with_rogues(game.war)
    waiting, sums, done = turn_of(game.chance, game.war), Sums(RULES, game.war), Counter[str]()
    while game.played < turns and game.war.winner is None:
        deed, before = chosen(game.chance, RULES, game.war, waiting, is_allowed), game.war
        game.order(deed)
        if isinstance(deed, actions.Advance):
            waiting = turn_of(game.chance, game.war)
        sums.add(deed, game.war)
        sound(game.war)
        assert reread(game.war) == game.war
        if isinstance(deed, actions.Advance) or not game.war.battles:
            sums.require(game.war)
        done["founded"] += len(game.war.factions.keys() - before.factions.keys())
        done["dissolved"] += len(before.factions.keys() - game.war.factions.keys())
        done["at once"] += len(game.war.battles) > 1
        done["asked"] += game.war.asked is not None and before.asked is None
    done["won"], done["turns"] = int(game.war.winner is not None), game.played
    return done


@pytest.mark.parametrize(("games", "turns"), GAMES)
def test_games_of_random_orders_add_up(times: int, games: int, turns: int) -> None:
    """After each order every panel has one owner, forces are on the map and none with a friend, units are there once; after each turn units and gold at the start, gained and lost are what there is now, and the dead are gone with their kills."""
    done = [played(seed, turns=turns) for seed in range(times * games)]
    assert all(game["turns"] == turns or game["won"] for game in done)
    assert turns < TURNS or any(game["won"] or game["asked"] for game in done)


@pytest.mark.parametrize(("games", "turns"), GAMES)
def test_games_with_several_battles_at_once_add_up(times: int, games: int, turns: int) -> None:
    """The same is true where a turn's fights begin together, as with sealed orders: what one wins leaves the others in order."""
    done = [played(seed, next_sealed, turns) for seed in range(times * games)]
    assert all(game["turns"] == turns or game["won"] for game in done)
    assert sum(game["at once"] for game in done) > len(done)


def test_a_rogue_faction_of_a_game_is_founded_and_dissolved() -> None:
    """And a capitol falls about which both leaders are asked: chance brings about what the sums are to hold for."""
    done = played(59)
    assert min(done["founded"], done["dissolved"], done["asked"]) == 1


def test_orders_of_every_kind_are_played() -> None:
    """Over a few games each kind of order comes about, and somebody wins a war."""
    games = [ask(op="simulate", turns=30, seed=seed) for seed in (*range(4), 59)]
    kinds = {order["kind"] for told in games for order in told["orders"]}
    assert kinds == {kind.__struct_config__.tag for kind in actions.OrderAction.__args__}
    assert any(told["turns"] < 30 for told in games)


@pytest.mark.parametrize("seed", [1, 3])
def test_the_same_seed_gives_the_same_game_with_and_without_restarts(seed: int) -> None:
    """What is kept after each order is read as the war stands; orders and dice play it over again."""
    told = ask(op="simulate", turns=15, seed=seed)
    assert ask(op="simulate", turns=15, seed=seed) == told
    assert ask(op="simulate", turns=15, seed=seed, restart=True) == told
    again = ask(op="simulate", turns=15, orders=told["orders"], dice=told["dice"])
    assert {name: again[name] for name in ("state", "dice", "units", "gold")} == {
        name: told[name] for name in ("state", "dice", "units", "gold")
    }


def test_a_game_whose_restart_loses_something_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the bot would not keep a change, a simulation with restarts says so."""
    monkeypatch.setattr(storage, "list_changes", nothing)
    with pytest.raises(RuntimeError, match="isn't read correctly"):
        ask(op="simulate", turns=2, seed=1, restart=True)


def nothing(*_kept: object) -> tuple[()]:
    """Nothing is otherwise than it is kept."""
    return ()


def test_a_game_stops_after_so_many_orders_in_the_middle_of_a_battle() -> None:
    """With a limit the state shows the battle as it stands, with where its units are."""
    told = ask(op="simulate", turns=30, seed=1)
    first = next(number for number, order in enumerate(told["orders"], 1) if order["kind"] == "fight")
    stopped = ask(op="simulate", turns=30, seed=1, limit=first + 1)
    assert len(stopped["orders"]) == first + 1
    (battle,) = stopped["state"]["battles"]
    assert battle["units"]


def test_a_replay_that_does_not_fit_is_refused() -> None:
    """Orders without dice, dice that are too few or of other sides, and orders that are not allowed end the line with an error."""
    told = ask(op="simulate", turns=10, seed=1)
    assert told["dice"]
    assert "together" in ask(op="simulate", turns=10, orders=told["orders"])["error"]
    assert "the next die" in ask(op="simulate", turns=10, orders=told["orders"], dice=[])["error"]
    twice = [order for order in told["orders"] if order["kind"] == "move"][:1] * 2
    assert ask(op="simulate", turns=10, orders=twice, dice=[])["error"] == "E_ALREADY_MOVED"


def started() -> War:
    """The example as it begins, with its players."""
    return Game(RULES, Chance(0), None, restarts=False).war


@pytest.mark.parametrize(
    ("deed", "code"),
    [
        (actions.Move(actor="Cid", who="1st Fleet", path=("SW",)), "E_NOT_YOURS"),
        (actions.Move(actor="Ann", who="1st Fleet", path=("SW",) * 4), "E_TOO_FAR"),
        (actions.Move(actor="Ann", who="1st Fleet", path=("SW",), followers=("12th Squadron",)), "E_NOT_ADJACENT"),
        (actions.Build(actor="Bob", faction="E", item="mining_station", at=Hex(2, -2)), "E_NOT_COMMANDER"),
        (actions.Build(actor="Ann", faction="E", item="mining_station", at=Hex(2, -2)), "E_ALREADY_BUILT"),
        (actions.Build(actor="Ann", faction="E", item="mining_station", at=Hex(0, 0)), "E_NOT_OWNER"),
        (actions.Buy(actor="Ann", faction="E", model="guncannon", at=Hex(3, -3)), "E_NOT_RESEARCHED"),
        (actions.Buy(actor="Ann", faction="E", model="bigro", at=Hex(3, -3)), "E_NO_TARGET"),
        (actions.Buy(actor="Ann", faction="E", model="gm", number=6, at=Hex(3, -3)), "E_NO_FUNDS"),
        (actions.Research(actor="Bob", faction="E", model="guncannon"), "E_NOT_COMMANDER"),
        (actions.Promote(actor="Bob", player="Bob", rank="Admiral"), "E_NOT_COMMANDER"),
        (actions.Promote(actor="Ann", player="Bob", rank="King"), "E_RANK"),
        (actions.Assign(actor="Ann", who="1st Fleet", player="Bob"), "E_RANK"),
        (actions.Assign(actor="Ann", who="2nd Fleet", player="Bob"), "E_NOT_ALLIED"),
        (actions.Delegate(actor="Ann", faction="E", player="Bob"), "E_RANK"),
        (actions.Allot(actor="Ann", who="1st Fleet", model="gm"), "E_NO_FUNDS"),
        (actions.Rogue(actor="Ann", player="Bob"), "E_NOT_YOURS"),
        (actions.Found(actor="Ann", faction="E", name="X", colour="#000000"), "E_ROGUE"),
        (actions.Petition(actor="Bob", player="Bob", faction="Z"), "E_ROGUE"),
        (actions.Admit(actor="Cid", player="Bob", takes=True), "E_NO_TARGET"),
        (actions.Answer(actor="Ann", faction="E", answer="on"), "E_NO_TARGET"),
        (actions.Retreat(actor="Ann", who="1st Fleet", to=Hex(0, 0)), "E_NO_TARGET"),
    ],
)
def test_an_order_that_is_not_possible_is_refused_by_its_code(deed: actions.OrderAction, code: str) -> None:
    """What the rules do not allow raises its code, without a die."""
    with pytest.raises(Refused) as caught:
        resolve(RULES, started(), deed, unthrown)
    assert caught.value.code == code


def test_the_first_player_of_a_faction_leads_it() -> None:
    """Whoever joins first has the highest rank, the post and the forces; others begin at the lowest rank."""
    war = started()
    assert {name: war.players[name].rank for name, _ in PLAYERS} == {
        "Ann": "Admiral",
        "Bob": "Ensign",
        "Cid": "Admiral",
        "Dan": "Ensign",
    }
    assert war.factions["E"].leader == "Ann"
    assert {force.commander for force in war.forces.values() if force.faction == "Z"} == {"Cid"}


def rogue_war() -> War:
    """A war in which Bob, who has a squadron beside the colony on 1,-3, has gone rogue."""
    war = started()
    for deed in (
        actions.Assign(actor="Ann", who="11th Squadron", player="Bob"),
        actions.Rogue(actor="Bob", player="Bob"),
    ):
        war = resolve(RULES, war, deed, unthrown)
    return war


def test_a_lone_rogue_wins_a_colony_and_founds_a_faction() -> None:
    """The garrison is filled up to a full squadron; the victory takes the colony and all six around it (lines 91 to 95)."""
    war = resolve(RULES, rogue_war(), actions.Move(actor="Bob", who="11th Squadron", path=("N",)), unthrown)
    battle = war.battles[Hex(1, -3)]
    assert len(battle.garrison) == SCENARIO.full_squadron
    war = resolve(RULES, war, actions.FightAction(at=Hex(1, -3), order=Withdraw("E")), unthrown)
    assert not war.battles
    side = war.factions["R1"]
    assert (side.rogue, side.leader, war.players["Bob"].faction) == (True, "Bob", "R1")
    held = {at for at, panel in war.panels.items() if panel.owner == "R1"}
    assert held == {Hex(1, -3), Hex(2, -3), Hex(1, -2), Hex(0, -2), Hex(0, -3)}
    named = actions.Found(actor="Bob", faction="R1", name="Delaz Fleet", colour="#123456")
    war = resolve(RULES, war, named, unthrown)
    assert war.factions["R1"].name == "Delaz Fleet"
    with pytest.raises(Refused, match="A faction is already called zeon"):
        resolve(RULES, war, actions.Found(actor="Bob", faction="R1", name="zeon", colour="#123457"), unthrown)
