from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

import pytest

from bot.ui.pictures import style
from bot.ui.pictures.canvas import clean, length, letters, wrap

FURTHER = Path(str(resources.files("simcord") / "preview" / "static" / "fonts"))
CHINESE, HEBREW = "noto-sans-sc-v2.004.ttf", "noto-sans-hebrew-v3.001.ttf"


@pytest.fixture
def use() -> Iterator[Callable[[Path], None]]:
    """Set a further font for a test."""
    yield style.use_further
    style.use_further(None)


@pytest.mark.parametrize(
    "text",
    [
        "L\u00fctzow\u00d8\u00e6\u010c\u00df",
        "\u0391\u03b8\u03ae\u03bd\u03b1",
        "\u041a\u0438\u0457\u0432",
        "\u0110\u00e0 N\u1eb5ng",
        "\u0939\u093f\u0928\u094d\u0926\u0940",
    ],
)
def test_letters_of_many_alphabets_are_drawn_as_they_are(text: str) -> None:
    """None is a box."""
    assert clean(text) == text
    assert all(map(style.has, text.replace(" ", "")))


def test_a_letter_that_no_font_has_is_a_visible_box() -> None:
    """All the same box."""
    box = letters("\u65e5", 20)
    assert box.getbbox() is not None
    assert box.tobytes() == letters("\u672c", 20).tobytes() == letters("\U0001f327\ufe0f", 20).tobytes()


def test_signs_that_show_nothing_are_left_out_and_rare_forms_made_plain() -> None:
    """Controls become spaces."""
    assert clean("a\n b\0c\ud800d") == "a b c d"
    assert clean("Ze\u200don") == "Zeon"
    assert clean("\U0001d401 \u00bd ...") == "B \u00bd \u2026"
    assert clean("e\u0301") == "\u00e9"


def test_a_further_font_draws_what_the_first_lacks(use: Callable[[Path], None]) -> None:
    """The rest stays in Noto Sans."""
    use(FURTHER / CHINESE)
    parts = style.split("Tokyo \u6771\u4eac, \u5927\u962a (Asia)")
    assert [part for _, part in parts] == ["Tokyo ", "\u6771\u4eac, \u5927\u962a", " (Asia)"]
    assert [file.name == CHINESE for file, _ in parts] == [False, True, False]
    drawn = letters("\u5927\u962a", 21)
    assert drawn.crop((0, 0, 21, drawn.height)).tobytes() != drawn.crop((21, 0, 42, drawn.height)).tobytes()


def test_words_from_right_to_left_are_one_part(use: Callable[[Path], None]) -> None:
    """Spaces stay with their words."""
    use(FURTHER / HEBREW)
    parts = [part for _, part in style.split("\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd Zone")]
    assert parts == ["\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", " Zone"]


def test_a_further_font_that_is_gone_costs_no_picture(
    use: Callable[[Path], None], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It's logged, and letters are boxes."""
    use(tmp_path / "gone.ttf")
    assert letters("\u6d77 Sea", 22).getbbox() is not None
    assert "picture.font_unreadable" in caplog.text


def test_chinese_wraps_between_letters() -> None:
    """Names wrap without spaces."""
    lines = wrap("\u65e5\u672c\u8a9e\u306e\u5730\u57df Zone-5", 20, 60)
    assert "".join(lines) == "\u65e5\u672c\u8a9e\u306e\u5730\u57dfZone-5"
    assert all(length(line, 20) <= 60 for line in lines)
