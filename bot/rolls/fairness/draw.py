"""The dice of one entry, which follow from its seed and what was asked, and the record to draw them again."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct, structs

from bot.core import draws, errors, seeds
from bot.core.ledger import SALT_BYTES, EntryDraft, Epoch, Ledger
from bot.core.records import Json, Link, encode_canonical
from bot.rolls.fairness import forms
from bot.rolls.fairness.outside import OutsideAnswer
from rules import dice, procedure
from rules.tables import ADJUSTED, DOUBLES

DRAWN = "seed"

ASKED = "situation"
"""What a body keeps of the parts as asked, and the secret under which they are hashed."""

_SALT = re.compile(r"[0-9a-f]{32}")


class _AskedParts(NamedTuple):
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
    parts: Sequence[procedure.Part]


class _Mixer(Protocol):
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
            what = f"Those are {len(asked.parts)} parts; one roll takes at most {draws.PLACES}."
            raise errors.BadInput(what, "Split it into two rolls.")
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
        self._mixer, self._epoch_ends = mixer, number - self._slot + seeds.SLOTS
        self._outside: dict[str, Json] = {}
        self._mixed: dict[str, str] = {}

    def of_part(self, part: int) -> dice.Dice:
        """Return the dice of a part, from 0."""
        return _PartDice(self, part)

    def face(self, part: int, sides: int) -> int:
        """Draw the next face of a part, from 0."""
        self._mix()
        drawn, place = self._drawn[part], self._situation.places[part]
        described = {**self._description, **self._mixed, seeds.PART_HASH: self._situation.part(place)}
        drawn.append((sides, draws.draw_face(self._seed, described, len(drawn), sides)))
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
        return structs.replace(draft, body=body, draw=draws.format_record(encode_canonical(of_all), lines))

    def _record(self, place: int, drawn: Sequence[tuple[int, int]], part: Mapping[str, object]) -> dict[str, object]:
        return {"place": place, seeds.PART_HASH: self._situation.part(place), "dice": drawn, **read_part(part)}

    def _mix(self) -> None:
        # Mix in what came from outside, once, and only for the roll it was asked for.
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
                given = structs.replace(given, answer=None, lacking=given.lacking or {"why": why})
        self._outside = {seeds.OUTSIDE: given.record()}
        self._mixed = seeds.find_outside_hashes(self._outside)


def brief(record: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a body keeps of random.org: the answer's serial, or why there is none."""
    outside = record.get(seeds.OUTSIDE, {})
    if "lacking" in outside:
        return {seeds.OUTSIDE: {"lacking": outside["lacking"]}}
    return {seeds.OUTSIDE: {"serial": json.loads(outside["random"])["serialNumber"]}} if "random" in outside else {}


class _PartDice(Struct, frozen=True):
    draw: Draw
    part: int

    def roll(self, term: dice.DiceTerm) -> dice.Roll:
        faces = tuple([self.draw.face(self.part, term.sides) for _ in range(term.count)])
        return dice.Roll(term, faces, DRAWN)


def _request_body(part: procedure.Part) -> dict[str, Json]:
    return {
        "key": part.key,
        "subjects": dict(part.subjects),
        "choices": dict(part.choices),
        "inputs": dict(part.inputs),
        "marks": dict(part.marks),
        "facts": {name: known.number for name, known in part.facts.items()},
        "adjustments": [item.value for item in part.adjustments],
    }


def read_part(part: Mapping[str, Json]) -> dict[str, Json]:
    """Return a part's key and how its dice were read, as its record has them."""
    return {"key": part["key"], "steps": [_read_step(step) for step in part["steps"]]}


def _read_step(step: Mapping[str, Json]) -> dict[str, Json]:
    if "table" not in step:
        return {"dice": _dice(step["dice"]), "text": step["text"]}
    counted = [(item["id"], item["value"], item["count"]) for item in step["modifiers"] if item["count"]]
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


