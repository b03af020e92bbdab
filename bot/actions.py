"""The one road of a change without dice: an Action says what changes, `perform` carries it out, `act` answers.

A command, button or window makes an Action. `perform` is one write transaction: it locks the campaign, checks permission,
applies the action, writes its entry and queues what is owed. `act` shows the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

from discord import app_commands, ui
from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, open_campaign, require_campaign_or_here, require_on_server
from bot.core.database import Database
from bot.core.encoding import Json
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.library import Library
from bot.core.permissions import Person, find_now, require_game_master
from bot.core.records import Change, Entry
from bot.core.subjects import Numbered, Subject, Subjects
from bot.core.visibility import Viewer, make_viewer, subjects_for
from bot.outbox.store import Post
from bot.rolls import news
from bot.rolls.buttons import take_back_button
from bot.rolls.desk import channels, desk_of
from bot.rolls.resolver import Resolver
from bot.ui import parsing, text
from bot.ui.answering import note_done
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, ModalForm, with_buttons
from bot.ui.form import GAME_MASTERS, Form, fill_form
from bot.ui.receipt import entry_footer, plain_pages
from bot.ui.reply import AnyInteraction, ask, person, read_submitted, redraw, say, spend
from bot.ui.text import plain, shorten
from rules.ends import Moment


class Work:
    """A write transaction on behalf of a person in a campaign, whose row is locked. Each value is read once."""

    def __init__(self, tx: Connection, resolver: Resolver, person: Person, campaign: Campaign) -> None:
        self.tx, self.resolver, self.person, self.campaign = tx, resolver, person, campaign

    @property
    def ledger(self) -> Ledger:
        """The ledger; it has the clock."""
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
    def viewer(self) -> Viewer:
        """The person, with what they may know."""
        return make_viewer(self.tx, self.person, self.campaign)

    @cached_property
    def actor(self) -> str:
        """The person's pseudonym, made where there is none yet."""
        return self.ledger.actor(self.tx, self.campaign, self.person.user_id)

    @cached_property
    def moment(self) -> Moment:
        """When the person asked, in the current update."""
        return find_now(self.tx, self.person, self.campaign)

    @cached_property
    def number(self) -> int:
        """The number of the entry that the action will write."""
        return next_number(self.tx, self.campaign)

    @cached_property
    def subjects(self) -> Subjects:
        """What typed names mean; names that nobody has yet become subjects of the entry."""
        return subjects_for(self.tx, self.viewer)

    def subject(self, typed: str, what: str) -> Subject:
        """Return the subject that a typed name means; `what` it is says a refusal."""
        (name,) = parsing.names(typed, what, 1)
        return self.subjects.of(name)


class Outcome(Struct, frozen=True):
    """What an action changes and what its entry says. Each of `warnings` may be a typo of the person."""

    body: Mapping[str, Json]
    changes: Sequence[Change] = ()
    subjects: Sequence[Numbered] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()


class Answer(Struct, frozen=True):
    """What the person sees: messages of embeds with one view under each, or a message that is a view."""

    pages: Pages = field(default_factory=list)
    view: ui.View | ui.LayoutView | None = None


class Done(Struct, frozen=True):
    """An action that was carried out: its entry, the answer, and the posts that are still to be sent."""

    campaign: Campaign
    entry: Entry
    answer: Answer
    posts: Sequence[Post]


class Action(Form):
    """Something a person does to a campaign, as a form: its options are those of its command.

    - `kind` is the kind of its entry, `verb` the `deed` in the body of that entry.
    - `summary` describes its command, in at most 60 characters. `title` heads its entry; `texts` are the free texts of the entry with their labels.
    - `may` says what only game masters do ("move captives"), `instead` what others can do; without `may`, `apply` decides who may.
    """

    kind: ClassVar[str]
    verb: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    may: ClassVar[str] = ""
    instead: ClassVar[str] = ""
    texts: ClassVar[Mapping[str, str]] = {"note": "Note"}

    def apply(self, work: Work) -> Outcome:
        """Check the action and return what it changes; write only what no entry keeps, such as where queued posts go."""
        raise NotImplementedError

    @classmethod
    def sentence(cls, body: Body) -> str:
        """Return its entry in one line."""
        raise NotImplementedError

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Return what the person sees once the entry is written."""
        below = with_buttons(take_back_button(work.campaign.id, entry.number))
        return Answer(self.receipt(work, entry, outcome.warnings), below)

    def receipt(self, work: Work, entry: Entry, warnings: Sequence[str]) -> Pages:
        """Return the entry as its maker reads it, with what may be a typo."""
        lines = [*self.lines(entry), *map(plain, warnings)]
        footer = entry_footer(EntryView(entry, work.campaign.name))
        return text.paginate(
            text.fit_embeds(self.heading(entry.content()), lines, colour=COLOURS["success"], footer=footer)
        )

    @classmethod
    def heading(cls, _body: Body) -> str:
        """Return its entry's title."""
        return cls.title

    @classmethod
    def lines(cls, entry: Entry) -> list[str]:
        """Return the entry's sentence and its free texts, each as a line."""
        given = ((label, entry.text(name)) for name, label in cls.texts.items())
        return [cls.sentence(entry.content()), *(f"**{label}:** {plain(text)}" for label, text in given if text)]

    async def after(self, interaction: AnyInteraction, done: Done) -> None:
        """Do what follows once the person has the answer."""

    @staticmethod
    async def answer_command(_group: app_commands.Group, interaction: AnyInteraction, form: Action) -> None:
        """Answer the subcommand of a group."""
        await form.carry_out(interaction)

    async def carry_out(self, interaction: AnyInteraction) -> None:
        """Do what its command asks for."""
        await act(interaction, self)


