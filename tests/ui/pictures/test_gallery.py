"""The thread that draws, and the pictures that are kept."""

from __future__ import annotations

import asyncio
from threading import Event, get_ident

import pytest
from msgspec.structs import replace

from bot.cogs.war.pictures.strategy_map import draw_map
from bot.cogs.war.wars import MapView, faction_view
from bot.outbox.sending import draw_picture
from bot.ui.pictures import canvas, gallery
from bot.ui.pictures.gallery import MOST_KEPT, draw_once
from bot.ui.text import Picture
from rules.books.total_war.war import Rules
from tests.cogs.war.pictures.wars import RULES, START

FOGGY = Rules(RULES.terms, replace(RULES.scenario, fog="near", sight=1))
PATIENCE = 60


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Begin without kept pictures; gives those that are drawn."""
    made: list[object] = []
    whole = canvas.png

    def note(*given: object) -> bytes:
        made.append(given[0])
        return whole(*given)  # type: ignore[arg-type]

    gallery.kept.clear()
    monkeypatch.setattr(canvas, "png", note)
    return made


async def test_the_loop_goes_on_while_a_picture_is_drawn() -> None:
    """One that waits for the loop is drawn."""
    went_on = Event()

    def draw() -> Picture:
        return Picture("a.png", b"drawn" if went_on.wait(PATIENCE) else b"too late", "A picture")

    drawing = asyncio.create_task(draw_picture("a.png", draw))
    await asyncio.sleep(0)
    went_on.set()
    assert await drawing == Picture("a.png", b"drawn", "A picture")


async def test_pictures_wait_for_each_other() -> None:
    """One thread draws two that are asked for at once."""
    asked = Event()

    def draw() -> Picture:
        asked.wait(PATIENCE)
        return Picture("a.png", b"", str(get_ident()))

    both = [asyncio.create_task(draw_picture("a.png", draw)) for _ in range(2)]
    await asyncio.sleep(0)
    asked.set()
    first, second = await asyncio.gather(*both)
    assert first == second


def test_a_faction_gets_its_own_picture_of_a_war_in_fog_and_it_is_drawn_once(drawn: list[object]) -> None:
    """Each sees what it would without kept pictures, no matter who asked before."""
    viewers = ("E", "Z", None)
    alone = {}
    for viewer in viewers:
        gallery.kept.clear()
        alone[viewer] = faction_view(FOGGY, START, viewer).draw()
    assert len({picture.data for picture in alone.values()}) == 3
    gallery.kept.clear()
    drawn.clear()
    for _ in range(2):
        assert {viewer: faction_view(FOGGY, START, viewer).draw() for viewer in viewers} == alone
    assert len(drawn) == 3


def test_what_a_faction_cant_see_changes_only_the_pictures_of_those_who_can(drawn: list[object]) -> None:
    """The other's picture stays the kept one."""
    without = replace(START, forces={name: item for name, item in START.forces.items() if name != "22nd Squadron"})
    before, after = ({side: faction_view(FOGGY, war, side).draw() for side in "EZ"} for war in (START, without))
    assert before["E"] == after["E"]
    assert before["Z"].data != after["Z"].data
    assert len(drawn) == 3


def test_a_map_that_is_posted_is_the_one_that_someone_has_looked_at(drawn: list[object]) -> None:
    """The same facts are the same picture, also if they were read again."""
    shown = MapView(RULES, START).draw()
    again = MapView(RULES, replace(START, panels={**START.panels})).draw()
    assert shown == again
    assert len(drawn) == 1


def test_the_pictures_asked_for_last_are_kept() -> None:
    """Others are drawn again; what draws is part of the key."""
    made: list[str] = []

    def write(facts: str) -> bytes:
        made.append(facts)
        return facts.encode()

    def reverse(facts: str) -> bytes:
        return facts[::-1].encode()

    gallery.kept.clear()
    names = [f"Region {number}" for number in range(MOST_KEPT + 1)]
    for name in (*names[:-1], names[0], names[-1]):
        assert draw_once(write, name) == name.encode()
    assert made == names
    assert len(gallery.kept) == MOST_KEPT
    for name in names[:2]:
        draw_once(write, name)
    assert made == [*names, names[1]]
    assert draw_once(reverse, names[0]) == names[0][::-1].encode()


def test_what_cant_be_part_of_the_key_isnt_drawn() -> None:
    """A picture shows nothing but its facts."""
    with pytest.raises(AttributeError):
        draw_once(draw_map, object())  # type: ignore[arg-type]
