"""`/writeups`: battles and scenes to write up."""

from collections.abc import Mapping, Sequence

from discord import app_commands, ui
from discord.app_commands import Choice

from bot.actions import act, action_command, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.writeups import queries, todo
from bot.cogs.writeups.actions import Claim, EnterResult, Finish, GiveBack, ask_link, ask_result, end, finish
from bot.cogs.writeups.queries import CLAIMED, DONE, OPEN, PAGE, STATES, Place, fit_page
from bot.core.campaigns import Campaign
from bot.core.errors import NotOpen
from bot.rolls.desk import desk_of
from bot.ui.components import Component, IdTemplate, ModalForm, component, read_picked
from bot.ui.parsing import describe
from bot.ui.receipt import page_buttons, picker, receipt
from bot.ui.reply import STALE, person, redraw, say
from bot.ui.text import COLOURS, DOT, plain, strip_marks

LIST = IdTemplate("writeups:{campaign:int}:{what:word}:{entry:int}.{part:int}")
"""Pages of a list: below a part of an entry, 0.0 for the newest."""

PICK = IdTemplate("writeups:{campaign:int}:show")
UNWRITTEN = "unwritten"
SHOWN: Mapping[str, tuple[str, Sequence[str]]] = {
    UNWRITTEN: ("Write-ups to do", (OPEN, CLAIMED)),
    OPEN: ("Open", (OPEN,)),
    CLAIMED: ("Claimed", (CLAIMED,)),
    DONE: ("Done", (DONE,)),
    "all": ("All write-ups", STATES),
}
NEWEST: Place = (0, 0)


@component(LIST)
async def turn(interaction: Interaction, *, campaign: int, what: str, entry: int, part: int) -> None:
    """Show another page of a list."""
    if what not in SHOWN:
        raise NotOpen(*STALE)
    here = await find_pressed_campaign(interaction, campaign)
    below = None if (entry, part) == NEWEST else (entry, part)
    await redraw(interaction, await list_view(interaction, here, what, below))


async def list_view(interaction: Interaction, campaign: Campaign, what: str, below: Place | None) -> ui.LayoutView:
    """Draw a page of write-ups older than a place."""
    title, wanted = SHOWN[what]
    listed = await interaction.client.database.read(queries.list_page, person(interaction), campaign, wanted, below)
    lines = fit_page(listed[:PAGE])
    shown = listed[: len(lines)]
    newest = LIST.fill(campaign=campaign.id, what=what, entry=0, part=0)
    older = LIST.fill(campaign=campaign.id, what=what, entry=shown[-1].entry, part=shown[-1].part) if shown else None
    pages = page_buttons(
        ("Newest", None if below is None else newest), ("Older", older if len(shown) < len(listed) else None)
    )
    options = [(item.place, f"#{item.number} {item.status}", strip_marks(item.gist)) for item in shown]
    select = picker(PICK.fill(campaign=campaign.id), "Claim one or mark it done ...", options)
    head, lines = f"{title}{DOT}{plain(campaign.name)}", lines or ["No write-ups that you can see."]
    return receipt(head, lines, COLOURS["neutral"], pages, select)


@component(PICK)
async def pick(interaction: Interaction, *, campaign: int) -> None:
    """Show the picked write-up."""
    here = await find_pressed_campaign(interaction, campaign)
    number = next(iter(read_picked(interaction)), "")
    item = await interaction.client.database.read(queries.find_writeup, person(interaction), here, number)
    await say(interaction, view=todo.receipt_of(item, here, person(interaction)))


@component(todo.TAKE)
async def take(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:
    """Claim what a roll called for; its receipt stays."""
    await act(interaction, Claim(number=f"{entry}.{part + 1}", seen=entry), campaign)


@component(todo.CLAIM)
async def claim(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Claim a write-up."""
    await act(interaction, Claim(number=f"{entry}.{part + 1}", seen=newest), campaign, replaces=True)


@component(todo.GIVE_BACK)
async def give_back(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Give a write-up back."""
    await act(interaction, GiveBack(number=f"{entry}.{part + 1}", seen=newest), campaign, replaces=True)


COMPONENTS: tuple[Component, ...] = (turn, pick, take, claim, give_back, ask_link, ask_result)
MODALS: tuple[ModalForm, ...] = (finish, end)


LISTS = [Choice(name=title, value=what) for what, (title, _) in SHOWN.items()]


@app_commands.guild_only()
class WriteupsCog(app_commands.Group, name="writeups", description="Battles and scenes to write up"):
    """Write-ups."""

    @app_commands.command(name="list")
    @describe(state="Which to list. Default: those still to write")
    @app_commands.choices(state=LISTS)
    async def list_writeups(self, interaction: Interaction, state: str = UNWRITTEN) -> None:
        """List battles and scenes to write up, newest first."""
        campaign = await desk_of(interaction).campaign(interaction)
        await say(interaction, view=await list_view(interaction, campaign, state, None))

    claim = action_command(Claim)
    done = action_command(Finish)
    result = action_command(EnterResult)
