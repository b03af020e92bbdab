"""The check of a turn with scripted dice: who rolls, whom an event befalls, and what follows from it."""

from __future__ import annotations

import pytest

from rules.dice import ScriptedDice
from rules.errors import RollError
from rules.event_check import LONGEST_CHAIN, BattleUnit, Happening, TurnCheck, UnknownTag, check_sides, check_units
from rules.events import load_events

TABLE = load_events()


def unit(name: str, *tags: str, spells: int | None = None) -> BattleUnit:
    """A unit whose side is the first letter of its name."""
    return BattleUnit(name, name[0], frozenset(tags), spells)


KNIGHTS, ARCHERS, SLINGERS = unit("a-knights"), unit("a-archers", "missile"), unit("a-slingers", "missile")
ORCS, DRAGON, MAGE = unit("b-orcs"), unit("b-dragon", "flying"), unit("b-mage", "caster", spells=3)
ROSTER = (KNIGHTS, ARCHERS, SLINGERS, ORCS, DRAGON, MAGE)
QUIET = [(4, 2), (4, 3), (4, 4), (4, 2), (4, 3), (4, 4)]


def checked(struck: BattleUnit, *faces: tuple[int, int], roster: tuple[BattleUnit, ...] = ROSTER) -> TurnCheck:
    """The check in which one unit rolls a 1, with the dice that follow; every one of them must be asked for."""
    fours = [(4, 1 if each is struck else 4) for each in roster]
    dice = ScriptedDice([*fours, *faces])
    done = check_units(TABLE, roster, dice)
    dice.finish()
    return done


def only(check: TurnCheck) -> Happening:
    """The one d100 of a check."""
    (happening,) = check.happenings
    return happening


def test_every_unit_of_both_sides_rolls_one_die() -> None:
    """Two, three and four bring nothing; each unit's face is kept by its name."""
    dice = ScriptedDice(QUIET)
    done = check_units(TABLE, ROSTER, dice)
    dice.finish()
    assert [(each, roll.total) for each, roll in done.checks] == [
        (each, face) for each, (_, face) in zip(ROSTER, QUIET, strict=True)
    ]
    assert (done.happenings, done.cut) == ((), False)


def test_a_one_brings_the_unit_its_event() -> None:
    """An event without a letter falls on the unit that rolled the 1."""
    happening = only(checked(ORCS, (100, 12)))
    assert happening.event == TABLE.event(12)
    assert (happening.side, happening.struck, happening.units, happening.happens) == ("b", ORCS, (ORCS,), True)


@pytest.mark.parametrize("face", [66, 100])
def test_above_65_nothing_happens(face: int) -> None:
    """The d100 is kept, and there is no event."""
    happening = only(checked(ORCS, (100, face)))
    assert (happening.roll.total, happening.event, happening.units, happening.happens) == (face, None, (), False)


def test_a_unit_that_the_letter_fits_suffers_itself() -> None:
    """No other missile unit is drawn when a missile unit rolled the 1."""
    happening = only(checked(SLINGERS, (100, 31)))
    assert (happening.units, happening.picks) == ((SLINGERS,), ())


def test_a_letter_draws_among_the_fitting_units_of_the_side() -> None:
    """Of two missile units a d2 draws one when the unit itself is none."""
    happening = only(checked(KNIGHTS, (100, 33), (2, 2)))
    assert (happening.units, [roll.total for roll in happening.picks]) == ((SLINGERS,), [2])


def test_the_only_fitting_unit_needs_no_die() -> None:
    """One flying unit on the side is struck at once, and no die is asked for."""
    happening = only(checked(ORCS, (100, 47)))
    assert (happening.units, happening.picks) == ((DRAGON,), ())


def test_no_fitting_unit_means_nothing_happens() -> None:
    """A side without flying units shrugs exhaustion of flyers off, and it is said why."""
    happening = only(checked(KNIGHTS, (100, 47)))
    assert (happening.happens, happening.units, happening.why) == (False, (), "there is no unit that it can fall on")


def test_strong_winds_ground_the_flyers_of_both_sides() -> None:
    """Event 42 falls on every flying unit, whoever rolled it."""
    wyvern = unit("a-wyvern", "flying")
    assert only(checked(KNIGHTS, (100, 42), roster=(*ROSTER, wyvern))).units == (DRAGON, wyvern)


def test_a_direction_is_rolled_with_the_event() -> None:
    """Event 23 brings a d8 for the direction."""
    happening = only(checked(ORCS, (100, 23), (8, 5)))
    assert [(roll.term.sides, roll.total) for roll in happening.extra] == [(8, 5)]


@pytest.mark.parametrize(
    ("caster", "faces", "extra"),
    [
        (MAGE, [(3, 2)], [2]),
        (unit("b-adept", "caster", spells=1), [], []),
        (unit("b-druid", "caster"), [], []),
    ],
)
def test_a_spell_is_drawn_by_a_die(caster: BattleUnit, faces: list[tuple[int, int]], extra: list[int]) -> None:
    """Event 64 rolls among the caster's spells; a single one, or spells that nobody counts, need no die."""
    happening = only(checked(caster, (100, 64), *faces, roster=(KNIGHTS, caster)))
    assert (happening.units, [roll.total for roll in happening.extra]) == ((caster,), extra)


@pytest.mark.parametrize("struck", [ORCS, unit("b-novice", "caster", spells=0)])
@pytest.mark.parametrize("number", [64, 65])
def test_spells_are_lost_by_casters_only(struck: BattleUnit, number: int) -> None:
    """Without a caster, or without a spell left, the two events of casters do nothing."""
    happening = only(checked(struck, (100, number), roster=(KNIGHTS, struck)))
    assert (happening.happens, happening.why) == (False, "the unit has no caster with a spell left")


