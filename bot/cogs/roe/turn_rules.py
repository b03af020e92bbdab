"""What is true of a roll in a turn, and what refuses it before its dice (lines 80, 94 to 110)."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.roe.fight_view import FIGHTS, FightView, find_fight_of
from bot.cogs.roe.turns import require_own_turn
from bot.cogs.roe.waiting import require_nothing_waits
from bot.core.visibility import Viewer
from bot.errors import NotAllowed, NotAsItIs
from bot.rolls.extension import ConsideredRoll
from bot.rolls.resolver import Resolver
from bot.rolls.situation import RollContext
from rules.book import OTHER, Act
from rules.books.roe.fights import BY, HIDDEN, LATE, TURN_NOTES
from rules.books.roe.handling import ACTS, find_bar
from rules.effects import EFFECT
from rules.ends import holds, scene_of
from rules.errors import RollError
from rules.modifiers import Known, Origin
from rules.procedure import Part


def require_turn(tx: Connection, resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse an act of a turn to whoever does not have it, or has nothing left in it; out of fights game masters alone roll it.

    What cannot be done so is refused as well: no card opens for a weapon that owes a reload.
    """
    act = roll.book.acts.get(roll.procedure.family)
    if act is None or not (act.id.startswith(ACTS) or act.costs):
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
        elif not viewer.person.leads(viewer.campaign):
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
    in_turn = context.procedure.family.startswith(ACTS)
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
