"""Campaigns as embeds, and entries about campaigns and groups."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import discord

from bot.cogs.campaign import service, settings
from bot.core import permissions, records
from bot.core.campaigns import CHARACTERS, LEVELS, ORDERS, OTHERS, PLACES, Campaign, compare_settings
from bot.core.ledger import Body, EntryKind, EntryView, Pages, View
from bot.outbox.sending import list_missing_permissions
from bot.ui.receipt import plain_pages
from bot.ui.text import COLOURS, DOT, fit_lines, plain
from rules.subjects import GROUP, number_of

MAX_LINES = 40
ROOM = 1800  # two lists fit into an embed's 4,096


def campaign_embed(view: service.CampaignView, reader: permissions.Person, now: datetime) -> discord.Embed:
    """Show a campaign's settings; editors also see private channels."""
    campaign, linked = view.campaign, view.linked
    edits_it = reader.leads(campaign) or reader.manages_server  # others don't learn of private channels
    role = campaign.player_role_id
    player = "everybody" if role is None else _mention("@&", role)
    orders = [word for word in campaign.players_may if word.partition(".")[0] == ORDERS]
    rolls = [word for word in campaign.players_may if word not in {*OTHERS, *orders}]
    edits = " and edit their own characters" if CHARACTERS in campaign.players_may else ""
    kinds = "all kinds" if ORDERS in orders else ", ".join(word.removeprefix(f"{ORDERS}.") for word in orders)
    new = f"New ones are {'hidden' if campaign.new_are_secret else 'visible'}."
    seen = [what for what in (PLACES, LEVELS) if what in campaign.players_may]
    channels = ", ".join(f"<#{channel}>" for channel in linked[:MAX_LINES]) or "none"
    more = f" and {len(linked) - MAX_LINES} more" if len(linked) > MAX_LINES else ""
    lines = [
        *book_lines(campaign, view.titles, view.unfinished),
        zone_line(campaign, now),
        f"**Results:** {_mention('#', campaign.results_channel_id)}",
        *([f"**Staff channel:** {_mention('#', campaign.staff_channel_id)}"] if edits_it else []),
        f"**Game masters:** {_mention('@&', campaign.game_master_role_id)}",
        f"**Players:** {player}; may roll {', '.join(rolls) or 'nothing'}{edits}",
        *([f"**Orders from players:** {kinds}"] if kinds else []),
        f"**Other players' units and characters:** players see {' and '.join(seen) or 'only levels rolled in public'}. {new}",
        f"**Write-ups:** {'a thread under each result that needs one' if campaign.writeup_threads else 'no threads'}",
        f"**Pings:** {settings.PINGED[campaign.pings]}",
        *(["**Attacks in fights:** the target's player dodges first"] if campaign.dodges_wait else []),
        *(["**Dice:** numbers from random.org are mixed in"] if campaign.asks_outside else []),
        *([f"**Linked channels:** {channels}{more}"] if edits_it else []),
    ]
    title = f"{plain(campaign.name)}{' (archived)' if campaign.archived_at else ''}"
    embed = discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])
    if reader.manages_server:
        return embed.set_footer(text="Change it: /gm settings name: … · Link channels: /campaign link")
    return embed.set_footer(text="Change it: /gm settings name: …") if reader.leads(campaign) else embed


def _mention(sign: str, number: int) -> str:
    return f"<{sign}{number}>" if number else "not set"


def zone_line(campaign: Campaign, now: datetime) -> str:
    """Return the time zone with its current time."""
    return f"**Time zone:** {plain(settings.with_time(campaign.timezone, now))}"


def book_lines(campaign: Campaign, titles: Mapping[str, str], unfinished: Sequence[str]) -> list[str]:
    """Return lines with the books and what waits for them."""
    return [f"**Books:** {', '.join(titles.get(book, book) for book in campaign.books)}", *fit_lines(ROOM, unfinished)]


