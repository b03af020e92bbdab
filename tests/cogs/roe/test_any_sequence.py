"""Fights in which anything is tried: what is refused writes nothing, what is done can be taken back, and a rebuild finds the same."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from bot.app import played_books
from bot.cogs.roe.acts import list_offered
from rules.dice import DiceTerm, Roll
from tests.cogs.roe.attacking import fighting, newest_entry
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, told
from tests.support.reading import offers, press, refused
from tests.support.world import nothing_written, written

NAMES = (KAI, CHAR, GUARD)
FIELDS = "hp: 60; strength: 5; dr: 2; weapons: M_a_Rifle, L_b_Club, S_s_Blade"
TITLES = [act.title for act in list_offered(played_books()["roe"])]
STEPS, SLOW = 40, pytest.mark.slow


@pytest.mark.parametrize(("seed", "steps"), [(2, 12), *(pytest.param(seed, STEPS, marks=SLOW) for seed in range(4))])
async def test_any_acts_add_up_to_the_state(ring: Ring, seed: int, steps: int) -> None:
    """Any acts, attacks, checks and explosions in any order, with some of them taken back, whether they are refused or not."""
    random = Random(seed)  # noqa: S311 - a test's own
    await fighting(ring, ", ".join(NAMES), **{name.casefold(): FIELDS for name in NAMES})
    ring.world.dice.roll = lambda term: fallen(random, term)  # type: ignore[method-assign]
    first = written(ring.world)[0]
    done = [await tries(ring, command, options) for command, options in tried(random, first, steps)]
    assert sum(done) > steps // 10


async def tries(ring: Ring, command: str, options: dict[str, Any]) -> bool:
    """Use a command, press what rolls at once what waits, and return whether anything was done; what is refused writes nothing."""
    before = written(ring.world)
    if command == "end turn":
        ends = [post for post in ring.world.orders.history() if offers(post, "turn")]
        result = await ring.click("turn", ring.gm, ends[-1]) if ends else None
    else:
        result = await ring.gm.slash(ring.world.orders, command, **options)
    if result is not None and result.modal is not None:
        result = await ring.gm.submit_modal(result, {"reason": "to see"})
    answer = told(result) if result else ""
    for waiting in [post for post in ring.world.orders.history() if offers(post, "close")]:
        await ring.gm.click(waiting, custom_id=press(waiting, "close"))
    done = any(word in answer for word in ("Rolled: entry", "Done", "Undone", "made"))
    assert done or written(ring.world) == before, answer
    return done


def tried(random: Random, first: int, steps: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is tried: whoever has the turn does most of it, and what is taken back is mostly of the fight, since its `first` entry."""
    for _ in range(steps):
        other = random.choice(NAMES)
        match random.choice(["act"] * 8 + ["attack"] * 4 + ["check", "blast", "void"] + ["turn"] * 5):
            case "act":
                options = {"what": random.choice(TITLES), "roll": "now"}
                options |= {"target": other} if random.random() < 0.6 else {}
                yield (
                    "roe act",
                    options | ({"value": random.choice(["3", "Rifle", "S_s_Blade"])} if random.random() < 0.4 else {}),
                )
            case "attack":
                yield "roe attack", {"target": other, "range": random.choice([1, 2, 15]), "roll": "now"}
            case "check":
                yield (
                    "roe check",
                    {"skill": random.choice(["strength", "perception"]), "character": other, "roll": "now"},
                )
            case "blast":
                yield (
                    "roe blast",
                    {"item": "Charge", "use": "immediate", "targets": other, "damage": "d10", "roll": "now"},
                )
            case "void":
                yield "void", {"entry": random.randint(first if random.random() < 0.9 else 5, first + steps // 2)}
            case _:
                yield "end turn", {}


def fallen(random: Random, term: DiceTerm) -> Roll:
    """A die as it falls, criticals more often than by chance."""
    face = random.choice([1, term.sides, random.randint(1, term.sides), random.randint(1, term.sides)])
    return Roll(term, (face,), "test")


async def test_who_fights_stays_saved(ring: Ring) -> None:
    """That somebody was saved is not taken back while that one stands in a fight, whose turns need it."""
    await ring.gm.slash(ring.world.orders, "character add", name="Haas")
    saved = newest_entry(ring)
    await ring.begun(f"Haas, {CHAR}")
    with nothing_written(ring.world):
        window = await ring.gm.slash(ring.world.orders, "void", entry=saved)
        answer = await ring.gm.submit_modal(window, {"reason": "too early"}) if window.modal else window
        assert "Haas is in Fight in #orders" in refused(answer)
