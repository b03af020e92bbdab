"""Names and docstrings of the code follow the writing guide: each figure may fall, and never rises."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator

from tests.architecture.source import ROOT, files, functions, modules
from tests.wording import AVOIDED

PRODUCT = ("bot", "rules")
VERBS = {
    "bring",
    "embed",
    "feed",
    "handling",
    "heading",
    "need",
    "proceed",
    "put",
    "read",
    "seed",
    "set",
    "setting",
    "string",
}
"""First words of names that look like participles, and are verbs or nouns."""
PARTICIPLE = re.compile(
    r"[a-z]{2,}(?:ed|ing)|begun|bound|bought|broken|built|caught|chosen|done|drawn|fallen|forgotten|found|given|gone|held"
    r"|hidden|kept|known|laid|left|lost|made|meant|met|paid|said|seen|sent|shown|sold|spent|stood|struck|taken|thrown|told"
    r"|torn|won|written"
)


def test_docstrings_are_short() -> None:
    """Those of the product have at most 60,000 words together."""
    assert sum(len(text.split()) for _, text in _docstrings()) <= 60_000


def test_private_functions_say_by_their_names_what_they_do() -> None:
    """At most 145 functions with an underscore have a docstring."""
    told = [where for where, item in functions(*PRODUCT) if item.name.startswith("_") and ast.get_docstring(item)]

    assert len(told) <= 145


def test_prose_has_no_avoided_words() -> None:
    """Docstrings and comments are free of the words that the guide avoids."""
    texts = ((where, re.sub("`[^`]*`", "x", text)) for where, text in (*_docstrings(), *_comments()))
    found = [f"{where}: {word}" for where, text in texts for word in AVOIDED.findall(text)]

    assert found == []


def test_functions_are_named_by_what_they_do() -> None:
    """No name of a function begins with a participle."""
    found = [where for where, item in functions(*PRODUCT) if _is_participle(item.name.strip("_").partition("_")[0])]

    assert not found


def _is_participle(word: str) -> bool:
    return word not in VERBS and PARTICIPLE.fullmatch(word) is not None


def _docstrings() -> Iterator[tuple[str, str]]:
    for path, module in modules(*PRODUCT).items():
        for node in ast.walk(module):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path} {getattr(node, 'name', '')}", ast.get_docstring(node) or ""


def _comments() -> Iterator[tuple[str, str]]:
    for path in files(*PRODUCT):
        with (ROOT / path).open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.COMMENT:
                    yield f"{path}:{token.start[0]}", token.string
