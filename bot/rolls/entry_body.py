"""The body of a roll's entry: everything that was known, considered, rolled and decided; and who sees which part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from bot.core.encoding import Json
from bot.core.ledger import EntryAudience
from bot.core.permissions import is_group
from bot.core.records import NAME_TEXT, Entry
from bot.rolls.request import RollRequest
from rules.book import Book
from rules.books.headlines import printed_deeds
from rules.dice import Roll, term_of
from rules.modifiers import Adjustment, OverruledFact, WeighedModifier
from rules.procedure import PartResult, Procedure, Resolution, Step, Throw
from rules.tables import Calls, Consequence, Deed


def roll_body(
    request: RollRequest,
    procedure: Procedure,
    resolution: Resolution,
    update: dict[str, Json],
    told: Sequence[EntryAudience],
) -> dict[str, Json]:
    """Return the body of a roll's entry, without free texts: those are named here and stored beside it.

    `told` is who sees what each part comes to.
    """
    return {
        "book": resolution.book,
        "cited": dict(resolution.cited),
        "family": procedure.family,
        "title": procedure.title,
        "actor": procedure.actor,
        "subject": procedure.subject,
        "headline": procedure.headline,
        "headline_alone": procedure.headline_alone,
        "region": request.region,
        "week": request.week,
        "to": request.to,
        **({} if request.here is None else {"here": str(request.here)}),
        **({} if request.scene is None else {"scene": request.scene}),
        **({"at_home": True} if request.at_home and any(map(request.where, request.parts)) else {}),
        "update": {"number": update["number"], "name": update["name"]},
        "parts": [
            {
                **_part(index, part, audience, resolution.deeds),
                **({} if asked.region is None else {"region": asked.region}),
            }
            for index, (part, audience, asked) in enumerate(zip(resolution.parts, told, request.parts, strict=True))
        ],
    }


def send_secrets_to_staff(request: RollRequest, secret: Collection[int]) -> RollRequest:
    """Return a request that is the staff's where somebody secret is in it (`secret` as for `roll_body`) and it was typed among a group.

    A group to which a game master has sent it is told all the same.
    """
    typed_there = is_group(request.to) and request.here is not None
    return request.model_copy(update={"to": "staff"}) if secret and typed_there else request


def home_of(entry: Entry) -> int | None:
    """Return the channel of its own (id) that a roll's public result has; None for the results channel."""
    body = entry.content()
    return int(body["here"]) if "here" in body and body["to"] == "auto" else None


def rollers(entry: Entry) -> Mapping[str, str]:
    """Return who rolled for whom, as pseudonyms by role; nobody where nobody could roll under a label of their own."""
    by: Mapping[str, str] = entry.content().get("by", {}) if entry.kind == "roll" else {}
    return by


def overruled_body(overruled: Iterable[OverruledFact], *, led: bool) -> list[dict[str, Json]]:
    """Return what was taken away by hand of what is known of a part, as its body keeps it.

    Where no game master had a hand in it, what is secret is left out unless it was unticked: who cannot see it does not
    know what they did.
    """
    told = (item for item in overruled if led or item.unticked or not item.secret)
    return [{"label": item.label, "secret": item.secret} for item in told]


def texts(request: RollRequest) -> dict[str, str]:
    """Return the free texts of a request by the names that the body has for them."""
    why = request.amends and request.amends.why
    given = (("note", request.note), ("reason", request.reason), ("amended", why))
    named_texts = {name: text for name, text in given if text}
    named_texts |= {NAME_TEXT + role: name for role, name in request.people.items()}
    for index, part in enumerate(request.parts):
        for place, adjustment in enumerate(part.adjustments):
            named_texts[_adjustment_name(index, place)] = adjustment.reason
    return named_texts


def entry_audience(body: Mapping[str, Json], _before: Sequence[str] = ()) -> EntryAudience:
    """Return the audience of the whole entry: `mixed` when only some parts are public."""
    audiences: set[EntryAudience] = {part["audience"] for part in body["parts"]}
    return audiences.pop() if len(audiences) == 1 else "mixed"


def is_shared(part: Mapping[str, Json]) -> bool:
    """Tell whether others than the staff are told of a part: everybody, or a group, and then no one else sees its entry."""
    return part["audience"] == "results" or is_group(part["audience"])


def is_makers(body: Mapping[str, object]) -> bool:
    """Tell whether a roll is for the staff and who has rolled: whoever of those reads of it reads all."""
    return entry_audience(body) == "maker"


def was_kept_private(body: Mapping[str, Json]) -> bool:
    """Tell whether a roll was kept from players by who made it, rather than by the rules."""
    kept = body.get("to", "auto") not in {"auto", "results"}
    return kept or any(part["audience"] == "person" for part in body["parts"])


def list_thrown(part: Mapping[str, Json]) -> Iterator[tuple[int, int, str]]:
    """Yield every die of a part as its body keeps it, unused ones last: sides, face and source, which may be `SHARED`."""
    rolls = [roll for step in part["steps"] for roll in step.get("dice", [step])]
    for roll in (*rolls, *part.get("unused", ())):
        sides = term_of(roll["die"]).sides
        yield from ((sides, face, roll["drawn"]) for face in roll["faces"])


def is_calculated(part: Mapping[str, Json]) -> bool:
    """Tell whether a part has more than lines of text behind it: dice, a table, or what was counted."""
    return any(step.get("dice", True) or step["title"] for step in part["steps"])


def deed_of(parts: Iterable[Mapping[str, object]]) -> str:
    """Return what is said of a roll for that it was made: where no die of these parts was thrown, nothing was rolled."""
    return "Rolled" if any(True for part in parts for _ in list_thrown(part)) else "Done"


