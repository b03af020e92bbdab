"""Who is down in a fight, and whether one side alone is left standing (line 168)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from sqlalchemy import Connection

from bot.core import groups, profiles
from bot.core.profiles import Profile
from bot.core.state import State
from rules.books.roe.marks import COMING, WANTED
from rules.books.roe.prisoners import WOUNDED
from rules.books.roe.scene import Fight
from rules.ends import Moment, ran_out
from rules.subjects import subject_key


def downed(fight: Fight, kept: State, now: Moment) -> frozenset[int]:
    """Return the fighters (numbers) who are Wounded, by what is `kept` of them."""
    wounds = ((item.id, kept.get((subject_key(item.id), WOUNDED))) for item in fight.roster)
    return frozenset(number for number, value in wounds if value and not ran_out(value, now))


def one_side_stands(
    tx: Connection, campaign_id: int, fight: Fight, people: Iterable[Profile], down: Collection[int]
) -> bool:
    """Return whether all who still stand are of one side, others are down, and no help is on its way.

    Secret fighters and groups don't count, as everybody would see by them that the fight goes on.
    """
    known = [item for item in people if not item.secret]
    if not any(item.id in down for item in known) or _is_help_coming(tx, campaign_id, fight):
        return False
    joined = [{*group.members} for group in groups.current(tx, campaign_id) if not group.secret]
    left = [item for item in known if item.id not in down]
    return _are_allied(left, joined) and not _are_allied(known, joined)


def _are_allied(fighters: list[Profile], joined: list[set[int]]) -> bool:
    """Return whether each two of these are played by the same player, or are in one group."""
    return all(
        (one.owner is not None and one.owner == other.owner) or any({one.id, other.id} <= group for group in joined)
        for one, other in combinations(fighters, 2)
    )


def _is_help_coming(tx: Connection, campaign_id: int, fight: Fight) -> bool:
    marks = [mark for item in fight.roster for mark in item.marks if mark.startswith((COMING, WANTED))]
    called = {int(mark.rpartition(".")[2]) for mark in marks}
    return any(not item.secret for item in profiles.read(tx, campaign_id, called).values())
