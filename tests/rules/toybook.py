"""A small book of checks, contests and strikes, none of which any real book has, with its procedures."""

from __future__ import annotations

from pathlib import Path

from rules.acts import ActMethod
from rules.contests import StrikesMethod, contest_method
from rules.loader import load_folder
from rules.procedure import Policy, Procedure
from rules.stages import TableMethod, conclude_by_row
from tests.rules.toyreach import with_reach

FOLDER = Path(__file__).parent / "toy"
BY_ROW = conclude_by_row("results")
DUEL = ("toy.thrust", "toy.parry")
VOLLEY = ("toy.aim", "toy.damage", "toy.volley-tally")

CLIMB = Procedure("climb", "Climb", "actor", "wall", "{actor} climbs", TableMethod(("toy.climb",), BY_ROW))
NERVE = Procedure("nerve", "Nerve", "actor", "fear", "{actor} stays calm", TableMethod(("toy.nerve",), BY_ROW))
DUELS = Procedure(
    "duel",
    "Duel",
    "actor",
    "resister",
    "{actor} against {resister}",
    contest_method("toy.duel", DUEL, BY_ROW),
)
VOLLEYS = Procedure(
    "volley", "Volley", "actor", "resister", "{actor} fires at {resister}", StrikesMethod("toy.volley", VOLLEY, BY_ROW)
)
BARRAGE = Procedure(
    "barrage",
    "Barrage",
    "actor",
    "resister",
    "{actor} shells {resister}",
    StrikesMethod("toy.barrage", VOLLEY[2:], BY_ROW),
)
LOB = Procedure(
    "lob",
    "Lob",
    "actor",
    "resister",
    "{actor} lobs a grenade at {resister}",
    ActMethod("lob", TableMethod(VOLLEY[:1], BY_ROW)),
    prepare=with_reach,
    policy=Policy(again="never"),
)
TOY = load_folder(FOLDER, (CLIMB, NERVE, DUELS, VOLLEYS, BARRAGE, LOB))
