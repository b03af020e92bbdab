from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from discord import ui
from msgspec.structs import replace

from bot.core import records
from bot.core.errors import NotOpen
from bot.core.records import Entry
from bot.core.visibility import Viewer, make_player_viewer
from bot.rolls.card.layout import draw
from bot.rolls.card.service import open_card
from bot.rolls.card.service import roll as roll_card
from bot.rolls.card.store import CardChanged, CardView
from bot.rolls.request import RollRequest, To
from bot.rolls.resolver import RollOrder, RollResult
from rules.book import Book
from rules.dice import Dice, ScriptedDice
from rules.effects import SCENE, Change
from rules.errors import RollError
from rules.loader import load_folder
from rules.procedure import MethodResult, Part, Procedure, Request, Throw
from rules.ruleset import resolve
from rules.stages import TableMethod
from rules.subjects import PROFILE, number_of
from tests.cogs.roster.saving import add
from tests.rolls.conftest import playing
from tests.rolls.test_toy_book import ask_ann, find_texts, roll_with
from tests.rules.toybook import BY_ROW, FOLDER, TOY
from tests.support.backend import GM, PLAYER, key_of
from tests.support.soundness import require_whole
from tests.support.toyscene import FEATURE, Table


async def mine(table: Table, *resisters: str, to: To = "auto") -> Entry:
    """Let Ann mine these."""
    request = replace(ask_ann("mine", *resisters), to=to)
    entry = (await table.house.roll_as_they_fall(request)).entry
    table.house.dice.finish()
    return entry


async def lines(table: Table, viewer: Viewer | None) -> list[str]:
    """Return the preview's lines."""
    house = table.house
    preview = await house.database.read(house.resolver.preview, house.campaign, ask_ann("mine", "Bob"), viewer)
    return [line for part in preview.parts for line in part.lines]


async def values(table: Table, *names: str) -> Mapping[tuple[str, str], Any]:
    """Return the state's values."""
    return {key: value for key, value in (await table.house.state()).items() if key[1] in names}


async def test_what_a_way_changes_is_kept_with_the_entry_that_set_it(table: Table) -> None:
    """People, scene and participant."""
    began = await table.begin("Ann", "Bob", marks={"Ann": {"actions": 1}})
    first, second = await mine(table, "Bob"), await mine(table, "Bob")
    assert ["2 powder, hull 2, 1 fuses" in shown for shown in find_texts(first)] == [True]
    assert "1 powder, hull 0, 2 fuses" in find_texts(second)[0]
    changes = {item["name"]: (item["before"], item["after"]) for item in second.content()["changes"]}
    fuse = {"count": 1, "entry": first.number, "scene": "scene:the docks"}
    assert changes["fuse.lit"] == (fuse, {**fuse, "count": 2, "entry": second.number})
    assert changes["hull"] == ({"left": 2, "entry": first.number}, {"left": 0, "entry": second.number})
    assert second.content()["uses"] == [first.number]
    assert {item.name: item.marks for item in (await table.scene()).roster} == {"Ann": {"back": 1}, "Bob": {}}
    assert began.number < first.number
    await require_whole(table.house)


@pytest.mark.slow
async def test_a_later_part_finds_what_the_parts_before_have_changed(table: Table) -> None:
    """Two mines in one roll equal two rolls."""
    await table.begin("Ann", "Bob", "Cid")
    one, two, three, four = (await mine(table, "Bob", "Cid", "Dan", "Eve")).content()["parts"]
    assert [part["steps"][0]["text"] for part in (one, two, three)] == [
        "2 powder, hull 2, 1 fuses",
        "1 powder, hull 1, 2 fuses",
        "0 powder, hull 0, 3 fuses",
    ]
    assert four["unrolled"] == "Ann has no powder left."
    with pytest.raises(RollError, match="Ann has no powder"):
        await mine(table, "Bob")
    await require_whole(table.house)


@pytest.mark.slow
async def test_what_is_changed_to_nothing_is_kept_no_more(table: Table) -> None:
    """Its entry has what it was."""
    await table.begin("Ann", "Bob")
    for _ in range(3):
        last = await mine(table, "Bob")
    assert not await values(table, "hull")
    assert [item["before"]["left"] for item in last.content()["changes"] if item["name"] == "hull"] == [0]
    await require_whole(table.house)


