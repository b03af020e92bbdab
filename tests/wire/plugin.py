"""`--discord-openapi PATH`: a test fails when a request of the bot is not one that Discord's document allows.

Without the option nothing is registered and nothing is wrapped.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from simcord.backend import Backend
from simcord.http import router

from tests.wire.openapi import Document, Fault, NoDocument, Request

_DISPATCH = router.dispatch


@contextmanager
def watching(document: Document) -> Iterator[list[Fault]]:
    """Collect the faults of every request made inside; an inner watch keeps its requests from an outer one.

    simcord logs requests per environment, without uploads, and has no hook for them; every request of every environment
    passes its router's `dispatch`.
    """
    faults: list[Fault] = []

    def checked(backend: Backend, method: str, path: str, **sent: Any) -> object:  # noqa: ANN401 - passed on as it came
        files = tuple(file.filename for file in sent.get("files") or ())
        request = Request(method, path, sent.get("json"), sent.get("params") or {}, files, sent.get("reason"))
        faults.extend(document.faults(request))
        return _DISPATCH(backend, method, path, **sent)

    before = router.dispatch
    router.dispatch = checked
    try:
        yield faults
    finally:
        router.dispatch = before


class Guard:
    """Watches every phase of every test and fails the one whose requests have faults."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        """Check the requests of fixtures as they are made ready."""
        return (yield from self._phase())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Check the requests of the test itself."""
        return (yield from self._phase())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Check the requests of fixtures as they are put away."""
        return (yield from self._phase())

    def _phase(self) -> Generator[None, object, object]:
        with watching(self._document) as faults:
            try:
                result = yield
            except Exception as error:
                if faults:
                    error.add_note(_told(faults))
                raise
        if faults:
            pytest.fail(_told(faults), pytrace=False)
        return result


def _told(faults: list[Fault]) -> str:
    lines = dict.fromkeys(map(str, faults))
    return "\n".join(["Discord would refuse what the bot sent:", *lines])


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption(
        "--discord-openapi",
        metavar="PATH",
        help="check every request of the bot against Discord's OpenAPI document in this file",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the document, if the option names one, and set the guard."""
    named = config.getoption("--discord-openapi")
    if named is None:
        return
    try:
        document = Document.load(Path(named))
    except OSError as cause:
        message = f"--discord-openapi: cannot read {named}: {cause.strerror}"
        raise pytest.UsageError(message) from cause
    except NoDocument as cause:
        message = f"--discord-openapi: {cause}"
        raise pytest.UsageError(message) from cause
    config.pluginmanager.register(Guard(document), "discord-openapi-guard")
