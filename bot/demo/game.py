"""A game of a file in the demo: its campaign, units to play with, and what to try."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from msgspec import Struct

from bot.demo.world import GAME_MASTER, PLAYER, SITE, Command, Suggestion, World, find_answer, open_site
from rules.book import HOUSE
from rules.draft import read_document
from rules.errors import BookError, Fault
from rules.house import is_game, read_house_file
from rules.library import load_shipped_books
from rules.loader import load_with_house_rules
from rules.orders import OrderKind
from rules.ruleset import RuleSet, list_reserved_names
from rules.subjects import Field, find_bearer

_NAMES: Mapping[str, Sequence[tuple[str, str]]] = {
    "unit": (("White Gull", "ship"), ("Black Gull", "ship")),
    "character": (("Robin", "pc"), ("Jasper", "npc")),
}
"""Names and kinds by what fields are on: the player's first."""
_USUAL = 3


class DemoGame(Struct, frozen=True):
    """A game's rules, and the file's text."""

    rules: RuleSet
    text: bytes

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file; raise BookError."""
        faults: list[Fault] = []
        document = read_document(path, faults)
        if document is not None and not is_game(document):
            faults.append(Fault(str(path), 1, "this isn't a game: write [game] with a title above its rules"))
        if faults:
            raise BookError(faults)
        text = path.read_bytes()
        others = list_reserved_names(load_shipped_books().values())
        return cls(load_with_house_rules(HOUSE, [read_house_file(path.name, text)], others=others), text)

    @property
    def people(self) -> list[tuple[str, str, str]]:
        """Names, kinds and fields of those to play with."""
        fields = self.rules.fields.values()
        played = [on for on in _NAMES if any(on in item.on for item in fields)] or ["unit"]
        return [
            (name, kind, "; ".join(f"{item.id}: {_pick_value(item)}" for item in fields if on in item.on))
            for on in played
            for name, kind in _NAMES[on]
        ]

    def list_suggestions(self) -> Iterator[Suggestion]:
        """Yield things to try."""
        (mine, _, _), (other, _, _), *_ = self.people
        inside = {act.rolls for act in self.rules.acts.values()} | self.rules.upkeep.keys()
        for name, roll in self.rules.procedures.items():
            if name not in inside and not self._is_order(name):
                about = {"about": other} if f"{{{roll.subject}}}" in roll.headline else {}
                command = Command("table roll", {"name": name, "who": mine, **about})
                yield Suggestion(
                    GAME_MASTER, [command], f"{roll.title}: tick what applies, watch the odds, press Roll."
                )
        for kind in self.rules.entries_of(OrderKind).values():
            fits = kind.takes == find_bearer(self.people[1][1])
            to = {"to": other if fits else "Harbour"} if kind.to else {}
            order = Command("order give", {"kind": kind.label, "who": mine, **to})
            yield Suggestion(PLAYER, [order], "Sealed until the game master resolves the update with /gm resolve.")
        yield Suggestion(GAME_MASTER, [Command("unit", {"name": mine})], "See the numbers that rolls have changed.")
        yield Suggestion(GAME_MASTER, [Command("gm close")], "Close the update, with its upkeep.")

    def _is_order(self, name: str) -> bool:
        kind = self.rules.entries_of(OrderKind).get(name)
        return kind is not None and kind.family is None


def _pick_value(item: Field) -> str:
    if item.takes == "number":
        return str(max(item.min or 0, min(_USUAL, item.max or 0)))
    return item.options[0] if item.options else "none"


async def seed_game(world: World, game: DemoGame) -> None:
    """Begin a campaign with the game, unless the data has one."""
    mara, jonas = world.game_master, world.players[0]
    settings = await mara.slash(world.setup, "gm settings")
    if settings.response is not None and settings.response.embeds[0].title == game.rules.title:
        return
    channels = {"results": world.results, "staff": world.staff}
    title, books = game.rules.title, HOUSE
    await mara.slash(world.setup, "campaign create", name=title, **channels, **world.roles, books=books)
    for channel in (world.orders, world.setup):
        await mara.slash(world.setup, "campaign link", channel=channel)
    preview = find_answer(await mara.slash(world.setup, "gm rules", name="game", file=("game.toml", game.text)))
    if preview is not None:
        await mara.click(preview, label="Switch on")
    await open_site(world, SITE)
    for name, kind, fields in game.people:
        owner = {"owner": jonas} if (name, kind) in {some[0] for some in _NAMES.values()} else {}
        typed = {"fields": fields} if fields else {}
        await mara.slash(world.setup, "roster add", name=name, kind=kind, **owner, **typed)
