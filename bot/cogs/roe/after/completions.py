"""What is offered while it is typed what comes after a fight: one's own characters, and those to whom something can be done now."""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import Connection

from bot.core import knowledge, state
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, now_of
from bot.core.subjects import label_each
from bot.core.visibility import suggested, viewer_of
from bot.rolls.options import Completed, Completion, Completions, completing_last
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe.prisoners import WOUNDED
from rules.effects import EFFECT
from rules.ends import holds

CUFFED, STUNNED = f"{EFFECT}cuffed", f"{EFFECT}stunned"
ACTS = "act"
"""What is asked of whoever acts."""
HELPLESS = frozenset({WOUNDED, CAPTIVE, CUFFED, STUNNED})
OF = {
    "body": frozenset({WOUNDED}),
    "surgery": HELPLESS,
    "captor": frozenset({CAPTIVE}),
    "release": frozenset({CAPTIVE}),
    "escape": frozenset({CAPTIVE}),
    "pick": frozenset({CUFFED}),
    "detain": HELPLESS - {CAPTIVE},
}
"""What has to be kept of somebody to whom something can be done, by what is done; to others anything can."""
BY = {"body": "other", "captor": "by", "release": "by"}
"""Who has to have done that, for players one of their own: under which key its value has the number."""
OWN = frozenset({"escape", "pick"})
"""What players do for their own alone."""


async def _complete_others(at: Completion, current: str) -> Completions:
    """Complete the last of those to whom what was picked as `how` can be done now."""
    return completing_last(current, await at.read(_able, current.rpartition(",")[2], at.typed("how")))


async def _complete_anyone(at: Completion, current: str) -> Completions:
    """Offer characters; players' own come first."""
    return await _named(at, current, "")


async def _complete_actor(at: Completion, current: str) -> Completions:
    """Offer characters who can act; players see only their own."""
    return await _named(at, current, ACTS)


Others = Annotated[str, Completed(_complete_others)]
Anyone = Annotated[str, Completed(_complete_anyone)]
Actor = Annotated[str, Completed(_complete_actor)]


async def _named(at: Completion, current: str, how: str) -> list[tuple[str, str]]:
    return [(name, name) for name in await at.read(_able, current, how)]


def _able(tx: Connection, who: Person, campaign: Campaign, wanted: str, how: str) -> list[str]:
    """Return what those are called to whom something can be done, as far as the person may know."""
    viewer = viewer_of(tx, who, campaign)
    everybody = suggested(tx, viewer)
    known = [item for item in suggested(tx, viewer, wanted) if (how == "vehicle") != item.is_character]
    if how in {ACTS, *OWN} and not who.leads(campaign):
        known = [item for item in known if viewer.owns(item)]
    if how in OF:
        kept = state.named(tx, campaign.id, {item.key for item in known}, OF[how]) if known else {}
        now, mine = now_of(tx, who, campaign), {item.id for item in everybody if viewer.owns(item)}
        told = knowledge.values(tx, viewer, kept).items()
        open_to = {
            key
            for (key, _), value in told
            if holds(value, now) and (how not in BY or who.leads(campaign) or value.get(BY[how]) in mine)
        }
        known = [item for item in known if item.key in open_to]
    return label_each(known)
