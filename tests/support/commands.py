"""The `adjutant` command within the test's process: starting one of its own takes a second of computing."""

from __future__ import annotations

import os
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from unittest import mock

from bot.cli import main


@dataclass(frozen=True, slots=True)
class Done:
    """What a command has answered."""

    code: int
    out: str
    err: str


def adjutant(url: str, *words: str, err: StringIO | None = None) -> Done:
    """Run the command on the database with this address; not `run`, which sets up the log of its process.

    `err` takes what it says beside its output.
    """
    out, err = StringIO(), err or StringIO()
    with mock.patch.dict(os.environ, {"DATABASE_URL": url}), redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    return Done(code, out.getvalue(), err.getvalue())
