"""What game masters do about effects: set, cleared, answered; the entries about it, and the options that name effects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, get_args

from discord.app_commands import Range

from bot.actions import Action, Answer, Done, Outcome, Work, entry_kind
from bot.cogs.effects import queries
from bot.cogs.effects.queries import Ending, Until, find_bearer, until
from bot.core import state, subjects
from bot.core.campaigns import current_update, make_moment
from bot.core.entry_kinds import Body
from bot.core.library import label_effect
from bot.core.profiles import explain_not_captive
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.subjects import Subject
from bot.core.visibility import warn_unsaved
from bot.errors import BadInput, NotAsItIs
from bot.orders.task_rolls import next_steps, post_digest_if_done
from bot.rolls import options
from bot.rolls.buttons import take_back_button
from bot.rolls.extension import StateKey
from bot.ui import parsing
from bot.ui.form import Text, option
from bot.ui.parsing import MAX_CHOICE
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction
from bot.ui.text import plain
from rules.book import Effect
from rules.books.campaign.captivity import CAPTIVE, CRACKED
from rules.effects import ANSWER, EFFECT
from rules.ends import KEYS, Moment, holds
from rules.errors import nearest
from rules.phrases import inside
from rules.subjects import name_key, subject_key

SHORTENED = re.compile("\N{HORIZONTAL ELLIPSIS}$")


async def _complete_bearer(at: options.Completion, current: str) -> options.Completions:
    """Offer units, characters and sides that are saved or have an effect."""
    return [(name, name) for name in await at.read(queries.suggest_bearers, current)]


async def _complete_effect(at: options.Completion, current: str) -> options.Completions:
    known = await at.desk.database.read(at.desk.resolver.library.effects, at.campaign)
    return _labels(current, {item.label: trait for trait, item in known.items() if item.command is None})


async def _complete_lasting(at: options.Completion, current: str) -> options.Completions:
    """Offer the effects of the subject that the command names."""
    asked = at.desk.resolver.library, at.person, at.campaign, at.typed("who")
    effects = await at.desk.database.read(queries.list_effects, *asked)
    return _labels(current, {effect.label: effect.trait for effect in effects})


def _labels(current: str, traits: dict[str, str]) -> list[tuple[str, str]]:
    """Return those effects, given as ids by label, whose label or id holds what is typed."""
    wanted = name_key(current)
    matching = {label: trait for label, trait in traits.items() if wanted in name_key(f"{label} {trait}")}
    return [(label, label if len(label) <= MAX_CHOICE else trait) for label, trait in matching.items()]


Bearer = Annotated[str, options.Completed(_complete_bearer)]
KnownEffect = Annotated[str, options.Completed(_complete_effect, SHORTENED)]
HoldingEffect = Annotated[str, options.Completed(_complete_lasting, SHORTENED)]


ENDS: Mapping[str, str] = {"hidden": "revealed"}
"""What an effect ends on its bearer: whoever hides anew is revealed no more."""

OWN_FIELDS = ("entry", *KEYS, "by")
"""What every effect keeps, and who has a hold of it; the rest, such as how badly somebody is injured, stays when it is set again."""


UNTIL: Mapping[str, str] = {
    "update": "the end of this update",
    "cleared": "it's cleared",
    "scene": "the end of its battle or scene",
}
MAX_SUGGESTED = 5
Hours = Range[int, 1, 8760]
Turns = Range[int, 1, 100]


class SetEffect(Action):
    """An effect begins on a unit, character or side, and ends by its own rule unless `hours`, `turns` or else `until` say otherwise.

    Turns are those of the bearer, or of the one named as `whose`.
    """

    who: Bearer = option("A unit, character or side")
    effect: KnownEffect = option("The effect, such as a siege")
    until: str | None = option("When it ends. Default: as its rule says", default=None, choices=UNTIL)
    note: Text | None = option("A note for game masters only", default=None)
    hours: Hours | None = option("End it after this many hours, instead of until", default=None)
    turns: Turns | None = option("End it after this many turns of its battle or scene, instead of until", default=None)
    whose: Bearer | None = option("Whose turns count. Default: its own", default=None)

    summary = "Add an effect to a unit, character or side."
    kind, verb, title, may = "effect", "set", "Effect set", "set effects"

    @classmethod
    def sentence(cls, body: Body) -> str:
        """Return the effect, when it ends and what it ended."""
        ended = "".join(f"; {plain(other)} (ended)" for other in body["ended"])
        return f"{plain(body['who'])}: {inside(plain(body['label']))}, {until(body)}{ended}"

    def apply(self, work: Work) -> Outcome:
        """Refuse an unknown effect, one that already lasts like that, and an end that can't come."""
        bearer, note = work.subject(self.who, "name"), parsing.text(self.note, "note")
        known = work.library.effects(work.tx, work.campaign)
        wanted = _wanted(known, self.effect)
        counted = work.subject(self.whose, "whose") if self.whose else None
        kept = _kept(work, bearer)
        _require_captive(kept, wanted, bearer)
        update = current_update(work.tx, work.campaign.id)
        now = make_moment(update["number"], work.ledger.now(), work.number)
        picked = next((until for until in get_args(Until) if until == self.until), None)
        asked = queries.wanted_end(wanted, picked, self.hours, self.turns)
        end = queries.begin_ending(work.tx, work.campaign, now, bearer, counted, asked)
        changes = list(_set(kept, bearer, wanted.trait, end, now))
        _require_new(changes[0], now, f"{bearer.name}: {wanted.label.lower()}")
        after = changes[0].after
        body = {
            "who": bearer.name,
            "label": wanted.label,
            "until": update["name"] if "update" in after else None,
            "at": after.get("at"),
            "ended": [label_effect(known, item.name, item.before) for item in changes[1:]],
            **end.told,
        }
        effect = (bearer.key, EFFECT + wanted.trait)
        follows = [
            item
            for rule in work.resolver.extension.effect_set
            for item in rule(work.tx, work.resolver, work.campaign, effect, now)
        ]
        warnings = [line for _, line in follows if line]
        return Outcome(
            body,
            [*changes, *(change for change, _ in follows)],
            [item for item in (bearer, counted) if item],
            {"note": note} if note else {},
            [*warnings, *warn_unsaved(work.tx, work.viewer, bearer.name)],
        )


