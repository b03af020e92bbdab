"""Attacks of pets: beside the Action of their owner, with a fixed die, at range or in melee by their type (lines 544 to 557)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import ACTOR, RESISTER
from rules.books.roe.attack import share_dice
from rules.books.roe.catalog import Fire, Pet, PetType, Token, WeaponClass, WeaponKind
from rules.books.roe.engage import EngageMethod
from rules.books.roe.exposing import exposed
from rules.books.roe.lasting_rules import wounded
from rules.books.roe.vehicles import LEVEL, OWNER, TYPE, pet_brought
from rules.books.roe.weapons import sizes
from rules.dice import Dice
from rules.procedure import Chance, MethodResult, Part, Policy, Procedure, WeighedStage
from rules.tables import Consequence

_HANDLED: Mapping[str, tuple[WeaponKind, Fire | None]] = {"melee": ("melee", None), "ranged": ("ranged", "semi")}
"""How a weapon like the attack of a pet is wielded, and its fire."""


class PetMethod(EngageMethod, frozen=True):
    """The method of an attack of a pet: one attack roll as with a weapon that has the die of its level, by the range."""

    def check(self, part: Part, book: Book) -> None:
        """Refuse what an attack does."""
        EngageMethod.check(self, *_armed(part, book))

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Play it as an attack; the pet is out from now on."""
        played = EngageMethod.play(self, *_armed(part, book), dice)
        more = (Consequence("bring-out", ACTOR), *exposed(part, OWNER))
        conclusion = replace(played.conclusion, consequences=(*more, *played.conclusion.consequences))
        return MethodResult(played.steps, conclusion, played.record, played.changes)

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the rolls of both sides."""
        return EngageMethod.stages(self, *_armed(part, book))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the chance of a hit."""
        return EngageMethod.odds(self, *_armed(part, book))

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what can be told before the dice."""
        return EngageMethod.lines(self, *_armed(part, book))


def _armed(part: Part, book: Book) -> tuple[Part, Book]:
    """Return an attack with the pet's own, and the book with that as a weapon, which nobody else has."""
    pet, kind = pet_brought(book, part.inputs[LEVEL], part.inputs.get(TYPE))
    inputs = {name: value for name, value in part.inputs.items() if name not in {LEVEL, TYPE}}
    token, weapon = _weapon(pet, kind, sizes(book)[0])
    catalog = {
        **book.catalog,
        Token.kind: {**book.listed(Token), token.id: token},
        WeaponClass.kind: {**book.listed(WeaponClass), weapon.id: weapon},
    }
    return replace(part, inputs={**inputs, "tokens": [token.label]}), replace(book, catalog=catalog)


def _weapon(pet: Pet, kind: PetType, size: str) -> tuple[Token, WeaponClass]:
    wielded, fire = _HANDLED[kind.attack]
    name, label = f"{Pet.kind}.{pet.id}.{kind.id}", f"{kind.label} pet, {pet.label.lower()}"
    weapon = WeaponClass(id=name, label=label, line=pet.line, die=pet.die, rolls=1)
    token = Token(
        id=name, label=label, line=pet.line, size=size, wielded=wielded, weapon_class=name, fire=fire, bare=True
    )
    return token, weapon


PROCEDURE = Procedure(
    family="roe.pet-attack",
    title="Attack of a pet",
    actor=OWNER,
    subject=RESISTER,
    headline="{owner} sends {actor} at {resister}",
    method=PetMethod(),
    carry=share_dice,
    policy=Policy(again="never", on_request=False),
    settles={"wound": wounded},
)