Tables = Mapping[str, forms.TableForm]


def total_faults(step: forms.StepForm, tables: Tables) -> Iterator[str]:
    """Yield what is wrong with a step's sum, modifiers, die or outcome, compared with its table."""
    table = tables.get(step["table"])
    if table is None:
        yield f"the book has no table {step['table']}"
        return
    checks = (_sum_faults, _modifier_faults, _throw_faults, _outcome_faults)
    yield from (f"on {step['table']} {fault}" for check in checks for fault in check(step, table))


def sum_brought(steps: Sequence[forms.StepForm], tables: Tables) -> Counter[str]:
    """Count modifiers, values and dice of a part's steps that aren't printed in the steps' tables."""
    found: Counter[str] = Counter()
    totals: set[int] = set()
    for step in steps:
        table = tables[step["table"]]
        printed = {line["id"] for line in table["modifiers"]}
        found["modifiers"] += sum(name not in printed for name, _, _ in step["modifiers"])
        against = table.get("against")
        if against is not None and step.get("value") not in {against["value"], *totals}:
            found["values"] += 1
        found["dice"] += "pool" not in table and step["dice"][0]["die"] != table["die"]
        totals.add(step["total"])
    return found


def _sum_faults(step: forms.StepForm, table: forms.TableForm) -> Iterator[str]:
    counted = sum(value * count for _, value, count in step["modifiers"]) + sum(step["adjustments"])
    if step.get("uncapped", step["sum"]) != counted:
        yield f"what counted adds up to {counted:+}"
        return
    held = _cap(step, table, counted)
    if held != step["sum"]:
        yield f"what counted is capped at {held:+}, not at {step['sum']:+}"


def _cap(step: forms.StepForm, table: forms.TableForm, total: int) -> int:
    # Each group's cap counts, then the one of all. The group of an unprinted modifier is unknown: with one, a step is
    # believed if groups have caps.
    caps = {cap["group"]: cap for cap in table.get("caps", ())}
    if not caps:
        return total
    whole, groups = caps.pop(None, None), {line["id"]: line["group"] for line in table["modifiers"]}
    if caps and any(name not in groups for name, _, _ in step["modifiers"]):
        return step["sum"]
    amounts = Counter({ADJUSTED: sum(step["adjustments"])})
    for name, value, count in step["modifiers"]:
        amounts[groups.get(name, "")] += value * count
    total += sum(_clamp(cap, amounts[group or ""]) - amounts[group or ""] for group, cap in caps.items())
    return total if whole is None else _clamp(whole, total)


def _clamp(cap: forms.CapForm, amount: int) -> int:
    low, high = cap["low"], cap["high"]
    if low is not None and amount < low:
        return low
    return high if high is not None and amount > high else amount


def _modifier_faults(step: forms.StepForm, table: forms.TableForm) -> Iterator[str]:
    seen: set[str] = set()
    for name, value, count in step["modifiers"]:
        line = next((line for line in table["modifiers"] if line["id"] == name), None)
        if line is None:
            continue
        if name in seen:
            yield f"{name} is listed twice"
        seen.add(name)
        yield from _line_faults(line, value, count)


def _line_faults(line: forms.LineForm, value: int, count: int) -> Iterator[str]:
    printed, times = line["value"], line.get("times")
    # A line with `times` is taken as often as a fact has it, which may be nought or below.
    if value != printed and not (times and printed and value % printed == 0):
        yield f"{line['id']} has the value {value}, and the book's is {printed}"
    if count < 1 or (count > 1 and not (line.get("per") or times)):
        yield f"{line['id']} counts {count} times"


