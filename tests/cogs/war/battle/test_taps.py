"""Battles by taps, as on a phone: a select takes two, a button one."""

from __future__ import annotations

import re
from typing import Any

import pytest
import simcord

from tests.cogs.war.battle.field import MOVED, Field, opened
from tests.cogs.war.battle.test_boards import FOG
from tests.cogs.war.battle.test_fighting import thread
from tests.support.reading import assert_lacks, assert_says, components, labels, offers, press, refused, response, text
from tests.support.world import World, entry, nothing_written, send_raw, written

MOVE = "move:0,1:"


class Phone:
    """Someone's taps on the messages that they are shown."""

    def __init__(self, field: Field, who: simcord.MemberActor) -> None:
        self.field, self.who, self.taps = field, who, 0
        self.shown: Any = None

    async def board(self) -> Any:  # noqa: ANN401 - a message
        """Open the board; typing isn't counted."""
        self.shown = response(await self.field.do(self.who, "show"))
        return self.shown

    async def tap(self, label: str) -> Any:  # noqa: ANN401 - a message
        """Press a button."""
        self.taps += 1
        result = await self.who.click(self.shown, label=label)
        self.shown = response(result)
        assert self.shown.ephemeral
        return self.shown

    async def pick(self, deed: str, value: str) -> Any:  # noqa: ANN401 - a message
        """Pick from a select."""
        self.taps += 2
        result = await self.who.select(self.shown, [value], custom_id=press(self.shown, deed))
        self.shown = response(result)
        assert self.shown.ephemeral
        return self.shown


@pytest.fixture
def phone(field: Field) -> Phone:
    """The Federation's commander's."""
    return Phone(field, field.ann)


def options(message: Any, deed: str) -> dict[str, str]:  # noqa: ANN401 - a message
    """What the selects of a deed offer: values and what they show."""
    found = [item for item in components(message) if f":{deed}" in item.get("custom_id", "")]
    return {item["value"]: f"{item['label']} · {item.get('description')}" for each in found for item in each["options"]}


def grid(message: Any) -> list[list[tuple[str, bool]]]:  # noqa: ANN401 - a message
    """The tiles of a page, row by row, and whether they can be pressed."""
    rows = [item["components"] for item in components(message) if item["type"] == 1]
    tiles = [[item for item in row if ":tile:" in item.get("custom_id", "")] for row in rows]
    return [[(item["label"], not item.get("disabled", False)) for item in row] for row in tiles if row]


async def test_a_move_and_a_shot_take_six_taps(field: Field, phone: Phone) -> None:
    """From the board to the roll: unit, tile, target, Roll."""
    await field.placed(u12="E5", u22="E8")
    await phone.board()
    before = written(field.world)[0]
    await phone.pick("unit:", "u12")
    await phone.tap("E6")
    await phone.pick("attack:", "shoot:u22:")
    assert written(field.world)[0] == before
    field.world.dice.script_dice((6, 6))
    done = await phone.tap("Roll")
    assert phone.taps <= 6
    assert "u22 zaku) is destroyed" in text(done).replace("\\", "")
    assert "Next unit" in labels(done)
    assert entry(field.world)["parts"][0]["inputs"]["to"] == "E6"


async def test_a_move_alone_takes_four_taps(field: Field, phone: Phone) -> None:
    """Asked without a picture or its key; posted; and its receipt goes on to the next unit."""
    await field.placed(u12="E5")
    await phone.board()
    await phone.tap("Next unit")
    assert "u12 gm" in text(phone.shown).replace("\\", "")
    await phone.tap("E6")
    assert_says(text(phone.shown), "Planned path: E5")
    assert_lacks(text(phone.shown), "Blue square", "Board of")
    done = await phone.tap("Only move to E6")
    assert phone.taps <= 4
    assert "moves to E6" in text(done)
    after = await phone.tap("Next unit")
    assert "u13 gm" in text(after)


async def test_the_board_says_what_each_unit_can_still_do(field: Field, phone: Phone) -> None:
    """Only to those whose half it is; a unit that is done is gone from the list."""
    await field.placed(u12="E5", u22="E8")
    able = options(await phone.board(), "unit:")
    assert [*able] == ["u12", "u13", "u14", "u15"]
    assert_says(able["u12"], "(u12 gm) on E5", "Move (18 tiles)", "Shoot", "Melee")
    await field.now(field.ann, "u12", (6, 1), (6, 1), target="u22")
    assert_lacks(options(await phone.board(), "unit:")["u12"], "Shoot", "Melee")
    await field.now(field.ann, "u12", to="E4")
    assert [*options(await phone.board(), "unit:")] == ["u13", "u14", "u15"]
    rival = response(await field.do(field.bo, "show"))
    assert not offers(rival, "unit:")
    assert "Next unit" not in labels(rival)


