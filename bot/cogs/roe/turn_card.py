"""The turn of now as a card: its start, what is left and owed, what lasts, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import fight_messages, turn_change
from bot.cogs.roe.actors import EXPLODE, list_weapons, make_acting
from bot.cogs.roe.acts import AMMUNITION, WEAPON, WEAPONS, describe_costs, explain_refusal, list_own_acts, preview_actor
from bot.cogs.roe.fight_entries import describe_effect, describe_left, describe_turn
from bot.cogs.roe.fight_messages import describe_choice, make_steps
from bot.cogs.roe.fight_view import BOOK, FightView, view_meant
from bot.cogs.roe.waiting import describe_laid, describe_unanswered, read_due_fuses
from bot.core import scene_entries, state, subjects
from bot.core.campaigns import make_moment
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import UNKNOWN
from bot.core.scenes import Which
from bot.rolls.desk import channels, desk_of
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS
from bot.ui.components import Component, component
from bot.ui.receipt import picker, receipt
from bot.ui.reply import person, say
from bot.ui.text import DOT, fit_lines, plain
from rules.book import OTHER, Act
from rules.books.roe.catalog import WeaponToken
from rules.books.roe.characters import Arm, is_gone, is_in_hand, read_readiness
from rules.books.roe.explosives import Fuse
from rules.books.roe.fights import ARRIVING, DRAWN, MOVEMENTS, STARTED
from rules.books.roe.handling import list_bars, movement_m
from rules.books.roe.turns import Allowance
from rules.books.roe.wounds import HEALTH
from rules.effects import EFFECT
from rules.ends import has_run_out
from rules.errors import RollError
from rules.phrases import counted
from rules.procedure import Part
from rules.ruleset import RuleSet
from rules.scenes import MEMBER, Participant

MOST_OFFERS = 25
"""The options that Discord takes in one select."""

ROOM_FOR_LASTING, ROOM_FOR_REFUSED, ROOM_FOR_WEAPONS, ROOM_FOR_OWN = 900, 3700, 300, 1500
"""Characters of a card for what lasts, for what cannot be done and why, for weapons that owe or are at hand, and for one's own while others have the turn: house defaults."""

MEANWHILE = "-# Not your turn. I'll ask you here if you can dodge, interrupt or vote. `/roe check`, `odds`, `wounds` and `rules` always work."
"""What somebody can do who fights and does not have the turn."""
LOOKING_ON = "-# You're not in this fight. See it with `/fight show`, join with `/fight join`."
"""What somebody can do who does not fight."""

MOST_ALIKE = 3
"""How many acts are named that cannot be done for the same reason; the others are counted: a house default."""


Offer = tuple[str, str, str]
"""Something that can be done at once: what a select sends for it, what it is called, and what it costs."""


class TurnCard(Struct, frozen=True):
    """The turn of now: the fight as it is looked at, lines, what can be done at once, how much of the turn is left in all, the grenades that explode with it, whether it waits for others' answers, and what can't be done, as lines."""

    seen: FightView
    lines: Sequence[str]
    offers: Sequence[Offer] = ()
    left: int = 0
    due: Mapping[str, Fuse] = {}
    waits: bool = False
    refused: Sequence[str] = ()


