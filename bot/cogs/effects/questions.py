"""Effects that a game master ends by an answer, such as a bribe that is owed until it is paid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.effects.service import EffectChange, enter_end, require_clearable
from bot.core import state, subjects
from bot.core.campaigns import Campaign, on_server, open_campaign
from bot.core.ledger import Ledger
from bot.core.library import Library, effect_label
from bot.core.permissions import Person, now_of, require_game_master
from bot.core.records import Change
from bot.core.visibility import Viewer
from bot.errors import NotAsItIs
from bot.feature import Feature
from bot.rolls.questions import Question, as_todo, open_questions
from bot.ui.components import IdTemplate
from bot.ui.text import plain
from bot.ui.todo import Todo
from rules.effects import ANSWER, EFFECT
from rules.ends import Moment, holds
from rules.subjects import number_of, subject_key

END = IdTemplate("effect:{campaign:int}:end:{subject:int}:{entry:int}")
"""The id of the button that ends the effect that an entry has begun on somebody (a number)."""


class AskedEffect(Struct, frozen=True):
    """By which a button knows an effect: the campaign, whose it is (a number), and the entry that has begun it."""

    campaign: int
    subject: int
    entry: int


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


def end(
    tx: Connection, ledger: Ledger, features: Iterable[Feature], person: Person, asked: AskedEffect
) -> tuple[str, EffectChange]:
    """End an effect that is a question, as it was seen; return by which answer, with the entry."""
    campaign = open_campaign(tx, on_server(tx, person.guild_id, asked.campaign).id)
    require_game_master(person, campaign, "clear effects")
    subject, now = subject_key(asked.subject), now_of(tx, person, campaign)
    kept = state.beginning(tx, campaign.id, {subject}, EFFECT)
    for key, value in kept.items():
        if ANSWER in value and value["entry"] == asked.entry and holds(value, now):
            require_clearable(tx, features, campaign, key)
            bearer = subjects.by_number(tx, campaign.id, [asked.subject])[asked.subject]
            label = effect_label({}, key[1], value)
            change = enter_end(tx, ledger, person, campaign, bearer, Change(*key, value, None), label)
            return value[ANSWER], change
    raise NotAsItIs("That was already answered or undone.", "See /effect list.")
