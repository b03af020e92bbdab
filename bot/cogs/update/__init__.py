"""The game's day or week."""

from bot.cogs.update.cog import UpdateCog, ask, ask_drop, cancel_all, close
from bot.cogs.update.embed import UPDATE_CLOSED
from bot.cogs.update.service import CLOSING
from bot.kernel import Feature

FEATURE = Feature(
    commands=(UpdateCog(),),
    components=(close, ask, ask_drop),
    modals=(cancel_all,),
    entry_kinds=(UPDATE_CLOSED,),
    jobs=(CLOSING,),
)
