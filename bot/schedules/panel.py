"""`/update schedule` and `/weather schedule`, and the buttons under the question about what was missed."""

from __future__ import annotations

from collections.abc import Mapping

from discord.app_commands import Choice

from bot.core.campaigns import on_server
from bot.errors import NotOpen
from bot.outbox.delivery import Outbox
from bot.rolls.desk import RollDesk, whereabouts
from bot.schedules.buttons import question_buttons
from bot.schedules.embed import LATE_ONES, answered_embed, schedule_embed
from bot.schedules.service import Plan, Scheduler
from bot.schedules.store import EVERY_DAY, WEEKDAYS
from bot.ui.reply import STALE, AnyInteraction, number, person, promise, say

DAYS: list[Choice[str]] = [Choice(name=day, value=day) for day in WEEKDAYS]
DAYS_OR_DAILY: list[Choice[str]] = [*DAYS, Choice(name=EVERY_DAY, value=EVERY_DAY)]
CATCH_UP: list[Choice[str]] = [Choice(name=label, value=value) for value, label in LATE_ONES.items()]
OPTIONS: Mapping[str, str] = {
    "day": "On which day, by the campaign's time zone",
    "time": "At what time, on the 24-hour clock, like 18:00",
    "remind": "Minutes before at which the staff is reminded (1440 is a day); 0 for no reminder",
    "catch_up": "What to do about those that I was away for",
    "off": "Stop it instead",
}


class SchedulePanel:
    """Shows and changes schedules, and takes a game master's word on what was missed."""

    def __init__(self, desk: RollDesk, scheduler: Scheduler, outbox: Outbox) -> None:
        self._desk = desk
        self._scheduler = scheduler
        self._outbox = outbox

    async def command(self, interaction: AnyInteraction, deed: str, plan: Plan, *, off: bool) -> None:
        """Show the schedule of a deed, once it is changed as the options ask for."""
        campaign = await self._desk.campaign(interaction)
        if off or plan != Plan():
            job = await self._scheduler.set(person(interaction), campaign.id, deed, None if off else plan)
        else:
            job = await self._scheduler.show(campaign.id, deed)
        leads = person(interaction).leads(campaign)
        embed = schedule_embed(campaign, deed, self._scheduler.deeds[deed].what, job, whole=leads)
        asks = job is not None and job.missed and leads
        buttons = {"view": question_buttons(campaign.id, deed)} if asks else {}
        await say(interaction, embed=embed, **buttons)

    async def answer(self, interaction: AnyInteraction, words: list[str]) -> None:
        """The buttons of a question, `schedule:<campaign>:<deed>:roll|skip`."""
        promise(interaction)
        campaign_id, deed, roll = self._read(words)
        campaign = await self._desk.database.read(on_server, interaction.guild_id or 0, campaign_id)
        answered = await self._scheduler.answer(person(interaction), campaign_id, deed, roll=roll)
        sent = await self._outbox.send(interaction.client, answered.posts)
        left = len(answered.posts) - len(sent)
        where = [*whereabouts(campaign, sent), *([f"{left} more posts follow by themselves."] if left else [])]
        told = {"done by hand already": answered.by_hand, "made up for" if roll else "let go": answered.done}
        what = self._scheduler.deeds[deed].what
        try:
            await say(interaction, embed=answered_embed(what, told, fault=answered.fault, where=where))
        finally:
            await self._outbox.note(sent)

    def _read(self, words: list[str]) -> tuple[int, str, bool]:
        """Campaign, deed and word out of a button's id."""
        match words:
            case [campaign, deed, "roll" | "skip" as word] if deed in self._scheduler.deeds:
                return number(campaign), deed, word == "roll"
        raise NotOpen(*STALE)
