"""What a roll card says: the situation, the exact odds, what counts, and the details."""

import re
from collections.abc import Iterator, Sequence

from bot.rolls.card.store import CardView
from bot.rolls.embed import PRIVATE_REASON, consequences_text
from bot.rolls.preview import PartPreview, Preview
from bot.ui import text
from rules import climate, errors
from rules.book import Book
from rules.modifiers import BY_HAND, Adjustment, KnownFact, Origin, WeighedModifier, find_matching_facts
from rules.phrases import format_signed, percent
from rules.procedure import Chance, WeighedStage

NEAR_MISS = 0.8
MAX_NAMES, MAX_IN_LINE, MAX_TOGETHER = 200, 8, 2
FEW_ODDS = 8
ALL_OF = {2: "Both"}


def head_lines(view: CardView, part: int, undecided: str, notice: str | None) -> Iterator[str]:
    """Yield a card's heading: who rolls what, where. `undecided` is where to tick what the weather waits for."""
    preview, shown, sky = view.preview, view.preview.parts[part].part, view.preview.skies[part]
    names = {role: f"**{text.plain(text.shorten(name, MAX_NAMES))}**" for role, name in shown.subjects.items()}
    procedure = preview.procedure
    template = procedure.headline if procedure.subject in names else procedure.headline_alone
    unpicked = [f"{item.label}: pick it" for item in view.open_choices(part)]
    choices = ", ".join(unpicked or shown.choices.values())
    amends = view.request.amends
    yield f"## {f'Amend entry #{amends.number}: ' if amends else ''}{text.plain(procedure.title)}"
    yield template.format(**names) + (f" ({choices})" if choices else "")
    place = f"{text.DOT}{_describe_region(sky, preview.book)}" if preview.book.zones or sky.region else ""
    yield f"-# {text.plain(view.campaign.name)}{text.DOT}{text.plain(preview.update['name'])}{place}"
    if _waits_for_place(view.preview.parts[part]):
        yield f"-# Set *{undecided}* to count the weather where the {procedure.subject} is."
    if view.group:
        yield f"-# Only {text.plain(view.group)} and the game masters will see the result."
    if view.request.task:
        orders = [f"#{order.entry}" for order in view.request.task.orders]
        yield f"-# Carries out {'orders' if len(orders) > 1 else 'order'} {text.join_words(orders)}."
    yield from (f"\N{WARNING SIGN} {text.plain(line)}" for line in view.ahead)
    yield from (f"\N{WARNING SIGN} {text.plain(text.shorten(line, MAX_NAMES))}" for line in view.doubts)
    if view.request.note:
        yield f"-# Note: {text.plain(text.shorten(view.request.note, 200))}"
    if preview.asks_reason and view.request.reason and view.secrets:
        why = text.plain(text.shorten(view.request.reason, 200))
        yield f"\N{WARNING SIGN} {text.plain(preview.asks_reason)} Your reason: {why}"
    elif preview.asks_reason and view.secrets:
        yield f"\N{WARNING SIGN} {text.plain(preview.asks_reason)} {'Amend' if amends else 'Roll'} asks for your reason."
    if notice:
        yield f"\N{WARNING SIGN} **{notice}**"


def odds_lines(view: CardView, shown: PartPreview) -> Iterator[str]:
    """Yield outcomes with odds, or an amended roll's dice."""
    if view.kept is not None:
        part = view.preview.parts.index(shown)
        yield f"**Original dice (kept):** {', '.join(map(str, view.kept.faces[part])) or 'none'}"
        if view.kept.outcomes is None:
            yield "This needs more dice. They're rolled when you press Amend."
        else:
            yield f"**New result:** {text.plain(view.kept.outcomes[part])}"
    elif shown.odds:
        yield _odds_title(view)
        yield from (_describe_chance(view, item) for item in shown.odds)
        yield from _describe_together(view.preview, MAX_TOGETHER)


def weights(shown: PartPreview, tickable: str, *, secrets: bool) -> Iterator[str]:
    """Yield each stage's sum and modifiers. `tickable` is where to tick, if anywhere."""
    yield from map(text.plain, shown.lines)
    nothing = bool(shown.stages)
    for stage in shown.stages:
        counted = [item for item in stage.modifiers if item.count]
        nothing = nothing and not (counted or stage.adjustments)
        yield _stage_line(stage)
        yield from _by_origin(counted)
        for item in stage.adjustments:
            yield f"Game master: {format_signed(item.value)} {_reason(item, secrets=secrets)}"
    if nothing and tickable:
        yield f"-# No modifiers yet. Tick what applies {tickable}."


def _stage_line(weighed: WeighedStage) -> str:
    stage, table = weighed.stage, weighed.stage.table
    line = f"**{text.plain(table.title)}**{text.DOT}"
    if table.pool is not None:
        term = table.pool.term(table.die.sides, weighed.sum)
        thrown = line + table.pool.describe(str(term), term.reads)
        against = "the roll before it" if stage.opposes else str(stage.number)
        return f"{thrown}, against {against}" if table.against else thrown
    added = text.plus(weighed.sum) + (
        f" (limit, from {format_signed(weighed.uncapped)})" if weighed.uncapped != weighed.sum else ""
    )
    if table.against is None:
        return f"{line}{table.die} {added}"
    number = "the roll before it" if stage.opposes else str(stage.number)
    reads = {"number": f"{number} {added}", "under": f"{table.die}, at most {number} {added}"}
    return line + reads.get(table.against.reads, f"{table.die} {added} against {number}")


