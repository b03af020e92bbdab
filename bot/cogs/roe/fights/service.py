"""Fights: begun, looked at and ended, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.fights import buttons
from bot.cogs.roe.fights.downed import downed, one_side_stands
from bot.cogs.roe.fights.looking import BOOK, FIGHTS, Look, campaign_with_fights, characters, look, pet_out, require_fit
from bot.cogs.roe.fights.transaction import Entered, Told, enter
from bot.cogs.roe.fights.unanswered import what_waits
from bot.cogs.roe.fights.waiting import laid_lines, require_nothing_waits
from bot.core import scenes, state
from bot.core.campaigns import Campaign, moment
from bot.core.ledger import next_number
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import Profile
from bot.core.scenes import Which
from bot.core.subjects import label, twins
from bot.core.visibility import Viewer, suggested, viewer_of
from bot.errors import BadInput, NotAllowed
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.text import within
from rules.books.roe import scene as steps
from rules.books.roe.scene import FIGHT, Header
from rules.names import visible
from rules.scenes import MEMBER, Participant, Scene, begin, scene_key
from rules.scenes import end as ended

LEAST, FIRST = 2, 12
"""How many a fight begins with."""

NEXT = "turn"
"""The deed of an entry that ends a turn and begins the next."""
ROOM_FOR_LAID = 900
"""Characters of what lies in a fight, of those that a fight has as it stands."""


class Start(Struct, frozen=True):
    """A fight as it was typed: who, the defender first, light and weather, its name, and where: channels (ids) and what the nearest is called."""

    who: str
    light: str | None
    weather: int | None
    name: str | None
    channels: Sequence[int]
    channel_name: str


def start(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, typed: Start) -> Entered:
    """Begin a fight; no turn begins before the defender has said how it is settled."""
    names = parsing.names(typed.who, "character", FIRST)
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    viewer = viewer_of(tx, person, campaign)
    fighters = characters(tx, viewer, names)
    _require_room(tx, campaign, typed)
    _require_start(viewer, fighters)
    fighters = _defender_first(viewer, fighters)
    require_fit(
        tx, viewer, fighters[1:], moment(0, resolver.ledger.now())
    )  # the defender may be attacked while Wounded
    header = Header(
        name=_name(tx, campaign, typed),
        sides=(),
        entry=next_number(tx, campaign),
        order="participants",
        conditions=steps.conditions(typed.light, typed.weather),
        book=BOOK,
        channel=str(typed.channels[0]),
        defender=fighters[0].id,
    )
    before = scenes.require_new(tx, campaign.id, header, FIGHTS)
    scenes.require_free(tx, campaign.id, Scene(header), fighters)
    seen = Look(viewer, Scene(header), {item.id: item for item in fighters})
    told = Told(
        "start",
        {"defender": header.defender, "conditions": dict(header.conditions)},
        buttons=buttons.choices(campaign.id, header.entry),
        asks=[header.defender],
    )
    return enter(
        tx,
        resolver,
        seen,
        begin(
            header,
            [Participant(item.id, item.name, marks={**steps.FRESH, **pet_out(item)}) for item in fighters],
            before,
        ),
        told,
    )


def end(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: Which) -> Entered:
    """End a fight."""
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    seen = look(tx, person, campaign, which)
    require_ender(tx, resolver, seen)
    require_nothing_waits(tx, seen, seen.fight.now)
    told = Told("end", {"fought": [item.id for item in seen.fight.roster]})
    return enter(tx, resolver, seen, ended(seen.fight), told)


def require_ender(tx: Connection, resolver: Resolver, seen: Look) -> None:
    """Refuse to end a fight with NotAllowed to all but game masters and the last side standing."""
    now = moment(0, resolver.ledger.now())
    down = downed(seen.fight, seen.kept, now)
    stands = any(seen.acts_for(item.id) for item in seen.fight.roster if item.id not in down)
    if not (stands and one_side_stands(tx, seen.campaign.id, seen.fight, seen.people.values(), down)):
        require_game_master(seen.viewer.person, seen.campaign, "end fights")


def to_end(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, channels: Sequence[int]) -> Look:
    """Return the channel's fight for whoever may end it; raises as `end`."""
    seen = show(tx, resolver.library, person, campaign_id, None, channels)
    require_ender(tx, resolver, seen)
    return seen


