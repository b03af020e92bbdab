"""`/roe check`, and the exact odds of skill rolls and attacks from what the person may know."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Protocol, cast

from discord.app_commands import Range
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe import actors
from bot.cogs.roe.actors import ActingCharacter, NoSuchWeapon
from bot.cogs.roe.attacks import AnyWeapon, Fire, Metres, RolledForm
from bot.cogs.roe.fight_view import BOOK, RoeAsker, view_here
from bot.core import subjects
from bot.core.campaigns import Campaign, read_preferences
from bot.core.errors import BadInput, NotAsItIs
from bot.core.ledger import Pages
from bot.core.permissions import Person, require_game_master
from bot.core.subjects import Numbered, find_twins, label_subject
from bot.core.visibility import Viewer, list_suggested, make_viewer
from bot.rolls import options, preview
from bot.rolls.options import MODIFIERS, NOTE, TO, Completed, Completion, Completions, Name, Names, To
from bot.rolls.request import PartRequest, RollCommand, RollRequest, TypedAdjustment, join_parts, label_part
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.parsing import Form, option
from bot.ui.text import COLOURS, DOT, chance_line, fit_embeds, paginate, plain, plus
from rules import modifiers, typed_text
from rules.book import Book
from rules.books.roe import aim, attack_odds, characters, contests, fights, vehicles, weapons
from rules.books.roe.catalog import ACTOR, RESISTER, ListedSkill, WeaponToken
from rules.books.roe.damage import DAMAGE, DR
from rules.phrases import format_signed, percent
from rules.procedure import Part
from rules.ruleset import RuleSet
from rules.subjects import name_key


async def _complete_skill(at: Completion, current: str) -> Completions:
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    return options.filter_labels(current, [skill.label for skill in book.entries_of(ListedSkill).values()])


async def _complete_mine(at: Completion, current: str) -> Completions:
    return [(name, name) for name in await at.read(_suggest_mine, current)]


SkillName = Annotated[str, Completed(_complete_skill)]
Mine = Annotated[str, Completed(_complete_mine)]
TargetNumber = Range[int, 1, 200]
Added = Range[int, -100, 100]


def _suggest_mine(tx: Connection, who: Person, campaign: Campaign, word: str) -> list[str]:
    viewer = make_viewer(tx, who, campaign)
    known = [item for item in list_suggested(tx, viewer, word) if item.is_character]
    several, leads = find_twins(known), who.leads(campaign)
    return [label_subject(item) if item.id in several else item.name for item in known if leads or viewer.owns(item)]


MOST = 10


def _find_skill(book: RuleSet, typed: str) -> ListedSkill | None:
    wanted, skills = name_key(typed), book.entries_of(ListedSkill).values()
    return next((item for item in skills if wanted in {name_key(item.label), item.id}), None)


def _find_family(skill: ListedSkill | None, others: Sequence[str]) -> str:
    return contests.CHECK if not others else skill.family if skill and skill.family else contests.VERSUS


def _list_parts(
    who: Numbered, skill: ListedSkill | None, others: Sequence[str], target: int | None
) -> Iterator[PartRequest]:
    inputs: dict[str, Any] = {contests.SKILL: skill.id} if skill else {}
    if target is not None:
        inputs["values"] = {skill.check if skill else contests.CHECK: target}
    role = skill.role if skill else RESISTER
    for other in others or (None,):
        there = {ACTOR: who.name} | ({} if other is None else {role: other})
        yield PartRequest(subjects=there, ids={ACTOR: (who.id,)}, inputs=inputs)


_NAMED = re.compile(r"\s*[+-]\s*\d+\s+(?P<name>\S.*?)\s*", re.DOTALL)


class CheckForm(RolledForm):
    """Options of `/roe check`."""

    family = (BOOK, contests.VERSUS)
    skill: SkillName = option("A skill from the book, or any other word")
    character: Mine | None = option("Who rolls. Default: who has the turn, or your only character", default=None)
    against: Names | None = option(
        "Opponents who roll too, separated by commas. Game masters can use any name", default=None
    )
    target: TargetNumber | None = option("The target number. Default: 50", default=None)
    modifiers: str | None = MODIFIERS
    gm: Added | None = option("Game masters only: a modifier for circumstances, such as -5", default=None)
    note: str | None = NOTE
    to: To = TO


def read_check(tx: Connection, asker: RoeAsker, typed: CheckForm) -> RollCommand:
    """Read the roll of `/roe check`; refuse a turn's acts."""
    who = actors.find_acting(tx, asker, typed.character)
    others = _read_opponents(tx, who, typed.against)
    skill = _find_skill(who.book, typed.skill)
    if others and typed.target is not None:
        raise BadInput("In a contest, both sides roll.", "Leave out either target or against.")
    family = _find_turn_family(who, skill, others)
    parts = [*_list_parts(who.actor, skill, others, typed.target)]
    note = typed.note if skill else ": ".join(filter(None, (parsing.parse_text(typed.skill, "skill"), typed.note)))
    return RollCommand(
        asker.channels, (BOOK, family), parts, modifiers=_join_modifiers(who, typed), note=note, to=typed.to
    )


