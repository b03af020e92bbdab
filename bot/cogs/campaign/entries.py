"""Entries about a campaign and its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.permissions import group_audience
from bot.ui.receipt import plain_pages
from bot.ui.text import DOT, plain
from rules.subjects import GROUP, number_of

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
    """Return the audience of the entry of a group: the group itself, or everybody where it is not secret."""
    number, after = kept_group(body)
    return group_audience(number) if after["secret"] else "results"


def kept_group(body: Body) -> tuple[int, Mapping[str, Any]]:
    """Return the number of the group of an entry, and what is kept of it since."""
    return next((number_of(item["subject"]), item["after"]) for item in body["changes"] if item["name"] == GROUP)


def _is_removal(body: Body) -> bool:
    return bool(kept_group(body)[1]["removed"])


def _group_sentence(body: Body, view: View) -> str:
    _, after = kept_group(body)
    line = f"Group {plain(body['group'])} {body['deed']}"
    named = [body["names"][str(number)] for number in after["members"]]
    return line if view == "public" else f"{line}: {group_line(after, named)}"


def group_line(group: Mapping[str, Any], members: Sequence[str], name: str = "") -> str:
    """Return what is told of a group: its members (names), role and channel, and who knows of it; after its name, if given."""
    extras = [f"<@&{group['role']}>"] * bool(group["role"]) + [f"in <#{group['channel']}>"] * bool(group["channel"])
    known = "known to members only" if group["secret"] else "known to everyone"
    head = f"**{plain(name)}**: " if name else ""
    return head + DOT.join([plain(", ".join(members)) or "no members", *extras, known])


def _group_pages(shown: EntryView, view: View) -> Pages:
    lines = [_group_sentence(shown.entry.content(), view), "Current members: /campaign group list."]
    return plain_pages(shown, "Group", lines)


def _upgraded(body: Body, _view: View = "staff") -> str:
    if "subjects" in body:
        count = body["subjects"]
        return f"Data upgraded: {count} {'name now has' if count == 1 else 'names now have'} a number"
    renamed = [f"{plain(old)} is now {plain(new)}" for old, new in body.get("renamed", {}).items()]
    return "; ".join(["Data upgraded: names that look alike are now one", *renamed])


def _upgrade_pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Data upgraded", [_upgraded(shown.entry.content())])


CAMPAIGN = EntryKind("campaign", "staff", _sentence, _pages, stays="Settings are changed with /campaign edit.")
GROUP_REMOVED = EntryKind(GROUP, _audience_of_group, _group_sentence, _group_pages, matches=_is_removal)
GROUP_CHANGED = EntryKind(
    GROUP, _audience_of_group, _group_sentence, _group_pages, stays="Groups are changed with /campaign group edit."
)
UPGRADE = EntryKind("upgrade", "staff", _upgraded, _upgrade_pages, stays="Correct older entries by hand.")
