"""Effects that a game master ends by an answer, such as a bribe that is owed until it is paid."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core import state, subjects
from bot.core.campaigns import Campaign
from bot.core.library import Library, effect_label
from bot.core.permissions import now_of
from bot.core.visibility import Viewer
from bot.rolls.questions import Question, as_todo, open_questions
from bot.ui.components import IdTemplate
from bot.ui.text import plain
from bot.ui.todo import Todo
from rules.effects import ANSWER, EFFECT
from rules.ends import Moment, holds
from rules.subjects import number_of

END = IdTemplate("effect:{campaign:int}:end:{subject:int}:{entry:int}")
"""The id of the button that ends the effect that an entry has begun on somebody (a number)."""


def unanswered(tx: Connection, campaign: Campaign, now: Moment) -> Iterator[Question]:
    """Yield the effects that hold and that are questions."""
    every = state.in_force(tx, campaign.id, EFFECT, now.update)
    kept = {key: value for key, value in every.items() if ANSWER in value and holds(value, now)}
    names = subjects.names(tx, campaign.id, {number_of(key) for key, _ in kept})
    for (key, name), value in kept.items():
        number, who = number_of(key), names[number_of(key)]
        line = f"{plain(who)}: {plain(effect_label({}, name, value))} (entry #{value['entry']})"
        asked = END.fill(campaign=campaign.id, subject=number, entry=value["entry"])
        yield Question(value["entry"], who, line, f"{value[ANSWER]} #{value['entry']}: {who}", asked)


def to_answer(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the effects that wait for an answer, on the desk of a game master."""
    if viewer.person.leads(viewer.campaign):
        found = open_questions((unanswered,), tx, viewer.campaign, now_of(tx, viewer.person, viewer.campaign))
        yield from as_todo("To settle", "thing{s} to settle", found, "/effect list")
