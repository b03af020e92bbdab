"""What a weapon does, read off its token, class, mode and range (lines 182 to 342): rolls, dice, reach, what it owes, whom it may hit besides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import (
    Band,
    DamageDie,
    DamageType,
    DualPenalty,
    EntryT,
    Handling,
    Mode,
    Size,
    Threshold,
    Volley,
    WeaponClass,
    WeaponToken,
    WeaponTrait,
    entry_of,
)
from rules.errors import RollError, UnknownName
from rules.phrases import known_list

Owed = Literal["reload", "bolt", "rack"]
ENDING = re.compile(r"(_class)?_?(\(permanent\))?$")
"""What may be missing of a token as printed (line 184)."""


class UnknownToken(UnknownName):
    """There is no such weapon token."""

    kind = "weapon token"


class Weapon(Struct, frozen=True):
    """A token with what its class does otherwise."""

    token: WeaponToken
    type: WeaponClass

    @property
    def handling(self) -> Handling:
        """How it is used."""
        return self.token.fire or "hand"

    @property
    def gun(self) -> bool:
        """Whether it fires, at any of the three ranges."""
        return self.token.fire is not None

    @property
    def traits(self) -> tuple[str, ...]:
        """The traits that a hit can trigger; of several whoever attacks names one."""
        return self.token.traits or ((self.type.trait,) if self.type.trait else ())

    @property
    def damage_type(self) -> DamageType:
        """What damage it deals."""
        if self.token.wielded != "ranged":
            return self.token.wielded
        return "explosive" if self.type.explosive else "ballistic"

    @property
    def reload_actions(self) -> int:
        """How many Actions a reload takes; what does not fire automatically is never reloaded (lines 274, 293, 319)."""
        return self.type.reload if self.token.fire == "auto" else 0


def find_weapon(book: Book, name: str) -> Weapon:
    """Return the weapon of a token as printed, or without `_Class` and `(Permanent)`.

    Raises:
        UnknownToken: there is none.

    """
    tokens, bare = book.listed(WeaponToken).values(), _strip(name)
    token = next((item for item in tokens if item.label == name), None)  # as it is printed, mostly
    token = token or next(
        (item for item in tokens if bare in {_strip(item.label), _strip(item.also or item.label)}), None
    )
    if token is None:
        raise UnknownToken(name, [item.label for item in tokens])
    return Weapon(token, book.listed(WeaponClass)[token.weapon_class])


def _strip(name: str) -> str:
    return ENDING.sub("", name.strip().casefold())


def find_mode(book: Book, weapon: Weapon, name: str | None = None) -> Mode:
    """Return a mode that a weapon can be used in, its usual one where none is named."""
    modes = book.listed(Mode)
    if name is None:
        return next(mode for mode in modes.values() if weapon.handling in mode.usual)
    own = list_modes(book, weapon)
    if name not in modes:
        raise RollError(f"{name!r} is unknown{known_list(own)}")
    if name not in own:
        raise RollError(f"{weapon.token.label} can't be used like that ({name}); it can: {', '.join(own)}.")
    return own[name]


def list_modes(book: Book, weapon: Weapon) -> dict[str, Mode]:
    """Return the modes that a weapon can be used in, by id."""
    return {mode.id: mode for mode in book.listed(Mode).values() if weapon.handling in mode.of}


def attack_rolls(book: Book, weapon: Weapon, mode: Mode, range_m: float | None = None) -> int:
    """Return how many attack rolls one Action has, at a range in metres where that matters (lines 264 to 293, 319)."""
    if weapon.type.far_rolls and range_m is not None and not _is_close(book, range_m):
        return weapon.type.far_rolls
    if weapon.type.rolls:
        return weapon.type.rolls
    volleys = {(item.mode, item.size): item.rolls for item in book.listed(Volley).values()}
    return volleys.get((mode.id, weapon.token.size), mode.rolls)


def damage_sides(book: Book, weapon: Weapon, mode: Mode, range_m: float | None = None) -> int:
    """Return the sides of the damage die, at a range in metres where that matters (lines 246 to 255, 264, 270, 329)."""
    close = weapon.type.close_die if range_m is not None and _is_close(book, range_m) else None
    sides = close or weapon.type.die or size_sides(book, weapon.token.size, gun=weapon.gun)
    return sides // mode.die_part


def list_sizes(book: Book) -> tuple[str, ...]:
    """Return the sizes of weapons, smallest first."""
    return tuple(book.listed(DualPenalty))


def size_sides(book: Book, size: str, *, gun: bool) -> int:
    """Return the sides of the damage die of a weapon size, off the table of guns or that of all others (A2)."""
    die = entry_of(book.listed(DamageDie), size)
    return die.second.sides if gun == (book.number("melee-damage-table") == 1) else die.sides


def find_band(book: Book, range_m: float) -> Band:
    """Return the band that a range in metres lies in: 20 m is close, 50 m long (lines 299 to 307)."""
    if range_m < 0:
        raise RollError("A range can't be below 0 metres.")
    bands = book.listed(Band).values()
    return next(
        band
        for band in bands
        if (band.most is None or range_m <= band.most) and (band.below is None or range_m < band.below)
    )


def _is_close(book: Book, range_m: float) -> bool:
    return find_band(book, range_m) == next(iter(book.listed(Band).values()))


def attack_sides(band: Band, *, sniper: bool) -> int:
    """Return the sides of the attack die in a band."""
    return band.sniper_die if sniper else band.die


def can_crit(band: Band, *, sniper: bool) -> bool:
    """Return whether a natural maximum is a critical success in a band (lines 90, 303, 307)."""
    return sniper or band.all_crit


def reach_m(book: Book, weapon: Weapon) -> int | None:
    """Return how many metres a weapon reaches, None where it has no end (lines 124, 272, 279, 289)."""
    if weapon.type.reach is not None or weapon.gun:
        return weapon.type.reach
    return book.number("melee-reach-m") + (book.number("long-reach-m") if weapon.type.long else 0)


def is_in_throw(book: Book, range_m: float) -> bool:
    """Return whether something can be thrown so many metres (line 394)."""
    find_band(book, range_m)
    return range_m <= book.number("thrown-m")


def find_owed(weapon: Weapon, mode: Mode) -> Owed | None:
    """Return what a weapon owes before it is used again; chain-fed ones count their turns first (lines 264 to 268, 319)."""
    if weapon.type.bolt:
        return "bolt"
    if weapon.type.rack:
        return "rack"
    return "reload" if mode.reload and weapon.type.cycle == 1 else None


def special_actions(book: Book, weapon: Weapon, *, with_reload: bool = False) -> int:
    """Return how many Actions it takes to load special ammunition: a reload's, or none of its own with one (lines 325, 408)."""
    if not weapon.gun or (with_reload and weapon.reload_actions):
        return 0
    return max(weapon.reload_actions, book.number("special-actions"))


