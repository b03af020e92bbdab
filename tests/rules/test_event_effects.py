"""What events leave on a battle and how it ends, without a bot: a battle and a command in, items to replace out."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rules.books.battlesystem import effects
from rules.books.battlesystem.book import TABLE, check_record
from rules.books.battlesystem.effects import check_changes, check_inputs, list_spendable
from rules.books.battlesystem.state import Battle, BattleHeader, Combatant, HeldToken, InForce, Loss
from rules.books.battlesystem.turn import TurnChecker, read_muster
from rules.dice import ScriptedDice
from rules.kinds import CHOSEN, NEXT
from rules.loader import load_book
from rules.scenes import Replacement, SceneItem
from rules.tables import EventPart

EVENTS = load_book("battlesystem").table(TABLE)
HEADER = BattleHeader("Black Ford", ("Reds", "Blues"), entry=4)
PIKES = Combatant(1, "Pikes", "Reds", 1)
MAGES = Combatant(2, "Mages", "Reds", 2, tags=("caster",), spells=3)
OGRES = Combatant(3, "Ogres", "Blues", 3)
FORD = Battle(HEADER, (PIKES, MAGES, OGRES))
NUMBERS = {item.name: item.id for item in FORD.roster}
TIRED = EventPart("AD -1 until rested", "until_condition", {"ad": -1})
SPIRIT = EventPart("ML +1", "turn", {"ml": 1})
LIMP = EventPart("AR +1", "battle", {"ar": 1})
SCAR = EventPart("Never the same", "permanent")


def befallen(*parts: EventPart, name: str = "Pikes", entry: int = 8, place: int = 0) -> InForce:
    """An event in force on a unit of the Reds."""
    return InForce(NUMBERS[name], name, "Reds", "Black Ford", 1, 9, "Mud", parts, entry, place)


def check_changes_of(battle: Battle, *dice: tuple[int, int]) -> list[Replacement]:
    """What a check with these dice replaces, as entry 9; the header comes first."""
    script = ScriptedDice(dice)
    check = TurnChecker(EVENTS, read_muster(check_inputs(battle)), script).check()
    script.finish()
    return list(check_changes(battle, HEADER.sides, check_record(check), EVENTS, 9))


@pytest.mark.parametrize("item", [MAGES, replace(befallen(TIRED, SPIRIT), extra=((8, 3),))], ids=["unit", "event"])
def test_what_is_kept_of_a_unit_is_read_as_it_was_written(item: Combatant | InForce) -> None:
    """A value goes out as JSON without the unit's name and comes back as the same item, called as its subject is by now."""
    assert "name" not in item.value()
    assert type(item).of(item.value(), {item.id: item.name}) == item
    assert type(item).of(item.value(), {item.id: "Lancers"}) == replace(item, name="Lancers")


def test_a_battle_is_read_as_it_was_written() -> None:
    """Its header comes back the same; units side by side as they came, tokens and losses too; events of an earlier battle are none of its own."""
    item = replace(HEADER, checked={"Reds": 5})
    assert BattleHeader.of(item.value()) == item
    ogres, pikes, mages = replace(OGRES, place=1), replace(PIKES, place=2), replace(MAGES, place=3)
    tokens = [HeldToken(NEXT, "Reds", 9, 0), HeldToken(CHOSEN, "Blues", 8, 1)]
    kept: list[Combatant | HeldToken] = [ogres, mages, pikes, *tokens]
    values = {item.key: item.value() for item in kept}
    old, new = befallen(SCAR, entry=3), befallen(TIRED)
    battle = Battle.of(HEADER, values, [new, old, replace(new, battle="Hill")], {1: "Pikes", 2: "Mages", 3: "Ogres"})
    assert [item.name for item in battle.roster] == ["Pikes", "Mages", "Ogres"]
    assert battle.tokens == (tokens[1], tokens[0])
    assert battle.events == (new,)


def test_a_turn_ends_what_lasts_as_long_and_nothing_else() -> None:
    """Of an event whose parts last differently, only that of the turn ends; the others stay in force."""
    mixed, long = befallen(SPIRIT, LIMP), befallen(LIMP, name="Mages")
    battle = replace(FORD, header=replace(HEADER, checked={"Reds": 8}), events=(mixed, long))
    ending = effects.end_turn(battle)
    assert ending.ended == [{"name": "Pikes", "text": "Mud (9): ML +1"}]
    assert ending.changes == [Replacement(battle.header, replace(HEADER, turn=2)), Replacement(mixed, befallen(LIMP))]
    assert [item["name"] for item in effects.list_staying(battle)] == ["Pikes", "Mages"]
    assert effects.list_unchecked_sides(battle) == ["Blues"]


