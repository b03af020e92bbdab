"""What somebody can do now: each act of a turn with its cost, or with what makes it impossible."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting
from bot.cogs.roe.acts.named import offered
from bot.core import state
from bot.core.profiles import Profile
from bot.core.visibility import Viewer
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver
from rules.acts import payable, require_possible, telling
from rules.book import Act
from rules.books.roe.turn import barring
from rules.effects import EFFECT
from rules.errors import RollError
from rules.phrases import counted
from rules.procedure import Part
from rules.ruleset import RuleSet


def as_it_is(tx: Connection, resolver: Resolver, viewer: Viewer, book: RuleSet, actor: Profile) -> Part:
    """Return what is true of somebody, as far as the viewer may know, as an act without dice has it."""
    act = next(act for act in offered(book) if act.rolls is None)
    alone = PartRequest(subjects={act.actor: actor.name}, ids={act.actor: (actor.id,)})
    leads = viewer.person.leads(viewer.campaign)
    request = RollRequest(book=book.id, family=act.id, parts=(alone,), staff=leads)
    return resolver.preview(tx, viewer.campaign, request, viewer, book=book).parts[0].part


def why_not(book: RuleSet, act: Act, part: Part) -> str | None:
    """Return what makes an act impossible now; None where nothing does."""
    bar = barring(book, act, part.facts)
    if bar is not None:
        return bar.label
    try:
        require_possible(book, act, part, alone=True)
    except RollError as error:
        return str(error)
    counts = act.rolls is not None or act.id in book.facts  # as a sprint does, whatever else it ends
    idle = not counts and act.then and not telling(act, part, book)
    return f"{part.subjects[act.actor]} has no effect that this would end." if idle else None


def costs(act: Act, part: Part) -> Iterator[str]:
    """Yield what an act costs now, in words."""
    for cost in payable(act, part.facts):
        if cost.amount:
            yield f"all {cost.label}" if cost.whole else counted(cost.amount, cost.label)


def bound_to(tx: Connection, who: Acting, act: Act) -> list[int]:
    """Return who is bound to the character (number) by what lasts on that one, such as a hold, as far as the person knows."""
    kept = state.get(tx, who.viewer.campaign.id, who.actor.key, f"{EFFECT}{act.bound}") if act.bound else None
    other = (kept or {}).get("other")
    known = {number for number, item in (who.seen.people if who.seen else {}).items() if who.viewer.knows(item)}
    return [other] if other in known else []
