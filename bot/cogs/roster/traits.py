"""What can be ticked for a saved unit or character, in lists that fit into selects."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass

from bot.core.profiles import bearer
from rules.book import Trait

MAX_OPTIONS = 24
"""One less than Discord takes, for the option that means none of them."""


BUILT = frozenset({"base type", "buildings"})
"""The groups that speak of what is built."""

CELLBLOCKS = frozenset({"enlarged-cellblock", "no-cellblock", "damaged-cellblock"})
"""What is built but may be aboard as well: captives are held on ships."""

BASES, SHIPS = frozenset({"base", "outpost"}), frozenset({"ship", "fleet"})


@dataclass(frozen=True, slots=True)
class Pick:
    """One list to pick from: a run of a group, or of alternatives, of which it takes a single one."""

    key: str
    title: str
    members: tuple[Trait, ...]
    single: bool


def fits(item: Trait, kind: str) -> bool:
    """Whether a trait makes sense for a kind; what is built is for bases, and cellblocks for ships too."""
    at_home = item.group not in BUILT or kind in BASES or (kind in SHIPS and item.id in CELLBLOCKS)
    return bearer(kind) in item.on and at_home


def picks(traits: Mapping[str, Trait], kind: str, held: Container[str] = ()) -> list[Pick]:
    """The lists for a kind, in the order of the book: what fits it or is held already, and has no number."""
    groups: dict[tuple[str, bool], list[Trait]] = {}
    for item in traits.values():
        if (fits(item, kind) or (item.id in held and bearer(kind) in item.on)) and not item.counted:
            groups.setdefault((item.one_of or item.group, bool(item.one_of)), []).append(item)
    return [
        Pick(f"{'=' if single else ''}{name[:40]}/{start}", name, tuple(members[start : start + MAX_OPTIONS]), single)
        for (name, single), members in groups.items()
        for start in range(0, len(members), MAX_OPTIONS)
    ]


def counted(traits: Mapping[str, Trait], bearer: str) -> list[Trait]:
    """What a bearer has a number of."""
    return [item for item in traits.values() if bearer in item.on and item.counted]


def carried(traits: Mapping[str, Trait], held: Mapping[str, int]) -> Iterator[tuple[str, list[str]]]:
    """What is carried, by group and in words; what the books know no more stands last under its id."""
    groups: dict[str, list[str]] = {}
    known = [(item.group, item.label, held[item.id]) for item in traits.values() if item.id in held]
    known += [("no longer in the books", trait, count) for trait, count in held.items() if trait not in traits]
    for group, label, count in known:
        groups.setdefault(group, []).append(f"{label} \N{MULTIPLICATION SIGN} {count}" if count > 1 else label)
    yield from groups.items()


def picked(held: Mapping[str, int], traits: Mapping[str, Trait], pick: Pick, chosen: Collection[str]) -> dict[str, int]:
    """What is carried once these of a list are picked, and no others of it; of alternatives only what was picked now."""
    sets = {item.one_of for item in pick.members if item.id in chosen and item.one_of}
    rivals = {item.id for item in traits.values() if item.one_of in sets}
    kept = {trait: count for trait, count in held.items() if trait not in rivals | {item.id for item in pick.members}}
    return kept | {item.id: 1 for item in pick.members if item.id in chosen}


def numbered(held: Mapping[str, int], counts: Mapping[str, int]) -> dict[str, int]:
    """What is carried once these numbers are set; nought takes a trait away."""
    return {trait: count for trait, count in {**held, **counts}.items() if count}
