"""How an effect that is set by hand ends: as is asked for, or by its own rule; in a scene in that of whoever it is bound to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import scenes, subjects
from bot.core.campaigns import Campaign
from bot.core.state import State
from bot.core.subjects import Subject
from bot.core.visibility import Viewer
from bot.errors import BadInput
from rules.book import Effect
from rules.ends import End, Key, Moment
from rules.scenes import Header
from rules.subjects import subject_key

Until = Literal["update", "cleared", "scene"]


class Ending(Struct, frozen=True):
    """How an effect ends: by these keys of its value, and what its entry says of the scene."""

    keys: dict[str, Any]
    told: Mapping[str, Any]


def wanted_end(effect: Effect, until: Until | None, hours: int | None, turns: int | None) -> End:
    """Return the end that is asked for; that of the effect's own rule where none is."""
    if hours and turns:
        raise BadInput("An effect can end after hours or turns, not both.", "Leave out hours: or turns:.")
    if turns:
        return End("turns", turns)
    return End("hours", hours) if hours else End(until) if until else effect.end


def begun(tx: Connection, campaign: Campaign, now: Moment, bearer: Subject, whose: Subject | None, end: End) -> Ending:
    """Return how an effect ends that begins now on its bearer, counted in the turns of `whose`, or in the bearer's own."""
    if whose and end.until != "turns":
        raise BadInput("This effect doesn't end after turns.", "Set turns:, or leave out whose:.")
    if end.until not in {"turns", "scene"}:
        return Ending(end.begun(now), {})
    if end.of == "initiator" and whose is None:
        raise BadInput("This effect counts the turns of the one who causes it.", "Name them as whose:.")
    counted = whose or bearer
    at = scenes.where(tx, campaign.id, counted.id)
    if at is None:
        what = f"{counted.name} isn't in a battle or scene that could end this effect."
        raise BadInput(what, "Use until: or hours:, or add them to a scene first.")
    told: dict[str, Any] = {"scene": at.header.name}
    if end.until == "turns":
        told |= {"turns": end.count, "whose": counted.name}
        told |= {} if at.header.order else {"turn": at.header.turn}
    return Ending(end.begun(Moment(now.update, now.hence, now.entry, at.scene, now.later), counted.id), told)


def counted(tx: Connection, viewer: Viewer, effects: State) -> Iterator[tuple[Key, str]]:
    """Yield when those of these effects end that turns of a scene do; who counts is named to those who may know of that one.

    Where each has turns of its own, not everybody may know of the scene and of whose turn runs: game masters alone read that.
    """
    ending = {key: value["turns"] for key, value in effects.items() if "turns" in value}
    headers = {
        scene: scenes.header(tx, viewer.campaign.id, scene) for scene in {item["scene"] for item in ending.values()}
    }
    by = subjects.by_number(tx, viewer.campaign.id, {item["of"] for item in ending.values()})
    for key, turns in ending.items():
        header, whose = headers[turns["scene"]], by[turns["of"]]
        name = whose.name if viewer.knows(whose) else None
        own = subject_key(whose.id) == key[0]
        if header is not None:
            later = turns.get("since", effects[key]["entry"]) > (header.since or header.entry)
            if header.order and not viewer.person.leads(viewer.campaign):
                header, later = replace(header, name=""), False
            yield (
                key,
                _left(header, turns["left"], "it" if own else name or "another", None if own else name, later=later),
            )


def until_told(body: Mapping[str, Any], who: str) -> str:
    """Return when an effect on somebody (a name) ends that is bound to a scene, as its entry says."""
    if "turns" not in body:
        return f"until {body['scene']} is over"
    header = Header(body["scene"], (), 0, body.get("turn", 0), order=None if "turn" in body else "participants")
    return _left(header, body["turns"], body["whose"], None if body["whose"] == who else body["whose"], later=True)


def _left(at: Header, left: int, who: str, leaves: str | None, *, later: bool) -> str:
    """Return how long an effect lasts by turns that are `left`, those after the running one where they are counted `later`.

    Where everybody has the same turns it also ends when the other one `leaves` of whom they are counted.
    """
    if at.order:
        where = f" in {at.name}" if at.name else ""
        return (
            f"until {who} has had {left} more turn{'s' * (left > 1)}{where}{', not counting the current one' * later}"
        )
    first = at.turn + later
    since = f", counted from turn {first}" if later else ""
    return f"until turn {first + left - 1} of {at.name} is over{since}{f', or {leaves} leaves' if leaves else ''}"
