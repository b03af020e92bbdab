"""A small book of checks, contests and strikes, with procedures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from rules import procedure
from rules.acts import ActMethod
from rules.book import Book
from rules.dice import Dice
from rules.effects import SCENE, Change
from rules.errors import RollError
from rules.loader import load_folder
from rules.scenes import MEMBER
from rules.stages import StrikesMethod, TableMethod, conclude_by_row, contest_method
from rules.subjects import PROFILE
from tests.rules.toyreach import with_reach

FOLDER = Path(__file__).parent / "toy"
BY_ROW = conclude_by_row("results")
DUEL = ("toy.thrust", "toy.parry")
VOLLEY = ("toy.aim", "toy.damage", "toy.volley-tally")
CLIMB = procedure.Procedure("climb", "Climb", "actor", "wall", "{actor} climbs", TableMethod(("toy.climb",), BY_ROW))
NERVE = procedure.Procedure(
    "nerve", "Nerve", "actor", "fear", "{actor} stays calm", TableMethod(("toy.nerve",), BY_ROW)
)
DUELS = procedure.Procedure(
    "duel", "Duel", "actor", "resister", "{actor} against {resister}", contest_method("toy.duel", DUEL, BY_ROW)
)
VOLLEYS = procedure.Procedure(
    "volley", "Volley", "actor", "resister", "{actor} fires at {resister}", StrikesMethod("toy.volley", VOLLEY, BY_ROW)
)
BARRAGE = procedure.Procedure(
    "barrage",
    "Barrage",
    "actor",
    "resister",
    "{actor} shells {resister}",
    StrikesMethod("toy.barrage", VOLLEY[2:], BY_ROW),
)
LOB = procedure.Procedure(
    "lob",
    "Lob",
    "actor",
    "resister",
    "{actor} lobs a grenade at {resister}",
    ActMethod.of("lob", TableMethod(VOLLEY[:1], BY_ROW)),
    prepare=with_reach,
    policy=procedure.Policy(again="never"),
)


class Stock(Struct, frozen=True):
    """What laying a mine uses."""

    powder: int
    hull: int
    fuses: int

    @classmethod
    def of(cls, part: procedure.Part) -> Stock:
        """Read a part's stock, by default three of all."""
        own, other = (part.kept.get(part.subjects[role], {}) for role in ("actor", "resister"))
        powder, hull = own.get("powder", {"left": 3}), other.get("hull", {"left": 3})
        return cls(powder["left"], hull["left"], part.kept.get(SCENE, {}).get("fuse.lit", {"count": 0})["count"])

    @property
    def text(self) -> str:
        """The stock in words."""
        return f"{self.powder} powder, hull {self.hull}, {self.fuses} fuses"


class MineMethod(procedure.ResolutionMethod):
    """Lays a mine without a die; that takes powder and hull."""

    keeps = ("powder", "hull", "fuse.", PROFILE, MEMBER)

    def check(self, part: procedure.Part, _book: Book) -> None:
        """Refuse it without powder."""
        if not Stock.of(part).powder:
            raise RollError(f"{part.subjects['actor']} has no powder.")

    def play(self, part: procedure.Part, _book: Book, _dice: Dice) -> procedure.MethodResult:
        """Lay the mine."""
        was, actor, resister = Stock.of(part), part.subjects["actor"], part.subjects["resister"]
        now = Stock(max(was.powder - 1, 0), was.hull - 1 - was.fuses, was.fuses + 1)
        own = part.kept[actor]
        left = {"left": now.hull} if now.hull >= 0 else None
        changes: list[Change] = [(actor, "powder", {"left": now.powder}), (resister, "hull", left)]
        if SCENE in part.kept:
            changes += [(SCENE, "fuse.lit", {"count": now.fuses})]
        if PROFILE in own:
            changes += [(actor, PROFILE, {**own[PROFILE], "accuracy": own[PROFILE].get("accuracy", 0) + 1})]
        if MEMBER in own:
            changes += [(actor, MEMBER, {**own[MEMBER], "marks": {"back": 1}})]
        none = None if now.powder else f"{actor} has no powder left."
        told = procedure.Conclusion("laid", "A mine is laid", "success", "results", stops=none)
        return procedure.MethodResult((procedure.Throw("Mine", now.text),), told, changes=tuple(changes))

    def lines(self, part: procedure.Part, _book: Book) -> Sequence[str]:
        """Say the stock."""
        return (Stock.of(part).text,)


MINES = procedure.Procedure(
    "mine",
    "Mine",
    "actor",
    "resister",
    "{actor} mines {resister}",
    MineMethod(),
    policy=procedure.Policy(again="never", open_to_players=True),
)
TOY = load_folder(FOLDER, (CLIMB, NERVE, DUELS, VOLLEYS, BARRAGE, LOB, MINES))
