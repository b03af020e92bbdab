"""The dice of one entry, which follow from its seed and from what was asked, and the record by which anybody can draw them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from bot.core.canonical import canonical
from bot.core.epochs import Epoch
from bot.core.ledger import SALT_BYTES, EntryDraft, Ledger
from bot.core.records import Link
from bot.core.seals import salted_hash
from bot.core.seeds import face
from rules.dice import DiceTerm, Roll
from rules.procedure import Part

DRAWN = "seed"
"""The source of faces that follow from the seed of their entry."""

ASKED = "situation"
"""What a body keeps of a roll before its dice: the parts as they were asked for, and the salt of their hash."""


class Asked(NamedTuple):
    """What is asked before any die: the family, the fingerprint of the book, the id of the command or press, and the parts."""

    family: str
    book: str
    interaction: int | None
    parts: Sequence[Part]


class Draw:
    """The dice of the entry that follows upon a link: `roll` draws them one after the other, as `rules.dice.Dice`."""

    def __init__(self, epoch: Epoch, link: Link, asked: Asked, ledger: Ledger) -> None:
        number = link.number + 1
        self._asked = {"salt": ledger.random_id(SALT_BYTES), "parts": [_asked(part) for part in asked.parts]}
        self._description = {
            "book": asked.book,
            "campaign": link.campaign,
            "entry": number,
            "epoch": epoch.number,
            "family": asked.family,
            "interaction": None if asked.interaction is None else str(asked.interaction),
            "situation": situation(self._asked),
        }
        self._seed, self._slot = epoch.seed(number), epoch.slot(number)
        self._drawn: list[tuple[int, int]] = []

    def roll(self, term: DiceTerm) -> Roll:
        """Draw one face per die."""
        faces = tuple([self._face(term.sides) for _ in range(term.count)])
        return Roll(term, faces, DRAWN)

    def recorded(self, draft: EntryDraft) -> EntryDraft:
        """Return the entry of the roll with what was asked, and with the record of the draw beside it, as canonical JSON.

        The record has what the dice hang on, the dice, and how they were read. It is for everybody who is told the result,
        unless something `secret` counted: then it is for those who may read the body.
        """
        parts = draft.body["parts"]
        record = {
            **self._description,
            "version": 1,
            "slot": self._slot,
            "dice": self._drawn,
            "parts": [[_read(step) for step in part["steps"]] for part in parts],
            "secret": any(part["secret"] for part in parts),
        }
        return replace(draft, body={**draft.body, ASKED: self._asked}, draw=canonical(record))

    def _face(self, sides: int) -> int:
        drawn = face(self._seed, self._description, len(self._drawn), sides)
        self._drawn.append((sides, drawn))
        return drawn


def situation(kept: Mapping[str, Any]) -> str:
    """Return the salted hash (hex) of what a body keeps as `asked`."""
    return salted_hash(kept["salt"], canonical(kept["parts"]))


def _asked(part: Part) -> dict[str, Any]:
    return {
        "key": part.key,
        "subjects": dict(part.subjects),
        "choices": dict(part.choices),
        "inputs": dict(part.inputs),
        "marks": dict(part.marks),
        "facts": {name: known.count for name, known in part.facts.items()},
        "adjustments": [item.value for item in part.adjustments],
    }


def _read(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the dice of a step of a roll's body were read: with what counted, to which total and outcome."""
    if "table" not in step:
        return {"dice": _dice(step["dice"]), "text": step["text"]}
    counted = [[item["id"], item["value"], item["count"]] for item in step["modifiers"] if item["count"]]
    added = [item["value"] for item in step["adjustments"]]
    kept = {
        name: step[name] for name in ("table", "natural", "sum", "total", "reads", "value", "uncapped") if name in step
    }
    return {
        **kept,
        "dice": _dice([step]),
        "modifiers": counted,
        "adjustments": added,
        "outcome": step["row"]["outcome"],
    }


def _dice(rolls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"die": roll["die"], "faces": roll["faces"], "drawn": roll["drawn"]} for roll in rolls]
