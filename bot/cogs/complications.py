"""`/complications`: of battles, with defenders of bases and passwords the enemy knows."""

from collections.abc import Iterator, Mapping

from discord import app_commands
from discord.app_commands import Choice
from msgspec import structs
from sqlalchemy import Connection

from bot.client import Interaction
from bot.core import permissions, profiles, state, subjects
from bot.core.errors import BadInput, unknown_name
from bot.kernel import Feature
from bot.rolls import answers, extension, options, request, situation
from bot.ui import parsing
from bot.ui.parsing import MAX_CHOICE, fill_form, option
from rules import effects
from rules.books.campaign.book import DEFENDS
from rules.books.campaign.captivity import PASSWORD_KNOWN, list_knowers
from rules.modifiers import KnownFact, Origin
from rules.subjects import name_key, number_of, strip_unseen

SIDE = "side"
EVERYBODY = 0
"""Not a subject's number: every enemy."""

FACT = f"{SIDE}.{PASSWORD_KNOWN.removeprefix(effects.EFFECT)}"


def passwords(tx: Connection, context: situation.RollContext) -> list[dict[str, KnownFact]]:
    """Return, for each part of a roll, the fact that an enemy knows the side's password.

    What captives reveal, only captors and their side know. What is entered by hand, every enemy knows.
    """
    sides = [part.get(SIDE, (None,))[0] for part in context.cast]
    named = [part.get(SIDE, "") for part in context.subjects]
    known = state.find_values_of_name(tx, context.campaign.id, PASSWORD_KNOWN) if any(named) else {}
    current = {number_of(key): value for key, value in known.items() if effects.is_current(value, context.moment)}
    if not current:
        return [{} for _ in named]
    book = _Passwords(tx, context, current)
    loyal = [book.loyalties(name, item) for name, item in zip(named, sides, strict=True)]
    return [
        dict(book.facts(own, [*loyal[:place], *loyal[place + 1 :]]) if name else ())
        for place, (name, own) in enumerate(zip(named, loyal, strict=True))
    ]


class _Passwords:
    """Known passwords, by the number of their side."""

    def __init__(
        self, tx: Connection, context: situation.RollContext, current: Mapping[int, Mapping[str, object]]
    ) -> None:
        knowing = {number for value in current.values() for number in list_knowers(value) or ()}
        self._current = current
        sides = {item.id for part in context.cast for item in part.get(SIDE, ()) if item is not None}
        self._saved = profiles.read_profiles(tx, context.campaign.id, {*knowing, *sides})
        self._names = subjects.name_subjects(tx, context.campaign.id, {*current, *knowing})
        self._groups = permissions.list_groups(tx, context.campaign.id)

    def loyalties(self, name: str, item: subjects.Subject | None) -> set[str]:
        """Return the name keys by which someone belongs to a side: their own, and their side's."""
        return {name_key(name), *self._side(self._saved.get(item.id) if item else None)}

    def facts(self, own: set[str], others: list[set[str]]) -> Iterator[tuple[str, KnownFact]]:
        """Yield the fact that one of `others` (or any enemy, without them) knows `own` side's password."""
        enemies = set().union(*others)
        for value in (value for number, value in self._current.items() if name_key(self._names[number]) in own):
            known = list_knowers(value)
            for by in (EVERYBODY,) if known is None else known:
                if by == EVERYBODY or not enemies or not self._loyal(by) or enemies & self._loyal(by):
                    who = f"{self._names[by]} knows it, " if by in self._names else ""
                    yield FACT, KnownFact(1, Origin("effect", f"{who}since entry {value['entry']}"), secret=True)

    def _loyal(self, number: int) -> set[str]:
        saved = self._saved.get(number)
        side = self._side(saved)
        return {name_key(self._names[number]), *side} if saved is None or side else set()

    def _side(self, saved: profiles.Profile | None) -> set[str]:
        if saved is None:
            return set()
        joined = (group.name for group in self._groups if saved.id in group.members)
        return {name_key(side) for side in (saved.side, *joined) if side}


MAX_SIDES = 10


def make_side_parts(battle: str, sides: str, defender: str | None, base: str | None) -> list[request.PartRequest]:
    """Return one part per side of a battle; the defender's part also has the base."""
    (where,) = parsing.names(battle, "battle", 1)
    named = parsing.names(sides, "side", MAX_SIDES)
    parts = [request.PartRequest(subjects={"side": side, "battle": where}) for side in named]
    if not strip_unseen(defender or "") and not strip_unseen(base or ""):
        return parts
    if not strip_unseen(base or ""):
        raise BadInput(f"Which base does {defender} defend?", "Name it as base; its damage then counts for that side.")
    (held,) = parsing.names(base or "", "base", 1)
    if not strip_unseen(defender or ""):
        raise BadInput(f"Which side defends {held}?", f"Name it as defender: {', '.join(named)}.")
    wanted = name_key(defender or "")
    if wanted not in {name_key(side) for side in named}:
        what = f"{(defender or '')[: parsing.MAX_NAME]!r} isn't a side of this battle."
        raise unknown_name(what, defender or "", named, f"The sides are: {', '.join(named)}.")
    return [
        structs.replace(part, subjects={**part.subjects, "base": held})
        if name_key(part.subjects["side"]) == wanted
        else part
        for part in parts
    ]


def defence(_tx: Connection, context: situation.RollContext) -> list[dict[str, KnownFact]]:
    """Return, for each part, the fact that its side defends a base (line 274, UC-2)."""
    return [
        {DEFENDS: KnownFact(1, Origin("choice", f"defends {part['base']}"))}
        if "side" in part and "base" in part
        else {}
        for part in context.subjects
    ]


FAMILY = ("campaign", "complications")


class ComplicationsForm(options.PlacedRollForm):
    """Options of `/complications`."""

    family = FAMILY
    battle: str = option("A name for the battle, such as Fort Salalah")
    sides: options.Sides = option("Up to ten sides, separated by commas: Zeon, EF")
    defender: str | None = option("The side that defends a base", default=None)
    base: options.UnitName | None = option("The defended base. Its damage counts only for the defender", default=None)


@app_commands.command(extras={"family": FAMILY[1]})
@fill_form
async def complications(interaction: Interaction, form: ComplicationsForm) -> None:
    """Roll for unexpected complications in a battle."""
    parts = make_side_parts(form.battle, form.sides, form.defender, form.base)
    await answers.begin_form(interaction, form, parts, form.region, form.week)


@complications.autocomplete("defender")
async def _defender(interaction: Interaction, current: str) -> list[Choice[str]]:
    named = str(getattr(interaction.namespace, "sides", "") or "").split(",")
    wanted = name_key(current)
    sides = [name for name in map(str.strip, named) if name and len(name) <= MAX_CHOICE]
    return options.offer([(name, name) for name in sides if wanted in name_key(name)])


FEATURE = Feature(
    book=FAMILY[0],
    commands=(complications,),
    rolls=(extension.RollExtension(book=FAMILY[0], families=(FAMILY[1],), facts=(defence, passwords)),),
)
