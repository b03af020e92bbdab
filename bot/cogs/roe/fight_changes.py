"""One entry for each change of a fight, posted where the fight is, with what follows from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, field
from sqlalchemy import Connection

from bot.cogs.roe import fight_messages, turn_change
from bot.cogs.roe.fight_entries import make_entry_pages
from bot.cogs.roe.fight_view import (
    BOOK,
    FIGHTS,
    MOST,
    FightView,
    find_downed,
    find_fight,
    is_one_side_left,
    open_campaign_with_fights,
    view_as_maker,
    view_fight,
)
from bot.cogs.roe.turn_change import TurnChange
from bot.cogs.roe.waiting import describe_unanswered, read_due_fuses
from bot.core import entries, profiles, scene_entries, scenes
from bot.core.campaigns import Campaign, make_moment
from bot.core.entry_kinds import EntryView
from bot.core.ledger import next_number
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import Change, Entry
from bot.core.scene_entries import SceneChange, leave_scenes
from bot.core.scenes import Which
from bot.core.state import State
from bot.core.visibility import make_player_viewer, make_viewer
from bot.outbox import store as posts
from bot.outbox.queue import Buttons, OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.news import players
from bot.rolls.resolver import Resolver, RollOrder
from rules.books.roe import fights as steps
from rules.books.roe.explosives import FUSE, ZONE
from rules.books.roe.fights import FIGHT, Fight, after, ask_under, known_to, leave
from rules.effects import EFFECT
from rules.ends import Moment
from rules.ruleset import RuleSet
from rules.scenes import Participant, Replacement
from rules.scenes import end as ended
from rules.subjects import number_of, subject_key

OVERTAKEN = "overtaken"
"""The deed of an entry that passes on the turn of somebody unseen, since the next one acts."""


class ChangeDraft(Struct, frozen=True):
    """What an entry says of a change beyond what it replaces.

    It has the deed with what its body says, free texts, the buttons under its post, who is to answer (numbers of fighters),
    whether all of it is `secret`, and whether it is `posted`. A turn `begins` by it although another entry has passed it on.
    """

    deed: str
    body: Mapping[str, Any]
    texts: Mapping[str, str] = field(default_factory=dict)
    buttons: Buttons = ()
    asks: Sequence[int] = ()
    secret: bool = False
    posted: bool = True
    begins: bool = False


class FightChange(Struct, frozen=True):
    """A change that is entered, its posts, which are still to be sent, and the fight as it is now, None once it is over."""

    campaign: Campaign
    entry: Entry
    posts: Sequence[Post]
    seen: FightView | None


class FightWork:
    """A write transaction on behalf of somebody who takes part in a campaign, about a fight there: that of the channels, unless it is said `which`."""

    def __init__(
        self,
        tx: Connection,
        resolver: Resolver,
        person: Person,
        campaign_id: int,
        which: Which = None,
        channels: Sequence[int] = (),
    ) -> None:
        self.tx, self.resolver, self.person, self.channels = tx, resolver, person, channels
        self.viewer = open_campaign_with_fights(tx, resolver.library, person, campaign_id)
        self.campaign, self._which = self.viewer.campaign, which

    @cached_property
    def seen(self) -> FightView:
        """The fight as the person looks at it. Raises BadInput or NotOpen where no such fight goes on."""
        return find_fight(self.tx, self.viewer, self._which, self.channels)

    @cached_property
    def book(self) -> RuleSet:
        """The book, as the campaign plays it."""
        return self.resolver.library.book(self.tx, self.campaign, BOOK)

    @cached_property
    def moment(self) -> Moment:
        """When it is done."""
        return make_moment(0, self.resolver.ledger.now())

    def enter(self, replacements: Sequence[Replacement], draft: ChangeDraft, *coming: Profile) -> FightChange:
        """Enter a change of the fight, with those who come in by it."""
        return enter(self.tx, self.resolver, self.seen.with_(*coming), replacements, draft)


def enter(
    tx: Connection, resolver: Resolver, seen: FightView, replacements: Sequence[Replacement], told: ChangeDraft
) -> FightChange:
    """Enter a change of a fight, and queue what its channel hears of it; the staff's, where it is about somebody secret.

    What befalls whoever begins a turn by it follows, as an entry of its own.
    """
    campaign, fight, user_id = seen.campaign, seen.fight, seen.viewer.person.user_id
    book, clock = resolver.library.book(tx, campaign, BOOK), make_moment(0, resolver.ledger.now())
    past = turn_change.find_turn_change(tx, campaign, book, fight, replacements, clock)
    now = _find_beginning(fight, after(fight, replacements), told)
    for number in now:
        replacements = turn_change.set_allowance(past, fight, replacements, number)
    made = after(fight, replacements)
    people = (Participant(item.id, item.name) for item in seen.people.values())
    public = known_to(made, seen.open)
    begins = [] if told.begins and told.secret else _find_beginning(known_to(fight, seen.open), public, told)
    if told.deed == "start" or (begins and not told.secret):
        replacements = ask_under(fight, replacements, next_number(tx, campaign))
    body = _make_body(tx, resolver, seen, made, told, past)
    change = SceneChange(
        fight,
        body,
        replacements,
        told.texts,
        past.lost,
        mentioned=[*{item.id: item for item in (*people, *fight.roster, *made.roster)}.values()],
        audience=_find_audience(seen, told),
        lasting=past.lasting,
    )
    entry = scene_entries.enter_change(tx, resolver.ledger, campaign, user_id, change)
    answered = _find_answered(known_to(fight, seen.open), public) | (
        {fight.header.asked} if told.begins and begins else set()
    )
    settled = _settle(tx, resolver, seen, answered - {entry.number})
    passing = find_passing_deed(tx, resolver, view_again(tx, seen))
    messages = _make_messages(tx, seen, entry, told, public, () if passing else begins) if told.posted else []
    queued = resolver.outbox.queue(tx, campaign.id, entry.number, messages)
    starts = [(number, public.header.turn) for number in begins]
    starts += [(number, made.header.turn) for number in now if number not in seen.open]
    sent = [*queued, *_roll_turn_starts(tx, resolver, seen, made, starts, past)]
    now_seen = view_again(tx, seen)
    if now_seen is not None and (deed := find_passing_deed(tx, resolver, now_seen)):
        then = leave_turn(tx, resolver, now_seen, deed)
        sent, now_seen = [*sent, *then.posts], then.seen
    return FightChange(campaign, entry, [*settled, *sent], now_seen)


def view_again(tx: Connection, seen: FightView) -> FightView | None:
    """Return a fight as it is now, as the same person looks at it; None once it is over."""
    found = scenes.find_scenes(tx, seen.campaign.id, FIGHTS, [seen.fight.header.subject])
    return view_fight(tx, seen.viewer, found[0]) if found else None


def leave_turn(tx: Connection, resolver: Resolver, seen: FightView, deed: str) -> FightChange:
    """End the turn of now and begin the next with those who come in by then; end the fight where one side alone is left standing."""
    fight, now = seen.fight, seen.fight.now
    down = find_downed(seen, make_moment(0, resolver.ledger.now()))
    if is_one_side_left(tx, seen, down):
        fought = [item.id for item in fight.roster]
        body = {"fought": fought, "left": [number for number in fought if number not in down]}
        return enter(tx, resolver, seen, ended(fight), ChangeDraft("end", body))
    come = [*_find_due(tx, seen)]
    told = ChangeDraft(deed, {"who": now, "came": [item.id for item in come]}, secret=now not in seen.open)
    replaced = steps.end_turn(fight, [Participant(item.id, item.name) for item in come], late=deed == OVERTAKEN)
    return enter(tx, resolver, seen.with_(*come), replaced, told)


def find_passing_deed(tx: Connection, resolver: Resolver, seen: FightView | None) -> str | None:
    """Return by which deed the turn of now ends by itself: the one who has it is down, others stand, and nothing of it waits for an answer (line 168).

    Where somebody unseen still has a turn before the one that everybody sees, that passes on first: nobody is to learn of
    it by a turn that doesn't pass. None where it doesn't end.
    """
    if seen is None or seen.fight.header.mode is None:
        return None
    down = find_downed(seen, make_moment(0, resolver.ledger.now()))
    unseen = seen.fight.now not in seen.open and seen.fight.now not in down
    now = known_to(seen.fight, seen.open).now if unseen else seen.fight.now
    if now not in down or not seen.open - down:
        return None
    due = read_due_fuses(tx, seen.campaign, seen.fight, make_player_viewer(seen.campaign))
    if due or describe_unanswered(tx, seen.campaign.id, now):
        return None
    return OVERTAKEN if unseen else "down"


def _find_due(tx: Connection, seen: FightView) -> Iterator[Profile]:
    """Yield who comes in behind the turn of now, since somebody has called: those who stand in no scene by then."""
    room = MOST - len(seen.fight.roster)
    for item in [*profiles.read_profiles(tx, seen.campaign.id, steps.list_due(seen.fight)).values()][: max(0, room)]:
        if scenes.find_stand(tx, seen.campaign.id, item.id) is None:
            yield item


def _roll_turn_starts(
    tx: Connection,
    resolver: Resolver,
    seen: FightView,
    fight: Fight,
    starts: Iterable[tuple[int, int]],
    past: TurnChange,
) -> Iterator[Post]:
    """Roll what happens to those (numbers, each with its turn) who begin one, where anything does; yield the posts.

    Of who is secret the staff alone reads it; of who hides also whoever plays that one, as whose it is entered.
    """
    campaign, user_id = seen.campaign, seen.viewer.person.user_id
    for number, turn in starts:
        request = turn_change.request_turn_start(tx, past, fight, campaign.id, number, turn)
        item = seen.people.get(number)
        owner = item.owner if item and item.id in seen.hidden and not item.secret else None
        if request and number not in seen.open and owner is None:
            request = request.model_copy(update={"to": "staff"})
        preview = request and resolver.preview(tx, campaign, request, book=past.book)
        if request and preview and preview.parts[0].lines:
            yield from resolver.roll(tx, RollOrder(campaign.id, user_id, request, preview=preview, actor=owner)).posts


def _make_body(
    tx: Connection, resolver: Resolver, seen: FightView, made: Fight, told: ChangeDraft, past: TurnChange
) -> dict[str, Any]:
    """Return the body of a change, after which a fight is as it was `made`: with what ends by it, and what lasts on whoever has the turn."""
    fight, audience = seen.fight, _find_audience(seen, told)
    reading, whole = seen.known if audience == "maker" else seen.open, audience == "staff"
    public = known_to(made, reading)
    there = {*seen.people, *(item.id for item in (*fight.roster, *made.roster))}
    then, now = (fight, made) if whole else (known_to(fight, reading), public)
    ended = {key: past.lasting[key] for key, value in past.changed.items() if value is None}
    on_turn = [*map(subject_key, _find_beginning(then, now, told))]
    stands = {key: value for key, value in past.left.items() if key[0] in on_turn}
    known = turn_change.describe_effects(tx, resolver.library, seen.campaign, ended | stands, whole=whole)
    over = [(of, label) for key, label, _ in known if key in ended and (of := number_of(key[0])) in there]
    still = [[label, *turn_change.read_end(value)] for key, label, value in known if key in stands]
    return {
        "deed": told.deed,
        "fight": fight.name,
        "order": [item.id for item in made.roster],
        "hidden": sorted(there - reading),
        "turn": {"staff": [made.header.turn, made.now], "public": [public.header.turn, public.now]},
        "mode": made.header.mode,
        **told.body,
        **({"ended": over} if over else {}),
        **({"stands": still} if still else {}),
        **({"audience": audience} if told.secret else {}),
    }


def _find_audience(seen: FightView, told: ChangeDraft) -> str:
    """Return whose an entry is: what is secret is its maker's too where that one does it for somebody who hides."""
    if not told.secret:
        return "results"
    who = seen.people.get(told.body.get("who", 0))
    hides = who is not None and who.id in seen.hidden and not who.secret
    return "maker" if who and hides and seen.viewer.owns(who) and not seen.leads else "staff"


