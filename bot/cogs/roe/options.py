"""Options that commands of `/roe` share, and what is offered for them: weapons, fire, targets and skills."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Concatenate, ParamSpec, TypeVar

from discord.app_commands import Range
from sqlalchemy import Connection

from bot.cogs.roe.actors import (
    SNEAK,
    ActingCharacter,
    find_acting,
    list_choosable_traits,
    list_in_sight,
    list_things,
    list_weapons,
)
from bot.cogs.roe.fight_view import BOOK
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.subjects import Numbered, find_twins, label_subject, label_subjects
from bot.core.visibility import list_suggested, make_viewer
from bot.errors import UserError
from bot.rolls.desk import channels
from bot.rolls.options import (
    CARD_OR_NOW,
    HOW,
    MODIFIERS,
    NOTE,
    Completed,
    Completion,
    Completions,
    complete_last,
    filter_labels,
)
from bot.rolls.request import PartRequest
from bot.ui.form import Form, option
from rules.books.roe.catalog import ACTOR, RESISTER, ListedSkill, Mode, WeaponToken
from rules.books.roe.characters import Arm
from rules.books.roe.contests import CHECK, SKILL, VERSUS
from rules.books.roe.weapons import find_weapon
from rules.ruleset import RuleSet
from rules.subjects import name_key

P = ParamSpec("P")
T = TypeVar("T")

NO_CARD = "Open a card with the odds, or roll now. No card without dice"
Metres = Range[float, 0, 10000]


ROLL = option(HOW, default=None, choices=CARD_OR_NOW)
DICE = option("Game masters only: dice rolled by hand, in order, such as 42 7 d20: 9", default=None)


class RolledForm(Form):
    """What all rolls of `/roe` ask for last."""

    roll: str | None = ROLL
    dice: str | None = DICE


class TurnForm(RolledForm):
    """What rolls of a turn ask for after their own options."""

    family: ClassVar[tuple[str, str]]
    modifiers: str | None = MODIFIERS
    note: str | None = NOTE

    @property
    def asks_first(self) -> bool:
        """Whether others are asked before it is made: a card asks once it is rolled, and typed dice wait for nobody."""
        return self.dice is None and self.roll == "now"


async def read_acting(
    at: Completion, read: Callable[Concatenate[Connection, ActingCharacter, P], T], *more: P.args, **_: P.kwargs
) -> T:
    """Read something about whoever acts by the command that is being typed."""
    asked = (at.desk.resolver.library, at.person, channels(at.interaction), at.typed("character") or None)
    return await at.desk.database.read(_read_acting, read, asked, *more)


def _read_acting(
    tx: Connection, read: Callable[..., T], asked: tuple[Library, Person, list[int], str | None], *more: object
) -> T:
    return read(tx, find_acting(tx, *asked), *more)


NAMED_WITH_TOKEN = re.compile(r"\)$")


async def _complete_arms(at: Completion, current: str) -> Completions:
    arms = await read_acting(at, _suggest_arms)
    return [(_label_arm(arm), arm.name) for arm in arms if current.casefold() in _label_arm(arm).casefold()]


async def _complete_any_weapon(at: Completion, current: str) -> Completions:
    """Offer weapons of whoever acts, then all tokens of the book."""
    own: Completions = []
    with suppress(UserError):
        own = await _complete_arms(at, current)
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    tokens = filter_labels(current, [token.label for token in book.listed(WeaponToken).values()])
    return [*own, *(item for item in tokens if item not in own)]


async def _complete_fire(at: Completion, current: str) -> Completions:
    return [*filter_labels(current, await read_acting(at, _suggest_fire))]


async def _complete_targets(at: Completion, current: str) -> Completions:
    return complete_last(current, await read_acting(at, _suggest_targets))


ArmName = Annotated[str, Completed(_complete_arms, NAMED_WITH_TOKEN)]
AnyWeapon = Annotated[str, Completed(_complete_any_weapon, NAMED_WITH_TOKEN)]
Fire = Annotated[str, Completed(_complete_fire)]
Targets = Annotated[str, Completed(_complete_targets)]


def _suggest_arms(_tx: Connection, who: ActingCharacter) -> list[Arm]:
    return list_weapons(who)


def _suggest_fire(_tx: Connection, who: ActingCharacter) -> list[str]:
    """Return the modes in which any weapon can be used, and the traits of which one is named."""
    weapons = [find_weapon(who.book, arm.token) for arm in list_weapons(who)]
    ways, traits = (
        {item.handling for item in weapons},
        [trait for item in weapons for trait in list_choosable_traits(item)],
    )
    return [*(mode.id for mode in who.book.listed(Mode).values() if ways & {*mode.of}), *dict.fromkeys(traits), SNEAK]


def _suggest_targets(tx: Connection, who: ActingCharacter) -> list[str]:
    leads = who.seen is not None and who.seen.leads
    others: list[Numbered] = [*list_in_sight(tx, who, leads=leads), *list_things(tx, who)]
    return label_subjects(others)


def _label_arm(arm: Arm) -> str:
    return arm.name if arm.name == arm.token else f"{arm.name} ({arm.token})"


async def _complete_skill(at: Completion, current: str) -> Completions:
    """Offer skills of the book; any other is taken too."""
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    return filter_labels(current, [skill.label for skill in book.listed(ListedSkill).values()])


async def _complete_mine(at: Completion, current: str) -> Completions:
    """Offer saved characters that the person acts for."""
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
"""Against how many one roll goes."""


def find_skill(book: RuleSet, typed: str) -> ListedSkill | None:
    """Return the skill of a name or id; None of one that the book does not know."""
    wanted = name_key(typed)
    return next((item for item in book.listed(ListedSkill).values() if wanted in {name_key(item.label), item.id}), None)


def find_family(skill: ListedSkill | None, others: Sequence[str]) -> str:
    """Return the roll family of a skill outside of a turn."""
    return CHECK if not others else skill.family if skill and skill.family else VERSUS


def make_parts(
    who: Numbered, skill: ListedSkill | None, others: Sequence[str], target: int | None
) -> Iterator[PartRequest]:
    """Yield a part for each opponent, or the one of a roll against a number."""
    inputs: dict[str, Any] = {SKILL: skill.id} if skill else {}
    if target is not None:
        inputs["values"] = {skill.check if skill else CHECK: target}
    role = skill.role if skill else RESISTER
    for other in others or (None,):
        there = {ACTOR: who.name} | ({} if other is None else {role: other})
        yield PartRequest(subjects=there, ids={ACTOR: (who.id,)}, inputs=inputs)
