"""A book of checks, contests and strikes is rolled, told, amended and proved like any other, without a word of it in the bot."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.app import KINDS
from bot.core import audit
from bot.core.entry_kinds import EntryView
from bot.core.records import Entry
from bot.rolls.embed import result_pages
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Rolled
from rules.errors import RollError
from tests.rules.toybook import TOY
from tests.support.backend import House, fresh_url, opened
from tests.support.world import BOOKS


@pytest_asyncio.fixture(name="toys")
async def toys_fixture(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """A house whose campaign plays by the toy book too."""
    folder = tmp_path_factory.mktemp("toys")
    with fresh_url("sqlite", folder) as url:
        async with opened(url, books={**BOOKS, "toy": TOY}) as house:
            house.campaign = await house.edit({"books": "campaign, toy"})
            yield house


def asked(family: str, *resisters: str, **inputs: object) -> RollRequest:
    """A roll of the toy book by Ann, against each of these."""
    subjects = [{"actor": "Ann", "resister": name} for name in resisters] or [{"actor": "Ann"}]
    parts = tuple(PartRequest(subjects=names, inputs=dict(inputs)) for names in subjects)
    return RollRequest(book="toy", family=family, parts=parts)


async def rolled(toys: House, request: RollRequest, *dice: int | tuple[int, int]) -> Rolled:
    """Roll a request with these dice, faces of a d100 unless their sides stand before them, and no others."""
    toys.dice.script_dice(*((100, die) if isinstance(die, int) else die for die in dice))
    made = await toys.roll_as_they_fall(request)
    toys.dice.finish()
    return made


def told(entry: Entry) -> list[str]:
    """What everybody reads of an entry, part by part."""
    pages = result_pages(EntryView(entry, "Iron Sea"), "public")
    return [f"{embed.title}\n{embed.description}" for page in pages for embed in page]


async def require_whole(toys: House) -> None:
    """Claim that the ledger is whole, and the state what its entries add up to."""
    assert [item.faults for item in await audit.check(toys.database, KINDS)] == [()]


async def test_a_check_tells_what_it_had_to_reach(toys: House) -> None:
    """Die, what was added, the total and the value stand in the result."""
    (shown,) = told((await rolled(toys, asked("climb"), 57)).entry)
    assert "Gets up" in shown
    assert "1d100: **57** + 0 = **57** against **50**" in shown
    await require_whole(toys)


async def test_what_a_cap_holds_is_told(toys: House) -> None:
    """The result says to what the modifiers were held, and what they would have come to."""
    climb = asked("climb")
    (part,) = climb.parts
    ticked = climb.with_part(0, part.model_copy(update={"marks": {"actor.rope": 1, "actor.ladder": 1}}))
    (shown,) = told((await rolled(toys, ticked, 19)).entry)
    assert "1d100: **19** + 30 (held, of +40) = **49** against **50**" in shown


async def test_a_contest_of_one_against_many_throws_one_die_for_all(toys: House) -> None:
    """Each part tells the actor's die, the later ones that it is the same, and each whom it struck."""
    made = await rolled(toys, asked("duel", "Bob", "Cid"), 60, 59, 61)
    first, second = told(made.entry)
    assert "1d100: **60** + 0" in first
    assert "1d100: **60** (the same die)" in second
    assert first.startswith("Struck")
    assert second.startswith("Parried")
    assert "1d100: **61** + 0 = **61** against **60**" in second
    await require_whole(toys)


async def test_a_contest_is_amended_with_the_dice_that_fell(toys: House) -> None:
    """Cover that was forgotten: no die falls again, not the one that is shared either, and whoever was struck is not."""
    await rolled(toys, asked("duel", "Bob", "Cid"), 60, 59, 50)

    def covered(request: RollRequest, *_: object) -> RollRequest:
        return request.with_part(0, request.parts[0].model_copy(update={"marks": {"resister.cover": 1}}))

    amended = await toys.amend(3, covered)
    parts = amended.entry.content()["parts"]
    assert [part["outcome"]["id"] for part in parts] == ["parried", "struck"]
    assert [step["faces"] for part in parts for step in part["steps"]] == [[60], [59], [60], [50]]
    assert [part["unused"] for part in parts] == [[], []]
    await require_whole(toys)


async def test_strikes_tell_every_try_and_what_they_came_to(toys: House) -> None:
    """Tries that miss stand in the result too; the number of hits is read without a die, and what follows happens."""
    fire = asked("volley", "Bob", tries=3, values={"toy.damage": 4})
    made = await rolled(toys, fire, 41, 40, (6, 5), 1, (6, 6))
    (shown,) = told(made.entry)
    assert "1d100: **41**, at most 40 + 0 = **40** \N{RIGHTWARDS ARROW} Wide" in shown
    assert "1d6: **5** + 0 = **5** against **4** \N{RIGHTWARDS ARROW} Through" in shown
    assert "2 + 0 = **2** \N{RIGHTWARDS ARROW} Sunk" in shown
    assert "Bob dies" in shown
    await require_whole(toys)


async def test_a_roll_without_its_number_leaves_nothing(toys: House) -> None:
    """Where nobody says against what to read, the roll is refused before any die, and nothing is written."""
    before = await toys.entries()
    with pytest.raises(RollError, match="Damage: a number to read it against is missing"):
        await toys.roll(asked("volley", "Bob", tries=1))
    assert await toys.entries() == before
