"""Fights begun, shown, put to the vote and ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe import fight_messages
from bot.cogs.roe.fight_changes import ChangeDraft, FightChange, enter
from bot.cogs.roe.fight_view import (
    BOOK,
    FIGHTS,
    FightView,
    campaign_with_fights,
    find_characters,
    find_downed,
    find_fight,
    is_one_side_left,
    mark_pet,
    require_fit,
)
from bot.cogs.roe.waiting import describe_laid, describe_unanswered, require_nothing_waits
from bot.core import scenes, state
from bot.core.campaigns import Campaign, moment
from bot.core.ledger import next_number
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import Profile
from bot.core.scenes import Which
from bot.core.subjects import label, label_each, twins
from bot.core.visibility import Viewer, suggested, viewer_of
from bot.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.rolls.desk import channels
from bot.rolls.options import Completed, Completion, Completions, completing_last
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.reply import STALE
from bot.ui.text import within
from rules.books.roe import scene as steps
from rules.books.roe.scene import FIGHT, Aim, Header
from rules.names import visible
from rules.scenes import MEMBER, Participant, Replacement, Scene, begin, scene_key
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


def start(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, typed: Start) -> FightChange:
    """Begin a fight; no turn begins before the defender has said how it is settled."""
    names = parsing.names(typed.who, "character", FIRST)
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    viewer = viewer_of(tx, person, campaign)
    fighters = find_characters(tx, viewer, names)
    _require_room(tx, campaign, typed)
    _require_start(viewer, fighters)
    fighters = _defender_first(viewer, fighters)
    require_fit(
        tx, viewer, fighters[1:], moment(0, resolver.ledger.now())
    )  # the defender may be attacked while Wounded
    header = Header(
        name=_make_name(tx, campaign, typed),
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
    seen = FightView(viewer, Scene(header), {item.id: item for item in fighters})
    told = ChangeDraft(
        "start",
        {"defender": header.defender, "conditions": dict(header.conditions)},
        buttons=fight_messages.offer_modes(campaign.id, header.entry),
        asks=[header.defender],
    )
    return enter(
        tx,
        resolver,
        seen,
        begin(
            header,
            [Participant(item.id, item.name, marks={**steps.FRESH, **mark_pet(item)}) for item in fighters],
            before,
        ),
        told,
    )


def end(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: Which) -> FightChange:
    """End a fight."""
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    seen = find_fight(tx, person, campaign, which)
    require_ender(tx, resolver, seen)
    require_nothing_waits(tx, seen, seen.fight.now)
    told = ChangeDraft("end", {"fought": [item.id for item in seen.fight.roster]})
    return enter(tx, resolver, seen, ended(seen.fight), told)


def require_ender(tx: Connection, resolver: Resolver, seen: FightView) -> None:
    """Refuse to end a fight with NotAllowed to all but game masters and the last side standing."""
    now = moment(0, resolver.ledger.now())
    down = find_downed(seen.fight, seen.kept, now)
    stands = any(seen.acts_for(item.id) for item in seen.fight.roster if item.id not in down)
    if not (stands and is_one_side_left(tx, seen.campaign.id, seen.fight, seen.people.values(), down)):
        require_game_master(seen.viewer.person, seen.campaign, "end fights")


def view_to_end(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, channels: Sequence[int]
) -> FightView:
    """Return the channel's fight for whoever may end it; raises as `end`."""
    seen = view_channel(tx, resolver.library, person, campaign_id, None, channels)
    require_ender(tx, resolver, seen)
    return seen


def view_channel(
    tx: Connection, library: Library, person: Person, campaign_id: int, which: Which, channels: Sequence[int]
) -> FightView:
    """Return the fight that is meant, for whoever takes part in the campaign."""
    return find_fight(tx, person, campaign_with_fights(tx, library, person, campaign_id, lock=False), which, channels)


def view_with_details(
    tx: Connection, library: Library, person: Person, campaign_id: int, channels: Sequence[int]
) -> tuple[FightView, str | None, list[str]]:
    """Return the channel's fight, what of its turn waits for others' answers, and what lies in it, as lines; raises as `show`."""
    seen = view_channel(tx, library, person, campaign_id, None, channels)
    return (
        seen,
        describe_unanswered(tx, seen.campaign.id, seen.shown.now),
        [*within(ROOM_FOR_LAID, [*describe_laid(tx, seen)])],
    )


def make_change(tx: Connection, change: Callable[..., FightChange], *asked: object) -> tuple[FightChange, str | None]:
    """Return a change of a fight, and what of the turn of now waits for others' answers; raises as the change."""
    entered = change(tx, *asked)
    seen, begins = entered.seen, entered.entry.content()["deed"] == NEXT  # nothing of a turn waits that only begins
    return entered, None if seen is None or begins else describe_unanswered(tx, seen.campaign.id, seen.shown.now)


def suggest_free(tx: Connection, viewer: Viewer, wanted: str, *, own: bool = False) -> list[str]:
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


def _make_name(tx: Connection, campaign: Campaign, typed: Start) -> str:
    """Return what a fight is called: as it was typed, or by its channel, with a number where there is one of that name."""
    if typed.name is not None:
        (name,) = parsing.names(typed.name.replace(",", " "), "name of the fight", 1)
        return name
    taken = {item.subject for item in scenes.headers(tx, campaign.id, FIGHTS) if not item.over}
    first = visible(f"Fight in #{typed.channel_name}"[: parsing.MAX_NAME - 4])
    names = [first, *(f"{first} {place}" for place in range(2, len(taken) + 2))]
    return next(name for name in names if scene_key(FIGHT, name) not in taken)


