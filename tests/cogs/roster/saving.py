"""Save, edit and remove units without commands."""

from __future__ import annotations

from typing import Any

from bot.cogs.roster import service
from bot.cogs.roster.embed import ProfileView, find_profile
from bot.core.profiles import CHARACTER_KINDS
from tests.support.backend import GM, House


async def add(house: House, name: str, kind: str, **given: Any) -> ProfileView:  # noqa: ANN401
    """Save a unit or character."""
    form = service.AddCharacter if kind in CHARACTER_KINDS else service.AddUnit
    await house.act(form(name=name, what=kind, **given))
    return await _read_newest(house)


async def edit(house: House, who: str, saved: str, **given: Any) -> ProfileView:  # noqa: ANN401
    """Change fields."""
    form = service.EditCharacter if who == "character" else service.EditUnit
    named = {{"name": "new_name", "kind": "what"}.get(field, field): value for field, value in given.items()}
    await house.act(form(name=saved, **named))
    return await _read_newest(house)


async def _read_newest(house: House) -> ProfileView:
    number = next(iter((await house.entries())[-1].names()))
    return await house.database.read(find_profile, house.resolver, GM, house.campaign.id, number)


async def remove(house: House, who: str, name: str) -> None:
    """Remove a unit or character."""
    view = await house.database.read(service.to_remove, house.resolver, GM, house.campaign, who, name)
    await house.database.write(service.remove, house.kernel, GM, house.campaign.id, view.profile.id, view.revision)