async def test_a_void_turns_it_around(table: Table) -> None:
    """Later changes go too."""
    await add(table.house, "Ann", "pc", fields="accuracy: 5")
    await table.begin("Ann", "Bob", marks={"Ann": {"actions": 1}})
    before = await table.house.state()
    first = await mine(table, "Bob")
    await mine(table, "Bob")
    await table.house.take_back(first.number)
    after = {key: value for key, value in (await table.house.state()).items() if not key[0].startswith("entry:")}
    assert after == before
    await require_whole(table.house)


@pytest.mark.slow
async def test_what_a_scene_keeps_of_its_own_ends_with_it(table: Table) -> None:
    """Undoing the end restores it."""
    await table.begin("Ann", "Bob")
    await mine(table, "Bob")
    ended = await table.over()
    assert not await values(table, "fuse.lit")
    await table.house.take_back(ended.number)
    assert await values(table, "fuse.lit")
    await require_whole(table.house)


@pytest.mark.slow
async def test_a_field_that_is_changed_names_its_entry(table: Table) -> None:
    """Without the entry the field is unknown."""
    await add(table.house, "Ann", "pc", fields="accuracy: 5")
    entry = await mine(table, "Bob", to="staff")
    (saved,) = (await values(table, PROFILE)).values()
    assert (saved["accuracy"], saved["accuracy_from"]) == (6, entry.number)
    house = table.house
    preview = await house.database.read(
        house.resolver.preview, house.campaign, ask_ann("mine", "Bob"), make_player_viewer(house.campaign)
    )
    assert "accuracy" not in preview.parts[0].part.kept["Ann"][PROFILE]
    await require_whole(table.house)


@pytest.mark.slow
async def test_what_was_saved_by_an_older_version_hides_nothing(table: Table) -> None:
    """Unset fields are like absent ones."""
    await add(table.house, "Ann", "pc", fields="accuracy: 5")
    ((key, saved),) = (await values(table, PROFILE)).items()
    await table.keep(records.Change(*key, saved, {**saved, "newtype": None, "callsign": None}))
    assert "2 powder, hull 2, 1 fuses" in find_texts(await mine(table, "Bob"))[0]


@pytest.mark.slow
async def test_one_who_is_spelled_in_two_ways_is_one(table: Table) -> None:
    """Later parts see the change."""
    request = ask_ann("mine", "Bob", "Cid")
    ann = {"actor": "ann", "resister": "Cid"}
    request = request.with_part(1, replace(request.parts[1], subjects=ann))
    one, two = (await table.house.roll_as_they_fall(request)).entry.content()["parts"]
    assert [part["steps"][0]["text"] for part in (one, two)] == [
        "2 powder, hull 2, 1 fuses",
        "1 powder, hull 2, 1 fuses",
    ]
    assert [value["left"] for value in (await values(table, "powder")).values()] == [1]


async def test_a_players_preview_does_not_tell_kept_secrets(table: Table) -> None:
    """Game masters see all of it."""
    player = make_player_viewer(table.house.campaign)
    await table.begin("Ann", "Bob")
    assert await lines(table, player) == ["3 powder, hull 3, 0 fuses"]
    await mine(table, "Bob")
    await mine(table, "Bob", to="staff")
    assert await lines(table, None) == ["1 powder, hull 0, 2 fuses"]
    assert await lines(table, player) == ["2 powder, hull 2, 1 fuses"]


async def test_what_is_kept_of_somebody_secret_is_not_told(table: Table) -> None:
    """Neither values nor the scene."""
    house = table.house
    await add(house, "Bob", "npc", secret=True)
    await table.begin("Bob")
    await mine(table, "Bob")
    request = ask_ann("mine", "Bob")
    ((bob, _),) = await values(table, PROFILE)
    ids = {"actor": (None,), "resister": (number_of(bob),)}
    request = request.with_part(0, replace(request.parts[0], ids=ids))
    kept = []
    for viewer in (None, make_player_viewer(house.campaign)):
        preview = await house.database.read(house.resolver.preview, house.campaign, request, viewer)
        kept.append(preview.parts[0].part.kept)
    assert kept[0][SCENE]["fuse.lit"]["count"] == 1
    assert kept[0]["Bob"]["hull"]["left"] == 2
    assert kept[1].keys() == {"Ann", "someone unknown"}
    assert not kept[1]["someone unknown"]


