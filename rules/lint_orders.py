"""Faults of orders: kinds that no phase takes, rolls that are not there, and roles that those do not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rules.catalog import Catalog
from rules.draft import BookDraft
from rules.errors import Fault
from rules.lines import Place
from rules.orders import OrderKind, Phase
from rules.phrases import suggestion
from rules.procedure import Procedure


def lint_orders(draft: BookDraft, catalog: Catalog, procedures: Sequence[Procedure]) -> Iterator[Fault]:
    """Yield what order kinds and phases name that is not there, and kinds that would never be resolved.

    A folder that is read without `procedures` says nothing of the rolls that they make up.
    """
    places = {(kind, raw.get("id")): place for kind, place, raw in draft.entries if isinstance(raw, dict)}
    kinds = {item.id: item for item in catalog.get(OrderKind.kind, {}).values() if isinstance(item, OrderKind)}
    taken: set[str] = set()
    for phase in catalog.get(Phase.kind, {}).values():
        for name in phase.takes if isinstance(phase, Phase) else ():
            at = places[Phase.kind, phase.id].at("takes")
            if name not in kinds:
                yield at.fault(f"phase {phase.id}: unknown order {name}{suggestion(name, kinds)}")
            taken.add(name)
    families = {item.family for item in procedures} | {act.id for act in draft.acts}
    known = families if procedures and draft.whole else None
    for kind in kinds.values():
        yield from _kind(kind, places[OrderKind.kind, kind.id], known, taken)


def _kind(kind: OrderKind, place: Place, families: Collection[str] | None, taken: Collection[str]) -> Iterator[Fault]:
    if kind.id not in taken:
        yield place.fault(f"order {kind.id}: no phase takes it, so that it would never be resolved")
    if families is not None and kind.family is not None and kind.family not in families:
        what = f"order {kind.id}: roll {kind.family} doesn't exist{suggestion(kind.family, families)}"
        yield place.at("family").fault(what)
    if bool(kind.hushed) != bool(kind.nothing):
        yield place.fault(f"order {kind.id}: hushed needs nothing as well: the text when everything is hushed")
    roles = [role for role in (kind.by, kind.to, kind.beside) if role is not None]
    if len(set(roles)) < len(roles):
        yield place.fault(f"order {kind.id}: its roles must all differ")
