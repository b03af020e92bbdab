"""What a roll card says: the situation, the exact odds, what counts, and the details of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.rolls.amended import KeptOutcome
from bot.rolls.card.store import CardView
from bot.rolls.embed import PRIVATE_REASON, consequences_text
from bot.rolls.preview import PartPreview, Preview
from bot.ui.text import DOT, bar, listing, plain, plus, shorten
from rules.book import Book
from rules.climate import Sky, condition_label, spoken_conditions
from rules.errors import nearest
from rules.modifiers import BY_HAND, Adjustment, Known, Origin, WeighedModifier, matching_facts
from rules.phrases import percent, signed
from rules.procedure import Chance, WeighedStage

NEAR_MISS = 0.8
"""How similar a typed region must be to a known one to count as a typo of it."""

MAX_NAMES, MAX_IN_LINE, MAX_TOGETHER = 200, 8, 2
FEW_ODDS = 8
"""So many outcomes a card has room for, however long their words are."""
ALL_OF = {2: "Both"}


def head_lines(view: CardView, part: int, undecided: str, notice: str | None) -> Iterator[str]:
    """Yield what is rolled, who against whom and where; `undecided` is where one says what the weather waits for."""
    preview, shown, sky = view.preview, view.preview.parts[part].part, view.preview.skies[part]
    names = {role: f"**{plain(shorten(name, MAX_NAMES))}**" for role, name in shown.subjects.items()}
    procedure = preview.procedure
    template = procedure.headline if procedure.subject in names else procedure.headline_alone
    unpicked = [f"{item.label}: pick it" for item in view.unpicked(part)]
    choices = ", ".join(unpicked or shown.choices.values())
    amends = view.request.amends
    yield f"## {f'Amend entry #{amends.number}: ' if amends else ''}{plain(procedure.title)}"
    yield template.format(**names) + (f" ({choices})" if choices else "")
    place = f"{DOT}{_describe_region(sky, preview.book)}" if preview.book.zones or sky.region else ""
    yield f"-# {plain(view.campaign.name)}{DOT}{plain(preview.update['name'])}{place}"
    if _waits_for_place(view.preview.parts[part]):
        yield f"-# Set *{undecided}* to count the weather where the {procedure.subject} is."
    if view.group:
        yield f"-# Only {plain(view.group)} and the game masters will see the result."
    if view.request.task:
        orders = [f"#{order.entry}" for order in view.request.task.orders]
        yield f"-# Carries out {'orders' if len(orders) > 1 else 'order'} {listing(orders)}."
    yield from (f"\N{WARNING SIGN} {plain(line)}" for line in view.ahead)
    yield from (f"\N{WARNING SIGN} {plain(shorten(line, MAX_NAMES))}" for line in view.doubts)
    if view.request.note:
        yield f"-# Note: {plain(shorten(view.request.note, 200))}"
    if preview.asks_reason and not view.request.reason and view.secrets:
        yield f"\N{WARNING SIGN} {plain(preview.asks_reason)} {'Amend' if amends else 'Roll'} asks for your reason."
    if notice:
        yield f"\N{WARNING SIGN} **{notice}**"


def odds_lines(view: CardView, shown: PartPreview) -> Iterator[str]:
    """Yield every outcome with its odds, one line each; in place of odds the dice that fell, where a roll is amended."""
    if view.kept is not None:
        yield from _kept(view.kept, view.preview.parts.index(shown))
    elif shown.odds:
        yield _odds_title(view)
        yield from map(_chance, shown.odds)
        yield from _together(view.preview, MAX_TOGETHER)


def weights(shown: PartPreview, tickable: str, *, secrets: bool) -> Iterator[str]:
    """Yield the sum of every stage, and what counts in it in one line for each origin; `tickable` is where one ticks, if anywhere."""
    yield from map(plain, shown.lines)
    counts = any(item.counted for stage in shown.stages for item in stage.modifiers)
    for stage in shown.stages:
        yield _stage_line(stage)
        yield from _by_origin([item for item in stage.modifiers if item.counted])
        yield from (f"Game master: {signed(item.value)} {_reason(item, secrets=secrets)}" for item in stage.adjustments)
        counts = counts or bool(stage.adjustments)
    if shown.stages and not counts and tickable:
        yield f"-# No modifiers yet. Tick what applies {tickable}."


def _stage_line(weighed: WeighedStage) -> str:
    """Return a table with what is thrown and added on it, and what the total is read against."""
    stage, table = weighed.stage, weighed.stage.table
    added = plus(weighed.sum) + (
        f" (limit, from {signed(weighed.uncapped)})" if weighed.uncapped != weighed.sum else ""
    )
    line = f"**{plain(table.title)}**{DOT}"
    if table.against is None:
        return f"{line}{table.die} {added}"
    number = "the roll before it" if stage.opposes else str(stage.number)
    reads = {"number": f"{number} {added}", "under": f"{table.die}, at most {number} {added}"}
    return line + reads.get(table.against.reads, f"{table.die} {added} against {number}")


def has_details(view: CardView, shown: PartPreview) -> bool:
    """Return whether the details of a part tell more than its card does."""
    follows = any(item.conclusion.consequences for item in shown.odds)
    beside = view.kept is not None or view.preview.joint is not None  # in place of odds, or of the rest of them
    return bool(shown.stages) or follows or beside or len(shown.odds) > FEW_ODDS


def details(view: CardView, shown: PartPreview) -> Iterator[str]:
    """Yield what follows from every outcome, every line that counts with origin and note, and what all parts come to together."""
    if shown.odds:
        yield _odds_title(view)
    for item in shown.odds:
        yield _chance(item)
        follows = consequences_text(item.conclusion.consequences, shown.part.subjects, shown.book.deeds)
        if follows:
            yield f"-# {follows}"
    for stage in shown.stages:
        yield _stage_line(stage)
        for weighed in (weighed for weighed in stage.modifiers if weighed.counted):
            origin = weighed.origin.label if weighed.origin else ""
            note = weighed.modifier.note or ""
            yield f"\N{BULLET} {DOT.join(filter(None, (_counted(weighed), plain(origin), plain(note))))}"
    yield from _together(view.preview)


def _kept(kept: KeptOutcome, part: int) -> Iterator[str]:
    """Yield how the dice of a roll that is amended fell, and what they come to as the card stands."""
    yield f"**Original dice (kept):** {', '.join(map(str, kept.faces[part])) or 'none'}"
    if kept.outcomes is None:
        yield "This needs more dice. They're rolled when you press Amend."
    else:
        yield f"**New result:** {plain(kept.outcomes[part])}"


def _chance(item: Chance) -> str:
    return f"`{bar(item.chance)}` **{percent(item.chance)}** {plain(item.conclusion.text)}"


def _together(preview: Preview, most: int | None = None) -> Iterator[str]:
    """Yield of parts that share a die how often all or any come to the same: the `most` likely alone, or how many, and which."""
    joint, many = preview.joint, len(preview.parts)
    if joint is None:
        return
    texts = {item.conclusion.outcome: plain(item.conclusion.text) for part in preview.parts for item in part.odds}
    for outcome, counts in sorted(joint.counts.items(), key=lambda item: item[1][0])[:most]:
        everyone = f"{ALL_OF.get(many, f'All {many}')} {texts[outcome]}: **{percent(counts[-1])}**"
        yield f"{everyone}; at least one: **{percent(1 - counts[0])}**"
        if most is None:
            yield "-# " + ", ".join(f"{n} of {many}: {percent(chance)}" for n, chance in enumerate(counts) if chance)
    for outcomes, chance in joint.each.items() if most is None else ():
        ways = [f"{plain(part.part.key)}: {texts[came]}" for part, came in zip(preview.parts, outcomes, strict=True)]
        yield f"-# {', '.join(ways)}{DOT}{percent(chance)}"


def _odds_title(view: CardView) -> str:
    hidden = view.preview.hides and not view.secrets
    return f"**Exact odds**{' (without hidden modifiers)' if hidden else ''}"


def _describe_region(sky: Sky, book: Book) -> str:
    if sky.region is None:
        return "no region"
    where = f"in {plain(sky.region)}"
    if sky.place is None:
        close = nearest(sky.region, [region.label for _, region in book.places.values()], likeness=NEAR_MISS)
        hint = f"; did you mean {plain(close)}?" if close else ""
        return f"{where} (no weather{hint})" if book.zones else where
    if sky.week is None:
        return f"{where} (no weather yet)"
    labels = [plain(condition_label(book, trait)) for trait in sky.conditions]
    return f"{where}: {listing(spoken_conditions(sky.conditions, labels))} (weather, week {sky.week})"


def _waits_for_place(shown: PartPreview) -> bool:
    """Return whether the present weather would count if one more fact were ticked, and none of those facts is."""
    manual, facts = set(shown.procedure.method.manual_facts), shown.part.facts
    modifiers = [item.modifier for item in shown.considered.values() if item.modifier.id not in shown.part.marks]
    clauses = [
        clause for modifier in modifiers for clause in modifier.when if manual & {*clause} and _of_sky(clause, shown)
    ]
    missing = manual & {fact for clause in clauses for fact in clause}
    supposed = {**dict.fromkeys(missing, Known(1, BY_HAND)), **facts}
    return missing.isdisjoint(facts) and matching_facts(tuple(clauses), supposed) is not None


def _of_sky(clause: Sequence[str], shown: PartPreview) -> bool:
    facts = shown.book.facts
    return any(fact in facts and facts[fact].role == "weather" for fact in clause)


def _by_origin(counted: Sequence[WeighedModifier]) -> Iterator[str]:
    """Yield modifiers in one line for each origin, or in several of a few each; what was ticked by hand needs no word about it."""
    alike: dict[Origin | None, list[str]] = {}
    for item in counted:
        by_hand = item.origin is None or item.origin.kind == BY_HAND.kind
        alike.setdefault(None if by_hand else item.origin, []).append(_counted(item))
    for origin, said in alike.items():
        source = f"{plain(origin.label[0].upper() + origin.label[1:])}: " if origin else ""
        for start in range(0, len(said), MAX_IN_LINE):
            yield source + ", ".join(said[start : start + MAX_IN_LINE])


def _counted(item: WeighedModifier) -> str:
    modifier = item.modifier
    label = modifier.label
    if item.origin is not None and item.origin.kind == "saved":
        label = re.sub(rf"^{re.escape(modifier.group)} (?:is|has|with) (?:an? )?", "", label, flags=re.IGNORECASE)
    times = f" \N{MULTIPLICATION SIGN} {item.count}" if item.count > 1 else ""
    return f"{signed(item.amount)} {plain(label)}{times}"


def _reason(item: Adjustment, *, secrets: bool) -> str:
    shown = PRIVATE_REASON if item.private and not secrets else plain(shorten(item.reason, 120))
    return f"{shown} (hidden)" if item.private and secrets else shown
