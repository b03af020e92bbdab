"""The errors that people see, privately and with what they can do next.

UserError                       title, what's wrong, what to do
├── NotAllowed                  this person can't do this here
├── NoCampaign                  the channel has no campaign, or several
├── BadInput                    something typed doesn't work
│   ├── MissingInput            something wasn't typed
│   └── FaultyFile              a file that was sent has errors, listed with their lines
├── NotOpen                     a card, campaign or entry has changed since its button was shown
│   └── NotAsItIs               something else has to happen first
├── TooFast                     a member or a server asks too often
└── NeedsReason                 a game master has to give a reason

Any other exception is a bug. One handler shows all of them, so functions list them under `Raises:` only where a caller catches one.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

import rules.errors
from rules.errors import nearest


class UserError(Exception):
    """An error that a person can fix: one sentence on what's wrong (`what`), one on what to do next (`do`), and a message about it (`link`)."""

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
    """The channel is linked to no campaign, or to several."""

    title = "Which campaign?"


class BadInput(UserError):
    """Something typed doesn't work. Nothing was rolled or saved."""

    title = "That won't work"


class MissingInput(BadInput):
    """Something wasn't typed, so a window can ask for it."""

    title = "Something's missing"


class FileFault(Struct, frozen=True, order=True):
    """One thing wrong in a file: its line, and what is wrong and what would be right."""

    line: int
    what: str


class FaultyFile(BadInput):
    """A file with faults, each with its line."""

    def __init__(self, file: str, faults: Iterable[FileFault | rules.errors.Fault], do: str) -> None:
        self.file = file
        self.faults = sorted((fault.line, fault.what) for fault in faults)
        super().__init__(f"Errors in {file}: {len(self.faults)}.", do)


def unknown_name(what: str, typed: str, known: Iterable[str], otherwise: str) -> BadInput:
    """Return the error for an unknown name, which suggests the nearest known one, or says what `otherwise` does."""
    close = nearest(typed[:60], known)
    return BadInput(what, f"Did you mean {close}?" if close else otherwise)


class NotOpen(UserError):
    """A card, campaign or entry has changed: it's too late for this."""

    title = "Too late"


class NotAsItIs(NotOpen):
    """It isn't too late, but something else has to happen first."""

    title = "You can't do that right now"


class NeedsReason(UserError):
    """A game master has to give a reason first."""

    title = "Give a reason"


class TooFast(UserError):
    """A member or a whole server asks too often. Nothing was rolled or saved."""

    title = "Slow down"


class StartError(Exception):
    """The bot can't start. The message says in one line why and what to do."""
