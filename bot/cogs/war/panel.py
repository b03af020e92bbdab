"""A war in Discord: scenarios looked at and begun, who joins, sheets and maps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import discord
from discord import ButtonStyle, Embed, ui
from msgspec.structs import replace

from bot.client import Interaction
from bot.cogs.war import joining, maps, scenarios, settling, sheets, wars
from bot.cogs.war.entries import BOUNDS
from bot.cogs.war.joining import Joining
from bot.cogs.war.maps import Layer, MapView
from bot.cogs.war.planned import with_orders
from bot.cogs.war.scenarios import BegunWar, ScenarioKey, SeenScenario, SentScenario
from bot.cogs.war.settling import Typed
from bot.cogs.war.wars import RunningWar
from bot.core.campaigns import Campaign, on_server
from bot.core.permissions import Person, require_game_master
from bot.outbox.store import Post
from bot.rolls.answers import begin
from bot.rolls.buttons import take_back_button
from bot.rolls.card.ids import ROLL
from bot.rolls.card.layout import card_id
from bot.rolls.commands import open_roll
from bot.rolls.desk import channels, desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.rolls.requests import TypedRoll
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component, with_buttons
from bot.ui.picture import ATTACHED, Picture, fitting
from bot.ui.receipt import receipt
from bot.ui.reply import person, put, say, spend
from bot.ui.text import plain, within
from bot.ui.uploads import read_file
from rules.books.total_war.sight import has_fog
from rules.books.total_war.war import Rules

START: Final = IdTemplate("war:{campaign:int}:start:{fingerprint:hex}:{before:int}")
DISCARD: Final = IdTemplate("war:{campaign:int}:discard:{fingerprint:hex}:{before:int}")
PLAN: Final = IdTemplate("war:{campaign:int}:plan:{fingerprint:hex}:{before:int}")
"""The id of the button that tells in words what the map of a war to begin shows."""
JOIN = "Players join with `/war join`. See the map: `/war map`."
IN_FOG = (
    "Fog: each faction gets its results in its group's channel. Set it once players have joined:"
    " `/campaign group edit group: channel:`. Without a channel, players use `/war map` and `/war show`."
)
"""What a game master reads before a war in fog begins."""
WORDS: Final = IdTemplate("war:{campaign:int}:words:{layer:word}:{side:int}:{force:rest}")
"""The id of the button that tells a map in words, as a faction (its place, from 1; 0: nobody else) sees it."""
REACH: Final = IdTemplate("war:{campaign:int}:reach:{force:rest}")
"""The id of the button that shows where a force can go, on the map as whoever presses it sees it."""
GIST = 12
"""How many lines stand beside a map."""
SHORT = 16
"""Characters of a fingerprint that stand in ids."""


async def new(interaction: Interaction, file: discord.Attachment | None) -> None:
    """Answer with what a war would begin with, or with all that is wrong with its scenario."""
    bot, who = interaction.client, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    require_game_master(who, campaign, scenarios.ACTION)  # of nobody else a file is even fetched
    now = bot.ledger.now()
    if file is None:
        sent = scenarios.shipped(now)
    else:
        sent = SentScenario(file.filename, await read_file(file, BOUNDS.size, BOUNDS.mend), now)
    seen = await scenarios.prepare(bot.kernel, who, campaign, sent)
    picture = await maps.picture(seen.rules, MapView(seen.war))
    embed = _preview(seen).set_image(url=f"{ATTACHED}{picture.name}" if picture else None)
    files = {"file": picture.file()} if picture else {}
    await say(interaction, embeds=fitting([embed], picture), view=_buttons(seen), **files)


@component(PLAN)
async def tell_plan(interaction: Interaction, *, campaign: int, fingerprint: str, before: int) -> None:
    """Answer with all that the map shows of a war to begin, in words."""
    key = ScenarioKey(campaign, fingerprint, before)
    seen = await scenarios.looked_at(interaction.client.kernel, person(interaction), key)
    await _say_map(interaction, seen.campaign, seen.rules, MapView(seen.war))


@component(START)
async def start(interaction: Interaction, *, campaign: int, fingerprint: str, before: int) -> None:
    """Begin the war by the scenario that was looked at."""
    bot = interaction.client
    key = ScenarioKey(campaign, fingerprint, before)
    made = await bot.database.write(scenarios.start, bot.resolver, person(interaction), key)
    await spend(interaction)
    await _finish(interaction, made, "The war is on", [JOIN])


@component(DISCARD)
async def discard(interaction: Interaction, *, campaign: int, **_key: object) -> None:
    """Say that nothing has begun."""
    who = person(interaction)
    here = await interaction.client.database.read(on_server, who.guild_id, campaign)
    require_game_master(who, here, scenarios.ACTION)
    await spend(interaction)
    await put(interaction, view=receipt("Discarded, nothing has started", [], COLOURS["neutral"]))


async def join(interaction: Interaction, asked: Joining, player: discord.Member | None) -> None:
    """Let somebody join; tell who brings a member that takes no part in the campaign that they could not order anything yet."""
    where = channels(interaction)
    read = partial(joining.command_of, interaction.client.ledger, asked, tuple(where))
    await begin(interaction, TypedRoll(where, read), at_once=True)
    campaign = await desk_of(interaction).campaign(interaction)
    if player is not None and not _as_person(player).takes_part(campaign):
        role = f"<@&{campaign.player_role_id}>"
        lines = [
            f"{player.mention} doesn't have the player role of {plain(campaign.name)}.",
            f"Give them the role {role}.",
        ]
        await say(interaction, view=receipt("They can't give orders yet", lines, COLOURS["neutral"]))


def _as_person(member: discord.Member) -> Person:
    return Person(member.id, member.guild.id, frozenset(role.id for role in member.roles), manages_server=False)


async def settle(interaction: Interaction, asked: Typed) -> None:
    """Set something, or rule, as a game master."""
    where, bot = channels(interaction), interaction.client
    typed = TypedRoll(where, partial(settling.command_of, asked, tuple(where)))
    doubts = await bot.database.read(partial(settling.doubts, asked, tuple(where)), bot.library, person(interaction))
    if not doubts:
        await begin(interaction, typed, at_once=True)
        return
    card = await bot.database.write(open_roll, bot.resolver, person(interaction), typed)
    button: ui.Button[Any] = ui.Button(label="Apply ruling", style=ButtonStyle.danger, custom_id=card_id(ROLL, card, 0))
    lines = [*map(plain, doubts), "-# The ruling isn't saved yet."]
    await say(interaction, view=receipt("Apply this ruling?", lines, COLOURS["neutral"], [button]))


async def show(interaction: Interaction, what: str | None) -> None:
    """Answer with how a war stands, or with the sheet of a faction, force, player or panel."""
    bot = interaction.client
    campaign = await desk_of(interaction).campaign(interaction)
    seen = await bot.database.read(wars.on, bot.library, person(interaction), campaign)
    title, lines = sheets.sheet(seen, what)
    for page in paging.pages(paging.fit(title, lines, colour=COLOURS["neutral"], footer=campaign.name)):
        await say(interaction, embeds=page)


async def show_map(interaction: Interaction, layer: Layer, force: str | None, faction: str | None) -> None:
    """Answer with the strategy map as the person sees it, and the gist of it in words."""
    await _show_map(interaction, await desk_of(interaction).campaign(interaction), layer, force, faction)


@component(REACH)
async def show_reach(interaction: Interaction, *, campaign: int, force: str) -> None:
    """Answer with the map of where a force can go."""
    here = await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign)
    await _show_map(interaction, here, "control", force)


async def _show_map(
    interaction: Interaction, campaign: Campaign, layer: Layer, force: str | None, faction: str | None = None
) -> None:
    bot = interaction.client
    seen = await bot.database.read(wars.on, bot.library, person(interaction), campaign)
    view = await _filled(interaction, seen, maps.view_of(seen, layer, force, faction), own=faction is None)
    picture = await maps.picture(seen.rules, view)
    title, lines = maps.words(seen.rules, view)
    left = len(lines) - GIST
    gist = [*lines[:GIST], *([f"-# {left} more lines: press As text."] if left > 0 else [])]
    embeds = _illustrated(paging.fit(title, gist, colour=COLOURS["neutral"], footer=campaign.name), picture)
    side = 0 if faction is None else [*seen.war.factions].index(wars.known_faction(seen.war, faction)) + 1
    key = WORDS.fill(campaign=campaign.id, layer=layer, side=side, force=view.force or "")
    files = {"file": picture.file()} if picture else {}
    await say(
        interaction,
        embeds=fitting(embeds, picture),
        view=with_buttons(ui.Button(label="As text", custom_id=key)),
        **files,
    )


async def _filled(interaction: Interaction, seen: RunningWar, view: MapView, *, own: bool) -> MapView:
    """Return a map with the war as the update began, where it shows what has changed hands, or with what is ordered for its force, if it is one's own."""
    if own and view.force is not None:
        war, way = await interaction.client.database.read(with_orders, seen, view.war, view.force)
        view = replace(view, war=war, way=way)
    if view.layer != "captured":
        return view
    before = await interaction.client.database.read(wars.as_update_began, seen)
    return maps.compared(seen.rules, view, before)