def _read_opponents(tx: Connection, who: ActingCharacter, typed: str | None) -> tuple[str, ...]:
    if typed is None:
        return ()
    others = parsing.names(typed, "name", MOST)
    number = next((other for other in others if other.strip("+-").isdecimal()), None)
    if number is not None:
        raise BadInput(f"{number[:20]!r} is a number, not a name.", "Type a target number as target.")
    parsing.refuse_both((who.actor.name,), others)
    known = subjects.find_meant(tx, who.viewer.campaign.id, others, who.viewer.knows)
    unknown = [other for other in others if name_key(other) not in known or not known[name_key(other)].saved]
    if unknown and not who.viewer.leads:
        what = f"No saved character is called {unknown[0]}."
        raise BadInput(what, "Name a saved character, or leave it out to roll against a number.")
    return others


def _find_turn_family(who: ActingCharacter, skill: ListedSkill | None, others: Sequence[str]) -> str:
    if not _takes_turn(who):
        return _find_family(skill, others)
    acts = who.book.acts
    if skill and skill.act and skill.act in acts:
        title = acts[skill.act].title
        raise NotAsItIs(f"In a turn, {skill.label} is an action: {title}.", f"Use /roe act what:{title}.")
    rolled = contests.VERSUS if others else contests.CHECK
    return next(act.id for act in acts.values() if act.id.startswith(fights.TURN_NOTES) and act.rolls == rolled)


def _takes_turn(who: ActingCharacter) -> bool:
    # Fighters with dice act in their turn; game masters only while it lasts.
    if who.view is None or who.view.fight.header.mode != "dice":
        return False
    return not who.viewer.leads or who.view.fight.now == who.actor.id


def _join_modifiers(who: ActingCharacter, typed: CheckForm) -> str | None:
    if typed.gm is None:
        return _drop_doubles(typed.modifiers)
    require_game_master(who.viewer.person, who.viewer.campaign, "set a circumstance modifier")
    most = who.book.number("gm-modifier")
    if abs(typed.gm) > most:
        what = f"The circumstance modifier is at most {format_signed(most)} or {format_signed(-most)}, not {format_signed(typed.gm)}."
        raise BadInput(what, "Put items and effects into modifiers.")
    given = [f"{typed.gm:+d} circumstances"] if typed.gm else []
    return ", ".join(filter(None, (*given, _drop_doubles(typed.modifiers)))) or None


def _drop_doubles(typed: str | None) -> str | None:
    # Only one copy of an item counts (line 17).
    names: set[str] = set()
    kept = []
    for word in (typed or "").split(","):
        named = _NAMED.fullmatch(typed_text.keyboard_signs(word))
        if named is None or name_key(named["name"]) not in names:
            kept.append(word)
        if named:
            names.add(name_key(named["name"]))
    return ",".join(kept) or None


