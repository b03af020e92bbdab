"""The war of a campaign: a scene, read as a person sees it, and the entry by which it begins. All else in a war is a roll of its book."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import amendments
from bot.core.campaigns import Campaign, find_update_entry
from bot.core.encoding import Json
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.visibility import Viewer, make_viewer, require_part
from bot.errors import NotAsItIs, unknown_name
from bot.orders.played_scene import scene_of
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.picture import ATTACHED
from bot.ui.receipt import plain_pages
from bot.ui.reply import AnyInteraction, person, say
from bot.ui.text import plain
from rules.books.total_war import storage
from rules.books.total_war.sight import seen_by
from rules.books.total_war.storage import SCENARIO, WAR
from rules.books.total_war.war import Rules, War, faction_named, faction_of
from rules.documents import Bounds, Document
from rules.ruleset import RuleSet
from rules.scenes import Header
from rules.subjects import name_key

BOOK = "total_war"
TITLE = "A war begins"
PICTURE = "war-map.png"
"""What the picture of a map is called."""
BOUNDS = Bounds(size=128 * 1024, line=16_000, dots=1000, values=20_000, items=2_000, mend="shorten")
"""What the file of a scenario may hold: 1,000 panels on a few lines. A war has one file, which can't be split."""
KEPT_BOUNDS = replace(BOUNDS, values=10 * BOUNDS.values)
"""What is kept of a scenario may hold: as much, with all that a file leaves out."""
MAP_OF = "war"
"""The name in the body of a digest, or of a war's beginning, for the war that its map shows, without the scenario: the entry that has begun the war has that."""
Layer = Literal["control", "supply", "income", "forces", "captured"]
"""What the map shows: who holds what, what is joined to its capitol, what panels pay, where forces are, what has changed hands since the update began."""
LAYERS: tuple[Layer, ...] = ("control", "supply", "income", "forces", "captured")


class WarHeader(Header, frozen=True):
    """A war: its sides are the factions of its start, by their ids."""

    kind: ClassVar[str] = storage.WAR


class RunningWar(Struct, frozen=True):
    """A war that is on, whole (`war`) and as the viewer sees it (`seen`); `faction` is theirs, None for game masters and onlookers."""

    campaign: Campaign
    viewer: Viewer
    book: RuleSet
    subject: str
    values: Mapping[str, Json]
    rules: Rules
    war: War
    seen: War
    faction: str | None

    @property
    def leads(self) -> bool:
        """Whether the viewer is a game master, who sees all of it."""
        return self.viewer.person.leads(self.campaign)

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.values[storage.WAR]["name"])

    @property
    def callsign(self) -> str | None:
        """What the viewer is called in it; None if they aren't in it."""
        return next((name for name, item in self.war.players.items() if item.owner == self.viewer.mine), None)


def find_war(tx: Connection, library: Library, person: Person, campaign: Campaign) -> RunningWar | None:
    """Return the war of a campaign as a person sees it; None where none is on.

    Raises:
        BadInput: the campaign does not play by the book.

    """
    book = library.book(tx, campaign, BOOK)
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return None
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    rules, war = storage.read(book, scene.values)
    leads = person.leads(campaign)
    faction = None if leads or viewer.mine is None else faction_of(war, viewer.mine)
    seen = war if leads else seen_by(rules, war, faction)
    return RunningWar(campaign, viewer, book, scene.subject, scene.values, rules, war, seen, faction)


def require_war(tx: Connection, library: Library, person: Person, campaign: Campaign) -> RunningWar:
    """Return the war of a campaign as a person sees it."""
    require_part(make_viewer(tx, person, campaign))
    found = find_war(tx, library, person, campaign)
    if found is None:
        raise NotAsItIs(f"No war is on in {campaign.name}.", "Game masters start one: /war new.")
    return found


async def see_war(interaction: AnyInteraction, campaign: Campaign) -> RunningWar:
    """Return the war of a campaign as the person sees it."""
    bot = interaction.client
    seen: RunningWar = await bot.database.read(require_war, bot.library, person(interaction), campaign)
    return seen


async def say_lines(interaction: AnyInteraction, campaign: Campaign, title: str, lines: Iterable[str]) -> None:
    """Answer with lines under a title, in as many messages as they need."""
    for page in text.paginate(text.fit_embeds(title, lines, colour=COLOURS["neutral"], footer=campaign.name)):
        await say(interaction, embeds=page)


def war_at_update_start(tx: Connection, seen: RunningWar) -> War:
    """Return a war as it was when the current update began; as it began where that was later."""
    since = amendments.find_state_before(tx, seen.campaign.id, find_update_entry(tx, seen.campaign.id) + 1)
    values = {**seen.values, **{name: value for (subject, name), value in since.items() if subject == seen.subject}}
    values = {name: value for name, value in values.items() if value is not None}
    if storage.SCENARIO not in values:
        return storage.find_start(seen.book, seen.values).war
    return storage.read(seen.book, values)[1]


def find_faction(war: War, typed: str) -> str:
    """Return the faction (its id) that is meant: by id or name, or by a part of the name of a single one, as completion finds it."""
    found = faction_named(war, typed)
    if found not in war.factions:
        alike = [name for name, item in war.factions.items() if name_key(typed) in name_key(item.name)]
        if len(alike) == 1:
            return alike[0]
        labels = [item.name for item in war.factions.values()]
        raise unknown_name(f"{typed[:60]!r} isn't a faction.", typed, labels, f"Pick one: {', '.join(labels)}.")
    return found


def _sentence(body: Body, _view: View) -> str:
    return plain(" ".join([f"{TITLE}:", *body["lines"][:1]]))


def _pages(shown: EntryView, _view: View) -> Pages:
    body = shown.entry.content()
    pages = [[*page] for page in plain_pages(shown, TITLE, map(plain, body["lines"]))]
    if MAP_OF in body:
        pages[0][0].set_image(url=f"{ATTACHED}{PICTURE}")
    return pages


def _too_large(body: Body) -> Iterator[str]:
    """Yield where the scenario of a war is larger than `/war new` takes."""
    for change in body["changes"]:
        if change["name"] == SCENARIO and change["after"] is not None:
            faults = KEPT_BOUNDS.after_parsing(Document("scenario", "", change["after"]["is"]))
            yield from (f"the scenario is too large: {fault.what}" for fault in faults)


WAR_ENTRY = EntryKind(WAR, "results", _sentence, _pages, too_large=_too_large)
