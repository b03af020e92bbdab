"""Facts of a turn, and of two in one roll: that what lasts on one of them is about the other, such as an aim or a hold."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.rolls.situation import RollContext
from rules.book import OTHER
from rules.books.roe.marks import BY, HIDDEN, TURN_NOTES
from rules.books.roe.turn import ACTS
from rules.effects import EFFECT
from rules.ends import holds, scene_of
from rules.facts import Known, Origin


def done_in_turn(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
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


def about_others(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
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


def unseen(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
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
