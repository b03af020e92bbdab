"""Random fights: refusals write nothing, entries can be voided, a rebuild matches."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from bot.app import list_played_books
from bot.cogs.roe.actors import list_offered
from rules.dice import DiceTerm, Roll
from tests.cogs.roe.attacking import newest_entry, start_fight
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, read_answers
from tests.support.reading import offers, press, refused
from tests.support.world import nothing_written, written

NAMES = (KAI, CHAR, GUARD)
FIELDS = "hp: 60; strength: 5; dr: 2; weapons: M_a_Rifle, L_b_Club, S_s_Blade"
TITLES = [act.title for act in list_offered(list_played_books()["roe"])]
STEPS, SLOW = 40, pytest.mark.slow


@pytest.mark.parametrize(("seed", "steps"), [(2, 12), *(pytest.param(seed, STEPS, marks=SLOW) for seed in range(4))])
async def test_any_acts_add_up_to_the_state(ring: Ring, seed: int, steps: int) -> None:
    """In any order, some of them voided."""
    random = Random(seed)  # noqa: S311 - a test's own
    await start_fight(ring, ", ".join(NAMES), **{name.casefold(): FIELDS for name in NAMES})
    ring.world.dice.roll = lambda term: throw_die(random, term)  # type: ignore[method-assign]
    first = written(ring.world)[0]
    done = [await tries(ring, command, options) for command, options in list_tries(random, first, steps)]
    assert sum(done) > steps // 10


async def tries(ring: Ring, command: str, options: dict[str, Any]) -> bool:
    """Use a command to its end; return whether it did anything."""
    before = written(ring.world)
    if command == "end turn":
        ends = [post for post in ring.world.orders.history() if offers(post, "turn")]
        result = await ring.click("turn", ring.gm, ends[-1]) if ends else None
    else:
        result = await ring.gm.slash(ring.world.orders, command, **options)
    if result is not None and result.modal is not None:
        result = await ring.gm.submit_modal(result, {"reason": "to see"})
    answer = read_answers(result) if result else ""
    for waiting in [post for post in ring.world.orders.history() if offers(post, "close")]:
        await ring.gm.click(waiting, custom_id=press(waiting, "close"))
    done = any(word in answer for word in ("Rolled: entry", "Done", "Undone", "made"))
    assert done or written(ring.world) == before, answer
    return done


def list_tries(random: Random, first: int, steps: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield random commands, mostly of the fighter on turn, and voids since `first`."""
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
                yield "gm undo", {"entry": random.randint(first if random.random() < 0.9 else 5, first + steps // 2)}
            case _:
                yield "end turn", {}


def throw_die(random: Random, term: DiceTerm) -> Roll:
    """Throw a die with frequent criticals."""
    face = random.choice([1, term.sides, random.randint(1, term.sides), random.randint(1, term.sides)])
    return Roll(term, (face,), "test")


async def test_who_fights_stays_saved(ring: Ring) -> None:
    """A fighter's saving isn't voided during the fight."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas")
    saved = newest_entry(ring)
    await ring.begin(f"Haas, {CHAR}")
    with nothing_written(ring.world):
        window = await ring.gm.slash(ring.world.orders, "gm undo", entry=saved)
        answer = await ring.gm.submit_modal(window, {"reason": "too early"}) if window.modal else window
        assert "Haas is in Fight in #orders" in refused(answer)
