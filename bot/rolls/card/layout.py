"""How a roll card looks in Components V2, and the ids of its parts."""

import re
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import discord
from discord import ComponentType, ui

from bot.core import permissions, records
from bot.core.records import Json
from bot.rolls.card.store import CardView
from bot.rolls.card.words import details, has_details, head_lines, odds_lines, weights
from bot.rolls.preview import PartPreview, Preview
from bot.rolls.request import TO_LABELS, To
from bot.ui.receipt import receipt
from bot.ui.reply import IdTemplate
from bot.ui.text import COLOURS, DOT, fit_lines, plain, shorten
from rules import phrases, procedure
from rules.stages import ALSO, Tickable

Part = Mapping[str, object]
SEPARATOR: Part = {"type": ComponentType.separator.value, "divider": True, "spacing": 1}


class Drawn(ui.LayoutView):
    """A container of texts and parts."""

    def __init__(self, parts: Sequence[ui.TextDisplay[Any] | Part]) -> None:
        self._parts = parts
        super().__init__(timeout=None)

    def walk_children(self) -> Generator[ui.Item[Any], None, None]:
        """Yield the texts."""
        yield from (part for part in self._parts if isinstance(part, ui.TextDisplay))

    def to_components(self) -> list[dict[str, Any]]:
        """Return the container."""
        text, kind = ComponentType.text_display.value, ComponentType.container.value
        parts = [
            {"type": text, "content": part.content} if isinstance(part, ui.TextDisplay) else part
            for part in self._parts
        ]
        return [{"type": kind, "accent_color": COLOURS["neutral"], "spoiler": False, "components": parts}]

    def has_components_v2(self) -> bool:
        """Return that it's in Components V2."""
        return True

    def is_finished(self) -> bool:
        """Return that nothing is to be kept."""
        return True


def draw_row(*parts: Part) -> Part:
    """Return a row of buttons, or of one select."""
    return {"type": ComponentType.action_row.value, "components": [*parts]}


def draw_button(label: str, custom_id: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary) -> Part:
    """Return a button."""
    kind = ComponentType.button.value
    return {"type": kind, "style": style.value, "disabled": False, "label": label, "custom_id": custom_id}


def draw_option(label: str, value: str, description: str = "", *, default: bool = False) -> Part:
    """Return an option of a select."""
    option = {"label": label, "value": value, "default": default}
    return {**option, "description": description} if description else option


def draw_select(
    custom_id: str, options: Sequence[Part], placeholder: str | None = None, *, picks: tuple[int, int] = (1, 1)
) -> dict[str, object]:
    """Return a select; `picks` are the fewest and the most."""
    least, most = picks
    select = {"type": ComponentType.string_select.value, "custom_id": custom_id, "min_values": least}
    select |= {"max_values": most, "disabled": False, "required": True, "options": options}
    return {**select, "placeholder": placeholder} if placeholder else select


_CARD: Final = "card:{campaign:int}:{card:id}:{revision:int}:{part:int}:"
OPEN = IdTemplate("card:{campaign:int}:-:0:0:open")
LISTED = IdTemplate("card:{campaign:int}:-:0:0:list")
DISCARD = IdTemplate("card:{campaign:int}:{card:id}:0:0:discard")
"""Closes the presser's cards up to this one, the newest they saw."""
PART, PAGE = IdTemplate(_CARD + "part"), IdTemplate(_CARD + "page:{page:word}")
TICK = IdTemplate(_CARD + "tick:{group:word}:{chunk:int}")
CHOICE = IdTemplate(_CARD + "choice:{choice:word}")
TO = IdTemplate(_CARD + "to")
ADJUST, ADJUSTED = IdTemplate(_CARD + "adjust"), IdTemplate(_CARD + "adjusted")
COUNTS, COUNTED = IdTemplate(_CARD + "counts"), IdTemplate(_CARD + "counted")
NAMES, NAMED = IdTemplate(_CARD + "names"), IdTemplate(_CARD + "named")
RESET, CANCEL = IdTemplate(_CARD + "reset"), IdTemplate(_CARD + "cancel")
MEANT, CORRECT = IdTemplate(_CARD + "meant"), IdTemplate(_CARD + "correct")
"""Roll as it was meant; change the card to that."""
ROLL, REASON = IdTemplate(_CARD + "roll"), IdTemplate(_CARD + "reason")
STAFF = "staff"


def table_field(view: CardView, part: int) -> ui.Label[ui.Modal]:
    """Return the select of an adjustment's table."""
    stages = view.preview.parts[part].stages
    select: ui.Select[ui.Modal] = ui.Select(custom_id="table")
    for place, stage in enumerate(stages):
        select.add_option(label=shorten(stage.stage.table.title, 100), value=stage.stage.table.id, default=place == 0)
    return ui.Label(text="On which table", component=select)


def readers_field() -> ui.Label[ui.Modal]:
    """Return the select of who reads an adjustment's reason."""
    select: ui.Select[ui.Modal] = ui.Select(custom_id="readers", required=False)
    everybody = "Shown in the result with the modifier"
    select.add_option(label="Everyone who sees the result", value="everybody", description=everybody, default=True)
    staff = "Players only see that it was adjusted"
    select.add_option(label="Game masters only", value=STAFF, description=staff)
    return ui.Label(text="Who sees the reason", component=select)


