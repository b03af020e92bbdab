"""`/gm effect`: set, end, answer and list effects."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, get_args

import discord
from discord import ui
from discord.app_commands import Range
from msgspec.structs import replace

from bot.actions import Action, Answer, Done, Outcome, Work, act, entry_kind, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.effects import queries
from bot.core import ledger, library, profiles, state, subjects
from bot.core.campaigns import Campaign, current_update, make_moment
from bot.core.errors import BadInput, NotAsItIs, NotOpen
from bot.core.records import Change, Entry
from bot.core.subjects import Subject, label_subject
from bot.core.typos import warn_unsaved
from bot.kernel import Feature
from bot.orders.task_rolls import next_steps, post_digest_if_done
from bot.rolls import consequences, desk, entries, options
from bot.rolls.extension import RollExtension, StateKey
from bot.ui import parsing, reply
from bot.ui.commands import GM
from bot.ui.parsing import GAME_MASTERS, MAX_CHOICE, MAX_CHOICES, MAX_TEXT, Text, option
from bot.ui.receipt import page_buttons, pickers, receipt
from bot.ui.reply import IdTemplate, component, modal
from bot.ui.text import Controls, plain, shorten
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


def _labels(current: str, traits: dict[str, str]) -> list[tuple[str, str]]:
    wanted = name_key(current)
    matching = {label: trait for label, trait in traits.items() if wanted in name_key(f"{label} {trait}")}
    return [(label, label if len(label) <= MAX_CHOICE else trait) for label, trait in matching.items()]


Bearer = Annotated[str, options.Completed(_complete_bearer)]
KnownEffect = Annotated[str, options.Completed(_complete_effect, SHORTENED)]


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

    who: Bearer | None = option("A unit, character or side. Default: list all effects", default=None)
    effect: KnownEffect | None = option("The effect, such as a siege. Default: list its effects", default=None)
    until: str | None = option("When it ends. Default: as its rule says", default=None, choices=UNTIL)
    note: Text | None = option("A note for game masters only", default=None)
    hours: Hours | None = option("End it after this many hours, instead of until", default=None)
    turns: Turns | None = option("End it after this many turns of its battle or scene, instead of until", default=None)
    whose: Bearer | None = option("Whose turns count. Default: its own", default=None)

    summary = "Set an effect, or list effects and end them."
    kind, verb, title, may = "effect", "set", "Effect set", "set effects"

    @classmethod
    def sentence(cls, body: ledger.Body) -> str:
        """Return the effect, its end, and what it ended."""
        ended = "".join(f"; {plain(other)} (ended)" for other in body["ended"])
        return f"{plain(body['who'])}: {phrases.lower_first(plain(body['label']))}, {queries.describe_end(body)}{ended}"

    async def carry_out(self, interaction: reply.AnyInteraction) -> None:
        """Set the effect, or list those there are."""
        if self.effect is not None:
            await act(interaction, self)
            return
        if self.collect_values("who"):
            raise BadInput("Which effect? You picked none.", "Pick an effect, or leave the other options out.")
        await show_list(interaction, await desk.desk_of(interaction).campaign(interaction), self.who)

    def apply(self, work: Work) -> Outcome:
        """Refuse unknown effects, repeats and impossible ends."""
        bearer, note = work.subject(self.who or "", "name"), parsing.parse_text(self.note, "note")
        known = work.library.effects(work.tx, work.campaign)
        wanted = _find_effect(known, self.effect or "")
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
            [*warnings, *warn_unsaved(work.tx, work.viewer, bearer.name)],
        )


class EndEffect(Action):
    """End an effect (begun by `entry`) on a subject (number); without a trait, its question."""

    subject: int
    entry: int
    trait: str = ""

    kind, verb, title, may = "effect", "clear", "Effect cleared", "clear effects"

    @classmethod
    def sentence(cls, body: ledger.Body) -> str:
        """Return what ended."""
        return f"{plain(body['who'])}: {phrases.lower_first(plain(body['label']))} (ended)"

    def apply(self, work: Work) -> Outcome:
        """Refuse what ended, was answered or set again since."""
        found = state.get_values_beginning(work.tx, work.campaign.id, {subject_key(self.subject)}, EFFECT)
        for key, value in found.items():
            meant = key[1] == EFFECT + self.trait if self.trait else ANSWER in value
            if meant and value["entry"] == self.entry and is_current(value, work.moment):
                bearer = subjects.get_subjects(work.tx, work.campaign.id, [self.subject])[self.subject]
                label = library.label_effect(work.library.effects(work.tx, work.campaign), key[1], value)
                return _end_effect(work, bearer, key, value, label)
        raise NotAsItIs("That was already answered, ended or undone.", "See /gm effect.")

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Return a receipt; after a question, what goes on now."""
        (ended,) = (item["before"] for item in entry.content()["changes"])
        if ANSWER not in ended:
            return super().answer(work, entry, outcome)
        steps = next_steps(work.tx, work.person, work.campaign)
        title = f"{plain(ended[ANSWER])}: entry #{entry.number}"
        buttons = [*steps, entries.take_back_button(work.campaign.id, entry.number)]
        return Answer(view=receipt(title, [self.sentence(entry.content())], buttons=buttons))

    async def after(self, interaction: reply.AnyInteraction, done: Done) -> None:
        """Post the digest if that was its last answer."""
        await post_digest_if_done(interaction, done.campaign)