ATTACKED = "roe.engage"
"""The family of attacks on saved HP, of people, vehicles and pets."""
AIMED = f"{ACTOR}.aimed.other"
EXACT = "Exact odds, from what you can see. Nothing was rolled."
UNNAMED = {ACTOR: "An attacker", RESISTER: "the target"}
_ENDLESS = 1_000_000
"""HP no attack takes, if the target's aren't known."""


class RoeOddsForm(Form):
    """Options of `/roe odds`."""

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
    def forecast(self, part: Part, book: Book) -> attack_odds.AttackOdds:
        """Return the exact chances."""


def find_odds(tx: Connection, resolver: Resolver, asker: RoeAsker, asked: RoeOddsForm) -> Pages:
    """Return pages with the odds of an attack or skill roll."""
    who = None
    try:
        who = actors.find_acting(tx, asker, asked.character)
    except BadInput:
        if asked.skill is not None or asked.character is not None or asked.weapon is None:
            raise
    if who is not None and asked.skill is not None:
        return _find_skill_odds(tx, resolver, who, asked, asked.skill)
    viewer = who.viewer if who else view_here(tx, asker)
    return _find_attack_odds(tx, resolver, viewer, who, asked)


def _find_skill_odds(tx: Connection, resolver: Resolver, who: ActingCharacter, asked: RoeOddsForm, typed: str) -> Pages:
    skill = _find_skill(who.book, typed)
    others = parsing.names(asked.against, "name", MOST) if asked.against else ()
    parsing.refuse_both((who.actor.name,), others)
    if others and asked.target is not None:
        raise BadInput("In a contest, both sides roll.", "Leave out either target or against.")
    contest = who.book.contests[skill.contest if skill else "roe.skill"]
    added = _make_adjustments({None: asked.mine, **({contest.resister: asked.theirs} if others else {})})
    parts = [*_list_parts(who.actor, skill, others, asked.target)]
    parts = [replace(part, adjustments=added) for part in parts]
    preview = _preview(tx, resolver, who.viewer, who.book, _find_family(skill, others), parts)
    lines, bars = list[str](), _has_bars(tx, who.viewer)
    for shown in preview.parts:
        lines += [f"**{plain(shown.part.subjects[RESISTER])}**"] if len(others) > 1 else []
        lines += [*_describe_chances(shown, bars=bars), *_describe_dice(shown)]
    against = f" against {', '.join(others)}" if others else ""
    return _show(f"{skill.label if skill else typed} of {who.actor.name}{against}", [*lines, *_describe_joint(preview)])


def _find_attack_odds(
    tx: Connection, resolver: Resolver, viewer: Viewer, who: ActingCharacter | None, asked: RoeOddsForm
) -> Pages:
    book = resolver.library.book(tx, viewer.campaign, BOOK)
    arms = [*_list_arms(book, who, asked)]
    inputs = actors.make_attack_inputs(book, arms, asked.fire, asked.range) | {"strength": True}
    inputs |= {"hp": asked.hp} if asked.hp is not None else {}
    added = _make_adjustments({aim.ACCURACY: asked.mine, aim.DODGE: asked.theirs, DAMAGE: asked.damage, DR: asked.dr})
    part = replace(_make_part(who, asked.against), inputs=inputs, adjustments=added)
    preview = _preview(tx, resolver, viewer, book, ATTACKED, [part])
    known = asked.hp is not None or f"{RESISTER}.hp" in preview.parts[0].part.facts
    if not known:
        endless = replace(preview.request.parts[0], inputs={**inputs, "hp": _ENDLESS})
        preview = preview.revise(preview.request.with_part(0, endless))
    (shown,) = preview.parts
    if asked.aimed:
        shown = replace(shown, part=replace(shown.part, facts={**shown.part.facts, AIMED: modifiers.TICKED}))
    names = {role: UNNAMED[role] if role in part.people else shown.part.subjects[role] for role in UNNAMED}
    weapons = " and ".join(arm.name for arm in arms)
    title = f"{names[ACTOR]} attacks {names[RESISTER]}: {weapons}, {inputs['range_m']:g} m"
    return _show(title, [*_describe_attack(shown, known=known, bars=_has_bars(tx, viewer))])


