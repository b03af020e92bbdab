"""The game's day or week."""

from bot.cogs.update import cog, service
from bot.kernel import Feature
from bot.ui.commands import GM

FEATURE = Feature(
    commands=(cog.UpdateCog(), GM),
    components=(*cog.COMPONENTS,),
    entry_kinds=(service.UPDATE_CLOSED,),
    jobs=(service.CLOSING,),
)
