"""A scene of no real book, played through the kernel alone: begun, joined, left, ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import discord
from sqlalchemy import Connection

from bot.core import scene_entries, scenes
from bot.core.ledger import Body, EntryDraft, EntryKind, EntryView, Pages, View, next_number
from bot.core.records import Change, Entry
from bot.core.scene_entries import SceneChange
from bot.core.scenes import Kind, require_alone
from bot.core.subjects import Subjects
from bot.kernel import Feature
from rules.scenes import Header, Names, Participant, Replacement, Scene, begin, end, end_turn, join, leave, sort_roster
from tests.support.backend import GM, House

Toy = Scene[Header, Participant]
DOCKS = "The docks"


def _read(values: Mapping[str, Any], _beside: Sequence[Mapping[str, Any]], names: Names) -> Toy:
    header = Header.of(values["scene"])
    return Scene(header, sort_roster(header, [Participant.of(item, names) for item in values.values() if "id" in item]))


def _told(body: Body, _view: View) -> str:
    return str(body["deed"])


def _pages(_shown: EntryView, _view: View) -> Pages:
    return [[discord.Embed(title="A scene")]]


SCENES = Kind(Header, _read, "being played", "Begin one.", "Look.", "See who is there.")
FEATURE = Feature(
    entry_kinds=(EntryKind("scene", "results", _told, _pages),),
    hanging=(SCENES.hangs,),
    voidable=(require_alone,),
)


class Table:
    """A house at which a toy scene is played."""

    def __init__(self, house: House) -> None:
        self.house = house

    async def begin(self, *names: str, name: str = DOCKS, marks: Mapping[str, Any] | None = None, **more: Any) -> Entry:  # noqa: ANN401 - fields of the header
        """Begin a scene of these, each with a turn of its own; `marks` are by name."""

        def write(tx: Connection) -> Entry:
            fields = {"order": "participants", "sides": ()} | more
            header = Header(name=name, entry=next_number(tx, self.house.campaign), **fields)
            before = scenes.require_new(tx, self.house.campaign.id, header, SCENES)
            people, new = self._people(tx, Scene(header), names, marks or {})
            return self._enter(tx, Scene(header), "begin", begin(header, people, before), new)

        return await self.house.database.write(write)

    async def join(self, *names: str, after: int | None = None) -> Entry:
        """Let these come in."""

        def write(tx: Connection) -> Entry:
            scene = scenes.find_scene(tx, self.house.campaign.id, SCENES, None)
            people, new = self._people(tx, scene, names, {})
            return self._enter(tx, scene, "join", join(scene, people, after), new)

        return await self.house.database.write(write)

    async def leave(self, name: str) -> Entry:
        """Let somebody leave."""
        scene = await self.scene()
        return await self.change("leave", leave(scene, {scenes.require_participant(scene, name, SCENES).id}))

    async def next(self, seen: scenes.Which = None) -> Entry:
        """End the turn of whoever has it."""
        scene = await self.scene(seen)
        return await self.change("turn", [Replacement(scene.header, end_turn(scene))])

    async def over(self) -> Entry:
        """End the scene."""
        return await self.change("end", end(await self.scene()))

    async def change(self, deed: str, replacements: Sequence[Replacement]) -> Entry:
        """Enter what is replaced in the scene."""
        scene = await self.scene()
        return await self.house.database.write(lambda tx: self._enter(tx, scene, deed, replacements, []))

    async def keep(self, *changes: Change) -> Entry:
        """Enter changes of the state as they are."""
        house, draft = self.house, EntryDraft("scene", "results", {"deed": "keep"}, changes)
        return await house.database.write(lambda tx: house.ledger.enter(tx, house.campaign, GM.user_id, draft))

    async def scene(self, which: scenes.Which = None, *channels: int) -> Toy:
        """The scene that is played."""
        return await self.house.database.read(scenes.find_scene, self.house.campaign.id, SCENES, which, channels)

    def _people(
        self, tx: Connection, scene: Toy, names: Sequence[str], marks: Mapping[str, Any]
    ) -> tuple[list[Participant], list[Change]]:
        people = Subjects(tx, self.house.campaign.id)
        found = people.all_of(names)
        scenes.require_free(tx, self.house.campaign.id, scene, found)
        return [Participant(item.id, item.name, marks=marks.get(item.name, {})) for item in found], people.changes

    def _enter(
        self, tx: Connection, scene: Toy, deed: str, replacements: Sequence[Replacement], new: Sequence[Change]
    ) -> Entry:
        change = SceneChange(scene, {"deed": deed}, replacements, subjects=new)
        return scene_entries.enter_change(tx, self.house.ledger, self.house.campaign, GM.user_id, change)
