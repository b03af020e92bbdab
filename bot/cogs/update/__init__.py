"""The game's day or week."""

from bot.cogs.update import cog, service
from bot.kernel import Feature

FEATURE = Feature(
    commands=(cog.UpdateCog(),),
    components=cog.COMPONENTS,
    modals=cog.MODALS,
    entry_kinds=(service.UPDATE_CLOSED,),
    jobs=(service.CLOSING,),
)
