"""Orders of a war and its turn's end, as rolls without dice: each is held against the war as it stands then, and changes it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NoReturn

from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.at_war import concluded, further, war_of
from rules.books.total_war.deeds import Advance, Given, Join
from rules.books.total_war.reading import Words, deed_of
from rules.books.total_war.refusal import coded
from rules.books.total_war.resolving import resolved
from rules.books.total_war.settings_read import rulings_of, setting_of
from rules.books.total_war.sight import seen_by
from rules.books.total_war.telling import told
from rules.books.total_war.thrown import Die
from rules.books.total_war.war import Rules, War, faction_named
from rules.dice import Dice
from rules.effects import SCENE
from rules.errors import RollError
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure

ADVANCE = "advance"
"""The family of a turn's end."""
FACTION = "faction"
"""The role of factions that order something."""
WAR_ROLE = "war"
"""The role of the war whose turn ends."""


RULE = "rule"
"""The family of rulings."""
_LAST = frozenset({ADVANCE, "join"})
"""What is told by the last line that it comes to, before the others."""


class DecidedMethod(FrozenMethod, frozen=True):
    """The method of an order (its kind) that `by` a role is carried out: no die is thrown.

    A part's inputs are its words: `to` and `with`; `turn` is that which ends, so that it ends once.
    """

    order: str
    by: str
    keeps = keeping.KEEPS

    def check(self, part: Part, book: Book) -> None:
        """Refuse what cannot be done as the war stands, as far as whoever gives the order sees it."""
        self._done(part, book, seen=True)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - there is none
        """Carry it out."""
        after, lines, conclusion = self._done(part, book)
        return MethodResult(further(lines), conclusion, changes=keeping.changes(book, part.kept[SCENE], after))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return that it is certain."""
        *_, conclusion = self._done(part, book, seen=True)
        return (Chance(conclusion, Fraction(1)),)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what it would bring as the war stands, as far as whoever gives the order sees it."""
        return self._done(part, book, seen=True)[1]

    def _done(self, part: Part, book: Book, *, seen: bool = False) -> tuple[War, list[str], Conclusion]:
        with coded():
            return self._decided(part, book, seen=seen)

    def _decided(self, part: Part, book: Book, *, seen: bool) -> tuple[War, list[str], Conclusion]:
        rules, war = war_of(part, book)
        by = str(part.inputs.get("by"))
        if seen and by in war.players:
            war = seen_by(rules, war, war.players[by].faction or by)
        after, lines = war, []
        for deed in self._deeds(rules, war, part):
            before, after = after, resolved(rules, after, deed, no_die)
            lines += told(rules, before, deed, after)
        if self.order == ADVANCE:
            after = replace(after, update=part.inputs.get("update"))
        if self.order in _LAST:
            lines = [*lines[-1:], *lines[:-1]]
        lines = lines or ["A ruling"]
        return after, lines, concluded("done", lines, rules)

    def _deeds(self, rules: Rules, war: War, part: Part) -> Sequence[Given]:
        """Return what is ordered: one deed, but for rulings, which may be words alone."""
        return rulings_of(war, part.inputs.get("to", "")) if self.order == RULE else (self._deed(rules, war, part),)

    def _deed(self, rules: Rules, war: War, part: Part) -> Given:
        taken, who = part.inputs, part.subjects.get(self.by, "")
        to = str(taken.get("to") or "")
        match self.order:
            case "advance":
                if taken.get("turn") != war.turn:
                    raise RollError(f"It is turn {war.turn}: that turn has ended already.")
                return Advance()
            case "join":
                return Join(player=who, faction=faction_named(war, to), owner=taken.get("owner"))
            case "set":
                return setting_of(rules, war, str(taken["what"]), to)
        who = faction_named(war, who) if self.by == FACTION else who
        return deed_of(rules, war, Words(self.order, who, to or None, taken.get("with") or None, taken.get("by")))


def no_die(die: Die) -> NoReturn:
    """Refuse to throw a die where none falls."""
    msg = f"an order without dice asked for one: {die.use}"
    raise AssertionError(msg)


def _procedure(order: str, title: str, by: str, headline: str, *, staff: bool = False) -> Procedure:
    return Procedure(
        family=order,
        title=title,
        actor=by,
        subject="panel",
        headline=headline,
        headline_alone=headline,
        place="panel",
        method=DecidedMethod(order, by),
        policy=Policy(on_request=False, by_card=False, open_to_players=not staff),
    )


PROCEDURES = (
    _procedure("move", "Move", "force", "{force} moves to {to}"),
    _procedure("follow", "Ride along", "squadron", "{squadron} rides along with {to}"),
    _procedure("build", "Build", "faction", "{faction} builds {with} on {to}"),
    _procedure("buy", "Buy", "faction", "{faction} buys {with} on {to}"),
    _procedure("garrison", "Garrison", "faction", "{faction} strengthens the garrison of {to}: {with}"),
    _procedure("research", "Research", "faction", "{faction} researches {to}"),
    _procedure("promote", "Promotion", "player", "{player} becomes {to}"),
    _procedure("assign", "Command", "force", "{force} is handed to {to}"),
    _procedure("delegate", "Delegation", "faction", "{faction} hands the allotting of units to {to}"),
    _procedure("allot", "Allotment", "force", "{force} gets {to} {with}"),
    _procedure("rogue", "Going rogue", "player", "{player} goes rogue"),
    _procedure("found", "Founding", "faction", "{faction} takes the name {to}"),
    _procedure("petition", "Petition", "player", "{player} asks {to} to be taken in"),
    _procedure("answer", "Answer", "faction", "{faction} answers {to} {with}"),
    _procedure("join", "Joining", "player", "{player} joins {to}"),
    _procedure("set", "Set by a game master", WAR_ROLE, "{what} is set to {to}", staff=True),
    _procedure(RULE, "A ruling", WAR_ROLE, "A ruling in {war}", staff=True),
    _procedure(ADVANCE, "Turn advance", WAR_ROLE, "The turn of {war} ends", staff=True),
)
ROLES = {item.family: item.actor for item in PROCEDURES}
"""In which role somebody carries out an order, by its kind."""
