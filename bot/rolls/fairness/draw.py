"""The dice of one entry, which follow from its seed and what was asked, and the record to draw them again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from bot.core import draws
from bot.core.epochs import Epoch
from bot.core.errors import BadInput
from bot.core.ledger import SALT_BYTES, EntryDraft, Ledger
from bot.core.records import Json, Link, encode_canonical
from bot.core.seeds import OUTSIDE, PART_HASH, SLOTS, draw_face, find_outside_hashes
from bot.rolls.fairness.outside import OutsideAnswer
from rules.dice import Dice, DiceTerm, Roll
from rules.procedure import Part

DRAWN = "seed"

ASKED = "situation"
"""What a body keeps of the parts as asked, and the secret under which they are hashed."""

_SALT = re.compile(r"[0-9a-f]{32}")


class _AskedParts(NamedTuple):
    """The places of a roll's parts in order, and what was asked for them."""

    places: list[int]
    placed: draws.PlacedTexts

    def part(self, place: int) -> str:
        return self.placed.hash_at(place)


def situation(kept: Mapping[str, Json]) -> _AskedParts:
    """Rebuild what was asked for each part from what a body keeps."""
    salt, parts = kept["salt"], kept["parts"]
    if not _SALT.fullmatch(salt):
        raise ValueError("a salt has 16 bytes")
    found = draws.draw_places(salt, len(parts))
    return _AskedParts(found, draws.PlacedTexts(salt, dict(zip(found, map(encode_canonical, parts), strict=True))))


class DrawRequest(NamedTuple):
    """What is fixed before any die: family, book fingerprint, command or press (id), and parts."""

    family: str
    book: str
    interaction: int | None
    parts: Sequence[Part]


class _Mixer(Protocol):
    """Where randomness from outside comes from."""

    def obtain(self, description: Mapping[str, Json], salt: str, epoch_ends: int) -> OutsideAnswer:
        """Return random.org's answer once the transaction runs again.

        `salt` is that of what was asked. Entry `epoch_ends` is in the next epoch.
        """


class Draw:
    """The dice of the entry after a link. A `mixer` is asked before the first die."""

    def __init__(
        self, epoch: Epoch, link: Link, asked: DrawRequest, ledger: Ledger, mixer: _Mixer | None = None
    ) -> None:
        if len(asked.parts) > draws.PLACES:
            raise BadInput(
                f"Those are {len(asked.parts)} parts; one roll takes at most {draws.PLACES}.",
                "Split it into two rolls.",
            )
        number = link.number + 1
        self._asked_body: dict[str, Json] = {
            "salt": ledger.random_id(SALT_BYTES),
            "parts": [_request_body(part) for part in asked.parts],
        }
        self._situation = situation(self._asked_body)
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

    def add_record(self, draft: EntryDraft) -> EntryDraft:
        """Add the record of the draw, and what was asked, to an entry.

        A part's record has its dice and how they were read. Its readers are the part's, or the staff if something secret counted.
        """
        of_all = {**self._description, "version": 1, "slot": self._slot, **self._outside}
        parts = zip(draft.body["parts"], self._situation.places, self._drawn, strict=True)
        lines = [
            draws.PartLine(
                place,
                draws.STAFF_ALONE if part["secret"] else part["audience"],
                encode_canonical(self._record(place, drawn, part)),
            )
            for part, place, drawn in parts
        ]
        body = {**draft.body, ASKED: self._asked_body, **brief(self._outside)}
        return replace(draft, body=body, draw=draws.format_record(encode_canonical(of_all), lines))

    def _record(self, place: int, drawn: Sequence[tuple[int, int]], part: Mapping[str, object]) -> dict[str, object]:
        return {"place": place, PART_HASH: self._situation.part(place), "dice": drawn, **read_part(part)}

    def _mix(self) -> None:
        """Mix in what came from outside, once, and only for the roll it was asked for."""
        if self._mixer is None:
            return
        given = self._mixer.obtain(self._description, self._asked_body["salt"], self._epoch_ends)
        self._mixer = None
        if given.description is not None:  # it was asked for a roll with a salt that was drawn then
            asked = {**self._asked_body, "salt": given.salt}
            fixed = situation(asked)
            description = {**self._description, "situation": fixed.placed.root}
            if description == given.description:
                self._asked_body, self._situation, self._description = asked, fixed, description
            else:
                why = "changed" if description["entry"] == given.description["entry"] else "overtaken"
                given = replace(given, answer=None, lacking=given.lacking or {"why": why})
        self._outside = {OUTSIDE: given.record()}
        self._mixed = find_outside_hashes(self._outside)


def brief(record: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a body keeps of random.org: the answer's serial, or why there is none."""
    outside = record.get(OUTSIDE, {})
    if "lacking" in outside:
        return {OUTSIDE: {"lacking": outside["lacking"]}}
    return {OUTSIDE: {"serial": json.loads(outside["random"])["serialNumber"]}} if "random" in outside else {}


class _PartDice(Struct, frozen=True):
    """The dice of one part, as `rules.dice.Dice`."""

    draw: Draw
    part: int

    def roll(self, term: DiceTerm) -> Roll:
        faces = tuple([self.draw.face(self.part, term.sides) for _ in range(term.count)])
        return Roll(term, faces, DRAWN)


def _request_body(part: Part) -> dict[str, Json]:
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
    """Return a part's key and how its dice were read, as its record has them."""
    return {"key": part["key"], "steps": [_read_step(step) for step in part["steps"]]}


def _read_step(step: Mapping[str, Json]) -> dict[str, Json]:
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