def campaigns_embed(every: Sequence[Campaign]) -> discord.Embed:
    """Show all campaigns of a server."""
    names = [f"\N{BULLET} {plain(item.name)}{' (archived)' if item.archived_at else ''}" for item in every]
    lines = list(fit_lines(ROOM, names))
    text = "\n".join(lines) or "No campaigns yet. Start one with /campaign create."
    embed = discord.Embed(title="Campaigns on this server", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text="Open one: /gm settings campaign:name")


def describe_archiving(cards: int, schedules: int) -> list[str]:
    """Say what archiving stops and what stays."""
    counts = ((cards, "open card", "waits"), (schedules, "schedule", "pauses"))
    lines = [
        f"{count} {what}{'' if count == 1 else 's'} {does if count == 1 else does[:-1]}."
        for count, what, does in counts
        if count
    ]
    return [
        "No rolls or orders until you restore it.",
        *lines,
        "Commands of books that no other campaign here plays disappear.",
        "Its ledger stays readable. Restore it to go on where you left off.",
    ]


def describe_unlinking(campaign: Campaign, channel_id: int) -> list[str]:
    """Warn when the campaign posts to the unlinked channel."""
    posted = {campaign.results_channel_id: ("Results", "results"), campaign.staff_channel_id: ("Staff posts", "staff")}
    if channel_id not in posted:
        return []
    what, option = posted[channel_id]
    return [
        f"{what} still go to <#{channel_id}>. Pick another channel: `/gm settings {option}:`.",
        f"Commands there no longer act on {plain(campaign.name)}.",
    ]


def describe_hiding(commands: Sequence[str]) -> list[str]:
    """Say in two lines how to hide game masters' commands."""
    return [
        "-# **Fewer commands for players:** limit these to game masters under Server Settings > Integrations > this bot:",
        f"-# {', '.join(f'`/{name}`' for name in commands)}. I refuse players either way.",
    ]


def change_embed(campaign: Campaign, what: str, lacking: Sequence[str] = (), more: Sequence[str] = ()) -> discord.Embed:
    """Say what changed and what the bot lacks."""
    lines = [f"{plain(campaign.name)} is {what}."]
    lines += [*more, *(f"\N{WARNING SIGN} {line}" for line in lacking)]
    return discord.Embed(
        title="Campaign", description="\n".join(lines), colour=COLOURS["danger" if lacking else "success"]
    )


def list_changed(before: Campaign, after: Campaign) -> list[str]:
    """Return changed settings without books and time zone."""
    changed = compare_settings(before, after).items()
    return [f"**{_FIELDS[name]}:** {_value(name, now['after'])}" for name, now in changed if name not in _SHOWN_APART]


def list_missing(guild: discord.Guild | None, results: int | None, staff: int | None) -> Iterator[str]:
    """Yield problems with the results and staff channels (ids)."""
    for channel_id in filter(None, (results, staff)):
        channel = guild and guild.get_channel(channel_id)
        if not isinstance(channel, discord.TextChannel):
            yield f"I can't see <#{channel_id}>."
            continue
        if channel_id == staff and channel.permissions_for(channel.guild.default_role).view_channel:
            yield f"Everyone can see <#{channel_id}>, and private results go there."
        if lacking := list_missing_permissions(channel):
            yield f"I can't post in <#{channel_id}>. Missing permissions: {', '.join(lacking)}."


_FIELDS = {
    "name": "Name",
    "books": "Books",
    "timezone": "Time zone",
    "results_channel_id": "Results channel",
    "staff_channel_id": "Staff channel",
    "game_master_role_id": "Game master role",
    "player_role_id": "Player role",
    "players_may": "Players may",
    "writeup_threads": "Threads for write-ups",
    "pings": "Pings",
    "new_are_secret": "New units and characters",
    "dodges_wait": "When attacks are rolled",
}

_SHOWN_APART = {"books", "timezone"}


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Campaign settings", _settings_lines(shown.entry.content()))