def threshold(book: Book, size: str, trait: str | None = None) -> int:
    """Return the natural accuracy die from which on a trait of a weapon of this size is triggered (lines 272 and 287)."""
    own = None if trait is None else entry_of(book.listed(WeaponTrait), trait).natural
    return entry_of(book.listed(Threshold), size).natural if own is None else own


def dual_penalty(book: Book, wielded: Iterable[str], step: int = 0) -> int:
    """Return what using weapons of two sizes at once takes from accuracy: by the larger one (lines 333 to 340).

    `step` is by how many sizes they count as larger.
    """
    by_size = book.listed(DualPenalty)
    return by_size[_find_largest(by_size, wielded, step)].accuracy


def may_dual_wield(book: Book, wielder: str, wielded: Iterable[str], step: int = 0) -> bool:
    """Return whether somebody of a size class may wield weapons of these sizes two at a time (lines 116 to 118)."""
    by_size = book.listed(DualPenalty)
    order = [*by_size]
    most = entry_of(book.listed(Size), wielder).dual_wields
    return order.index(_find_largest(by_size, wielded, step)) <= order.index(most)


def _find_largest(by_size: Mapping[str, EntryT], wielded: Iterable[str], step: int) -> str:
    order = [*by_size]
    place = max(order.index(entry_of(by_size, size).id) for size in wielded) + step
    return order[min(max(place, 0), len(order) - 1)]


def check_dual(weapons: Iterable[Weapon]) -> None:
    """Refuse what cannot be used together with another weapon (line 414)."""
    for weapon in weapons:
        if not weapon.type.dual:
            raise RollError(f"{weapon.token.label} can't be dual wielded.")


class UnknownFire(UnknownName):
    """There is no such fire."""

    kind = "fire"


def counts_as_automatic(book: Book, fire: str, range_m: float | None) -> bool:
    """Return whether fire counts as automatic for those beside the target: a mode, or a class of weapons from afar."""
    if range_m is not None and range_m < 0:
        raise RollError("A range can't be below 0 m.")
    modes, spreading = book.listed(Mode), [item.id for item in book.listed(WeaponClass).values() if item.far_rolls]
    if fire in modes:
        return modes[fire].rolls > 1
    if fire not in spreading:
        raise UnknownFire(fire, [*modes, *spreading])
    if range_m is None:
        raise RollError("Add range_m: it decides if this counts as automatic fire.")
    return range_m > book.number("melee-shotgun-m")
