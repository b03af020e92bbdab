"""The dice of one entry, which follow from its seed and from what was asked, part by part, and the record by which anybody can draw them again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from bot.core.draws import PLACES, STAFF_ALONE, PartLine, format_record
from bot.core.encoding import Json, encode_canonical
from bot.core.epochs import Epoch
from bot.core.ledger import SALT_BYTES, EntryDraft, Ledger
from bot.core.records import Link
from bot.core.seeds import OUTSIDE, PART_HASH, SLOTS, draw_face, find_outside_hashes
from bot.errors import BadInput
from bot.rolls.fairness.document import ASKED, situation
from bot.rolls.fairness.outside import Given
from rules.dice import Dice, DiceTerm, Roll
from rules.procedure import Part

DRAWN = "seed"
"""The source of faces that follow from the seed of their entry."""


class Asked(NamedTuple):
    """What is asked before any die: the family, the fingerprint of the book, the id of the command or press, and the parts."""

    family: str
    book: str
    interaction: int | None
    parts: Sequence[Part]


class Mixer(Protocol):
    """Whence randomness from outside comes that is mixed into the dice of a roll."""

    def given(self, description: Mapping[str, Json], salt: str, epoch_ends: int) -> Given:
        """Return what was asked for a roll, once its transaction runs again.

        `salt` is that of what was asked; an entry of the number `epoch_ends` is of the next epoch.
        """


class Draw:
    """The dice of the entry that follows upon a link: `of_part` gives those of each of its parts.

    With a `mixer` something from outside is mixed in, which is asked for ahead of the first die.
    """

    def __init__(self, epoch: Epoch, link: Link, asked: Asked, ledger: Ledger, mixer: Mixer | None = None) -> None:
        if len(asked.parts) > PLACES:
            raise BadInput(
                f"Those are {len(asked.parts)} parts; one roll takes at most {PLACES}.", "Split it into two rolls."
            )
        number = link.number + 1
        self._asked: dict[str, Json] = {
            "salt": ledger.random_id(SALT_BYTES),
            "parts": [_asked(part) for part in asked.parts],
        }
        self._situation = situation(self._asked)
        self._description = {
            "book": asked.book,
            "campaign": link.campaign,
            "entry": number,
            "epoch": epoch.number,
            "family": asked.family,
            "interaction": None if asked.interaction is None else str(asked.interaction),
            "situation": self._situation.placed.root,
        }
        self._seed, self._slot = epoch.seed(number), epoch.slot(number)
        self._drawn: list[list[tuple[int, int]]] = [[] for _ in asked.parts]
        self._mixer, self._epoch_ends = mixer, number - self._slot + SLOTS
        self._outside: dict[str, Json] = {}
        self._mixed: dict[str, str] = {}

    def of_part(self, part: int) -> Dice:
        """Return the dice of a part, from 0."""
        return _PartDice(self, part)

    def face(self, part: int, sides: int) -> int:
        """Draw the next face of a part, from 0."""
        self._mix()
        drawn, place = self._drawn[part], self._situation.places[part]
        described = {**self._description, **self._mixed, PART_HASH: self._situation.part(place)}
        drawn.append((sides, draw_face(self._seed, described, len(drawn), sides)))
        return drawn[-1][1]

    def recorded(self, draft: EntryDraft) -> EntryDraft:
        """Return the entry of the roll with what was asked, and with the record of the draw beside it.

        The record has what the dice hang on, and for each part the dice and how they were read. That is for all who are told
        what the part came to, unless something secret counted: then it is the staff's.
        """
        of_all = {**self._description, "version": 1, "slot": self._slot, **self._outside}
        parts = zip(draft.body["parts"], self._situation.places, self._drawn, strict=True)
        lines = [
            PartLine(
                place,
                STAFF_ALONE if part["secret"] else part["audience"],
                encode_canonical(self._record(place, drawn, part)),
            )
            for part, place, drawn in parts
        ]
        body = {**draft.body, ASKED: self._asked, **brief(self._outside)}
        return replace(draft, body=body, draw=format_record(encode_canonical(of_all), lines))

    def _record(self, place: int, drawn: Sequence[tuple[int, int]], part: Mapping[str, object]) -> dict[str, object]:
        return {"place": place, PART_HASH: self._situation.part(place), "dice": drawn, **read_part(part)}

    def _mix(self) -> None:
        """Mix in, once, what came from outside; only for the very roll for which it was asked."""
        if self._mixer is None:
            return
        given = self._mixer.given(self._description, self._asked["salt"], self._epoch_ends)
        self._mixer = None
        if given.description is not None:  # it was asked for a roll with a salt that was drawn then
            asked = {**self._asked, "salt": given.salt}
            fixed = situation(asked)
            description = {**self._description, "situation": fixed.placed.root}
            if description == given.description:
                self._asked, self._situation, self._description = asked, fixed, description
            else:
                why = "changed" if description["entry"] == given.description["entry"] else "overtaken"
                given = replace(given, answer=None, lacking=given.lacking or {"why": why})
        self._outside = {OUTSIDE: given.record()}
        self._mixed = find_outside_hashes(self._outside)


def brief(record: Mapping[str, Json]) -> dict[str, Json]:
    """Return what the body of a roll keeps of what came from outside: why nothing, or the number that random.org gave its answer."""
    outside = record.get(OUTSIDE, {})
    if "lacking" in outside:
        return {OUTSIDE: {"lacking": outside["lacking"]}}
    return {OUTSIDE: {"serial": json.loads(outside["random"])["serialNumber"]}} if "random" in outside else {}


class _PartDice(Struct, frozen=True):
    """The dice of one part of a draw, as `rules.dice.Dice`."""

    draw: Draw
    part: int

    def roll(self, term: DiceTerm) -> Roll:
        """Draw one face per die."""
        faces = tuple([self.draw.face(self.part, term.sides) for _ in range(term.count)])
        return Roll(term, faces, DRAWN)


def _asked(part: Part) -> dict[str, Json]:
    return {
        "key": part.key,
        "subjects": dict(part.subjects),
        "choices": dict(part.choices),
        "inputs": dict(part.inputs),
        "marks": dict(part.marks),
        "facts": {name: known.count for name, known in part.facts.items()},
        "adjustments": [item.value for item in part.adjustments],
    }


def read_part(part: Mapping[str, Json]) -> dict[str, Json]:
    """Return what the record of a part has of that part of a roll's body: its key, and how its dice were read, step by step."""
    return {"key": part["key"], "steps": [_read(step) for step in part["steps"]]}


def _read(step: Mapping[str, Json]) -> dict[str, Json]:
    """Return how the dice of a step were read: with what counted, to which total and outcome."""
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


def _dice(rolls: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    return [{"die": roll["die"], "faces": roll["faces"], "drawn": roll["drawn"]} for roll in rolls]
