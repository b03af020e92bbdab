"""Parse typed names, numbers, texts and members, strictly, with helpful errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, get_annotations, signature
from typing import Any, ClassVar, TypeVar, cast, dataclass_transform

import discord
from discord import app_commands
from discord.app_commands import Choice, Transformer
from msgspec import NODEFAULT, Struct, StructMeta, field, structs

from bot.core.errors import BadInput
from rules import errors, typed_text
from rules.subjects import MAX_NAME as LONGEST_NAME
from rules.subjects import name_key, strip_unseen

MAX_NAME = LONGEST_NAME
MAX_TEXT = 500
MAX_ADJUSTMENT = 100
MAX_COUNT = 100
MAX_CHOICES = 25
MAX_CHOICE = 100
MAX_SIGNED, MAX_SIGNED_VALUE = 20, 99
_APART = re.compile(r"([+-])\s+(?=[0-9])")
_SIGNED = re.compile(r"(?:[+-]|(?<![0-9]))[0-9]{1,6}")
NUMBER = re.compile(r" #[0-9]{1,9}$")
"""What follows a name to say which one is meant."""

_BETWEEN = re.compile(r"\s*,\s*|\s*[\r\n]+\s*")
_WHOLE = re.compile(r"[0-9]{1,6}")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters except tabs and line ends, and surrogates: not every database can keep them."""


def refuse_unprintable(sent: object) -> None:
    """Refuse unprintable characters anywhere in an interaction's parsed JSON."""
    if isinstance(sent, str) and (found := _UNPRINTABLE.search(sent)):
        what = f"Your text has a character that can't be shown (U+{ord(found[0]):04X})."
        raise BadInput(what, "Type it instead of pasting it.")
    if isinstance(sent, Mapping):
        refuse_unprintable(list(sent.values()))
    elif isinstance(sent, list):
        for item in sent:
            refuse_unprintable(item)


def names(typed: str, what: str, limit: int) -> tuple[str, ...]:
    """Parse 1 to `limit` names, separated by commas or line breaks. Refuse repeated ones."""
    parsed = split_names(typed, what, limit)
    check_names(parsed)
    return parsed


def refuse_both(some: Sequence[str], others: Sequence[str | None]) -> None:
    """Refuse a name that is on both sides of a roll."""
    keys = {name_key(name) for name in some}
    for name in others:
        if name is not None and name_key(name) in keys:
            raise BadInput(f"{name!r} is on both sides.", "Check the names.")


def parse_signed_numbers(typed: str | None) -> tuple[int, ...]:
    """Parse numbers separated by spaces, commas or signs: `-6 -3 +3`. No sign is a plus."""
    words = re.split(r"[\s,;]+", _APART.sub(r"\1", typed_text.keyboard_signs(typed or "")).strip(" ,;"))
    numbers = [number for word in words if word for number in _split_signed(word)]
    if len(numbers) > MAX_SIGNED:
        raise BadInput(f"You typed {len(numbers)} modifiers.", f"The limit is {MAX_SIGNED}: add some of them up.")
    return tuple(numbers)


def parse_whole(typed: str | None, what: str, low: int, high: int, default: int | None = None) -> int:
    """Parse a whole number from `low` to `high`, neither below 0; `default` if nothing is typed."""
    cleaned = typed_text.keyboard_signs(typed or "").strip()
    if not cleaned and default is not None:
        return default
    if not _WHOLE.fullmatch(cleaned) or not low <= int(cleaned) <= high:
        fault = f"{cleaned!r} isn't a valid {what}." if cleaned else f"The {what} is missing."
        raise BadInput(fault, f"Write a whole number from {low} to {high}.")
    return int(cleaned)


def parse_text(typed: str | None, what: str) -> str | None:
    """Return a trimmed text; None when empty. Refuse more than 500 characters."""
    trimmed = (typed or "").strip()
    if len(trimmed) > MAX_TEXT:
        raise BadInput(f"The {what} has {len(trimmed)} characters.", f"Shorten it to {MAX_TEXT}.")
    return trimmed or None


def region(typed: str | None) -> str | None:
    """Parse one region's name, known or not; None if empty."""
    if typed is None or not strip_unseen(typed):
        return None
    (name,) = names(typed.replace(",", " "), "region", 1)
    return name


def is_answer(name: str, options: Sequence[str]) -> bool:
    """Return whether the text after a target's last colon answers a choice (`Ghost:angry`), not part of its name."""
    _, colon, tail = name.rpartition(":")
    wanted = tail.strip().casefold()
    is_spoken = wanted.isalpha() and not tail.startswith(" ")  # RX:78 and Base: Alpha are names, Ghost:angry is a slip
    return bool(colon) and (is_spoken or errors.nearest(wanted, options) is not None)


def _split_signed(word: str) -> list[int]:
    numbers = _SIGNED.findall(word)
    if "".join(numbers) != word:
        fault = f"{word!r} isn't a modifier." if len(word) <= MAX_NAME else "That isn't a list of modifiers."
        raise BadInput(fault, "Write whole numbers, such as -6 -3 +3.")
    for number in numbers:
        if abs(int(number)) > MAX_SIGNED_VALUE:
            do = f"Modifiers go from -{MAX_SIGNED_VALUE} to +{MAX_SIGNED_VALUE}."
            raise BadInput(f"{number} is out of range.", do)
    return [int(number) for number in numbers]