def _part(index: int, result: PartResult, audience: EntryAudience, deeds: Mapping[str, Deed]) -> dict[str, object]:
    part, conclusion = result.part, result.conclusion
    done = [(deeds[item.do], item) for item in (conclusion.consequences if conclusion else ())]
    adjusted = [{**_adjustment(index, place, item), "table": item.table} for place, item in enumerate(part.adjustments)]
    return {
        **({"adjustments": adjusted} if adjusted else {}),
        "key": part.key,
        "subjects": dict(part.subjects),
        "choices": dict(part.choices),
        "inputs": dict(part.inputs),
        "facts": {
            name: {"count": known.count, "origin": {"kind": known.origin.kind, "label": known.origin.label}}
            for name, known in part.facts.items()
        },
        "marks": dict(part.marks),
        "audience": audience,
        "secret": result.secret,
        "unrolled": result.unrolled,
        "outcome": conclusion and {"id": conclusion.outcome, "text": conclusion.text, "tone": conclusion.tone},
        "consequences": [done_body(deed, item, part.subjects) for deed, item in done],
        "steps": [_step(index, step, result) if isinstance(step, Step) else throw_body(step) for step in result.steps],
        "record": dict(result.record),
    }


def done_body(deed: Deed, item: Consequence, subjects: Mapping[str, str]) -> dict[str, object]:
    """Return what is done to whom, and what that calls for; its text has `{to}` in place of the name."""
    record = {"do": item.do, "to": subjects.get(item.to or ""), "amount": item.amount}
    return {**record, "text": deed.sentence(item.amount), **({"calls": deed.calls} if deed.calls else {})}


def read_deed(record: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return what is done as an entry has it, with text and calls too where it is too old to have them."""
    if "text" in record:
        return record
    deed = printed_deeds()[record["do"]]
    return {**record, "text": deed.sentence(record["amount"]), "calls": deed.calls}


def calls(part: Mapping[str, Json], what: Calls | None = None) -> Iterator[Mapping[str, Json]]:
    """Yield what of a part calls for something to be written; for one thing alone, where it is named."""
    told = (item for item in map(read_deed, part["consequences"]) if item.get("calls"))
    return (item for item in told if what in {None, item["calls"]})


def _step(index: int, step: Step, result: PartResult) -> dict[str, object]:
    places: Sequence[object] = result.part.adjustments
    source = step.row.source or step.table.source
    return {
        "table": step.table.id,
        "title": step.table.title,
        "source": {"book": source.book, "section": source.section, "line": step.row.line},
        "die": str(step.roll.term),
        "faces": list(step.roll.faces),
        "drawn": step.roll.source,
        "modifiers": [_considered(item) for item in step.modifiers],
        "adjustments": [_adjustment(index, places.index(item), item) for item in step.adjustments],
        "sum": step.sum,
        "total": step.total,
        "row": {"outcome": step.row.outcome, "text": step.row.text, "min": step.row.min, "max": step.row.max},
        "natural": step.natural,
        **({"reads": step.table.against.reads, "value": step.value} if step.table.against else {}),
        **({"uncapped": step.uncapped} if step.uncapped != step.sum else {}),
    }


def throw_body(throw: Throw) -> dict[str, object]:
    """Return dice that were read otherwise than on a table, as a body keeps them."""
    source = throw.source and {"book": throw.source.book, "section": throw.source.section, "line": throw.line}
    return {
        "title": throw.title,
        "source": source,
        "dice": [dice_body(roll) for roll in throw.rolls],
        "text": throw.text,
    }


def dice_body(roll: Roll) -> dict[str, object]:
    """Return dice as a body keeps them."""
    return {"die": str(roll.term), "faces": list(roll.faces), "drawn": roll.source}


def _considered(item: WeighedModifier) -> dict[str, object]:
    modifier = item.modifier
    record = {"id": modifier.id, "value": modifier.value, "line": modifier.line, "count": item.count}
    if not item.counted:
        return {**record, "why": item.why}
    origin = item.origin and {"kind": item.origin.kind, "label": item.origin.label}
    return {**record, "label": modifier.label, "per": modifier.per, "origin": origin, "secret": item.secret}


def _adjustment(part: int, place: int, item: Adjustment) -> dict[str, object]:
    return {"value": item.value, "text": _adjustment_name(part, place), "private": item.private}


def _adjustment_name(part: int, place: int) -> str:
    return f"adjustment.{part}.{place}"


def house_rules_used(resolution: Resolution, book: Book) -> list[str]:
    """Return the house rules that brought or changed the tables that were rolled on."""
    steps = (step for part in resolution.parts for step in part.steps if isinstance(step, Step))
    files = {file for step in steps for file in step.table.files}
    return [version for version in book.versions if version in files]


def list_audiences(
    request: RollRequest, resolution: Resolution, secret: Collection[int] = (), *, quiet: bool = False
) -> list[EntryAudience]:
    """Return who sees the result of each part.

    `secret` are the places of parts with somebody of whom players may not know: they go to the staff alone. What is `quiet`
    goes to its maker too, and to nobody else.
    """
    parts = enumerate(resolution.parts)
    told = [_audience_of(part, request, secret=place in secret, quiet=quiet) for place, part in parts]
    if {*told} == {"staff", "maker"}:  # mixed, all would read that there is something of which they read nothing
        return ["staff"] * len(told)
    return told


def _audience_of(part: PartResult, request: RollRequest, *, secret: bool, quiet: bool) -> EntryAudience:
    """Return who sees the result of a part: as requested, or else as the rules have it, but never somebody's secret."""
    if request.to == "me":
        return "person"
    if request.to != "auto":
        return request.to
    if secret or (part.conclusion is None and not quiet):
        return "staff"
    usual = part.conclusion.audience if part.conclusion else "results"
    return "maker" if quiet and usual == "results" else usual