MAX_OPTIONS = 25
MAX_LABEL = 100
ROOM_FOR_GROUPS = 45
MAX_TEXT, MAX_ODDS = 3950, 2200
"""Characters of a card, of which Discord takes 4,000, and of its odds."""

MAX_SELECTS = 3
"""Selects of the first page, so that it fits a phone. The others are behind More."""

MORE: Final = "+"
Page = Literal["card", "more", "details"]
PAGES: Mapping[Page, str] = {"card": "Back", "more": "More", "details": "Details"}

_RULING = re.compile(r" \([A-Z]{2}-[0-9]+\)")
"""A citation of a ruling, which only Details shows."""


def card_id(template: IdTemplate, view: CardView, part: int, **more: object) -> str:
    """Return the custom id of a card's component."""
    card = view.card
    return template.fill(campaign=card.campaign_id, card=card.id, revision=card.revision, part=part, **more)


def draw(
    view: CardView,
    part: int,
    notice: str | None = None,
    page: Page = "card",
    destinations: Mapping[To, str] | None = None,
) -> Drawn:
    """Return a page of the card with one part on show. `destinations` are labels that More offers."""
    part = part if part < len(view.preview.parts) else 0
    shown = view.preview.parts[part]
    people = {role: plain(name) for role, name in view.request.people.items()}
    groups = _groups(view.preview, part)
    undecided = "More" if any(item.group == ALSO for item in groups.get(MORE, ())) else ALSO.capitalize()
    head = _insert_names("\n".join(head_lines(view, part, undecided, notice)), people)
    parts: list[ui.TextDisplay[ui.LayoutView] | Part] = [ui.TextDisplay(head)]
    if len(view.preview.parts) > 1:
        parts.append(draw_row(_part_picker(view, part)))
    room = MAX_TEXT - len(head)
    if page == "details":
        lines = list(details(view, shown))
    else:
        odds = "\n".join(fit_lines(min(MAX_ODDS, room), _insert_names(list(odds_lines(view, shown)), people)))
        room -= len(odds)
        if odds:
            parts.append(ui.TextDisplay(odds))
        lines = list(weights(shown, _tickable(groups, page), secrets=view.secrets))
    parts.append(draw_row(*_buttons(view, part, page)))
    if lines:
        parts += [SEPARATOR, ui.TextDisplay("\n".join(fit_lines(room, _insert_names(lines, people))))]
    selects = [*_list_selects(view, part, page, groups)]
    if page == "more" and view.secrets and view.kept is None:
        selects.append(_to_select(view, part, destinations or TO_LABELS))
    for place, select in enumerate(selects):
        # An id that no earlier view used, so that no client shows an old pick.
        number = (view.card.revision % 10_000 * len(view.preview.parts) + part + 1) * 100 + place
        parts.append(draw_row({**select, "id": number}))
    return Drawn(parts)


def _insert_names(value: Json, people: Mapping[str, str]) -> Json:
    return records.insert_names(value, people) if people else value


