"""The war of a campaign as a person sees it, the entry that begins it, and its battles in ids and as open questions.

Ids of buttons carry the panel and the entry that began the battle, and the half turn that was seen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Final, Literal

from discord import ButtonStyle, ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, errors, ledger, permissions, profiles, state, visibility
from bot.core.campaigns import Campaign
from bot.core.campaigns import find_called as call_players
from bot.core.library import Library
from bot.core.records import Entry, Json
from bot.orders.kinds import scene_of
from bot.outbox import queue
from bot.rolls.extension import ExtraChanges, Question, ResolvedRoll, StateKey
from bot.rolls.resolver import Resolver
from bot.ui import receipt, text
from bot.ui.reply import AnyInteraction, IdTemplate, person, say
from rules import documents, effects, geometry, ruleset, scenes
from rules.books.total_war import storage
from rules.books.total_war.order_kinds import ADVANCE, BEATEN, NEXT
from rules.books.total_war.storage import WHOLE, Sight, mask_war, sight_of
from rules.books.total_war.war import NEUTRAL, NOBODYS, Player, Rules, War, WarBattle
from rules.subjects import name_key

BOOK = "total_war"
TITLE = "A war begins"
PICTURE = "war-map.png"  # the map's file name
BOUNDS = documents.Bounds(size=128 * 1024, line=16_000, dots=1000, values=20_000, items=2_000, mend="shorten")
"""Up to 1,000 panels; a war has one file."""
KEPT_BOUNDS = replace(BOUNDS, values=10 * BOUNDS.values)  # the same for what is kept, defaults included
ROOM = 3000  # in characters, for the lines under a map; its key follows
EXPLAINED = "-# `/war map` names the forces and explains the signs."
MAP_OF = "war"  # in the body of a digest or beginning: the mapped war without its scenario
BATTLES = "battles"  # in a roll's body: the battles it opened
FOUGHT = "fought"  # in an act's body: the entry that began its battle
TURNED = "turned"  # the war's value for the entry that ended its last turn
Layer = Literal["control", "supply", "income", "forces", "captured"]
LAYERS: tuple[Layer, ...] = ("control", "supply", "income", "forces", "captured")


class WarHeader(scenes.Header, frozen=True):
    """A war whose sides are its first factions' ids."""

    kind: ClassVar[str] = storage.WAR


class RunningWar(Struct, frozen=True):
    """A campaign's war as a viewer meets it: whole (`war`), and as their `faction` sees it (`seen`)."""

    campaign: Campaign
    viewer: visibility.Viewer
    book: ruleset.RuleSet
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

    def draw(self) -> text.Picture:
        """Draw it with its gist as alt text."""
        picture: text.Picture = load_pictures().draw_map_view(self)
        return picture

    def measure(self) -> tuple[int, int]:
        """Return a whole map's width and height."""
        size: tuple[int, int] = load_pictures().measure_map_view(self)
        return size

    def words(self, *, whole: bool = False) -> tuple[str, list[str]]:
        """Return title and lines: all, or those under the picture."""
        title, lines, signs = load_pictures().map_view_words(self, whole=whole)
        plain = [text.plain(line) for line in lines]
        return text.plain(title), plain if whole else [*text.fit_lines(ROOM, plain), text.picture_key(signs)]


def load_pictures() -> Any:  # noqa: ANN401 - a module
    """Return the module that draws; it loads with the first picture."""
    return import_module("bot.cogs.war.pictures.views")


def faction_view(rules: Rules, war: War, faction: str | None) -> MapView:
    """Return the map as a faction sees it; None: an onlooker."""
    return MapView(rules, mask_war(rules, war, faction), sight=sight_of(rules, war, faction))


def find_war(tx: Connection, library: Library, person: permissions.Person, campaign: Campaign) -> RunningWar | None:
    """Return a campaign's war, if one is on.

    Raises:
        BadInput: its books have no wars.
    """
    book = library.book(tx, campaign, BOOK)
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return None
    viewer = visibility.make_viewer(tx, person, campaign)
    visibility.require_part(viewer)
    rules, war = storage.read(book, scene.values)
    leads = person.leads(campaign)
    faction = None if leads or viewer.mine is None else war.faction_of(viewer.mine)
    seen = war if leads else mask_war(rules, war, faction)
    return RunningWar(campaign, viewer, book, scene.subject, scene.values, rules, war, seen, faction)


