"""The body of a roll's entry, and who sees which part."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from bot.core.ledger import EntryAudience
from bot.core.permissions import is_group
from bot.core.records import NAME_TEXT, Entry, Json
from bot.rolls.request import RollRequest
from rules.book import Book
from rules.books.headlines import load_printed_deeds
from rules.dice import Roll, term_of
from rules.modifiers import Adjustment, OverruledFact, WeighedModifier
from rules.procedure import PartResult, Procedure, Resolution, Step, Throw
from rules.tables import Calls, Consequence, ConsequenceKind


def roll_body(
    request: RollRequest,
    procedure: Procedure,
    resolution: Resolution,
    update: dict[str, Json],
    audiences: Sequence[EntryAudience],
) -> dict[str, Json]:
    """Return a roll's body. Free texts are stored next to it. `audiences` are the parts' audiences."""
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
                **_part_body(index, part, audience, resolution.deeds),
                **({} if asked.region is None else {"region": asked.region}),
            }
            for index, (part, audience, asked) in enumerate(
                zip(resolution.parts, audiences, request.parts, strict=True)
            )
        ],
    }


def home_of(entry: Entry) -> int | None:
    """Return the channel (id) of a public result; None for the results channel."""
    body = entry.content()
    return int(body["here"]) if "here" in body and body["to"] == "auto" else None


def find_rollers(entry: Entry) -> Mapping[str, str]:
    """Return pseudonyms by role, where people roll under their own names."""
    by: Mapping[str, str] = entry.content().get("by", {}) if entry.kind == "roll" else {}
    return by


def list_overruled(overruled: Iterable[OverruledFact], *, led: bool) -> list[dict[str, Json]]:
    """Return facts removed by hand. A player's body names secret ones only if they unticked them."""
    visible = (item for item in overruled if led or item.unticked or not item.secret)
    return [{"label": item.label, "secret": item.secret} for item in visible]


def list_texts(request: RollRequest) -> dict[str, str]:
    """Return a request's free texts by the names the body uses."""
    why = request.amends and request.amends.why
    given = (("note", request.note), ("reason", request.reason), ("amended", why))
    named_texts = {name: text for name, text in given if text}
    named_texts |= {NAME_TEXT + role: name for role, name in request.people.items()}
    for index, part in enumerate(request.parts):
        for place, adjustment in enumerate(part.adjustments):
            named_texts[_adjustment_name(index, place)] = adjustment.reason
    return named_texts


def entry_audience(body: Mapping[str, Json], _before: Sequence[str] = ()) -> EntryAudience:
    """Return the audience of an entry: `mixed` if only some parts are public."""
    audiences: set[EntryAudience] = {part["audience"] for part in body["parts"]}
    return audiences.pop() if len(audiences) == 1 else "mixed"


def is_shared(part: Mapping[str, Json]) -> bool:
    """Return whether a part goes to every player or a group."""
    return part["audience"] == "results" or is_group(part["audience"])


def is_makers(body: Mapping[str, object]) -> bool:
    """Return whether a roll is for the staff and its maker."""
    return entry_audience(body) == "maker"


def was_kept_private(body: Mapping[str, Json]) -> bool:
    """Return whether a person, not the rules, kept a roll from players."""
    kept = body.get("to", "auto") not in {"auto", "results"}
    return kept or any(part["audience"] == "person" for part in body["parts"])


def list_thrown(part: Mapping[str, Json]) -> Iterator[tuple[int, int, str]]:
    """Yield a part's dice as (sides, face, source), unused ones last."""
    rolls = [roll for step in part["steps"] for roll in step.get("dice", [step])]
    for roll in (*rolls, *part.get("unused", ())):
        sides = term_of(roll["die"]).sides
        yield from ((sides, face, roll["drawn"]) for face in roll["faces"])


def is_calculated(part: Mapping[str, Json]) -> bool:
    """Return whether a part has more than lines of text: dice, a table or modifiers."""
    return any(step.get("dice", True) or step["title"] for step in part["steps"])


def choose_verb(parts: Iterable[Mapping[str, object]]) -> str:
    """Return "Rolled", or "Done" if no die of these parts was thrown."""
    return "Rolled" if any(True for part in parts for _ in list_thrown(part)) else "Done"


def _part_body(
    index: int, result: PartResult, audience: EntryAudience, deeds: Mapping[str, ConsequenceKind]
) -> dict[str, object]:
    part, conclusion = result.part, result.conclusion
    done = [(deeds[item.do], item) for item in (conclusion.consequences if conclusion else ())]
    adjusted = [
        {**_adjustment_body(index, place, item), "table": item.table} for place, item in enumerate(part.adjustments)
    ]
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
        "consequences": [consequence_body(deed, item, part.subjects) for deed, item in done],
        "steps": [
            _step_body(index, step, result) if isinstance(step, Step) else throw_body(step) for step in result.steps
        ],
        "record": dict(result.record),
    }