def _has_bars(tx: Connection, viewer: Viewer) -> bool:
    return read_preferences(tx, viewer.campaign.id, viewer.person.user_id).bars


def _show(title: str, lines: Sequence[str]) -> Pages:
    return paginate(fit_embeds(plain(title), lines, colour=COLOURS["neutral"], footer=EXACT))


def _preview(
    tx: Connection, resolver: Resolver, viewer: Viewer, book: RuleSet, family: str, parts: Sequence[PartRequest]
) -> preview.Preview:
    found, leads = preview.identify(tx, viewer, parts), viewer.leads
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


def _list_arms(book: RuleSet, who: ActingCharacter | None, asked: RoeOddsForm) -> Iterator[characters.Arm]:
    named = (asked.weapon,) if asked.second is None else (asked.weapon, asked.second)
    for typed in named:
        try:
            yield actors.find_carried_weapon(who, typed) if who else _find_any_arm(book, typed or "")
        except NoSuchWeapon:
            yield _find_any_arm(book, typed or "", actors.list_weapons(who) if who else ())


def _find_any_arm(book: RuleSet, typed: str, own: Sequence[characters.Arm] = ()) -> characters.Arm:
    try:
        return characters.read_arm(book, typed)
    except weapons.UnknownToken:
        tokens = [token.label for token in book.entries_of(WeaponToken).values()]
        arms = {**{label: characters.Arm(label, label) for label in tokens}, **{arm.name: arm for arm in own}}
        meant = [arm for name, arm in arms.items() if name_key(typed) in name_key(name)]
        if len(meant) > 1 and typed:
            which = f"Pick one: {', '.join(arm.name for arm in meant)}?"
            raise BadInput(f"{typed[:60]!r} matches {len(meant)} weapons.", which) from None
        if not meant:
            raise
        return meant[0]


def _make_adjustments(values: Mapping[str | None, int | None]) -> tuple[TypedAdjustment, ...]:
    return tuple(TypedAdjustment(value=value, reason="as typed", table=to) for to, value in values.items() if value)


def _describe_attack(shown: preview.PartPreview, *, known: bool, bars: bool) -> Iterator[str]:
    yield from _describe_chances(shown, bars=bars)
    if vehicles.find_vehicle(shown.part, shown.book, RESISTER) is not None:
        yield from map(plain, shown.lines)
        return
    ahead = cast("_ForeseeingMethod", shown.procedure.method).forecast(shown.part, shown.book)
    yield from (f"{plain(label)}: {percent(chance)}" for label, chance in ahead.traits.items())
    if known:
        yield f"Goes down, of {aim.plan_attack(shown.part, shown.book).hp} HP: {percent(ahead.down)}{DOT}saving roll due: {percent(ahead.saving)}"
    else:
        yield "-# The target's HP isn't known. Add hp for the chance of going down."
    yield f"Mean damage: {float(ahead.mean):.1f}"
    yield from _describe_dice(shown)


def _describe_chances(shown: preview.PartPreview, *, bars: bool) -> Iterator[str]:
    yield from (chance_line(item.chance, plain(item.conclusion.text), bars=bars) for item in shown.odds)


def _describe_dice(shown: preview.PartPreview) -> Iterator[str]:
    for stage in shown.stages:
        items = [(item.amount, item.modifier.label) for item in stage.modifiers if item.count]
        items += [(item.value, item.reason) for item in stage.adjustments]
        words = ", ".join(f"{format_signed(value)} {plain(label)}" for value, label in items)
        table = stage.stage.table
        yield f"**{plain(table.title)}**{DOT}{table.die} {plus(stage.sum)}" + (f": {words}" if words else "")


def _describe_joint(shown: preview.Preview) -> Iterator[str]:
    joint = shown.joint
    texts = {item.conclusion.outcome: plain(item.conclusion.text) for part in shown.parts for item in part.odds}
    for outcome, counts in joint.counts.items() if joint else ():
        yield f"{texts[outcome]} against all: **{percent(counts[-1])}**, against at least one: **{percent(1 - counts[0])}**"
