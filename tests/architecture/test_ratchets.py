"""What a newcomer has to hold in mind: each figure may fall, and never rises."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from tests.architecture.source import ROOT, Function, functions, modules, parameters, statements

PRODUCT = ("bot", "rules")
PARAMETERS = 6
"""Parameters of a function, `self` not counted."""


def test_imports_are_a_small_share_of_the_lines() -> None:
    """At most 6.4 of 100 lines import something."""
    imports = sum(_span(item) for module in modules(*PRODUCT).values() for item in _imports(module))

    assert imports / len(_lines()) <= 0.064


def test_types_are_named() -> None:
    """`Any` is in at most 2.5 of 1,000 lines, and no line is kept from the type checker."""
    lines = _lines()

    assert _anys() / len(lines) <= 0.0025
    assert not any("# type: ignore" in line for line in lines)


def test_few_functions_take_more_than_six_parameters() -> None:
    """At most 16 functions do."""
    many = [where for where, item in functions(*PRODUCT) if len(parameters(item)) > PARAMETERS]

    assert len(many) <= 16, many


def test_a_class_name_means_one_thing() -> None:
    """No name is used for two classes."""
    names = Counter(item.name for module in modules(*PRODUCT).values() for item in _classes(module))

    twins = sorted(name for name, times in names.items() if times > 1)
    assert twins == []


def test_functions_of_modules_have_names_of_their_own() -> None:
    """At most 20 of 100 functions of modules share their name with another module's."""
    names = [item.name for module in modules(*PRODUCT).values() for item in module.body if isinstance(item, Function)]
    shared = {name for name, times in Counter(names).items() if times > 1}

    assert sum(name in shared for name in names) / len(names) <= 0.2


def test_records_do_not_mirror_each_other() -> None:
    """At most one pair of records has four or more fields in common, and no more than one that the other lacks."""
    records = [
        (item.name, fields)
        for module in modules(*PRODUCT).values()
        for item in _classes(module)
        if len(fields := _fields(item)) >= 4
    ]

    mirrors = [(one, other) for (one, a), (other, b) in combinations(records, 2) if len(a & b) >= 4 and len(a ^ b) <= 1]
    assert len(mirrors) <= 1, mirrors


def _anys() -> int:
    named = (node for module in modules(*PRODUCT).values() for node in ast.walk(module) if isinstance(node, ast.Name))
    return sum(node.id == "Any" for node in named)


def _lines() -> list[str]:
    return [line for path in modules(*PRODUCT) for line in (ROOT / path).read_text("utf-8").splitlines()]


def _imports(module: ast.Module) -> Iterator[ast.stmt]:
    return (item for item in statements(module) if isinstance(item, ast.Import | ast.ImportFrom))


def _classes(module: ast.Module) -> Iterator[ast.ClassDef]:
    return (item for item in statements(module) if isinstance(item, ast.ClassDef))


def _fields(item: ast.ClassDef) -> frozenset[str]:
    """Return the annotated fields of a class with their types."""
    annotated = (
        part for part in item.body if isinstance(part, ast.AnnAssign) and "ClassVar" not in ast.unparse(part.annotation)
    )
    return frozenset(f"{ast.unparse(part.target)}: {ast.unparse(part.annotation)}" for part in annotated)


def _span(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1