def split_names(typed: str, what: str, limit: int) -> tuple[str, ...]:
    """Split names at commas and line breaks, 1 to `limit`."""
    parts = tuple(map(strip_unseen, _BETWEEN.split(typed.strip())))
    if not any(parts):
        raise BadInput(f"I need at least one {what}.", "Type a name, or several separated by commas.")
    if not all(parts):
        raise BadInput(f"One {what} has no name.", "Remove the extra comma.")
    if len(parts) > limit == 1:
        raise BadInput(f"You typed {len(parts)} names, but I need one {what}.", "Type one name, without commas.")
    if len(parts) > limit:
        fault = f"You typed {len(parts)} names, but one roll takes up to {limit}."
        raise BadInput(fault, "Roll the rest with a second command.")
    return parts


def check_names(parsed: Sequence[str]) -> None:
    """Refuse names that are too long or typed twice."""
    seen: set[str] = set()
    for name in parsed:
        if len(NUMBER.sub("", name)) > MAX_NAME:
            raise BadInput(f"The name {name[:20]!r}… is too long.", f"A name has at most {MAX_NAME} characters.")
        key = name_key(name)
        if key in seen:
            raise BadInput(f"{name!r} is named twice.", "Name each one once.")
        seen.add(key)


MOST = 10
MENTION = re.compile(r"<@!?(?P<id>[0-9]{1,20})>")


async def find_members(guild: discord.Guild, typed: str) -> list[discord.Member]:
    """Return the members with this mention, display or user name. HTTPException or TimeoutError if Discord fails."""
    if mention := MENTION.fullmatch(typed.strip()):
        return [await guild.fetch_member(int(mention["id"]))]
    name = typed.strip().removeprefix("@")
    found = await guild.query_members(query=name, limit=MOST) if name else []
    return [member for member in found if name_key(name) in {name_key(member.display_name), name_key(member.name)}]


T = TypeVar("T")
WHO = "who"
GAME_MASTERS: dict[str, str] = {WHO: "game masters"}
MANAGERS: dict[str, str] = {WHO: "Manage Server"}
"""Extras of commands that aren't for everyone. A roll `family` can be open to players."""


def describe(**texts: str) -> Callable[[T], T]:
    """Describe options. A `locale_str` isn't wrapped by discord.py, which would slow the start."""
    return app_commands.describe(**{name: app_commands.locale_str(text) for name, text in texts.items()})


Text = app_commands.Range[str, 1, MAX_TEXT]
HIGHEST = 2**31 - 1
"""The highest number of an entry or update."""

Number = app_commands.Range[int, 1, HIGHEST]
C = TypeVar("C", bound=Callable[..., Coroutine[Any, Any, None]])


class _FormOption(Struct, frozen=True):
    words: str
    default: Any
    choices: Mapping[str, str]
    name: str | None
    completer: Callable[[type[Any]], Transformer] | None


def option(
    words: str,
    *,
    default: object = NODEFAULT,
    choices: Mapping[str, str] | Iterable[str] = (),
    name: str | None = None,
    completer: Callable[[type[Any]], Transformer] | None = None,
) -> Any:  # noqa: ANN401 - of the option's type
    """Describe an option. `choices` are labels by value; `name` is typed; `completer` makes a form's own type."""
    labels = choices if isinstance(choices, Mapping) else {word: word for word in choices}
    return _FormOption(words, default, labels, name, completer)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
class _FormMeta(StructMeta):
    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> _FormMeta:  # noqa: PYI034 - mypy takes no Self here
        inherited = {key: item for base in bases for key, item in getattr(base, "__options__", {}).items()}
        own = {key: value for key, value in namespace.items() if isinstance(value, _FormOption)}
        again = {key: namespace[key] for key in inherited if key in namespace and key not in own}
        changed = {key: structs.replace(inherited[key], default=value, completer=None) for key, value in again.items()}
        first = {key: item for key, item in own.items() if key not in inherited}
        fields = {key: field(default=item.default) for key, item in own.items()}
        namespace |= {**fields, "__options__": {**first, **inherited, **changed, **own}}
        return super().__new__(mcs, name, bases, namespace, frozen=True, kw_only=True)


class Form(Struct, metaclass=_FormMeta):
    """The options of a command as they were picked."""

    __options__: ClassVar[Mapping[str, _FormOption]]

    def collect_values(self, *but: str) -> dict[str, Any]:
        """Return picked or default values by option, without None and the options `but`."""
        return {key: value for key, value in structs.asdict(self).items() if value is not None and key not in but}


def fill_form(callback: C, form: type[Form] | None = None) -> C:
    """Let a callback of (self,) interaction and form take the form's options, by default those of its annotation."""
    *own, given = signature(callback, eval_str=True).parameters.values()
    form = form or cast("type[Form]", given.annotation)

    @wraps(callback)
    async def call(*args: object, **picked: object) -> None:
        await callback(*args, form(**picked))

    vars(call)["__signature__"] = Signature([*own, *_list_parameters(form)])
    options = form.__options__.items()
    picks = {key: [Choice(name=label, value=value) for value, label in item.choices.items()] for key, item in options}
    app_commands.choices(**{key: some for key, some in picks.items() if some})(call)
    app_commands.rename(**{key: item.name for key, item in options if item.name})(call)
    describe(**{key: item.words for key, item in options})(call)
    return cast("C", call)


def _list_parameters(form: type[Form]) -> Iterator[Parameter]:
    kinds = {key: kind for base in form.__mro__[::-1] for key, kind in get_annotations(base, eval_str=True).items()}
    for key, item in form.__options__.items():
        kind = item.completer(form) if item.completer else kinds[key]
        default = Parameter.empty if item.default is NODEFAULT else item.default
        yield Parameter(key, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
