"""What is offered while a skill roll is typed."""

from __future__ import annotations

from typing import Annotated

from discord.app_commands import Range
from sqlalchemy import Connection

from bot.cogs.roe.fights.looking import BOOK
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.subjects import label, twins
from bot.core.visibility import suggested, viewer_of
from bot.rolls.options import Completed, Completion, containing
from bot.ui.reply import person
from rules.books.roe.catalog import Skill


class SkillCompleter(Completed):
    """A skill that the book knows; any other is taken too."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the labels of skills."""
        book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
        return containing(current, [skill.label for skill in book.listed(Skill).values()])


class MineCompleter(Completed):
    """A saved character that the person acts for: players one of their own, game masters any."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return names."""
        names = await at.desk.database.read(_mine, person(at.interaction), at.campaign, current)
        return [(name, name) for name in names]


SkillName = Annotated[str, SkillCompleter()]
Mine = Annotated[str, MineCompleter()]
TargetNumber = Range[int, 1, 200]
Added = Range[int, -100, 100]


def _mine(tx: Connection, who: Person, campaign: Campaign, word: str) -> list[str]:
    viewer = viewer_of(tx, who, campaign)
    known = [item for item in suggested(tx, viewer, word) if item.is_character]
    several, leads = twins(known), who.leads(campaign)
    return [label(item) if item.id in several else item.name for item in known if leads or viewer.owns(item)]
