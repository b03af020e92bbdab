"""Whom somebody gives orders to."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.core import profiles, subjects
from bot.core.subjects import Subject, label
from bot.core.visibility import Viewer
from bot.errors import NotAllowed, unknown_name


def commands(tx: Connection, viewer: Viewer) -> list[profiles.Profile]:
    """Return whom a person gives orders to: game masters all who are saved, players their own and the units of these."""
    every = profiles.everyone(tx, viewer.campaign.id)
    if viewer.person.leads(viewer.campaign):
        return every
    squads = {item.squad_id for item in every if viewer.owns(item)}
    return [item for item in every if viewer.owns(item) or (item.id in squads and viewer.knows(item))]


def commanded(tx: Connection, viewer: Viewer, typed: str) -> Subject:
    """Return whom a person means and gives orders to.

    Raises:
        NotAllowed: that one is not the person's to order about.
        BadInput: nobody of the name is saved, or several are.

    """
    theirs = commands(tx, viewer)
    item = subjects.one_of(theirs, typed)
    if item is not None:
        return subjects.by_number(tx, viewer.campaign.id, [item.id])[item.id]
    names = [label(item) for item in theirs]
    if viewer.person.leads(viewer.campaign):
        what = f"Nobody of the name {typed!r} is saved."
        raise unknown_name(what, typed, names, "Save them first: /unit add or /character add.")
    raise NotAllowed(
        f"{typed} takes no orders from you.",
        f"You give them for: {', '.join(names)}."
        if names
        else "A game master saves your characters, with you as owner.",
    )
