"""What is offered while a skill roll is typed."""

from __future__ import annotations

from typing import Annotated

from discord.app_commands import Range
from sqlalchemy import Connection

from bot.cogs.roe.fight_view import BOOK
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.subjects import label, twins
from bot.core.visibility import suggested, viewer_of
from bot.rolls.options import Completed, Completion, Completions, containing
from rules.books.roe.catalog import Skill


async def _complete_skill(at: Completion, current: str) -> Completions:
    """Offer skills of the book; any other is taken too."""
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    return containing(current, [skill.label for skill in book.listed(Skill).values()])


async def _complete_mine(at: Completion, current: str) -> Completions:
    """Offer saved characters that the person acts for."""
    return [(name, name) for name in await at.read(_mine, current)]


SkillName = Annotated[str, Completed(_complete_skill)]
Mine = Annotated[str, Completed(_complete_mine)]
TargetNumber = Range[int, 1, 200]
Added = Range[int, -100, 100]


def _mine(tx: Connection, who: Person, campaign: Campaign, word: str) -> list[str]:
    viewer = viewer_of(tx, who, campaign)
    known = [item for item in suggested(tx, viewer, word) if item.is_character]
    several, leads = twins(known), who.leads(campaign)
    return [label(item) if item.id in several else item.name for item in known if leads or viewer.owns(item)]