def _make_messages(
    tx: Connection, seen: FightView, entry: Entry, told: ChangeDraft, public: Fight, begins: Sequence[int]
) -> list[OutgoingMessage]:
    """Return what is posted of an entry: where the fight is, or to the staff alone.

    Where somebody's turn `begins` in the eyes of all (`public`), the post has its end. Whoever is to answer, or has that turn, is pinged.
    """
    campaign, shown = seen.campaign, EntryView(entry, seen.campaign.name)
    if told.secret:
        return [OutgoingMessage("staff", campaign.staff_channel_id, page) for page in make_entry_pages(shown, "staff")]
    channel = int(seen.fight.header.channel or campaign.results_channel_id)
    pings = players(tx, campaign, seen.open.intersection([*told.asks, *begins]))
    offered = [*told.buttons, *(_offer_turn(tx, campaign, public) if begins else [])]
    (page,) = make_entry_pages(shown, "public")
    return [OutgoingMessage("results", channel, page, pings=pings, buttons=offered)]


def _offer_turn(tx: Connection, campaign: Campaign, public: Fight) -> Buttons:
    """Return what a turn that begins has under its post: its end, and the grenades that explode before."""
    due = read_due_fuses(tx, campaign, public, make_player_viewer(campaign))
    return [*fight_messages.offer_turn(campaign.id, public), *fight_messages.offer_explosions(campaign.id, public, due)]


