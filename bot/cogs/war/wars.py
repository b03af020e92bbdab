"""The war of a campaign as a person sees it, and the entry that begins it."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import voiding
from bot.core.campaigns import Campaign, find_update_entry
from bot.core.errors import NotAsItIs, unknown_name
from bot.core.ledger import Body, EntryKind, EntryView, Pages, View
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.records import Json
from bot.core.visibility import Viewer, make_viewer, require_part
from bot.orders.kinds import scene_of
from bot.outbox.sending import draw_picture
from bot.ui import text
from bot.ui.receipt import plain_pages
from bot.ui.reply import AnyInteraction, person, say
from bot.ui.text import ATTACHED, COLOURS, Picture
from rules.books.total_war import storage
from rules.books.total_war.storage import WHOLE, Sight, mask_war, sight_of
from rules.books.total_war.war import Rules, War
from rules.documents import Bounds, Document
from rules.ruleset import RuleSet
from rules.scenes import Header
from rules.subjects import name_key

BOOK = "total_war"
TITLE = "A war begins"
PICTURE = "war-map.png"  # the map's file name
BOUNDS = Bounds(size=128 * 1024, line=16_000, dots=1000, values=20_000, items=2_000, mend="shorten")
"""Up to 1,000 panels; a war has one file."""
KEPT_BOUNDS = replace(BOUNDS, values=10 * BOUNDS.values)  # the same for what is kept, defaults included
MAP_OF = "war"  # in the body of a digest or beginning: the mapped war without its scenario
Layer = Literal["control", "supply", "income", "forces", "captured"]
LAYERS: tuple[Layer, ...] = ("control", "supply", "income", "forces", "captured")


class WarHeader(Header, frozen=True):
    """A war whose sides are its first factions' ids."""

    kind: ClassVar[str] = storage.WAR


class RunningWar(Struct, frozen=True):
    """A campaign's war as a viewer meets it: whole (`war`), and as their `faction` sees it (`seen`)."""

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
        """Whether the viewer is a game master."""
        return self.viewer.person.leads(self.campaign)

    @property
    def name(self) -> str:
        """The war's name."""
        return str(self.values[storage.WAR]["name"])

    @property
    def callsign(self) -> str | None:
        """The viewer's player name in the war; None for people who haven't joined."""
        return next((name for name, item in self.war.players.items() if item.owner == self.viewer.mine), None)


class MapView(Struct, frozen=True):
    """A map to draw: the war as seen, a layer, a force with its `way` in directions, and an earlier war to compare."""

    rules: Rules
    war: War
    layer: Layer = "control"
    sight: Sight = WHOLE
    force: str | None = None
    way: tuple[str, ...] = ()
    before: War | None = None

    async def picture(self) -> Picture | None:
        """The map as a picture; None if it can't be drawn."""
        return await draw_picture(PICTURE, self.draw)

    def draw(self) -> Picture:
        """Draw it with its gist as alt text."""
        picture: Picture = load_pictures().draw_map_view(self)
        return picture

    def words(self, *, whole: bool = False) -> tuple[str, list[str]]:
        """Return the map's title and its lines, in full or in short."""
        title, lines = load_pictures().map_view_words(self, whole=whole)
        return text.plain(title), [text.plain(line) for line in lines]


def load_pictures() -> Any:  # noqa: ANN401 - a module
    """Return the module that draws; it loads with the first picture."""
    return import_module("bot.cogs.war.pictures.views")


def faction_view(rules: Rules, war: War, faction: str | None) -> MapView:
    """Return the map as a faction or onlooker (None) sees it."""
    return MapView(rules, mask_war(rules, war, faction), sight=sight_of(rules, war, faction))


def find_war(tx: Connection, library: Library, person: Person, campaign: Campaign) -> RunningWar | None:
    """Return a campaign's war, if one is on.

    Raises:
        BadInput: its books have no wars.
    """
    book = library.book(tx, campaign, BOOK)
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return None
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    rules, war = storage.read(book, scene.values)
    leads = person.leads(campaign)
    faction = None if leads or viewer.mine is None else war.faction_of(viewer.mine)
    seen = war if leads else mask_war(rules, war, faction)
    return RunningWar(campaign, viewer, book, scene.subject, scene.values, rules, war, seen, faction)


def require_war(tx: Connection, library: Library, person: Person, campaign: Campaign) -> RunningWar:
    """Return a campaign's war, or refuse."""
    require_part(make_viewer(tx, person, campaign))
    found = find_war(tx, library, person, campaign)
    if found is None:
        raise NotAsItIs(f"No war is on in {campaign.name}.", "Game masters start one: /war new.")
    return found


async def see_war(interaction: AnyInteraction, campaign: Campaign) -> RunningWar:
    """Return the war for an interaction."""
    bot = interaction.client
    seen: RunningWar = await bot.database.read(require_war, bot.library, person(interaction), campaign)
    return seen


async def say_lines(interaction: AnyInteraction, campaign: Campaign, title: str, lines: Iterable[str]) -> None:
    """Answer with titled lines in as many messages as needed."""
    for page in text.paginate(text.fit_embeds(title, lines, colour=COLOURS["neutral"], footer=campaign.name)):
        await say(interaction, embeds=page)


def war_at_update_start(tx: Connection, seen: RunningWar) -> War:
    """Return the whole war as it was at the update's start, or at its own later beginning."""
    since = voiding.find_state_before(tx, seen.campaign.id, find_update_entry(tx, seen.campaign.id) + 1)
    values = {**seen.values, **{name: value for (subject, name), value in since.items() if subject == seen.subject}}
    values = {name: value for name, value in values.items() if value is not None}
    if storage.SCENARIO not in values:
        return storage.find_start(seen.book, seen.values).war
    return storage.read(seen.book, values)[1]


def find_faction(war: War, typed: str) -> str:
    """Find a faction's id by id, name or unique part, or refuse."""
    found = war.match_faction(typed)
    if found not in war.factions:
        alike = [name for name, item in war.factions.items() if name_key(typed) in name_key(item.name)]
        if len(alike) == 1:
            return alike[0]
        labels = [item.name for item in war.factions.values()]
        raise unknown_name(f"{typed[:60]!r} isn't a faction.", typed, labels, f"Pick one: {', '.join(labels)}.")
    return found


def _sentence(body: Body, _view: View) -> str:
    return text.plain(" ".join([f"{TITLE}:", *body["lines"][:1]]))


def _pages(shown: EntryView, _view: View) -> Pages:
    body = shown.entry.content()
    pages = [[*page] for page in plain_pages(shown, TITLE, map(text.plain, body["lines"]))]
    if MAP_OF in body:
        pages[0][0].set_image(url=f"{ATTACHED}{PICTURE}")
    return pages


def _too_large(body: Body) -> Iterator[str]:
    for change in body["changes"]:
        if change["name"] == storage.SCENARIO and change["after"] is not None:
            faults = KEPT_BOUNDS.after_parsing(Document("scenario", "", change["after"]["is"]))
            yield from (f"the scenario is too large: {fault.what}" for fault in faults)


WAR_ENTRY = EntryKind(storage.WAR, "results", _sentence, _pages, too_large=_too_large)
