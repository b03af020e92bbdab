"""`/gm schedule`: entries, buttons, and the loop for due jobs."""

from bot.client import Interaction
from bot.kernel import Chore, Feature
from bot.schedules.actions import COMPONENTS, SCHEDULE_CHANGED, ScheduleForm, show_or_set
from bot.schedules.runner import run_due
from bot.ui.commands import GM
from bot.ui.parsing import GAME_MASTERS, fill_form


@GM.command(name="schedule", extras=GAME_MASTERS)
@fill_form
async def set_schedule(interaction: Interaction, form: ScheduleForm) -> None:
    """Show or set when updates close and when the weather rolls."""
    await show_or_set(interaction, form)


FEATURE = Feature(commands=(GM,), components=COMPONENTS, entry_kinds=(SCHEDULE_CHANGED,), chores=(Chore(run_due),))
