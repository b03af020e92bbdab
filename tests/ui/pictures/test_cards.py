"""Cards for links: whatever is typed fits, and nothing makes drawing fail."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from bot.ui.pictures.canvas import blank, png
from bot.ui.pictures.cards import SIZE, LinkCard, draw_card
from bot.web.cards import PageCard

NASTY = (
    "",
    " ",
    "M" * 4000,
    "\u202egnp.exe\u202c",
    "\u0639\u0645\u0644\u064a\u0629 \u0627\u0644\u0639\u0627\u0635\u0641\u0629",
    "\U0001f469\u200d\U0001f680\ufe0f\U0001f1e9\U0001f1ea",
    "Z" + "\u0335\u0348\u0310" * 200,
    "\x00\x1b[31m\n\r\t\ud800",
    "\u4e2d\u6587" * 300,
    "<script>alert(1)</script>",
)


@pytest.mark.parametrize("text", NASTY)
def test_the_nastiest_texts_are_drawn(text: str) -> None:
    """Cut to fit, in each place."""
    drawn = PageCard(text, text, (text,) * 9, text).draw()
    with Image.open(BytesIO(drawn.data)) as picture:
        assert picture.size == SIZE
    assert len(drawn.data) < 200_000


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5))
def test_any_text_is_drawn(text: str, lines: list[str]) -> None:
    """Also of letters that no font has."""
    assert PageCard(text, text, tuple(lines)).draw().data


def test_a_picture_is_shown_beside_the_headline() -> None:
    """Of any shape, within the card."""
    alone = draw_card(LinkCard("Iron Sea", "Week 2"))
    for size in ((660, 20), (20, 900), (3000, 2000)):
        made = draw_card(LinkCard("Iron Sea", "Week 2", picture=png(blank(*size, colour="flood"))))
        with Image.open(BytesIO(made)) as picture:
            assert picture.size == SIZE
        assert made != alone
