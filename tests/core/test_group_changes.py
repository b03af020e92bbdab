"""Changes of a group: each is undone by itself, whatever others have changed since."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.core import permissions
from bot.core.permissions import Group
from bot.core.records import Change

PEOPLE = range(1, 7)
KEY = "subject:9"


def turned(value: dict[str, Any], number: int) -> dict[str, Any]:
    """A group into which somebody has come who was not in it, or without one who was."""
    members = value["members"]
    return {**value, "members": [*filter(number.__ne__, members)] if number in members else [*members, number]}


@given(
    first=st.sets(st.sampled_from(PEOPLE)),
    turns=st.permutations(PEOPLE),
    edited=st.integers(0, len(PEOPLE)),
    undone=st.lists(st.sampled_from(PEOPLE), unique=True),
)
def test_each_coming_and_going_is_undone_by_itself(
    first: set[int], turns: list[int], edited: int, undone: list[int]
) -> None:
    """Undone in any order, those are in the group who would be without what is undone, and the channel that it got since stays."""
    value, made = Group(9, "Zeon", [*first]).value(), {}
    for place, number in enumerate(turns):
        value = {**value, "channel": "7"} if place == edited else value
        made[number] = Change(KEY, "group", value, turned(value, number))
        value = made[number].after
    keys = [
        {(part.subject, part.name) for part in permissions.split_change(change, whole=False)}
        for change in made.values()
    ]
    assert len(set.union(*keys)) == sum(map(len, keys))
    for number in undone:
        value = permissions.undo_change(made[number], value)
    assert {*value["members"]} == first ^ {*turns} ^ {*undone}
    assert len(value["members"]) == len({*value["members"]})
    assert value["channel"] == ("7" if edited < len(turns) else None)


def test_a_group_that_began_goes_on_where_it_was_changed_since() -> None:
    """Without those with whom it began; unchanged it is no more, and one that was removed since stays removed."""
    new = Group(9, "Zeon", [1, 2]).value()
    began = Change(KEY, "group", None, new)
    assert permissions.undo_change(began, new) is None
    assert permissions.undo_change(began, {**new, "members": [1, 2, 3]}) == {**new, "members": [3]}
    gone = Group(9, "Zeon", removed=True).value()
    assert permissions.undo_change(began, gone) == gone