def require_war(tx: Connection, library: Library, person: permissions.Person, campaign: Campaign) -> RunningWar:
    """Return a campaign's war, or refuse."""
    visibility.require_part(visibility.make_viewer(tx, person, campaign))
    found = find_war(tx, library, person, campaign)
    if found is None:
        raise errors.NotAsItIs(f"No war is on in {campaign.name}.", "Game masters start one: /gm-war new.")
    return found


async def see_war(interaction: AnyInteraction, campaign: Campaign) -> RunningWar:
    """Return the war for an interaction."""
    bot = interaction.client
    seen: RunningWar = await bot.database.read(require_war, bot.library, person(interaction), campaign)
    return seen


async def say_lines(interaction: AnyInteraction, campaign: Campaign, title: str, lines: Iterable[str]) -> None:
    """Answer with titled lines in as many messages as needed."""
    for page in text.paginate(text.fit_embeds(title, lines, colour=text.COLOURS["neutral"], footer=campaign.name)):
        await say(interaction, embeds=page)


def read_posted_map(tx: Connection, library: Library, campaign: Campaign, body: ledger.Body) -> MapView | None:
    """Return the map that an entry posted, if any."""
    if MAP_OF not in body:
        return None
    book = library.book(tx, campaign, BOOK)
    kept: dict[str, Json] = body[MAP_OF]
    began = entries.get_entries_bare(tx, campaign.id, {kept[storage.WAR]["entry"]})
    changes = (item for entry in began.values() for item in entry.content()["changes"])
    scenario = {item["name"]: item["after"] for item in changes if item["name"] == storage.SCENARIO}
    rules, war = storage.read(book, {**scenario, **kept})  # an older version has kept it here too
    return faction_view(rules, war, None)


def find_faction(war: War, typed: str) -> str:
    """Find a faction's id by id, name or unique part, or refuse."""
    found = war.match_faction(typed)
    if found not in war.factions:
        alike = [name for name, item in war.factions.items() if name_key(typed) in name_key(item.name)]
        if len(alike) == 1:
            return alike[0]
        labels = [item.name for item in war.factions.values()]
        raise errors.unknown_name(f"{typed[:60]!r} isn't a faction.", typed, labels, f"Pick one: {', '.join(labels)}.")
    return found


def _sentence(body: ledger.Body, _view: ledger.View) -> str:
    return text.plain(" ".join([f"{TITLE}:", *body["lines"][:1]]))


def _pages(shown: ledger.EntryView, _view: ledger.View) -> ledger.Pages:
    body = shown.entry.content()
    pages = [[*page] for page in receipt.plain_pages(shown, TITLE, map(text.plain, body["lines"]))]
    if MAP_OF in body:
        first = pages[0][0].set_image(url=f"{text.ATTACHED}{PICTURE}")
        first.description = f"{first.description}\n{EXPLAINED}"
    return pages


def _too_large(body: ledger.Body) -> Iterator[str]:
    for change in body["changes"]:
        if change["name"] == storage.SCENARIO and change["after"] is not None:
            faults = KEPT_BOUNDS.after_parsing(documents.Document("scenario", "", change["after"]["is"]))
            yield from (f"the scenario is too large: {fault.what}" for fault in faults)


WAR_ENTRY = ledger.EntryKind(storage.WAR, "results", _sentence, _pages, too_large=_too_large)


SHOW_BOARD: Final = IdTemplate("battle:{campaign:int}:show:{at:word}:{begun:int}")
REFRESH_BOARD: Final = IdTemplate("battle:{campaign:int}:again:{at:word}:{begun:int}")
END_HALF: Final = IdTemplate("battle:{campaign:int}:next:{at:word}:{begun:int}:{turn:int}:{side:int}")
"""By turn and side (its place)."""
END_ANYWAY: Final = IdTemplate("battle:{campaign:int}:sure:{at:word}:{begun:int}:{turn:int}:{side:int}")
ASK_WITHDRAWAL: Final = IdTemplate("battle:{campaign:int}:withdraw:{at:word}:{begun:int}:{side:int}")
WITHDRAW: Final = IdTemplate("battle:{campaign:int}:leave:{at:word}:{begun:int}:{side:int}")
RETREAT_TO: Final = IdTemplate("battle:{campaign:int}:retreat:{at:word}:{begun:int}:{force:int}:{to:word}")
"""By force (its place by name)."""
BOARD_WORDS: Final = IdTemplate("battle:{campaign:int}:words:{at:word}:{begun:int}:{unit:rest}")
MISSING_ACT: Final = IdTemplate("battle:{campaign:int}:act:{at:word}:{begun:int}:{attack:word}:{roll:word}:{unit:rest}")
PICK_UNIT: Final = IdTemplate("battle:{campaign:int}:unit:{at:word}:{begun:int}:{newest:int}:{_place:int}")
NEXT_UNIT: Final = IdTemplate("battle:{campaign:int}:after:{at:word}:{begun:int}:{unit:rest}")
BATTLE_ON = "Battle on "  # begins a thread's name; the panel follows


