"""How long things may be. When a budget is in the way, the design is changed, not the number."""

from __future__ import annotations

import ast
import gc
import statistics
from collections.abc import Iterator, Mapping

import pytest

from tests.architecture.source import ROOT, Function, body_length, files, functions, length, modules, parsed, statements

PRODUCT = ("bot", "rules", "migrations")
FUNCTION_MAX = 50
FUNCTION_P90 = 20
MODULE_MAX = 400
INNER_MAX = 80
CALLBACK_MAX = 12
CATCH_ALL = {"Exception", "BaseException"}


@pytest.fixture(scope="module", autouse=True)
def parsed_once() -> Iterator[None]:
    """Keep parsed modules for these tests alone, and collect no garbage meanwhile: walking their nodes takes most of the time."""
    gc.disable()
    yield
    parsed.cache_clear()
    gc.enable()


def test_no_function_is_too_long() -> None:
    """No function of the product has more than 50 lines, its docstring aside."""
    assert _beyond(FUNCTION_MAX, {where: length(item) for where, item in functions(*PRODUCT)}) == []


def test_nine_functions_of_ten_are_short() -> None:
    """The 90th percentile of function lengths is 20 lines at most."""
    lengths = {where: length(item) for where, item in functions(*PRODUCT)}

    percentile = statistics.quantiles(lengths.values(), n=10, method="inclusive")[-1]

    assert percentile <= FUNCTION_P90, _beyond(FUNCTION_P90, lengths)


def test_no_module_is_too_long() -> None:
    """No module, of the product or of the tests, has more than 400 lines."""
    lines = {str(path): len((ROOT / path).read_text("utf-8").splitlines()) for path in files(*PRODUCT, "tests")}

    assert _beyond(MODULE_MAX, lines) == []


def test_functions_within_functions_are_few() -> None:
    """Nested functions and lambdas are fewer than 80 in all: transactions are functions that are called by name."""
    having = [module for path, module in modules(*PRODUCT).items() if "lambda" in (ROOT / path).read_text("utf-8")]
    lambdas = sum(isinstance(node, ast.Lambda) for module in having for node in ast.walk(module))
    nested = sum(isinstance(inner, Function) for _, outer in functions(*PRODUCT) for inner in statements(outer))

    assert lambdas + nested < INNER_MAX


def test_command_callbacks_only_pass_on() -> None:
    """The body of a slash command's callback has 12 lines at most, its docstring aside."""
    callbacks = {where: body_length(item) for where, item in functions("bot/cogs") if _is_command(item)}

    assert callbacks
    assert _beyond(CALLBACK_MAX, callbacks) == []


def test_exceptions_are_caught_blindly_in_one_place_only() -> None:
    """Of all handlers for whatever may go wrong, there is exactly one; none is bare."""
    handlers = [
        f"{path}:{node.lineno}"
        for path, module in modules(*PRODUCT).items()
        for node in statements(module)
        if isinstance(node, ast.ExceptHandler) and _catches_all(node)
    ]

    assert len(handlers) == 1, handlers


@pytest.mark.slow  # parsing all tests takes more than a second
def test_every_test_says_what_it_claims() -> None:
    """Every test function has a docstring."""
    tests = {where: item for where, item in functions("tests") if item.name.startswith("test_")}

    assert [where for where, item in tests.items() if not ast.get_docstring(item)] == []


def _beyond(limit: int, lengths: Mapping[str, int]) -> list[str]:
    """What is longer than the limit, the longest first."""
    over = sorted((item for item in lengths.items() if item[1] > limit), key=lambda item: -item[1])
    return [f"{where}: {lines} lines, {limit} allowed" for where, lines in over]


def _is_command(function: Function) -> bool:
    decorators = (item.func if isinstance(item, ast.Call) else item for item in function.decorator_list)
    return any(ast.unparse(item).endswith("app_commands.command") for item in decorators)


def _catches_all(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(isinstance(node, ast.Name) and node.id in CATCH_ALL for node in ast.walk(handler.type))
