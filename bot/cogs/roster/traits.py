"""What can be ticked for a saved unit or character, in lists that fit into selects."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence

from msgspec import Struct

from bot.core.profiles import bearer
from rules.book import Trait

MAX_OPTIONS = 24
"""One less than Discord takes, for the option that means none of them."""

MAX_FIRST, MAX_LATER = 4, 14
"""Lists on the first page of a card, so that it fits a telephone's screen, and on each behind it: a select with its row is two of the 40 components that Discord takes."""

MAX_FIELDS = 5
"""How many numbers Discord takes in one modal."""

BUILT = frozenset({"base type", "buildings"})
"""The groups that speak of what is built."""

CELLBLOCKS = frozenset({"enlarged-cellblock", "no-cellblock", "damaged-cellblock"})
"""What is built but may be aboard as well: captives are held on ships."""

BASES, SHIPS = frozenset({"base", "outpost"}), frozenset({"ship", "fleet"})


class TraitList(Struct, frozen=True):
    """One list to pick from: a run of a group, or of alternatives, of which it takes a single one."""

    key: str
    title: str
    members: tuple[Trait, ...]
    single: bool


def fits(item: Trait, kind: str) -> bool:
    """Tell whether a trait makes sense for a kind; what is built is for bases, and cellblocks for ships too."""
    at_home = item.group not in BUILT or kind in BASES or (kind in SHIPS and item.id in CELLBLOCKS)
    return bearer(kind) in item.on and at_home


def trait_lists(traits: Mapping[str, Trait], kind: str, carried: Container[str] = ()) -> list[TraitList]:
    """Return the lists for a kind, in the order of the book: what fits it or is carried already, and has no number."""
    groups: dict[tuple[str, bool], list[Trait]] = {}
    for item in traits.values():
        if (fits(item, kind) or (item.id in carried and bearer(kind) in item.on)) and not item.counted:
            groups.setdefault((item.one_of or item.group, bool(item.one_of)), []).append(item)
    return [
        TraitList(
            f"{'=' if single else ''}{name[:40]}/{start}", name, tuple(members[start : start + MAX_OPTIONS]), single
        )
        for (name, single), members in groups.items()
        for start in range(0, len(members), MAX_OPTIONS)
    ]


def pages(lists: Sequence[TraitList], kind: str) -> list[Sequence[TraitList]]:
    """Return the lists for a kind page by page; what a base is built of comes first, the rest in the order of the book."""
    ranked = sorted(lists, key=lambda one: not (kind in BASES and one.title in BUILT))
    later = ranked[MAX_FIRST:]
    behind = (later[start : start + MAX_LATER] for start in range(0, len(later), MAX_LATER))
    return [ranked[:MAX_FIRST], *behind]


def counted_traits(traits: Mapping[str, Trait], kind: str, chunk: int) -> Sequence[Trait]:
    """Return the traits with a number that one modal asks of a kind; none where there is no such modal."""
    every = [item for item in traits.values() if bearer(kind) in item.on and item.counted]
    return every[chunk * MAX_FIELDS : (chunk + 1) * MAX_FIELDS]


def by_group(traits: Mapping[str, Trait], carried: Mapping[str, int]) -> Iterator[tuple[str, list[str]]]:
    """Yield what is carried, by group and in words; what the books know no more stands last under its id."""
    groups: dict[str, list[str]] = {}
    known = [(item.group, item.label, carried[item.id]) for item in traits.values() if item.id in carried]
    known += [("no longer in the books", trait, count) for trait, count in carried.items() if trait not in traits]
    for group, label, count in known:
        groups.setdefault(group, []).append(f"{label} \N{MULTIPLICATION SIGN} {count}" if count > 1 else label)
    yield from groups.items()


def after_pick(
    carried: Mapping[str, int], traits: Mapping[str, Trait], of: TraitList, chosen: Collection[str]
) -> dict[str, int]:
    """Return what is carried once these of a list are picked, and no others of it; of alternatives only what was picked now."""
    sets = {item.one_of for item in of.members if item.id in chosen and item.one_of}
    rivals = {item.id for item in traits.values() if item.one_of in sets}
    kept = {trait: count for trait, count in carried.items() if trait not in rivals | {item.id for item in of.members}}
    return kept | {item.id: 1 for item in of.members if item.id in chosen}


def after_count(carried: Mapping[str, int], counts: Mapping[str, int]) -> dict[str, int]:
    """Return what is carried once these numbers are set; nought takes a trait away."""
    return {trait: count for trait, count in {**carried, **counts}.items() if count}
