"""The current turn as a card: its start, what's left, effects, and possible acts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import actors, fight_entries, fight_messages
from bot.cogs.roe.fight_view import ATTACK, BOOK, EXPLODE, FightView, RoeAsker, describe_unanswered, view_meant
from bot.cogs.roe.lasting import describe_effects, describe_laid, read_due_fuses, read_end, read_lasting
from bot.core import campaigns, ledger, permissions, records, state, subjects
from bot.core.errors import NotOpen
from bot.core.profiles import Profile
from bot.core.scenes import SeenTurn, Which
from bot.core.visibility import Viewer
from bot.rolls.desk import channels, desk_of
from bot.rolls.resolver import Resolver
from bot.ui.receipt import picker, pickers, receipt
from bot.ui.reply import STALE, Component, component, number, person, say
from bot.ui.text import COLOURS, DOT, fit_lines, plain, strip_marks
from rules import errors, phrases
from rules.book import OTHER, Act
from rules.books.roe import catalog, characters, explosives, fights, handling, turns, wounds
from rules.effects import EFFECT
from rules.procedure import Part
from rules.ruleset import RuleSet
from rules.scenes import MEMBER, Participant

MOST_OFFERS = 25
MOST_LOOKED = 10
"""How many entries are looked at for what happened last."""

ROOM_FOR_LASTING, ROOM_FOR_REFUSED, ROOM_FOR_WEAPONS, ROOM_FOR_OWN = 900, 3700, 300, 1500
"""Characters of effects, refusals, weapons, and one's own fighters."""

MEANWHILE = "-# Not your turn. I'll ask you here if you can dodge, interrupt or vote. `/roe check`, `odds`, `wounds` and `rules` always work."
LOOKING_ON = "-# You're not in this fight. See it with `/fight show`, join with `/fight join`."

MOST_ALIKE = 3
"""How many acts with one refusal are named; the others are counted."""

Offer = tuple[str, str, str]
"""A possible act: a select's value, title and cost."""


class TurnCard(Struct, frozen=True):
    """The current turn: `left` counts all marks, `due` grenades explode in it."""

    view: FightView
    lines: Sequence[str]
    offers: Sequence[Offer] = ()
    targets: Sequence[Offer] = ()
    acts_on: Sequence[Offer] = ()
    left: int | None = None
    due: Mapping[str, explosives.Fuse] = {}
    waits: bool = False
    refused: Sequence[str] = ()


def _read_turn_card(tx: Connection, resolver: Resolver, asker: RoeAsker, campaign_id: int, which: Which) -> TurnCard:
    view = view_meant(tx, asker, campaign_id, which)
    campaign = view.campaign
    shown, chosen = view.visible_fight, fight_messages.describe_choice(view)
    lines = [*fight_entries.describe_turn(shown, chosen)]
    burning = [*fit_lines(ROOM_FOR_LASTING, [*describe_laid(tx, view)])]
    item = view.on_turn if chosen is None else None
    waits = describe_unanswered(tx, campaign.id, shown.now)
    if item is None or not view.acts_for(item.id):
        own = [*fit_lines(ROOM_FOR_OWN, [*_describe_own(tx, resolver, view)])]
        waiting = [plain(waits)] if waits else []
        return TurnCard(view, [*lines, *burning, *waiting, *own, MEANWHILE if own else LOOKING_ON])
    book = resolver.library.book(tx, campaign, BOOK)
    who = actors.make_acting(tx, view.viewer, book, view.people[item.id], view)
    part, arms = _as_seen(actors.preview_actor(tx, resolver, who), item), actors.list_weapons(who)
    lines = [lines[0], _describe_turn_left(book, part, item), *_describe_start(tx, view, item)]
    lines += [*_describe_body(tx, resolver, who, item), *burning]
    if waits is not None:
        return TurnCard(view, [*lines, f"{plain(waits)} Nothing else can happen until then."], waits=True)
    dice = shown.header.mode == "dice"
    due = read_due_fuses(tx, campaign, view.fight, view.viewer)
    acts = [act for act in (actors.list_own_acts(book) if dice else ()) if due or act.id != EXPLODE]
    refusals = [(act, actors.explain_refusal(book, act, part)) for act in acts]
    possible = [act for act, why in refusals if why is None]
    every = [offer for act in possible for offer in _list_offers(book, act, part, arms)]
    with_arm = [offer for offer in every if ":" in offer[0]]
    offers = [*(offer for offer in every if offer not in with_arm), *with_arm]
    lines += ["Even more: `/roe act`."] if len(offers) > MOST_OFFERS else []
    lines += [*_describe_commands([act for act in possible if not _needs_no_input(book, act)], part)]
    aims = list_targets(tx, who) if any(act.id == ATTACK for act in possible) else []
    on = [(act.id, act.title, _describe_cost(act, part)) for act in possible if is_on_someone(book, act)]
    left, refused = count_left(book, item), [*_describe_refused(refusals)]
    return TurnCard(view, lines, offers, aims, on, left, due, refused=refused)


