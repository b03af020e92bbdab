"""Changes without dice: an Action says what changes, `perform` carries it out, `act` answers.

A command, button or window makes an Action. `perform` is one write transaction: lock, permission, `apply`, entry, posts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

from discord import app_commands, ui
from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import records, visibility
from bot.core.campaigns import Campaign, open_campaign, require_campaign_or_here, require_on_server
from bot.core.database import Database
from bot.core.ledger import Body, EntryDraft, EntryKind, EntryView, Ledger, Pages, View, next_number
from bot.core.library import Library
from bot.core.permissions import Person, find_now, may_maker_read, require_game_master
from bot.core.subjects import Numbered, Subject, Subjects
from bot.outbox.queue import Post
from bot.rolls import desk, embed, entries
from bot.rolls.resolver import Resolver
from bot.ui import answering, parsing, text
from bot.ui.receipt import entry_footer, plain_pages
from bot.ui.reply import (
    AnyInteraction,
    Component,
    IdTemplate,
    ModalForm,
    ask,
    person,
    read_submitted,
    redraw,
    rewrite,
    say,
)
from bot.ui.text import COLOURS, Controls, plain, shorten
from rules.effects import Moment


class Work:
    """A write transaction for a person in a locked campaign."""

    def __init__(self, tx: Connection, resolver: Resolver, person: Person, campaign: Campaign) -> None:
        self.tx, self.resolver, self.person, self.campaign = tx, resolver, person, campaign

    @property
    def ledger(self) -> Ledger:
        """The ledger, with the clock."""
        return self.resolver.ledger

    @property
    def library(self) -> Library:
        """The books."""
        return self.resolver.library

    @property
    def time(self) -> str:
        """The time now (ISO, UTC)."""
        return self.ledger.now().isoformat()

    @cached_property
    def viewer(self) -> visibility.Viewer:
        """The person, with what they may know."""
        return visibility.make_viewer(self.tx, self.person, self.campaign)

    @cached_property
    def actor(self) -> str:
        """The person's pseudonym, created if needed."""
        return self.ledger.actor(self.tx, self.campaign, self.person.user_id)

    @cached_property
    def moment(self) -> Moment:
        """When the person asked, in the current update."""
        return find_now(self.tx, self.person, self.campaign)

    @cached_property
    def number(self) -> int:
        """The number of the action's entry."""
        return next_number(self.tx, self.campaign)

    @cached_property
    def subjects(self) -> Subjects:
        """Subjects by typed name; unknown names become new ones."""
        return visibility.subjects_for(self.tx, self.viewer)

    def subject(self, typed: str, what: str) -> Subject:
        """Return a typed name's subject (`what` it is)."""
        (name,) = parsing.names(typed, what, 1)
        return self.subjects.of(name)


class Outcome(Struct, frozen=True):
    """An action's changes and body. `warnings` may be typos."""

    body: Mapping[str, records.Json]
    changes: Sequence[records.Change] = ()
    subjects: Sequence[Numbered] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()


class Answer(Struct, frozen=True):
    """Embeds with a view under each, or a view."""

    pages: Pages = field(default_factory=list)
    view: ui.View | ui.LayoutView | None = None


class Done(Struct, frozen=True):
    """A finished action: entry, answer, and posts to send."""

    campaign: Campaign
    entry: records.Entry
    answer: Answer
    posts: Sequence[Post]


