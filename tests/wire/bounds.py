"""What Discord refuses although its OpenAPI document does not say so, and two rules of our own.

Each row of `RULES` says why it stands there. The sources are Discord's written guides (messages, components,
application commands), which carry limits that a schema cannot express: sums, and one key's dependence on another.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.wire.schema import Flaw

Node = Mapping[str, Any]
Check = Callable[[Node], Iterator[tuple[str, str]]]
"""Looks at one subject; yields the place below it and what is demanded there."""

COMPONENTS_V2 = 1 << 15
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")
_SUBCOMMANDS = (1, 2)
_SELECTS = (3, 5, 6, 7, 8)


def at_most(most: int, of: str, measure: Callable[[Node], int]) -> Check:
    """A bound on a sum or on one text."""

    def check(node: Node) -> Iterator[tuple[str, str]]:
        if (found := measure(node)) > most:
            yield "", f"at most {most:,} {of}, not {found:,}"

    return check


def _components(node: Node) -> Iterator[Node]:
    for child in [*(node.get("components") or ()), node.get("accessory"), node.get("component")]:
        if isinstance(child, dict):
            yield child
            yield from _components(child)


def _length(text: object) -> int:
    return len(text) if isinstance(text, str) else 0


def _embed_text(message: Node) -> int:
    embeds = [embed for embed in message.get("embeds") or () if isinstance(embed, dict)]
    parts = [
        part
        for embed in embeds
        for part in (embed, embed.get("author"), embed.get("footer"), *(embed.get("fields") or ()))
    ]
    counted = ("title", "description", "name", "value", "text")
    return sum(_length(part.get(key)) for part in parts if isinstance(part, dict) for key in counted)


def _display_text(message: Node) -> int:
    return sum(_length(one.get("content")) for one in _components(message) if one.get("type") == 10)


def _command_text(node: Node) -> int:
    own = sum(
        max(_length(node.get(key)), *map(_length, _localised(node, key).values()), 0) for key in ("name", "description")
    )
    below = [*(node.get("options") or ()), *(node.get("choices") or ())]
    return own + _length(node.get("value")) + sum(map(_command_text, below))


def _localised(node: Node, key: str) -> Mapping[str, str]:
    return node.get(f"{key}_localizations") or {}


def _new_or_old(message: Node) -> Iterator[tuple[str, str]]:
    if (message.get("flags") or 0) & COMPONENTS_V2:
        for key in ("content", "embeds", "poll", "sticker_ids"):
            if message.get(key):
                yield f".{key}", "nothing: flag IS_COMPONENTS_V2 leaves room for components only"
    elif any(one.get("type") != 1 for one in message.get("components") or ()):
        yield ".components", "action rows only, as flag IS_COMPONENTS_V2 is not set"


def _alt_text(message: Node) -> Iterator[tuple[str, str]]:
    galleries = [item for one in _components(message) for item in (one, *(one.get("items") or ())) if item.get("media")]
    described = {item["media"].get("url") for item in galleries if item.get("description")}
    for index, upload in enumerate(message.get("attachments") or ()):
        name = upload.get("filename") or ""
        if name.lower().endswith(_IMAGES) and not upload.get("description") and f"attachment://{name}" not in described:
            yield (
                f".attachments[{index}].description",
                f"required, but missing: picture {name} needs words for those who do not see it",
            )


def _distinct_ids(message: Node) -> Iterator[tuple[str, str]]:
    for key in ("custom_id", "id"):
        counts = Counter(one[key] for one in _components(message) if one.get(key))
        for value, count in counts.items():
            if count > 1:
                yield ".components", f"each {key} once, but {value!r} stands there {count} times"


def _filled(*keys: str) -> Check:
    def check(node: Node) -> Iterator[tuple[str, str]]:
        for key in keys:
            if isinstance(node.get(key), str) and not node[key].strip():
                yield f".{key}", "text, not blanks only"

    return check


def _row(component: Node) -> Iterator[tuple[str, str]]:
    inner = component.get("components") or ()
    if component.get("type") == 1 and len(inner) > 1 and any(one.get("type") in _SELECTS for one in inner):
        yield ".components", f"one select menu alone in its row, not {len(inner)} components"


def _button(component: Node) -> Iterator[tuple[str, str]]:
    if component.get("type") != 2:
        return
    needed = {5: "url", 6: "sku_id"}.get(component.get("style", 0), "custom_id")
    if not component.get(needed):
        yield f".{needed}", "required for a button of this style, but missing"
    if needed != "sku_id" and not (component.get("label") or component.get("emoji")):
        yield ".label", "a label or an emoji"


def _choosable(component: Node) -> Iterator[tuple[str, str]]:
    least, most, options = component.get("min_values"), component.get("max_values"), component.get("options")
    if least is not None and most is not None and least > most:
        yield ".min_values", f"at most max_values ({most}), not {least}"
    if options is not None and most is not None and most > len(options):
        yield ".max_values", f"at most the number of options ({len(options)}), not {most}"


def _distinct_options(component: Node) -> Iterator[tuple[str, str]]:
    counts = Counter(option.get("value") for option in component.get("options") or ())
    for value, count in counts.items():
        if count > 1:
            yield ".options", f"each value once, but {value!r} stands there {count} times"


def _named(node: Node) -> Iterator[tuple[str, str]]:
    names = {
        ".name": node.get("name", ""),
        **{f".name_localizations.{k}": v for k, v in _localised(node, "name").items()},
    }
    for where, name in names.items():
        bad = "".join(sorted({sign for sign in str(name) if not _is_name_sign(sign)}))
        if bad:
            yield where, f"lower-case letters, digits, -, _ and ' only, not {bad!r} in {name!r}"


def _is_name_sign(sign: str) -> bool:
    """Discord's pattern: - _ ' and letters and numbers of any script, besides all signs of Devanagari and Thai."""
    plain = unicodedata.category(sign)[0] in "LN" or "\u0900" <= sign <= "\u097f" or "\u0e00" <= sign <= "\u0e7f"
    return sign in "-_'" or (plain and sign == sign.lower())


def _slash(check: Check) -> Check:
    return lambda command: check(command) if command.get("type") in {None, 1} else iter(())


def _described(command: Node) -> Iterator[tuple[str, str]]:
    if not command.get("description"):
        yield ".description", "required for a slash command, but missing"


def _ordered(node: Node) -> Iterator[tuple[str, str]]:
    seen_optional = False
    for index, option in enumerate(node.get("options") or ()):
        if option.get("required") and seen_optional:
            yield f".options[{index}]", "required options stand before optional ones"
        seen_optional |= not option.get("required")


def _distinct_names(node: Node) -> Iterator[tuple[str, str]]:
    for key in ("options", "choices"):
        counts = Counter(child.get("name") for child in node.get(key) or ())
        for name, count in counts.items():
            if count > 1:
                yield f".{key}", f"each name once, but {name!r} stands there {count} times"


def _one_level(node: Node) -> Iterator[tuple[str, str]]:
    kinds = {option.get("type") in _SUBCOMMANDS for option in node.get("options") or ()}
    if len(kinds) > 1:
        yield ".options", "either subcommands or values, not both"


def _choice_or_typed(option: Node) -> Iterator[tuple[str, str]]:
    if option.get("autocomplete") and option.get("choices"):
        yield ".choices", "nothing beside autocomplete"


RULES: Mapping[str, tuple[Check, ...]] = {
    "message": (
        at_most(6000, "characters in all embeds together", _embed_text),  # the document bounds each part only
        at_most(
            2000, "characters of content", lambda one: _length(one.get("content"))
        ),  # 4,000 are for paying people, not for bots
        at_most(
            40, "components, nested ones counted", lambda one: sum(1 for _ in _components(one))
        ),  # it bounds each list only
        at_most(4000, "characters in all text displays together", _display_text),  # it bounds each display only
        _new_or_old,  # a flag decides which keys may stand there
        _distinct_ids,  # a press could not be told from another
        _alt_text,  # our own rule: a picture says in words what it shows
    ),
    "modal": (
        at_most(5, "components in a modal", lambda one: len(one.get("components") or ())),  # the document says 40
        _distinct_ids,  # as for messages
    ),
    "field": (_filled("name", "value"),),  # a field without words is refused, the document lets it be empty
    "component": (
        _row,  # a select fills its row
        _button,  # the document has one schema for all styles
        _choosable,  # one key's bound is another key
        _distinct_options,  # a selection could not be told from another
    ),
    "command": (
        at_most(
            8000, "characters in names, descriptions and values", _command_text
        ),  # a sum over all levels, longest language
        _slash(_named),  # the pattern stands in the guide only
        _slash(_described),  # commands of a context menu have none
        _ordered,  # order matters, which a schema cannot say
        _distinct_names,  # as for select options
        _one_level,  # a command with subcommands takes no values itself
    ),
    "option": (_named, _ordered, _distinct_names, _one_level, _choice_or_typed),  # as for commands, one level down
    "choice": (
        at_most(100, "characters of a choice's value", lambda one: _length(one.get("value"))),
    ),  # the document says 6,000
}

_BELOW: Mapping[str, Mapping[str, str]] = {
    "message": {"embeds": "embed", "components": "component"},
    "modal": {"components": "component"},
    "embed": {"fields": "field"},
    "component": {"components": "component", "component": "component", "accessory": "component"},
    "command": {"options": "option"},
    "option": {"options": "option", "choices": "choice"},
    "autocomplete": {"choices": "choice"},
}
_CALLBACKS = {4: "message", 5: "message", 7: "message", 8: "autocomplete", 9: "modal"}


def beyond(method: str, template: str, body: object) -> Iterator[Flaw]:
    """Everything in the body of a request that the rows above do not allow."""
    for kind, where, node in _subjects(method, template, body):
        yield from _looked_at(kind, where, node)


def _looked_at(kind: str, where: str, node: object) -> Iterator[Flaw]:
    if not isinstance(node, dict):
        return
    for check in RULES.get(kind, ()):
        yield from (Flaw(where + place, demand) for place, demand in check(node))
    for key, child_kind in _BELOW.get(kind, {}).items():
        children = node.get(key)
        if isinstance(children, list):
            for index, child in enumerate(children):
                yield from _looked_at(child_kind, f"{where}.{key}[{index}]", child)
        else:
            yield from _looked_at(child_kind, f"{where}.{key}", children)


def _subjects(method: str, template: str, body: object) -> Iterator[tuple[str, str, object]]:
    if isinstance(body, list):
        if template.endswith("/commands"):
            yield from (("command", f"$[{index}]", command) for index, command in enumerate(body))
    elif isinstance(body, dict):
        if template.endswith("/callback"):
            yield _CALLBACKS.get(body.get("type", 0), ""), "$.data", body.get("data")
        elif template.endswith("/threads"):
            yield "message", "$.message", body.get("message")
        elif "/commands" in template:
            yield "command", "$", body
        elif "/messages" in template or (method == "POST" and template.endswith("/{webhook_token}")):
            yield "message", "$", body
