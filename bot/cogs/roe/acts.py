"""The acts of `/roe act`: by name, each with its cost or with what makes it impossible."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import ActingCharacter
from bot.core import state
from bot.errors import BadInput, unknown_name
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver
from rules.acts import list_consequences, list_costs, require_possible
from rules.book import Act
from rules.books.roe.fights import TURN_NOTES
from rules.books.roe.handling import find_bar
from rules.effects import EFFECT
from rules.errors import RollError
from rules.fields import word_id
from rules.phrases import counted
from rules.procedure import Part
from rules.ruleset import RuleSet

WEAPON, WEAPONS, AMMUNITION = "weapon", "weapons", "ammunition"
"""The kinds of values that are about weapons of whoever acts: one, several, and one with what is loaded into it."""

ITEM = "item"
"""The kind of value that is what lies on the ground, or is in somebody's hands."""


class TypedTurnAct(Struct, frozen=True):
    """An act as it was typed, with targets separated by commas."""

    what: str
    target: str | None = None
    value: str | None = None
    character: str | None = None
    modifiers: str | None = None
    note: str | None = None


def list_own_acts(book: RuleSet) -> list[Act]:
    """Return the acts of a turn that people do for their own."""
    return [act for act in book.acts.values() if act.id.startswith(TURN_NOTES) and act.own]


def list_offered(book: RuleSet) -> list[Act]:
    """Return the acts of a turn that people do for their own, but for those with a command of their own."""
    return [act for act in list_own_acts(book) if act.by is None]


def find_act(book: RuleSet, typed: str) -> Act:
    """Return the act of this title or id."""
    meant = word_id(typed)
    own = {name: act for act in list_own_acts(book) for name in _names(act)}
    act = own.get(meant)
    if act is None:
        titles = [item.title for item in list_offered(book)]
        what = f"I don't know an action called {typed[:60]!r}."
        raise unknown_name(what, typed, titles, "Pick one from the list.")
    if act.by is not None:
        raise BadInput(f"{act.title} has a separate command.", f"Use /roe {act.by}.")
    return act


def _names(act: Act) -> tuple[str, str]:
    return word_id(act.id.removeprefix(TURN_NOTES)), word_id(act.title)


def preview_actor(tx: Connection, resolver: Resolver, who: ActingCharacter) -> Part:
    """Return what is true of somebody, as far as the viewer may know, as an act without dice has it."""
    act = next(act for act in list_offered(who.book) if act.rolls is None)
    viewer, alone = who.viewer, PartRequest(subjects={act.actor: who.actor.name}, ids={act.actor: (who.actor.id,)})
    leads = viewer.leads
    request = RollRequest(book=who.book.id, family=act.id, parts=(alone,), staff=leads)
    return resolver.preview(tx, viewer.campaign, request, viewer, book=who.book).parts[0].part


def explain_refusal(book: RuleSet, act: Act, part: Part) -> str | None:
    """Return what makes an act impossible now; None where nothing does."""
    bar = find_bar(book, act, part.facts)
    if bar is not None:
        return bar.label
    try:
        require_possible(book, act, part, alone=True)
    except RollError as error:
        return str(error)
    counts = act.rolls is not None or act.id in book.facts  # as a sprint does, whatever else it ends
    idle = not counts and act.then and not list_consequences(act, part, book)
    return f"{part.subjects[act.actor]} has no effect that this would end." if idle else None


def describe_costs(act: Act, part: Part) -> Iterator[str]:
    """Yield what an act costs now, in words."""
    for cost in list_costs(act, part.facts):
        if cost.amount:
            yield f"all {cost.label}" if cost.whole else counted(cost.amount, cost.label)


def list_bound(tx: Connection, who: ActingCharacter, act: Act) -> list[int]:
    """Return who is bound to the character (number) by what lasts on that one, such as a hold, as far as the person knows."""
    kept = state.get_value(tx, who.viewer.campaign.id, who.actor.key, f"{EFFECT}{act.bound}") if act.bound else None
    other = (kept or {}).get("other")
    known = {number for number, item in (who.seen.people if who.seen else {}).items() if who.viewer.knows(item)}
    return [other] if other in known else []
