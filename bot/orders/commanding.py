"""Who may order for which character or unit."""

from __future__ import annotations

import re
from collections.abc import Sequence

import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import profiles, subjects
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, unknown_name
from bot.core.permissions import Person
from bot.core.visibility import Viewer, list_played, refuse_acting
from bot.orders.kinds import PlayedKind, scene_of
from rules import books
from rules.errors import nearest
from rules.orders import OrderTaker
from rules.ruleset import RuleSet

_ASK = "Ask a game master."
_NUMBERED = re.compile(r"\s+#[0-9]+$")  # the number behind a name that several have


class OrderDoer(Struct, frozen=True):
    """Who carries out an order; in a scene also the `doer` there, and the giver's name there (`by`)."""

    who: subjects.Subject
    doer: OrderTaker | None = None
    by: str | None = None

    def require_giver(self, viewer: Viewer, known: PlayedKind) -> None:
        """Refuse an order that the player may not give."""
        able = self.doer is not None and known.kind.id in self.doer.orders
        if self.doer is not None and able and not is_given_by(viewer, self.doer, known.kind.id):
            raise NotAllowed(f"You can't give {self.doer.name} this order: {known.kind.label}.", _ASK)


def find_order_doer(
    tx: Connection, viewer: Viewer, known: PlayedKind, typed: str, people: subjects.Subjects
) -> OrderDoer:
    """Find who is to carry out an order, by typed name; refuse others' doers."""
    pairing = books.find_pairing(known.book.id)
    if pairing is None or pairing.scene is None:
        return OrderDoer(find_commanded(tx, viewer, typed))
    scene = scene_of(tx, viewer.campaign.id, known.book)
    if scene is None:
        what = f"{viewer.campaign.name} has no {pairing.scene.kind} yet."
        raise NotAsItIs(what, f"A game master starts one with /{pairing.scene.kind} new.")
    typed, every = _NUMBERED.sub("", typed), [*scene.orders.doers(known.book, scene.values, viewpoint_of(viewer))]
    leads = viewer.person.leads(viewer.campaign)
    named = [item for item in every if item.is_called(typed) and (leads or viewer.mine in item.givers)]
    able = (item for item in named if known.kind.id in item.orders)  # a force and a player may share a name
    doer = next(iter((*able, *named)), None)
    if doer is None:
        raise _not_theirs(viewer, known, typed, every)
    who = people.pick_unsaved([doer.name])[0] if doer.apart else people.of(doer.name)
    by = None if leads or viewer.mine is None else scene.orders.called(scene.book, scene.values, viewer.mine)
    return OrderDoer(who, doer, by)


def _not_theirs(viewer: Viewer, known: PlayedKind, typed: str, every: Sequence[OrderTaker]) -> BadInput:
    mine = [item.name for item in every if is_given_by(viewer, item, known.kind.id)]
    mine = mine or [item.name for item in every if is_given_by(viewer, item)]
    hint = f"You can order: {', '.join(mine)}." if mine else _ASK
    others = next((item.name for item in every if item.is_called(typed)), None)
    if others is not None:
        return BadInput(f"You can't give orders for {others}.", hint)
    what = f"You don't know of a {known.kind.by} called {typed!r}."
    return unknown_name(what, typed, mine, hint)


def scene_doers(tx: Connection, viewer: Viewer, book: RuleSet, kind: str | None = None) -> list[OrderTaker]:
    """Return those in a book's scene that the person commands: for a kind of order, or any."""
    scene = scene_of(tx, viewer.campaign.id, book)
    every = scene.orders.doers(book, scene.values, viewpoint_of(viewer)) if scene else ()
    return [item for item in every if is_given_by(viewer, item, kind)]


def viewpoint_of(viewer: Viewer) -> str | None:
    """Return the pseudonym by which a scene is seen: empty for onlookers, None for game masters."""
    return None if viewer.person.leads(viewer.campaign) else viewer.mine or ""


def is_given_by(viewer: Viewer, doer: OrderTaker, kind: str | None = None) -> bool:
    """Return whether the person may give a doer in a scene a kind of order, or any."""
    able = [some for order, some in doer.orders.items() if kind in {None, order}]
    return any(viewer.person.leads(viewer.campaign) or viewer.mine in some for some in able)


def find_commanded(tx: Connection, viewer: Viewer, typed: str) -> subjects.Subject:
    """Find the typed character or unit. Refuse a name that the person doesn't command."""
    theirs = list_played(tx, viewer)
    item = subjects.choose_named(theirs, typed)
    if item is not None:
        return subjects.get_subjects(tx, viewer.campaign.id, [item.id])[item.id]
    names = [subjects.label_subject(item) for item in theirs]
    if viewer.person.leads(viewer.campaign):
        what = f"I can't find {typed!r}."
        raise unknown_name(what, typed, names, "Save it first with /unit add or /character add.")
    known = [other for other in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(other)]
    other = subjects.choose_named(known, typed)
    if other is not None:
        raise refuse_acting(tx, viewer, other)
    if not names:
        raise NotAllowed(
            f"You can't give orders for {typed}.", "Ask a game master to save your character, with you as owner."
        )
    close = nearest(typed, [item.name for item in theirs])
    meant = f"Did you mean {close}? " if close else ""
    raise NotAllowed(f"You can't give orders for {typed}.", f"{meant}You can give orders for: {', '.join(names)}.")


def takes_part(member: discord.Member, campaign: Campaign) -> bool:
    """Return whether a member has a role of the campaign."""
    roles = frozenset(role.id for role in member.roles)
    return Person(member.id, member.guild.id, roles, manages_server=False).takes_part(campaign)
