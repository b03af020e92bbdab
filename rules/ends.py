"""How what lasts ends: with its update or scene, after turns, by the clock, or when it is cleared. The clock is only read.

The end stands in the kept value itself: `update` (a number), `scene` (a key), `turns` (in which scene, of which participant
by number, how many are left and have `passed`, `since` which entry if not its own), `at` (ISO, UTC); what has none of them
lasts until it is cleared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Literal, get_args

from msgspec import Struct

from rules.kinds import Count, RuleItem, word_of

Until = Literal["update", "cleared", "scene", "turns", "hours"]
Whose = Literal["bearer", "initiator"]
KEYS = ("update", "scene", "turns", "at")
"""Under which keys of a value its end stands."""

KeptValue = Mapping[str, Any]
"""What is kept under one name, as JSON has it."""

Key = tuple[str, str]
"""The key of a subject, and the name of one of its values."""


def _no_clock(at: str, _hours: float) -> str:
    return at


class Moment(Struct, frozen=True):
    """When something happens or is looked at: update (its number), entry (0 where nothing is entered), scene (its key).

    `hence` tells the time in so many hours, 0 for now: ISO, UTC; `later` that so many hours after another time.
    """

    update: int
    hence: Callable[[int], str]
    entry: int = 0
    scene: str | None = None
    later: Callable[[str, float], str] = _no_clock


class End(RuleItem, frozen=True):
    """When something ends, as a book declares it: `count` is how many hours or turns, `of` whose turns those are."""

    noun = "end"
    flat = True
    until: Annotated[Until, word_of(*get_args(Until))]
    count: Count = 1
    of: Whose = "bearer"

    def begun(self, moment: Moment, whose: int | None = None) -> dict[str, object]:
        """Return the keys of a value that begins at a moment, `whose` turns (a number) end it; outside of scenes none do."""
        match self.until:
            case "update":
                return {"update": moment.update}
            case "hours":
                return {"at": moment.hence(self.count)}
            case "scene" if moment.scene is not None:
                return {"scene": moment.scene}
            case "turns" if moment.scene is not None:
                return {"turns": {"scene": moment.scene, "of": whose, "left": self.count}}
        return {}


def holds(value: KeptValue, moment: Moment) -> bool:
    """Tell whether a value still holds: neither its update nor its time is over. Turns and scenes end by `after`."""
    return value.get("update", moment.update) == moment.update and not has_run_out(value, moment)


def scene_of(value: KeptValue | None) -> str | None:
    """Return the scene (its key) that ends a value, by its turns or as a whole; None where none does."""
    scene: str | None = (value or {}).get("turns", value or {}).get("scene")
    return scene


def has_run_out(value: KeptValue, moment: Moment) -> bool:
    """Tell whether a value has ended by the clock. Times in one form and zone stand in the order of their letters."""
    until = value.get("at")
    return isinstance(until, str) and until <= moment.hence(0)  # a captivity's is the number of a place


def after(  # noqa: PLR0913 - what is past in a scene, as the scene tells it
    values: Mapping[Key, KeptValue],
    scene: str,
    *,
    began: int = 0,
    turns: Collection[int] = (),
    left: Collection[int] = (),
    over: bool = False,
) -> dict[Key, KeptValue | None]:
    """Return what changes of these values when something is past in a scene (its key), None for what ends.

    Those whose `turns` have ended (numbers), which `began` with an entry, have those counted that were there by then. What is
    counted in the turns of those who have `left` ends, and what held on these for the scene; with the scene all ends.
    """
    changed: dict[Key, KeptValue | None] = {}
    for key, value in values.items():
        counted = value.get("turns", {})
        if counted.get("scene") == scene:
            whose, rest = counted["of"], counted["left"] - 1
            past = whose in turns and counted.get("since", value["entry"]) <= began
            if over or whose in left or (past and rest <= 0):
                changed[key] = None
            elif past:
                changed[key] = {**value, "turns": {**counted, "left": rest, "passed": counted.get("passed", 0) + 1}}
        elif value.get("scene") == scene and (over or key[0] in {f"subject:{number}" for number in left}):
            changed[key] = None
    return changed


def resume_turns(value: KeptValue, now: KeptValue | None, left: KeptValue | None = None) -> KeptValue | None:
    """Return a value that stands in place of one that is counted in the same turns `now`; None where its own are over by that.

    Of the turns that this one has had, those count for it that were not over when an entry `left` it; without one all do.
    """
    turns, still, then = ((item or {}).get("turns", {}) for item in (value, now, left))
    if now is None or not turns or (turns["scene"], turns["of"]) != (still.get("scene"), still.get("of")):
        return value
    own, more = turns.get("since", value["entry"]), still.get("passed", 0) - then.get("passed", 0)
    since = min(own, still.get("since", now["entry"]))
    if (since, more) == (own, 0):
        return value
    counted = {**turns, "left": turns["left"] - more, "passed": turns.get("passed", 0) + more, "since": since}
    kept = {name: item for name, item in counted.items() if item or name != "passed"}  # as where none has passed
    return {**value, "turns": kept} if kept["left"] > 0 else None