class Action(parsing.Form):
    """A change to a campaign, as a form: its options are its command's.

    `kind` is its entry's, `verb` the body's `deed`, `summary` the command's description (60 characters), `title` the entry's heading,
    `texts` labels of free texts. It's refused in `archived` campaigns unless that's True. `may` is what only game masters do, `instead` what others can.
    """

    kind: ClassVar[str]
    verb: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    may: ClassVar[str] = ""
    instead: ClassVar[str] = ""
    archived: ClassVar[bool] = False
    texts: ClassVar[Mapping[str, str]] = {"note": "Note"}

    def apply(self, work: Work) -> Outcome | Answer:
        """Check the action; return what changes, or the answer if nothing does."""
        raise NotImplementedError

    @classmethod
    def sentence(cls, body: Body) -> str:
        """Return its entry in one line."""
        raise NotImplementedError

    def answer(self, work: Work, entry: records.Entry, outcome: Outcome) -> Answer:
        """Return what the person sees after the entry."""
        undo = Controls(entries.take_back_button(work.campaign.id, entry.number))
        return Answer(self.receipt(work, entry, outcome.warnings), undo)

    def receipt(self, work: Work, entry: records.Entry, warnings: Sequence[str]) -> Pages:
        """Show its maker the entry, with warnings."""
        lines = [*self.lines(entry), *map(plain, warnings)]
        footer = entry_footer(EntryView(entry, work.campaign.name))
        embeds = text.fit_embeds(self.heading(entry.content()), lines, colour=COLOURS["success"], footer=footer)
        return text.paginate(embeds)

    @classmethod
    def heading(cls, _body: Body) -> str:
        """Return its entry's title."""
        return cls.title

    @classmethod
    def lines(cls, entry: records.Entry) -> list[str]:
        """Return the entry's sentence and free texts."""
        given = ((label, entry.text(name)) for name, label in cls.texts.items())
        return [cls.sentence(entry.content()), *(f"**{label}:** {plain(text)}" for label, text in given if text)]

    async def after(self, interaction: AnyInteraction, done: Done) -> None:
        """Follow up once the person has the answer."""

    @staticmethod
    async def answer_command(_group: app_commands.Group, interaction: AnyInteraction, form: Action) -> None:
        """Answer a group's subcommand."""
        await form.carry_out(interaction)

    async def carry_out(self, interaction: AnyInteraction) -> None:
        """Do what the command asks."""
        await act(interaction, self)


def perform(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, action: Action) -> Done | Answer:
    """Carry an action out in a write transaction."""
    work = Work(tx, resolver, person, open_campaign(tx, campaign_id, archived=action.archived))
    if action.may:
        require_game_master(person, work.campaign, action.may, action.instead)
    outcome = action.apply(work)
    if isinstance(outcome, Answer):
        return outcome
    body, changes = {"deed": action.verb, **outcome.body}, (*work.subjects.changes, *outcome.changes)
    audience = resolver.kinds.audience(action.kind, {**body, "changes": [item.record() for item in changes]}, ())
    draft = EntryDraft(action.kind, audience, body, changes, outcome.texts, subjects=outcome.subjects)
    entry = resolver.ledger.enter(tx, work.campaign, person.user_id, draft)
    pings = embed.find_owners(tx, work.campaign, entry, person.user_id)
    posts = resolver.outbox.queue(tx, work.campaign.id, None, embed.make_entry_news(work.campaign, entry, pings))
    return Done(work.campaign, entry, action.answer(work, entry, outcome), posts)


def entry_kind(audience: str, *actions: type[Action]) -> EntryKind:
    """Return the entry kind of these actions."""
    by_verb = {action.verb: action for action in actions}
    return EntryKind(actions[0].kind, audience, partial(_sentence, by_verb), partial(_pages, by_verb))


def _sentence(by_verb: Mapping[str, type[Action]], body: Body, _view: View = "staff") -> str:
    return by_verb[body["deed"]].sentence(body)


def _pages(by_verb: Mapping[str, type[Action]], shown: EntryView, _view: View = "staff") -> Pages:
    body = shown.entry.content()
    action = by_verb[body["deed"]]
    return plain_pages(shown, action.heading(body), action.lines(shown.entry))


