"""Discord's OpenAPI document: which requests it knows and what it demands of each.

The document is public: https://github.com/discord/discord-api-spec, file `specs/openapi.json`.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.wire.bounds import beyond
from tests.wire.schema import Flaw, Reader, Schema

_MULTIPART = "multipart/form-data"
_LONGEST_REASON = 512  # Discord's guide on audit logs; the document does not list the header
_WORDS = {"true": True, "1": True, "false": False, "0": False}


class NoDocument(ValueError):
    """The file is no OpenAPI document."""


@dataclass(frozen=True, slots=True)
class Request:
    """One REST request as the bot's library sends it; `files` are the names of the uploads."""

    method: str
    path: str
    json: object = None
    params: Mapping[str, object] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing in a request that Discord would refuse."""

    method: str
    path: str
    where: str
    demand: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}: {self.where}: {self.demand}"


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path template, with the parameters that both declare."""

    method: str
    template: str
    parameters: Mapping[tuple[str, str], Mapping[str, Any]]
    body: Mapping[str, Any]

    @property
    def segments(self) -> list[str]:
        """The template cut at its slashes; a parameter stands in braces."""
        return self.template.split("/")

    def arguments(self, path: str) -> dict[str, str] | None:
        """The path parameters by name, or None when the path is not of this template."""
        pairs = list(zip(self.segments, path.split("/"), strict=True))
        if any(want != have for want, have in pairs if not want.startswith("{")):
            return None
        return {want.strip("{}"): have for want, have in pairs if want.startswith("{")}


class Document:
    """The document, read once; a body that was already checked is not checked again."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.reader = Reader(content.get("components", {}).get("schemas", {}))
        self._checked: dict[tuple[str, str, str], tuple[Flaw, ...]] = {}
        self._operations: dict[tuple[str, int], list[Operation]] = defaultdict(list)
        for operation in _operations(content["paths"]):
            self._operations[operation.method, len(operation.segments)].append(operation)

    @classmethod
    def load(cls, path: Path) -> "Document":
        """Read the document from a file; OSError when it cannot be read, NoDocument when it is something else."""
        try:
            return cls(json.loads(path.read_bytes()))
        except (ValueError, TypeError, KeyError, AttributeError) as cause:
            message = f"{path} is not an OpenAPI document"
            raise NoDocument(message) from cause

    def faults(self, request: Request) -> tuple[Fault, ...]:
        """Everything in a request that the document, or a bound that it leaves out, does not allow."""
        return tuple(Fault(request.method, request.path, flaw.where, flaw.demand) for flaw in self._flaws(request))

    def operation(self, method: str, path: str) -> Operation | None:
        """The operation that answers a request: of several templates the one with the fewest parameters."""
        known = self._operations[method, path.count("/") + 1]
        fitting = [operation for operation in known if operation.arguments(path) is not None]
        return min(fitting, key=lambda operation: operation.template.count("{"), default=None)

    def _flaws(self, request: Request) -> Iterator[Flaw]:
        operation = self.operation(request.method, request.path)
        if operation is None:
            yield Flaw("path", f"the document knows no {request.method} on such a path")
            return
        yield from self._path(operation, request.path)
        yield from self._query(operation, request.params)
        yield from self._body(operation, request)
        if len(request.reason or "") > _LONGEST_REASON:
            yield Flaw("X-Audit-Log-Reason", f"at most {_LONGEST_REASON} characters, not {len(request.reason or '')}")

    def _path(self, operation: Operation, path: str) -> Iterator[Flaw]:
        for name, text in (operation.arguments(path) or {}).items():
            schema = operation.parameters["path", name]["schema"]
            yield from self.reader.flaws(schema, self._typed(schema, text), f"path.{name}")

    def _query(self, operation: Operation, params: Mapping[str, object]) -> Iterator[Flaw]:
        known = {name: what for (place, name), what in operation.parameters.items() if place == "query"}
        for name, value in params.items():
            if name not in known:
                yield Flaw(
                    f"query.{name}", f"no such parameter; the document knows {', '.join(sorted(known)) or 'none'}"
                )
            elif value is None or isinstance(value, bool):
                yield Flaw(f"query.{name}", f"text or a number: aiohttp does not send {value}")
            else:
                schema = known[name]["schema"]
                yield from self.reader.flaws(schema, self._typed(schema, value), f"query.{name}")
        for name in known.keys() - params.keys():
            if known[name].get("required"):
                yield Flaw(f"query.{name}", "required, but missing")

    def _typed(self, schema: Schema, value: object) -> object:
        wanted = self.reader.resolved(schema).get("type")
        if wanted == "array":
            return value if isinstance(value, list) else [value]
        text = str(value)
        if wanted == "boolean":
            return _WORDS.get(text.lower(), text)
        return int(text) if wanted == "integer" and text.removeprefix("-").isdecimal() else text

    def _body(self, operation: Operation, request: Request) -> tuple[Flaw, ...] | list[Flaw]:
        body, content = request.json, operation.body.get("content", {})
        if not content:
            return [Flaw("$", "the document knows no body here")] if body or request.files else []
        if request.files and _MULTIPART not in content:
            return [Flaw("$", "the document knows no uploads here")]
        if body is None and not request.files:
            return [Flaw("$", "a body is required")] if operation.body.get("required") else []
        try:
            text = json.dumps(body, allow_nan=False)
        except (TypeError, ValueError) as cause:
            return [Flaw("$", f"JSON, but {cause}")]
        return self._checked_body(operation, text, request.files)

    def _checked_body(self, operation: Operation, text: str, files: tuple[str, ...]) -> tuple[Flaw, ...]:
        key = operation.method, operation.template, f"{len(files)} {text}"
        if key not in self._checked:
            content = operation.body["content"]
            # With a JSON form, uploads travel beside it (payload_json); without one they are keys of the form itself.
            schema = content.get("application/json", content.get(_MULTIPART))["schema"]
            body = json.loads(text)
            if "application/json" not in content and files:
                body = {**_uploads(schema), **(body or {})}
            # Sums are taken only of a body whose shape is right.
            shape = tuple(self.reader.flaws(schema, body))
            self._checked[key] = shape or tuple(beyond(operation.method, operation.template, body))
        return self._checked[key]


def _operations(paths: Mapping[str, Mapping[str, Any]]) -> Iterator[Operation]:
    for template, methods in paths.items():
        for method, what in methods.items():
            if method != "parameters":
                declared = [*methods.get("parameters", ()), *what.get("parameters", ())]
                parameters = {(one["in"], one["name"]): one for one in declared}
                yield Operation(method.upper(), template, parameters, what.get("requestBody", {}))


def _uploads(schema: Schema) -> dict[str, str]:
    return {key: "" for key, what in schema["properties"].items() if what.get("contentEncoding") == "binary"}
