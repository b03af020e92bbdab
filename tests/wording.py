"""Find words and sentences that the writing guide avoids, in everything people see.

    uv run python -m tests.wording [PATH ...]

Without a path, it counts per file what is left in transcripts, rule files, pages and the strings of the code; with
paths, it shows each place of these. `docs/contributing/writing.md` says what to write instead.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.architecture.source import ROOT, modules

AVOIDED = re.compile(
    r"(?i)\b(?:whoever|whomever|whom|whence|whither|thereof|herein|anew|beside|befall\w*|befell|parted by|in lack of|in place of"
    r"|as far as|under way|(?:is|are) no (?!longer|more)|stands?|comes? to|tells?|told|of (?:its|his|her|their) own"
    r"|what came of|nobody|somebody|shall|lest|hitherto|so many|for the staff alone|goes with|holds|lapse[sd]?|awaited"
    r"|reckon\w*)\b(?!-\w)"
)
LONGEST, LIST = 25, 4
"""How many words a sentence that people see may have; and how many commas make a list of it."""
HIDDEN = re.compile(r"(?<=\]) [a-z-]+:\S*|\(https?:\S+ \d+\)| = [\w.:-]+|^text field \w+,")
"""What a log says that people don't see: ids, addresses and the names of fields."""


class Finding(NamedTuple):
    """A place where a text goes against the guide: file, line, what, and the text."""

    path: Path
    line: int
    what: str
    text: str


def findings(path: Path, line: int, text: str) -> Iterator[Finding]:
    """Yield what the guide would avoid in a text."""
    yield from (Finding(path, line, match[0].lower(), text) for match in AVOIDED.finditer(text))
    for sentence in re.split(r"(?<=[.!?:;])\s|\n| · ", text):
        words = re.findall(r"[^\W\d_][\w'-]*", sentence)
        if len(words) > LONGEST and sentence.count(",") < LIST:
            yield Finding(path, line, f"{len(words)} words", sentence)


def of_transcripts(folder: Path) -> Iterator[Finding]:
    """Yield what goes against the guide in what people see in the evenings, and in the command tree."""
    for path in sorted(folder.glob("*.txt")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            shown = path.stem == "commands" or line.startswith("    ")
            yield from findings(path, number, HIDDEN.sub(" ", line.strip()) if shown else "")


def of_rules(folder: Path) -> Iterator[Finding]:
    """Yield what goes against the guide in the texts of rule files."""

    def texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - whatever TOML can say
        if isinstance(value, str) and " " in value:
            yield value
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from texts(item)

    for path in sorted(folder.rglob("*.toml")):
        content = path.read_text("utf-8")
        for text in texts(tomllib.loads(content)):
            yield from findings(path, content[: max(content.find(text[:20]), 0)].count("\n") + 1, text)


def of_pages(root: Path) -> Iterator[Finding]:
    """Yield what goes against the guide in the project's pages, outside of blocks of code."""
    guide = root / "docs" / "contributing" / "writing.md"
    for path in sorted({*root.glob("*.md"), *(root / "docs").rglob("*.md")} - {guide}):
        code = False
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            code ^= line.lstrip().startswith("```")
            if not code:
                yield from findings(path, number, re.sub(r"`[^`]*`", "x", line))


def of_code(*folders: str) -> Iterator[Finding]:
    """Yield what goes against the guide in the strings of the code, docstrings left out."""
    for path, module in modules(*folders).items():
        prose = {id(item.value) for item in ast.walk(module) if isinstance(item, ast.Expr)}
        parts = {id(part) for item in ast.walk(module) if isinstance(item, ast.JoinedStr) for part in item.values}
        for node in ast.walk(module):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose | parts:
                text = node.value
            else:
                continue
            if " " in text.strip():
                yield from findings(ROOT / path, node.lineno, text)


def everything() -> Iterator[Finding]:
    """Yield every place in what people see."""
    yield from of_transcripts(ROOT / "tests" / "transcripts" / "logs")
    yield from of_rules(ROOT / "rules")
    yield from of_pages(ROOT)
    yield from of_code("bot", "rules")


def main(*paths: str) -> None:
    """Print the places below the paths, or how many there are in each file."""
    found = [item._replace(path=item.path.relative_to(ROOT)) for item in everything()]
    if paths:
        for item in found:
            if any(item.path == Path(path) or Path(path) in item.path.parents for path in paths):
                sys.stdout.write(f"{item.path}:{item.line}: {item.what}: {item.text.strip()[:200]}\n")
        return
    counted = Counter(item.path for item in found).most_common()
    sys.stdout.writelines(f"{count:5} {path}\n" for path, count in [*counted, (Path("in all"), len(found))])


if __name__ == "__main__":
    main(*sys.argv[1:])
