"""Weapons as they are written down, also those that a house rule has taken the token of since."""

from __future__ import annotations

import pytest

from bot.app import played_books
from rules.books.roe.characters import check_arm, find_arm, list_arms
from rules.errors import RollError

BOOK = played_books()["roe"]
ODD = ["Gun = M_x_Rifle", "Odd = M_a_Rifle + A + B + C", "Rifle = M_a_Rifle"]


@pytest.mark.parametrize(("typed", "words"), [("Gun", "'M_x_Rifle'"), ("Odd", "at most 2 attachments")])
def test_what_cannot_be_read_is_told_when_it_is_named(typed: str, words: str) -> None:
    """A list goes on without it; whoever names it is told what is wrong with it."""
    assert next(arm.name for arm in list_arms(BOOK, ODD)) == "Rifle"
    with pytest.raises(RollError, match=words):
        find_arm(BOOK, ODD, typed)


@pytest.mark.parametrize(
    "written", ["M_a_Rifle", "Rifle = M_a_Rifle + Scope accuracy 5 damage -3 + Mark 2", "l_B_club"]
)
def test_what_can_be_read_is_no_fault(written: str) -> None:
    """A number that stands behind no word like accuracy or damage belongs to a name."""
    check_arm(BOOK, written)
