"""Facts from what lasts on units and characters, and effects that a game master ends by an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection

from bot.core import knowledge, state, subjects
from bot.core.campaigns import Campaign
from bot.core.encoding import Json
from bot.core.library import Library, label_effect
from bot.core.permissions import find_now, find_unreadable
from bot.core.visibility import Viewer, make_player_viewer
from bot.rolls.extension import Question, as_todo, open_questions
from bot.rolls.situation import RollContext
from bot.ui.components import IdTemplate
from bot.ui.text import plain
from bot.ui.todo import Todo
from rules.effects import ANSWER, EFFECT
from rules.ends import Moment, holds
from rules.modifiers import Known, Origin
from rules.subjects import number_of


def _counts(value: Mapping[str, Json], context: RollContext) -> bool:
    return holds(value, context.moment) and "by" not in value and context.scenes.count(value)


def effect_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from what lasts on the subjects: an effect speaks of a trait, in whatever role its bearer stands.

    What only one side has a hold of, as `by` tells, is not true whoever rolls: the feature of such a roll sees to it.
    """
    everyone = context.everyone
    kept = {key: value for key, value in context.kept.items() if key[1].startswith(EFFECT)}
    lasting = {key: value for key, value in kept.items() if _counts(value, context)}
    viewer = make_player_viewer(context.campaign, context.mine)
    public = knowledge.see_values(tx, viewer, lasting)
    told = {value["entry"] for value in (*lasting.values(), *public.values())}
    hidden = set() if context.secrets else find_unreadable(tx, viewer.person, context.campaign, context.mine, told)
    effects_of: dict[str, list[tuple[str, Known]]] = {}
    for (subject, name), value in lasting.items():
        seen = public.get((subject, name), {"update": 0})
        secret = not holds(seen, context.moment)
        shown = value if secret else seen
        entry = shown["entry"]
        since = "lasting effect" if entry in hidden else f"since entry {entry}"
        known = Known(shown.get("amount") or 1, Origin("effect", since, entry), secret=secret)
        effects_of.setdefault(subject, []).append((name.removeprefix(EFFECT), known))
    return [
        {f"{role}.{trait}": known for role, item in part for trait, known in effects_of.get(item.key, ())}
        for part in everyone
    ]


END = IdTemplate("effect:{campaign:int}:end:{subject:int}:{entry:int}")
"""The id of the button that ends the effect that an entry has begun on somebody (a number)."""


def find_unanswered(tx: Connection, campaign: Campaign, now: Moment) -> Iterator[Question]:
    """Yield the effects that hold and that are questions."""
    every = state.find_in_force(tx, campaign.id, EFFECT, now.update)
    kept = {key: value for key, value in every.items() if ANSWER in value and holds(value, now)}
    names = subjects.name_subjects(tx, campaign.id, {number_of(key) for key, _ in kept})
    for (key, name), value in kept.items():
        number, who = number_of(key), names[number_of(key)]
        line = f"{plain(who)}: {plain(label_effect({}, name, value))} (entry #{value['entry']})"
        asked = END.fill(campaign=campaign.id, subject=number, entry=value["entry"])
        yield Question(value["entry"], who, line, f"{value[ANSWER]} #{value['entry']}: {who}", asked)


def to_answer(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the effects that wait for an answer, on the desk of a game master."""
    if viewer.person.leads(viewer.campaign):
        found = open_questions((find_unanswered,), tx, viewer.campaign, find_now(tx, viewer.person, viewer.campaign))
        yield from as_todo("To settle", "thing{s} to settle", found, "/effect list")
