"""Turns of a fight: who has one, what a roll in it needs, how it is settled, and who comes in."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.roe.fight_changes import OVERTAKEN, ChangeDraft, FightChange, FightWork, leave_turn
from bot.cogs.roe.fight_view import (
    FIGHTS,
    MOST,
    FightView,
    find_characters,
    find_downed,
    find_fight_of,
    find_fighter,
    mark_pet,
    require_fit,
)
from bot.cogs.roe.waiting import list_fuses, read_due_fuses, require_nothing_waits
from bot.core import profiles, scenes, state
from bot.core.ledger import next_number
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import Profile
from bot.core.scenes import SeenTurn, require_turn
from bot.core.transactions import Interlude, Write
from bot.core.visibility import Viewer, require_acting
from bot.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.outbox import store as posts
from bot.rolls.extension import ConsideredRoll
from bot.rolls.resolver import Resolver
from bot.rolls.situation import RollContext
from bot.ui import parsing
from bot.ui.reply import STALE
from bot.ui.text import listing
from rules.book import OTHER, Act
from rules.books.roe import fights, hiding
from rules.books.roe.catalog import Arrival
from rules.books.roe.fights import BY, COMING, HIDDEN, LATE, METRES, TURN_NOTES, known_to
from rules.books.roe.handling import find_bar, list_unspent
from rules.books.roe.hiding import NOISE, find_entrance
from rules.effects import EFFECT
from rules.ends import holds, scene_of
from rules.errors import RollError
from rules.modifiers import Known, Origin
from rules.phrases import counted
from rules.procedure import Part
from rules.ruleset import RuleSet
from rules.scenes import Participant

CALLER = "caller"
"""Behind whom those come in who were called, as ways into a fight have it."""


def come(work: FightWork, number: int) -> FightChange:
    """Let somebody (number) come who was called into a fight."""
    seen = work.seen
    item, caller = (
        profiles.read_profiles(work.tx, work.campaign.id, [number]).get(number),
        fights.find_caller(seen.fight, number),
    )
    if item is None or caller is None or not seen.viewer.knows(item):
        raise NotOpen("This call has already been answered or is over.", "Use /fight join to join in another way.")
    if not (seen.leads or seen.viewer.owns(item)):
        raise NotAllowed(f"Only {item.name}'s player or a game master can do that.", FIGHTS.look)
    return _accept_call(work, item, caller)


def _accept_call(work: FightWork, item: Profile, caller: Participant) -> FightChange:
    seen = work.seen
    scenes.require_free(work.tx, work.campaign.id, seen.shown, [item])
    require_fit(work.tx, seen.viewer, [item], work.moment)
    turns = fights.count_turns_left(seen.fight, caller, item.id)
    secret = item.secret or caller.id not in seen.open
    told = ChangeDraft("come", {"who": caller.id, "called": [item.id], "turns": turns}, secret=secret)
    return work.enter(fights.answer_call(seen.fight, caller, item.id), told, item)


SHOOTER = "shooter"
"""Behind whom those come in who have heard a shot, as ways into a fight have it."""


def _find_arrival(work: FightWork, metres: int | None) -> tuple[Arrival, int | None]:
    """Return how whoever hears a noise from so far away comes in, and behind whom (number): who made it, or has the turn."""
    seen = work.seen
    noise = state.get_value(work.tx, work.campaign.id, seen.fight.header.subject, NOISE)
    if noise is None and not seen.leads:
        raise NotAsItIs(f"{seen.fight.name} has made no noise that carries.", "Join in the next round instead.")
    if metres is None:
        raise BadInput("How far away is the fight?", "Add the distance in metres.")
    found = hiding.find_arrival(work.book, metres)
    if found is None:
        most = max(item.most_m for item in work.book.listed(Arrival).values())
        raise BadInput(f"The noise carries {most} m, not {metres} m.", FIGHTS.look)
    shooter = (noise or {}).get("by")
    now = seen.shown.now if isinstance(seen.shown.now, int) else None
    return found, shooter if shooter in seen.open and seen.fight.combatant(shooter) else now


def _expect_arrival(work: FightWork, item: Profile, behind: int | None, rounds: int) -> FightChange:
    """Enter that somebody comes in behind another one (number) after so many rounds."""
    if any(f"{COMING}{item.id}" in fighter.marks for fighter in work.seen.fight.roster):
        raise NotAsItIs(f"{item.name} is already on the way.", "They join automatically. See /fight show.")
    if behind is None:
        raise NotAsItIs("The first turn hasn't begun yet.", FIGHTS.look)
    told = ChangeDraft("heard", {"who": behind, "called": [item.id], "turns": rounds}, secret=item.secret)
    return work.enter(fights.expect(work.seen.fight, behind, [item.id], rounds), told, item)


def choose(work: FightWork, mode: str) -> FightChange:
    """Let the defender say how a fight is settled; its first turn begins."""
    seen, chosen = work.seen, fights.find_fight_mode(mode)
    header = seen.fight.header
    if chosen is None:
        raise NotOpen(*STALE)
    if not seen.acts_for(header.defender):
        raise NotAllowed("Only the defender's player or a game master can choose.")
    if header.mode is not None:
        raise NotOpen("Dice or free-form is already settled.", "Propose a change with /fight mode.")
    began = fights.choose(seen.fight, chosen, next_number(work.tx, work.campaign))
    return work.enter(began, ChangeDraft("choose", {"aim": chosen}))


class UnseenTurn(Interlude):
    """Somebody acts in what everybody sees as their turn, while somebody unseen still has it: that one's passes on first.

    An answer that asked to wait would tell of whoever is unseen.
    """

    def __init__(self, resolver: Resolver, seen: FightView) -> None:
        super().__init__()
        self._asked = (resolver, seen.viewer.person, seen.campaign.id, seen.fight.header.entry)

    async def held(self, write: Write) -> None:
        """Pass the turn on; its posts are sent by the client's loop."""
        await write(_pass_unseen, *self._asked)