def change_mode(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, reason: str | None, channels: Sequence[int]
) -> FightChange:
    """Propose the other mode for the channel's fight, or let it be so from now on for a game master's reason."""
    seen = _view_to_vote(tx, resolver, person, campaign_id, channels)
    mode = seen.fight.header.mode
    if mode is None:
        raise NotAsItIs("The defender hasn't chosen dice or free-form yet.", "Choose it in /fight show.")
    return _propose(tx, resolver, seen, steps.other(mode), reason)


def lock(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, reason: str | None, channels: Sequence[int]
) -> FightChange:
    """Propose that nobody else comes into the channel's fight, or let it be so for a game master's reason; they open a locked one."""
    seen = _view_to_vote(tx, resolver, person, campaign_id, channels)
    header = seen.fight.header
    if not header.locked:
        return _propose(tx, resolver, seen, "lock", reason)
    require_game_master(person, seen.campaign, "unlock a fight")
    return _enter_vote(tx, resolver, seen, replace(header, locked=False), ChangeDraft("open", {}, _read_reason(reason)))


def vote(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, fight: int, proposed: int, word: str
) -> FightChange:
    """Say yes or no to what an entry has proposed; the last yes lets it be so, a no ends it."""
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    seen = find_fight(tx, person, campaign, fight)
    header = seen.fight.header
    if word not in fight_messages.SAYS:
        raise NotOpen(*STALE)
    if header.votes is None or header.votes.entry != proposed:
        raise NotOpen("That vote is over.", "See /fight show.")
    if not seen.votes and not seen.decides and not (seen.leads and word == "no"):
        raise NotAllowed("Only fighters can vote on this.", "A game master can decide it by giving a reason.")
    body = {"aim": header.votes.aim, "who": seen.votes}
    if word == "no":
        return _enter_vote(tx, resolver, seen, replace(header, votes=None), ChangeDraft("no", body))
    after = steps.agree(header, seen.votes, seen.voters)
    if after == header:
        raise NotAsItIs("You've already agreed.", "It takes effect once everyone agrees.")
    return _enter_vote(
        tx, resolver, seen, after, ChangeDraft("yes" if after.votes else "agreed", body, posted=not after.votes)
    )


def _view_to_vote(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, channels: Sequence[int]
) -> FightView:
    """Return the channel's fight, as somebody looks at it who acts for a fighter; refuses others with NotAllowed."""
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    seen = find_fight(tx, person, campaign, None, channels)
    if not any(seen.acts_for(item.id) for item in seen.fight.roster):
        raise NotAllowed("Only fighters can vote on this.", "None of the fighters is yours.")
    return seen


def _propose(tx: Connection, resolver: Resolver, seen: FightView, aim: Aim, reason: str | None) -> FightChange:
    header, texts = seen.fight.header, _read_reason(reason)
    if texts:
        require_game_master(seen.viewer.person, seen.campaign, "decide this without the others")
        return _enter_vote(tx, resolver, seen, steps.decide(header, aim), ChangeDraft("overrule", {"aim": aim}, texts))
    if header.votes is not None:
        raise NotAsItIs("Another proposal is still open.", "Agree or refuse it first: /fight show.")
    number = next_number(tx, seen.campaign)
    after = steps.agree(steps.propose(header, aim, number), seen.votes, seen.voters)
    body: dict[str, Any] = {"aim": aim, "who": seen.votes}
    if after.votes is None:
        return _enter_vote(tx, resolver, seen, after, ChangeDraft("agreed", body))
    offered = fight_messages.offer_votes(seen.campaign.id, seen.fight.header.entry, number)
    asks = [voter for voter in seen.voters if voter not in after.votes.yes]
    return _enter_vote(tx, resolver, seen, after, ChangeDraft("propose", body, buttons=offered, asks=asks))


def _read_reason(reason: str | None) -> dict[str, str]:
    why = parsing.text(reason, "reason")
    return {"reason": why} if why else {}


def _enter_vote(tx: Connection, resolver: Resolver, seen: FightView, header: Header, told: ChangeDraft) -> FightChange:
    if header.mode != seen.fight.header.mode:
        require_nothing_waits(tx, seen, seen.fight.now)
    return enter(tx, resolver, seen, [Replacement(seen.fight.header, header)], told)


async def _complete_characters(at: Completion, current: str) -> Completions:
    """Complete the last of several characters who aren't in a fight."""
    return completing_last(current, await _complete_free(at, current.rpartition(",")[2]))


async def _complete_own_character(at: Completion, current: str) -> Completions:
    """Offer characters who aren't in a fight; players see only their own."""
    return [(name, name) for name in await _complete_free(at, current, own=True)]


async def _complete_fighters(at: Completion, current: str) -> Completions:
    """Complete the last of several fighters in the channel's fight."""
    asked = (at.person, at.campaign.id, None, channels(at.interaction))
    seen = await at.desk.database.read(view_channel, at.desk.resolver.library, *asked)
    return completing_last(current, label_each(seen.shown.roster))


OwnCharacter = Annotated[str, Completed(_complete_own_character)]
Fighters = Annotated[str, Completed(_complete_fighters)]
Characters = Annotated[str, Completed(_complete_characters)]


async def _complete_free(at: Completion, word: str, *, own: bool = False) -> list[str]:
    return await at.read(_suggest_names, word, own)


def _suggest_names(tx: Connection, who: Person, campaign: Campaign, word: str, own: bool) -> list[str]:  # noqa: FBT001 - read as it is
    return suggest_free(tx, viewer_of(tx, who, campaign), word, own=own)
