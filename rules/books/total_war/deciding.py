"""Orders of a war and its turn's end, as rolls without dice: each is held against the war as it stands then, and changes it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.at_war import concluded, for_maker, further, war_of
from rules.books.total_war.deeds import Advance, Given, Join, SetSource
from rules.books.total_war.order_kinds import ADVANCE, FOLLOW, JOIN, ROGUE, RULE, SEEN, SET
from rules.books.total_war.reading import Words, deed_of
from rules.books.total_war.refusal import Refused
from rules.books.total_war.resolving import resolved
from rules.books.total_war.settings_read import rulings_of, setting_of
from rules.books.total_war.sight import has_fog, seen_by
from rules.books.total_war.summing import summed
from rules.books.total_war.telling import foretold, told, told_to
from rules.books.total_war.thrown import no_die
from rules.books.total_war.war import Rules, War, faction_named
from rules.dice import Dice
from rules.effects import SCENE
from rules.errors import RollError
from rules.orders import OrderKind
from rules.procedure import Chance, Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure

FACTION = "faction"
"""The role of factions that order something."""
WAR_ROLE = "war"
"""The role of the war whose turn ends."""
GIVER = "giver"
"""The input that says who has given an order; none is a game master."""
NOTHING = "A ruling"
"""What is told of what has brought nothing."""
UNSEEN, OUT_OF_SIGHT = "E_OUT_OF_SIGHT", "something out of sight prevents it"
"""How an order is refused by what its giver does not see: alike whatever that is, since a code would tell of it."""

ALREADY = "That changes nothing."
"""What is said of what would change nothing."""
_MAY_REPEAT = frozenset({RULE, FOLLOW})
"""What may leave a war as it is: a ruling in words alone, and a pledge that stands already, since a panel after it may be new."""
_LAST = frozenset({ADVANCE, JOIN, ROGUE})
"""What is told by the last line that it comes to, before the others."""


Tell = Callable[[Rules, War, Given, War], list[str]]
"""Return in lines what a deed has brought, out of the war before and after it."""


class Done(NamedTuple):
    """The war after an order, and what that has brought, in lines."""

    after: War
    lines: list[str]


class DecidedMethod(FrozenMethod, frozen=True):
    """The method of an order (its kind) that `by` a role is carried out: no die is thrown.

    A part's inputs are its words: `to` and `with`; `turn` is that which ends, so that it ends once. It is held against the war as
    it is, for the one who has given it (`giver`), or as it is seen by who asks what it would come to (`by`).
    """

    order: str
    by: str
    keeps = keeping.KEEPS

    def check(self, part: Part, book: Book) -> None:
        """Refuse what cannot be done as the war stands, as far as whoever gives the order sees it."""
        self._foreseen(part, book, _tell_nothing)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - there is none
        """Carry it out; where there is fog its outcome tells what its giver sees, and the staff reads all of it behind that."""
        rules, war = war_of(part, book)
        done, first = self._by_then(rules, war, part), self._first_line(rules, war, part)
        lines = done.lines if first is None else [first, *(line for line in done.lines if line != first)]
        changes = keeping.changes(book, part.kept[SCENE], done.after)
        record: dict[str, Any] = {SEEN: self._seen_by_all(rules, war, done.after, part)} if has_fog(rules) else {}
        if self.order == ADVANCE:  # no order comes to it, and the digest of a quiet turn tells of nothing else
            record |= summed(done.lines, ADVANCE)
        return MethodResult(further(lines), self._conclusion(rules, lines), record, changes)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return that it is certain."""
        rules, done = self._foreseen(part, book)
        return (Chance(self._conclusion(rules, done.lines), Fraction(1)),)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what it would bring as the war stands, as far as whoever gives the order sees it."""
        rules, _ = war_of(part, book)
        sealed = self.order in book.listed(OrderKind) and rules.scenario.orders == "sealed"
        return self._foreseen(part, book, foretold if sealed else told)[1].lines

    def _conclusion(self, rules: Rules, lines: Sequence[str]) -> Conclusion:
        """Return what it came to; who joins knows of that in fog too."""
        made = concluded("done", lines, rules)
        return for_maker(made) if self.order == JOIN else made

    def _foreseen(self, part: Part, book: Book, tell: Tell = told) -> tuple[Rules, Done]:
        """Return what it comes to as far as whoever asks sees the war."""
        rules, war = war_of(part, book)
        if part.inputs.get("by") is None:
            return rules, self._by_then(rules, war, part, tell)
        return rules, self._done(rules, seen_by(rules, war, _viewer(war, part.inputs["by"])), part, tell)

    def _by_then(self, rules: Rules, war: War, part: Part, tell: Tell = told) -> Done:
        """Return what it comes to as the war is; where there is fog a refusal tells its giver no more than they see."""
        giver = part.inputs.get(GIVER)
        try:
            return self._done(rules, war, part, tell)
        except Refused as refused:
            if giver is None or not has_fog(rules):
                raise
            self._done(rules, seen_by(rules, war, _viewer(war, giver)), part)
            raise Refused(UNSEEN, OUT_OF_SIGHT) from refused

    def _first_line(self, rules: Rules, war: War, part: Part) -> str | None:
        """Return by what line the giver of an order is told what it has come to; None where all of it is told to everybody."""
        giver = part.inputs.get(GIVER)
        if giver is None or not has_fog(rules):
            return None
        return next(iter(self._seen(rules, war, part, _viewer(war, giver))), "Done")

    def _seen_by_all(self, rules: Rules, war: War, after: War, part: Part) -> dict[str, list[str]]:
        """Return what each faction sees of it, by its id, also of one that ends or begins with it; nothing of those that see nothing."""
        found = ((name, self._seen(rules, war, part, name)) for name in {**war.factions, **after.factions})
        return {name: lines for name, lines in found if lines}

    def _seen(self, rules: Rules, war: War, part: Part, viewer: str | None) -> list[str]:
        """Return in lines what somebody sees of it."""
        made = self._done(rules, war, part, partial(told_to, viewer=viewer))
        return [line for line in made.lines if line != NOTHING]

    def _done(self, rules: Rules, war: War, part: Part, tell: Tell = told) -> Done:
        after, lines = war, list[str]()
        for deed in self._deeds(rules, war, part):
            before, after = after, resolved(rules, after, deed, no_die)
            came = tell(rules, before, deed, after)
            lines += came or ([*self._idle(before, deed, after)] if tell is told else ())  # factions see nothing of it
        if self.order == ADVANCE:
            after = replace(after, update=part.inputs.get("update"))
        if self.order not in _MAY_REPEAT and after == war:
            raise Refused("E_NO_TARGET", ALREADY)
        if self.order in _LAST:
            lines = [*lines[-1:], *lines[:-1]]
        return Done(after, lines or [NOTHING])

    def _idle(self, before: War, deed: Given, after: War) -> Iterator[str]:
        """Yield that a mark in a ruling changes nothing, to whoever reads of that ruling."""
        if self.order == RULE and before == after and isinstance(deed, SetSource):
            yield f"{after.factions[deed.faction].name} keeps its source of supply."

    def _deeds(self, rules: Rules, war: War, part: Part) -> Sequence[Given]:
        """Return what is ordered: one deed, but for rulings, which may be words alone."""
        return rulings_of(war, part.inputs.get("to", "")) if self.order == RULE else (self._deed(rules, war, part),)

    def _deed(self, rules: Rules, war: War, part: Part) -> Given:
        taken, who = part.inputs, part.subjects.get(self.by, "")
        to = str(taken.get("to") or "")
        match self.order:
            case "advance":
                if taken.get("turn") != war.turn:
                    raise RollError(f"That turn has already ended. It's turn {war.turn}.")
                return Advance()
            case "join":
                return Join(player=who, faction=faction_named(war, to), owner=taken.get("owner"))
            case "set":
                return setting_of(rules, war, str(taken["what"]), to)
        who = faction_named(war, who) if self.by == FACTION else who
        actor = taken.get("by", taken.get(GIVER))
        return deed_of(rules, war, Words(self.order, who, to or None, taken.get("with") or None, actor))


def _tell_nothing(_rules: Rules, _before: War, _deed: Given, _after: War) -> list[str]:
    return []


def _viewer(war: War, player: str) -> str | None:
    """Return as whom a player sees a war: as their faction, a lone rogue by their name; None of whoever is not in it."""
    found = war.players.get(player)
    return None if found is None else found.faction or player


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
        policy=Policy(on_request=False, by_card=False, open_to_players=not staff, played=()),
    )


PROCEDURES = (
    _procedure("move", "Move", "force", "{force} moves to {to}"),
    _procedure("follow", "Ride along", "squadron", "{squadron} follows {to}"),
    _procedure("build", "Build", "faction", "{faction} builds {with} on {to}"),
    _procedure("buy", "Buy", "faction", "{faction} buys {with} on {to}"),
    _procedure("garrison", "Garrison", "faction", "{faction} strengthens the garrison of {to}: {with}"),
    _procedure("research", "Research", "faction", "{faction} researches {to}"),
    _procedure("promote", "Promotion", "player", "{player} becomes {to}"),
    _procedure("assign", "Command", "force", "{force} is handed to {to}"),
    _procedure("delegate", "Delegation", "faction", "{faction} sets who assigns new units: {to}"),
    _procedure("allot", "New units", "force", "{force} gets {to} {with}"),
    _procedure("rogue", "Going rogue", "player", "{player} goes rogue"),
    _procedure("found", "Faction name", "faction", "{faction} takes the name {to}"),
    _procedure("petition", "Request to join", "player", "{player} asks to join {to}"),
    _procedure("answer", "Answer", "faction", "{faction} answers {to} {with}"),
    _procedure("join", "New player", "player", "{player} joins {to}"),
    _procedure(SET, "Set by a game master", WAR_ROLE, "Set by a game master in {war}", staff=True),
    _procedure(RULE, "A ruling", WAR_ROLE, "A ruling in {war}", staff=True),
    _procedure(ADVANCE, "Turn advance", WAR_ROLE, "The turn of {war} ends", staff=True),
)
ROLES = {item.family: item.actor for item in PROCEDURES}
"""In which role somebody carries out an order, by its kind."""
