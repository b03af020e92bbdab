"""Write the page of all keys of house rules, `docs/reference/house-rules.md`, from the types that read them.

uv run python -m tests.key_pages
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from rules import book, draft, modifiers, orders, subjects, tables, upkeep
from rules.dice import Push, TablePool
from rules.kinds import RuleItem
from rules.shapes import EXAMPLES, _shape_of, keys_of
from tests.architecture.source import ROOT

PAGE = ROOT / "docs" / "reference" / "house-rules.md"
HEAD = """\
<!-- Written by `uv run python -m tests.key_pages`: change the types, not this page. -->

# Keys of house rules

Every key of a file for `/gm rules`. [House rules](../homebrew.md) explains them with whole examples. What is required is in bold.
"""
SECTIONS: dict[str, tuple[str, dict[str, type[RuleItem]]]] = {
    "Files": (
        "A file is a game, changes a book, or brings tables.",
        {"[game]": draft.GameItem, "[overlay]": draft.OverlayItem, "[[change]]": draft.ChangeItem},
    ),
    "Tables": (
        "A die, and what each total means.",
        {
            "[[table]]": tables.RollTable,
            "rows": tables.TableRow,
            "then": tables.Consequence,
            "modifiers": modifiers.Modifier,
            "naturals": tables.Natural,
            "against": tables.Against,
            "caps": tables.Cap,
            "pool": TablePool,
            "push": Push,
        },
    ),
    "Rolls": (
        "What is made of tables.",
        {
            "[[contests]]": book.Contest,
            "[[strikes]]": book.Strikes,
            "[[acts]]": book.Act,
            "refused": book.Refusal,
            "costs": book.Cost,
            "variants": book.Variant,
        },
    ),
    "Units and characters": (
        "What is kept of them, and what rolls do to them.",
        {
            "facts": draft.FactItem,
            "fields": subjects.Field,
            "traits": book.Trait,
            "effects": book.Effect,
            "deeds": tables.ConsequenceKind,
        },
    ),
    "Updates": (
        "Orders, the phases that carry them out, and upkeep.",
        {
            "order, under [catalog]": orders.OrderKind,
            "phase, under [catalog]": orders.Phase,
            "[[upkeep]]": upkeep.UpkeepRule,
        },
    ),
    "Places and weather": (
        "A map, and the weather of its regions.",
        {
            "[[zones]]": book.Zone,
            "regions": book.Region,
            "conditions": book.Condition,
            "[[climate]]": draft.ClimateItem,
        },
    ),
}
FILLED_IN = {"line", "outcome", "source"}
"""Required keys that the reader fills in."""
WORDS = {
    str: "text",
    int: "number",
    bool: "true or false",
    dict: "table in { }",
    tuple: "list",
    frozenset: "list",
    list: "list",
}


def describe(hint: Any) -> str:  # noqa: ANN401 - a type
    """Return what a key takes."""
    shape = _shape_of(hint)
    if shape.kind is Literal:
        return " or ".join(f'`"{word}"`' for word in shape.parts)
    if isinstance(shape.kind, type) and issubclass(shape.kind, RuleItem):
        return "table in { }"
    if shape.kind in {tuple, frozenset, list} and shape.parts and _is_item(shape.parts[0]):
        return "list of { }"
    return WORDS.get(shape.kind, "text or number" if shape.spelling else "anything")


def _is_item(hint: Any) -> bool:  # noqa: ANN401 - as above
    kind = _shape_of(hint).kind
    return isinstance(kind, type) and issubclass(kind, RuleItem)


def list_rows(model: type[RuleItem]) -> Iterator[str]:
    """Yield a line of the page for each key."""
    examples = {**EXAMPLES, **model.examples}
    for name, key in keys_of(model).keys.items():
        named = f"**`{name}`**" if key.required and name not in FILLED_IN else f"`{name}`"
        shown = examples.get(name, "").replace("|", "\\|")
        yield f"| {named} | {describe(key.type)} | {f'`{shown}`' if shown else ''} |"


def page() -> str:
    """Return the whole page."""
    lines = [HEAD]
    for section, (about, models) in SECTIONS.items():
        lines += [f"## {section}", "", about, ""]
        for name, model in models.items():
            lines += [f"### `{name}`", "", "| Key | Takes | Example |", "| --- | --- | --- |", *list_rows(model), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
