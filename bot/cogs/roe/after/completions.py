"""What is offered while it is typed what comes after a fight: one's own characters, and those to whom something can be done now."""

from __future__ import annotations

from discord.app_commands import Transform
from sqlalchemy import Connection

from bot.core import knowledge, state
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, now_of
from bot.core.subjects import label, twins
from bot.core.visibility import suggested, viewer_of
from bot.rolls.options import Completed, Completion, completing_last
from bot.ui.reply import person
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


class OthersCompleter(Completed):
    """Those to whom what was picked as `how` can be done now, parted by commas: the last of them is completed."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last name completed."""
        how = getattr(at.interaction.namespace, "how", None) or ""
        wanted = current.rpartition(",")[2]
        names = await at.desk.database.read(_able, person(at.interaction), at.campaign, wanted, how)
        return completing_last(current, names)


class AnyoneCompleter(Completed):
    """A character; players' own come first."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return names."""
        return await _named(at, current, "")


class ActorCompleter(Completed):
    """A character who acts: for players one of their own."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return names."""
        return await _named(at, current, ACTS)


Others = Transform[str, OthersCompleter()]
Anyone = Transform[str, AnyoneCompleter()]
Actor = Transform[str, ActorCompleter()]


async def _named(at: Completion, current: str, how: str) -> list[tuple[str, str]]:
    return [
        (name, name) for name in await at.desk.database.read(_able, person(at.interaction), at.campaign, current, how)
    ]


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
    several = twins(known)
    return [label(item) if item.id in several else item.name for item in known]
