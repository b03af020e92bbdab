"""Turns of a fight: who has one, how it ends, who comes in, and what a roll needs."""

from sqlalchemy import Connection

from bot.cogs.roe import fight_view
from bot.cogs.roe.fight_changes import OVERTAKEN, ChangeDraft, FightChange, FightWork, leave_turn
from bot.cogs.roe.fight_view import FIGHTS, MOST, FightView
from bot.cogs.roe.waiting import list_fuses, read_due_fuses, require_nothing_waits
from bot.core import profiles, scenes, state
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.core.ledger import next_number
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import Profile
from bot.core.scenes import SeenTurn, require_turn
from bot.core.transactions import OutsideStep, Write
from bot.core.visibility import Viewer, require_acting
from bot.outbox import queue as posts
from bot.rolls.extension import ConsideredRoll
from bot.rolls.resolver import Resolver
from bot.rolls.situation import RollContext
from bot.ui import parsing
from bot.ui.reply import STALE
from bot.ui.text import join_words
from rules.book import OTHER, Act
from rules.books.roe import fights, hiding
from rules.books.roe.catalog import Arrival
from rules.books.roe.fights import BY, COMING, HIDDEN, LATE, METRES, TURN_NOTES
from rules.books.roe.handling import find_bar, list_unspent
from rules.books.roe.hiding import NOISE, find_entrance
from rules.effects import EFFECT
from rules.ends import is_current, scene_of
from rules.errors import RollError
from rules.modifiers import KnownFact, Origin
from rules.phrases import format_count
from rules.procedure import Part
from rules.scenes import Participant

CALLER = "caller"
"""Called fighters come in behind this one, others behind the shooter."""


def come(work: FightWork, number: int) -> FightChange:
    """Let a called character (number) come into the fight."""
    view = work.view
    item = profiles.read_profiles(work.tx, work.campaign.id, [number]).get(number)
    caller = fights.find_caller(view.fight, number)
    if item is None or caller is None or not view.viewer.knows(item):
        raise NotOpen("This call has already been answered or is over.", "Use /fight join to join in another way.")
    if not (view.leads or view.viewer.owns(item)):
        raise NotAllowed(f"Only {item.name}'s player or a game master can do that.", FIGHTS.look)
    return _accept_call(work, item, caller)


def _accept_call(work: FightWork, item: Profile, caller: Participant) -> FightChange:
    view = work.view
    scenes.require_free(work.tx, work.campaign.id, view.visible_fight, [item])
    fight_view.require_fit(work.tx, view.viewer, [item], work.moment)
    turns = fights.count_turns_left(view.fight, caller, item.id)
    secret = item.secret or caller.id not in view.public
    draft = ChangeDraft("come", {"who": caller.id, "called": [item.id], "turns": turns}, secret=secret)
    return work.enter(fights.answer_call(view.fight, caller, item.id), draft, item)


SHOOTER = "shooter"


def _find_arrival(work: FightWork, metres: int | None) -> tuple[Arrival, int | None]:
    view = work.view
    noise = state.get_value(work.tx, work.campaign.id, view.fight.header.subject, NOISE)
    if noise is None and not view.leads:
        raise NotAsItIs(f"{view.fight.name} has made no noise that carries.", "Join in the next round instead.")
    if metres is None:
        raise BadInput("How far away is the fight?", "Add the distance in metres.")
    found = hiding.find_arrival(work.book, metres)
    if found is None:
        most = max(item.most_m for item in work.book.entries_of(Arrival).values())
        raise BadInput(f"The noise carries {most} m, not {metres} m.", FIGHTS.look)
    shooter = (noise or {}).get("by")
    now = view.visible_fight.now if isinstance(view.visible_fight.now, int) else None
    return found, shooter if shooter in view.public and view.fight.combatant(shooter) else now


def _expect_arrival(work: FightWork, item: Profile, behind: int | None, rounds: int) -> FightChange:
    if any(f"{COMING}{item.id}" in fighter.marks for fighter in work.view.fight.roster):
        raise NotAsItIs(f"{item.name} is already on the way.", "They join automatically. See /fight show.")
    if behind is None:
        raise NotAsItIs("The first turn hasn't begun yet.", FIGHTS.look)
    draft = ChangeDraft("heard", {"who": behind, "called": [item.id], "turns": rounds}, secret=item.secret)
    return work.enter(fights.expect(work.view.fight, behind, [item.id], rounds), draft, item)


