from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from rules.acts import TooLittle
from rules.dice import ScriptedDice
from rules.effects import Kept
from rules.errors import BookError, RollError
from rules.loader import load_folder
from rules.modifiers import KnownFact, Origin
from rules.procedure import Part, PartResult, Request, Throw
from rules.ruleset import resolve
from rules.scenes import MEMBER
from tests.rules.toybook import CLIMB, FOLDER, TOY

SEEN = Origin("typed", "typed")


def _keep_marks(who: str, marks: Mapping[str, int]) -> Kept:
    return {who: {MEMBER: {"id": 7, "marks": marks}}}


def _do_act(
    act: str, *faces: int, marks: Mapping[str, int] | None = None, facts: Mapping[str, KnownFact] | None = None
) -> PartResult:
    subjects = {"actor": "Ann", "resister": "Bob"}
    part = Part("Ann", subjects, facts or {}, kept={} if marks is None else _keep_marks("Ann", marks))
    dice = ScriptedDice((100, face) for face in faces)
    (result,) = resolve(Request(act, (part,)), TOY, dice).parts
    dice.finish()
    return result


def _read_marks(result: PartResult) -> Mapping[str, int]:
    ((_, _, value),) = result.changes
    assert value is not None
    marks: Mapping[str, int] = value["marks"]
    return marks


def test_an_act_without_a_die_tells_its_costs_and_is_paid() -> None:
    """Marks pay the costs, with their lines; outside scenes nothing is paid."""
    result = _do_act("bolt", marks={"actions": 3, "bolts": 1})
    assert result.conclusion is not None
    assert (result.conclusion.outcome, result.conclusion.text) == ("done", "The door is bolted")
    (cost,) = result.steps
    assert isinstance(cost, Throw)
    assert (cost.text, cost.line, cost.rolls) == ("2 actions, 1 left, 1 bolt, 0 left", 63, ())
    assert result.changes == (("Ann", MEMBER, {"id": 7, "marks": {"actions": 1, "bolts": 0}}),)
    result = _do_act("bolt")
    assert (result.steps, result.changes) == ((), ())
    method = TOY.procedure("bolt").method
    part = Part("Ann", {"actor": "Ann"}, kept=_keep_marks("Ann", {"actions": 2, "bolts": 3}))
    assert method.lines(part, TOY) == ["Costs 2 actions; 0 will be left.", "Costs 1 bolt; 2 will be left."]
    assert [item.chance for item in method.odds(part, TOY)] == [1]


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ({"actions": 1, "bolts": 5}, "Ann has 1 action left, and this takes 2."),
        ({"actions": 2}, "Ann has no bolts left, and this takes 1."),
    ],
)
def test_too_little_to_pay_with_refuses(marks: Mapping[str, int], why: str) -> None:
    """The refusal says what there is and what it takes."""
    with pytest.raises(RollError, match=why):
        _do_act("bolt", marks=marks)


def test_what_refuses_an_act_says_so_in_its_own_words() -> None:
    """Exceptions lift a refusal, believed ones too; secrets don't refuse."""
    tired = {"actor.tired": KnownFact(1, SEEN)}
    with pytest.raises(RollError, match="Ann is too tired for the bolt"):
        _do_act("bolt", facts=tired)
    assert _do_act("bolt", facts={**tired, "actor.rope": KnownFact(1, SEEN)}).conclusion is not None
    known = {"actor.tired": KnownFact(1, SEEN)}
    subjects = {"actor": "Ann", "resister": "Bob"}
    part = Part("Ann", subjects, known, lacking={"actor.rope": KnownFact(1, SEEN, secret=True)})
    (result,) = resolve(Request("bolt", (part,)), TOY, ScriptedDice(())).parts
    assert result.conclusion is not None
    assert _do_act("bolt", facts={"actor.hidden": KnownFact(1, SEEN, secret=True)}).conclusion is not None
    assert _do_act("bolt", facts={"actor.hidden": KnownFact(1, SEEN)}).conclusion is not None


