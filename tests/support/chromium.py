"""A page in headless Chromium, driven over a pipe, for tests of what runs in a browser."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CALM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_LAUNCH = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
"""The browser reads from 3 and writes to 4; the pipes have higher numbers, so that neither is overwritten."""
_PATIENCE = 300.0
"""Seconds after which a browser that is still running is ended, so that a test fails instead of waiting for ever."""


class Page:
    """One page of a browser; all calls wait for the browser's answer."""

    def __init__(self, commands: BinaryIO, answers: BinaryIO) -> None:
        self._commands, self._answers = commands, answers
        self._last = 0
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 - as the protocol has it
        """Call a method of the DevTools protocol and return its result."""
        self._last += 1
        session = {"sessionId": self._session} if hasattr(self, "_session") else {}
        message = {"id": self._last, "method": method, "params": params, **session}
        self._commands.write(json.dumps(message).encode() + b"\0")
        self._commands.flush()
        while True:
            answer = json.loads(self._next())
            if answer.get("id") == self._last:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, where: Path | str) -> None:
        """Open a file from the disk, or an address, and wait until it is loaded."""
        self.call("Page.navigate", url=where if isinstance(where, str) else where.as_uri())
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")

    def run(self, expression: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return what an expression comes to in the page, once it is settled."""
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def choose(self, selector: str, path: Path) -> None:
        """Choose a file in an input of the page, as a person does."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def _next(self) -> bytes:
        message = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser has ended"
            message += byte
        return bytes(message)


@contextmanager
def browser(profile: Path, *options: str) -> Iterator[Page]:
    """A page in a browser of its own, which ends behind it."""
    command_out, command_in = _pipe()
    answer_out, answer_in = _pipe()
    words = [str(CHROMIUM), *CALM, "--remote-debugging-pipe", f"--user-data-dir={profile}", *options]
    launch = [sys.executable, "-c", _LAUNCH, str(command_out), str(answer_in), *words]
    process = subprocess.Popen(  # noqa: S603 - our own words
        launch, pass_fds=(command_out, answer_in), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(command_out)
    os.close(answer_in)
    impatient = threading.Timer(_PATIENCE, process.kill)
    impatient.start()
    try:
        with open(command_in, "wb") as commands, open(answer_out, "rb") as answers:  # noqa: PTH123 - pipes have no path
            page = Page(commands, answers)
            yield page
            del page._session
            page.call("Browser.close")
    finally:
        impatient.cancel()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _pipe() -> tuple[int, int]:
    """Return the ends of a pipe to read and to write, with numbers that are neither 3 nor 4."""
    ends = os.pipe()
    raised = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return raised[0], raised[1]