def _sentence(body: Body, _view: View) -> str:
    if "archived" in body:
        return "Campaign archived" if body["archived"] else "Campaign restored"
    if "asks_outside" in body:
        return "random.org turned on" if body["asks_outside"] else "random.org turned off"
    if "bound" in body or "unbound" in body:
        return f"<#{body.get('bound') or body['unbound']}> {'linked' if 'bound' in body else 'unlinked'}"
    if "exported" in body:
        return "Campaign exported"
    if "imported" in body:
        return "Campaign imported: set its channels and roles"
    return "Campaign created" if "created" in body else "Campaign settings changed"


def _settings_lines(body: Body) -> list[str]:
    if (whole := body.get("created") or body.get("imported")) is not None:
        come = [] if "created" in body else [_sentence(body, "staff")]
        return [*come, *(f"**{_FIELDS[field]}:** {_value(field, value)}" for field, value in whole.items())]
    if "edited" in body:
        return [
            f"**{_FIELDS[field]}:** {_value(field, change['before'])} \N{RIGHTWARDS ARROW} {_value(field, change['after'])}"
            for field, change in body["edited"].items()
        ]
    return [_sentence(body, "staff")]


def _value(field: str, value: str | list[str]) -> str:
    if not value:
        return "none"
    if field.endswith("channel_id"):
        return f"<#{value}>"
    if field.endswith("role_id"):
        return f"<@&{value}>"
    return plain(", ".join(value) if isinstance(value, list) else value)


def _audience_of_group(body: Body, _before: Sequence[str] = ()) -> str:
    number, after = group_after(body)
    return permissions.group_audience(number) if after["secret"] else "results"


def group_after(body: Body) -> tuple[int, Mapping[str, records.Json]]:
    """Return a group's number and new values."""
    return next((number_of(item["subject"]), item["after"]) for item in body["changes"] if item["name"] == GROUP)


def _is_removal(body: Body) -> bool:
    return bool(group_after(body)[1]["removed"])


def _group_sentence(body: Body, view: View) -> str:
    _, after = group_after(body)
    line = f"Group {plain(body['group'])} {body['deed']}"
    named = [body["names"][str(number)] for number in after["members"]]
    return line if view == "public" else f"{line}: {group_line(after, named)}"


def group_line(group: Mapping[str, object], members: Sequence[str], name: str = "") -> str:
    """Describe a group's members, role, channel and secrecy."""
    extras = [f"<@&{group['role']}>"] * bool(group["role"]) + [f"in <#{group['channel']}>"] * bool(group["channel"])
    known = "known to members only" if group["secret"] else "known to everyone"
    head = f"**{plain(name)}**: " if name else ""
    return head + DOT.join([plain(", ".join(members)) or "no members", *extras, known])


def _group_pages(shown: EntryView, view: View) -> Pages:
    lines = [_group_sentence(shown.entry.content(), view), "Current members: /help, This campaign, Groups."]
    return plain_pages(shown, "Group", lines)


def _describe_upgrade(body: Body, _view: View = "staff") -> str:
    if "subjects" in body:
        count = body["subjects"]
        return f"Data upgraded: {count} {'name now has' if count == 1 else 'names now have'} a number"
    renamed = [f"{plain(old)} is now {plain(new)}" for old, new in body.get("renamed", {}).items()]
    return "; ".join(["Data upgraded: names that look alike are now one", *renamed])


def _upgrade_pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Data upgraded", [_describe_upgrade(shown.entry.content())])


CAMPAIGN = EntryKind("campaign", "staff", _sentence, _pages, stays="Settings are changed with /gm settings.")
GROUP_REMOVED = EntryKind(GROUP, _audience_of_group, _group_sentence, _group_pages, matches=_is_removal)
GROUP_CHANGED = EntryKind(
    GROUP, _audience_of_group, _group_sentence, _group_pages, stays="Groups are changed with /gm settings, Groups."
)
UPGRADE = EntryKind("upgrade", "staff", _describe_upgrade, _upgrade_pages, stays="Correct older entries by hand.")
