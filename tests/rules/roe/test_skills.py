"""Skills of the RoE book: each has its tables, and what is rolled against it."""

from __future__ import annotations

from rules.books.roe.catalog import ListedSkill
from rules.books.roe.contests import OPPOSED, SKILLS
from tests.rules.roe.asking import ROE


def test_the_skills_of_the_book_are_those_that_are_rolled() -> None:
    """Each skill of the lists has a check that its family can come to, and a contest or a family of its own against somebody."""
    skills = ROE.listed(ListedSkill)
    assert set(skills) == set(SKILLS)
    assert {skill.check for skill in skills.values()} <= set(ROE.procedure("roe.check").method.tables)
    for name, skill in skills.items():
        assert (name in OPPOSED) == (skill.family is None)
        assert skill.family is None or skill.family in ROE.procedures
        tables = {ROE.contests[skill.contest].actor, ROE.contests[skill.contest].resister}
        family = skill.family if skill.family and skill.family in ROE.contests else "roe.versus"
        assert tables <= set(ROE.procedure(family).method.tables)