async def test_the_grid_is_the_board_around_the_unit(field: Field, phone: Phone) -> None:
    """North is up; only tiles in reach can be pressed, and the unit itself if it can attack."""
    await field.placed(u12="E5", u13="E6", u22="F6")
    await phone.board()
    rows = grid(await phone.pick("unit:", "u12"))
    assert [[label for label, _ in row] for row in rows] == [
        ["C7", "D7", "E7", "F7", "G7"],
        ["C6", "D6", "u13", "u22", "G6"],
        ["C5", "D5", "u12", "F5", "G5"],
        ["C4", "D4", "E4", "F4", "G4"],
        ["C3", "D3", "E3", "F3", "G3"],
    ]
    can = {label for row in rows for label, able in row if able}
    assert {"E4", "D5", "F5", "u12"} <= can
    assert not {"u13", "u22"} & can
    assert len([*components(phone.shown)]) <= 40


async def test_a_unit_that_goes_further_turns_the_page(field: Field, phone: Phone) -> None:
    """Each direction with tiles in reach beyond the grid has a button; at an edge the grid stays on the board."""
    await phone.board()
    rows = grid(await phone.pick("unit:", "u12"))
    assert [label for label, _ in rows[-1]] == ["u12", "u13", "u14", "u15", "E1"]
    assert labels(phone.shown)[-1] == "Next unit"
    await field.placed(u12="E5")
    await phone.board()
    rows = grid(await phone.pick("unit:", "u12"))
    assert [label for label, _ in rows[-1]] == ["C3", "D3", "E3", "F3", "G3"]
    assert labels(phone.shown)[25:] == ["North", "East", "South", "Next unit"]
    assert len([*components(phone.shown)]) <= 40
    north = grid(await phone.tap("North"))
    assert [label for label, _ in north[0]] == ["C11", "D11", "E11", "F11", "G11"]
    assert ("E8", True) in north[3]
    await phone.tap("E8")
    assert "Only move to E8" in labels(phone.shown)


async def test_the_attack_may_come_first(field: Field, phone: Phone) -> None:
    """Its own select; melee has a line for each call of the coin."""
    await field.placed(u12="E5", u22="F6")
    await phone.board()
    await phone.pick("unit:", "u12")
    await phone.tap("E4")
    (after, before) = [item for item in components(phone.shown) if ":attack:" in item.get("custom_id", "")]
    assert "melee:u22:heads" not in {item["value"] for item in after["options"]}
    assert {"melee:u22:heads", "melee:u22:tails", "shoot:u22:"} <= {item["value"] for item in before["options"]}
    card = response(await field.ann.select(phone.shown, ["melee:u22:heads"], custom_id=before["custom_id"]))
    field.world.dice.script_dice((2, 1))
    done = text(response(await field.ann.click(card, label="Roll"))).replace("\\", "")
    assert "u22 zaku) is destroyed" in done
    assert entry(field.world)["parts"][0]["inputs"]["first"] == "attack"
    assert "Amuro Ray (u12 gm) moves to E4" in thread(field.world).replace("\\", "")


async def test_who_stays_attacks_from_there(field: Field, phone: Phone) -> None:
    """The unit's tile leads to its targets; without a move left it is shown them at once."""
    await field.placed(u12="E5", u22="E8")
    await phone.board()
    await phone.pick("unit:", "u12")
    stays = await phone.tap("u12")
    assert "shoot:u22:" in options(stays, "attack:")
    assert not any(label.startswith("Only move") for label in labels(stays))
    await field.now(field.ann, "u12", to="E6")
    await phone.board()
    moved = await phone.pick("unit:", "u12")
    assert not grid(moved)
    assert "shoot:u22:" in options(moved, "attack:")


