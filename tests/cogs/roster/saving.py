"""Save, edit and remove units without commands."""

from __future__ import annotations

from typing import Any

from bot.cogs.roster import service
from bot.cogs.roster.embed import ProfileView, find_profile
from bot.core.visibility import find_saved
from tests.support.backend import GM, House


async def add(house: House, name: str, kind: str, **given: Any) -> ProfileView:  # noqa: ANN401
    """Save a unit or character."""
    await house.act(service.AddProfile(name=name, what=kind, **given))
    return await _read_newest(house)


async def edit(house: House, saved: str, **given: Any) -> ProfileView:  # noqa: ANN401
    """Change fields."""
    named = {{"name": "new_name", "kind": "what"}.get(field, field): value for field, value in given.items()}
    await house.act(service.EditProfile(name=saved, **named))
    return await _read_newest(house)


async def _read_newest(house: House) -> ProfileView:
    number = next(iter((await house.entries())[-1].names()))
    return await house.database.read(find_profile, house.resolver, GM, house.campaign.id, number)


async def remove(house: House, name: str) -> None:
    """Remove a unit or character."""
    found = await house.database.read(find_saved, GM, house.campaign, name)
    view = await house.database.read(service.to_remove, house.resolver, GM, house.campaign, found.id)
    await house.database.write(service.remove, house.kernel, GM, house.campaign.id, view.profile.id, view.revision)
