"""What is kept of people and scenes, and how it ends: with its update or scene, after turns, by the clock, or cleared.

A value that ends has `update` (a number), `scene` (a key), `at` (ISO, UTC) or `turns`: the scene, `of` which
participant, how many are `left` and have `passed`, and `since` which entry.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Literal, get_args

from msgspec import Struct

from rules.kinds import Count, RuleItem, word_of

Until = Literal["update", "cleared", "scene", "turns", "hours"]
Whose = Literal["bearer", "initiator"]
KEYS = ("update", "scene", "turns", "at")
"""The keys of a value that say how it ends."""
KeptValue = Mapping[str, Any]
Key = tuple[str, str]
"""The key of a subject, and the name of one of its values."""


def _no_clock(at: str, _hours: float) -> str:
    return at


class Moment(Struct, frozen=True):
    """A time in a campaign: update, entry (0: none) and scene key.

    `hence` adds hours to now (ISO, UTC), `later` to another time.
    """

    update: int
    hence: Callable[[int], str]
    entry: int = 0
    scene: str | None = None
    later: Callable[[str, float], str] = _no_clock


class End(RuleItem, frozen=True):
    """A declared end: `count` hours or turns, of this role (`of`)."""

    noun = "end"
    flat = True
    until: Annotated[Until, word_of(*get_args(Until))]
    count: Count = 1
    of: Whose = "bearer"

    def expiry_keys(self, moment: Moment, whose: int | None = None) -> dict[str, object]:
        """Return the keys for a value that begins now; outside scenes, turns and scenes give none."""
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


def is_current(value: KeptValue, moment: Moment) -> bool:
    """Check that neither update nor time is over; `end_values` handles turns and scenes."""
    return value.get("update", moment.update) == moment.update and not has_run_out(value, moment)


def scene_of(value: KeptValue | None) -> str | None:
    """Return the key of the scene that a value ends with; None without one."""
    scene: str | None = (value or {}).get("turns", value or {}).get("scene")
    return scene


def has_run_out(value: KeptValue, moment: Moment) -> bool:
    """Check whether a value's time (`at`) is over; False for values without a time."""
    until = value.get("at")
    return isinstance(until, str) and until <= moment.hence(0)  # a captivity's is the number of a place


def end_values(  # noqa: PLR0913 - what is past in a scene
    values: Mapping[Key, KeptValue],
    scene: str,
    *,
    began: int = 0,
    turns: Collection[int] = (),
    left: Collection[int] = (),
    over: bool = False,
) -> dict[Key, KeptValue | None]:
    """Return what turns, leavers or a scene's end change; None for what ends.

    Turns count for values older than entry `began`. Values of those who `left` end, in their turns or for the scene.
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
    """Return an older value with turns that passed meanwhile; None if they end it.

    Those in `now` count, less those that had passed when an entry `left` it.
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


EFFECT = "effect."
"""Prefix of the names of lasting effects; the trait follows."""
ANSWER = "answer"
"""The key of what a game master may answer to end an effect: such an effect is a question."""
ROLLED = "rolled."
"""Prefix of the names that say who rolled for a subject; family and actor follow."""
ORDERED = "order."
"""Prefix of the names of orders, kept of who carries them out; the kind follows."""
SCENE = ","
"""Means the scene of a roll among names of people, which have no comma."""
Change = tuple[str, str, Any]
"""Whose value, its name, and the new value (None: not kept any more)."""
Kept = Mapping[str, KeptValue]
"""What is kept of people and of their scene (`SCENE`): by person, then by name of the value."""


def is_open(value: object) -> bool:
    """Check whether everyone may know a kept value; only a mapping with `open` says so."""
    return isinstance(value, Mapping) and bool(value.get("open"))


def roller_of(name: str) -> int | None:
    """Return the roller's number from a `ROLLED` name; None for other names."""
    return int(name.rpartition(".")[2]) if name.startswith(ROLLED) else None
