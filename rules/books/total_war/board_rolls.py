"""Acts on the board of a battle as rolls: what a unit does in its half of a turn, and what is done without dice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.acting import Act, Attacks, Done, carried_out, read_act, require_act, standing
from rules.books.total_war.actors import require_going
from rules.books.total_war.at_war import concluded, for_maker, further, war_of
from rules.books.total_war.board_roles import BEGUN, MANEUVER, TARGET, UNIT
from rules.books.total_war.board_telling import (
    after_lines,
    before_lines,
    end_of,
    ends_of,
    half_line,
    seen_of,
)
from rules.books.total_war.deeds import Fight as FightDeed
from rules.books.total_war.refusal import Refused
from rules.books.total_war.summing import of_battle, summed
from rules.books.total_war.thrown_steps import Attacked, Drawn, steps_of
from rules.books.total_war.war import Rules, War, ruled
from rules.dice import Dice
from rules.effects import SCENE
from rules.geometry.hexes import Hex
from rules.procedure import Chance, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw


class ActMethod(FrozenMethod, frozen=True):
    """The method of what a unit does: it moves, attacks in one `way`, or both.

    A part's inputs are `at` (the battle's panel), `to` (a tile), `first` ("move" unless it is "attack"), `others` (units that
    combine with it), `call` (of the coin), `toward` (a direction), `begun` (the entry that has begun the battle), and `by`, the
    callsign of who acts; none is a game master.
    """

    way: Attacks | None = None
    keeps = keeping.KEEPS

    def check(self, part: Part, book: Book) -> None:
        """Refuse an act that is not possible as the battle stands."""
        self._ready(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw the dice of the attack, and close the battle where that ends it."""
        rules, war, then, act = self._ready(part, book)
        drawn = Drawn(dice)
        done = carried_out(rules, war, act, drawn)
        outcome, tone = end_of(act, done)
        lines = [*after_lines(rules, act, done)]
        changes = keeping.changes(book, part.kept[SCENE], done.war)
        steps = _steps(Attacked(rules.terms, then.battles[act.at].fight, act, drawn.fallen), done)
        told = for_maker(concluded(outcome, lines, rules, tone))
        deed = FightDeed(at=act.at, order=done.came[-1][0], actor=act.by)
        seen, came = seen_of(rules, war, deed, done.war), [*of_battle(rules, done.board, deed, done.war, act.at)]
        record = {"fallen": [*done.fallen], **standing(rules, done.war), **seen, **(summed(came) if came else {})}
        return MethodResult((*steps, *further(lines)), told, record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the exact chance of each end."""
        rules, _, then, act = self._ready(part, book)
        found = ends_of(rules.terms, then.battles[act.at].fight, act)
        return tuple(
            Chance(for_maker(concluded(outcome, [text], rules, tone)), chance) for outcome, text, tone, chance in found
        )

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return in which battle it is done and in whose half, how far the unit moves, what it aims at, and who stands in its lane with what chance to fall."""
        rules, war, then, act = self._ready(part, book)
        boards = (war.battles[act.at].fight, then.battles[act.at].fight)
        return (half_line(war, act.at), *before_lines(rules.terms, *boards, act))

    def _ready(self, part: Part, book: Book) -> tuple[Rules, War, War, Act]:
        """Return the rules, the war, the war in which the attack is made, and the act, which is possible."""
        rules, war = war_of(part, book)
        rules = ruled(rules, war)
        _require_its_battle(war, part)
        act = read_act(rules, war, (part.subjects[UNIT], part.subjects.get(TARGET)), part.inputs, self.way)
        return rules, war, require_act(rules, war, act), act


def _require_its_battle(war: War, part: Part) -> None:
    """Refuse an act in a battle that is fought no more; one that came later on its panel is not meant, and nothing is told of it."""
    require_going(war)
    begun = part.inputs.get(BEGUN)
    if begun is None:  # a card of an older version
        return
    at = Hex.parse(str(part.inputs["at"]))
    opened = part.kept[SCENE].get(f"{keeping.OPENED}{at}", {"entry": begun})  # in fog an older version shows none
    if at not in war.battles or opened["entry"] != begun:
        raise Refused("E_BATTLE_OVER", f"The battle on {at} that this is about is over.")


def _steps(attacked: Attacked, done: Done) -> Iterator[Throw]:
    for order, happened in done.came:
        yield from steps_of(attacked, order, happened)


def _procedure(family: str, title: str, headline: str, way: Attacks | None, alone: str = "") -> Procedure:
    return Procedure(
        family=family,
        title=title,
        actor=UNIT,
        subject=TARGET,
        headline=headline,
        headline_alone=alone,
        place="panel",
        method=ActMethod(way),
        policy=Policy(again="never", open_to_players=True, played=()),
    )


PROCEDURES = (
    _procedure("shoot", "Shot", "{unit} shoots at {target}", "shot"),
    _procedure("melee", "Melee", "{unit} attacks {target} in melee", "melee"),
    _procedure("broadside", "Broadside", "{unit} fires a broadside", "fire", "{unit} fires a broadside"),
    _procedure(MANEUVER, "Maneuver", "{unit} moves", None, "{unit} moves"),
)
"""What a unit does."""
