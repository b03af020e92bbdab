"""What a weapon does, by token, class, mode and range (lines 182 to 342)."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from rules.book import Book
from rules.books.roe import catalog
from rules.errors import RollError, UnknownName
from rules.phrases import list_known

Owed = Literal["reload", "bolt", "rack"]
ENDING = re.compile(r"(_class)?_?(\(permanent\))?$")
"""What may be missing of a printed token (line 184)."""


class UnknownToken(UnknownName):
    """An unknown weapon token."""

    kind = "weapon token"


class Weapon(Struct, frozen=True):
    """A printed weapon token and its weapon class."""

    token: catalog.WeaponToken
    type: catalog.WeaponClass

    @property
    def handling(self) -> catalog.Handling:
        """The weapon's fire (`auto` or `semi`), otherwise `hand`."""
        return self.token.fire or "hand"

    @property
    def gun(self) -> bool:
        """Whether the weapon has a kind of fire."""
        return self.token.fire is not None

    @property
    def traits(self) -> tuple[str, ...]:
        """The traits that a hit can trigger."""
        return self.token.traits or ((self.type.trait,) if self.type.trait else ())

    @property
    def damage_type(self) -> catalog.DamageType:
        """Ballistic or explosive if ranged, otherwise as it's wielded."""
        if self.token.wielded != "ranged":
            return self.token.wielded
        return "explosive" if self.type.explosive else "ballistic"

    @property
    def reload_actions(self) -> int:
        """Actions of a reload, 0 for all but automatic weapons (lines 274, 293, 319)."""
        return self.type.reload if self.token.fire == "auto" else 0


def find_weapon(book: Book, name: str) -> Weapon:
    """Return a weapon by token, also without `_Class` and `(Permanent)`; raise UnknownToken."""
    tokens, bare = book.entries_of(catalog.WeaponToken).values(), _strip(name)
    token = next((item for item in tokens if item.label == name), None)  # as it is printed, mostly
    token = token or next((it for it in tokens if bare in {_strip(it.label), _strip(it.also or it.label)}), None)
    if token is None:
        raise UnknownToken(name, [item.label for item in tokens])
    return Weapon(token, book.entries_of(catalog.WeaponClass)[token.weapon_class])


def _strip(name: str) -> str:
    return ENDING.sub("", name.strip().casefold())


def find_mode(book: Book, weapon: Weapon, name: str | None = None) -> catalog.Mode:
    """Return a weapon's mode by id, the usual one by default."""
    modes = book.entries_of(catalog.Mode)
    if name is None:
        return next(mode for mode in modes.values() if weapon.handling in mode.usual)
    own = list_modes(book, weapon)
    if name not in modes:
        raise RollError(f"{name!r} is unknown{list_known(own)}")
    if name not in own:
        raise RollError(f"{weapon.token.label} can't be used like that ({name}); it can: {', '.join(own)}.")
    return own[name]


def list_modes(book: Book, weapon: Weapon) -> dict[str, catalog.Mode]:
    """Return a weapon's modes, by id."""
    return {mode.id: mode for mode in book.entries_of(catalog.Mode).values() if weapon.handling in mode.of}


def attack_rolls(book: Book, weapon: Weapon, mode: catalog.Mode, range_m: float | None = None) -> int:
    """Return the attack rolls of one Action; without a range, as if close (lines 264 to 293, 319)."""
    if weapon.type.far_rolls and range_m is not None and not _is_close(book, range_m):
        return weapon.type.far_rolls
    if weapon.type.rolls:
        return weapon.type.rolls
    volleys = {(item.mode, item.size): item.rolls for item in book.entries_of(catalog.Volley).values()}
    return volleys.get((mode.id, weapon.token.size), mode.rolls)


def damage_sides(book: Book, weapon: Weapon, mode: catalog.Mode, range_m: float | None = None) -> int:
    """Return the damage die's sides; without a range, as if not close (lines 246 to 255, 264, 270, 329)."""
    close = weapon.type.close_die if range_m is not None and _is_close(book, range_m) else None
    sides = close or weapon.type.die or size_sides(book, weapon.token.size, gun=weapon.gun)
    return sides // mode.die_part


def list_sizes(book: Book) -> tuple[str, ...]:
    """Return the weapon sizes, smallest first."""
    return tuple(book.entries_of(catalog.DualPenalty))


def size_sides(book: Book, size: str, *, gun: bool) -> int:
    """Return the damage die's sides by size, for guns or others (A2)."""
    die = catalog.entry_of(book.entries_of(catalog.DamageDie), size)
    return die.second.sides if gun == (book.number("melee-damage-table") == 1) else die.sides