def choose(work: FightWork, mode: str) -> FightChange:
    """Let the defender choose; the first turn begins."""
    view, chosen = work.view, fights.find_fight_mode(mode)
    header = view.fight.header
    if chosen is None:
        raise NotOpen(*STALE)
    if not view.acts_for(header.defender):
        raise NotAllowed("Only the defender's player or a game master can choose.")
    if header.mode is not None:
        raise NotOpen("Dice or free-form is already settled.", "Propose a change with /fight mode.")
    began = fights.choose(view.fight, chosen, next_number(work.tx, work.campaign))
    return work.enter(began, ChangeDraft("choose", {"aim": chosen}))


class UnseenTurn(OutsideStep):
    """Someone acts in the turn everyone sees, but an unseen fighter has it.

    The unseen turn passes on first. Asking the person to wait would reveal it.
    """

    def __init__(self, resolver: Resolver, view: FightView) -> None:
        super().__init__()
        self._asked = (resolver, view.viewer.person, view.campaign.id, view.fight.header.entry)

    async def run(self, write: Write) -> None:
        """Pass the turn on; the client's loop sends its posts."""
        await write(_pass_unseen, *self._asked)


def _pass_unseen(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, fight: int) -> None:
    view: FightView | None = FightWork(tx, resolver, person, campaign_id, fight).view
    for _ in range(MOST):
        if view is None or view.fight.now in view.public or view.fight.now == view.visible_fight.now:
            return
        entered = leave_turn(tx, resolver, view, OVERTAKEN)
        posts.release_posts(tx, entered.posts, resolver.ledger.now())  # the client's loop sends them
        view = entered.view


class UnspentTurn(Exception):
    """A turn isn't over: `left` names what is unused."""

    def __init__(self, view: FightView, left: list[str]) -> None:
        super().__init__()
        self.view, self.left = view, left


def end_turn(work: FightWork, asked: SeenTurn, *, sure: bool = False) -> FightChange:
    """End the seen turn and begin the next; `sure` skips the question.

    Raises:
        UnspentTurn: something is unused.

    """
    view = work.view
    _require_no_secret_turn(view, asked)
    require_turn(view.visible_fight, asked, FIGHTS)
    fights_too = any(view.acts_for(number) for number in view.public)
    if view.visible_fight.now not in fight_view.find_downed(view, work.moment) or not fights_too:
        require_own_turn(work.resolver, view)  # any fighter may end the turn of one who is down
    elif view.fight.now != view.visible_fight.now:
        raise UnseenTurn(work.resolver, view)
    require_nothing_waits(work.tx, view, asked.now)
    _require_exploded(work.tx, view)
    fighter = view.fight.combatant(int(view.fight.now or 0))
    if fighter and not sure and view.fight.header.mode == "dice":
        left = [format_count(fighter.marks[item.id], item.short) for item in list_unspent(work.book, fighter)]
        if left:
            raise UnspentTurn(view, left)
    return leave_turn(work.tx, work.resolver, view, "turn")


def join(work: FightWork, name: str, how: str, metres: int | None) -> FightChange:
    """Let a saved character join, by `how` they come and the distance in metres."""
    view = work.view
    (item,) = fight_view.find_characters(work.tx, view.viewer, parsing.names(name, "character", 1))
    require_acting(work.tx, view.viewer, item)
    scenes.require_free(work.tx, work.campaign.id, view.visible_fight, [item])
    fight_view.require_fit(work.tx, view.viewer, [item], work.moment)
    way = find_entrance(work.book, how, locked=view.fight.header.locked and not view.leads)
    if way is None:
        what = f"{view.fight.name} is locked, so {item.name} can't join."
        raise NotAsItIs(what, "If they were called by com or drawn by gunfire, set that as how.")
    if way.after == CALLER and (caller := fights.find_caller(view.fight, item.id)) is not None:
        return _accept_call(work, item, caller)
    if len(view.visible_fight.roster) >= MOST:
        raise BadInput(f"{view.fight.name} already has {MOST} fighters.", "Wait until one leaves.")
    marks = fight_view.mark_pet(item) | ({} if metres is None else {METRES: metres})
    new = Participant(item.id, item.name, marks=marks)
    behind = view.visible_fight.now if way.after and isinstance(view.visible_fight.now, int) else None
    waits = behind is None or not view.leads
    if way.after == SHOOTER and not (view.leads and metres is None):
        arrival, behind = _find_arrival(work, metres)
        if arrival.rounds:
            return _expect_arrival(work, item, behind, arrival.rounds)
        waits = behind is None
    if not item.secret:
        _require_turn_of_all(work.resolver, view, waits=waits)
    draft = ChangeDraft("join", {"who": item.id, "how": how, "waits": waits}, secret=item.secret)
    return work.enter(fights.join(view.fight, new, behind, waits=waits), draft, item)