@component(WORDS)
async def tell_map(interaction: Interaction, *, campaign: int, layer: str, side: int, force: str) -> None:
    """Answer with all that a map shows, in words."""
    bot = interaction.client
    here = await bot.database.read(on_server, interaction.guild_id or 0, campaign)
    seen = await bot.database.read(wars.on, bot.library, person(interaction), here)
    faction = next(iter([*seen.war.factions][side - 1 : side]), None) if side else None
    found = maps.view_of(seen, maps.layer_named(layer), force or None, faction)
    view = await _filled(interaction, seen, found, own=faction is None)
    await _say_map(interaction, here, seen.rules, view)


async def _say_map(interaction: Interaction, campaign: Campaign, rules: Rules, view: MapView) -> None:
    """Answer with all that a map shows, in words."""
    title, lines = maps.words(rules, view, whole=True)
    for page in paging.pages(paging.fit(title, lines, colour=COLOURS["neutral"], footer=campaign.name)):
        await say(interaction, embeds=page)


def _illustrated(embeds: list[Embed], picture: Picture | None) -> list[Embed]:
    """Return embeds below one that shows a picture: on a telephone it stands before the words."""
    if picture is None:
        return embeds
    first = Embed(title=embeds[0].title, colour=COLOURS["neutral"]).set_image(url=f"{ATTACHED}{picture.name}")
    embeds[0].title = None
    return [first, *embeds]


