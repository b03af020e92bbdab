"""Errors that people see, privately and with what they can do next.

Other exceptions are bugs. One handler shows all.
"""

from collections.abc import Iterable

from msgspec import Struct

import rules.errors
from rules.errors import nearest


class UserError(Exception):
    """An error a person can fix: what's wrong, what to `do`, a related message."""

    title = "That didn't work"

    def __init__(self, what: str, do: str = "", link: str | None = None) -> None:
        self.what = what
        self.do = do
        self.link = link
        super().__init__(f"{what} {do}".strip())


class NotAllowed(UserError):
    """The person can't do this in this campaign."""

    title = "You can't do that"


class NoCampaign(UserError):
    """The channel has no campaign, or several."""

    title = "Which campaign?"


class BadInput(UserError):
    """Something typed doesn't work. Nothing was rolled or saved."""

    title = "That won't work"


class MissingInput(BadInput):
    """Something wasn't typed; a window can ask."""

    title = "Something's missing"


class FileFault(Struct, frozen=True, order=True):
    """A file's line, and what's wrong there."""

    line: int
    what: str


class FaultyFile(BadInput):
    """A file with faults."""

    def __init__(self, file: str, faults: Iterable[FileFault | rules.errors.Fault], do: str) -> None:
        self.file = file
        self.faults = sorted((fault.line, fault.what) for fault in faults)
        super().__init__(f"Errors in {file}: {len(self.faults)}.", do)


def unknown_name(what: str, typed: str, known: Iterable[str], otherwise: str) -> BadInput:
    """Return the error for an unknown name, with a guess."""
    close = nearest(typed[:60], known)
    return BadInput(what, f"Did you mean {close}?" if close else otherwise)


class NotOpen(UserError):
    """Something has changed: it's too late."""

    title = "Too late"


class NotAsItIs(NotOpen):
    """Something else has to happen first."""

    title = "You can't do that right now"


class NeedsReason(UserError):
    """A game master has to give a reason first."""

    title = "Give a reason"


class TooFast(UserError):
    """A member or server asks too often."""

    title = "Slow down"


class StartError(Exception):
    """The bot can't start: why, and what to do."""