def _pass_unseen(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, fight: int) -> None:
    """Pass on the turns of all whom not everybody may know, up to the one that everybody sees or the person's own."""
    seen: FightView | None = FightWork(tx, resolver, person, campaign_id, fight).seen
    for _ in range(MOST):
        if seen is None or seen.fight.now in seen.open or seen.fight.now == seen.shown.now:
            return
        entered = leave_turn(tx, resolver, seen, OVERTAKEN)
        posts.release_posts(tx, entered.posts, resolver.ledger.now())  # the client's loop sends them
        seen = entered.seen


class UnspentTurn(Exception):
    """A turn isn't ended before its player was asked, since so much of it (`left`, in words) is unspent."""

    def __init__(self, seen: FightView, left: list[str]) -> None:
        super().__init__()
        self.seen, self.left = seen, left


def end_turn(work: FightWork, asked: SeenTurn, *, sure: bool = False) -> FightChange:
    """End the turn that was seen, and begin the next; who is `sure` isn't asked about what is unspent.

    Raises:
        UnspentTurn: something of it is left.

    """
    seen = work.seen
    _require_no_secret_turn(seen, asked)
    require_turn(seen.shown, asked, FIGHTS)
    if seen.shown.now not in find_downed(seen, work.moment) or not seen.fights:
        require_own_turn(work.resolver, seen)  # whoever is down holds up nobody
    elif seen.fight.now != seen.shown.now:
        raise UnseenTurn(work.resolver, seen)
    require_nothing_waits(work.tx, seen, asked.now)
    _require_exploded(work.tx, seen)
    if not sure and seen.fight.header.mode == "dice":
        _require_spent(work.book, seen)
    return leave_turn(work.tx, work.resolver, seen, "turn")


def _require_spent(book: RuleSet, seen: FightView) -> None:
    now = seen.fight.combatant(int(seen.fight.now or 0))
    left = [counted(now.marks[item.id], item.short) for item in list_unspent(book, now)] if now else []
    if left:
        raise UnspentTurn(seen, left)