@pytest.mark.slow
async def test_such_a_roll_is_not_amended(table: Table) -> None:
    """It has no table."""
    entry = await mine(table, "Bob")
    before = await table.house.state()
    with pytest.raises(NotOpen, match="can't be amended: Mine has no modifiers"):
        await table.house.amend(entry.number, lambda request, *_: request)
    assert await table.house.state() == before


class ShoveMethod(TableMethod, frozen=True):
    """A climb that keeps how it went."""

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Climb."""
        played = super().play(part, book, dice)
        worn: Change = (part.subjects["actor"], "worn", {"by": played.conclusion.outcome})
        dust: Change = (SCENE, "dust", {"by": 1})
        return replace(played, changes=(worn, dust) if played.conclusion.tone == "success" else (worn,))


@pytest_asyncio.fixture(name="yard")
async def yard_fixture(tmp_path: Path) -> AsyncIterator[Table]:
    """Open a house where Ann may shove."""
    shove = Procedure("shove", "Shove", "actor", "wall", "{actor} shoves", ShoveMethod(("toy.climb",), BY_ROW))
    book = load_folder(FOLDER, (shove,))
    async with playing(tmp_path, [FEATURE], book) as house:
        table = Table(house)
        await table.begin("Ann")
        yield table


def add_rope(request: RollRequest, *_: object) -> RollRequest:
    """Add a rope."""
    return request.with_part(0, replace(request.parts[0], marks={"actor.rope": 1}))


async def find_shoved(table: Table) -> dict[str, Any]:
    """Return what shoving left."""
    return {name: value["by"] for (_, name), value in (await values(table, "worn", "dust")).items()}


@pytest.mark.slow
async def test_a_roll_on_a_table_that_changes_values_is_amended(yard: Table) -> None:
    """In a scene that is over nothing is kept."""
    house = yard.house
    first = await roll_with(house, ask_ann("shove"), 45)
    assert await find_shoved(yard) == {"worn": "failure"}
    await house.amend(first.entry.number, add_rope)
    assert await find_shoved(yard) == {"worn": "success", "dust": 1}
    await require_whole(yard.house)
    await house.take_back(first.entry.number + 1)
    await yard.over()
    await house.amend(first.entry.number, add_rope)
    assert await find_shoved(yard) == {"worn": "success"}
    await require_whole(yard.house)


@pytest.mark.slow
async def test_a_roll_is_taken_back_without_the_end_of_its_scene(yard: Table) -> None:
    """The end gives nothing back."""
    again = replace(ask_ann("shove"), reason="Once more")
    first, second = [(await roll_with(yard.house, item, 60)).entry for item in (ask_ann("shove"), again)]
    ended = await yard.over()
    assert await find_shoved(yard) == {"worn": "success"}
    taken = await yard.house.take_back(first.number)
    assert [entry.number for entry, _ in taken.pairs] == [second.number, first.number]
    assert await find_shoved(yard) == {}
    await yard.house.take_back(ended.number)
    assert await find_shoved(yard) == {}
    await require_whole(yard.house)


@pytest.mark.slow
async def test_the_end_of_a_scene_is_taken_back_with_what_it_has_ended(yard: Table) -> None:
    """It goes with the roll that set it."""
    made = (await roll_with(yard.house, ask_ann("shove"), 60)).entry
    ended = await yard.over()
    await yard.house.take_back(ended.number)
    assert await find_shoved(yard) == {"worn": "success", "dust": 1}
    await yard.house.take_back(made.number)
    assert await find_shoved(yard) == {}
    await require_whole(yard.house)


@pytest.mark.slow
async def test_an_amended_roll_tells_of_a_scene_that_others_have_changed_since(yard: Table) -> None:
    """It names the scene and leaves it."""
    first = await roll_with(yard.house, ask_ann("shove"), 45)
    scene = "scene:the docks"
    await yard.keep(records.Change(scene, "dust", None, {"by": 9, "entry": first.entry.number + 1, "scene": scene}))
    made = await yard.house.amend(first.entry.number, add_rope)
    assert await find_shoved(yard) == {"worn": "success", "dust": 9}
    assert made.notes[-1] == "Left as it is, since later entries changed it: The docks."
    await require_whole(yard.house)


def test_without_the_bot_the_parts_follow_each_other_alike() -> None:
    """The engine passes changes on."""
    kept = {"Ann": {"powder": {"left": 2}}, "Bob": {}, SCENE: {}}
    part = Part("Bob", {"actor": "Ann", "resister": "Bob"}, kept=kept)
    parts = resolve(Request("mine", (part, part)), TOY, ScriptedDice(())).parts
    assert [step.text for item in parts for step in item.steps if isinstance(step, Throw)] == [
        "1 powder, hull 2, 1 fuses",
        "0 powder, hull 0, 2 fuses",
    ]


def card_text(view: CardView) -> str:
    """Return a card's text."""
    return "\n".join(item.content for item in draw(view, 0).walk_children() if isinstance(item, ui.TextDisplay))