class ClearEffect(Action):
    """An effect ends, however it began."""

    who: Bearer = option("The unit, character or side that has it")
    effect: HoldingEffect = option("The effect to end")

    summary = "End an effect on a unit, character or side."
    kind, verb, title, may = "effect", "clear", "Effect cleared", "clear effects"

    @classmethod
    def sentence(cls, body: Body) -> str:
        """Return what ended on whom."""
        return f"{plain(body['who'])}: {inside(plain(body['label']))} (ended)"

    def apply(self, work: Work) -> Outcome:
        """Refuse an effect that doesn't last on the bearer."""
        (typed,) = parsing.names(self.who, "name", 1)
        bearer = find_bearer(work.tx, work.viewer, typed)
        kept = _kept(work, bearer) if bearer else {}
        lasting = {
            name.removeprefix(EFFECT): value
            for (_, name), value in kept.items()
            if name.startswith(EFFECT) and holds(value, work.moment)
        }
        known = work.library.effects(work.tx, work.campaign)
        labels = {trait: label_effect(known, trait, value) for trait, value in lasting.items()}
        trait = _trait(labels, self.effect)
        if trait is None or bearer is None:
            there = f"Its effects: {', '.join(labels.values())}." if labels else "It has no effects."
            who = bearer.name if bearer else typed
            raise BadInput(f"{who} doesn't have the effect {self.effect[:60]!r}.", there)
        return end_effect(work, bearer, (bearer.key, EFFECT + trait), lasting[trait], labels[trait])

    async def after(self, interaction: AnyInteraction, done: Done) -> None:
        """Post the digest where this was the last answer that it waited for."""
        await post_digest_if_done(interaction, done.campaign)