async def test_a_late_press_does_nothing_and_says_what_happened(field: Field, phone: Phone) -> None:
    """The page is drawn again for the battle as it is now."""
    await field.placed(u12="E5", u22="E8")
    await phone.board()
    await phone.pick("unit:", "u12")
    await phone.tap("E6")
    old = phone.shown
    move, attack = press(old, MOVE), press(old, "attack:")
    await field.now(field.ann, "u13", to="B2")
    with nothing_written(field.world):
        for key, values in ((move, ()), (attack, ("shoot:u22:",))):
            again = response(await send_raw(field.ann, field.world.orders, key, *values, on=old))
            assert_says(text(again).replace("\\", ""), "u13 gm moves to B2", "u12 gm")
            assert press(again, MOVE) != move
    await phone.who.click(again, custom_id=press(again, MOVE))
    with nothing_written(field.world):
        twice = text(response(await send_raw(field.ann, field.world.orders, move, on=old))).replace("\\", "")
    assert_says(twice, "(u12 gm) on E6", "Amuro Ray (u12 gm) moves to E6")


async def test_the_other_half_and_the_end_are_said(field: Field, phone: Phone) -> None:
    """Old pages of a half or battle that is over change nothing."""
    await field.placed(u12="E5", u22="E8")
    await phone.board()
    board = phone.shown
    await phone.pick("unit:", "u12")
    await phone.tap("E6")
    move, unit, following = press(phone.shown, MOVE), press(board, "unit:"), press(board, "after:")
    await field.do(field.ann, "next")
    with nothing_written(field.world):
        for key, values in ((move, ()), (unit, ("u12",)), (following, ())):
            assert "half of turn 1" in refused(await send_raw(field.ann, field.world.orders, key, *values))
    await field.lost()
    with nothing_written(field.world):
        assert "This battle is over" in refused(await send_raw(field.ann, field.world.orders, move))


async def test_forged_presses_are_refused(field: Field, phone: Phone) -> None:
    """Of the enemy, of strangers, for other units, tiles off the board and odd words."""
    await field.placed(u12="E5", u22="E8")
    await phone.board()
    unit = press(phone.shown, "unit:")
    await phone.pick("unit:", "u12")
    await phone.tap("E6")
    move, attack = press(phone.shown, MOVE), press(phone.shown, "attack:")
    field.world.env.errors.clear()
    with nothing_written(field.world):
        for who in (field.bo, field.world.stranger):
            for key, values in ((move, ()), (attack, ("shoot:u22:",)), (unit, ("u12",))):
                refused(await send_raw(who, field.world.orders, key, *values))
        for key, values in (
            (move.replace("u12", "u22"), ()),
            (move.replace("u12", "u99"), ()),
            (move.replace(":E6", ":Z99"), ()),
            (move.replace(":E6", ":E12"), ()),
            (unit, ("u22",)),
            (unit, ("",)),
            (attack, ("shoot",)),
            (attack, ("dance:u22:",)),
            (attack, ("melee:u22:edge",)),
            (attack.replace(":move:", ":party:"), ("shoot:u22:",)),
        ):
            refused(await send_raw(field.ann, field.world.orders, key, *values))


async def test_in_fog_only_those_who_see_the_battle_are_answered(world: World) -> None:
    """Others are answered as if there were no battle; a late press says only what their faction saw."""
    field = await opened(world, changes={**MOVED, **FOG})
    phone = Phone(field, field.ann)

    async def go(unit: str) -> None:
        await phone.board()
        await phone.pick("unit:", unit)
        free = [label for row in grid(phone.shown) for label, able in row if able and label[0] != "u"]
        await phone.tap(free[0])

    first, second, *_ = options(await phone.board(), "unit:")
    await go(first)
    move, old = press(phone.shown, MOVE), phone.shown
    await go(second)
    await phone.who.click(phone.shown, custom_id=press(phone.shown, MOVE))
    with nothing_written(field.world):
        again = text(response(await send_raw(field.ann, field.world.orders, move, on=old)))
    assert re.search(rf"{second} [a-z]+\)? moves from", again), again
    refused(await send_raw(field.world.stranger, field.world.orders, move))


async def test_next_unit_walks_through_those_with_something_left(field: Field, phone: Phone) -> None:
    """Once round; when all are done it offers to end the turn."""
    await phone.board()
    await phone.tap("Next unit")
    walked = []
    for _ in range(4):
        walked.append(text(phone.shown).split("### ")[1].split(" ")[0])
        await phone.tap("Next unit")
    assert len({*walked}) == 4
    for unit, tile in (("u12", "A3"), ("u13", "B3"), ("u14", "C3"), ("u15", "D3")):
        await field.now(field.ann, unit, to=tile)
    shown = response(await field.do(field.ann, "show"))
    done = response(await field.ann.click(shown, label="Next unit"))
    assert "Every unit has acted" in text(done)
    assert "End turn" in labels(done)