def _throw_faults(step: forms.StepForm, table: forms.TableForm) -> Iterator[str]:
    die, against = step["dice"][0]["die"], table.get("against")
    if (pool := _find_pool(step, table)) is not None:
        if die != str(pool):
            yield f"{die} was thrown, and the book has {pool}"
        if pool.first is not None and pool.below is not None and _read_first(pool, step) >= pool.below:
            yield "a pool was thrown again that wasn't too low"
    # Of a single die the sides may be others: a weapon is rolled with those that it has.
    elif die != table["die"] and not (die.startswith("1d") and table["die"].startswith("1d")):
        yield f"{die} was thrown, and the book has {table['die']}"
    if step.get("reads") != (against and against["reads"]) or ("value" in step) != (against is not None):
        yield "the total is read differently from the book"
    total, _ = _score(step, table)
    if step["total"] != total:
        yield f"the total is {total}, not {step['total']}"


def _find_pool(step: forms.StepForm, table: forms.TableForm) -> dice.PoolTerm | None:
    if "pool" not in table:
        return None
    pool, sides, faces = table["pool"], forms.term_of(table["die"])[1], step["dice"][0]["faces"]
    term = pool.term(sides, step["sum"])
    if len(faces) <= term.count or pool.push is None:
        return term
    again = sum(face not in pool.push.keep for face in faces[: term.count])
    pushed = structs.replace(pool, pushed=True).term(sides, step["sum"])
    return structs.replace(pushed, count=term.count + again, first=term.count)


def _read_first(pool: dice.PoolTerm, step: forms.StepForm) -> int:
    return structs.replace(pool, first=None).total(step["dice"][0]["faces"][: pool.first])


def _total_thrown(step: forms.StepForm, table: forms.TableForm) -> int:
    (rolled,), pool = step["dice"], _find_pool(step, table)
    return forms.total_of(rolled["die"], rolled["faces"]) if pool is None else pool.total(rolled["faces"])


def _score(step: forms.StepForm, table: forms.TableForm) -> tuple[int, int]:
    added = 0 if "pool" in table else step["sum"]
    thrown, value = _total_thrown(step, table), step.get("value", 0)
    match step.get("reads"):
        case "reach":
            return thrown + added, thrown + added - value
        case "under":
            return thrown, value + added - thrown
        case "number":
            return value + added, value + added
        case _:
            return thrown + added, thrown + added


def _outcome_faults(step: forms.StepForm, table: forms.TableForm) -> Iterator[str]:
    (face, perhaps, row), outcome = _outcomes(step, table), step["outcome"]
    _, read = _score(step, table)
    may_be = {*face, *perhaps, *row}
    if outcome not in may_be:
        yield f"{read} gives {' or '.join(sorted(may_be))}, not {outcome}"
    elif outcome not in ({*face, *perhaps} if step["natural"] else row):
        decides = "doesn't decide" if step["natural"] else "decides"
        yield f"the face {decides} alone"


def _outcomes(step: forms.StepForm, table: forms.TableForm) -> tuple[set[str], set[str], set[str]]:
    (rolled,) = step["dice"]
    thrown, highest, top = _total_thrown(step, table), forms.highest_of(table["die"]), forms.highest_of(rolled["die"])
    other = rolled["die"] != table["die"]
    # The highest face of another die counts as the table's highest, if it decides there too.
    face = {
        item["outcome"] for item in table["naturals"] if item["face"] == thrown and not (other and thrown == highest)
    }
    perhaps = {item["outcome"] for item in table["naturals"] if other and thrown == top and item["face"] == highest}
    readings = table["readings"].values()
    if face and not any(item.get("plain") for item in readings):
        return face, perhaps, set()
    _, read = _score(step, table)
    rows = [row for row in table["rows"] if row["min"] is None or row["min"] <= read]
    found = next((row["outcome"] for row in rows if row["max"] is None or read <= row["max"]), None)
    if found is None:
        return face, perhaps, set()
    given = {found, *(item["rows"][found] for item in readings if found in item["rows"])}
    doubles = table.get("doubles", {}) if thrown in DOUBLES else {}
    return face, perhaps, {doubles.get(outcome, outcome) for outcome in given}