class AnswerEffect(ClearEffect):
    """An effect that is a question, such as an unpaid bribe, ends by its answer: on the subject (number), as its entry began it."""

    who: str = ""
    effect: str = ""
    subject: int = 0
    entry: int = 0

    def apply(self, work: Work) -> Outcome:
        """Refuse what was answered or undone since."""
        found = state.get_values_beginning(work.tx, work.campaign.id, {subject_key(self.subject)}, EFFECT)
        for key, value in found.items():
            if ANSWER in value and value["entry"] == self.entry and holds(value, work.moment):
                bearer = subjects.get_subjects(work.tx, work.campaign.id, [self.subject])[self.subject]
                return end_effect(work, bearer, key, value, label_effect({}, key[1], value))
        raise NotAsItIs("That was already answered or undone.", "See /effect list.")

    def answer(self, work: Work, entry: Entry, _outcome: Outcome) -> Answer:
        """Return the answer as a receipt, with what can go on now."""
        (ended,) = (item["before"] for item in entry.content()["changes"])
        steps = next_steps(work.tx, work.person, work.campaign)
        title = f"{plain(ended[ANSWER])}: entry #{entry.number}"
        buttons = [*steps, take_back_button(work.campaign.id, entry.number)]
        return Answer(view=receipt(title, [self.sentence(entry.content())], buttons=buttons))


def end_effect(work: Work, bearer: Subject, effect: StateKey, value: Mapping[str, object], called: str) -> Outcome:
    """Return the end of an effect; refuse to end what a feature keeps, such as an event of a battle that goes on."""
    for rule in work.resolver.extension.keeps_effect:
        reason = rule(work.tx, work.campaign, effect)
        if reason is not None:
            raise BadInput(reason)
    return Outcome({"who": bearer.name, "label": called}, [Change(*effect, value, None)], [bearer])


def _kept(work: Work, bearer: Subject) -> State:
    """Return what effects look at: the bearer's captivity and all effects."""
    kept = state.get_values_named(work.tx, work.campaign.id, {bearer.key}, {CAPTIVE})
    return {**kept, **state.get_values_beginning(work.tx, work.campaign.id, {bearer.key}, EFFECT)}


def _trait(labels: Mapping[str, str], given: str) -> str | None:
    """Return the trait of an effect by its id or its label."""
    wanted = name_key(given)
    by_label = (trait for trait, label in labels.items() if name_key(label) == wanted)
    return wanted if wanted in labels else next(by_label, None)


def _wanted(known: Mapping[str, Effect], given: str) -> Effect:
    """Return an effect by its id or its label."""
    labels = {trait: effect.label for trait, effect in known.items()}
    trait = _trait(labels, given)
    if trait is None:
        close = nearest(given[:60], [*labels, *labels.values()])
        some = ", ".join([*labels.values()][:MAX_SUGGESTED])
        more = ", or start typing to see the rest" if len(labels) > MAX_SUGGESTED else ""
        hint = f"Did you mean {labels.get(close, close)}?" if close else f"Pick one of: {some}{more}."
        raise BadInput(f"I don't know the effect {given[:60]!r}.", hint)
    if (command := known[trait].command) is not None:
        raise BadInput(f"{labels[trait]} needs more than its name.", f"Use {command}.")
    return known[trait]


def _require_captive(kept: State, effect: Effect, bearer: Subject) -> None:
    """Refuse what only captives do: whoever is none has not cracked, and would not stop to have cracked either (line 314)."""
    if EFFECT + effect.trait == CRACKED and (bearer.key, CAPTIVE) not in kept:
        raise BadInput(*explain_not_captive(bearer.name))


def _set(kept: State, bearer: Subject, trait: str, end: Ending, now: Moment) -> Iterator[Change]:
    """Yield the effect as it lasts from now on, then what it ends."""
    subject = bearer.key
    before = kept.get((subject, EFFECT + trait))
    rest = {field: value for field, value in (before or {}).items() if field not in OWN_FIELDS}
    yield Change(subject, EFFECT + trait, before, {**rest, "entry": now.entry, **end.keys})
    ended = EFFECT + ENDS.get(trait, "")
    if (subject, ended) in kept:
        yield Change(subject, ended, kept[subject, ended], None)


def _require_new(change: Change, now: Moment, what: str) -> None:
    """Refuse to set what lasts already and would end no other way.

    What only some enemies have a hold of (`by`) can be set for all of them, but not for an update alone: they would lose it.
    """
    before = change.before
    if before is None or not holds(before, now):
        return
    alike = all(before.get(key) == change.after.get(key) for key in KEYS)
    if alike != ("by" in before):
        raise BadInput(f"{what} is already set, by entry #{before['entry']}.", "End it with /effect clear.")


EFFECT_CHANGED = entry_kind("staff", SetEffect, ClearEffect)