def _find_answered(before: Fight, now: Fight) -> set[int]:
    """Return the entries (numbers) whose posts have asked for what is answered between these: a choice, a turn's end, a yes or no."""
    was, is_now, votes = before.header, now.header, before.header.votes
    moved = is_now.mode is not None if was.mode is None else (was.turn, before.now) != (is_now.turn, now.now)
    asked = {was.asked} if moved or is_now.over else set()
    open_still = votes and is_now.votes and is_now.votes.entry == votes.entry and not is_now.over
    return asked | ({votes.entry} if votes and not open_still else set())


def _settle(tx: Connection, resolver: Resolver, seen: FightView, numbers: Collection[int]) -> Iterator[Post]:
    """Take the buttons off the posts of these entries."""
    for number, entry in entries.get_entries(tx, seen.campaign.id, numbers).items() if numbers else ():
        (page,) = make_entry_pages(EntryView(entry, seen.campaign.name), "public")
        public = (post for post in posts.posts_of_entry(tx, seen.campaign.id, number) if post.kind == "results")
        yield from (resolver.outbox.revise(tx, post, page) for post in public)


def _find_beginning(before: Fight, now: Fight, told: ChangeDraft) -> list[int]:
    return [now.now] if told.begins and isinstance(now.now, int) else _find_begun(before, now)


