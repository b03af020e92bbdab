"""`/effect`: set, clear, answer and list effects."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, get_args

from discord import app_commands
from discord.app_commands import Range

from bot.actions import Action, Answer, Done, Outcome, Work, act, action_command, entry_kind, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.effects import queries
from bot.core import ledger, library, profiles, state, subjects, visibility
from bot.core.campaigns import Campaign, current_update, make_moment
from bot.core.errors import BadInput, NotAsItIs
from bot.core.records import Change, Entry
from bot.core.subjects import Subject
from bot.kernel import Feature
from bot.orders.task_rolls import next_steps, post_digest_if_done
from bot.rolls import consequences, desk, entries, options
from bot.rolls.extension import RollExtension, StateKey
from bot.ui import parsing, reply
from bot.ui.parsing import MAX_CHOICE, Text, describe, option
from bot.ui.receipt import receipt
from bot.ui.reply import IdTemplate, component
from bot.ui.text import plain
from rules import book, errors, phrases
from rules.books.campaign.captivity import CAPTIVE, CRACKED
from rules.effects import ANSWER, EFFECT, KEYS, Moment, is_current
from rules.subjects import name_key, subject_key

SHORTENED = re.compile("\N{HORIZONTAL ELLIPSIS}$")


async def _complete_bearer(at: options.Completion, current: str) -> options.Completions:
    return [(name, name) for name in await at.read(queries.suggest_bearers, current)]


async def _complete_effect(at: options.Completion, current: str) -> options.Completions:
    known = await at.desk.database.read(at.desk.resolver.library.effects, at.campaign)
    return _labels(current, {item.label: trait for trait, item in known.items() if item.command is None})


async def _complete_lasting(at: options.Completion, current: str) -> options.Completions:
    asked = at.desk.resolver.library, at.person, at.campaign, at.read_option("who")
    effects = await at.desk.database.read(queries.list_effects, *asked)
    return _labels(current, {effect.label: effect.trait for effect in effects})


def _labels(current: str, traits: dict[str, str]) -> list[tuple[str, str]]:
    wanted = name_key(current)
    matching = {label: trait for label, trait in traits.items() if wanted in name_key(f"{label} {trait}")}
    return [(label, label if len(label) <= MAX_CHOICE else trait) for label, trait in matching.items()]


Bearer = Annotated[str, options.Completed(_complete_bearer)]
KnownEffect = Annotated[str, options.Completed(_complete_effect, SHORTENED)]
HoldingEffect = Annotated[str, options.Completed(_complete_lasting, SHORTENED)]


ENDS: Mapping[str, str] = {"hidden": "revealed"}
OWN_FIELDS = ("entry", *KEYS, "by")
"""Fields every effect has; the others stay when it's set again."""


UNTIL: Mapping[str, str] = {
    "update": "the end of this update",
    "cleared": "it's cleared",
    "scene": "the end of its battle or scene",
}
MAX_SUGGESTED = 5
Hours = Range[int, 1, 8760]
Turns = Range[int, 1, 100]


class SetEffect(Action):
    """Begin an effect, with its own end or the one given."""

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
    def sentence(cls, body: ledger.Body) -> str:
        """Return the effect, its end, and what it ended."""
        ended = "".join(f"; {plain(other)} (ended)" for other in body["ended"])
        return f"{plain(body['who'])}: {phrases.lower_first(plain(body['label']))}, {queries.describe_end(body)}{ended}"

    def apply(self, work: Work) -> Outcome:
        """Refuse unknown effects, repeats and impossible ends."""
        bearer, note = work.subject(self.who, "name"), parsing.parse_text(self.note, "note")
        known = work.library.effects(work.tx, work.campaign)
        wanted = _find_effect(known, self.effect)
        counted = work.subject(self.whose, "whose") if self.whose else None
        kept = _read_state(work, bearer)
        if EFFECT + wanted.trait == CRACKED and (bearer.key, CAPTIVE) not in kept:  # only captives crack (line 314)
            raise BadInput(*profiles.explain_not_captive(bearer.name))
        update = current_update(work.tx, work.campaign.id)
        now = make_moment(update["number"], work.ledger.now(), work.number)
        picked = next((until for until in get_args(queries.Until) if until == self.until), None)
        asked = queries.choose_end(wanted, picked, self.hours, self.turns)
        end = queries.begin_ending(work.tx, work.campaign, now, bearer, counted, asked)
        changes = list(_list_changes(kept, bearer, wanted.trait, end, now))
        _require_new(changes[0], now, f"{bearer.name}: {wanted.label.lower()}")
        after = changes[0].after
        body = {
            "who": bearer.name,
            "label": wanted.label,
            "until": update["name"] if "update" in after else None,
            "at": after.get("at"),
            "ended": [library.label_effect(known, item.name, item.before) for item in changes[1:]],
            **end.body,
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
            [*warnings, *visibility.warn_unsaved(work.tx, work.viewer, bearer.name)],
        )


