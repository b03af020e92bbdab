"""How a roll card looks: situation, ticks by group, sum and exact odds, in Components V2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import discord
from discord import ui

from bot.core.people import named
from bot.rolls.card import ids
from bot.rolls.card.view import CardView
from bot.rolls.embed import PRIVATE_REASON, consequences_text
from bot.rolls.preview import PartPreview, Preview
from bot.rolls.request import To
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate
from bot.ui.text import DOT, bar, listing, percent, plain, plus, shorten, signed, within
from rules.climate import condition_label, spoken_conditions
from rules.errors import nearest
from rules.facts import Known, matching_facts
from rules.modifiers import BY_HAND, Adjustment, WeighedModifier
from rules.procedure import Choice
from rules.stages import Tickable

MAX_OPTIONS = 25
MAX_LABEL = 100
MAX_TEXT, MAX_WEIGHTS, MIN_WEIGHTS = 3950, 2200, 400
"""Characters for all text of a card, of which Discord takes 4,000, and for what counts."""

NEAR_MISS = 0.8
"""How similar a typed region must be to a known one to count as a typo of it."""

MAX_NAMES, MIN_FOLLOWS, ROOM_FOR_CHANCE = 200, 40, 120
TO_LABELS: Mapping[To, str] = {
    "auto": "Result goes where the rules send it",
    "results": "Result goes to the results channel",
    "staff": "Result goes to the staff channel",
    "me": "Result goes to you alone",
}


def card_id(template: IdTemplate, view: CardView, part: int, **more: object) -> str:
    """Return the custom id of a component of a card: which card, what was shown, what it does."""
    card = view.card
    return template.fill(campaign=card.campaign_id, card=card.id, revision=card.revision, part=part, **more)


def draw(view: CardView, part: int, notice: str | None = None) -> ui.LayoutView:
    """Return the card with one of its parts on show; the first when there is no such part."""
    part = part if part < len(view.preview.parts) else 0
    shown = view.preview.parts[part]
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    people = {role: plain(name) for role, name in view.request.people.items()}
    head = named("\n".join(_head(view, part, notice)), people)
    left = MAX_TEXT - MIN_WEIGHTS - len(head)
    odds = "\n".join(within(left, named(list(_odds(view, shown, left)), people)))
    weights = list(_weights(shown, secrets=view.secrets))
    room = min(MAX_WEIGHTS, MAX_TEXT - len(head) - len(odds))
    container.add_item(ui.TextDisplay(head))
    if len(view.preview.parts) > 1:
        container.add_item(_row(_part_picker(view, part)))
    container.add_item(ui.Separator())
    container.add_item(ui.TextDisplay("\n".join(within(room, named(weights, people)))))
    for place, select in enumerate(_selects(view, part)):
        select.id = _fresh_id(view, part, place)
        container.add_item(_row(select))
    if odds:
        container.add_item(ui.Separator())
        container.add_item(ui.TextDisplay(odds))
    container.add_item(_buttons(view, part))
    return ui.LayoutView(timeout=None).add_item(container)


def groups(preview: Preview, part: int) -> dict[str, list[Tickable]]:
    """Return what can be ticked on a part by group, in the order of the page."""
    members: dict[str, list[Tickable]] = {}
    for item in preview.parts[part].ticks.values():
        members.setdefault(item.group, []).append(item)
    return members


def chunk_of(preview: Preview, part: int, group: str, chunk: int) -> list[Tickable]:
    """Return what one select offers: a group, or a run of 25 of it; nothing when the card has no such select."""
    start = chunk * MAX_OPTIONS
    return groups(preview, part).get(group, [])[start : start + MAX_OPTIONS]


def _fresh_id(view: CardView, part: int, place: int) -> int:
    """Return an id for a select that no earlier view of the card had, so that no client shows what was picked in one of those."""
    return (view.card.revision % 10_000 * len(view.preview.parts) + part + 1) * 100 + place


def _row(select: ui.Select[ui.LayoutView]) -> ui.ActionRow[ui.LayoutView]:
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    return row.add_item(select)


def _head(view: CardView, part: int, notice: str | None) -> Iterator[str]:
    preview, shown = view.preview, view.preview.parts[part].part
    names = {role: f"**{plain(shorten(name, MAX_NAMES))}**" for role, name in shown.subjects.items()}
    procedure = preview.procedure
    template = procedure.headline if procedure.subject in names else procedure.headline_alone
    choices = ", ".join(shown.choices.values())
    yield f"## {plain(procedure.title)}"
    yield template.format(**names) + (f" ({choices})" if choices else "")
    place = f" \N{MIDDLE DOT} {_where(preview)}" if preview.book.zones or preview.sky.region else ""
    yield f"-# {plain(view.campaign.name)} \N{MIDDLE DOT} {plain(preview.update['name'])}{place}"
    if _undecided(view.preview.parts[part]):
        yield f"-# The weather counts once you say where the {procedure.subject} is: see *Also true*."
    if view.request.note:
        yield f"-# Note: {plain(shorten(view.request.note, 200))}"
    if preview.asks_reason and not view.request.reason and view.secrets:
        yield f"\N{WARNING SIGN} {plain(preview.asks_reason)} Roll asks for your reason."
    if notice:
        yield f"\N{WARNING SIGN} **{notice}**"


def _where(preview: Preview) -> str:
    """Return the region and its weather, in words."""
    sky, book = preview.sky, preview.book
    if sky.region is None:
        return "no region named"
    where = f"in {plain(sky.region)}"
    if sky.place is None:
        close = nearest(sky.region, [region.label for _, region in book.places.values()], likeness=NEAR_MISS)
        hint = f"; did you mean {plain(close)}?" if close else ""
        return f"{where} (no weather there{hint})" if book.zones else where
    if sky.week is None:
        return f"{where} (no weather known there yet)"
    labels = [plain(condition_label(book, trait)) for trait in sky.conditions]
    return f"{where}: {listing(spoken_conditions(sky.conditions, labels))} (weather, week {sky.week})"


def _undecided(shown: PartPreview) -> bool:
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


def _weights(shown: PartPreview, *, secrets: bool) -> Iterator[str]:
    yield from map(plain, shown.lines)
    for place, stage in enumerate(shown.stages):
        if place:
            yield ""
        yield f"**{plain(stage.stage.table.title)}** \N{MIDDLE DOT} {stage.stage.table.die} {plus(stage.sum)}"
        lines = [_counted(item) for item in stage.modifiers if item.counted]
        lines += [
            f"\N{BULLET} {signed(item.value)} {_reason(item, secrets=secrets)} \N{MIDDLE DOT} game master"
            for item in stage.adjustments
        ]
        yield from lines or ["-# Nothing counts yet: tick below what applies."]


def _reason(item: Adjustment, *, secrets: bool) -> str:
    shown = PRIVATE_REASON if item.private and not secrets else plain(shorten(item.reason, 120))
    return f"{shown} (staff only)" if item.private and secrets else shown


def _counted(item: WeighedModifier) -> str:
    times = f" \N{MULTIPLICATION SIGN} {item.count}" if item.count > 1 else ""
    origin = f" \N{MIDDLE DOT} {plain(item.origin.label)}" if item.origin else ""
    return f"\N{BULLET} {signed(item.amount)} {plain(item.modifier.label)}{times}{origin}"


def _odds(view: CardView, shown: PartPreview, room: int) -> Iterator[str]:
    """Yield every outcome with its odds, followed by its consequences: in full where there is room."""
    each = room // max(len(shown.odds), 1) - ROOM_FOR_CHANCE
    if not shown.odds:
        return
    hidden = view.preview.hides and not view.secrets
    yield f"**Exact odds**{' (without what only the staff knows)' if hidden else ''}"
    for chance in shown.odds:
        yield f"`{bar(chance.chance)}` **{percent(chance.chance)}** {plain(chance.conclusion.text)}"
        follows = consequences_text(chance.conclusion.consequences, shown.part.subjects)
        if follows:
            yield f"-# {shorten(follows, max(each, MIN_FOLLOWS))}"


def _part_picker(view: CardView, part: int) -> ui.Select[ui.LayoutView]:
    options = [
        discord.SelectOption(
            label=shorten(f"{place + 1}. {shown.part.key}", MAX_LABEL),
            value=str(place),
            description=shorten(", ".join(shown.part.choices.values()), MAX_LABEL) or None,
            default=place == part,
        )
        for place, shown in enumerate(view.preview.parts)
    ]
    return ui.Select(
        custom_id=card_id(ids.PART, view, part), options=options, placeholder="Show another part of this roll"
    )


def _selects(view: CardView, part: int) -> Iterator[ui.Select[ui.LayoutView]]:
    for choice in view.preview.procedure.choices:
        yield _choice_select(view, part, choice)
    for members in groups(view.preview, part).values():
        for start in range(0, len(members), MAX_OPTIONS):
            yield _group_select(view, part, start // MAX_OPTIONS, members[start : start + MAX_OPTIONS])
    if view.secrets:
        yield _to_select(view, part)


def _choice_select(view: CardView, part: int, choice: Choice) -> ui.Select[ui.LayoutView]:
    chosen = view.preview.parts[part].part.choices[choice.id]
    options = [
        discord.SelectOption(label=f"{choice.label}: {option}", value=option, default=option == chosen)
        for option in choice.options
    ]
    return ui.Select(custom_id=card_id(ids.CHOICE, view, part, choice=choice.id), options=options)


def _group_select(view: CardView, part: int, chunk: int, members: Sequence[Tickable]) -> ui.Select[ui.LayoutView]:
    group = members[0].group
    options = [_option(view.preview.parts[part], item) for item in members]
    return ui.Select(
        custom_id=card_id(ids.TICK, view, part, group=group, chunk=chunk),
        placeholder=f"{group.replace('-', ' ').capitalize()}: tick what applies",
        min_values=0,
        max_values=len(options),
        options=options,
    )


def _option(shown: PartPreview, item: Tickable) -> discord.SelectOption:
    counted = shown.counted(item.id)
    values = " / ".join(signed(value) for value in item.values)
    return discord.SelectOption(
        label=shorten(f"{values} {item.label}".strip(), MAX_LABEL),
        value=item.id,
        description=shorten(_hint(item, shown), MAX_LABEL) or None,
        default=counted > 0,
    )


def _hint(item: Tickable, shown: PartPreview) -> str:
    origin = shown.origin(item.id)
    if origin is not None and origin.kind != "typed":
        return DOT.join(filter(None, (origin.label, item.note)))
    if item.per:
        counted = shown.counted(item.id)
        return f"per {item.per}" + (f", counted {counted} times" if counted else "")
    return item.note or ""


def _to_select(view: CardView, part: int) -> ui.Select[ui.LayoutView]:
    labels = TO_LABELS if view.request.here is None else {**TO_LABELS, "auto": "Result goes where it was typed"}
    options = [
        discord.SelectOption(label=label, value=to, default=to == view.request.to) for to, label in labels.items()
    ]
    return ui.Select(custom_id=card_id(ids.TO, view, part), options=options)


def _buttons(view: CardView, part: int) -> ui.ActionRow[ui.LayoutView]:
    row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
    many = len(view.preview.parts)
    label = "Roll" if many == 1 else f"Roll all {many}"
    row.add_item(ui.Button(label=label, style=discord.ButtonStyle.success, custom_id=card_id(ids.ROLL, view, part)))
    if view.secrets and view.preview.parts[part].stages:
        row.add_item(ui.Button(label="Adjust", custom_id=card_id(ids.ADJUST, view, part)))
    if any(item.per for item in view.preview.parts[part].ticks.values()):
        row.add_item(ui.Button(label="Counts", custom_id=card_id(ids.COUNTS, view, part)))
    row.add_item(ui.Button(label="Reset", custom_id=card_id(ids.RESET, view, part)))
    row.add_item(ui.Button(label="Cancel", style=discord.ButtonStyle.danger, custom_id=card_id(ids.CANCEL, view, part)))
    return row