def has_details(view: CardView, shown: PartPreview) -> bool:
    """Return whether the details say more than the card."""
    follows = any(item.conclusion.consequences for item in shown.odds)
    beside = view.kept is not None or view.preview.joint is not None  # instead of odds, or of the rest of them
    return bool(shown.stages) or follows or beside or len(shown.odds) > FEW_ODDS


def details(view: CardView, shown: PartPreview) -> Iterator[str]:
    """Yield what follows from outcomes, each modifier with origin and note, and joint odds."""
    if shown.odds:
        yield _odds_title(view)
    for item in shown.odds:
        yield _describe_chance(view, item)
        follows = consequences_text(item.conclusion.consequences, shown.part.subjects, shown.book.deeds)
        if follows:
            yield f"-# {follows}"
    for stage in shown.stages:
        yield _stage_line(stage)
        for weighed in (weighed for weighed in stage.modifiers if weighed.count):
            origin = weighed.origin.label if weighed.origin else ""
            note = weighed.modifier.note or ""
            yield f"\N{BULLET} {text.DOT.join(filter(None, (_describe_modifier(weighed), text.plain(origin), text.plain(note))))}"
    yield from _describe_together(view.preview)


def _describe_chance(view: CardView, item: Chance) -> str:
    return text.chance_line(item.chance, text.plain(item.conclusion.text), bars=view.card.bars)


def _describe_together(preview: Preview, most: int | None = None) -> Iterator[str]:
    joint, many = preview.joint, len(preview.parts)
    if joint is None:
        return
    texts = {item.conclusion.outcome: text.plain(item.conclusion.text) for part in preview.parts for item in part.odds}
    for outcome, counts in sorted(joint.counts.items(), key=lambda item: item[1][0])[:most]:
        everyone = f"{ALL_OF.get(many, f'All {many}')} {texts[outcome]}: **{percent(counts[-1])}**"
        yield f"{everyone}; at least one: **{percent(1 - counts[0])}**"
        if most is None:
            yield "-# " + ", ".join(f"{n} of {many}: {percent(chance)}" for n, chance in enumerate(counts) if chance)
    for outcomes, chance in joint.each.items() if most is None else ():
        ways = [f"{text.plain(part.part.key)}: {texts[end]}" for part, end in zip(preview.parts, outcomes, strict=True)]
        yield f"-# {', '.join(ways)}{text.DOT}{percent(chance)}"


def _odds_title(view: CardView) -> str:
    hidden = view.preview.hides and not view.secrets
    return f"**Exact odds**{' (without hidden modifiers)' if hidden else ''}"


def _describe_region(sky: climate.RegionWeather, book: Book) -> str:
    if sky.region is None:
        return "no region"
    where = f"in {text.plain(sky.region)}"
    if sky.place is None:
        close = errors.nearest(sky.region, [region.label for _, region in book.places.values()], likeness=NEAR_MISS)
        hint = f"; did you mean {text.plain(close)}?" if close else ""
        return f"{where} (no weather{hint})" if book.zones else where
    if sky.week is None:
        return f"{where} (no weather yet)"
    labels = [text.plain(climate.condition_label(book, trait)) for trait in sky.conditions]
    return f"{where}: {text.join_words(climate.label_conditions(sky.conditions, labels))} (weather, week {sky.week})"


def _waits_for_place(shown: PartPreview) -> bool:
    manual, facts, sky = set(shown.procedure.method.manual_facts), shown.part.facts, shown.book.weather_facts
    if manual <= facts.keys():
        return False
    clauses = [
        clause
        for name, item in shown.modifiers.items()
        if name not in shown.part.marks
        for clause in item.modifier.when
        if not (manual.isdisjoint(clause) or sky.isdisjoint(clause))
    ]
    missing = manual & {fact for clause in clauses for fact in clause}
    supposed = {**dict.fromkeys(missing, KnownFact(1, BY_HAND)), **facts}
    return missing.isdisjoint(facts) and find_matching_facts(tuple(clauses), supposed) is not None


def _by_origin(counted: Sequence[WeighedModifier]) -> Iterator[str]:
    alike: dict[Origin | None, list[str]] = {}
    for item in counted:
        by_hand = item.origin is None or item.origin.kind == BY_HAND.kind
        alike.setdefault(None if by_hand else item.origin, []).append(_describe_modifier(item))
    for origin, said in alike.items():
        source = f"{text.plain(origin.label[0].upper() + origin.label[1:])}: " if origin else ""
        for start in range(0, len(said), MAX_IN_LINE):
            yield source + ", ".join(said[start : start + MAX_IN_LINE])


def _describe_modifier(item: WeighedModifier) -> str:
    modifier = item.modifier
    label = modifier.label
    if item.origin is not None and item.origin.kind == "saved":
        label = re.sub(rf"^{re.escape(modifier.group)} (?:is|has|with) (?:an? )?", "", label, flags=re.IGNORECASE)
    times = f" \N{MULTIPLICATION SIGN} {item.count}" if item.count > 1 else ""
    return f"{format_signed(item.amount)} {text.plain(label)}{times}"


def _reason(item: Adjustment, *, secrets: bool) -> str:
    shown = PRIVATE_REASON if item.private and not secrets else text.plain(text.shorten(item.reason, 120))
    return f"{shown} (hidden)" if item.private and secrets else shown
