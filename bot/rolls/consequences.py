"""What a resolution does to the campaign, as recorded changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.core.profiles import CAPTIVE, FATE, PROFILE, profile
from bot.core.state import State
from bot.core.subjects import names_of, subject_key, unit
from bot.rolls.situation import EFFECT, lasts
from rules.procedure import PartResult, Procedure, Resolution
from rules.tables import Consequence, ConsequenceKind

ROLLED = "rolled."
WRITEUP = "writeup"
DECLARED = "declared"
CRACKED, INJURED, PASSWORD_KNOWN = f"{EFFECT}cracked", f"{EFFECT}injured", f"{EFFECT}password-known"

LOOKED_AT = (PROFILE, CAPTIVE, INJURED)
"""What the state keeps of a subject that facts and consequences look at."""

LACKS: Mapping[str, Callable[[str], tuple[str, str]]] = {
    CAPTIVE: lambda name: (f"{name} is no captive.", "See /captive list; /captive take enters a new one."),
    PROFILE: lambda name: (f"{name} is no saved character.", "Save the character first, with /character add."),
}
"""What is said of somebody of whom that is not kept."""

TO_BE_WRITTEN: frozenset[ConsequenceKind] = frozenset({"write-up", "battle", "attack"})
"""The deeds that call for a battle or scene to be written."""

Named = tuple[str, str, Any]
"""A subject, a name and its new value; None takes it away."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The entry that a change belongs to, and the update it falls in."""

    entry: int
    update: int


@dataclass(frozen=True, slots=True)
class Done:
    """A deed done to somebody: what it was, when, and what the state kept of those concerned before."""

    consequence: Consequence
    name: str
    moment: Moment
    held: State

    @property
    def key(self) -> str:
        """The subject it was done to."""
        return unit(self.name)

    def mark(self, *, this_update: bool = False, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
        """The value of an effect that begins now."""
        until = {"update": self.moment.update} if this_update else {}
        return {"entry": self.moment.entry, **until, "name": self.name, **more}


def _lasting(trait: str, *, this_update: bool) -> Callable[[Done], Iterator[Named]]:
    """A deed that lasts as a trait, until the update ends or until it is cleared."""

    def apply(done: Done) -> Iterator[Named]:
        yield done.key, EFFECT + trait, done.mark(this_update=this_update)

    return apply


def _reveal(done: Done) -> Iterator[Named]:
    """Whoever is revealed hides no more."""
    yield done.key, f"{EFFECT}hidden", None
    yield from _lasting("revealed", this_update=True)(done)


def _injure(done: Done) -> Iterator[Named]:
    """Injuries are noted as printed, one after the other (IN-6)."""
    before = injuries(done.held.get((done.key, INJURED)), done.moment.update)
    levels = [*before, done.consequence.amount]
    yield done.key, INJURED, done.mark(levels=levels)


def _kill(done: Done) -> Iterator[Named]:
    yield from end_captivity(done.name, "killed", done.moment.entry)


def _free(done: Done) -> Iterator[Named]:
    yield from end_captivity(done.name, "escaped", done.moment.entry)


def _reveal_passwords(done: Done) -> Iterator[Named]:
    """The enemy of the captive and of the captive's side knows a password from now on; none is ever kept."""
    saved = profile(done.held, done.name)
    value = done.mark(count=done.consequence.amount)
    yield done.key, PASSWORD_KNOWN, value
    if saved is not None and saved.side is not None:
        yield unit(saved.side), PASSWORD_KNOWN, {**value, "name": saved.side}


def _set_newtype(done: Done) -> Iterator[Named]:
    saved = profile(done.held, done.name)
    if saved is not None:
        yield done.key, PROFILE, replace(saved, newtype=done.consequence.amount).value()


DEEDS: Mapping[ConsequenceKind, Callable[[Done], Iterator[Named]]] = {
    "ambush": _lasting("ambushed-today", this_update=True),
    "scouted": _lasting("scouted", this_update=False),
    "reveal": _reveal,
    "stop": _lasting("move-stopped", this_update=True),
    "stop-used": _lasting("stop-used", this_update=True),
    "crack": _lasting("cracked", this_update=False),
    "injure": _injure,
    "injure-seriously": _lasting("seriously-injured", this_update=False),
    "kill": _kill,
    "free": _free,
    "reveal-passwords": _reveal_passwords,
    "set-newtype": _set_newtype,
}
"""How each deed that the campaign remembers lasts on whom it is done to."""


def end_captivity(name: str, fate: str, entry: int) -> Iterator[Named]:
    """However it ends, whoever is no captive any more has not cracked any more either (line 314), nor will escape."""
    key = unit(name)
    yield key, CAPTIVE, None
    yield key, CRACKED, None
    yield key, DECLARED, None
    yield key, FATE, {"fate": fate, "entry": entry, "name": name}


def injuries(value: Mapping[str, Any] | None, update: int) -> Sequence[int | None]:
    """The levels of somebody's injuries as printed; None for one without a level, such as one set by hand."""
    return () if value is None or not lasts(value, update) else value.get("levels", (None,))


def effects(resolution: Resolution, procedure: Procedure, moment: Moment, held: State) -> dict[tuple[str, str], Any]:
    """What a resolution sets, by subject and name; where two parts set the same, the later one stands.

    `held` is what the state kept of those concerned; a part finds there what the parts before it have set.
    """
    found: dict[tuple[str, str], Any] = {}
    for place, part in enumerate(resolution.parts):
        for subject, name, value in _effects(place, part, procedure, moment, {**held, **found}):
            found[subject, name] = value
    return found


def rolled_name(family: str, actor: str) -> str:
    """The name under which a subject remembers that this actor has rolled for it."""
    return f"{ROLLED}{family}.{subject_key(actor)}"


def _effects(place: int, part: PartResult, procedure: Procedure, moment: Moment, held: State) -> Iterator[Named]:
    if part.conclusion is None or not procedure.policy.on_request:
        return
    names = part.part.subjects
    actor = names[procedure.actor]
    about = names.get(procedure.subject, actor) if procedure.policy.again == "pair" else actor
    if procedure.policy.again != "never":
        yield unit(about), rolled_name(procedure.family, actor), {"entry": moment.entry, "update": moment.update}
    for consequence in part.conclusion.consequences:
        if consequence.do in TO_BE_WRITTEN:
            yield f"{WRITEUP}:{moment.entry}.{place}", WRITEUP, {"entry": moment.entry, "part": place, "state": "open"}
        deed = DEEDS.get(consequence.do)
        if deed is not None and consequence.to is not None:
            for name in names_of(names.get(consequence.to, "")):
                yield from deed(Done(consequence, name, moment, held)) if name else ()
