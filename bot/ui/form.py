"""Forms: a command's options, one line each."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar, TypeVar, cast, dataclass_transform, get_type_hints

from discord import app_commands
from discord.app_commands import Choice, Transformer
from msgspec import NODEFAULT, Struct, StructMeta, field
from msgspec.structs import asdict, replace

from bot.ui.parsing import MAX_TEXT

T = TypeVar("T")

WHO = "who"
GAME_MASTERS: dict[str, str] = {WHO: "game masters"}
MANAGERS: dict[str, str] = {WHO: "Manage Server"}
"""Extras of commands that aren't for everyone. A roll `family` can be open to players."""


def describe(**texts: str) -> Callable[[T], T]:
    """Describe options. A `locale_str` isn't wrapped by discord.py, which would slow the start."""
    return app_commands.describe(**{name: app_commands.locale_str(text) for name, text in texts.items()})


Text = app_commands.Range[str, 1, MAX_TEXT]

C = TypeVar("C", bound=Callable[..., Coroutine[Any, Any, None]])


class _FormOption(Struct, frozen=True):
    """What people read of an option, and what it takes."""

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
    """Make a form's options its fields."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> _FormMeta:  # noqa: PYI034 - mypy takes no Self here
        inherited = {key: item for base in bases for key, item in getattr(base, "__options__", {}).items()}
        own = {key: value for key, value in namespace.items() if isinstance(value, _FormOption)}
        again = {key: namespace[key] for key in inherited if key in namespace and key not in own}
        changed = {key: replace(inherited[key], default=value, completer=None) for key, value in again.items()}
        first = {key: item for key, item in own.items() if key not in inherited}
        fields = {key: field(default=item.default) for key, item in own.items()}
        namespace |= {**fields, "__options__": {**first, **inherited, **changed, **own}}
        return super().__new__(mcs, name, bases, namespace, frozen=True, kw_only=True)


class Form(Struct, metaclass=_FormMeta):
    """The options of a command as they were picked."""

    __options__: ClassVar[Mapping[str, _FormOption]]

    def collect_values(self, *but: str) -> dict[str, Any]:
        """Return picked or default values by option, without None and the options `but`."""
        return {key: value for key, value in asdict(self).items() if value is not None and key not in but}


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
    kinds = get_type_hints(form, include_extras=True)
    for key, item in form.__options__.items():
        kind = item.completer(form) if item.completer else kinds[key]
        default = Parameter.empty if item.default is NODEFAULT else item.default
        yield Parameter(key, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
