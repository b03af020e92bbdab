"""The command tree as text: what people can type, and who may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simcord.interactions import command_leaves

from bot.app import create_bot
from bot.core.config import Settings

_TYPES = {3: "text", 4: "whole number", 5: "yes or no", 6: "member", 7: "channel", 8: "role", 10: "number", 11: "file"}
_ON_MESSAGE = 3
_BOUNDS = ("min_value", "max_value", "min_length", "max_length", "channel_types")


def names() -> list[str]:
    """Return the full name of every command, without the stroke."""
    typed = (command for command in _payloads() if command["type"] != _ON_MESSAGE)
    return [" ".join(path) for command in typed for path, _ in command_leaves(command)]


def describe_tree() -> str:
    """Return all commands with their options, descriptions, choices and permissions."""
    return "\n".join(line for command in _payloads() for line in _describe(command)) + "\n"


def _payloads() -> list[dict[str, Any]]:
    tree = create_bot(Settings(database_url="sqlite:///never-opened.db"), books={}).tree
    return sorted((command.to_dict(tree) for command in tree.get_commands()), key=lambda item: str(item["name"]))


def _describe(command: dict[str, Any]) -> Iterator[str]:
    facts = {key: command.get(key) for key in ("default_member_permissions", "contexts", "integration_types", "nsfw")}
    kept = ", ".join(f"{key} {value}" for key, value in facts.items())
    if command["type"] == _ON_MESSAGE:
        yield f"right-click on a message, {command['name']}: {kept}"
        return
    yield f"/{command['name']}: {kept}"
    for path, leaf in command_leaves(command):
        yield f"  /{' '.join(path)}: {leaf['description']}"
        for option in leaf.get("options") or ():
            yield f"    {_option(option)}"


def _option(option: dict[str, Any]) -> str:
    marks = [_TYPES[option["type"]], "needed" if option.get("required") else "optional"]
    marks += ["completes"] if option.get("autocomplete") else []
    marks += [f"{key} {option[key]}" for key in _BOUNDS if option.get(key) not in (None, [])]
    marks += [
        "one of " + "; ".join(f"{item['name']} = {item['value']}" for item in option.get("choices") or ())
    ] * bool(option.get("choices"))
    return f"{option['name']} ({'; '.join(marks)}): {option['description']}"