def read_turn_card(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: Which, channels: Sequence[int] = ()
) -> TurnCard:
    """Return the turn of now of the fight that is meant: whole for whoever may act in it, for others what all may see."""
    seen = view_meant(tx, resolver.library, person, campaign_id, which, channels)
    campaign = seen.campaign
    shown, chosen = seen.shown, describe_choice(seen)
    lines, burning = [*describe_turn(shown, chosen)], [*fit_lines(ROOM_FOR_LASTING, [*describe_laid(tx, seen)])]
    item = shown.combatant(shown.now) if isinstance(shown.now, int) and chosen is None else None
    waits = describe_unanswered(tx, seen.campaign.id, shown.now)
    if item is None or not seen.acts_for(item.id):
        own = [*fit_lines(ROOM_FOR_OWN, [*_describe_own(tx, resolver, seen)])]
        waiting = [plain(waits)] if waits else []
        return TurnCard(seen, [*lines, *burning, *waiting, *own, MEANWHILE if own else LOOKING_ON])
    book = resolver.library.book(tx, campaign, BOOK)
    who = make_acting(tx, seen.viewer, book, seen.people[item.id], seen)
    part, arms = _as_seen(preview_actor(tx, resolver, who), item), list_weapons(who)
    lines = [lines[0], _describe_turn_left(book, part, item), *_describe_start(tx, seen, item)]
    lines += [*_describe_body(tx, resolver, seen, item, arms), *burning]
    if waits is not None:
        return TurnCard(seen, [*lines, f"{plain(waits)} Nothing else can happen until then."], waits=True)
    dice = shown.header.mode == "dice"
    due = read_due_fuses(tx, campaign, seen.fight, seen.viewer)
    acts = [act for act in (list_own_acts(book) if dice else ()) if due or act.id != EXPLODE]
    told = [(act, explain_refusal(book, act, part)) for act in acts]
    offers = [offer for act, why in told if why is None for offer in _list_offers(book, act, part, arms)]
    offers.sort(key=_is_of_many)
    more = [act for act, why in told if why is None and not _needs_nothing(book, act)]
    lines += ["Even more: `/roe act`."] if len(offers) > MOST_OFFERS else []
    lines += [*_describe_commands(more, part)]
    return TurnCard(seen, lines, offers, count_left(book, item), due, refused=[*_describe_refused(told)])


def count_left(book: RuleSet, item: Participant) -> int:
    """Return how much of a turn somebody has left, of all marks together."""
    return sum(item.marks.get(mark, 0) for mark in book.listed(Allowance))


def _as_seen(part: Part, item: Participant) -> Part:
    """Return what is true of somebody with what is left of the turn as the viewer sees it: theirs may come after a secret one."""
    who = part.subjects["actor"]
    own = part.kept.get(who, {})
    return replace(part, kept={**part.kept, who: {**own, MEMBER: {**own.get(MEMBER, {}), "marks": item.marks}}})


def _describe_start(tx: Connection, seen: FightView, item: Participant) -> Iterator[str]:
    header = seen.shown.header
    value = state.get_value(tx, seen.campaign.id, header.subject, f"{STARTED}{item.id}")
    if value is not None and value["turn"] == header.turn:
        yield f"Turn start: {value['told']} (entry #{value['entry']})."


def _describe_own(tx: Connection, resolver: Resolver, seen: FightView) -> Iterator[str]:
    """Yield how the viewer's own fighters stand while others have the turn: HP, what their weapons owe, and what lasts on them."""
    book = resolver.library.book(tx, seen.campaign, BOOK)
    for item in seen.shown.roster:
        actor = seen.people[item.id]
        if seen.viewer.owns(actor):
            arms = list_weapons(make_acting(tx, seen.viewer, book, actor, seen))
            hp, *more = _describe_body(tx, resolver, seen, item, arms)
            yield "\n".join((f"Your **{plain(actor.name)}**: {hp}", *more))


def _describe_body(
    tx: Connection, resolver: Resolver, seen: FightView, item: Participant, arms: Sequence[Arm]
) -> Iterator[str]:
    actor = seen.people[item.id]
    yield _describe_hp(tx, seen, actor)
    yield from _describe_weapons(resolver.library.book(tx, seen.campaign, BOOK), arms, item)
    yield from _describe_lasting(tx, resolver, seen, actor)


def _describe_hp(tx: Connection, seen: FightView, actor: Profile) -> str:
    full = actor.fields.get("hp")
    if not isinstance(full, int):
        return "HP isn't set: `/character edit`, fields: hp: 30."
    lost = (state.get_value(tx, seen.campaign.id, actor.key, HEALTH) or {"lost": 0})["lost"]
    return f"**{max(0, full - lost)} of {full} HP**"


def _describe_turn_left(book: RuleSet, part: Part, item: Participant) -> str:
    """Return what is left of the turn, with the metres of a movement, and why nothing is left of some of it."""
    stopped = [] if ARRIVING in item.marks else list_bars(book, part.facts)
    marks = {mark: count for mark, count in item.marks.items() if not any(mark in bar.takes for bar in stopped)}
    words = describe_left(marks)
    words += [f"{movement_m(book, part.facts, 'actor')} m each"] if marks.get(MOVEMENTS) else []
    more = (each for each in book.listed(Allowance).values() if each.needs is not None)
    words += [f"{each.label}: {count}" for each in more if (count := marks.get(each.id))]
    told = DOT.join(words)
    return "\n".join([told[:1].upper() + told[1:], *(f"\N{WARNING SIGN} {bar.label}" for bar in stopped)])


