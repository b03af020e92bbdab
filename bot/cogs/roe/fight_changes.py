"""One entry for each change of a fight, its post, and what follows from it.

Several people see one fight differently. An entry about someone secret is the staff's; about someone hidden, also their
player's. A turn that others don't see must not show in public: not by a post, not by a missing one, and not by a wait.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, field, structs
from sqlalchemy import Connection

from bot.cogs.roe import fight_messages, fight_view, lasting
from bot.cogs.roe.fight_entries import draw_entry
from bot.cogs.roe.fight_view import BOOK, FIGHTS, MOST, FightView, RoeAsker
from bot.core import entries, ledger, profiles, scene_entries, scenes, transactions, visibility
from bot.core.campaigns import Campaign, make_moment
from bot.core.errors import NotAllowed, NotAsItIs
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.outbox import queue as posts
from bot.outbox.queue import Buttons, OutgoingMessage, Post
from bot.rolls.embed import call_owners
from bot.rolls.resolver import Resolver, RollOrder
from rules.books.roe import fights
from rules.books.roe.fights import FIGHT, Fight, after, ask_under, narrow_to_known
from rules.effects import Moment
from rules.ruleset import RuleSet
from rules.scenes import Participant, Replacement
from rules.scenes import end as ended
from rules.subjects import number_of, subject_key

Turns = Sequence[tuple[int, int]]
"""Fighters (numbers) and the rounds of their turns."""

OVERTAKEN = "overtaken"
"""The change that passes on an unseen fighter's turn, since the next one acts."""


class ChangeDraft(Struct, frozen=True):
    """What an entry says about a change besides its replacements.

    `asks` are the fighters (numbers) who have to answer. With `begins`, a turn starts that another entry has passed on.
    """

    kind: str
    body: Mapping[str, Any]
    texts: Mapping[str, str] = field(default_factory=dict)
    buttons: Buttons = ()
    asks: Sequence[int] = ()
    secret: bool = False
    posted: bool = True
    begins: bool = False


class FightChange(Struct, frozen=True):
    """An entered change, its unsent posts, and the fight now; None if it's over."""

    campaign: Campaign
    entry: Entry
    posts: Sequence[Post]
    view: FightView | None


class FightWork:
    """A write transaction about one fight; default: the channel's."""

    def __init__(
        self, tx: Connection, resolver: Resolver, asker: RoeAsker, campaign_id: int, which: scenes.Which = None
    ) -> None:
        self.tx, self.resolver, self.person, self.channels = tx, resolver, asker.person, asker.channels
        self.viewer = fight_view.open_campaign_with_fights(tx, asker, campaign_id)
        self.campaign, self._which = self.viewer.campaign, which

    @cached_property
    def view(self) -> FightView:
        """The fight as the person sees it; BadInput or NotOpen without one."""
        return fight_view.find_fight(self.tx, self.viewer, self._which, self.channels)

    @cached_property
    def book(self) -> RuleSet:
        """The book as the campaign plays it."""
        return self.resolver.library.book(self.tx, self.campaign, BOOK)

    @cached_property
    def moment(self) -> Moment:
        """Now, as a moment outside any update."""
        return make_moment(0, self.resolver.ledger.now())

    def enter(self, replacements: Sequence[Replacement], draft: ChangeDraft, *coming: profiles.Profile) -> FightChange:
        """Enter a change of the fight, with the characters `coming` in."""
        return enter_change(self.tx, self.resolver, self.view.add_fighters(*coming), replacements, draft)


