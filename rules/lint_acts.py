"""Faults of acts: what they are rolled on, cost or look for and that is not there, and roles that they name and lack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rules.acts import ActMethod
from rules.book import Act
from rules.draft import BookDraft
from rules.errors import Fault
from rules.facts import mentioned_facts
from rules.lines import Place
from rules.phrases import suggestion
from rules.procedure import Procedure

_ROLE = re.compile(r"{([^}]*)}")


def lint_acts(draft: BookDraft, families: Iterable[str] = ()) -> Iterator[Fault]:
    """Yield what acts name that is not there; what could not be read is not called missing. `families` are roll families of the book."""
    rolled = [*draft.table_ids(), *(item.id for items in (draft.contests, draft.strikes) for item in items), *families]
    facts = draft.fact_ids() if draft.facts.whole else None
    for act, at in draft.acts.placed():
        if act.rolls is not None and act.rolls not in rolled and draft.whole:
            what = f"act {act.id}: table, contest or strikes {act.rolls} doesn't exist{suggestion(act.rolls, rolled)}"
            yield at.at("rolls").fault(what)
        yield from _words(act, at)
        marks = [cost.mark for cost in act.costs]
        for index, mark in enumerate(marks):
            if mark in marks[:index]:
                what = f"act {act.id}: it costs {mark} twice: write one cost, with the sum"
                yield at.at("costs", index).fault(what)
        for index, item in enumerate(act.then):
            if item.to is not None and item.to not in {act.actor, act.subject}:
                what = f"act {act.id}: {item.do} to {item.to}: its roles are {act.actor} and {act.subject}"
                yield at.at("then", index).fault(what)
        for fact, place in _facts(act, at):
            if facts is not None and fact not in facts:
                yield place.fault(f"act {act.id}: undeclared fact {fact}{suggestion(fact, facts)}")


def like_families(draft: BookDraft, procedures: Iterable[Procedure]) -> Iterator[Fault]:
    """Yield the acts that have the id of a roll family of their book that does something else: it would hide them."""
    families = {item.family: item.method for item in procedures}
    for act, place in draft.acts.placed():
        method = families.get(act.id)
        if method is not None and not (isinstance(method, ActMethod) and method.act == act.id):
            yield place.at("id").fault(f"act {act.id}: a roll family has this id: give the act another id")


def _facts(act: Act, place: Place) -> Iterator[tuple[str, Place]]:
    tests = [(("refused", index, "when"), item.when) for index, item in enumerate(act.refused)]
    tests += [(("variants", index, "when"), item.when) for index, item in enumerate(act.variants)]
    tests += [(("costs", index, "unless"), item.unless) for index, item in enumerate(act.costs)]
    for keys, when in tests:
        yield from ((fact, place.at(*keys)) for fact in mentioned_facts(when))
    yield from ((f"{act.actor}.{cost.mark}", place.at("costs", index)) for index, cost in enumerate(act.costs))


def _words(act: Act, at: Place) -> Iterator[Fault]:
    """Yield a fault for each role that is named in words and does not stand in the act."""
    roles = [role for role in (act.actor, act.subject, act.beside) if role]
    words = [("headline", act.headline), ("headline-alone", act.headline_alone)]
    words += [(f"refused {place}", item.words) for place, item in enumerate(act.refused, 1)]
    for where, text in words:
        if {*"{}"} & {*_ROLE.sub("", text)}:
            yield at.fault(f"act {act.id}: {where} has a brace that is alone: write {{{act.actor}}}")
        for role in _ROLE.findall(text):
            if role not in roles:
                what = f"{where} names {{{role}}}, and its roles are {' and '.join(roles)}"
                yield at.fault(f"act {act.id}: {what}")
