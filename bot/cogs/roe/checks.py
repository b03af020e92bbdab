"""`/roe check` as it is typed: of which family a skill roll is, against whom or which number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import Connection

from bot.cogs.roe.actors import ActingCharacter, find_acting
from bot.cogs.roe.fight_view import BOOK
from bot.cogs.roe.options import (
    MOST,
    Added,
    Mine,
    RolledForm,
    SkillName,
    TargetNumber,
    find_family,
    find_skill,
    make_parts,
)
from bot.core import subjects
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput, NotAsItIs
from bot.rolls.options import MODIFIERS, NOTE, TO, Names, To
from bot.rolls.request import RollCommand
from bot.ui import parsing
from bot.ui.form import option
from rules.books.roe.catalog import ListedSkill
from rules.books.roe.contests import CHECK, VERSUS
from rules.books.roe.fights import TURN_NOTES
from rules.phrases import signed
from rules.subjects import name_key
from rules.typed_text import keyboard_signs

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
    """Return the roll command for a skill roll."""
    who = find_acting(tx, library, person, channels, typed.character)
    others = read_opponents(tx, who, typed.against)
    skill = find_skill(who.book, typed.skill)
    if others and typed.target is not None:
        raise BadInput("In a contest, both sides roll.", "Leave out either target or against.")
    family = _find_turn_family(who, skill, others)
    parts = [*make_parts(who.actor, skill, others, typed.target)]
    note = typed.note if skill else ": ".join(filter(None, (parsing.text(typed.skill, "skill"), typed.note)))
    return RollCommand(channels, (BOOK, family), parts, modifiers=_join_modifiers(who, typed), note=note, to=typed.to)


def read_opponents(tx: Connection, who: ActingCharacter, typed: str | None) -> tuple[str, ...]:
    """Return whom it goes against; game masters roll for anybody, against whom others roll is saved."""
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
    """Return the roll family: an act of the turn where the character is in a fight by dice, and a plain roll otherwise."""
    if not _takes_turn(who):
        return find_family(skill, others)
    acts = who.book.acts
    if skill and skill.act and skill.act in acts:
        title = acts[skill.act].title
        raise NotAsItIs(f"In a turn, {skill.label} is an action: {title}.", f"Use /roe act what:{title}.")
    rolled = VERSUS if others else CHECK
    return next(act.id for act in acts.values() if act.id.startswith(TURN_NOTES) and act.rolls == rolled)


def _takes_turn(who: ActingCharacter) -> bool:
    """Tell whether a roll is an act of a turn: of a fighter by dice; of game masters only while that one has the turn."""
    if who.seen is None or who.seen.fight.header.mode != "dice":
        return False
    return not who.viewer.leads or who.seen.fight.now == who.actor.id


def _join_modifiers(who: ActingCharacter, typed: CheckForm) -> str | None:
    """Return what is added, as it is typed: of one name once, and the circumstances of a game master within their bounds."""
    if typed.gm is None:
        return drop_doubles(typed.modifiers)
    require_game_master(who.viewer.person, who.viewer.campaign, "set a circumstance modifier")
    most = who.book.number("gm-modifier")
    if abs(typed.gm) > most:
        what = f"The circumstance modifier is at most {signed(most)} or {signed(-most)}, not {signed(typed.gm)}."
        raise BadInput(what, "Put items and effects into modifiers.")
    given = [f"{typed.gm:+d} circumstances"] if typed.gm else []
    return ", ".join(filter(None, (*given, drop_doubles(typed.modifiers)))) or None


def drop_doubles(typed: str | None) -> str | None:
    """Return modifiers of which those of one name stand there once: of copies of an item the first counts (line 17)."""
    names: set[str] = set()
    kept = []
    for word in (typed or "").split(","):
        named = _NAMED.fullmatch(keyboard_signs(word))
        if named is None or name_key(named["name"]) not in names:
            kept.append(word)
        if named:
            names.add(name_key(named["name"]))
    return ",".join(kept) or None
