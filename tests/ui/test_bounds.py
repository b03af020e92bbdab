"""No answer is too long for Discord: its longest lines are cut, and what is left out is counted."""

from __future__ import annotations

from discord import Embed, ui
from hypothesis import given
from hypothesis import strategies as st

from bot.ui.limits import MAX_VIEW_TEXT, cut_embeds, cut_message, cut_text
from bot.ui.receipt import receipt

LINES = st.lists(st.text("abc *", max_size=700), min_size=1, max_size=120)


@given(LINES, st.integers(200, 4000))
def test_a_text_is_cut_to_its_room(lines: list[str], room: int) -> None:
    """What fits stays as it is; of what does not, every line that is shown is the beginning of its own."""
    text = "\n".join(lines)
    made = cut_text(text, room)
    assert len(made) <= room
    assert made == text or len(text) > room
    for shown, line in zip(made.split("\n"), lines, strict=False):
        assert line.startswith(shown.removesuffix("\N{HORIZONTAL ELLIPSIS}")) or "more lines" in shown


def test_short_lines_beside_long_ones_stay_whole() -> None:
    """Of a list of long lines and a short last one, that one can still be read."""
    made = cut_text("\n".join(["x" * 3000, "y" * 3000, "See /order list"]), 1000).split("\n")
    assert made[-1] == "See /order list"
    assert [line[0] for line in made] == ["x", "y", "S"]


@given(LINES)
def test_a_receipt_fits_into_one_message(lines: list[str]) -> None:
    """Whatever its lines are."""
    view = cut_message({"view": receipt("Done", lines)})["view"]
    texts = [item.content for item in view.walk_children() if isinstance(item, ui.TextDisplay)]
    assert sum(map(len, texts)) <= MAX_VIEW_TEXT


@given(st.lists(LINES, min_size=1, max_size=10))
def test_embeds_fit_into_one_message_together(several: list[list[str]]) -> None:
    """Each with its own limit, and all of them with theirs."""
    embeds = [Embed(title="T" * 300, description="\n".join(lines)) for lines in several]
    cut_embeds(embeds)
    assert sum(map(len, embeds)) <= 6000
    assert all(len(embed.description or "") <= 4096 and len(embed.title or "") <= 256 for embed in embeds)
