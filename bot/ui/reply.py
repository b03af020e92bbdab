"""Answer interactions: privately, and with errors in one place. Ids lead to handlers, so buttons survive a restart."""

import asyncio
import io
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any

import discord
from discord import ui
from msgspec import Struct
from sqlalchemy.exc import DBAPIError

from bot.core import entries, errors, outages, permissions, transactions
from bot.ui import answering, parsing
from bot.ui.answering import answer, attend, list_component_ids, note_end
from bot.ui.receipt import STAYS
from bot.ui.text import COLOURS, Controls, cut_message, fit_lines, plain, shorten
from rules.errors import RulesError
from rules.subjects import strip_unseen

SLOW = 1.0
"""Seconds until an acknowledgement; Discord allows three."""

MAX_TEXT = 2000
ROOM = 3300
MAX_LISTED = 2_000_000
"""Characters of a file of faults: under 10 MiB in UTF-8."""
STALE = ("That button no longer works.", "Run the command again. /help lists your open roll cards.")
_MENTION = re.compile(r"(<(?:#|@&?)\d+>|<t:\d+(?::[a-zA-Z])?>)")
log = logging.getLogger(__name__)
AnyInteraction = discord.Interaction[Any]
"""An interaction in the kernel. Features use the one of `bot.client`, which knows the bot."""

Edit = Callable[..., Awaitable[object]]


def person(interaction: AnyInteraction) -> permissions.Person:
    """Return who used a command or component, as they were when first asked for."""
    known: permissions.Person | None = interaction.extras.get("person")
    if known is not None:
        return known
    user = interaction.user
    roles = frozenset(role.id for role in user.roles) if isinstance(user, discord.Member) else frozenset()
    now = interaction.client.ledger.now()
    there = frozenset(role.id for role in interaction.guild.roles) if interaction.guild else None
    manages = interaction.permissions.manage_guild
    who = (user.id, interaction.guild_id or 0, roles, manages, now, interaction.id, there or None)
    interaction.extras["person"] = known = permissions.Person(*who)
    return known


def own_name(interaction: AnyInteraction) -> str:
    """Return the user's display name for rolls: without commas, cut."""
    name = strip_unseen(interaction.user.display_name.replace(",", " "))
    return name[: parsing.MAX_NAME] or "Somebody"


def number(word: str) -> int:
    """Parse a number in a component's id. NotOpen if it isn't one."""
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise errors.NotOpen(*STALE)
    return int(word)


async def _end_acknowledgement(interaction: AnyInteraction) -> None:
    if "timer" in interaction.extras:
        interaction.extras["timer"].cancel()
    if "announced" in interaction.extras:
        await asyncio.gather(interaction.extras["announced"], return_exceptions=True)


async def say(interaction: AnyInteraction, **message: Any) -> Edit | None:  # noqa: ANN401 - what discord.py's send takes
    """Answer with a new message, private by default. Return the way to change it; None if it didn't arrive."""
    await _end_acknowledgement(interaction)
    message = interaction.client.mentions.write_message(cut_message(message), interaction.guild_id)
    message = {"ephemeral": True, **message}
    first = partial(interaction.response.send_message, **message)
    later = partial(interaction.followup.send, wait=True, **message)
    sent = await answer(interaction, first, later, again="file" not in message)  # a file is read as it is sent
    if sent is None:
        return None
    edit: Edit = sent.edit if isinstance(sent, discord.Message) else interaction.edit_original_response
    return edit


async def put_answer(interaction: AnyInteraction, **message: object) -> None:
    """Answer privately, or change the answer that an earlier `put_answer` gave."""
    edit = interaction.extras.get("put")
    if edit is None:
        interaction.extras["put"] = await say(interaction, **message)
    else:
        await _edit(interaction, edit, **message)


async def redraw(interaction: AnyInteraction, view: ui.LayoutView) -> None:
    """Replace the used message's view. Without a message, or if it has embeds or stays, answer with a new one."""
    message = interaction.message
    if message is None or message.embeds or STAYS in list_component_ids(message):
        await put_answer(interaction, view=view)
    else:
        await _end_acknowledgement(interaction)
        await _edit(interaction, interaction.edit_original_response, view=view)


