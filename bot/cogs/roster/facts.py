"""Facts from saved units and characters."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import Connection

from bot.core import knowledge, profiles
from bot.core.profiles import ALONE, OF_LEVEL, Profile, profile
from bot.core.state import State
from bot.core.visibility import any_player
from bot.rolls.situation import RollContext
from rules.books.campaign.captivity import CAPTIVE
from rules.facts import Known, Origin


def saved_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from saved units and characters, in whatever role they stand; a character has those of the squad too."""
    parts = [
        [(role, saved) for role, item in part if (saved := profile(context.kept, item))] for part in context.everyone()
    ]
    squad_ids = {saved.squad_id for part in parts for _, saved in part if saved.squad_id is not None}
    squads = profiles.read(tx, context.campaign.id, squad_ids)
    levels = knowledge.private_levels(tx, any_player(context.campaign), (saved for part in parts for _, saved in part))
    return [dict(_facts_of(part, squads, context.kept, levels)) for part in parts]


def _facts_of(
    part: Sequence[tuple[str, Profile]], squads: Mapping[int, Profile], kept: State, private_levels: Collection[int]
) -> Iterator[tuple[str, Known]]:
    """Yield the facts of each in its role; a captive is without the squad, whatever it tries."""
    for role, saved in part:
        with_squad = saved.squad_id is not None and role not in ALONE and (saved.key, CAPTIVE) not in kept
        squad = squads.get(saved.squad_id) if saved.squad_id is not None and with_squad else None
        for bearer in (squad, saved):
            if bearer is not None:
                origin = Origin("saved", bearer.name)
                for trait, count in bearer.known().items():
                    private = bearer.id in private_levels and trait in OF_LEVEL
                    yield f"{role}.{trait}", Known(count, origin, secret=bearer.secret or private)