class ClearEffect(Action):
    """End an effect."""

    who: Bearer = option("The unit, character or side that has it")
    effect: HoldingEffect = option("The effect to end")

    summary = "End an effect on a unit, character or side."
    kind, verb, title, may = "effect", "clear", "Effect cleared", "clear effects"

    @classmethod
    def sentence(cls, body: ledger.Body) -> str:
        """Return what ended."""
        return f"{plain(body['who'])}: {phrases.lower_first(plain(body['label']))} (ended)"

    def apply(self, work: Work) -> Outcome:
        """Refuse an effect that its bearer doesn't have."""
        (typed,) = parsing.names(self.who, "name", 1)
        bearer = queries.find_bearer(work.tx, work.viewer, typed)
        kept = _read_state(work, bearer) if bearer else {}
        lasting = {
            name.removeprefix(EFFECT): value
            for (_, name), value in kept.items()
            if name.startswith(EFFECT) and is_current(value, work.moment)
        }
        known = work.library.effects(work.tx, work.campaign)
        labels = {trait: library.label_effect(known, trait, value) for trait, value in lasting.items()}
        trait = _trait(labels, self.effect)
        if trait is None or bearer is None:
            there = f"Its effects: {', '.join(labels.values())}." if labels else "It has no effects."
            who = bearer.name if bearer else typed
            raise BadInput(f"{who} doesn't have the effect {self.effect[:60]!r}.", there)
        return _end_effect(work, bearer, (bearer.key, EFFECT + trait), lasting[trait], labels[trait])

    async def after(self, interaction: reply.AnyInteraction, done: Done) -> None:
        """Post the digest if that was its last answer."""
        await post_digest_if_done(interaction, done.campaign)


class AnswerEffect(ClearEffect):
    """Answer an effect's question, begun by `entry`."""

    who: str = ""
    effect: str = ""
    subject: int = 0
    entry: int = 0

    def apply(self, work: Work) -> Outcome:
        """Refuse what was answered or undone since."""
        found = state.get_values_beginning(work.tx, work.campaign.id, {subject_key(self.subject)}, EFFECT)
        for key, value in found.items():
            if ANSWER in value and value["entry"] == self.entry and is_current(value, work.moment):
                bearer = subjects.get_subjects(work.tx, work.campaign.id, [self.subject])[self.subject]
                return _end_effect(work, bearer, key, value, library.label_effect({}, key[1], value))
        raise NotAsItIs("That was already answered or undone.", "See /effect list.")

    def answer(self, work: Work, entry: Entry, _outcome: Outcome) -> Answer:
        """Return a receipt with what can go on now."""
        (ended,) = (item["before"] for item in entry.content()["changes"])
        steps = next_steps(work.tx, work.person, work.campaign)
        title = f"{plain(ended[ANSWER])}: entry #{entry.number}"
        buttons = [*steps, entries.take_back_button(work.campaign.id, entry.number)]
        return Answer(view=receipt(title, [self.sentence(entry.content())], buttons=buttons))


def _end_effect(work: Work, bearer: Subject, effect: StateKey, value: Mapping[str, object], called: str) -> Outcome:
    """Refuse what a feature keeps, such as a battle's event."""
    for rule in work.resolver.extension.keeps_effect:
        reason = rule(work.tx, work.campaign, effect)
        if reason is not None:
            raise BadInput(reason)
    return Outcome({"who": bearer.name, "label": called}, [Change(*effect, value, None)], [bearer])


