"""What people read follows the writing guide."""

from __future__ import annotations

from tests.wording import everything


def test_no_text_has_a_word_or_a_sentence_that_the_guide_avoids() -> None:
    """Evenings, command tree, rule files, pages and strings of the code are free of them; `tests.wording` lists places."""
    assert [f"{item.path.name}:{item.line}: {item.what}" for item in everything()] == []