def join(work: FightWork, name: str, how: str, metres: int | None) -> FightChange:
    """Let a saved character come in; one who was called or has heard a shot at once, if a game master says so."""
    seen = work.seen
    (item,) = find_characters(work.tx, seen.viewer, parsing.names(name, "character", 1))
    require_acting(work.tx, seen.viewer, item)
    scenes.require_free(work.tx, work.campaign.id, seen.shown, [item])
    require_fit(work.tx, seen.viewer, [item], work.moment)
    way = find_entrance(work.book, how, locked=seen.fight.header.locked and not seen.leads)
    if way is None:
        what = f"{seen.fight.name} is locked, so {item.name} can't join."
        raise NotAsItIs(what, "If they were called by com or drawn by gunfire, set that as how.")
    if way.after == CALLER and (caller := fights.find_caller(seen.fight, item.id)) is not None:
        return _accept_call(work, item, caller)
    if len(seen.shown.roster) >= MOST:
        raise BadInput(f"{seen.fight.name} already has {MOST} fighters.", "Wait until one leaves.")
    new = Participant(item.id, item.name, marks={**mark_pet(item), **({} if metres is None else {METRES: metres})})
    behind = seen.shown.now if way.after and isinstance(seen.shown.now, int) else None
    waits = behind is None or not seen.leads
    if way.after == SHOOTER and not (seen.leads and metres is None):
        arrival, behind = _find_arrival(work, metres)
        if arrival.rounds:
            return _expect_arrival(work, item, behind, arrival.rounds)
        waits = behind is None
    if not item.secret:
        _require_turn_of_all(work.resolver, seen, waits=waits)
    told = ChangeDraft("join", {"who": item.id, "how": how, "waits": waits}, secret=item.secret)
    return work.enter(fights.join(seen.fight, new, behind, waits=waits), told, item)


def order(work: FightWork, typed: str) -> FightChange:
    """Put the fighters in another order."""
    require_game_master(work.person, work.campaign, "change the turn order")
    seen = work.seen
    names = parsing.names(typed, "fighter", max(MOST, len(seen.fight.roster)))  # players don't count who is secret
    numbers = [find_fighter(seen, name).id for name in names]
    missing = [item.name for item in seen.fight.roster if item.id not in numbers]
    if missing or len(numbers) != len({*numbers}):
        lack = f"{listing(missing)} {'is' if len(missing) == 1 else 'are'} missing." if missing else ""
        raise BadInput("Name each fighter exactly once.", lack)
    if numbers == [item.id for item in seen.fight.roster]:
        raise BadInput("That's already their order.")
    secret = [number for number in numbers if number in seen.open] == seen.voters
    return work.enter(fights.reorder(seen.fight, numbers), ChangeDraft("order", {}, secret=secret))


def _require_turn_of_all(resolver: Resolver, seen: FightView, *, waits: bool) -> None:
    """Refuse to let somebody come in whose place would show that somebody secret has the turn, to those who know that, with NotAsItIs.

    That is at once, or in the next round (`waits`) where all others see that one as begun.
    """
    fight, public = seen.fight, known_to(seen.fight, seen.open)
    if fight.header.mode is None or (public.header.turn == fight.header.turn and (waits or public.now == fight.now)):
        return
    if seen.fight.now == seen.shown.now:  # a game master, or the player of that one
        raise NotAsItIs("A fighter hidden from players has the turn.", "End that turn first: /fight turn.")
    raise UnseenTurn(resolver, seen)


def _require_no_secret_turn(seen: FightView, asked: SeenTurn) -> None:
    """Refuse to end the turn that all others see, to whoever knows of somebody secret who has it, with NotAsItIs."""
    shown, public = seen.shown, known_to(seen.fight, seen.open)
    on_turn = shown.combatant(shown.now) if isinstance(shown.now, int) else None
    early = (asked.turn, asked.now) == (public.header.turn, public.now) != (shown.header.turn, shown.now)
    if early and on_turn:
        raise NotAsItIs(f"{on_turn.name}, hidden from players, has the turn first.", "End it: /fight turn.")


def _require_exploded(tx: Connection, seen: FightView) -> None:
    for name, fuse in read_due_fuses(tx, seen.campaign, seen.fight).items():
        if name in list_fuses(tx, seen.campaign, seen.fight, seen.viewer):
            what = f"{fuse.charge.item} explodes at the end of this turn."
            raise NotAsItIs(
                what, "Press Explode below the turn's post, or use /roe blast use:explode. Then end the turn."
            )