async def _finish(interaction: Interaction, made: BegunWar, title: str, lines: Sequence[str]) -> None:
    """Send what an entry owes and show what was done."""
    title = f"{title}: entry #{made.entry.number}"
    await deliver(interaction, made.posts, partial(_show_done, interaction, made, title, lines), done=title)


async def _show_done(
    interaction: Interaction, made: BegunWar, title: str, lines: Sequence[str], sent: Sequence[Post]
) -> None:
    colour = COLOURS["danger" if any(post.fault for post in sent) else "success"]
    leads = person(interaction).leads(made.campaign)
    buttons = [take_back_button(made.campaign.id, made.entry.number)] if leads else []
    await put(interaction, view=receipt(title, [*lines, *delivery_lines(made.campaign, sent)], colour, buttons))


def _preview(seen: SeenScenario) -> Embed:
    lines = [*scenarios.overview(seen)]
    lines += [f"\N{WARNING SIGN} {plain(item.what)}" for item in seen.checked.warnings[:10]]
    lines += map(plain, scenarios.asked_later(seen))
    lines += [f"\N{WARNING SIGN} {line}" for line in scenarios.lost(seen)]
    lines += [IN_FOG] if has_fog(seen.rules) else []
    told = "\n".join(within(paging.MAX_DESCRIPTION, lines))
    return Embed(title="Start this war?", description=told, colour=COLOURS["neutral"]).set_footer(
        text=f"{seen.campaign.name} · not started yet"
    )


def _buttons(seen: SeenScenario) -> ui.View:
    key = {
        "campaign": seen.campaign.id,
        "fingerprint": seen.fingerprint[:SHORT],
        "before": seen.before.header.entry if seen.before else 0,
    }
    begin: ui.Button[ui.View] = ui.Button(label="Start", style=ButtonStyle.success, custom_id=START.fill(**key))
    words: ui.Button[ui.View] = ui.Button(label="As text", custom_id=PLAN.fill(**key))
    return with_buttons(begin, ui.Button(label="Discard", custom_id=DISCARD.fill(**key)), words)


COMPONENTS = (tell_plan, start, discard, tell_map, show_reach)