def _describe_weapons(book: RuleSet, arms: Sequence[Arm], item: Participant) -> Iterator[str]:
    """Yield what weapons owe before the next shot, which are in the hands, as what is never drawn always is, and which can be drawn."""
    owed = [
        f"{plain(arm.name)}: {_describe_debt(item.marks, arm)}"
        for arm in arms
        if read_readiness(item.marks, arm.name).owes
    ]
    if owed:
        yield f"Not ready: {DOT.join(fit_lines(ROOM_FOR_WEAPONS, owed))}"
    bare = {token.label for token in book.listed(WeaponToken).values() if token.bare}
    held: dict[str, list[str]] = {"In hand": []}
    for arm in arms:
        drawn = arm.token in bare or bool(item.marks.get(f"{DRAWN}{arm.id}"))
        how = "In hand" if drawn else "Free to draw" if is_in_hand(item.marks, arm.name) else "Not in hand"
        if not is_gone(item.marks, arm.name):
            held.setdefault(how, []).append(plain(arm.name))
    yield from (f"{how}: {DOT.join(fit_lines(ROOM_FOR_WEAPONS, names))}" for how, names in held.items() if names)


def _describe_debt(marks: Mapping[str, int], arm: Arm) -> str:
    owed = read_readiness(marks, arm.name)
    words = {
        "reload": f"reload ({counted(owed.reload, 'Actions')})",
        "bolt": "work the bolt",
        "rack": "one turn without firing",
    }
    return words[owed.owes or "rack"]


def _describe_lasting(tx: Connection, resolver: Resolver, seen: FightView, actor: Profile) -> Iterator[str]:
    """Yield what lasts on whoever acts, as far as the viewer may know."""
    campaign, leads = seen.campaign, seen.leads
    now = make_moment(0, resolver.ledger.now())
    every = scene_entries.find_effects(tx, campaign)
    own = {key: value for key, value in every.items() if key[0] == actor.key and not has_run_out(value, now)}
    known = resolver.library.effects(tx, campaign)
    secret = {EFFECT + trait for trait, effect in known.items() if effect.secret and not leads}
    shown = {key: value for key, value in own.items() if key[1] not in secret}
    done = {EFFECT + trait for trait, effect in known.items() if effect.by_other}
    others = subjects.get_subjects(tx, campaign.id, {value["other"] for value in shown.values() if value.get("other")})
    words = []
    for key, label, value in turn_change.describe_effects(tx, resolver.library, campaign, shown, whole=True):
        other = others.get(value.get("other") or 0)
        by = ", by " if key[1] in done else ": "
        about = f"{by}{plain(seen.viewer.named(other, UNKNOWN))}" if other else ""
        words.append(f"{describe_effect(label, *turn_change.read_end(value), value.get('amount'))}{about}")
    if words:
        yield f"Effects: {DOT.join(fit_lines(ROOM_FOR_LASTING, words))}"


def _needs_nothing(book: RuleSet, act: Act) -> bool:
    """Return whether an act can be done without anything being typed: nobody is named for it but who is bound to whoever acts, or all."""
    bound = any(fact.startswith(f"{act.actor}.") and fact.endswith(OTHER) for fact in act.facts)
    named = act.has_other and not bound and book.procedure(act.id).method.shared(book) is None
    return act.by is None and not named and act.takes != AMMUNITION


def _list_offers(book: RuleSet, act: Act, part: Part, arms: Sequence[Arm]) -> Iterator[Offer]:
    """Yield an act as it can be done at once: with each weapon with which it can be done, where it takes one."""
    paid = ", ".join(describe_costs(act, part)) or "free"
    if not _needs_nothing(book, act):
        return
    if act.takes not in {WEAPON, WEAPONS}:
        yield act.id, act.title, paid
        return
    for arm in arms:
        with suppress(RollError):  # not with this one
            told = replace(part, inputs={WEAPON: arm.name, "token": arm.token})
            book.procedure(act.id).method.check(told, book)
            yield f"{act.id}:{arm.id}", f"{act.title}: {arm.name}", paid


def _is_of_many(offer: Offer) -> bool:
    """Return whether it is with one of many weapons: such offers come last."""
    return ":" in offer[0]