def _find_begun(before: Fight, now: Fight) -> list[int]:
    """Return whose turn (number) begins between these, if anybody's does."""
    same = (before.header.turn, before.now, before.header.mode is None) == (now.header.turn, now.now, False)
    return [] if same or now.header.mode is None or not isinstance(now.now, int) else [now.now]


def begin_after_removal(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, number: int
) -> Iterator[Post]:
    """Enter that a turn begins which an entry (number) has passed on, with what that brings; yield the posts.

    Where all others see the same turn as before, since who is gone was secret, it is the staff's.
    """
    for fight in scenes.list_running(tx, campaign.id, FIGHTS):
        header, item = fight.header, fight.combatant(fight.now) if isinstance(fight.now, int) else None
        if header.since != number or header.mode is None or item is None:
            continue
        seen = view_fight(tx, make_viewer(tx, person, campaign), fight)
        public, asked = known_to(fight, seen.open), entries.get_entry(tx, campaign.id, header.asked)
        before = asked.content()["turn"]["public"] if asked else None
        told = ChangeDraft("begin", {}, secret=[public.header.turn, public.now] == before, begins=True)
        entered = enter(tx, resolver, seen, [Replacement(item, item)], told)
        yield from entered.posts


def take_out_removed(kept: State, number: int, entry: int) -> Iterator[Change]:
    """Yield what takes a subject out of fights when it is removed; `kept` is the whole state.

    Its grenades and zones go with it, and what others have with it as it has with them, such as a hold.
    """
    yield from leave_scenes(FIGHTS, leave, kept, number, entry)
    lasting = {key: value for key, value in kept.items() if key[1].startswith(EFFECT)}
    with_it = {value.get("other") for (who, _), value in lasting.items() if who == subject_key(number)}
    for key, value in lasting.items():
        if "scene" in value and value.get("other") == number and number_of(key[0]) in with_it:
            yield Change(*key, value, None)
    for key, value in kept.items():
        if key[1].startswith((FUSE, ZONE)) and number in {value.get("of"), value.get("turns", {}).get("of")}:
            yield Change(*key, value, None)


def pass_turn_on(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Begin the next turn in the fight of a roll, where whoever has the turn is down."""
    begun = entry.content().get(FIGHT)
    if begun is None:
        return ()
    for fight in scenes.list_running(tx, campaign.id, FIGHTS):
        if fight.header.entry == begun:
            seen = view_fight(tx, view_as_maker(tx, campaign, entry), fight)
            if deed := find_passing_deed(tx, resolver, seen):
                return leave_turn(tx, resolver, seen, deed).posts
    return ()
