"""The project's own source, parsed for the tests of this folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

Function = ast.FunctionDef | ast.AsyncFunctionDef


def files(*folders: str) -> Iterator[Path]:
    """The file of every module below the folders, by its path from the project's root."""
    return (file.relative_to(ROOT) for folder in folders for file in sorted((ROOT / folder).rglob("*.py")))


def modules(*folders: str) -> dict[Path, ast.Module]:
    """Every module below the folders, by its path from the project's root."""
    return {file: parsed(ROOT / file) for file in files(*folders)}


def functions(*folders: str) -> Iterator[tuple[str, Function]]:
    """Every function below the folders, nested ones and methods too, as (where it stands, itself)."""
    for path, module in modules(*folders).items():
        for node in statements(module):
            if isinstance(node, Function):
                yield f"{path}:{node.lineno} {node.name}", node


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement within a node, however deep, but no expression: there are ten times as many of those."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, field, ())
        for statement in inner if isinstance(inner, list) else ():  # the body of a lambda is an expression
            yield statement
            yield from statements(statement)


@cache
def parsed(file: Path) -> ast.Module:
    """A module, parsed once for as long as the cache is not cleared."""
    return ast.parse(file.read_text("utf-8"))


def parameters(function: Function) -> list[str]:
    """The parameters of a function by name, `self` and `cls` left out."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    return [item.arg for item in every if item.arg not in {"self", "cls"}]


def length(function: Function) -> int:
    """Lines from `def` to the end, without the docstring."""
    return _span(function) - _docstring_lines(function)


def body_length(function: Function) -> int:
    """Lines of the body, without the docstring."""
    statements = function.body[1:] if ast.get_docstring(function) else function.body
    return sum(map(_span, statements))


def _docstring_lines(function: Function) -> int:
    return _span(function.body[0]) if ast.get_docstring(function) else 0


def _span(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1