def perform(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, action: Action) -> Done:
    """Lock the campaign, check who may do it, apply the action, write its entry and queue its posts, in a write transaction."""
    work = Work(tx, resolver, person, open_campaign(tx, campaign_id))
    if action.may:
        require_game_master(person, work.campaign, action.may, action.instead)
    outcome = action.apply(work)
    body, changes = {"deed": action.verb, **outcome.body}, (*work.subjects.changes, *outcome.changes)
    audience = resolver.kinds.audience(action.kind, {**body, "changes": [item.record() for item in changes]}, ())
    draft = EntryDraft(action.kind, audience, body, changes, outcome.texts, subjects=outcome.subjects)
    entry = resolver.ledger.enter(tx, work.campaign, person.user_id, draft)
    pings = news.owners(tx, work.campaign, entry)
    posts = resolver.outbox.queue(tx, work.campaign.id, None, news.news_of(work.campaign, entry, pings))
    return Done(work.campaign, entry, action.answer(work, entry, outcome), posts)


def entry_kind(audience: str, *actions: type[Action]) -> EntryKind:
    """Return the kind of the entries that these actions write."""
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
    """Carry an action out in a campaign, that of the channel by default, and show what it did.

    `replaces` says that the message whose button was pressed is out of date with that.
    """
    bot = interaction.client
    if campaign_id is None:
        campaign_id = (await desk_of(interaction).campaign(interaction)).id
    done: Done = await bot.database.write(perform, bot.resolver, person(interaction), campaign_id, action)
    sending = bot.outbox.hand(bot, done.posts)
    note_done(interaction, f"Done: entry #{done.entry.number}")
    await show_answer(interaction, done.answer, replaces=replaces)
    await action.after(interaction, done)
    await bot.outbox.send(bot, sending)


async def pressed_campaign(interaction: AnyInteraction, number: int) -> Campaign:
    """Return the campaign (number) that the id of a button names."""
    database: Database = interaction.client.database
    return await database.read(require_on_server, interaction.guild_id or 0, number)


async def named_campaign(interaction: AnyInteraction, name: str | None) -> Campaign:
    """Return the campaign of a name, also one that is archived; without a name the channel's."""
    database: Database = interaction.client.database
    return await database.read(require_campaign_or_here, interaction.guild_id or 0, channels(interaction), name)


async def show_answer(interaction: AnyInteraction, shown: Answer, *, replaces: bool = False) -> None:
    """Show an answer, in place of the message whose button was pressed where that is out of date."""
    view = shown.view
    if isinstance(view, ui.LayoutView):
        await (redraw(interaction, view) if replaces else say(interaction, view=view))
        return
    if replaces and interaction.message is not None:
        await spend(interaction)
    for embeds in shown.pages:
        await say(interaction, embeds=embeds, **({} if view is None else {"view": view}))


def action_command(action: type[Action], name: str = "") -> app_commands.Command[Any, ..., Any]:
    """Return the subcommand of a group that carries an action out. It has the name of its verb by default."""
    who = GAME_MASTERS if action.may else {}
    make = app_commands.command(name=name or action.verb, description=action.summary, extras=who)
    return make(fill_form(Action.answer_command, action))


class Window(Struct, frozen=True):
    """A window that asks for the options that an action lacks: the id of each field names one."""

    title: str
    action: Action
    fields: Sequence[ui.Item[ui.Modal]]


Look = Callable[..., Window]
"""A read transaction of the person, the campaign and the values of a button's id: the window that the button opens."""


def window(template: IdTemplate, look: Look) -> tuple[Component, ModalForm]:
    """Return the button that opens a window, and what carries the action out when the window is sent."""
    return Component(template, partial(_open, template, look)), ModalForm(template, partial(_send, look))


async def _open(template: IdTemplate, look: Look, interaction: AnyInteraction, **ids: object) -> None:
    asked = await interaction.client.database.read(_look, look, person(interaction), **ids)
    form = ui.Modal(title=shorten(asked.title, 45), custom_id=template.fill(**ids))
    for item in asked.fields:
        form.add_item(item)
    await ask(interaction, form)


async def _send(look: Look, interaction: AnyInteraction, *, campaign: int, **ids: Any) -> None:  # noqa: ANN401 - of the button
    asked = await interaction.client.database.read(_look, look, person(interaction), campaign, **ids)
    sent, names = read_submitted(interaction), {*map(_name, asked.fields)} - {""}
    action = replace(asked.action, **{name: _one(sent[name]) for name in names & sent.keys()})
    await act(interaction, action, campaign, replaces=True)


def _look(tx: Connection, look: Look, person: Person, campaign: int, **ids: object) -> Window:
    return look(tx, person, require_on_server(tx, person.guild_id, campaign), **ids)


def _name(item: ui.Item[ui.LayoutView]) -> str:
    """Return which option a field asks for."""
    field: object = item.component if isinstance(item, ui.Label) else item
    return str(getattr(field, "custom_id", ""))


def _one(sent: str | Sequence[str] | None) -> str:
    """Return what was typed or picked in a field; empty text where that is nothing."""
    return sent if isinstance(sent, str) else next(iter(sent or ()), "")
