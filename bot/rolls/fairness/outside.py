"""Outside randomness: what random.org is asked for, what an answer has to be, and what is kept of both. Pure; `docs/fairness.md` has it in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from bot.core.canonical import canonical
from bot.core.drawn import digest

INTENT = "intent"
"""The kind of the entries that say, before random.org is asked, what for."""

METHOD = "generateSignedIntegers"
NUMBERS = {"n": 9, "min": 0, "max": 2**29 - 1}
"""What is asked for: 261 bits, in numbers within the range that random.org gives."""

TIMEOUT = 2.0
"""Seconds in which an answer has to be there, whole; what is left of a pause is waited for within them.

A roll may take longer than Discord's three seconds all the same, as its transactions wait for their turn: whatever takes
that long is acknowledged before it is answered (`bot.ui.reply.attend`, after `SLOW`), and the bot's loop is free meanwhile.
"""

_SIGNATURE = re.compile(r"[A-Za-z0-9+/]{1,4096}={0,2}")

LACKING = {
    "timeout": "random.org didn't answer within 2 s",
    "unreachable": "random.org couldn't be reached",
    "http": "random.org answered with HTTP {code}",
    "garbage": "random.org sent something that isn't an answer",
    "other": "random.org answered something other than asked",
    "error": "random.org answered with error {code}",
    "key": "random.org doesn't accept the campaign's key (error {code})",
    "quota": "the campaign's quota at random.org is used up",
    "delay": "random.org had asked for a pause",
    "locked": "the campaign's random.org key can't be decrypted",
    "several": "random.org is asked once for rolls made together",
    "changed": "what was asked had changed when random.org answered",
    "overtaken": "another entry came between when random.org was asked",
}
"""Why nothing of random.org's is mixed in, by the word that is kept."""

REPLACED = frozenset({"changed", "overtaken"})
"""Those with which a roll is not the one that random.org was asked for."""

Lacking = Mapping[str, Any]
"""Why nothing is mixed in: `why`, one of `LACKING`, and the `code` of an error, where there is one."""


class Intent(Struct, frozen=True):
    """An entry that says what random.org is asked for, as it was chained: its number, header, and body with its salt."""

    number: int
    header: str
    salt: str
    body: str

    @property
    def hash(self) -> str:
        """Its hash (hex)."""
        return digest(self.header)


class Answer(Struct, frozen=True):
    """What random.org answered, byte for byte: the random object (JSON) and its signature (base64)."""

    random: str
    signature: str


class Given(Struct, frozen=True):
    """What came of asking for a roll: the answer, or why there is none.

    Where an intent was chained, `description` is that of the roll which it announces, and `salt` that of what was asked.
    """

    answer: Answer | None = None
    lacking: Lacking | None = None
    intent: Intent | None = None
    description: Mapping[str, Any] | None = None
    salt: str = ""

    def record(self) -> dict[str, Any]:
        """Return what the record of a roll's dice has of it."""
        kept: dict[str, Any] = {}
        if self.intent is not None:
            intent = self.intent
            kept["intent"] = {
                "number": intent.number,
                "header": intent.header,
                "salt": intent.salt,
                "body": intent.body,
            }
        if self.answer is not None:
            return {**kept, "random": self.answer.random, "signature": self.answer.signature}
        return {**kept, "lacking": dict(self.lacking or {})}


def intent_body(description: Mapping[str, Any], *, private: bool = False) -> dict[str, Any]:
    """Return the body of the intent of a roll: its number, the hash of what is asked, and that of all that its faces hang on.

    That of a roll which is `private`, for its maker alone, has that `audience` too.
    """
    about = {"entry": description["entry"], "situation": description["situation"]}
    body = {**about, "asked": digest(canonical(description)), "numbers": NUMBERS}
    return {**body, "audience": "person"} if private else body


def intent_audience(body: Mapping[str, Any]) -> str:
    """Return who is told of an intent by its body: the staff, but of a roll that is for its maker alone nobody else."""
    audience: str = body.get("audience", "staff")
    return audience


def user_data(campaign: str, intent: str, description: Mapping[str, Any]) -> dict[str, Any]:
    """Return what random.org signs along with its numbers; `campaign` is the UUID, `intent` the hash of the intent."""
    about = {"entry": description["entry"], "situation": description["situation"]}
    return {"campaign": campaign, "intent": intent, **about}


def is_asked_for(random: Mapping[str, Any]) -> bool:
    """Return whether a random object, of its form, has as many numbers as were asked for, drawn as they were asked for."""
    asked = {"method": METHOD, **NUMBERS, "replacement": True, "base": 10}
    data = random["data"]
    return (
        all(random[name] == value for name, value in asked.items())
        and len(data) == NUMBERS["n"]
        and all(NUMBERS["min"] <= item <= NUMBERS["max"] for item in data)
    )


def is_signature(text: str) -> bool:
    """Return whether a text has the form of a signature."""
    return _SIGNATURE.fullmatch(text) is not None


def told(outside: Mapping[str, Any]) -> str:
    """Return what is told with a roll, without a full stop, by what its body keeps of random.org."""
    lacking = outside.get("lacking")
    if lacking is None:
        return f"random.org's answer {outside['serial']} is mixed in"
    return f"{sentence(lacking)}: drawn from the campaign's seed alone"


def sentence(lacking: Lacking) -> str:
    """Return why nothing is mixed in, in words."""
    words = LACKING[lacking["why"]].format(code=lacking.get("code", ""))
    return words[0].upper() + words[1:] if not words.startswith("random.org") else words