def is_on_someone(book: RuleSet, act: Act) -> bool:
    """Whether an act without a separate command needs a target or value."""
    return act.by is None and not _needs_no_input(book, act)


def list_targets(tx: Connection, who: actors.ActingCharacter) -> list[Offer]:
    """List possible targets: fighters in sight, then vehicles and pets."""
    fighters = actors.list_in_sight(tx, who, leads=who.view is not None and who.view.leads)
    shown: list[subjects.Numbered] = [*fighters, *actors.list_things(tx, who)]
    return list_named(shown)


def list_named(items: Sequence[subjects.Numbered]) -> list[Offer]:
    """Make options of subjects, with the number shown where names are alike."""
    several = subjects.find_twins(items)
    return [(str(item.id), subjects.label_subject(item) if item.id in several else item.name, "") for item in items]


def require_left(tx: Connection, resolver: Resolver, view: FightView, book: RuleSet, left: int) -> None:
    """Refuse, and say why, if something has happened since `left` was left of the turn."""
    if view.on_turn is None or count_left(book, view.on_turn) != left:
        since = _describe_newest(tx, resolver, view)
        what = "Something happened in this turn since you looked."
        raise NotOpen(f"{what} {since}".strip(), "See /fight turn for what's left.")


def _describe_newest(tx: Connection, resolver: Resolver, view: FightView) -> str:
    campaign, person = view.campaign, view.viewer.person
    newest = ledger.next_number(tx, campaign) - 1
    for place in range(newest, max(0, newest - MOST_LOOKED), -1):
        entry = permissions.find_readable(tx, person, campaign, place)
        if entry is not None and entry.content().get(fights.FIGHT) == view.fight.header.entry:
            words = resolver.kinds.sentence(entry, "staff" if view.leads else "public")
            return f"{strip_marks(words)} (#{place})"
    return ""


def count_left(book: RuleSet, item: Participant) -> int:
    """Count what a fighter has left of the turn, Actions, movements and others together."""
    return sum(item.marks.get(mark, 0) for mark in book.entries_of(turns.Allowance))


def _as_seen(part: Part, item: Participant) -> Part:
    who = part.subjects["actor"]
    own = part.kept.get(who, {})
    return replace(part, kept={**part.kept, who: {**own, MEMBER: {**own.get(MEMBER, {}), "marks": item.marks}}})


def _describe_start(tx: Connection, view: FightView, item: Participant) -> Iterator[str]:
    header = view.visible_fight.header
    value = state.get_value(tx, view.campaign.id, header.subject, f"{fights.STARTED}{item.id}")
    if value is not None and value["turn"] == header.turn:
        yield f"Turn start: {value['told']} (entry #{value['entry']})."


def _describe_own(tx: Connection, resolver: Resolver, view: FightView) -> Iterator[str]:
    book = resolver.library.book(tx, view.campaign, BOOK)
    for item in view.visible_fight.roster:
        actor = view.people[item.id]
        if view.viewer.owns(actor):
            who = actors.make_acting(tx, view.viewer, book, actor, view)
            hp, *more = _describe_body(tx, resolver, who, item)
            yield "\n".join((f"Your **{plain(actor.name)}**: {hp}", *more))


def _describe_body(tx: Connection, resolver: Resolver, who: actors.ActingCharacter, item: Participant) -> Iterator[str]:
    full = who.actor.fields.get("hp")
    if isinstance(full, int):
        lost = (state.get_value(tx, who.viewer.campaign.id, who.actor.key, wounds.HEALTH) or {"lost": 0})["lost"]
        yield f"**{max(0, full - lost)} of {full} HP**"
    else:
        yield "HP isn't set: `/roster edit`, fields: hp: 30."
    yield from _describe_weapons(who.book, actors.list_weapons(who), item)
    yield from _describe_lasting(tx, resolver, who.viewer, who.actor)


def _describe_turn_left(book: RuleSet, part: Part, item: Participant) -> str:
    stopped = [] if fights.ARRIVING in item.marks else handling.list_bars(book, part.facts)
    marks = {mark: count for mark, count in item.marks.items() if not any(mark in bar.takes for bar in stopped)}
    words = fight_entries.describe_left(marks)
    words += [f"{handling.movement_m(book, part.facts, 'actor')} m each"] if marks.get(fights.MOVEMENTS) else []
    more = (each for each in book.entries_of(turns.Allowance).values() if each.needs is not None)
    words += [f"{each.label}: {count}" for each in more if (count := marks.get(each.id))]
    left = DOT.join(words)
    return "\n".join([left[:1].upper() + left[1:], *(f"\N{WARNING SIGN} {bar.label}" for bar in stopped)])


