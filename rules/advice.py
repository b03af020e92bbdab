"""What is wrong in a rule file, said in plain words with what would be right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from unicodedata import normalize

from rules.errors import nearest
from rules.kinds import RuleItem
from rules.phrases import AKIN, known_list, suggestion
from rules.shapes import KEY, Wrong, item_in, keys_of

EXAMPLES: Mapping[str, str] = {
    "amount": "amount = 25",
    "audience": 'audience = "staff"',
    "book": 'book = "campaign-rolls"',
    "die": 'die = 20, or die = "2d6"',
    "do": 'do = "reveal"',
    "extends": 'extends = "campaign"',
    "face": "face = 20",
    "facts": 'facts = [{ trait = "newtype", label = "Newtype", roles = ["target"] }]',
    "group": 'group = "patrol"',
    "id": 'id = "patrol.newtype"',
    "label": 'label = "Patrol has a newtype"',
    "line": "line = 27",
    "max": "max = 17",
    "min": "min = 18",
    "modifiers": 'modifiers = [{ id = "patrol.newtype", value = 1, label = "Newtype", group = "patrol", line = 31 }]',
    "one-of": 'one-of = "patrol-size"',
    "outcome": 'outcome = "no-catch"',
    "overlay": '[overlay] with id = "house", extends = "campaign" and a source',
    "regions": 'regions = [{ id = "india", label = "India", line = 202 }]',
    "roles": 'roles = ["target"]',
    "rows": 'rows = [{ max = 17, outcome = "no-catch", text = "Nothing is caught", line = 27 }]',
    "section": 'section = "Patrol Table 1"',
    "source": 'source = { book = "campaign-rolls", section = "Patrol Table 1" }',
    "table": 'table = "campaign.patrol.catch"',
    "text": 'text = "Nothing is caught"',
    "title": 'title = "Patrol"',
    "trait": 'trait = "newtype"',
    "value": "value = -2",
    "when": 'when = [["weather.fog", "!target.airborne"]]',
}
_WRONG: Mapping[str, str] = {
    "bool": "is neither true nor false",
    "dict": "is not a table in { }",
    "empty": "is empty",
    "int": "is not a whole number",
    "item": "is not a table in { }",
    "large": "is too large",
    "list": "is not a list in [ ]",
    "name": "isn't a name of lowercase letters and digits, separated by dots or hyphens",
    "small": "is too small",
    "str": "is not a text in quotes",
}
_WITH_HEADER = frozenset({"book", "overlay"})
"""Items that stand alone under a header of their own."""
_MINUS = "\N{MINUS SIGN}"
_LONGEST_NUMBER = 10**15
_LONGEST_SHOWN = 40


def relevant_faults(model: type[RuleItem], wrong: Iterable[Wrong]) -> list[Wrong]:
    """Return the faults without those of keys that are missing only because they are misspelt."""
    every = [*wrong]
    meant = {meant_key(model, item) for item in every if item.kind == "extra"}
    return [item for item in every if item.kind != "missing" or item.way not in meant]


def meant_key(model: type[RuleItem], wrong: Wrong) -> tuple[str | int | None, ...]:
    """Return where an unknown key would stand if it were spelt as its nearest known one."""
    *around, key = wrong.way
    return (*around, nearest(str(key), _known_keys(model, around), likeness=AKIN))


def explain(model: type[RuleItem], wrong: Wrong) -> str:
    """Explain a fault of an item."""
    names = [step for step in wrong.way if isinstance(step, str) and step != KEY]
    key = names[-1] if names else ""
    examples = {**EXAMPLES, **model.examples}
    example = f": write {_for_example(examples[key])}" if key in examples else ""
    match wrong.kind:
        case "extra" if key == "facts" and model.noun in {"table", "change"}:
            return f"facts must come before the first [[{model.noun}]]"
        case "extra":
            known = _known_keys(model, names[:-1])
            return f"{key}: unknown key{suggestion(key, known) or known_list(known)}"
        case "missing":
            return f"missing {key}{example}"
        case "literal":
            value = str(wrong.value)
            key = names[-2] if wrong.way[-1] == KEY else key
            return f"unknown {key} {value}{suggestion(value, wrong.known) or known_list(wrong.known)}"
        case kind:
            mend = _correction(model, key, wrong)
            # Examples of keys with few values name both limits themselves.
            mend = mend or ("" if kind in {"large", "small"} and " as in " in example else wrong.mend)
            subject = f"{key}: " if key else ""
            return f"{subject}{_value_text(wrong.value)} {wrong.what or _WRONG[kind]}{f': {mend}' if mend else example}"


def _known_keys(model: type[RuleItem], way: Iterable[str | int]) -> list[str]:
    """Return the keys that may stand at this place inside an item."""
    for step in way:
        key = keys_of(model).keys.get(step) if isinstance(step, str) else None
        model = (item_in(key.type) if key else None) or model
    return [*keys_of(model).keys]


def _for_example(example: str) -> str:
    return example if " as in " in example else f"for example {example}"


def _correction(model: type[RuleItem], key: str, wrong: Wrong) -> str | None:
    """Return what is to be written for a value that shows well enough what it was meant to be."""
    value, mend = wrong.value, None
    head = f'"{key}": ' if model.examples.get(key, "").startswith('"') else f"{key} = "  # as JSON or TOML has it
    start = head if wrong.way and wrong.way[-1] == key else ""
    match wrong.kind:
        case "int" if isinstance(value, str) and re.fullmatch(rf"\s*[+{_MINUS}-]?[0-9]{{1,9}}\s*", value):
            mend = f"write {start}{int(value.replace(_MINUS, '-'))} without quotes"
        case "bool" if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
            mend = f"write {start}{value.strip().lower()} without quotes"
        case "name" if isinstance(value, str) and (slug := _slug(value)):
            mend = f'write {start}"{slug}"'
        case "str" if start and type(value) is int and abs(value) <= _LONGEST_NUMBER:
            mend = f'write {start}"{value}"'
        case "list" if isinstance(value, dict) and model.noun == "file":
            mend = f"write [[{key}]] with double brackets"
        case "item" if isinstance(value, list) and not key and model.noun in _WITH_HEADER:
            mend = f"write [{model.noun}] with single brackets"
    return mend


def _slug(text: str) -> str:
    """Return the name that is nearest to a text: its letters and digits, small, parted by hyphens; "" when it has none."""
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    parts = re.findall("[a-z0-9]+(?:[.][a-z0-9]+)*", plain)
    return "-".join(parts) and "!" * text.startswith("!") + "-".join(parts)


def _value_text(value: object) -> str:
    """Return the value much as TOML writes it, cut when long."""
    if isinstance(value, int) and abs(value) > _LONGEST_NUMBER:
        return "a very long number"
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