def order(work: FightWork, typed: str) -> FightChange:
    """Change the turn order to the typed one, which names every fighter."""
    require_game_master(work.person, work.campaign, "change the turn order")
    view = work.view
    names = parsing.names(typed, "fighter", max(MOST, len(view.fight.roster)))  # players don't count who is secret
    numbers = [fight_view.find_fighter(view, name).id for name in names]
    missing = [item.name for item in view.fight.roster if item.id not in numbers]
    if missing or len(numbers) != len({*numbers}):
        lack = f"{join_words(missing)} {'is' if len(missing) == 1 else 'are'} missing." if missing else ""
        raise BadInput("Name each fighter exactly once.", lack)
    if numbers == [item.id for item in view.fight.roster]:
        raise BadInput("That's already their order.")
    secret = [number for number in numbers if number in view.public] == view.voters
    return work.enter(fights.reorder(view.fight, numbers), ChangeDraft("order", {}, secret=secret))


def _require_turn_of_all(resolver: Resolver, view: FightView, *, waits: bool) -> None:
    """Refuse to join where the place in the order would reveal a secret fighter's turn.

    That is at once, or next round (`waits`) if others see it as begun. Those who know of that turn read that they must end it.
    """
    fight, public = view.fight, view.public_fight
    if fight.header.mode is None or (public.header.turn == fight.header.turn and (waits or public.now == fight.now)):
        return
    if view.fight.now == view.visible_fight.now:  # a game master, or that fighter's player
        raise NotAsItIs("A fighter hidden from players has the turn.", "End that turn first: /fight turn.")
    raise UnseenTurn(resolver, view)


def _require_no_secret_turn(view: FightView, asked: SeenTurn) -> None:
    shown, public = view.visible_fight, view.public_fight
    early = (asked.turn, asked.now) == (public.header.turn, public.now) != (shown.header.turn, shown.now)
    if early and view.on_turn:
        raise NotAsItIs(f"{view.on_turn.name}, hidden from players, has the turn first.", "End it: /fight turn.")


def _require_exploded(tx: Connection, view: FightView) -> None:
    for name, fuse in read_due_fuses(tx, view.campaign, view.fight).items():
        if name in list_fuses(tx, view.campaign, view.fight, view.viewer):
            hint = "Press Explode below the turn's post, or use /roe blast use:explode. Then end the turn."
            raise NotAsItIs(f"{fuse.charge.item} explodes at the end of this turn.", hint)


def require_own_turn(resolver: Resolver, view: FightView) -> None:
    """Refuse viewers who can't act for the fighter whose turn it is."""
    now = view.visible_fight.now
    if view.visible_fight.header.mode is None:
        raise NotAsItIs("The defender hasn't chosen dice or free-form yet.", "Choose it in /fight show.")
    if not isinstance(now, int) or not view.acts_for(now):
        name = view.on_turn.name if view.on_turn else "someone else"
        raise NotAllowed(f"It's {name}'s turn.", f"Only {name}'s player or a game master can act now.")
    if view.fight.now != now:  # a fighter the viewer may not know has the turn
        raise UnseenTurn(resolver, view)