def enter_change(
    tx: Connection, resolver: Resolver, view: FightView, replacements: Sequence[Replacement], draft: ChangeDraft
) -> FightChange:
    """Enter a change, queue its posts, and roll the turn starts that follow."""
    campaign, fight, user_id = view.campaign, view.fight, view.viewer.person.user_id
    book, clock = resolver.library.book(tx, campaign, BOOK), make_moment(0, resolver.ledger.now())
    past = lasting.find_turn_change(tx, campaign, book, fight, replacements, clock)
    now = _find_beginning(fight, after(fight, replacements), draft)
    for number in now:
        replacements = past.set_allowance(fight, replacements, number)
    made = after(fight, replacements)
    public = narrow_to_known(made, view.public)
    begins = [] if draft.begins and draft.secret else _find_beginning(view.public_fight, public, draft)
    if draft.kind == "start" or (begins and not draft.secret):
        replacements = ask_under(fight, replacements, ledger.next_number(tx, campaign))
    people = (Participant(item.id, item.name) for item in view.people.values())
    change = scene_entries.SceneChange(
        fight,
        _make_body(tx, resolver, view, made, draft, past),
        replacements,
        draft.texts,
        past.lost,
        mentioned=[*{item.id: item for item in (*people, *fight.roster, *made.roster)}.values()],
        audience=_find_audience(view, draft),
        lasting=past.lasting,
    )
    entry = scene_entries.enter_change(tx, resolver.ledger, campaign, user_id, change)
    answered = _find_answered(view.public_fight, public)
    if draft.begins and begins:
        answered.add(fight.header.asked)
    settled = _settle(tx, resolver, view, answered - {entry.number})
    passing = _find_passing_kind(tx, resolver, _view_again(tx, view))
    messages = _make_messages(tx, view, entry, draft, public, () if passing else begins) if draft.posted else []
    queued = resolver.outbox.queue(tx, campaign.id, entry.number, messages)
    starts = [(number, public.header.turn) for number in begins]
    starts += [(number, made.header.turn) for number in now if number not in view.public]
    sent = [*queued, *_roll_turn_starts(tx, resolver, view, made, starts, past)]
    now_view = _view_again(tx, view)
    if now_view is not None and (kind := _find_passing_kind(tx, resolver, now_view)):
        then = leave_turn(tx, resolver, now_view, kind)
        sent, now_view = [*sent, *then.posts], then.view
    return FightChange(campaign, entry, [*settled, *sent], now_view)


def _view_again(tx: Connection, view: FightView) -> FightView | None:
    found = scenes.find_scenes(tx, view.campaign.id, FIGHTS, [view.fight.header.subject])
    return fight_view.view_fight(tx, view.viewer, found[0]) if found else None


def leave_turn(tx: Connection, resolver: Resolver, view: FightView, kind: str) -> FightChange:
    """Begin the next turn, or end the fight if one side is left."""
    fight, now = view.fight, view.fight.now
    down = fight_view.find_downed(view, make_moment(0, resolver.ledger.now()))
    if fight_view.is_one_side_left(tx, view, down):
        fought = [item.id for item in fight.roster]
        body = {"fought": fought, "left": [number for number in fought if number not in down]}
        return enter_change(tx, resolver, view, ended(fight), ChangeDraft("end", body))
    due = [*profiles.read_profiles(tx, view.campaign.id, fights.list_due(fight)).values()]
    room = max(0, MOST - len(fight.roster))
    come = [item for item in due[:room] if scenes.find_stand(tx, view.campaign.id, item.id) is None]
    draft = ChangeDraft(kind, {"who": now, "came": [item.id for item in come]}, secret=now not in view.public)
    replaced = fights.end_turn(fight, [Participant(item.id, item.name) for item in come], late=kind == OVERTAKEN)
    return enter_change(tx, resolver, view.add_fighters(*come), replaced, draft)


def _find_passing_kind(tx: Connection, resolver: Resolver, view: FightView | None) -> str | None:
    # A turn ends by itself (line 168) if its fighter is down, others aren't, and it waits for no answer. If an unseen
    # fighter has a turn before the one that everyone sees, that turn ends first: a turn that doesn't pass would
    # reveal them.
    if view is None or view.fight.header.mode is None:
        return None
    down = fight_view.find_downed(view, make_moment(0, resolver.ledger.now()))
    unseen = view.fight.now not in view.public and view.fight.now not in down
    now = view.public_fight.now if unseen else view.fight.now
    if now not in down or not view.public - down:
        return None
    due = lasting.read_due_fuses(tx, view.campaign, view.fight, visibility.make_player_viewer(view.campaign))
    if due or fight_view.describe_unanswered(tx, view.campaign.id, now):
        return None
    return OVERTAKEN if unseen else "down"