class BattleKey(Struct, frozen=True):
    """A battle in ids: campaign, panel, and the entry that began it."""

    campaign: int
    at: str
    begun: int

    def fill(self, form: IdTemplate, **more: object) -> str:
        """Return the custom id."""
        return form.fill(campaign=self.campaign, at=self.at, begun=self.begun, **more)

    def button(
        self, label: str, form: IdTemplate, style: ButtonStyle = ButtonStyle.secondary, **more: object
    ) -> ui.Button[ui.LayoutView]:
        """Return a button with that id."""
        return ui.Button(label=label, custom_id=self.fill(form, **more), style=style)


def topic_of(at: object) -> str:
    """Return the topic, and thread name, of a panel's battle."""
    return queue.thread_topic(f"{BATTLE_ON}{at}")


def find_first_entry(values: storage.Values, at: geometry.Hex) -> int:
    """Return the entry that began the panel's battle."""
    opened = values.get(f"{storage.OPENED}{at}") or values[storage.WAR]
    number: int = opened["entry"]
    return number


def keep_begun(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return changes that keep which entry began each battle, or ended a turn; acts' bodies name the first one too."""
    scene, first = made.request.scene, made.resolution.parts[0].part
    if scene is None or not scene.startswith(f"{storage.WAR}:"):
        return ExtraChanges()
    begun = [
        name.removeprefix(storage.BATTLE)
        for part in made.resolution.parts
        for who, name, value in part.changes
        if who == effects.SCENE and name.startswith(storage.BATTLE)
        if value is not None and name not in part.part.kept.get(effects.SCENE, {})
    ]
    opened = {at: {"entry": made.moment.entry, "open": True} for at in begun}
    body: dict[str, object] = {BATTLES: begun} if begun else {}
    if "at" in first.inputs:
        at = geometry.Hex.parse(first.inputs["at"])
        body[FOUGHT] = (
            opened[str(at)]["entry"] if str(at) in opened else find_first_entry(first.kept[effects.SCENE], at)
        )
    changes: dict[StateKey, object] = {(scene, f"{storage.OPENED}{at}"): value for at, value in opened.items()}
    if made.request.family == ADVANCE:  # the next digest starts here
        changes[scene, TURNED] = {"entry": made.moment.entry}
    return ExtraChanges(changes, body)


def find_called(
    tx: Connection, library: Library, campaign: Campaign, entry: Entry
) -> Mapping[str, Sequence[tuple[str, Player]]]:
    """Return who acts next (name and player) by panel: the side whose half began, or beaten commanders."""
    body = entry.content()
    at, beaten = str(body["parts"][0]["inputs"].get("at")), body["parts"][0]["record"].get(BEATEN, {})
    begun = {*body.get(BATTLES, ()), *([at] if body["family"] == NEXT else ())}
    over = {at} & beaten.keys() if FOUGHT in body and body["family"] != "retreat" else set()
    if "amends" in body or not (begun or over):
        return {}
    book = library.book(tx, campaign, BOOK)
    scene = scene_of(tx, campaign.id, book)
    if scene is None:
        return {}
    war = storage.read(book, scene.values)[1]
    going = {str(panel): battle for panel, battle in war.battles.items() if not battle.fight.outcome.over}
    names = {panel: _find_commanders(war, going[panel]) for panel in begun & going.keys()}
    names |= {panel: [war.force(name).commander for name in beaten[panel]] for panel in over}
    return {
        panel: [(name, war.players[name]) for name in dict.fromkeys(filter(None, some)) if name in war.players]
        for panel, some in names.items()
    }


def _find_commanders(war: War, battle: WarBattle) -> list[str | None]:
    active = battle.fight.active
    found = [war.force(name).commander for name, side in battle.forces.items() if side == active]
    faction = war.factions.get(active)
    return found if war.players.keys() & {*found} or faction is None else [faction.leader]


def make_pings(
    tx: Connection, campaign: Campaign, entry: Entry, called: Iterable[tuple[str, Player]], faction: str | None = None
) -> queue.Pings:
    """Mention players (of one `faction`), but none whose character is hidden."""
    hidden = {(item.owner, name_key(item.name)) for item in profiles.list_profiles(tx, campaign.id) if item.secret}
    mine = [(name, player) for name, player in called if faction in {None, player.faction}]
    owners = {player.owner for name, player in mine if player.owner and (player.owner, name_key(name)) not in hidden}
    return queue.Pings(call_players(tx, campaign, owners - {entry.actor}, profiles.NOBODY))


def call_commanders(
    tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry, messages: Sequence[queue.OutgoingMessage]
) -> Sequence[queue.OutgoingMessage]:
    """Mention who acts next in a battle in an act's public posts."""
    if entry.audience != "results":
        return messages
    act = str(entry.content()["parts"][0]["inputs"].get("at"))
    topics = {topic_of(at): at for at in entry.content().get(BATTLES, ())}
    first = next((item for item in messages if item.kind == "results"), None) if FOUGHT in entry.content() else None
    called = find_called(tx, resolver.library, campaign, entry)
    places = [act if item is first else topics.get(item.topic or "", "") for item in messages]
    return [
        replace(item, pings=item.pings | make_pings(tx, campaign, entry, called[at])) if at in called else item
        for item, at in zip(messages, places, strict=True)
    ]


def threads_of(tx: Connection, campaign_id: int, values: storage.Values, at: geometry.Hex) -> list[int | None]:
    """Return a battle's thread ids (None: no thread): of the common post, then of factions."""
    posts = queue.posts_of_entry(tx, campaign_id, find_first_entry(values, at))
    return [post.thread_id for post in posts if post.topic == topic_of(at)]


def open_battles(tx: Connection, campaign: Campaign, _now: effects.Moment) -> Iterator[Question]:
    """Yield unfinished battles as open questions; none once the war is won."""
    headers = state.find_values_of_name(tx, campaign.id, storage.WAR)
    going = {subject for subject, header in headers.items() if not header["over"]}
    for subject in sorted(going):
        kept = state.get_values(tx, campaign.id, {subject})
        values = {name: value for (_, name), value in kept.items()}
        if storage.is_won(values):  # what was still fought then is not decided any more
            continue
        for at, battle in storage.read_battles(values).items():
            beaten = _beaten(tx, campaign, battle, values)
            line = f"Battle on {at}: {_describe_battle(battle, values, beaten)}"
            begun = find_first_entry(values, at)
            key = BattleKey(campaign.id, str(at), begun).fill(SHOW_BOARD)
            yield Question(begun, f"the battle on {at}", line, f"Board of {at}", key, holds=True)


def _describe_battle(battle: WarBattle, values: storage.Values, beaten: Sequence[str]) -> str:
    fight = battle.fight
    if not fight.outcome.over:
        side, names = _name_side(fight.active, values), _commanders(battle, fight.active, values)
        return f"turn {fight.turn}, {side} to act{f' ({names})' if names not in {'', side} else ''}"
    return f"over, {' and '.join(beaten)} {'have' if beaten[1:] else 'has'} to retreat"


def _beaten(tx: Connection, campaign: Campaign, battle: WarBattle, values: storage.Values) -> Sequence[str]:
    if not battle.fight.outcome.over:
        return ()
    number = values[f"{storage.BATTLE}{battle.at}"]["entry"]
    made = entries.get_entries_bare(tx, campaign.id, {number}).values()
    records = [part["record"] for entry in made for part in entry.content()["parts"]]
    lost = [name for name in battle.forces if battle.result(name) != "won" and name not in battle.retreats]
    kept: list[Sequence[str]] = [record[BEATEN].get(str(battle.at), ()) for record in records if BEATEN in record]
    return kept[0] if kept else lost  # an older version has kept none


def _name_side(side: str, values: storage.Values) -> str:
    start = values[storage.SCENARIO]["is"]["factions"].get(side, {})
    return NOBODYS if side == NEUTRAL else str((_value_of(values, f"faction.{side}") or start).get("name", side))


def _commanders(battle: WarBattle, side: str, values: storage.Values) -> str:
    forces = (_value_of(values, f"force.{name}") for name, fights in battle.forces.items() if fights == side)
    given = (str(item["commander"]) for item in forces if item.get("commander"))
    names = dict.fromkeys(
        name for name in given if _value_of(values, f"player.{name}")
    )  # else they have not joined yet
    leader = _value_of(values, f"faction.{side}").get("leader")
    return ", ".join(names) or str(leader or "")


def _value_of(values: storage.Values, name: str) -> Mapping[str, object]:
    found: Mapping[str, object] = values.get(name, {}).get("is") or {}
    return found