async def _edit(interaction: AnyInteraction, edit: Edit, **message: Any) -> None:  # noqa: ANN401 - what discord.py's edit takes
    message = interaction.client.mentions.write_message(cut_message(message), interaction.guild_id)
    first, later = partial(interaction.response.edit_message, **message), partial(edit, **message)
    await answer(interaction, first, later, again="attachments" not in message)  # a file is read as it is sent


async def rewrite(interaction: AnyInteraction, **message: object) -> None:
    """Change the message of embeds whose component was used."""
    await _end_acknowledgement(interaction)
    await _edit(interaction, interaction.edit_original_response, **message)


async def ask(interaction: AnyInteraction, window: ui.Modal) -> None:
    """Open a modal; its answer is found by its id. NotOpen if too late."""
    await _end_acknowledgement(interaction)
    window.stop()
    if interaction.response.is_done():
        raise errors.NotOpen("The window took too long to open.", "Press the button again.")
    open_form = partial(interaction.response.send_modal, window)
    await answer(interaction, open_form, open_form)


def read_submitted(interaction: AnyInteraction) -> dict[str, Any]:
    """Return a modal's values by field id: texts, or lists of picks."""
    values: dict[str, Any] = {}
    data: Any = interaction.data or {}
    unread: list[Any] = list(data.get("components", []))
    while unread:
        item = unread.pop()
        unread += item.get("components", [])
        unread += [item["component"]] if "component" in item else []
        if "custom_id" in item:
            values[item["custom_id"]] = item.get("value", item.get("values"))
    return values


def text_field(  # noqa: PLR0913 - what a text field has
    key: str, label: str, *, placeholder: str | None = None, value: str | None = None, limit: int, needed: bool = True
) -> ui.Label[ui.Modal]:
    """Return a modal's text box. A `value` is cut to the limit, since Discord refuses longer ones."""
    default = value and value[:limit]
    box: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=key, placeholder=placeholder, default=default, max_length=limit, required=needed
    )
    return ui.Label(text=shorten(label, 45), component=box)


def reason_form(key: str, title: str, about: str, *, placeholder: str, given: str | None = None) -> ui.Modal:
    """Return a window that asks for a `reason`, with text below."""
    form = ui.Modal(title=shorten(title, 45), custom_id=key)
    form.add_item(text_field("reason", "Reason", placeholder=placeholder, value=given, limit=parsing.MAX_TEXT))
    return form.add_item(ui.TextDisplay(about))


async def run_guarded(interaction: AnyInteraction, name: str, work: Awaitable[None]) -> None:
    """Await an answer; report errors to the person."""
    try:
        await work
    except Exception as error:  # noqa: BLE001 - the last resort: whatever is raised has to be reported
        await report(interaction, name, error)


async def report(interaction: AnyInteraction, name: str, error: BaseException) -> None:
    """Show what went wrong and what to do; log a bug under a reference that the person sees."""
    error = getattr(error, "original", error)
    message, fault = explain(error), outages.describe_outage(error)
    hasty = isinstance(error, errors.TooFast)  # answered at once, without the database: nothing was carried out
    if isinstance(error, transactions.Taken) or (message is not None and not hasty and await _is_taken(interaction)):
        note_end(interaction, "taken")
        return
    outcome: answering.Outcome = "refused" if fault is None and message is not None else "failed"
    if fault is not None:
        about = {"command": name, "fault": fault[0], "cause": shorten(str(error), MAX_TEXT)}
        log.error("interaction.outage", extra=about)
        done = interaction.extras.get("done")
        what, do = fault if done is None else (f"{done}. This was saved, but I couldn't show it: {fault[0]}", "")
        message = {"embed": _embed("The database has a problem", what, do)}
    elif message is None:
        reference = answering.reference(interaction)
        log.error("interaction.bug", extra={"command": name, "reference": reference}, exc_info=error)
        what = "This is a bug, and it has been logged."
        do = f"If it happens again, send the bot's host this reference: {reference}."
        if "done" in interaction.extras:
            what = f"{interaction.extras['done']}. This was saved, but I couldn't show it: {what[0].lower()}{what[1:]}"
        message = {"embed": _embed("Something went wrong", what, do)}
    note_end(interaction, outcome, error)
    if interaction.type is not discord.InteractionType.autocomplete:
        await say(interaction, **message)


