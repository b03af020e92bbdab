"""Fights begun, shown, put to the vote and ended, and the order and end of their turns."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, cast, get_args

from discord.app_commands import Range
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe import fight_changes, fight_messages, fight_view, lasting
from bot.cogs.roe.fight_changes import ChangeDraft, FightChange, FightWork
from bot.cogs.roe.fight_view import BOOK, FIGHTS, MOST, FightView, RoeAsker
from bot.core import ledger, scenes, subjects
from bot.core.campaigns import Campaign, make_moment
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import Profile
from bot.core.visibility import Viewer, list_suggested, make_viewer
from bot.rolls.options import Completed, Completion, Completions, complete_last
from bot.rolls.resolver import Resolver
from bot.ui import parsing, reply, text
from bot.ui.parsing import Form, option
from rules.books.roe import fights, handling
from rules.phrases import format_count
from rules.scenes import Participant, Replacement, Scene, begin, scene_key
from rules.scenes import end as ended
from rules.subjects import strip_unseen


async def _complete_characters(at: Completion, current: str) -> Completions:
    return complete_last(current, await at.read(_suggest_free, current.rpartition(",")[2]))


async def _complete_own_character(at: Completion, current: str) -> Completions:
    return [(name, name) for name in await at.read(partial(_suggest_free, own=True), current)]


OwnCharacter = Annotated[str, Completed(_complete_own_character)]


class StartFightForm(Form):
    """Options of `/fight start`."""

    who: Annotated[str, Completed(_complete_characters)] = option(
        "Fighters, separated by commas. Yours attacks; game masters put the defender first"
    )
    light: str | None = option(
        "Day or night, for the whole fight", default=None, choices={"day": "by day", "night": "by night"}
    )
    weather: Range[int, -50, 50] | None = option("The weather number that the HUD shows", default=None)
    name: Range[str, 1, 60] | None = option("The fight's name. Default: the channel's name", default=None)


def start(work: FightWork, typed: StartFightForm, channel: str) -> FightChange:
    """Start a fight; its first turn begins once the defender has chosen."""
    tx, campaign, viewer = work.tx, work.campaign, work.viewer
    fighters = fight_view.find_characters(tx, viewer, parsing.names(typed.who, "character", 12))
    for item in scenes.list_running(tx, campaign.id, FIGHTS):
        if item.header.channel == str(work.channels[0]):
            what = f"{item.name} is already running in this channel."
            raise BadInput(what, "Start in another channel, or end that fight first.")
    fighters = _put_defender_first(viewer, fighters)
    fight_view.require_fit(tx, viewer, fighters[1:], work.moment)  # the defender may be attacked while Wounded
    header = fights.FightHeader(
        name=_make_name(work, typed.name, channel),
        sides=(),
        entry=ledger.next_number(tx, campaign),
        order="participants",
        conditions=fights.conditions(typed.light, typed.weather),
        book=BOOK,
        channel=str(work.channels[0]),
        defender=fighters[0].id,
    )
    before = scenes.require_new(tx, campaign.id, header, FIGHTS)
    scenes.require_free(tx, campaign.id, Scene(header), fighters)
    body = {"defender": header.defender, "conditions": dict(header.conditions)}
    offered = fight_messages.offer_modes(campaign.id, header.entry)
    roster = [Participant(item.id, item.name, marks={**fights.FRESH, **fight_view.mark_pet(item)}) for item in fighters]
    view = FightView(viewer, Scene(header), {item.id: item for item in fighters})
    draft = ChangeDraft("start", body, buttons=offered, asks=[header.defender])
    return fight_changes.enter_change(tx, work.resolver, view, begin(header, roster, before), draft)


def end(work: FightWork) -> FightChange:
    """End the fight, if the person may and nothing waits."""
    view = work.view
    _require_ender(work.tx, work.resolver, view)
    fight_view.require_nothing_waits(work.tx, view, view.fight.now)
    return work.enter(ended(view.fight), ChangeDraft("end", {"fought": [item.id for item in view.fight.roster]}))


def _require_ender(tx: Connection, resolver: Resolver, view: FightView) -> None:
    down = fight_view.find_downed(view, make_moment(0, resolver.ledger.now()))
    stands = any(view.acts_for(item.id) for item in view.fight.roster if item.id not in down)
    if not (stands and fight_view.is_one_side_left(tx, view, down)):
        require_game_master(view.viewer.person, view.campaign, "end fights")


def view_to_end(tx: Connection, resolver: Resolver, asker: RoeAsker, campaign_id: int) -> FightView:
    """View the channel's fight if the person may end it."""
    view = fight_view.view_meant(tx, asker, campaign_id)
    _require_ender(tx, resolver, view)
    return view


def view_with_details(tx: Connection, asker: RoeAsker, campaign_id: int) -> tuple[FightView, str | None, list[str]]:
    """Return the channel's fight, what it waits for or None, and lines on arrivals, grenades and zones."""
    view = fight_view.view_meant(tx, asker, campaign_id)
    laid = [*text.fit_lines(900, [*lasting.describe_laid(tx, view)])]
    return view, fight_view.describe_unanswered(tx, view.campaign.id, view.visible_fight.now), laid


