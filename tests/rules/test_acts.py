"""Acts: what they cost, what refuses them, and that they are rolled as what they name."""

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
from rules.modifiers import Known, Origin
from rules.procedure import Part, PartResult, Request, Throw
from rules.ruleset import resolve
from rules.scenes import MEMBER
from tests.rules.toybook import CLIMB, FOLDER, TOY

SEEN = Origin("typed", "typed")


def standing(who: str, marks: Mapping[str, int]) -> Kept:
    """What is kept of somebody who stands in a scene with these marks."""
    return {who: {MEMBER: {"id": 7, "marks": marks}}}


def done(
    act: str, *faces: int, marks: Mapping[str, int] | None = None, facts: Mapping[str, Known] | None = None
) -> PartResult:
    """Do an act of the toy book as Ann, against Bob, with these faces and no others."""
    subjects = {"actor": "Ann", "resister": "Bob"}
    part = Part("Ann", subjects, facts or {}, kept={} if marks is None else standing("Ann", marks))
    dice = ScriptedDice((100, face) for face in faces)
    (result,) = resolve(Request(act, (part,)), TOY, dice).parts
    dice.finish()
    return result


def left(result: PartResult) -> Mapping[str, int]:
    """The marks that an act has left."""
    ((_, _, value),) = result.changes
    assert value is not None
    marks: Mapping[str, int] = value["marks"]
    return marks


def test_an_act_without_a_die_is_paid_and_done() -> None:
    """What it costs leaves the marks, is told with its line, and no die is thrown; whoever stands in no scene has no marks to pay with, and need not."""
    result = done("bolt", marks={"actions": 3, "bolts": 1})
    assert result.conclusion is not None
    assert (result.conclusion.outcome, result.conclusion.text) == ("done", "The door is bolted")
    (cost,) = result.steps
    assert isinstance(cost, Throw)
    assert (cost.text, cost.line, cost.rolls) == ("2 actions, 1 left, 1 bolt, 0 left", 63, ())
    assert result.changes == (("Ann", MEMBER, {"id": 7, "marks": {"actions": 1, "bolts": 0}}),)
    result = done("bolt")
    assert (result.steps, result.changes) == ((), ())


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ({"actions": 1, "bolts": 5}, "Ann has 1 action left, and this takes 2."),
        ({"actions": 2}, "Ann has no bolts left, and this takes 1."),
    ],
)
def test_too_little_to_pay_with_refuses(marks: Mapping[str, int], why: str) -> None:
    """The refusal says what there is and what it takes; nothing is thrown."""
    with pytest.raises(RollError, match=why):
        done("bolt", marks=marks)


def test_what_refuses_an_act_says_so_in_its_own_words() -> None:
    """Unless what lifts the refusal holds too, or players take that for true: that they are wrong is a secret; and a secret refuses nothing."""
    tired = {"actor.tired": Known(1, SEEN)}
    with pytest.raises(RollError, match="Ann is too tired for the bolt"):
        done("bolt", facts=tired)
    assert done("bolt", facts={**tired, "actor.rope": Known(1, SEEN)}).conclusion is not None
    known = {"actor.tired": Known(1, SEEN)}
    subjects = {"actor": "Ann", "resister": "Bob"}
    part = Part("Ann", subjects, known, lacking={"actor.rope": Known(1, SEEN, secret=True)})
    (result,) = resolve(Request("bolt", (part,)), TOY, ScriptedDice(())).parts
    assert result.conclusion is not None
    assert done("bolt", facts={"actor.hidden": Known(1, SEEN, secret=True)}).conclusion is not None
    assert done("bolt", facts={"actor.hidden": Known(1, SEEN)}).conclusion is not None


@pytest.mark.parametrize(
    ("act", "family", "faces"), [("scale", "climb", (57,)), ("charge", "duel", (60, 59)), ("salvo", "volley", ())]
)
def test_an_act_is_rolled_as_what_it_names(act: str, family: str, faces: tuple[int, ...]) -> None:
    """Its odds, and what comes of the same dice, are those of the table, the contest or the strikes."""
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
        result, other = done(act, *faces), done(family, *faces)
        assert result.conclusion is not None
        assert other.conclusion is not None
        assert result.conclusion.outcome == other.conclusion.outcome
        assert result.on_tables == other.on_tables


def test_what_an_act_costs_is_told_before() -> None:
    """The card says what it takes and what will be left; without a die it is certain."""
    method = TOY.procedure("bolt").method
    part = Part("Ann", {"actor": "Ann"}, kept=standing("Ann", {"actions": 2, "bolts": 3}))
    assert method.lines(part, TOY) == ["Costs 2 actions; 0 will be left.", "Costs 1 bolt; 2 will be left."]
    assert [item.chance for item in method.odds(part, TOY)] == [1]


@pytest.mark.parametrize(
    ("family", "second"), [("scale", {"kept": standing("Cid", {"actions": 0})}), ("salvo", {"inputs": {}})]
)
def test_what_refuses_a_later_part_is_said_before_the_dice_of_the_first(family: str, second: Mapping[str, Any]) -> None:
    """A roll that is refused halfway would have shown dice."""
    inputs = {"tries": 1, "values": {"toy.aim": 4, "toy.damage": 3}}
    first = Part("Ann", {"actor": "Ann", "resister": "Bob"}, inputs=inputs)
    later = Part("Cid", {"actor": "Cid", "resister": "Bob"}, **{"inputs": inputs, **second})
    with pytest.raises(RollError, match="takes"):
        resolve(Request(family, (first, later)), TOY, ScriptedDice(()))


def test_an_act_has_no_id_of_a_roll_family() -> None:
    """The family would hide it, and nobody could do it."""
    with pytest.raises(BookError, match="act bolt: a roll family has this id: give the act another id"):
        load_folder(FOLDER, (replace(CLIMB, family="bolt"),))


def test_a_cost_of_the_whole_takes_all_that_there_is() -> None:
    """It needs its amount at least; what is free under facts is not asked for."""
    rope = {"actor.rope": Known(1, SEEN)}
    assert left(done("retreat", 60, marks={"actions": 3}, facts=rope)) == {"actions": 0}
    with pytest.raises(TooLittle, match="Ann has no actions left, and this takes 1") as refused:
        done("retreat", marks={"actions": 0}, facts=rope)
    assert refused.value.mark == "actions"
    ladder = {"actor.ladder": Known(1, SEEN)}
    assert left(done("retreat", 60, marks={"actions": 1}, facts=ladder)) == {"actions": 0}
    with pytest.raises(TooLittle, match="Ann has no bolts left"):
        done("retreat", marks={"actions": 1}, facts={**ladder, "actor.tired": Known(1, SEEN)})


def test_an_act_goes_otherwise_where_its_variant_says_so() -> None:
    """Then no die is thrown, it is certain, and takes effect later; otherwise it is rolled and takes effect now."""
    wings = {"actor.wings": Known(1, SEEN)}
    result = done("retreat", facts=wings)
    assert result.conclusion is not None
    assert (result.conclusion.text, result.on_tables) == ("Gone without a climb", ())
    method, part = TOY.procedure("retreat").method, Part("Ann", {"actor": "Ann"}, wings)
    assert method.stages(part, TOY) == ()
    assert [item.chance for item in method.odds(part, TOY)] == [1]
    assert len(done("retreat", 60).on_tables) == 1
    act = TOY.acts["retreat"]
    assert (act.variant(wings).effect, act.variant({}).effect) == ("later", "now")
    assert act.facts == {"actor.rope", "actor.ladder", "actor.tired", "actor.wings"}
