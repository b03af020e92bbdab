"""Save, edit and remove units without commands."""

from __future__ import annotations

from typing import Any

from bot.cogs.roster import service
from bot.cogs.roster.embed import ProfileView
from tests.support.backend import GM, House


async def add(house: House, name: str, kind: str, **given: Any) -> ProfileView:  # noqa: ANN401
    """Save a unit or character."""
    return await house.database.write(service.add, house.kernel, GM, house.campaign.id, name, kind, given)


async def edit(house: House, who: str, saved: str, **given: Any) -> ProfileView:  # noqa: ANN401
    """Change fields."""
    return await house.database.write(service.edit, house.kernel, GM, house.campaign.id, who, saved, given)


async def remove(house: House, who: str, name: str) -> None:
    """Remove a unit or character."""
    view = await house.database.read(service.to_remove, house.kernel, GM, house.campaign, who, name)
    await house.database.write(service.remove, house.kernel, GM, house.campaign.id, view.profile.id, view.revision)