def make_change(
    tx: Connection,
    change: Callable[..., FightChange],
    resolver: Resolver,
    asker: RoeAsker,
    campaign_id: int,
    which: scenes.Which,
    *options: object,
) -> tuple[FightChange, str | None]:
    """Change a fight; return the change and what the turn waits for, or None."""
    entered = change(FightWork(tx, resolver, asker, campaign_id, which), *options)
    view = entered.view
    if view is None or entered.entry.content()["deed"] == "turn":  # nothing waits in a turn that just began
        return entered, None
    return entered, fight_view.describe_unanswered(tx, view.campaign.id, view.visible_fight.now)


def _suggest_free(tx: Connection, who: Person, campaign: Campaign, word: str, *, own: bool = False) -> list[str]:
    viewer = make_viewer(tx, who, campaign)
    known = [item for item in list_suggested(tx, viewer, word) if item.is_character]
    known = [item for item in known if viewer.owns(item)] if own and not viewer.leads else known
    several = subjects.find_twins(known)
    free = fight_view.list_free(tx, viewer, known)
    return [subjects.label_subject(item) if item.id in several else item.name for item in free]


def _put_defender_first(viewer: Viewer, fighters: Sequence[Profile]) -> list[Profile]:
    # A player who starts a fight attacks (line 6).
    if len(fighters) == 1:
        raise BadInput("A fight needs at least two characters.", "Separate names with commas, the defender first.")
    if not viewer.leads and not any(map(viewer.owns, fighters)):
        raise NotAllowed("None of these characters is yours.", "Add one of yours, or ask a game master.")
    if all(item.secret for item in fighters):
        what = "Players will see the fight begin, but all these characters are hidden from them."
        raise BadInput(what, "Add a character players can see.")
    own = [] if viewer.leads else [item for item in fighters if viewer.owns(item)]
    attacked = next((item for item in fighters if item not in own), fighters[0])
    return [attacked, *(item for item in fighters if item is not attacked)]


def _make_name(work: FightWork, typed: str | None, channel: str) -> str:
    if typed is not None:
        (name,) = parsing.names(typed.replace(",", " "), "name of the fight", 1)
        return name
    taken = {item.subject for item in scenes.list_headers(work.tx, work.campaign.id, FIGHTS) if not item.over}
    first = strip_unseen(f"Fight in #{channel}"[: parsing.MAX_NAME - 4])
    names = [first, *(f"{first} {place}" for place in range(2, len(taken) + 2))]
    return next(name for name in names if scene_key(fights.FIGHT, name) not in taken)


def propose(work: FightWork, aim: str, reason: str | None = None) -> FightChange:
    """Propose a mode or a lock, or set it for a game master's reason; they also unlock (`open`)."""
    _require_fighter(work.view)
    header = work.view.fight.header
    if aim in get_args(fights.FightMode) and header.mode is None:
        raise NotAsItIs("The defender hasn't chosen dice or free-form yet.", "Choose it in /fight show.")
    if aim == (header.mode if aim in get_args(fights.FightMode) else "lock" if header.locked else "open"):
        raise NotAsItIs("That's already so.", FIGHTS.look)
    if aim in get_args(fights.Motion):
        return _propose(work, cast("fights.Motion", aim), reason)
    if aim != "open":
        raise NotOpen(*reply.STALE)
    require_game_master(work.person, work.campaign, "unlock a fight")
    return _enter_vote(work, replace(header, locked=False), ChangeDraft("open", {}, _read_reason(reason)))


def vote(work: FightWork, proposed: int, word: str) -> FightChange:
    """Vote; the last yes settles it, a no ends it."""
    view, header = work.view, work.view.fight.header
    if word not in fight_messages.SAYS:
        raise NotOpen(*reply.STALE)
    if header.votes is None or header.votes.entry != proposed:
        raise NotOpen("That vote is over.", "See /fight show.")
    if not view.votes and not view.can_decide and not (view.leads and word == "no"):
        raise NotAllowed("Only fighters can vote on this.", "A game master can decide it by giving a reason.")
    body = {"aim": header.votes.aim, "who": view.votes}
    if word == "no":
        return _enter_vote(work, replace(header, votes=None), ChangeDraft("no", body))
    after = fights.agree(header, view.votes, view.voters)
    if after == header:
        raise NotAsItIs("You've already agreed.", "It takes effect once everyone agrees.")
    return _enter_vote(work, after, ChangeDraft("yes" if after.votes else "agreed", body, posted=not after.votes))


def _require_fighter(view: FightView) -> None:
    if not any(view.acts_for(item.id) for item in view.fight.roster):
        raise NotAllowed("Only fighters can vote on this.", "None of the fighters is yours.")