def _describe_commands(acts: Sequence[Act], part: Part) -> Iterator[str]:
    """Yield the commands by which further acts are done, which take a target or a value; first what is done with somebody held."""
    first = sorted(acts, key=partial(_is_bound, part), reverse=True)
    paid = [(act, ", ".join(describe_costs(act, part)) or "free") for act in first]
    by = {act.by: [each for other, each in paid if other.by == act.by] for act, _ in paid if act.by}
    words = [f"`/roe {command}` ({' or '.join(dict.fromkeys(told))})" for command, told in by.items()]
    others: dict[str, list[str]] = {}
    for act, told in paid:
        if not act.by:
            others.setdefault(told, []).append(plain(act.title))
    words += [f"`/roe act` ({told}): {_shorten_titles(titles)}" for told, titles in others.items()]
    if words:
        yield "\n- ".join(("**With a target**", *words))


def _is_bound(part: Part, act: Act) -> bool:
    return f"{act.actor}.{act.bound}" in part.facts


def _describe_refused(told: Sequence[tuple[Act, str | None]]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for act, why in told:
        if why is not None:
            reasons.setdefault(why, []).append(plain(act.title))
    yield from fit_lines(
        ROOM_FOR_REFUSED, [f"**{_shorten_titles(titles)}**: {plain(why)}" for why, titles in reasons.items()]
    )


def _shorten_titles(titles: Sequence[str]) -> str:
    """Return the first of many acts by name and how many more there are; all of them where one more would be left."""
    if len(titles) <= MOST_ALIKE + 1:
        return ", ".join(titles)
    return f"{', '.join(titles[:MOST_ALIKE])} and {len(titles) - MOST_ALIKE} more"


ROOM_FOR_CARD = 3800
"""Characters of a card under its title, of the 4,000 that Discord takes in all."""


async def show_turn(interaction: Interaction) -> None:
    """Show the turn of now in the channel's fight."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _show(interaction, campaign.id, None)


@component(fight_messages.CARD)
async def show_seen_turn(interaction: Interaction, *, campaign: int, fight: int) -> None:
    """Show the turn of now in a fight."""
    await _show(interaction, campaign, fight)


@component(fight_messages.WHY_NOT)
async def show_reasons(interaction: Interaction, *, campaign: int, fight: int) -> None:
    """Show what can't be done in the turn of now, and why."""
    card = await _read_card(interaction, campaign, fight)
    lines = [*card.refused] or ["Every action is available this turn."]
    await say(interaction, view=receipt("Unavailable", lines, COLOURS["neutral"]))


COMPONENTS: tuple[Component, ...] = (show_seen_turn, show_reasons)


def draw_card(card: TurnCard) -> ui.LayoutView:
    """Return the turn of now, with what whoever looks at it can do in it."""
    shown = card.seen.shown
    return receipt(
        f"{plain(shown.name)}, round {shown.header.turn}",
        [*fit_lines(ROOM_FOR_CARD, card.lines)],
        COLOURS["neutral"],
        [*make_steps(card.seen, card.due, waits=card.waits), *_offer_reasons(card)],
        _offer_acts(card),
    )


async def _show(interaction: Interaction, campaign_id: int, which: Which) -> None:
    await say(interaction, view=draw_card(await _read_card(interaction, campaign_id, which)))


async def _read_card(interaction: Interaction, campaign_id: int, which: Which) -> TurnCard:
    bot, where = interaction.client, channels(interaction)
    return await bot.database.read(read_turn_card, bot.resolver, person(interaction), campaign_id, which, where)


def _offer_reasons(card: TurnCard) -> Iterator[ui.Button[ui.LayoutView]]:
    if card.refused:
        key = fight_messages.WHY_NOT.fill(campaign=card.seen.campaign.id, fight=card.seen.fight.header.entry)
        yield ui.Button(label="Unavailable", custom_id=key)


def _offer_acts(card: TurnCard) -> Iterator[ui.Select[ui.LayoutView]]:
    shown = card.seen.shown
    if isinstance(shown.now, int):
        entry, turn = shown.header.entry, shown.header.turn
        key = fight_messages.ACT.fill(
            campaign=card.seen.campaign.id, fight=entry, turn=turn, now=shown.now, left=card.left
        )
        yield from picker(key, "Choose an action …", card.offers[:MOST_OFFERS])
