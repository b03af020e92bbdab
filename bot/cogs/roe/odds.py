"""Exact odds of a skill roll or an attack, from what the person may know."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, cast

from discord.app_commands import Range
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe import actors, options
from bot.cogs.roe.actors import ActingCharacter, NoSuchWeapon
from bot.cogs.roe.fight_view import BOOK, view_here
from bot.cogs.roe.options import MOST, Added, AnyWeapon, Fire, Metres, Mine, SkillName, TargetNumber
from bot.core.errors import BadInput
from bot.core.ledger import Pages
from bot.core.permissions import Person
from bot.core.visibility import Viewer
from bot.rolls.options import Name
from bot.rolls.preview import PartPreview, Preview, identify
from bot.rolls.request import PartRequest, RollRequest, TypedAdjustment, join_parts, label_part
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.parsing import Form, option
from bot.ui.text import COLOURS, DOT, bar, fit_embeds, paginate, plain, plus
from rules.book import Book
from rules.books.roe.aim import ACCURACY, DODGE, plan_attack
from rules.books.roe.attack_odds import AttackOdds
from rules.books.roe.catalog import ACTOR, RESISTER, WeaponToken
from rules.books.roe.characters import Arm, read_arm
from rules.books.roe.damage import DAMAGE, DR
from rules.books.roe.vehicles import find_vehicle
from rules.books.roe.weapons import UnknownToken
from rules.modifiers import TICKED
from rules.phrases import format_signed, percent
from rules.procedure import Part
from rules.ruleset import RuleSet
from rules.subjects import name_key

ATTACKED = "roe.engage"
"""The family of attacks on saved HP, of people, vehicles and pets."""
AIMED = f"{ACTOR}.aimed.other"
EXACT = "Exact odds, from what you can see. Nothing was rolled."
UNNAMED = {ACTOR: "An attacker", RESISTER: "the target"}
_ENDLESS = 1_000_000
"""HP no attack takes, if the target's aren't known."""


class RoeOddsForm(Form):
    """The options of `/roe odds`."""

    weapon: AnyWeapon | None = option("A weapon, or any token such as M_a_Rifle + Scope accuracy 5", default=None)
    skill: SkillName | None = option("A skill instead of a weapon", default=None)
    character: Mine | None = option("Who acts. Default: who has the turn, or your only character", default=None)
    against: Name | None = option("The target. Default: no one in particular", default=None)
    second: AnyWeapon | None = option("A second weapon, used at the same time", default=None)
    fire: Fire | None = option("Mode of fire: single, auto, suppress, or sneak for a sneak attack", default=None)
    range: Metres | None = option("Distance in metres. Default: 10, or 1 in melee", default=None)
    target: TargetNumber | None = option("The skill's target number. Default: 50", default=None)
    mine: Added | None = option("Extra modifier for the roll", default=None)
    theirs: Added | None = option("Modifier for the other side's roll, such as a dodge of 12", default=None)
    damage: Added | None = option("Extra damage", default=None)
    dr: Added | None = option("Extra damage reduction of the target", default=None)
    hp: Range[int, 0, 1000] | None = option("The target's HP. Default: its saved HP", default=None)
    aimed: bool = option("True for an aimed shot", default=False)


class _ForeseeingMethod(Protocol):
    def forecast(self, part: Part, book: Book) -> AttackOdds:
        """Return the exact chances."""


def find_odds(tx: Connection, resolver: Resolver, person: Person, channels: Sequence[int], asked: RoeOddsForm) -> Pages:
    """Return pages with the odds of an attack or skill roll."""
    who = None
    try:
        who = actors.find_acting(tx, resolver.library, person, channels, asked.character)
    except BadInput:
        if asked.skill is not None or asked.character is not None or asked.weapon is None:
            raise
    if who is not None and asked.skill is not None:
        return _find_skill_odds(tx, resolver, who, asked, asked.skill)
    viewer = who.viewer if who else view_here(tx, resolver.library, person, channels)
    return _find_attack_odds(tx, resolver, viewer, who, asked)


def _find_skill_odds(tx: Connection, resolver: Resolver, who: ActingCharacter, asked: RoeOddsForm, typed: str) -> Pages:
    skill = options.find_skill(who.book, typed)
    others = parsing.names(asked.against, "name", MOST) if asked.against else ()
    parsing.refuse_both((who.actor.name,), others)
    if others and asked.target is not None:
        raise BadInput("In a contest, both sides roll.", "Leave out either target or against.")
    contest = who.book.contests[skill.contest if skill else "roe.skill"]
    added = _make_adjustments({None: asked.mine, **({contest.resister: asked.theirs} if others else {})})
    parts = [replace(part, adjustments=added) for part in options.make_parts(who.actor, skill, others, asked.target)]
    preview = _preview(tx, resolver, who.viewer, who.book, options.find_family(skill, others), parts)
    lines: list[str] = []
    for shown in preview.parts:
        lines += [f"**{plain(shown.part.subjects[RESISTER])}**"] if len(others) > 1 else []
        lines += [*_describe_chances(shown), *_describe_dice(shown)]
    against = f" against {', '.join(others)}" if others else ""
    return _show(f"{skill.label if skill else typed} of {who.actor.name}{against}", [*lines, *_describe_joint(preview)])


def _find_attack_odds(
    tx: Connection, resolver: Resolver, viewer: Viewer, who: ActingCharacter | None, asked: RoeOddsForm
) -> Pages:
    book = resolver.library.book(tx, viewer.campaign, BOOK)
    arms = [*_list_arms(book, who, asked)]
    inputs = actors.make_attack_inputs(book, arms, asked.fire, asked.range) | {"strength": True}
    inputs |= {"hp": asked.hp} if asked.hp is not None else {}
    added = _make_adjustments({ACCURACY: asked.mine, DODGE: asked.theirs, DAMAGE: asked.damage, DR: asked.dr})
    part = replace(_make_part(who, asked.against), inputs=inputs, adjustments=added)
    preview = _preview(tx, resolver, viewer, book, ATTACKED, [part])
    known = asked.hp is not None or f"{RESISTER}.hp" in preview.parts[0].part.facts
    if not known:
        endless = replace(preview.request.parts[0], inputs={**inputs, "hp": _ENDLESS})
        preview = preview.revise(preview.request.with_part(0, endless))
    (shown,) = preview.parts
    if asked.aimed:
        shown = replace(shown, part=replace(shown.part, facts={**shown.part.facts, AIMED: TICKED}))
    names = {role: UNNAMED[role] if role in part.people else shown.part.subjects[role] for role in UNNAMED}
    weapons = " and ".join(arm.name for arm in arms)
    title = f"{names[ACTOR]} attacks {names[RESISTER]}: {weapons}, {inputs['range_m']:g} m"
    return _show(title, [*_describe_attack(shown, known=known)])


def _show(title: str, lines: Sequence[str]) -> Pages:
    return paginate(fit_embeds(plain(title), lines, colour=COLOURS["neutral"], footer=EXACT))


def _preview(
    tx: Connection, resolver: Resolver, viewer: Viewer, book: RuleSet, family: str, parts: Sequence[PartRequest]
) -> Preview:
    found, leads = identify(tx, viewer, parts), viewer.leads
    by = None if leads else viewer.mine
    request = RollRequest(book=BOOK, family=family, parts=found, at_home=True, staff=leads, by=by)
    return resolver.preview(tx, viewer.campaign, request, viewer, book=book)


def _make_part(who: ActingCharacter | None, against: str | None) -> PartRequest:
    me, other = label_part(ACTOR, None, UNNAMED[ACTOR]), label_part(RESISTER, None, UNNAMED[RESISTER])
    if who is not None:
        me = PartRequest(subjects={ACTOR: who.actor.name})
    if against is not None:
        (name,) = parsing.names(against, "name", 1)
        parsing.refuse_both((me.subjects[ACTOR],), (name,))
        other = PartRequest(subjects={RESISTER: name})
    ids: dict[str, tuple[int | None, ...]] = {} if who is None else {ACTOR: (who.actor.id,)}
    return replace(join_parts(me, other), ids=ids)


def _list_arms(book: RuleSet, who: ActingCharacter | None, asked: RoeOddsForm) -> Iterator[Arm]:
    named = (asked.weapon,) if asked.second is None else (asked.weapon, asked.second)
    for typed in named:
        try:
            yield actors.find_carried_weapon(who, typed) if who else _find_any_arm(book, typed or "")
        except NoSuchWeapon:
            yield _find_any_arm(book, typed or "", actors.list_weapons(who) if who else ())


def _find_any_arm(book: RuleSet, typed: str, own: Sequence[Arm] = ()) -> Arm:
    try:
        return read_arm(book, typed)
    except UnknownToken:
        tokens = [token.label for token in book.entries_of(WeaponToken).values()]
        arms = {**{label: Arm(label, label) for label in tokens}, **{arm.name: arm for arm in own}}
        meant = [arm for name, arm in arms.items() if name_key(typed) in name_key(name)]
        if len(meant) > 1 and typed:
            which = f"Pick one: {', '.join(arm.name for arm in meant)}?"
            raise BadInput(f"{typed[:60]!r} matches {len(meant)} weapons.", which) from None
        if not meant:
            raise
        return meant[0]


def _make_adjustments(values: Mapping[str | None, int | None]) -> tuple[TypedAdjustment, ...]:
    return tuple(TypedAdjustment(value=value, reason="as typed", table=to) for to, value in values.items() if value)


def _describe_attack(shown: PartPreview, *, known: bool) -> Iterator[str]:
    yield from _describe_chances(shown)
    if find_vehicle(shown.part, shown.book, RESISTER) is not None:
        yield from map(plain, shown.lines)
        return
    ahead = cast("_ForeseeingMethod", shown.procedure.method).forecast(shown.part, shown.book)
    yield from (f"{plain(label)}: {percent(chance)}" for label, chance in ahead.traits.items())
    if known:
        yield f"Goes down, of {plan_attack(shown.part, shown.book).hp} HP: {percent(ahead.down)}{DOT}saving roll due: {percent(ahead.saving)}"
    else:
        yield "-# The target's HP isn't known. Add hp for the chance of going down."
    yield f"Mean damage: {float(ahead.mean):.1f}"
    yield from _describe_dice(shown)


def _describe_chances(shown: PartPreview) -> Iterator[str]:
    yield from (f"`{bar(item.chance)}` **{percent(item.chance)}** {plain(item.conclusion.text)}" for item in shown.odds)


def _describe_dice(shown: PartPreview) -> Iterator[str]:
    for stage in shown.stages:
        items = [(item.amount, item.modifier.label) for item in stage.modifiers if item.is_counted]
        items += [(item.value, item.reason) for item in stage.adjustments]
        words = ", ".join(f"{format_signed(value)} {plain(label)}" for value, label in items)
        table = stage.stage.table
        yield f"**{plain(table.title)}**{DOT}{table.die} {plus(stage.sum)}" + (f": {words}" if words else "")


def _describe_joint(preview: Preview) -> Iterator[str]:
    joint = preview.joint
    texts = {item.conclusion.outcome: plain(item.conclusion.text) for part in preview.parts for item in part.odds}
    for outcome, counts in joint.counts.items() if joint else ():
        yield f"{texts[outcome]} against all: **{percent(counts[-1])}**, against at least one: **{percent(1 - counts[0])}**"