def show(
    tx: Connection, library: Library, person: Person, campaign_id: int, which: Which, channels: Sequence[int]
) -> Look:
    """Return the fight that is meant, for whoever takes part in the campaign."""
    return look(tx, person, campaign_with_fights(tx, library, person, campaign_id, lock=False), which, channels)


def shown(
    tx: Connection, library: Library, person: Person, campaign_id: int, channels: Sequence[int]
) -> tuple[Look, str | None, list[str]]:
    """Return the channel's fight, what of its turn waits for others' answers, and what lies in it, as lines; raises as `show`."""
    seen = show(tx, library, person, campaign_id, None, channels)
    return seen, what_waits(tx, seen.campaign.id, seen.shown.now), [*within(ROOM_FOR_LAID, [*laid_lines(tx, seen)])]


def changed(tx: Connection, change: Callable[..., Entered], *asked: object) -> tuple[Entered, str | None]:
    """Return a change of a fight, and what of the turn of now waits for others' answers; raises as the change."""
    entered = change(tx, *asked)
    seen, begins = entered.look, entered.entry.content()["deed"] == NEXT  # nothing of a turn waits that only begins
    return entered, None if seen is None or begins else what_waits(tx, seen.campaign.id, seen.shown.now)


def free(tx: Connection, viewer: Viewer, wanted: str, *, own: bool = False) -> list[str]:
    """Return what those saved characters are called who stand in no scene, as far as the viewer knows them; players' own alone, if asked."""
    known = [item for item in suggested(tx, viewer, wanted) if item.is_character]
    if own and not viewer.person.leads(viewer.campaign):
        known = [item for item in known if viewer.owns(item)]
    taken = {name for _, name in state.anywhere(tx, viewer.campaign.id, [f"{MEMBER}{item.id}" for item in known])}
    several = twins(known)
    return [label(item) if item.id in several else item.name for item in known if f"{MEMBER}{item.id}" not in taken]


def _require_room(tx: Connection, campaign: Campaign, typed: Start) -> None:
    for item in scenes.running(tx, campaign.id, FIGHTS):
        if item.header.channel == str(typed.channels[0]):
            raise BadInput(
                f"{item.name} is already running in this channel.", "Start in another channel, or end that fight first."
            )


def _defender_first(viewer: Viewer, fighters: Sequence[Profile]) -> list[Profile]:
    """Return fighters with the defender first: as a game master names them; whoever else begins a fight attacks (line 6)."""
    own = [] if viewer.person.leads(viewer.campaign) else [item for item in fighters if viewer.owns(item)]
    attacked = next((item for item in fighters if item not in own), fighters[0])
    return [attacked, *(item for item in fighters if item is not attacked)]


def _require_start(viewer: Viewer, fighters: Sequence[Profile]) -> None:
    if len(fighters) < LEAST:
        raise BadInput("A fight needs at least two characters.", "Separate names with commas, the defender first.")
    if not viewer.person.leads(viewer.campaign) and not any(map(viewer.owns, fighters)):
        raise NotAllowed("None of these characters is yours.", "Add one of yours, or ask a game master.")
    if all(item.secret for item in fighters):
        what = "Players will see the fight begin, but all these characters are hidden from them."
        raise BadInput(what, "Add a character players can see.")


def _name(tx: Connection, campaign: Campaign, typed: Start) -> str:
    """Return what a fight is called: as it was typed, or by its channel, with a number where there is one of that name."""
    if typed.name is not None:
        (name,) = parsing.names(typed.name.replace(",", " "), "name of the fight", 1)
        return name
    taken = {item.subject for item in scenes.headers(tx, campaign.id, FIGHTS) if not item.over}
    first = visible(f"Fight in #{typed.channel_name}"[: parsing.MAX_NAME - 4])
    names = [first, *(f"{first} {place}" for place in range(2, len(taken) + 2))]
    return next(name for name in names if scene_key(FIGHT, name) not in taken)
