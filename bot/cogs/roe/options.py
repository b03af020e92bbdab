"""Options that commands of `/roe` share, and `/roe check`."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, ClassVar, Concatenate, ParamSpec, TypeVar

from discord.app_commands import Range
from sqlalchemy import Connection

from bot.cogs.roe import actors
from bot.cogs.roe.actors import SNEAK, ActingCharacter
from bot.cogs.roe.fight_view import BOOK
from bot.core import subjects
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotAsItIs, UserError
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.subjects import Numbered, find_twins, label_subject, label_subjects
from bot.core.visibility import list_suggested, make_viewer
from bot.rolls import options
from bot.rolls.desk import channels
from bot.rolls.options import CARD_OR_NOW, HOW, MODIFIERS, NOTE, TO, Completed, Completion, Completions, Names, To
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.parsing import Form, option
from rules.books.roe.catalog import ACTOR, RESISTER, ListedSkill, Mode, WeaponToken
from rules.books.roe.characters import Arm
from rules.books.roe.contests import CHECK, SKILL, VERSUS
from rules.books.roe.fights import TURN_NOTES
from rules.books.roe.weapons import find_weapon
from rules.phrases import format_signed
from rules.ruleset import RuleSet
from rules.subjects import name_key
from rules.typed_text import keyboard_signs

P = ParamSpec("P")
T = TypeVar("T")

NO_CARD = "Open a card with the odds, or roll now. No card without dice"
Metres = Range[float, 0, 10000]

ROLL = option(HOW, default=None, choices=CARD_OR_NOW)
DICE = option("Game masters only: dice rolled by hand, in order, such as 42 7 d20: 9", default=None)


class RolledForm(Form):
    """The last options of all `/roe` rolls."""

    roll: str | None = ROLL
    dice: str | None = DICE


class TurnForm(RolledForm):
    """The last options of rolls in a turn."""

    family: ClassVar[tuple[str, str]]
    modifiers: str | None = MODIFIERS
    note: str | None = NOTE


async def read_acting(
    at: Completion, read: Callable[Concatenate[Connection, ActingCharacter, P], T], *more: P.args, **_: P.kwargs
) -> T:
    """Read something about the actor of the command being typed."""
    asked = (at.desk.resolver.library, at.person, channels(at.interaction), at.read_option("character") or None)
    return await at.desk.database.read(_read_acting, read, asked, *more)


def _read_acting(
    tx: Connection, read: Callable[..., T], asked: tuple[Library, Person, list[int], str | None], *more: object
) -> T:
    return read(tx, actors.find_acting(tx, *asked), *more)


Suggest = Callable[[Connection, ActingCharacter], Sequence[str]]


async def complete_one(suggest: Suggest, at: Completion, current: str) -> Completions:
    """Offer what `suggest` lists for the actor."""
    return options.filter_labels(current, await read_acting(at, suggest))


async def complete_several(suggest: Suggest, at: Completion, current: str) -> Completions:
    """Complete the last of several names with what `suggest` lists for the actor."""
    return options.complete_last(current, await read_acting(at, suggest))


NAMED_WITH_TOKEN = re.compile(r"\)$")


async def _complete_arms(at: Completion, current: str) -> Completions:
    arms = await read_acting(at, _suggest_arms)
    return [(_label_arm(arm), arm.name) for arm in arms if current.casefold() in _label_arm(arm).casefold()]


async def _complete_any_weapon(at: Completion, current: str) -> Completions:
    own: Completions = []
    with suppress(UserError):
        own = await _complete_arms(at, current)
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    tokens = options.filter_labels(current, [token.label for token in book.entries_of(WeaponToken).values()])
    return [*own, *(item for item in tokens if item not in own)]


def _suggest_arms(_tx: Connection, who: ActingCharacter) -> list[Arm]:
    return actors.list_weapons(who)


def _suggest_fire(_tx: Connection, who: ActingCharacter) -> list[str]:
    weapons = [find_weapon(who.book, arm.token) for arm in actors.list_weapons(who)]
    ways = {item.handling for item in weapons}
    modes = [mode.id for mode in who.book.entries_of(Mode).values() if ways & {*mode.of}]
    traits = dict.fromkeys(trait for item in weapons for trait in actors.list_choosable_traits(item))
    return [*modes, *traits, SNEAK]


def _suggest_targets(tx: Connection, who: ActingCharacter) -> list[str]:
    leads = who.view is not None and who.view.leads
    others: list[Numbered] = [*actors.list_in_sight(tx, who, leads=leads), *actors.list_things(tx, who)]
    return label_subjects(others)


ArmName = Annotated[str, Completed(_complete_arms, NAMED_WITH_TOKEN)]
AnyWeapon = Annotated[str, Completed(_complete_any_weapon, NAMED_WITH_TOKEN)]
Fire = Annotated[str, Completed(partial(complete_one, _suggest_fire))]
Targets = Annotated[str, Completed(partial(complete_several, _suggest_targets))]


def _label_arm(arm: Arm) -> str:
    return arm.name if arm.name == arm.token else f"{arm.name} ({arm.token})"


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


def find_skill(book: RuleSet, typed: str) -> ListedSkill | None:
    """Find a skill by name or id, or None."""
    wanted = name_key(typed)
    return next(
        (item for item in book.entries_of(ListedSkill).values() if wanted in {name_key(item.label), item.id}), None
    )


def find_family(skill: ListedSkill | None, others: Sequence[str]) -> str:
    """Return a skill's roll family outside a turn."""
    return CHECK if not others else skill.family if skill and skill.family else VERSUS


