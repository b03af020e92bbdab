"""The errors that people see when something cannot be done.

UserError                       carries a title, what was wrong and what to do; shown privately by one handler
├── NotAllowed                  the person may not do this here
├── NoCampaign                  the channel belongs to no campaign, or to several
├── BadInput                    something typed cannot be used as it is
│   └── MissingInput            something that is needed was not typed
├── NotOpen                     a card, campaign or entry has changed since its button was shown
│   └── NotAsItIs               it does not fit how things stand, whenever it was asked for
├── TooFast                     it was asked for sooner than a member or a server may
└── NeedsReason                 the rules allow it only with a game master's reason

Anything else that is raised is a bug.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.errors import nearest


class UserError(Exception):
    """Something a person can put right. `what` says what was wrong, `do` what to do about it, `link` is the address of a message about it."""

    title = "That didn't work"

    def __init__(self, what: str, do: str = "", link: str | None = None) -> None:
        self.what = what
        self.do = do
        self.link = link
        super().__init__(f"{what} {do}".strip())


class NotAllowed(UserError):
    """The person may not do this in this campaign."""

    title = "You can't do that"


class NoCampaign(UserError):
    """The channel belongs to no campaign, or to more than one."""

    title = "Which campaign?"


class BadInput(UserError):
    """Something typed cannot be used as it is; nothing was rolled or written."""

    title = "That won't work"


class MissingInput(BadInput):
    """Something that is needed was not typed: a window can ask for it."""

    title = "Something's missing"


def unknown_name(what: str, typed: str, known: Iterable[str], otherwise: str) -> BadInput:
    """Return the refusal of a name that is not known, with the nearest of those that are; `otherwise` where none is near."""
    close = nearest(typed[:60], known)
    return BadInput(what, f"Did you mean {close}?" if close else otherwise)


class NotOpen(UserError):
    """A card, campaign or entry is no longer open for this."""

    title = "Too late"


class NotAsItIs(NotOpen):
    """It does not fit how things stand: nobody is late, but something else has to be done first."""

    title = "You can't do that right now"


class NeedsReason(UserError):
    """A game master has to give a reason first."""

    title = "Give a reason"


class TooFast(UserError):
    """A member, or all of a server together, ask faster than they may; nothing was rolled or written."""

    title = "Slow down"


class StartError(Exception):
    """The bot cannot start; the message is the one line that says why and what to do."""