def _roll_turn_starts(
    tx: Connection, resolver: Resolver, view: FightView, fight: Fight, begun: Turns, past: lasting.TurnChange
) -> Iterator[Post]:
    # Secret fighters' rolls go to the staff, hidden fighters' also to their player.
    campaign, user_id = view.campaign, view.viewer.person.user_id
    for number, turn in begun:
        request = lasting.request_turn_start(tx, past, fight, campaign.id, number, turn)
        item = view.people.get(number)
        owner = item.owner if item and item.id in view.hidden and not item.secret else None
        if request and number not in view.public and owner is None:
            request = structs.replace(request, to="staff")
        preview = request and resolver.preview(tx, campaign, request, book=past.book)
        if request and preview and preview.parts[0].lines:
            yield from resolver.roll(tx, RollOrder(campaign.id, user_id, request, preview=preview, actor=owner)).posts


def _make_body(
    tx: Connection, resolver: Resolver, view: FightView, made: Fight, draft: ChangeDraft, past: lasting.TurnChange
) -> dict[str, Any]:
    fight, audience = view.fight, _find_audience(view, draft)
    reading, whole = view.visible_fighters if audience == "maker" else view.public, audience == "staff"
    public = narrow_to_known(made, reading)
    there = {*view.people, *(item.id for item in (*fight.roster, *made.roster))}
    then, now = (fight, made) if whole else (narrow_to_known(fight, reading), public)
    ended = {key: past.lasting[key] for key, value in past.changed.items() if value is None}
    on_turn = [*map(subject_key, _find_beginning(then, now, draft))]
    stands = {key: value for key, value in past.state_after.items() if key[0] in on_turn}
    known = lasting.describe_effects(tx, resolver.library, view.campaign, ended | stands, whole=whole)
    over = [(of, label) for key, label, _ in known if key in ended and (of := number_of(key[0])) in there]
    still = [[label, *lasting.read_end(value)] for key, label, value in known if key in stands]
    return {
        "deed": draft.kind,
        "fight": fight.name,
        "order": [item.id for item in made.roster],
        "hidden": sorted(there - reading),
        "turn": {"staff": [made.header.turn, made.now], "public": [public.header.turn, public.now]},
        "mode": made.header.mode,
        **draft.body,
        **({"ended": over} if over else {}),
        **({"stands": still} if still else {}),
        **({"audience": audience} if draft.secret else {}),
    }


def _find_audience(view: FightView, draft: ChangeDraft) -> str:
    if not draft.secret:
        return "results"
    who = view.people.get(draft.body.get("who", 0))
    hides = who is not None and who.id in view.hidden and not who.secret
    return "maker" if who and hides and view.viewer.owns(who) and not view.leads else "staff"


def _make_messages(
    tx: Connection, view: FightView, entry: Entry, draft: ChangeDraft, public: Fight, begins: Sequence[int]
) -> list[OutgoingMessage]:
    campaign, shown = view.campaign, ledger.EntryView(entry, view.campaign.name)
    if draft.secret:
        return [OutgoingMessage("staff", campaign.staff_channel_id, page) for page in draw_entry(shown, "staff")]
    channel = int(view.fight.header.channel or campaign.results_channel_id)
    acting = [view.people[number] for number in view.public.intersection([*draft.asks, *begins])]
    pings = call_owners(tx, campaign, acting, view.viewer.person.user_id)
    buttons = [*draft.buttons]
    if begins:
        due = lasting.read_due_fuses(tx, campaign, public, visibility.make_player_viewer(campaign))
        buttons += fight_messages.offer_turn(campaign.id, public)
        buttons += fight_messages.offer_explosions(campaign.id, public, due)
    (page,) = draw_entry(shown, "public")
    return [OutgoingMessage("results", channel, page, pings=pings, buttons=buttons)]


def _find_answered(before: Fight, now: Fight) -> set[int]:
    was, is_now, votes = before.header, now.header, before.header.votes
    moved = is_now.mode is not None if was.mode is None else (was.turn, before.now) != (is_now.turn, now.now)
    asked = {was.asked} if moved or is_now.over else set()
    open_still = votes and is_now.votes and is_now.votes.entry == votes.entry and not is_now.over
    return asked | ({votes.entry} if votes and not open_still else set())