def _describe_weapons(book: RuleSet, arms: Sequence[characters.Arm], item: Participant) -> Iterator[str]:
    readiness = [(arm, characters.read_readiness(item.marks, arm.name)) for arm in arms]
    owed = [f"{plain(arm.name)}: {describe_debt(state)}" for arm, state in readiness if state.owes]
    if owed:
        yield f"Not ready: {DOT.join(fit_lines(ROOM_FOR_WEAPONS, owed))}"
    bare = {token.label for token in book.entries_of(catalog.WeaponToken).values() if token.bare}
    held: dict[str, list[str]] = {"In hand": []}
    for arm in arms:
        drawn = arm.token in bare or bool(item.marks.get(f"{fights.DRAWN}{arm.id}"))
        how = "In hand" if drawn else "Free to draw" if characters.is_in_hand(item.marks, arm.name) else "Not in hand"
        if not characters.is_gone(item.marks, arm.name):
            held.setdefault(how, []).append(plain(arm.name))
    yield from (f"{how}: {DOT.join(fit_lines(ROOM_FOR_WEAPONS, names))}" for how, names in held.items() if names)


def describe_debt(weapon: characters.Readiness) -> str:
    """Say what a weapon needs before use."""
    if weapon.owes == "reload":
        return f"reload ({phrases.format_count(weapon.reload, 'Actions')})"
    return "work the bolt" if weapon.owes == "bolt" else "one turn without firing"


def _describe_lasting(tx: Connection, resolver: Resolver, viewer: Viewer, actor: Profile) -> Iterator[str]:
    campaign = viewer.campaign
    lasting = read_lasting(tx, campaign, campaigns.make_moment(0, resolver.ledger.now()))
    effects = resolver.library.effects(tx, campaign)
    secret = {EFFECT + trait for trait, effect in effects.items() if effect.secret and not viewer.leads}
    shown = {key: value for key, value in lasting.items() if key[0] == actor.key and key[1] not in secret}
    done = {EFFECT + trait for trait, effect in effects.items() if effect.by_other}
    others = subjects.get_subjects(tx, campaign.id, {value["other"] for value in shown.values() if value.get("other")})
    words = []
    for key, label, value in describe_effects(tx, resolver.library, campaign, shown, whole=True):
        other = others.get(value.get("other") or 0)
        by = ", by " if key[1] in done else ": "
        about = f"{by}{plain(viewer.name_of(other, records.UNKNOWN))}" if other else ""
        words.append(f"{fight_entries.describe_effect(label, *read_end(value), value.get('amount'))}{about}")
    if words:
        yield f"Effects: {DOT.join(fit_lines(ROOM_FOR_LASTING, words))}"


def _needs_no_input(book: RuleSet, act: Act) -> bool:
    bound = any(fact.startswith(f"{act.actor}.") and fact.endswith(OTHER) for fact in act.facts)
    named = act.has_other and not bound and book.procedure(act.id).method.find_shared_die(book) is None
    return act.by is None and not named and act.takes != actors.AMMUNITION


def _describe_cost(act: Act, part: Part) -> str:
    return ", ".join(actors.describe_costs(act, part)) or "free"


def _list_offers(book: RuleSet, act: Act, part: Part, arms: Sequence[characters.Arm]) -> Iterator[Offer]:
    paid = _describe_cost(act, part)
    if not _needs_no_input(book, act):
        return
    if act.takes not in {actors.WEAPON, actors.WEAPONS}:
        yield act.id, act.title, paid
        return
    for arm in arms:
        with suppress(errors.RollError):  # not with this one
            armed = replace(part, inputs={actors.WEAPON: arm.name, "token": arm.token})
            book.procedure(act.id).method.check(armed, book)
            yield f"{act.id}:{arm.id}", f"{act.title}: {arm.name}", paid


def _describe_commands(acts: Sequence[Act], part: Part) -> Iterator[str]:
    bound = [act for act in acts if f"{act.actor}.{act.bound}" in part.facts]
    commands: dict[str, list[str]] = {}
    titles_by_cost: dict[str, list[str]] = {}
    for act in (*bound, *(act for act in acts if act not in bound)):
        cost = _describe_cost(act, part)
        if act.by:
            commands.setdefault(act.by, []).append(cost)
        else:
            titles_by_cost.setdefault(cost, []).append(plain(act.title))
    words = [f"`/roe {command}` ({' or '.join(dict.fromkeys(costs))})" for command, costs in commands.items()]
    words += [f"`/roe act` ({cost}): {_shorten_titles(titles)}" for cost, titles in titles_by_cost.items()]
    if words:
        yield "\n- ".join(("**With a target**", *words))