def consequence_body(deed: ConsequenceKind, item: Consequence, subjects: Mapping[str, str]) -> dict[str, object]:
    """Return a consequence as a body has it. Its text has `{to}` for the name."""
    record = {"do": item.do, "to": subjects.get(item.to or ""), "amount": item.amount}
    return {**record, "text": deed.sentence(item.amount), **({"calls": deed.calls} if deed.calls else {})}


def read_consequence(record: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return a consequence with text and calls, which old entries lack."""
    if "text" in record:
        return record
    deed = load_printed_deeds()[record["do"]]
    return {**record, "text": deed.sentence(record["amount"]), "calls": deed.calls}


def list_calls(part: Mapping[str, Json], what: Calls | None = None) -> Iterator[Mapping[str, Json]]:
    """Yield a part's consequences that call for something, or for `what` only."""
    calls = (item for item in map(read_consequence, part["consequences"]) if item.get("calls"))
    return (item for item in calls if what in {None, item["calls"]})


def _step_body(index: int, step: Step, result: PartResult) -> dict[str, object]:
    places: Sequence[object] = result.part.adjustments
    source = step.row.source or step.table.source
    return {
        "table": step.table.id,
        "title": step.table.title,
        "source": {"book": source.book, "section": source.section, "line": step.row.line},
        "die": str(step.roll.term),
        "faces": list(step.roll.faces),
        "drawn": step.roll.source,
        "modifiers": [_modifier_body(item) for item in step.modifiers],
        "adjustments": [_adjustment_body(index, places.index(item), item) for item in step.adjustments],
        "sum": step.sum,
        "total": step.total,
        "row": {"outcome": step.row.outcome, "text": step.row.text, "min": step.row.min, "max": step.row.max},
        "natural": step.natural,
        **({"reads": step.table.against.reads, "value": step.value} if step.table.against else {}),
        **({"uncapped": step.uncapped} if step.uncapped != step.sum else {}),
    }


def throw_body(throw: Throw) -> dict[str, object]:
    """Return dice that no table reads, as a body has them."""
    source = throw.source and {"book": throw.source.book, "section": throw.source.section, "line": throw.line}
    return {
        "title": throw.title,
        "source": source,
        "dice": [dice_body(roll) for roll in throw.rolls],
        "text": throw.text,
    }


def dice_body(roll: Roll) -> dict[str, object]:
    """Return dice as a body has them."""
    return {"die": str(roll.term), "faces": list(roll.faces), "drawn": roll.source}


def _modifier_body(item: WeighedModifier) -> dict[str, object]:
    modifier = item.modifier
    record = {"id": modifier.id, "value": modifier.value, "line": modifier.line, "count": item.count}
    if not item.is_counted:
        return {**record, "why": item.why}
    origin = item.origin and {"kind": item.origin.kind, "label": item.origin.label}
    return {**record, "label": modifier.label, "per": modifier.per, "origin": origin, "secret": item.secret}


def _adjustment_body(part: int, place: int, item: Adjustment) -> dict[str, object]:
    return {"value": item.value, "text": _adjustment_name(part, place), "private": item.private}


def _adjustment_name(part: int, place: int) -> str:
    return f"adjustment.{part}.{place}"


def house_rules_used(resolution: Resolution, book: Book) -> list[str]:
    """Return the house rules that changed the tables which a roll used."""
    steps = (step for part in resolution.parts for step in part.steps if isinstance(step, Step))
    files = {file for step in steps for file in step.table.files}
    return [version for version in book.versions if version in files]


def list_audiences(
    request: RollRequest, resolution: Resolution, secret: Collection[int] = (), *, quiet: bool = False
) -> list[EntryAudience]:
    """Return each part's audience: staff for `secret` parts (places); if `quiet`, staff and maker for public ones."""
    parts = enumerate(resolution.parts)
    audiences = [_audience_of(part, request, secret=place in secret, quiet=quiet) for place, part in parts]
    if {*audiences} == {"staff", "maker"}:  # mixed, all would read that there is something of which they read nothing
        return ["staff"] * len(audiences)
    return audiences


def _audience_of(part: PartResult, request: RollRequest, *, secret: bool, quiet: bool) -> EntryAudience:
    if request.to == "me":
        return "person"
    if request.to != "auto":
        return request.to
    if secret or (part.conclusion is None and not quiet):
        return "staff"
    usual = part.conclusion.audience if part.conclusion else "results"
    return "maker" if quiet and usual == "results" else usual