def _settle(tx: Connection, resolver: Resolver, view: FightView, numbers: Collection[int]) -> Iterator[Post]:
    for number, entry in entries.get_entries(tx, view.campaign.id, numbers).items() if numbers else ():
        (page,) = draw_entry(ledger.EntryView(entry, view.campaign.name), "public")
        public = (post for post in posts.posts_of_entry(tx, view.campaign.id, number) if post.kind == "results")
        yield from (resolver.outbox.revise(tx, post, page) for post in public)


def _find_beginning(before: Fight, now: Fight, draft: ChangeDraft) -> list[int]:
    if not isinstance(now.now, int):
        return []
    same = (before.header.turn, before.now, before.header.mode is None) == (now.header.turn, now.now, False)
    return [now.now] if draft.begins or not (same or now.header.mode is None) else []


def begin_after_removal(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterator[Post]:
    """Begin the turn that a removal passed on; for the staff if others see no new turn."""
    for fight in scenes.list_running(tx, campaign.id, FIGHTS):
        header, item = fight.header, fight.combatant(fight.now) if isinstance(fight.now, int) else None
        if header.since != entry.number or header.mode is None or item is None:
            continue
        view = fight_view.view_fight(tx, fight_view.view_as_maker(tx, campaign, entry, leads=True), fight)
        public, asked = view.public_fight, entries.get_entry(tx, campaign.id, header.asked)
        before = asked.content()["turn"]["public"] if asked else None
        draft = ChangeDraft("begin", {}, secret=[public.header.turn, public.now] == before, begins=True)
        yield from enter_change(tx, resolver, view, [Replacement(item, item)], draft).posts


def pass_turn_on(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Begin the next turn if a roll downed the fighter whose turn it is."""
    begun = entry.content().get(FIGHT)
    if begun is None:
        return ()
    for fight in scenes.list_running(tx, campaign.id, FIGHTS):
        if fight.header.entry == begun:
            view = fight_view.view_fight(tx, fight_view.view_as_maker(tx, campaign, entry), fight)
            if kind := _find_passing_kind(tx, resolver, view):
                return leave_turn(tx, resolver, view, kind).posts
    return ()


class UnseenTurn(transactions.OutsideStep):
    """Someone acts in the turn everyone sees, but an unseen fighter has it.

    The unseen turn passes on first. Asking the person to wait would reveal it.
    """

    def __init__(self, resolver: Resolver, view: FightView) -> None:
        super().__init__()
        self._asked = (resolver, view.viewer.person, view.campaign.id, view.fight.header.entry)

    async def run(self, write: transactions.Write) -> None:
        """Pass the turn on; the client's loop sends its posts."""
        await write(_pass_unseen, *self._asked)


def _pass_unseen(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, fight: int) -> None:
    asker = RoeAsker(resolver.library, person, ())
    view: FightView | None = FightWork(tx, resolver, asker, campaign_id, fight).view
    for _ in range(MOST):
        if view is None or view.fight.now in view.public or view.fight.now == view.visible_fight.now:
            return
        entered = leave_turn(tx, resolver, view, OVERTAKEN)
        posts.release_posts(tx, entered.posts, resolver.ledger.now())  # the client's loop sends them
        view = entered.view


def require_own_turn(resolver: Resolver, view: FightView) -> None:
    """Refuse viewers who can't act for the fighter whose turn it is."""
    require_visible_turn(view)
    if view.fight.now != view.visible_fight.now:  # a fighter the viewer may not know has the turn
        raise UnseenTurn(resolver, view)


def require_visible_turn(view: FightView) -> None:
    """Refuse who can't act for the fighter in turn."""
    now = view.visible_fight.now
    if view.visible_fight.header.mode is None:
        raise NotAsItIs("The defender hasn't chosen dice or free-form yet.", "Choose it in /fight show.")
    if not isinstance(now, int) or not view.acts_for(now):
        name = view.on_turn.name if view.on_turn else "someone else"
        raise NotAllowed(f"It's {name}'s turn.", f"Only {name}'s player or a game master can act now.")