def require_possible_act(tx: Connection, resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse impossible acts, also before a card opens.

    Only the fighter whose turn it is acts in it; outside fights only game masters roll acts.
    """
    act = roll.book.acts.get(roll.procedure.family)
    if act is None or not (act.id.startswith(TURN_NOTES) or act.costs):
        return
    actors = {item.id: item for cast in roll.cast for item in cast.get(act.actor, ()) if item}
    for actor in actors.values():
        view = fight_view.find_fight_of(tx, viewer, actor.id, roll.state)
        if view is not None:
            if view.fight.header.mode == "freeform":
                what = f"{view.fight.name} is free-form, so nothing is rolled."
                raise NotAsItIs(what, "Propose dice with /fight mode.")
            own = view.fight.combatant(actor.id)
            if not (own and own.marks.get(LATE) and view.acts_for(actor.id)):
                require_own_turn(resolver, view)
                if view.visible_fight.now != actor.id:
                    raise NotAllowed(f"It isn't {actor.name}'s turn.", FIGHTS.look)
            require_nothing_waits(tx, view, actor.id)
        elif not viewer.leads:
            raise NotAsItIs(f"{actor.name} isn't in a fight.", FIGHTS.begin)
    for part in roll.parts:
        _require_possible(roll, act, part)


def _require_possible(roll: ConsideredRoll, act: Act, part: Part) -> None:
    who, bar = part.subjects[act.actor], find_bar(roll.book, act, part.facts)
    if bar is not None:
        raise NotAsItIs(f"{who}: {bar.label}", "See /fight turn for what's left.")
    try:
        roll.procedure.method.check(part, roll.book)
    except RollError as problem:
        if who in str(problem):
            raise
        raise RollError(f"{who}: {problem}") from problem  # the command may name no one


def find_turn_marks(_tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Find what the actor has done this turn, from their marks."""
    found: list[dict[str, KnownFact]] = []
    for part in context.everyone:
        acting = [item for role, item in part if role == context.procedure.actor and context.knows(item)]
        fighters = [(item, at) for item in acting if (at := context.scenes.standing.get(item.id))]
        found.append(
            {
                mark: KnownFact(count, Origin("scene", at.header.name, at.header.entry), secret=context.hides(item))
                for item, at in fighters
                for mark, count in at.marks.items()
                if mark.startswith(TURN_NOTES)
            }
        )
    return found


def find_mutual_effects(_tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Find effects on one person because of another in the roll."""
    found: list[dict[str, KnownFact]] = []
    for part in context.everyone:
        roles = {item.id: role for role, item in part}
        by_key = {item.key: (role, item) for role, item in part}
        facts: dict[str, KnownFact] = {}
        for (subject, name), value in context.kept.items():
            if subject in by_key and name.startswith(EFFECT):
                role, item = by_key[subject]
                if roles.get(value.get("other"), role) != role and is_current(value, context.moment):
                    known = KnownFact(1, Origin("effect", "", value["entry"]), secret=context.hides(item))
                    facts[f"{role}.{name.removeprefix(EFFECT)}{OTHER}"] = known
        found.append(facts)
    return found


def find_unseen(_tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Find who is hidden from the actor.

    In an act of a turn, characters outside all fights count too: a name would reveal who is there.
    """
    found: list[dict[str, KnownFact]] = []
    in_turn = context.procedure.family.startswith(TURN_NOTES)
    people = (
        {item.id for part in context.profiles_by_role for _, item in part if item.is_character} if in_turn else set()
    )
    for part in context.everyone:
        acting = {item.id for role, item in part if role == context.procedure.actor}
        there = {at.scene for _, item in part if (at := context.scenes.standing.get(item.id))}
        hidden = ((role, item, context.kept.get((item.key, HIDDEN))) for role, item in part if item.id not in acting)
        gone = [each for each in part if each[1].id in people - acting and each[1].id not in context.scenes.standing]
        found.append(
            {
                f"{role}.unseen": KnownFact(1, Origin("effect", ""), secret=context.hides(item))
                for role, item in gone
                if there
            }
            | {
                f"{role}.unseen": KnownFact(1, Origin("effect", "", value["entry"]), secret=context.hides(item))
                for role, item, value in hidden
                if value and scene_of(value) in there and not acting & {*value.get(BY, ())}
            }
        )
    return found