def _propose(work: FightWork, aim: fights.Motion, reason: str | None) -> FightChange:
    view, header, texts = work.view, work.view.fight.header, _read_reason(reason)
    if texts:
        require_game_master(work.person, work.campaign, "decide this without the others")
        return _enter_vote(work, fights.decide(header, aim), ChangeDraft("overrule", {"aim": aim}, texts))
    if header.votes is not None:
        raise NotAsItIs("Another proposal is still open.", "Agree or refuse it first: /fight show.")
    number = ledger.next_number(work.tx, work.campaign)
    after = fights.agree(fights.propose(header, aim, number), view.votes, view.voters)
    body: dict[str, Any] = {"aim": aim, "who": view.votes}
    if after.votes is None:
        return _enter_vote(work, after, ChangeDraft("agreed", body))
    offered = fight_messages.offer_votes(work.campaign.id, header.entry, number)
    asks = [voter for voter in view.voters if voter not in after.votes.yes]
    return _enter_vote(work, after, ChangeDraft("propose", body, buttons=offered, asks=asks))


def _read_reason(reason: str | None) -> dict[str, str]:
    why = parsing.parse_text(reason, "reason")
    return {"reason": why} if why else {}


def _enter_vote(work: FightWork, header: fights.FightHeader, draft: ChangeDraft) -> FightChange:
    before = work.view.fight
    if header.mode != before.header.mode:
        fight_view.require_nothing_waits(work.tx, work.view, before.now)
    return work.enter([Replacement(before.header, header)], draft)


def choose(work: FightWork, mode: str) -> FightChange:
    """Let the defender choose; the first turn begins."""
    view, chosen = work.view, fights.find_fight_mode(mode)
    header = view.fight.header
    if chosen is None:
        raise NotOpen(*reply.STALE)
    if not view.acts_for(header.defender):
        raise NotAllowed("Only the defender's player or a game master can choose.")
    if header.mode is not None:
        raise NotOpen("Dice or free-form is already settled.", "Propose a change in /fight show.")
    began = fights.choose(view.fight, chosen, ledger.next_number(work.tx, work.campaign))
    return work.enter(began, ChangeDraft("choose", {"aim": chosen}))


class UnspentTurn(Exception):
    """A turn isn't over: `left` names what is unused."""

    def __init__(self, view: FightView, left: list[str]) -> None:
        super().__init__()
        self.view, self.left = view, left


def end_turn(work: FightWork, asked: scenes.SeenTurn, *, sure: bool = False) -> FightChange:
    """End the seen turn and begin the next; `sure` skips the question.

    Raises:
        UnspentTurn: something is unused.

    """
    view = work.view
    shown, public = view.visible_fight, view.public_fight
    early = (asked.turn, asked.now) == (public.header.turn, public.now) != (shown.header.turn, shown.now)
    if early and view.on_turn:
        raise NotAsItIs(f"{view.on_turn.name}, hidden from players, has the turn first.", "End it: /fight turn.")
    scenes.require_turn(shown, asked, FIGHTS)
    fights_too = any(view.acts_for(number) for number in view.public)
    if view.visible_fight.now not in fight_view.find_downed(view, work.moment) or not fights_too:
        fight_changes.require_own_turn(work.resolver, view)  # any fighter may end the turn of one who is down
    elif view.fight.now != view.visible_fight.now:
        raise fight_changes.UnseenTurn(work.resolver, view)
    fight_view.require_nothing_waits(work.tx, view, asked.now)
    for name, fuse in lasting.read_due_fuses(work.tx, view.campaign, view.fight).items():
        if name in lasting.list_fuses(work.tx, view.campaign, view.fight, view.viewer):
            hint = "Press Explode below the turn's post, or use /roe blast use:explode. Then end the turn."
            raise NotAsItIs(f"{fuse.charge.item} explodes at the end of this turn.", hint)
    fighter = view.fight.combatant(int(view.fight.now or 0))
    if fighter and not sure and view.fight.header.mode == "dice":
        left = [format_count(fighter.marks[item.id], item.short) for item in handling.list_unspent(work.book, fighter)]
        if left:
            raise UnspentTurn(view, left)
    return fight_changes.leave_turn(work.tx, work.resolver, view, "turn")


def order(work: FightWork, typed: str) -> FightChange:
    """Change the turn order to the typed one, which names every fighter."""
    require_game_master(work.person, work.campaign, "change the turn order")
    view = work.view
    names = parsing.names(typed, "fighter", max(MOST, len(view.fight.roster)))  # players don't count who is secret
    numbers = [fight_view.find_fighter(view, name).id for name in names]
    missing = [item.name for item in view.fight.roster if item.id not in numbers]
    if missing or len(numbers) != len({*numbers}):
        lack = f"{text.join_words(missing)} {'is' if len(missing) == 1 else 'are'} missing." if missing else ""
        raise BadInput("Name each fighter exactly once.", lack)
    if numbers == [item.id for item in view.fight.roster]:
        raise BadInput("That's already their order.")
    secret = [number for number in numbers if number in view.public] == view.voters
    return work.enter(fights.reorder(view.fight, numbers), ChangeDraft("order", {}, secret=secret))