def find_band(book: Book, range_m: float) -> catalog.Band:
    """Return a range's band: 20 m is close, 50 m long (lines 299 to 307)."""
    if range_m < 0:
        raise RollError("A range can't be below 0 metres.")
    bands = book.entries_of(catalog.Band).values()
    return next(
        band
        for band in bands
        if (band.most is None or range_m <= band.most) and (band.below is None or range_m < band.below)
    )


def _is_close(book: Book, range_m: float) -> bool:
    return find_band(book, range_m) == next(iter(book.entries_of(catalog.Band).values()))


def attack_sides(band: catalog.Band, *, sniper: bool) -> int:
    """Return a band's attack die."""
    return band.sniper_die if sniper else band.die


def can_crit(band: catalog.Band, *, sniper: bool) -> bool:
    """Return whether a natural maximum is critical in a band (lines 90, 303, 307)."""
    return sniper or band.all_crit


def reach_m(book: Book, weapon: Weapon) -> int | None:
    """Return the reach in metres, None without limit (lines 124, 272, 279, 289)."""
    if weapon.type.reach is not None or weapon.gun:
        return weapon.type.reach
    return book.number("melee-reach-m") + (book.number("long-reach-m") if weapon.type.long else 0)


def is_in_throw(book: Book, range_m: float) -> bool:
    """Return whether something can be thrown that far (line 394)."""
    find_band(book, range_m)
    return range_m <= book.number("thrown-m")


def find_owed(weapon: Weapon, mode: catalog.Mode) -> Owed | None:
    """Return what must come before the next shot in this mode, or None (lines 264 to 268, 319)."""
    if weapon.type.bolt:
        return "bolt"
    if weapon.type.rack:
        return "rack"
    return "reload" if mode.reload and weapon.type.cycle == 1 else None


def special_actions(book: Book, weapon: Weapon, *, with_reload: bool = False) -> int:
    """Return the Actions to load special ammunition: 0 without a gun, or along with a reload (lines 325, 408)."""
    if not weapon.gun or (with_reload and weapon.reload_actions):
        return 0
    return max(weapon.reload_actions, book.number("special-actions"))


def threshold(book: Book, size: str, trait: str | None = None) -> int:
    """Return the lowest natural die that triggers a trait (lines 272 and 287)."""
    own = None if trait is None else catalog.entry_of(book.entries_of(catalog.WeaponTrait), trait).natural
    return catalog.entry_of(book.entries_of(catalog.Threshold), size).natural if own is None else own


def dual_penalty(book: Book, wielded: Iterable[str], step: int = 0) -> int:
    """Return the accuracy penalty of two weapons, by the larger one (lines 333 to 340).

    `step` is by how many sizes both count as larger.
    """
    by_size = book.entries_of(catalog.DualPenalty)
    return by_size[_find_largest(by_size, wielded, step)].accuracy


def may_dual_wield(book: Book, wielder: str, wielded: Iterable[str], step: int = 0) -> bool:
    """Return whether a character's size class may dual wield these weapon sizes (lines 116 to 118)."""
    by_size = book.entries_of(catalog.DualPenalty)
    order = [*by_size]
    most = catalog.entry_of(book.entries_of(catalog.Size), wielder).dual_wields
    return order.index(_find_largest(by_size, wielded, step)) <= order.index(most)


def _find_largest(by_size: Mapping[str, catalog.EntryT], wielded: Iterable[str], step: int) -> str:
    order = [*by_size]
    place = max(order.index(catalog.entry_of(by_size, size).id) for size in wielded) + step
    return order[min(max(place, 0), len(order) - 1)]


def check_dual(weapons: Iterable[Weapon]) -> None:
    """Refuse weapons that can't be dual wielded (line 414)."""
    for weapon in weapons:
        if not weapon.type.dual:
            raise RollError(f"{weapon.token.label} can't be dual wielded.")


def counts_as_automatic(book: Book, fire: str, range_m: float | None) -> bool:
    """Return whether fire (id of a mode or shotgun class) may hit others next to the target."""
    if range_m is not None and range_m < 0:
        raise RollError("A range can't be below 0 m.")
    modes = book.entries_of(catalog.Mode)
    spreading = [item.id for item in book.entries_of(catalog.WeaponClass).values() if item.far_rolls]
    if fire in modes:
        return modes[fire].rolls > 1
    if fire not in spreading:
        raise UnknownName(fire, [*modes, *spreading], "fire")
    if range_m is None:
        raise RollError("Add range_m: it decides if this counts as automatic fire.")
    return range_m > book.number("melee-shotgun-m")