async def _is_taken(interaction: AnyInteraction) -> bool:
    """Return whether another process carried it out: a refusal here may be about that."""
    mine = transactions.current_interaction()
    if mine is None:
        return False
    try:
        written: int = await interaction.client.database.read(entries.count_of_interaction, mine.number)
    except DBAPIError as error:
        log.warning("interaction.unread", extra={"cause": shorten(str(error), MAX_TEXT)})
        return False  # the refusal is shown anyway
    return written > mine.entries


async def refuse(interaction: AnyInteraction, error: errors.UserError | RulesError, view: ui.View) -> None:
    """Show an error with a button that solves it."""
    if await _is_taken(interaction):
        note_end(interaction, "taken")
        return
    note_end(interaction, "refused", error)
    await say(interaction, **explain(error) or {}, view=view)


async def refuse_slip(interaction: AnyInteraction, typed: str, meant: str, key: str | None) -> None:
    """Ask about an unknown name. A button with this `key` uses the name that was `meant`."""
    view = Controls(*([] if key is None else [ui.Button(label=meant, custom_id=key)]))
    await refuse(interaction, errors.BadInput(f"Nothing is known of {typed}.", f"Did you mean {meant}?"), view)


def explain(error: BaseException) -> dict[str, Any] | None:
    """Return the message for an error; None when it is a bug."""
    if isinstance(error, RulesError):
        return {"embed": _embed(error.title, str(error), error.left)}
    if isinstance(error, errors.FaultyFile):
        return _list_faults(error)
    if not isinstance(error, errors.UserError):
        return None
    embed = _embed(error.title, error.what, error.do)
    if error.link is not None:
        embed.description = f"{embed.description}\n[See it]({error.link})"
    return {"embed": embed}


def _list_faults(error: errors.FaultyFile) -> dict[str, object]:
    lines = [f"**Line {line}:** {plain(what)}" for line, what in error.faults]
    shown = list(fit_lines(ROOM, lines))
    cut = shown != lines
    do = f"{error.do} All errors are in the attached file." if cut else error.do
    title = f"{len(lines)} {'error' if len(lines) == 1 else 'errors'} in {error.file[:100]}"
    embed = discord.Embed(title=plain(title), description="\n".join([*shown, "", do]), colour=COLOURS["danger"])
    if not cut:
        return {"embed": embed}
    listed = "\n".join(fit_lines(MAX_LISTED, [f"line {line}: {what}" for line, what in error.faults]))
    return {"embed": embed, "file": discord.File(io.BytesIO(listed.encode()), "faults.txt")}