def _end_effect(work: Work, bearer: Subject, effect: StateKey, value: Mapping[str, object], called: str) -> Outcome:
    # Refuse what a feature keeps, such as a battle's event.
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
    # Some enemies' knowledge (`by`) can become all enemies', but not for one update.
    before = change.before
    if before is None or not is_current(before, now):
        return
    alike = all(before.get(key) == change.after.get(key) for key in KEYS)
    if alike != ("by" in before):
        raise BadInput(f"{what} is already set, by entry #{before['entry']}.", "End it with /gm effect.")


EFFECT_CHANGED = entry_kind("staff", SetEffect, EndEffect)


OF = IdTemplate("effects:{campaign:int}:{who:rest}")
END_PICKED = IdTemplate("effect:{campaign:int}:end:{_place:int}")
SET = IdTemplate("effect:{campaign:int}:set:{subject:int}")
MAX_SELECTS = 4


async def show_list(interaction: Interaction, campaign: Campaign, who: str | int | None) -> None:
    """List effects, all or one bearer's (name or number); ask first if the name looks like a typo."""
    bot, asker = interaction.client, reply.person(interaction)
    effects = await bot.database.read(queries.list_effects, bot.library, asker, campaign, who)
    typed = who if isinstance(who, str) and not effects else None
    meant = await bot.database.read(consequences.find_slip, asker, campaign, typed) if typed else None
    if typed and meant:
        await reply.refuse_slip(interaction, typed, meant, OF.fill(campaign=campaign.id, who=meant))
        return
    items: list[ui.Item[ui.LayoutView]] = []
    if asker.leads(campaign) and campaign.archived_at is None:
        ends = [(effect.key, f"{effect.who}: {effect.label}", f"Since entry #{effect.since}") for effect in effects]
        items += pickers(partial(END_PICKED.fill, campaign=campaign.id), "End an effect ...", ends, MAX_SELECTS)
        key = SET.fill(campaign=campaign.id, subject=who) if isinstance(who, int) else None
        items += page_buttons(("Set an effect", key))
    *before, last = queries.list_pages(effects, campaign=campaign.name)
    for page in before:
        await reply.say(interaction, embeds=page)
    await reply.say(interaction, embeds=last, **({"view": Controls(*items)} if items else {}))


@component(OF)
async def list_meant(interaction: Interaction, *, campaign: int, who: str) -> None:
    """List the effects on who was meant."""
    here = await find_pressed_campaign(interaction, campaign)
    await show_list(interaction, here, who)


