"""The body of a roll's entry: what it keeps, who sees which part, and how it reads."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.core import permissions, seeds
from bot.core.ledger import Body, EntryAudience, View
from bot.core.records import NAME_TEXT, Entry, Json, hide_name
from bot.rolls.fairness.outside import describe_outside
from bot.rolls.request import RollRequest
from bot.ui.text import DOT, has_words, plain
from rules import dice, modifiers
from rules.book import Book
from rules.books.headlines import HEADLINES, load_printed_deeds
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


def list_overruled(overruled: Iterable[modifiers.OverruledFact], *, led: bool) -> list[dict[str, Json]]:
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
    return part["audience"] == "results" or permissions.is_group(part["audience"])


def is_makers(body: Mapping[str, object]) -> bool:
    """Return whether a roll is for the staff and its maker."""
    return entry_audience(body) == "maker"


def was_kept_private(body: Mapping[str, Json]) -> bool:
    """Return whether a person, not the rules, kept a roll from players."""
    kept = body.get("to", "auto") not in {"auto", "results"}
    return kept or any(part["audience"] == "person" for part in body["parts"])


def list_thrown(part: Mapping[str, Json]) -> Iterator[dice.FallenDie]:
    """Yield a part's dice, unused ones last."""
    rolls = [roll for step in part["steps"] for roll in step.get("dice", [step])]
    for roll in (*rolls, *part.get("unused", ())):
        sides = dice.term_of(roll["die"]).sides
        first = roll.get("first", len(roll["faces"]))
        yield from (dice.FallenDie(sides, it, roll["drawn"], at >= first) for at, it in enumerate(roll["faces"]))


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
    adjusted = [{**_adjustment_body(index, at, item), "table": item.table} for at, item in enumerate(part.adjustments)]
    return {
        **({"adjustments": adjusted} if adjusted else {}),
        "key": part.key,
        "subjects": dict(part.subjects),
        "choices": dict(part.choices),
        "inputs": dict(part.inputs),
        "facts": {
            name: {"count": known.number, "origin": {"kind": known.origin.kind, "label": known.origin.label}}
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
    """Return a consequence as a body has it. Its text has `{to}` for the name; a `vague` one has no drawn number."""
    record: dict[str, object] = {"do": item.do, "to": subjects.get(item.to or ""), "amount": item.amount}
    record |= {"vague": deed.text.replace("{amount}", "some")} if isinstance(deed.amount, str) else {}
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
        **_pool_body(step.roll.term),
        **({"uncapped": step.uncapped} if step.uncapped != step.sum else {}),
    }


def _pool_body(term: dice.DiceTerm) -> dict[str, object]:
    if not isinstance(term, dice.PoolTerm):
        return {}
    return {"pool": term.reads, **({} if term.first is None else {"first": term.first})}


def throw_body(throw: Throw) -> dict[str, object]:
    """Return dice that no table reads, as a body has them."""
    source = throw.source and {"book": throw.source.book, "section": throw.source.section, "line": throw.line}
    return {
        "title": throw.title,
        "source": source,
        "dice": [dice_body(roll) for roll in throw.rolls],
        "text": throw.text,
    }


def dice_body(roll: dice.Roll) -> dict[str, object]:
    """Return dice as a body has them."""
    return {"die": str(roll.term), "faces": list(roll.faces), "drawn": roll.source}


def _modifier_body(item: modifiers.WeighedModifier) -> dict[str, object]:
    modifier = item.modifier
    record = {"id": modifier.id, "value": modifier.value, "line": modifier.line, "count": item.count}
    if not item.count:
        return {**record, "why": item.why}
    origin = item.origin and {"kind": item.origin.kind, "label": item.origin.label}
    return {**record, "label": modifier.label, "per": modifier.per, "origin": origin, "secret": item.secret}


def _adjustment_body(part: int, place: int, item: modifiers.Adjustment) -> dict[str, object]:
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


_OPTIONAL = re.compile(r"\[(.*?)\]")
"""Words that a sentence has only if their names are known."""

ROLLS = "{roller} rolls"


def headline(body: Body, part: Body, mark: str = "**", unknown: Collection[str] = ()) -> str:
    """Return who does what, with `mark` around names. `unknown` names are left out."""
    subjects = {role: hide_name(role) if name in unknown else name for role, name in part["subjects"].items()}
    template: str = body["headline"] if body["subject"] in subjects else body["headline_alone"]
    return fill_words(template, headline_names(subjects, part.get("inputs", {}), mark))


def headline_names(subjects: Mapping[str, str], inputs: Mapping[str, object], mark: str = "**") -> dict[str, str]:
    """Return what a headline can name: inputs by name, marked subjects by role."""
    taken = {name: plain(value) for name, value in inputs.items() if isinstance(value, str)}
    return taken | {role: f"{mark}{plain(name)}{mark}" for role, name in subjects.items()}


def fill_words(template: str, names: Mapping[str, str]) -> str:
    """Fill a headline's template with names, without spaces and colons at both ends."""
    return template.format(**names).strip(" :")


def outcome_line(  # noqa: PLR0913, PLR0917 - what happened, and how it is written
    body: Body, part: Body, text: str, mark: str = "**", unknown: Collection[str] = (), between: str = ": "
) -> str:
    """Return a part's result as a sentence that names its subjects. `text` begins with the outcome."""
    outcome = _outcome(part)
    said, follows = result_sentence(body, part, mark, unknown)
    if said and text.startswith(outcome):
        more = f", {follows[0].lower()}{follows[1:]}" if follows else ""
        return f"{said}{more}{text.removeprefix(outcome)}"
    about = headline(body, part, mark, unknown)
    return text if has_words(text, about) else about if has_words(about, text) else f"{about}{between}{text}"


def title(body: Body, part: Body, view: View) -> str:
    """Return a part's title: `Ghost caught by Kilo · 21 vs 18`."""
    said, _ = result_sentence(body, part, mark="")
    line = said or outcome_line(body, part, _outcome(part) or "Not rolled", mark="", between=DOT)
    numbers = _find_numbers(part) if view == "staff" or not part["secret"] else ""
    return f"{line}{DOT}{numbers}" if numbers else line


def _outcome(part: Body) -> str:
    text = plain(part["outcome"]["text"]) if part["outcome"] else ""
    return text.rstrip(".") or text


def result_sentence(body: Body, part: Body, mark: str, unknown: Collection[str] = ()) -> tuple[str, str]:
    """Return a part's result as one sentence and what follows; "" for none."""
    outcome = _outcome(part)
    subjects = {role: hide_name(role) if name in unknown else name for role, name in part["subjects"].items()}
    names = headline_names(subjects, part.get("inputs", {}), mark) | {"title": plain(body["title"]), "outcome": outcome}
    plainly = body["headline_alone"] == ROLLS
    kind = ("house", "") if plainly else (body["book"], body["family"])
    for start, written in HEADLINES.get(kind, {}).items():
        if start and outcome != start and not outcome.startswith((f"{start}:", f"{start};", f"{start} (")):
            continue
        template, _, follows = written.partition(". ")
        lead, whole, _ = template.partition(": {outcome}")
        if whole and has_words(outcome, _fill(lead, names)):
            return outcome, ""
        said = _fill(template, names)
        return (said + outcome.removeprefix(start), follows) if start and said else (said, "")
    return "", ""


def _fill(template: str, names: Mapping[str, str]) -> str:
    # Fill a sentence. Bracketed words with a missing name go; any other missing name empties it.
    for words in _OPTIONAL.findall(template):
        template = template.replace(f"[{words}]", words if _fill(words, names) else "")
    try:
        return template.format_map(names)
    except KeyError:
        return ""


def _find_numbers(part: Body) -> str:
    steps = [step for step in part["steps"] if "dice" not in step]
    if not steps or len({step["table"] for step in steps}) < len(steps):
        return ""
    step = steps[-1]
    if step["natural"]:
        return f"natural {join_faces(step)}"
    total, row = number(step["total"]), step["row"]
    if "pool" in step and "reads" not in step:
        return total
    needed = row["min"] if row["max"] is None else row["max"] + 1 if row["min"] is None else None
    match step.get("reads"):
        case "number":
            return ""
        case "reach":
            needed = step["value"]
        case "under":
            total, needed = join_faces(step), step["value"] + step["sum"]
    return total if needed is None else f"{total} vs {number(needed)}"


def join_faces(roll: Body) -> str:
    """Join faces as a sum (`3 + 4`), or as digits for d66."""
    return ("" if dice.term_of(roll["die"]).digits else " + ").join(map(str, roll["faces"]))


def number(value: int) -> str:
    """Return a number with a true minus sign."""
    return str(value).replace("-", "\N{MINUS SIGN}")


def cite_steps(body: Body, steps: Sequence[Any]) -> Iterator[str]:
    """Yield sources by book, with section and line where there is just one."""
    sources = [step["source"] for step in steps if step["source"]]
    for book in dict.fromkeys(source["book"] for source in sources):
        mine = [source for source in sources if source["book"] == book]
        sections, lines = {source["section"] for source in mine}, {source["line"] for source in mine}
        title = body.get("cited", {}).get(book, book)  # entries made before titles were kept have none
        section = f", {sections.pop()}" if len(sections) == 1 else ""
        yield f"{title}{section}" + (f", line {lines.pop()}" if len(lines) == 1 else "")


def describe_sources(body: Body, parts: Iterable[Body]) -> list[str]:
    """Return books, house rules and outside dice of these parts."""
    cited: list[str] = []
    for part in parts:  # of several tables, the last one decides
        tables = [step for step in part["steps"] if "dice" not in step]
        cited += cite_steps(body, [*(step for step in part["steps"] if "dice" in step), *tables[-1:]])
    used = body.get("bears", body.get("house"))
    house = [f"House rules: {', '.join(used)}"] if used else []
    outside = [describe_outside(body[seeds.OUTSIDE])] if seeds.OUTSIDE in body else []
    return [*dict.fromkeys(cited), *house, *outside]