def _embed(title: str, what: str, do: str) -> discord.Embed:
    text = "\n".join(_safe(shorten(line, MAX_TEXT // 2)) for line in (what, do) if line)
    return discord.Embed(title=title, description=shorten(text, 2 * MAX_TEXT), colour=COLOURS["danger"])


def _safe(text: str) -> str:
    return "".join(part if _MENTION.fullmatch(part) else plain(part) for part in _MENTION.split(text))


Handler = Callable[..., Awaitable[None]]
"""Answer a component or modal; takes the interaction and the id's values."""

_FIELD = re.compile(r"\{(\w+)(?::(\w+))?\}")
HIGHEST = 999_999_999
"""The highest number in an id."""
_KINDS = {"int": "[0-9]{1,9}", "id": "[0-9a-z]{1,32}", "hex": "[0-9a-f]{16}", "word": "[^:]+", "rest": ".*"}


class IdTemplate:
    """A custom id's form, such as `publish:{campaign:int}:{number:int}`; a `word` has no colon, `rest` may."""

    def __init__(self, text: str) -> None:
        self._fields = [(name, kind or "word") for name, kind in _FIELD.findall(text)]
        self._format = _FIELD.sub(r"{\1}", text)
        self._literals = _FIELD.split(text)[::3]
        self.name = ":".join(word for word in "".join(self._literals).split(":") if word)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The form as a regular expression, compiled on first use: compiling all slows the start."""
        groups = [f"(?P<{name}>{_KINDS[kind]})" for name, kind in self._fields]
        return re.compile("".join(a + b for a, b in zip(map(re.escape, self._literals), [*groups, ""], strict=True)))

    def fill(self, **values: object) -> str:
        """Return the custom id with these values."""
        return self._format.format(**values)

    def match(self, custom_id: str) -> re.Match[str] | None:
        """Match a whole custom id; None if it has another form."""
        return self.pattern.fullmatch(custom_id) if custom_id.startswith(self._literals[0]) else None

    def read(self, match: re.Match[str]) -> dict[str, Any]:
        """Return a custom id's values; `int` fields as numbers."""
        return {name: int(match[name]) if kind == "int" else match[name] for name, kind in self._fields}


SETTINGS = IdTemplate("settings:{campaign:int}")
"""Shows the presser's own settings."""


class Component(Struct, frozen=True):
    """A custom id template of buttons or selects, and the function that answers them."""

    template: IdTemplate
    handler: Handler


class ModalForm(Struct, frozen=True):
    """A modal's custom id template, and the function that answers it when sent."""

    template: IdTemplate
    handler: Handler


def component(template: IdTemplate) -> Callable[[Handler], Component]:
    """Return a decorator for what answers a template's buttons and selects."""
    return partial(Component, template)


def modal(template: IdTemplate) -> Callable[[Handler], ModalForm]:
    """Return a decorator for what answers a template's modals."""
    return partial(ModalForm, template)


async def _answer(interaction: AnyInteraction, template: IdTemplate, handler: Handler, match: re.Match[str]) -> None:
    # Answer, if the id's campaign is on this server: a forged id learns nothing.
    attend(interaction, template.name)
    values = template.read(match)
    number = values.get("campaign")
    if number is not None:
        await require_home(interaction, number)
    await handler(interaction, **values)


async def require_home(interaction: AnyInteraction, campaign: int) -> None:
    """Refuse a campaign (id) of another server."""
    if not await interaction.client.servers.is_home(interaction.guild_id, campaign):
        raise errors.NotOpen("That campaign isn't on this server.", "See /help.")
    if (mine := transactions.current_interaction()) is not None:
        mine.campaign = campaign


async def route(interaction: AnyInteraction, components: Iterable[Component | ModalForm]) -> None:
    """Answer a component or modal by its id. discord.py's `DynamicItem` would rebuild each message's view."""
    data: Any = interaction.data or {}
    custom_id = str(data.get("custom_id", ""))
    kind = ModalForm if interaction.type is discord.InteractionType.modal_submit else Component
    for item, match in _match(components, kind, custom_id):
        answered = _answer(interaction, item.template, item.handler, match)
        await run_guarded(interaction, item.template.name, answered)
        return
    await run_guarded(interaction, "unknown", _refuse(interaction))


async def press(interaction: AnyInteraction, custom_id: str) -> None:
    """Do what a button id does, also of another feature."""
    for item, match in _match(interaction.client.components, Component, custom_id):
        await item.handler(interaction, **item.template.read(match))
        return
    raise errors.NotOpen(*STALE)


def _match(
    components: Iterable[Component | ModalForm], kind: type[Component | ModalForm], custom_id: str
) -> Iterator[tuple[Component | ModalForm, re.Match[str]]]:
    for item in components:
        if isinstance(item, kind) and (match := item.template.match(custom_id)):
            yield item, match


async def _refuse(interaction: AnyInteraction) -> None:
    attend(interaction, "unknown")
    raise errors.NotOpen(*STALE)


def read_picked(interaction: AnyInteraction) -> list[str]:
    """Return the values picked in a select; empty if none."""
    data: Any = interaction.data or {}
    return list(data.get("values") or [])
