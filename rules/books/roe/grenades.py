"""Grenades in play: primed and thrown or held, thrown on and back, until their fuse has burnt (line 399)."""

from __future__ import annotations

from msgspec import Struct, convert
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.arsenal import begun_anew, fighter
from rules.books.roe.blasting import UNSEEN, reaching
from rules.books.roe.contests import ACTOR
from rules.books.roe.explosives import FUSE, Charge, Fuse, free, fuses_of, round_of
from rules.books.roe.exposing import exposed
from rules.books.roe.scene import FIGHT
from rules.dice import Dice
from rules.effects import SCENE, Change
from rules.errors import RollError
from rules.procedure import Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure
from rules.scenes import MEMBER


class Grenade(Struct, frozen=True):
    """The inputs of an act with a grenade: one that is primed (`charge`), and `held` or thrown; or one whose `fuse` burns, to be thrown.

    `near` are those (numbers) who stand in its radius where it lies; it is thrown so many metres.
    """

    charge: Charge | None = None
    fuse: str | None = None
    held: bool = False
    near: tuple[int, ...] = ()
    range_m: float | None = None


class GrenadeMethod(FrozenMethod, frozen=True):
    """The method of all acts with grenades, without a die."""

    tables: tuple[str, ...] = ()
    keeps: tuple[str, ...] = (MEMBER, FUSE, FIGHT)
    manual_facts: tuple[str, ...] = (UNSEEN,)

    def check(self, part: Part, book: Book) -> None:
        """Refuse what is thrown too far, or is not there."""
        self._done(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - none is thrown
        """Let the fuse burn, or let the grenade lie elsewhere."""
        change, text = self._done(part, book)
        seen = tuple(exposed(part, ACTOR))
        return MethodResult((), Conclusion("done", text, "neutral", "results", seen), {}, (change, *begun_anew(part)))

    def _done(self, part: Part, book: Book) -> tuple[Change, str]:
        asked = convert(part.inputs, Grenade)
        who, now = fighter(part.kept, part.subjects[ACTOR]), round_of(part.kept)
        if who is None or now is None:
            raise RollError("A fuse needs the turns of a fight. Outside of one, set the grenade off at once.")
        if not asked.held:
            reaching(book, asked.range_m)
        if asked.charge is None:
            name, fuse, text = _moved(asked, part, who["id"])
        else:
            name, fuse = free(part.kept, FUSE), _primed(asked, asked.charge, part, book, who["id"])
            text = "In hand" if fuse.held else "Thrown"
        when = f"{fuse.charge.item} explodes at the end of its user's turn in round {fuse.round}"
        return (SCENE, name, fuse.value()), f"{text}: {when}"


def _primed(asked: Grenade, charge: Charge, part: Part, book: Book, who: int) -> Fuse:
    if asked.held and any(item.held and item.of == who for item in fuses_of(part.kept).values()):
        raise RollError("One grenade is already in hand. Throw that one first.")
    last = (round_of(part.kept) or 0) + book.number("grenade-turns") - 1
    return Fuse(charge, who, last, asked.held, asked.near)


def _moved(asked: Grenade, part: Part, who: int) -> tuple[str, Fuse, str]:
    """Return a grenade that is thrown out of the hand, or back."""
    name = asked.fuse or ""
    fuse = fuses_of(part.kept).get(name)
    if fuse is None:
        raise RollError("That grenade has already exploded or is gone.")
    if fuse.held and fuse.of != who:
        raise RollError(f"{fuse.charge.item} is in someone's hand.")
    return name, replace(fuse, held=False, near=asked.near), "Thrown" if fuse.held else "Thrown back"


PROCEDURE = Procedure(
    family="roe.grenade",
    title="Grenade",
    actor=ACTOR,
    subject="resister",
    headline="{actor} and a grenade",
    headline_alone="{actor} and a grenade",
    method=GrenadeMethod(),
    policy=Policy(again="never", on_request=False),
)