@component(entries.EFFECTS)
async def list_on(interaction: Interaction, *, campaign: int, subject: int) -> None:
    """List the effects on a subject, or all."""
    here = await find_pressed_campaign(interaction, campaign)
    await show_list(interaction, here, subject or None)


@component(queries.END)
async def end(interaction: Interaction, *, campaign: int, subject: int, entry: int) -> None:
    """End an effect that is a question."""
    await act(interaction, EndEffect(subject=subject, entry=entry), campaign, replaces=True)


@component(END_PICKED)
async def end_picked(interaction: Interaction, *, campaign: int, _place: int) -> None:
    """End the effect picked from a list."""
    picked = queries.KEY.match(next(iter(reply.read_picked(interaction)), ""))
    if picked is None:
        raise NotOpen(*reply.STALE)
    await act(interaction, EndEffect(**queries.KEY.read(picked)), campaign, replaces=True)


@component(SET)
async def ask_effect(interaction: Interaction, *, campaign: int, subject: int) -> None:
    """Ask for an effect on a unit, character or side."""
    bot, here = interaction.client, await find_pressed_campaign(interaction, campaign)
    asked = (bot.library, reply.person(interaction), here, subject)
    bearer, known = await bot.database.read(queries.find_settable, *asked)
    form = ui.Modal(
        title=shorten(f"Effect on {bearer.name}", 45), custom_id=SET.fill(campaign=campaign, subject=subject)
    )
    labels = {item.label: trait for trait, item in known.items() if item.command is None}
    if not labels:
        raise BadInput("The campaign's books have no effects.")
    if len(labels) > MAX_CHOICES:
        form.add_item(reply.text_field("effect", "Effect", placeholder=f"Such as {next(iter(labels))}", limit=MAX_TEXT))
    else:
        some = [discord.SelectOption(label=shorten(label, MAX_CHOICE), value=trait) for label, trait in labels.items()]
        form.add_item(ui.Label(text="Effect", component=ui.Select(custom_id="effect", options=some)))
    ends = [
        discord.SelectOption(label=shorten(f"Until {label}", MAX_CHOICE), value=until) for until, label in UNTIL.items()
    ]
    until: ui.Select[ui.Modal] = ui.Select(
        custom_id="until", options=ends, required=False, placeholder="As its rule says"
    )
    form.add_item(ui.Label(text="When it ends", description="For hours or turns, use /gm effect.", component=until))
    hint = "Only game masters see this"
    await reply.ask(
        interaction, form.add_item(reply.text_field("note", "Note", placeholder=hint, limit=MAX_TEXT, needed=False))
    )


@modal(SET)
async def set_asked(interaction: Interaction, *, campaign: int, subject: int) -> None:
    """Set a window's effect."""
    bot, here = interaction.client, await find_pressed_campaign(interaction, campaign)
    asked = (bot.library, reply.person(interaction), here, subject)
    bearer, _ = await bot.database.read(queries.find_settable, *asked)
    sent = {
        name: given if isinstance(given, str) else next(iter(given or ()), "")
        for name, given in reply.read_submitted(interaction).items()
    }
    chosen = {name: sent[name] for name in ("effect", "until", "note") if sent.get(name)}
    await act(interaction, replace(SetEffect(who=label_subject(bearer), effect=""), **chosen), campaign, replaces=True)


@GM.command(name="effect", description=SetEffect.summary, extras=GAME_MASTERS)
@parsing.fill_form
async def set_or_list(interaction: Interaction, form: SetEffect) -> None:
    """Set an effect, or list effects."""
    await form.carry_out(interaction)


FEATURE = Feature(
    commands=(GM,),
    entry_kinds=(EFFECT_CHANGED,),
    components=(list_meant, list_on, end, end_picked, ask_effect, set_asked),
    rolls=(RollExtension(facts=(queries.effect_facts,)),),
    questions=(queries.find_unanswered,),
    status=queries.status,
    todo=queries.to_answer,
)
