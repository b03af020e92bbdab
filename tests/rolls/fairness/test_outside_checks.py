from __future__ import annotations

import pytest

from tests.rolls.fairness.making import Made, entry
from tests.rolls.fairness.outside_forging import LEFT, WAYS, outside_forgeries
from tests.rolls.fairness.test_checks import verdict_of

LEFT_OUT = "Entry 6 says that random.org is asked for entry 7, but no such roll followed"


@pytest.mark.parametrize("whose", ["player", pytest.param("leader", marks=pytest.mark.slow)])
def test_a_good_file_holds(made_with_random_org: Made, whose: str) -> None:
    """Everything mixed in or missing is counted."""
    verdict = verdict_of(getattr(made_with_random_org, whose), made_with_random_org.thread)
    assert (verdict.faults, verdict.anchored) == ((), True)
    mixed = 2 if whose == "leader" else 1
    assert any(item.startswith(f"Rolls with random.org's answer mixed in: {mixed}.") for item in verdict.checked)
    assert "random.org answered with HTTP 500. Rolls drawn from the campaign's seed alone: 1." in verdict.checked
    assert "random.org had asked for a pause. Rolls drawn from the campaign's seed alone: 1." in verdict.checked


def test_intents_without_rolls_and_gaps_are_told(made_with_random_org: Made) -> None:
    """Repeated requests leave intents and serial gaps; players see hashes."""
    for file in (made_with_random_org.leader, made_with_random_org.early):
        assert any(item.startswith(LEFT_OUT) for item in verdict_of(file, "").checked)
    told = "Answers by random.org that this file lacks, by their serial numbers: 1."
    assert any(item.startswith(told) for item in verdict_of(made_with_random_org.leader, "").checked)
    assert not any("serial numbers" in item for item in verdict_of(made_with_random_org.player, "").checked)
    assert [set(entry(made_with_random_org.player, number)) for number in (2, LEFT)] == [{"number", "hash"}] * 2
    checked = verdict_of(made_with_random_org.player, "").checked
    assert not any("no such roll followed" in item for item in checked)


def test_what_was_forged_is_named(made_with_random_org: Made) -> None:
    """Each forgery's sentence names the place."""
    files = outside_forgeries(made_with_random_org)
    found = {name: verdict_of(item.file, item.pasted).faults for name, item in files.items()}
    unnamed = {
        name: found[name] for name in found if not any(item.startswith(files[name].named) for item in found[name])
    }
    assert unnamed == {}


def test_an_edited_signature_only_the_thread_or_the_certificate_shows(made_with_random_org: Made) -> None:
    """Without a certificate it's consistent."""
    files = outside_forgeries(made_with_random_org)
    hidden = [name for name, way in WAYS.items() if way.hidden]
    assert hidden == ["signature sealed anew"]
    assert verdict_of(files[hidden[0]].file, "").faults == ()