@pytest.mark.parametrize(
    ("act", "family", "faces"), [("scale", "climb", (57,)), ("charge", "duel", (60, 59)), ("salvo", "volley", ())]
)
def test_an_act_is_rolled_as_what_it_names(act: str, family: str, faces: tuple[int, ...]) -> None:
    """Odds and results are those of table, contest or strikes."""
    method, same = TOY.procedure(act).method, TOY.procedure(family).method
    assert method.tables == same.tables
    inputs = {"tries": 2, "values": {"toy.aim": 4, "toy.damage": 3}}
    part = Part("Ann", {"actor": "Ann", "resister": "Bob"}, inputs=inputs if family == "volley" else {})
    odds = [(item.conclusion.outcome, item.chance) for item in method.odds(part, TOY)]
    assert odds == [(item.conclusion.outcome, item.chance) for item in same.odds(part, TOY)]
    assert sum(chance for _, chance in odds) == 1
    assert [item.stage.table.id for item in method.stages(part, TOY)] == [
        item.stage.table.id for item in same.stages(part, TOY)
    ]
    if faces:
        result, other = _do_act(act, *faces), _do_act(family, *faces)
        assert result.conclusion is not None
        assert other.conclusion is not None
        assert result.conclusion.outcome == other.conclusion.outcome
        assert result.on_tables == other.on_tables


@pytest.mark.parametrize(
    ("family", "second"), [("scale", {"kept": _keep_marks("Cid", {"actions": 0})}), ("salvo", {"inputs": {}})]
)
def test_what_refuses_a_later_part_is_said_before_the_dice_of_the_first(family: str, second: Mapping[str, Any]) -> None:
    """A late refusal would have shown dice."""
    inputs = {"tries": 1, "values": {"toy.aim": 4, "toy.damage": 3}}
    first = Part("Ann", {"actor": "Ann", "resister": "Bob"}, inputs=inputs)
    later = Part("Cid", {"actor": "Cid", "resister": "Bob"}, **{"inputs": inputs, **second})
    with pytest.raises(RollError, match="takes"):
        resolve(Request(family, (first, later)), TOY, ScriptedDice(()))


def test_an_act_has_no_id_of_a_roll_family() -> None:
    """The family would hide it."""
    with pytest.raises(BookError, match="act bolt: a roll family has this id: give the act another id"):
        load_folder(FOLDER, (replace(CLIMB, family="bolt"),))


def test_a_cost_of_the_whole_takes_all_that_there_is() -> None:
    """It needs its amount; exceptions are free."""
    rope = {"actor.rope": KnownFact(1, SEEN)}
    assert _read_marks(_do_act("retreat", 60, marks={"actions": 3}, facts=rope)) == {"actions": 0}
    with pytest.raises(TooLittle, match="Ann has no actions left, and this takes 1") as refused:
        _do_act("retreat", marks={"actions": 0}, facts=rope)
    assert refused.value.mark == "actions"
    ladder = {"actor.ladder": KnownFact(1, SEEN)}
    assert _read_marks(_do_act("retreat", 60, marks={"actions": 1}, facts=ladder)) == {"actions": 0}
    with pytest.raises(TooLittle, match="Ann has no bolts left"):
        _do_act("retreat", marks={"actions": 1}, facts={**ladder, "actor.tired": KnownFact(1, SEEN)})


def test_an_act_goes_otherwise_where_its_variant_says_so() -> None:
    """Without a die it's certain and takes effect later."""
    wings = {"actor.wings": KnownFact(1, SEEN)}
    result = _do_act("retreat", facts=wings)
    assert result.conclusion is not None
    assert (result.conclusion.text, result.on_tables) == ("Gone without a climb", ())
    method, part = TOY.procedure("retreat").method, Part("Ann", {"actor": "Ann"}, wings)
    assert method.stages(part, TOY) == ()
    assert [item.chance for item in method.odds(part, TOY)] == [1]
    assert len(_do_act("retreat", 60).on_tables) == 1
    act = TOY.acts["retreat"]
    assert (act.variant(wings).effect, act.variant({}).effect) == ("later", "now")
    assert act.facts == {"actor.rope", "actor.ladder", "actor.tired", "actor.wings"}