@pytest.mark.parametrize("number", [54, 55])
def test_a_players_event_falls_on_no_unit(number: int) -> None:
    """Events 54 and 55 happen to the side."""
    happening = only(checked(ORCS, (100, number)))
    assert (happening.happens, happening.side, happening.units) == (True, "b", ())


def test_event_56_brings_the_enemy_an_event() -> None:
    """A random enemy unit gets a d100 of its own, which tells from which event it follows."""
    first, second = checked(KNIGHTS, (100, 56), (3, 2), (100, 2)).happenings
    assert (first.units, second.struck, second.units, second.side) == ((DRAGON,), DRAGON, (DRAGON,), "b")
    assert (first.cause, second.cause) == (None, 56)


def test_event_56_without_an_enemy_does_nothing() -> None:
    """A side that stands alone finds nobody to roll."""
    assert not only(checked(KNIGHTS, (100, 56), roster=(KNIGHTS, ARCHERS))).happens


def test_event_63_brings_two_friendly_units_an_event() -> None:
    """Two different units are drawn, the second among those that are left, and each gets a d100."""
    first, second, third = checked(ORCS, (100, 63), (3, 1), (2, 1), (100, 70), (100, 9)).happenings
    assert first.units == (ORCS, DRAGON)
    assert (second.struck, second.event, third.struck, third.units) == (ORCS, None, DRAGON, (DRAGON,))


def test_event_63_takes_fewer_units_from_a_small_side() -> None:
    """A side of one unit rolls once more, without a die to draw it."""
    first, second = checked(ORCS, (100, 63), (100, 70), roster=(KNIGHTS, ORCS)).happenings
    assert (first.units, second.struck) == ((ORCS,), ORCS)


def test_a_chain_ends_at_its_limit() -> None:
    """Two sides of one unit that roll 56 for ever stop after ten d100, and it is told; nine and an end are not cut."""
    alone = (KNIGHTS, ORCS)
    done = checked(KNIGHTS, *[(100, 56)] * LONGEST_CHAIN, roster=alone)
    assert (len(done.happenings), done.cut) == (10, True)
    ended = checked(KNIGHTS, *[(100, 56)] * (LONGEST_CHAIN - 1), (100, 90), roster=alone)
    assert (len(ended.happenings), ended.cut) == (10, False)


def test_every_one_has_its_chain_in_the_rosters_order() -> None:
    """Two units that roll a 1 are served one after the other, each with all that follows from it."""
    roster = (KNIGHTS, ORCS)
    done = check_units(TABLE, roster, ScriptedDice([(4, 1), (4, 1), (100, 56), (100, 80), (100, 13)]))
    assert [(each.struck, each.cause) for each in done.happenings] == [(KNIGHTS, None), (ORCS, 56), (ORCS, None)]


def test_the_example_of_the_page() -> None:
    """A rolls 42 and grounds B's dragon; B rolls 33 and a d2 draws one of its two missile units."""
    bows, bolts = unit("b-bows", "missile"), unit("b-bolts", "missile")
    dice = ScriptedDice([(100, 42), (100, 33), (2, 1)])
    first, second = check_sides(TABLE, (KNIGHTS, ORCS, DRAGON, bows, bolts), dice).happenings
    dice.finish()
    assert (first.side, first.struck, first.units) == ("a", None, (DRAGON,))
    assert (second.side, second.struck, second.units) == ("b", None, (bows,))


def test_a_side_draws_its_unit_where_there_is_no_letter() -> None:
    """In the variant by sides any unit of the side can be drawn, and nobody rolls a d4."""
    dice = ScriptedDice([(100, 90), (100, 1), (3, 3)])
    done = check_sides(TABLE, ROSTER, dice)
    dice.finish()
    assert (done.checks, done.happenings[1].units) == ((), (MAGE,))


@pytest.mark.parametrize(
    ("roster", "words"),
    [
        ((), "The roster is empty"),
        ((KNIGHTS, ORCS, KNIGHTS), "names 'a-knights' twice"),
        ((unit("a-bats", "fliyng"),), "no tag 'fliyng'. Did you mean 'flying'"),
    ],
)
def test_a_bad_roster_is_refused_before_any_die(roster: tuple[BattleUnit, ...], words: str) -> None:
    """Nothing is rolled for an empty roster, a name that stands twice or a tag that nobody knows."""
    for check in (check_units, check_sides):
        with pytest.raises(RollError, match=words):
            check(TABLE, roster, ScriptedDice([]))


def test_an_unknown_tag_is_an_unknown_name() -> None:
    """The error carries the name and the nearest known one."""
    with pytest.raises(UnknownTag) as caught:
        check_units(TABLE, [unit("a-bats", "misile")], ScriptedDice([]))
    assert (caught.value.name, caught.value.nearest) == ("misile", "missile")


def test_forty_units_over_ten_turns() -> None:
    """In a long battle of forty units every turn reads its own dice, and each 1 has its d100."""
    roster = [unit(f"{'ab'[number % 2]}-{number}") for number in range(40)]
    for turn in range(10):
        dice = ScriptedDice([(4, 1 if number % 10 == turn else 3) for number in range(40)] + [(100, 62)] * 4)
        done = check_units(TABLE, roster, dice)
        dice.finish()
        assert [happening.units for happening in done.happenings] == [(roster[turn + ten],) for ten in (0, 10, 20, 30)]
