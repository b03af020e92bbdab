"""The document as a whole: paths, queries, presence of bodies, and verdicts that agree with the standard's own reader."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it comes without types
import pytest

from tests.wire.openapi import Document, NoDocument, Request
from tests.wire.schema import _BOUNDS
from tests.wire.tiny import button, display, option, row, select

CHANNEL = "/channels/1/messages"
REQUESTS: dict[str, tuple[Request, str]] = {
    "path": (Request("GET", "/moon/1"), "path: the document knows no GET on such a path"),
    "method": (Request("DELETE", CHANNEL), "path: the document knows no DELETE on such a path"),
    "id": (Request("GET", "/users/alice"), 'path.user_id: text of the form ^(0|[1-9][0-9]*)$, not "alice"'),
    "query name": (Request("GET", CHANNEL, params={"most": 5}), "query.most: no such parameter; the document knows "),
    "query bound": (Request("GET", CHANNEL, params={"limit": 101}), "query.limit: at most 100, not 101"),
    "query type": (Request("GET", CHANNEL, params={"limit": "all"}), 'query.limit: integer, not "all"'),
    "query truth": (
        Request("GET", CHANNEL, params={"limit": True}),
        "query.limit: text or a number: aiohttp does not send True",
    ),
    "body missing": (Request("POST", CHANNEL), "$: a body is required"),
    "body too many": (Request("GET", CHANNEL, {"limit": 5}), "$: the document knows no body here"),
    "no JSON": (Request("POST", CHANNEL, {"content": {1}}), "$: JSON, but Object of type set is not JSON serializable"),
    "upload": (Request("PUT", "/applications/1/commands", [], files=("a",)), "$: the document knows no uploads here"),
    "reason": (
        Request("DELETE", f"{CHANNEL}/2", reason="x" * 513),
        "X-Audit-Log-Reason: at most 512 characters, not 513",
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_fault_beside_the_body_is_named(document: Document, name: str) -> None:
    """Path, query, presence of a body and the reason for the audit log are held against the document too."""
    request, told = REQUESTS[name]
    faults = [str(fault) for fault in document.faults(request)]
    assert len(faults) == 1, faults
    assert faults[0].startswith(f"{request.method} {request.path}: {told}")


def test_the_plainest_path_wins(document: Document) -> None:
    """`/users/@me` is its own path and not that of a user by the id `@me`."""
    assert document.faults(Request("GET", "/users/@me")) == ()
    assert document.faults(Request("GET", "/users/5")) == ()


def test_sums_of_a_right_shape_only(document: Document) -> None:
    """A body of the wrong shape is told by its shape alone; sums are not taken of it."""
    faults = document.faults(Request("POST", CHANNEL, {"content": "x" * 2001, "embeds": "none"}))
    assert [fault.where for fault in faults] == ["$.embeds"]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"paths": []}'])
def test_another_file_is_no_document(tmp_path: Path, text: str) -> None:
    """A file that is not JSON, or has no paths, is refused with its name."""
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(NoDocument, match=r"other\.json is not an OpenAPI document"):
        Document.load(file)


def keywords(schema: object) -> Iterator[str]:
    """Every keyword in a schema and below it; names of properties are none."""
    if isinstance(schema, dict):
        for keyword, value in schema.items():
            yield keyword
            parts = value.values() if keyword == "properties" else value if isinstance(value, list) else [value]
            for part in parts:
                yield from keywords(part)


def test_no_keyword_goes_unread(document: Document, content: dict[str, Any]) -> None:
    """Every keyword of the document's schemas is checked, or says nothing about what is allowed."""
    said = {"title", "description", "contentEncoding", "x-discord-union"}
    used = {keyword for schema in content["components"]["schemas"].values() for keyword in keywords(schema)}
    assert used - said - _BOUNDS.keys() <= document.reader._keywords.keys()


CALLBACK = "/interactions/1/token/callback"
COMMANDS = "/applications/1/commands"


def choices(count: int) -> list[dict[str, str]]:
    """So many choices of an autocomplete."""
    return [{"name": f"Number {one}", "value": str(one)} for one in range(count)]


def modal(component: object) -> dict[str, object]:
    """A modal of one labelled part."""
    return {
        "type": 9,
        "data": {"custom_id": "f", "title": "T", "components": [{"type": 18, "label": "L", "component": component}]},
    }


def boxed(kind: int, *parts: object) -> dict[str, object]:
    """An answer of a kind with one container of these parts."""
    return {"type": kind, "data": {"components": [{"type": 17, "components": [*parts]}]}}


ANSWER, MESSAGE, TREE = ("POST", CALLBACK), ("POST", CHANNEL), ("PUT", COMMANDS)
BODIES: dict[str, tuple[str, str, object, bool]] = {
    "message": (*ANSWER, {"type": 4, "data": {"content": "C", "embeds": None}}, True),
    "no data": (*ANSWER, {"type": 5}, True),
    "no type": (*ANSWER, {"data": {}}, False),
    "odd type": (*ANSWER, {"type": 99, "data": {}}, False),
    "type as text": (*ANSWER, {"type": "4"}, False),
    "25 choices": (*ANSWER, {"type": 8, "data": {"choices": choices(25)}}, True),
    "26 choices": (*ANSWER, {"type": 8, "data": {"choices": choices(26)}}, False),
    "nested": (*ANSWER, boxed(4, row(button()), row(select("a"))), True),
    "nested fault": (*ANSWER, boxed(7, row(button(style=9))), False),
    "container in container": (*ANSWER, boxed(7, {"type": 17, "components": [display("D")]}), False),
    "modal": (*ANSWER, modal(select("a", "b", type=21)), True),
    "one radio button": (*ANSWER, modal(select("a", type=21)), False),
    "nonce": (*MESSAGE, {"content": "C", "nonce": "n" * 25}, True),
    "long nonce": (*MESSAGE, {"content": "C", "nonce": "n" * 26}, False),
    "commands": (*TREE, [{"name": "a", "description": "A", "options": [option()]}], True),
    "one command": (*TREE, {"name": "a", "description": "A"}, False),
    "empty language": (*TREE, [{"name": "a", "name_localizations": {"de": ""}}], False),
    "truth for a number": (*TREE, [{"name": "a", "default_member_permissions": True}], False),
    "whole number with a point": (*TREE, [{"name": "a", "default_member_permissions": 8.0}], True),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_standard_reader_agrees(document: Document, content: dict[str, Any], name: str) -> None:
    """Each body is taken or refused just as the `jsonschema` package takes or refuses it by the same schema."""
    method, path, body, allowed = BODIES[name]
    operation = document.operation(method, path)
    assert operation
    schema = operation.body["content"]["application/json"]["schema"]
    standard = jsonschema.Draft202012Validator({**schema, "components": content["components"]})
    assert standard.is_valid(body) is allowed
    assert (not list(document.reader.flaws(schema, body))) is allowed