def question(view: CardView, lines: Sequence[str]) -> ui.LayoutView:
    """Return the message that asks about probable slips."""
    typed = card_id(ROLL, view, 0)
    buttons: list[ui.Button[ui.LayoutView]] = [ui.Button(label="Roll as typed", custom_id=typed)]
    if view.has_meant:
        meant = card_id(MEANT, view, 0)
        buttons.insert(0, ui.Button(label="Use suggestion", style=discord.ButtonStyle.success, custom_id=meant))
    buttons.append(ui.Button(label="Open the card", custom_id=card_id(PAGE, view, 0, page="card")))
    said = fit_lines(MAX_TEXT // 2, [*map(plain, lines), "-# Nothing is rolled yet."])
    return receipt("Check this first", list(said), COLOURS["neutral"], buttons)


def chunk_of(preview: Preview, part: int, group: str, chunk: int) -> list[Tickable]:
    """Return what one select offers: a group, or 25 of it. Empty if the card has no such select."""
    start = chunk * MAX_OPTIONS
    return _groups(preview, part).get(group, [])[start : start + MAX_OPTIONS]


def _groups(preview: Preview, part: int) -> dict[str, list[Tickable]]:
    first = _first_groups(preview, part)
    members: dict[str, list[Tickable]] = {}
    for item in preview.parts[part].ticks.values():
        members.setdefault(item.group if item.group in first else MORE, []).append(item)
    return members


def _first_groups(preview: Preview, part: int) -> frozenset[str]:
    method, roles = preview.procedure.method, preview.parts[part].part.subjects
    there = [item.group for table in method.tables for item in preview.book.table(table).modifiers]
    ranked = sorted(dict.fromkeys(there + [ALSO] * bool(method.manual_facts)), key=lambda group: group not in roles)
    return frozenset(ranked[: max(MAX_SELECTS - len(preview.procedure.choices), 1)])


def _tickable(groups: Collection[str], page: Page) -> str:
    pages = {"more" if group == MORE else "card" for group in groups}
    elsewhere = {"more": "on the page More", "card": "on the first page"}
    return "below" if page in pages else next((elsewhere[other] for other in pages), "")


def roles(view: CardView, part: int) -> dict[str, str]:
    """Return the names in a part that can be changed, by role: only when amending."""
    asked = view.request.parts[part]
    return {role: names for role, names in asked.subjects.items() if view.kept and role not in asked.people}


def _part_picker(view: CardView, part: int) -> Part:
    options = [
        draw_option(
            shorten(f"{place + 1}. {shown.part.key}", MAX_LABEL),
            str(place),
            shorten(", ".join(shown.part.choices.values()), MAX_LABEL),
            default=place == part,
        )
        for place, shown in enumerate(view.preview.parts)
    ]
    return draw_select(card_id(PART, view, part), options, "Show another part of this roll")


def _list_selects(view: CardView, part: int, page: Page, groups: Mapping[str, Sequence[Tickable]]) -> Iterator[Part]:
    if page == "details":
        return
    if page == "card":
        for choice in view.preview.procedure.choices:
            yield _choice_select(view, part, choice)
    for group, members in groups.items():
        if (group == MORE) == (page == "more"):
            for start in range(0, len(members), MAX_OPTIONS):
                yield _group_select(view, part, group, start // MAX_OPTIONS, members[start : start + MAX_OPTIONS])


def _choice_select(view: CardView, part: int, choice: procedure.Choice) -> Part:
    chosen = (
        None
        if choice in view.open_choices(part)
        else view.preview.parts[part].part.choices.get(choice.id, choice.options[0])
    )
    options = [draw_option(f"{choice.label}: {option}", option, default=option == chosen) for option in choice.options]
    key = card_id(CHOICE, view, part, choice=choice.id)
    return draw_select(key, options, None if chosen else choice.label)


def _group_select(view: CardView, part: int, group: str, chunk: int, members: Sequence[Tickable]) -> Part:
    names = ", ".join(dict.fromkeys(item.group.replace("-", " ") for item in members)).capitalize()
    options = [_option(view.preview.parts[part], item) for item in members]
    key = card_id(TICK, view, part, group=group, chunk=chunk)
    hint = f"{names}: tick what applies" if len(names) <= ROOM_FOR_GROUPS else "Tick what applies"
    return draw_select(key, options, hint, picks=(0, len(options)))


def _option(shown: PartPreview, item: Tickable) -> Part:
    counted, origin = shown.count_tick(item.id)
    given = origin.label if origin is not None and origin.kind != "typed" else None
    return _draw_option(item, given, counted if item.per else min(counted, 1))


@lru_cache(maxsize=2000)
def _draw_option(item: Tickable, origin: str | None, counted: int) -> Part:
    note = _RULING.sub("", item.note or "")
    times = f", counted {phrases.format_count(counted, 'times')}" if counted else ""
    hint = DOT.join(filter(None, (origin, note))) if origin else f"per {item.per}{times}" if item.per else note
    values = " / ".join(phrases.format_signed(value) for value in item.values)
    label = shorten(f"{values} {item.label}".strip(), MAX_LABEL)
    return draw_option(label, item.id, shorten(hint, MAX_LABEL), default=counted > 0)


def _to_select(view: CardView, part: int, destinations: Mapping[To, str]) -> Part:
    auto = "to its scene's channel" if view.preview.at_home.here else TO_LABELS["auto"]
    there = view.request.here is not None and not permissions.is_group(view.request.to)
    labels = {**destinations, "auto": "to this channel" if there else auto}
    options = [
        draw_option(shorten(f"Result goes {label}", MAX_LABEL), to, default=to == view.request.to)
        for to, label in labels.items()
    ]
    return draw_select(card_id(TO, view, part), options)


def _buttons(view: CardView, part: int, page: Page) -> Iterator[Part]:
    many, shown = len(view.preview.parts), view.preview.parts[part]
    verb = "Roll" if view.kept is None else "Amend"
    label = verb if many == 1 else f"{verb} all {many}"
    yield draw_button(label, card_id(ROLL, view, part), discord.ButtonStyle.success)
    if page == "card":
        if view.has_meant:
            yield draw_button("Use suggestion", card_id(CORRECT, view, part))
        if view.secrets and shown.stages:
            yield draw_button("Adjust", card_id(ADJUST, view, part))
        if roles(view, part):
            yield draw_button("Names", card_id(NAMES, view, part))
        if has_details(view, shown):
            yield _page_button(view, part, "details")
        yield _page_button(view, part, "more")
        return
    yield _page_button(view, part, "card")
    if page == "more":
        if any(item.per for item in shown.ticks.values()):
            yield draw_button("Counts", card_id(COUNTS, view, part))
        yield draw_button("Reset", card_id(RESET, view, part))
        yield draw_button("Cancel", card_id(CANCEL, view, part), discord.ButtonStyle.danger)


def _page_button(view: CardView, part: int, page: Page) -> Part:
    return draw_button(PAGES[page], card_id(PAGE, view, part, page=page))