async def act(
    interaction: AnyInteraction, action: Action, campaign_id: int | None = None, *, replaces: bool = False
) -> None:
    """Carry an action out and show it; `replaces` an outdated message."""
    bot = interaction.client
    if campaign_id is None:
        campaign_id = (await desk.desk_of(interaction).campaign(interaction)).id
    done: Done | Answer = await bot.database.write(perform, bot.resolver, person(interaction), campaign_id, action)
    if isinstance(done, Answer):
        await show_answer(interaction, done, replaces=replaces)
        return
    sending = bot.outbox.hand(bot, done.posts)
    known = may_maker_read(person(interaction), done.campaign, done.entry)  # players change their own characters
    told = f"entry #{done.entry.number}" if known else "only game masters can read its entry"
    answering.note_done(interaction, f"Done: {told}")
    await show_answer(interaction, done.answer, replaces=replaces)
    await action.after(interaction, done)
    await bot.outbox.send(bot, sending)


async def find_pressed_campaign(interaction: AnyInteraction, number: int) -> Campaign:
    """Return the campaign (id) of a pressed button, or refuse if it isn't on this server."""
    database: Database = interaction.client.database
    return await database.read(require_on_server, interaction.guild_id or 0, number)


async def find_named_campaign(interaction: AnyInteraction, name: str | None) -> Campaign:
    """Return a campaign by name, or the channel's."""
    database: Database = interaction.client.database
    return await database.read(require_campaign_or_here, interaction.guild_id or 0, desk.channels(interaction), name)


async def show_answer(interaction: AnyInteraction, shown: Answer, *, replaces: bool = False) -> None:
    """Show an answer; `replaces` the button's message."""
    view = shown.view
    if isinstance(view, ui.LayoutView):
        await (redraw(interaction, view) if replaces else say(interaction, view=view))
        return
    if replaces and interaction.message is not None:
        await rewrite(interaction, view=None)
    for embeds in shown.pages:
        await say(interaction, embeds=embeds, **({} if view is None else {"view": view}))


def action_command(action: type[Action], who: Mapping[str, str]) -> app_commands.Command[Any, ..., Any]:
    """Return an action's subcommand, named by its verb; `who` may use it is in its extras."""
    make = app_commands.command(name=action.verb, description=action.summary, extras={**who})
    return make(parsing.fill_form(Action.answer_command, action))


class Window(Struct, frozen=True):
    """A window for options an action lacks."""

    title: str
    action: Action
    fields: Sequence[ui.Item[ui.Modal]]


WindowReader = Callable[..., Window]
"""A read transaction of person, campaign and button values that returns the window to open."""


def make_window(template: IdTemplate, read: WindowReader) -> tuple[Component, ModalForm]:
    """Make the button that opens a window, and the form that receives what is typed."""
    return Component(template, partial(_open, template, read)), ModalForm(template, partial(_send, read))


async def _open(template: IdTemplate, read: WindowReader, interaction: AnyInteraction, **ids: object) -> None:
    asked = await interaction.client.database.read(_read_window, read, person(interaction), **ids)
    form = ui.Modal(title=shorten(asked.title, 45), custom_id=template.fill(**ids))
    for item in asked.fields:
        form.add_item(item)
    await ask(interaction, form)


async def _send(read: WindowReader, interaction: AnyInteraction, *, campaign: int, **ids: Any) -> None:  # noqa: ANN401 - of the button
    asked = await interaction.client.database.read(_read_window, read, person(interaction), campaign, **ids)
    sent = read_submitted(interaction)
    names = {str(getattr(getattr(item, "component", item), "custom_id", "")) for item in asked.fields} - {""}
    given = {name: sent[name] for name in names & sent.keys()}
    typed = {name: one if isinstance(one, str) else next(iter(one or ()), "") for name, one in given.items()}
    await act(interaction, replace(asked.action, **typed), campaign, replaces=True)


def _read_window(tx: Connection, read: WindowReader, person: Person, campaign: int, **ids: object) -> Window:
    return read(tx, person, require_on_server(tx, person.guild_id, campaign), **ids)
