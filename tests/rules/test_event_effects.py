from __future__ import annotations

import pytest
from msgspec.structs import replace

from rules.books.battlesystem import effects, state
from rules.books.battlesystem.book import TABLE, check_record
from rules.books.battlesystem.effects import check_changes, check_inputs, list_spendable
from rules.books.battlesystem.turn import TurnChecker, read_muster
from rules.dice import ScriptedDice
from rules.kinds import CHOSEN, NEXT
from rules.loader import load_book
from rules.scenes import Replacement, SceneItem
from rules.tables import EventPart

EVENTS = load_book("battlesystem").table(TABLE)
HEADER = state.BattleHeader("Black Ford", ("Reds", "Blues"), entry=4)
PIKES = state.Combatant(1, "Pikes", "Reds", 1)
MAGES = state.Combatant(2, "Mages", "Reds", 2, tags=("caster",), spells=3)
OGRES = state.Combatant(3, "Ogres", "Blues", 3)
FORD = state.Battle(HEADER, (PIKES, MAGES, OGRES))
NUMBERS = {item.name: item.id for item in FORD.roster}
TIRED = EventPart("AD -1 until rested", "until_condition", {"ad": -1})
SPIRIT = EventPart("ML +1", "turn", {"ml": 1})
LIMP = EventPart("AR +1", "battle", {"ar": 1})
SCAR = EventPart("Never the same", "permanent")


def _make_event(*parts: EventPart, name: str = "Pikes", entry: int = 8, place: int = 0) -> state.ActiveEvent:
    return state.ActiveEvent(NUMBERS[name], name, "Reds", "Black Ford", 1, 9, "Mud", parts, entry, place)


def _list_check_changes(battle: state.Battle, *dice: tuple[int, int]) -> list[Replacement]:
    script = ScriptedDice(dice)
    check = TurnChecker(EVENTS, read_muster(check_inputs(battle)), script).check()
    script.finish()
    return list(check_changes(battle, HEADER.sides, check_record(check), EVENTS, 9))


@pytest.mark.parametrize("item", [MAGES, replace(_make_event(TIRED, SPIRIT), extra=((8, 3),))], ids=["unit", "event"])
def test_what_is_kept_of_a_unit_is_read_as_it_was_written(item: state.Combatant | state.ActiveEvent) -> None:
    """JSON has no name; the current one comes back."""
    assert "name" not in item.value()
    assert type(item).of(item.value(), {item.id: item.name}) == item
    assert type(item).of(item.value(), {item.id: "Lancers"}) == replace(item, name="Lancers")


def test_a_battle_is_read_as_it_was_written() -> None:
    """Units, tokens and losses return; earlier battles' events don't."""
    item = replace(HEADER, checked={"Reds": 5})
    assert state.BattleHeader.of(item.value()) == item
    ogres, pikes, mages = replace(OGRES, place=1), replace(PIKES, place=2), replace(MAGES, place=3)
    tokens = [state.HeldToken(NEXT, "Reds", 9, 0), state.HeldToken(CHOSEN, "Blues", 8, 1)]
    kept: list[state.Combatant | state.HeldToken] = [ogres, mages, pikes, *tokens]
    values = {item.key: item.value() for item in kept}
    old, new = _make_event(SCAR, entry=3), _make_event(TIRED)
    battle = state.Battle.of(
        HEADER, values, [new, old, replace(new, battle="Hill")], {1: "Pikes", 2: "Mages", 3: "Ogres"}
    )
    assert [item.name for item in battle.roster] == ["Pikes", "Mages", "Ogres"]
    assert battle.tokens == (tokens[1], tokens[0])
    assert battle.events == (new,)


def test_a_turn_ends_what_lasts_as_long_and_nothing_else() -> None:
    """Longer parts of an event stay."""
    mixed, long = _make_event(SPIRIT, LIMP), _make_event(LIMP, name="Mages")
    battle = replace(FORD, header=replace(HEADER, checked={"Reds": 8}), events=(mixed, long))
    ending = effects.end_turn(battle)
    assert ending.ended == [{"name": "Pikes", "text": "Mud (9): ML +1"}]
    assert ending.changes == [
        Replacement(battle.header, replace(HEADER, turn=2)),
        Replacement(mixed, _make_event(LIMP)),
    ]
    assert [item["name"] for item in effects.list_staying(battle)] == ["Pikes", "Mages"]
    assert effects.list_unchecked_sides(battle) == ["Blues"]


def test_a_battle_ends_with_all_but_what_is_permanent() -> None:
    """Roster, tokens and losses go."""
    mixed = replace(_make_event(LIMP, SCAR), removes=True)
    token, loss = (
        state.HeldToken(CHOSEN, "Reds", 8, 0),
        state.Loss(1, "Pikes", "Reds", 1, "Mud (9): A figure", 8, 0, 0, spell=False),
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
    """The oldest fitting token is offered; a lost spell returns."""
    early, late = state.HeldToken(CHOSEN, "Reds", 8, 0), state.HeldToken(CHOSEN, "Reds", 9, 0)
    spies = state.HeldToken(NEXT, "Reds", 7, 0)
    event = _make_event(SPIRIT, name="Mages", entry=8, place=1)
    loss = state.Loss(2, "Mages", "Reds", 1, "Mud (9): A spell", 8, 1, 0, spell=True)
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
    """Their other effects end, no others do."""
    mine, other = _make_event(LIMP, SCAR), _make_event(LIMP, name="Mages")
    battle = replace(FORD, events=(mine, other))
    assert effects.remove(battle, [PIKES]).changes == [Replacement(PIKES, None), Replacement(mine, _make_event(SCAR))]


def test_a_check_leaves_effects_losses_tokens_and_fewer_spells() -> None:
    """Rumours, interruptions, stragglers, tokens and spies."""
    dice = ((4, 1), (4, 1), (4, 1), (100, 12), (100, 64), (3, 2), (100, 52))
    header, rumours, spell, mages, hit = (item for _, item in _list_check_changes(FORD, *dice))
    assert header == replace(HEADER, checked={"Reds": 9, "Blues": 9})
    assert isinstance(rumours, state.ActiveEvent)
    assert (rumours.name, rumours.came, dict(rumours.changes)) == ("Pikes", (9, 0), {"ml": 1})
    assert isinstance(spell, state.Loss)
    assert (spell.name, spell.came, spell.spell) == ("Mages", (9, 1), True)
    assert mages == replace(MAGES, spells=2)
    assert isinstance(hit, state.Loss)
    assert (hit.name, hit.came, hit.spell) == ("Ogres", (9, 2), False)
    spies = state.HeldToken(NEXT, "Reds", 7, 0)
    battle = replace(FORD, tokens=(spies,))
    made = _list_check_changes(battle, (4, 1), (4, 2), (4, 1), (100, 12), (100, 54))
    assert made[1:] == [Replacement(spies, None), Replacement(None, state.HeldToken(CHOSEN, "Blues", 9, 1))]