def _read_state(work: Work, bearer: Subject) -> state.State:
    kept = state.get_values_named(work.tx, work.campaign.id, {bearer.key}, {CAPTIVE})
    return {**kept, **state.get_values_beginning(work.tx, work.campaign.id, {bearer.key}, EFFECT)}


def _trait(labels: Mapping[str, str], given: str) -> str | None:
    wanted = name_key(given)
    by_label = (trait for trait, label in labels.items() if name_key(label) == wanted)
    return wanted if wanted in labels else next(by_label, None)


def _find_effect(known: Mapping[str, book.Effect], given: str) -> book.Effect:
    labels = {trait: effect.label for trait, effect in known.items()}
    trait = _trait(labels, given)
    if trait is None:
        close = errors.nearest(given[:60], [*labels, *labels.values()])
        some = ", ".join([*labels.values()][:MAX_SUGGESTED])
        more = ", or start typing to see the rest" if len(labels) > MAX_SUGGESTED else ""
        hint = f"Did you mean {labels.get(close, close)}?" if close else f"Pick one of: {some}{more}."
        raise BadInput(f"I don't know the effect {given[:60]!r}.", hint)
    if (command := known[trait].command) is not None:
        raise BadInput(f"{labels[trait]} needs more than its name.", f"Use {command}.")
    return known[trait]


def _list_changes(kept: state.State, bearer: Subject, trait: str, end: queries.Ending, now: Moment) -> Iterator[Change]:
    subject = bearer.key
    before = kept.get((subject, EFFECT + trait))
    rest = {field: value for field, value in (before or {}).items() if field not in OWN_FIELDS}
    yield Change(subject, EFFECT + trait, before, {**rest, "entry": now.entry, **end.keys})
    ended = EFFECT + ENDS.get(trait, "")
    if (subject, ended) in kept:
        yield Change(subject, ended, kept[subject, ended], None)


def _require_new(change: Change, now: Moment, what: str) -> None:
    """Some enemies' knowledge (`by`) can become all enemies', but not for one update."""
    before = change.before
    if before is None or not is_current(before, now):
        return
    alike = all(before.get(key) == change.after.get(key) for key in KEYS)
    if alike != ("by" in before):
        raise BadInput(f"{what} is already set, by entry #{before['entry']}.", "End it with /effect clear.")


EFFECT_CHANGED = entry_kind("staff", SetEffect, ClearEffect)


OF = IdTemplate("effects:{campaign:int}:{who:rest}")


async def show_list(interaction: Interaction, campaign: Campaign, who: str | None) -> None:
    """List effects; ask first if the name looks like a typo."""
    bot, asker = interaction.client, reply.person(interaction)
    effects = await bot.database.read(queries.list_effects, bot.library, asker, campaign, who)
    meant = await bot.database.read(consequences.find_slip, asker, campaign, who) if who and not effects else None
    if who and meant:
        await reply.refuse_slip(interaction, who, meant, OF.fill(campaign=campaign.id, who=meant))
        return
    for page in queries.list_pages(effects, campaign=campaign.name):
        await reply.say(interaction, embeds=page)


@component(OF)
async def list_meant(interaction: Interaction, *, campaign: int, who: str) -> None:
    """List the effects on who was meant."""
    here = await find_pressed_campaign(interaction, campaign)
    await show_list(interaction, here, who)


@component(queries.END)
async def end(interaction: Interaction, *, campaign: int, subject: int, entry: int) -> None:
    """End an effect that is a question."""
    await act(interaction, AnswerEffect(subject=subject, entry=entry), campaign, replaces=True)


class EffectCog(app_commands.Group, name="effect", description="Effects that last for a while"):
    """Effects."""

    set_effect = action_command(SetEffect)

    @app_commands.command(name="list")
    @describe(who="A unit, character or side. Default: all")
    async def list_effects(self, interaction: Interaction, who: Bearer | None = None) -> None:
        """List effects, when they began and when they end."""
        await show_list(interaction, await desk.desk_of(interaction).campaign(interaction), who)

    clear = action_command(ClearEffect)


FEATURE = Feature(
    commands=(EffectCog(),),
    entry_kinds=(EFFECT_CHANGED,),
    components=(list_meant, end),
    rolls=(RollExtension(facts=(queries.effect_facts,)),),
    questions=(queries.find_unanswered,),
    status=queries.status,
    todo=queries.to_answer,
)