def _describe_refused(refusals: Sequence[tuple[Act, str | None]]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for act, why in refusals:
        if why is not None:
            reasons.setdefault(why, []).append(plain(act.title))
    lines = [f"**{_shorten_titles(titles)}**: {plain(why)}" for why, titles in reasons.items()]
    yield from fit_lines(ROOM_FOR_REFUSED, lines)


def _shorten_titles(titles: Sequence[str]) -> str:
    if len(titles) <= MOST_ALIKE + 1:
        return ", ".join(titles)
    return f"{', '.join(titles[:MOST_ALIKE])} and {len(titles) - MOST_ALIKE} more"


ROOM_FOR_CARD = 3800
"""Characters under a card's title, of Discord's 4,000."""


async def show_turn(interaction: Interaction) -> None:
    """Show the current turn of the channel's fight."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _show(interaction, campaign.id, None)


@component(fight_messages.CARD)
async def _show_seen_turn(interaction: Interaction, *, campaign: int, fight: int) -> None:
    await _show(interaction, campaign, fight)


@component(fight_messages.WHY_NOT)
async def _show_reasons(interaction: Interaction, *, campaign: int, fight: int) -> None:
    card = await _read_card(interaction, campaign, fight)
    lines = [*card.refused] or ["Every action is available this turn."]
    await say(interaction, view=receipt("Unavailable", lines, COLOURS["neutral"]))


COMPONENTS: tuple[Component, ...] = (_show_seen_turn, _show_reasons)


async def _show(interaction: Interaction, campaign_id: int, which: Which) -> None:
    card = await _read_card(interaction, campaign_id, which)
    shown, turn = card.view.visible_fight, card.view.visible_fight.header.turn
    ref = {"campaign": card.view.campaign.id, "fight": shown.header.entry}
    steps, this = fight_messages.make_steps(card.view, card.due, waits=card.waits), fight_messages.CARD.fill(**ref)
    buttons = [step for step in steps if step.custom_id != this]
    if card.refused:
        buttons.append(ui.Button(label="Unavailable", custom_id=fight_messages.WHY_NOT.fill(**ref)))
    selects: list[ui.Select[ui.LayoutView]] = []
    if isinstance(shown.now, int) and card.left is not None:
        moment = TurnMoment(shown.header.entry, turn, shown.now, card.left).word
        at = {"campaign": card.view.campaign.id, "moment": moment}
        selects += pickers(partial(fight_messages.TARGET.fill, **at), "Attack …", card.targets, 1)
        key = fight_messages.ACT.fill(**ref, turn=turn, now=shown.now, left=card.left)
        selects += picker(key, "Choose an action …", card.offers[:MOST_OFFERS])
        selects += pickers(partial(fight_messages.ACT_ON.fill, **at), "Act on someone or something …", card.acts_on, 1)
        buttons.append(ui.Button(label="Loot or capture", custom_id=fight_messages.SPOILS.fill(**at)))
    lines = [*fit_lines(ROOM_FOR_CARD, card.lines)]
    title = f"{plain(shown.name)}, round {turn}"
    await say(interaction, view=receipt(title, lines, COLOURS["neutral"], buttons, selects))


async def _read_card(interaction: Interaction, campaign_id: int, which: Which) -> TurnCard:
    bot = interaction.client
    return await bot.database.read(_read_turn_card, bot.resolver, find_asker(interaction), campaign_id, which)


def find_asker(interaction: Interaction) -> RoeAsker:
    """Return who asks, and where."""
    return RoeAsker(interaction.client.library, person(interaction), channels(interaction))


class TurnMoment(Struct, frozen=True):
    """The turn that was seen, as numbers: the fight's entry, round, fighter, and what was left."""

    fight: int
    turn: int
    now: int
    left: int

    @property
    def word(self) -> str:
        """All four in an id."""
        return ".".join(map(str, (self.fight, self.turn, self.now, self.left)))

    @property
    def scene_turn(self) -> SeenTurn:
        """The turn alone, to be compared with the present one."""
        return SeenTurn(self.fight, self.turn, self.now)

    @classmethod
    def read(cls, word: str) -> TurnMoment:
        """Read the numbers in an id; NotOpen if it has others."""
        numbers = [number(each) for each in word.split(".")]
        if len(numbers) != len(cls.__struct_fields__):
            raise NotOpen(*STALE)
        return cls(*numbers)