def test_a_battle_ends_with_all_but_what_is_permanent() -> None:
    """Roster, tokens and losses go; of the effects only what is permanent outlives the battle."""
    mixed = replace(befallen(LIMP, SCAR), removes=True)
    token, loss = (
        HeldToken(CHOSEN, "Reds", 8, 0),
        Loss(1, "Pikes", "Reds", 1, "Mud (9): A figure", 8, 0, 0, spell=False),
    )
    battle = replace(FORD, tokens=(token,), losses=(loss,), events=(mixed,))
    ending = effects.end_battle(battle)
    dropped: list[SceneItem] = [PIKES, MAGES, OGRES, token, loss]
    assert ending.changes == [
        Replacement(HEADER, replace(HEADER, over=True)),
        *(Replacement(item, None) for item in dropped),
        Replacement(mixed, mixed.only("permanent")),
    ]
    assert [item["text"] for item in ending.ended] == ["Mud (9): AR +1"]
    assert [item["text"] for item in effects.list_losses(battle)] == [mixed.label, loss.label]


def test_only_what_came_after_a_token_is_ignored_with_it() -> None:
    """The oldest token that would do is offered, and the lost spell is given back with what is in force."""
    early, late = HeldToken(CHOSEN, "Reds", 8, 0), HeldToken(CHOSEN, "Reds", 9, 0)
    spies = HeldToken(NEXT, "Reds", 7, 0)
    event = befallen(SPIRIT, name="Mages", entry=8, place=1)
    loss = Loss(2, "Mages", "Reds", 1, "Mud (9): A spell", 8, 1, 0, spell=True)
    battle = replace(FORD, tokens=(spies, early, late), losses=(loss,), events=(event,))
    (group,) = effects.list_endable(battle, "token")
    (token,) = list_spendable(battle, "Reds", group.came)
    assert token == early
    assert effects.ignore(battle, group, token).changes == [
        Replacement(event, None),
        Replacement(loss, None),
        Replacement(MAGES, replace(MAGES, spells=4)),
        Replacement(early, None),
    ]
    assert not list_spendable(battle, "Reds", (8, 0))
    assert not list_spendable(battle, "Blues", group.came)


def test_units_that_leave_keep_what_is_permanent() -> None:
    """All else that is in force on them ends, and on nobody else."""
    mine, other = befallen(LIMP, SCAR), befallen(LIMP, name="Mages")
    battle = replace(FORD, events=(mine, other))
    assert effects.remove(battle, [PIKES]).changes == [Replacement(PIKES, None), Replacement(mine, befallen(SCAR))]


def test_a_check_leaves_effects_losses_tokens_and_fewer_spells() -> None:
    """Rumours are in force, an interruption costs a counted spell, stragglers are lost at once; event 54 gives a token, and that of spies goes with the next event on its side."""
    dice = ((4, 1), (4, 1), (4, 1), (100, 12), (100, 64), (3, 2), (100, 52))
    header, rumours, spell, mages, hit = (item for _, item in check_changes_of(FORD, *dice))
    assert header == replace(HEADER, checked={"Reds": 9, "Blues": 9})
    assert isinstance(rumours, InForce)
    assert (rumours.name, rumours.came, dict(rumours.changes)) == ("Pikes", (9, 0), {"ml": 1})
    assert isinstance(spell, Loss)
    assert (spell.name, spell.came, spell.spell) == ("Mages", (9, 1), True)
    assert mages == replace(MAGES, spells=2)
    assert isinstance(hit, Loss)
    assert (hit.name, hit.came, hit.spell) == ("Ogres", (9, 2), False)
    spies = HeldToken(NEXT, "Reds", 7, 0)
    battle = replace(FORD, tokens=(spies,))
    made = check_changes_of(battle, (4, 1), (4, 2), (4, 1), (100, 12), (100, 54))
    assert made[1:] == [Replacement(spies, None), Replacement(None, HeldToken(CHOSEN, "Blues", 9, 1))]
