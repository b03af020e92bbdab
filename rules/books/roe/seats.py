"""Getting into a vehicle, and driving it into somebody (lines 502 to 523)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind, VehicleSeat
from rules.books.roe.characters import list_arms, mark_fighter, restart_reloading
from rules.books.roe.contests import BY_WINNER, CertainMethod, conclude_act, find_contest, list_losses
from rules.books.roe.damage import total_plain_damage, with_kind
from rules.books.roe.fights import DRAWN, UNREAD
from rules.books.roe.hiding import expose
from rules.books.roe.turns import make_wounding
from rules.books.roe.vehicles import SEAT, choose_seat, slot_weapons
from rules.books.roe.wounds import (
    HEALTH,
    SAVING,
    describe_harm,
    left_hp,
    list_injuries,
    record_harm,
    show_damage,
    throw_saving_roll,
    with_hp,
)
from rules.dice import Dice, DiceTerm
from rules.effects import EFFECT, Change
from rules.modifiers import JsonObject
from rules.procedure import MethodResult, Part
from rules.scenes import MEMBER
from rules.stages import TableMethod
from rules.subjects import PROFILE
from rules.tables import Consequence

_RAM = find_contest("ram")
_NOTHING: JsonObject = {"effects": [], "actor_loses": "nothing", "resister_loses": "nothing"}
"""What no ramming does, as the record of a strike has it."""


class _MountMethod(CertainMethod, frozen=True):
    """The method of getting into a vehicle: no dice, but a seat that is free."""

    keeps: tuple[str, ...] = (MEMBER, PROFILE)

    def done(self, part: Part, book: Book) -> MethodResult:
        seat = choose_seat(part, book, RESISTER, part.inputs.get(SEAT))
        conclusion = conclude_act(seat.label, Consequence(seat.deed, ACTOR))
        return MethodResult((), conclusion, {SEAT: seat.id}, tuple(_at_hand(part, book, seat)))


def _at_hand(part: Part, book: Book, seat: VehicleSeat) -> Iterator[Change]:
    """Yield that the weapons of the vehicle are at hand for whoever has a slot."""
    if seat.may_fire:
        fields = part.kept.get(part.subjects[RESISTER], {}).get(PROFILE, {})
        arms = list_arms(book, slot_weapons(book, fields))
        yield from mark_fighter(part, ACTOR, {DRAWN + arm.id: 1 for arm in arms})


class _RamMethod(TableMethod, frozen=True):
    """The method of driving a vehicle into somebody: the driver's die against a dodge, which costs the next movement (A32); who fails critically loses an Action."""

    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as the engine calls it
        left_hp(part, RESISTER)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        met = TableMethod.play(self, part, book, dice)
        came, lost = met.conclusion, (*list_losses(part, book, met), *expose(part, ACTOR, RESISTER))
        moved = tuple(restart_reloading(part))
        if came.outcome != ACTOR:
            told = replace(came, consequences=(Consequence("lose-movement", RESISTER), *lost))
            return MethodResult(met.steps, told, {"damage": 0}, moved)
        roll = dice.roll(DiceTerm(1, book.number("ram-sides")))
        # It is melee damage, to which nothing adds (line 522).
        kind = next(item for item in book.listed(DamageKind).values() if item.contest == "roe.strike")
        struck = replace(part, facts=with_kind(part.facts, kind))
        hp, done = left_hp(part, RESISTER), total_plain_damage(struck, book, RESISTER, kind, roll.total)
        record = {**_NOTHING, **record_harm(book, hp, done, mortal=True)}
        saved = throw_saving_roll(record, part, book, dice)
        text = f"{came.text}: {describe_harm(done.damage, down=record['wounded'])}"
        told = replace(came, text=text, consequences=(*list_injuries(record, part, book, saved), *lost))
        changes = (*moved, with_hp(part, RESISTER, record["hp"])) if done.damage else moved
        return MethodResult((*met.steps, *show_damage(hp, [roll], done), *saved), told, record, changes)


PROCEDURES = (
    make_wounding("roe.mount", "Mount", "{actor} gets into {resister}", _MountMethod()),
    make_wounding(
        "roe.ramming", "Ram", "{actor} rams {resister}", _RamMethod((*_RAM.tables, SAVING), BY_WINNER, _RAM.plan)
    ),
)