def require_own_turn(resolver: Resolver, seen: FightView) -> None:
    """Refuse to act to whoever's turn it is not."""
    shown, now = seen.shown, seen.shown.now
    if shown.header.mode is None:
        raise NotAsItIs("The defender hasn't chosen dice or free-form yet.", "Choose it in /fight show.")
    if not isinstance(now, int) or not seen.acts_for(now):
        on_turn = shown.combatant(now) if isinstance(now, int) else None
        name = on_turn.name if on_turn else "someone else"
        raise NotAllowed(f"It's {name}'s turn.", f"Only {name}'s player or a game master can act now.")
    if seen.fight.now != now:  # somebody whom the viewer may not know has the turn
        raise UnseenTurn(resolver, seen)


def require_possible_act(tx: Connection, resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse an act of a turn to whoever does not have it, or has nothing left in it; out of fights game masters alone roll it.

    What cannot be done so is refused as well: no card opens for a weapon that owes a reload.
    """
    act = roll.book.acts.get(roll.procedure.family)
    if act is None or not (act.id.startswith(TURN_NOTES) or act.costs):
        return
    actors = {item.id: item for cast in roll.cast for item in cast.get(act.actor, ()) if item}
    for actor in actors.values():
        seen = find_fight_of(tx, viewer, actor.id, roll.state)
        if seen is not None:
            _require_dice(seen)
            own = seen.fight.combatant(actor.id)
            if not (own and own.marks.get(LATE) and seen.acts_for(actor.id)):
                require_own_turn(resolver, seen)
                if seen.shown.now != actor.id:
                    raise NotAllowed(f"It isn't {actor.name}'s turn.", FIGHTS.look)
            require_nothing_waits(tx, seen, actor.id)
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
        raise RollError(f"{who}: {problem}") from problem  # the command may have named nobody


def _require_dice(seen: FightView) -> None:
    if seen.fight.header.mode == "freeform":
        raise NotAsItIs(f"{seen.fight.name} is free-form, so nothing is rolled.", "Propose dice with /fight mode.")


def find_turn_marks(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return what whoever acts has done in this turn already: the marks of that fighter that say so."""
    found: list[dict[str, Known]] = []
    for part in context.everyone:
        acting = [item for role, item in part if role == context.procedure.actor and context.knows(item)]
        stands = [(item, at) for item in acting if (at := context.scenes.standing.get(item.id))]
        found.append(
            {
                mark: Known(count, Origin("scene", at.header.name, at.header.entry), secret=context.hides(item))
                for item, at in stands
                for mark, count in at.marks.items()
                if mark.startswith(TURN_NOTES)
            }
        )
    return found


def find_mutual_effects(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return what holds on somebody in a roll because of another one in it."""
    found: list[dict[str, Known]] = []
    for part in context.everyone:
        roles = {item.id: role for role, item in part}
        by_key = {item.key: (role, item) for role, item in part}
        about = {
            (role, name.removeprefix(EFFECT)): Known(
                1, Origin("effect", "", value["entry"]), secret=context.hides(item)
            )
            for (subject, name), value in context.kept.items()
            if subject in by_key
            and name.startswith(EFFECT)
            and value.get("other") in roles
            and holds(value, context.moment)
            for role, item in [by_key[subject]]
            if roles[value["other"]] != role
        }
        found.append({f"{role}.{trait}{OTHER}": known for (role, trait), known in about.items()})
    return found


def find_unseen(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return who in a roll is hidden from whoever acts; in an act of a turn so is who stands nowhere, or a name would find out who is there."""
    found: list[dict[str, Known]] = []
    in_turn = context.procedure.family.startswith(TURN_NOTES)
    people = {item.id for part in context.saved for _, item in part if item.is_character} if in_turn else set()
    for part in context.everyone:
        acting = {item.id for role, item in part if role == context.procedure.actor}
        there = {at.scene for _, item in part if (at := context.scenes.standing.get(item.id))}
        hidden = ((role, item, context.kept.get((item.key, HIDDEN))) for role, item in part if item.id not in acting)
        gone = [each for each in part if each[1].id in people - acting and each[1].id not in context.scenes.standing]
        found.append(
            {
                f"{role}.unseen": Known(1, Origin("effect", ""), secret=context.hides(item))
                for role, item in gone
                if there
            }
            | {
                f"{role}.unseen": Known(1, Origin("effect", "", value["entry"]), secret=context.hides(item))
                for role, item, value in hidden
                if value and scene_of(value) in there and not acting & {*value.get(BY, ())}
            }
        )
    return found