async def test_neither_card_nor_result_tells_what_players_may_not_know(table: Table) -> None:
    """With a secret, only the outcome shows."""
    house = table.house
    await table.begin("Ann", "Bob")
    first = await mine(table, "Bob")
    assert "2 powder, hull 2, 1 fuses" in find_texts(first)[0]
    await mine(table, "Bob", to="staff")
    led = await house.database.write(open_card, house.resolver, GM, house.campaign, ask_ann("mine", "Bob"))
    assert "1 powder, hull 0, 2 fuses" in card_text(led)
    own = await house.database.write(open_card, house.resolver, PLAYER, house.campaign, ask_ann("mine", "Bob"))
    assert "2 powder, hull 2, 1 fuses" in card_text(own)
    made = await house.database.write(roll_card, house.resolver, PLAYER, key_of(own))
    assert isinstance(made, RollResult)
    (shown,) = find_texts(made.entry)
    assert "A mine is laid" in shown
    assert "powder" not in shown
    (step,) = made.entry.content()["parts"][0]["steps"]
    assert step["text"] == "0 powder, hull -3, 3 fuses"
    await require_whole(table.house)


@pytest.mark.slow
async def test_a_card_is_rolled_only_by_what_it_has_told(table: Table) -> None:
    """Changes are shown first."""
    house = table.house
    led = await house.database.write(open_card, house.resolver, GM, house.campaign, ask_ann("mine", "Bob"))
    own = await house.database.write(open_card, house.resolver, PLAYER, house.campaign, ask_ann("mine", "Bob"))
    await mine(table, "Bob", to="staff")
    with pytest.raises(CardChanged):
        await house.database.write(roll_card, house.resolver, GM, key_of(led))
    await house.database.write(roll_card, house.resolver, PLAYER, key_of(own))


@pytest.mark.slow
async def test_a_refusal_does_not_tell_what_players_may_not_know(table: Table) -> None:
    """Secretly used powder refuses game masters only."""
    house = table.house
    for _ in range(3):
        await mine(table, "Bob", to="staff")
    own = await house.database.write(open_card, house.resolver, PLAYER, house.campaign, ask_ann("mine", "Bob"))
    with pytest.raises(RollError, match="Ann has no powder"):
        await mine(table, "Bob")
    before = await house.entries()
    made = await house.database.write(roll_card, house.resolver, PLAYER, key_of(own))
    assert isinstance(made, RollResult)
    order = RollOrder(house.campaign.id, PLAYER.user_id, ask_ann("mine", "Bob"), secrets=False)
    again = (await house.database.write(house.resolver.roll, order)).entry
    for entry in (made.entry, again):
        (shown,) = find_texts(entry)
        assert "A mine is laid" in shown
        assert "powder" not in shown
    assert len(await house.entries()) == len(before) + 2
    assert await lines(table, make_player_viewer(house.campaign)) == ["3 powder, hull 3, 0 fuses"]
    await require_whole(table.house)


@pytest.mark.slow
async def test_a_refusal_tells_players_what_they_may_know(table: Table) -> None:
    """Public use refuses everyone."""
    for _ in range(3):
        await mine(table, "Bob")
    order = RollOrder(table.house.campaign.id, PLAYER.user_id, ask_ann("mine", "Bob"), secrets=False)
    with pytest.raises(RollError, match="Ann has no powder"):
        await table.house.database.write(table.house.resolver.roll, order)
