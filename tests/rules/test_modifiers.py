from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.modifiers import BY_HAND, KnownFact, Modifier, Origin, find_matching_facts
from rules.procedure import Part, Procedure
from rules.ruleset import prepare_part
from tests.rules.test_odds import CAMPAIGN, parts

SAVED = Origin("saved", "saved of it")


def _count_lines(modifiers: tuple[Modifier, ...], part: Part) -> dict[str, int]:
    found: dict[str, int] = {}
    for modifier in modifiers:
        clause = find_matching_facts(modifier.when, part.facts)
        by_facts = 0 if clause is None else max((part.facts[fact].count for fact in clause), default=1)
        found[modifier.id] = part.marks.get(modifier.id, by_facts if modifier.per else min(by_facts, 1))
    for rivals in {item.one_of for item in modifiers} - {None}:
        counted = [item for item in modifiers if item.one_of == rivals and found[item.id]]
        best = max(
            counted, key=lambda item: (item.id in part.marks, abs(item.value), modifiers.index(item)), default=None
        )
        found |= {item.id: 0 for item in counted if item is not best}
    return found


@pytest.mark.parametrize(
    "procedure", [roll for roll in CAMPAIGN.procedures.values() if roll.method.tables], ids=lambda roll: roll.family
)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_every_line_counts_as_it_would_by_itself(procedure: Procedure, data: st.DataObject) -> None:
    """Prepared weighing agrees with plain weighing."""
    tables = [CAMPAIGN.table(table) for table in procedure.method.tables]
    asked = data.draw(parts(*tables, procedure=procedure))
    secret = data.draw(st.sets(st.sampled_from(sorted(asked.facts)))) if asked.facts else set()
    facts = {fact: replace(known, secret=fact in secret or known.secret) for fact, known in asked.facts.items()}
    part = prepare_part(replace(asked, facts=facts), procedure, CAMPAIGN)
    for table in tables:
        weighed = table.modifier_set().weigh(part.facts, part.marks)
        assert {item.modifier.id: item.count for item in weighed} == _count_lines(table.modifiers, part)
        for item in weighed:
            stands_on = [part.facts[fact] for fact in find_matching_facts(item.modifier.when, part.facts) or ()]
            assert item.secret == (item.modifier.secret or any(fact.secret for fact in stands_on))
            if item.count and item.modifier.id in part.marks:
                assert item.origin in {BY_HAND, *(known.origin for known in stands_on[:1])}


def test_a_saved_fact_that_is_ticked_too_keeps_its_origin() -> None:
    """Origin and secrecy stay."""
    procedure, table = CAMPAIGN.procedure("patrol"), CAMPAIGN.table("campaign.patrol.catch")
    saved = KnownFact(1, SAVED, secret=True)
    asked = Part("one", {"patrol": "Kilo", "target": "Zaku"}, {"target.newtype": saved}, {"target.newtype": 1})
    part = prepare_part(asked, procedure, CAMPAIGN)
    (item,) = [
        item for item in table.modifier_set().weigh(part.facts, part.marks) if item.modifier.id == "target.newtype"
    ]
    assert (item.count, item.origin, item.secret) == (1, SAVED, True)