def make_parts(
    who: Numbered, skill: ListedSkill | None, others: Sequence[str], target: int | None
) -> Iterator[PartRequest]:
    """Yield a part for each opponent, or one against a number."""
    inputs: dict[str, Any] = {SKILL: skill.id} if skill else {}
    if target is not None:
        inputs["values"] = {skill.check if skill else CHECK: target}
    role = skill.role if skill else RESISTER
    for other in others or (None,):
        there = {ACTOR: who.name} | ({} if other is None else {role: other})
        yield PartRequest(subjects=there, ids={ACTOR: (who.id,)}, inputs=inputs)


_NAMED = re.compile(r"\s*[+-]\s*\d+\s+(?P<name>\S.*?)\s*", re.DOTALL)


class CheckForm(RolledForm):
    """The options of `/roe check`."""

    family = (BOOK, VERSUS)
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


def read_check(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: CheckForm
) -> RollCommand:
    """Read the roll of `/roe check`; refuse a turn's acts."""
    who = actors.find_acting(tx, library, person, channels, typed.character)
    others = _read_opponents(tx, who, typed.against)
    skill = find_skill(who.book, typed.skill)
    if others and typed.target is not None:
        raise BadInput("In a contest, both sides roll.", "Leave out either target or against.")
    family = _find_turn_family(who, skill, others)
    parts = [*make_parts(who.actor, skill, others, typed.target)]
    note = typed.note if skill else ": ".join(filter(None, (parsing.parse_text(typed.skill, "skill"), typed.note)))
    return RollCommand(channels, (BOOK, family), parts, modifiers=_join_modifiers(who, typed), note=note, to=typed.to)


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
        return find_family(skill, others)
    acts = who.book.acts
    if skill and skill.act and skill.act in acts:
        title = acts[skill.act].title
        raise NotAsItIs(f"In a turn, {skill.label} is an action: {title}.", f"Use /roe act what:{title}.")
    rolled = VERSUS if others else CHECK
    return next(act.id for act in acts.values() if act.id.startswith(TURN_NOTES) and act.rolls == rolled)


def _takes_turn(who: ActingCharacter) -> bool:
    """Fighters with dice act in their turn; game masters only while it lasts."""
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
    """Only one copy of an item counts (line 17)."""
    names: set[str] = set()
    kept = []
    for word in (typed or "").split(","):
        named = _NAMED.fullmatch(keyboard_signs(word))
        if named is None or name_key(named["name"]) not in names:
            kept.append(word)
        if named:
            names.add(name_key(named["name"]))
    return ",".join(kept) or None
