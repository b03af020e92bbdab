"""Answer a person, even over a bad line: a lost answer is repeated with the next one. Each interaction is one log line."""

import asyncio
import logging
import math
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial
from inspect import ismemberdescriptor, signature
from typing import Any, Literal

import aiohttp
import discord
from discord.webhook.async_ import AsyncWebhookAdapter
from msgspec import Struct, field

from bot.core import errors, transactions
from bot.ui import parsing, text

Interaction = discord.Interaction[Any]
Outcome = Literal["answered", "refused", "failed", "taken", "unanswered"]
"""How an interaction ended: `taken` was answered by another process, the answer of `unanswered` didn't arrive."""

KEY = "attended"


class InteractionRecord(Struct):
    """A running interaction. Times are of `perf_counter`. People see the `reference` of a bug, which its log line has."""

    command: str
    carried: transactions.FinishedInteraction
    started: float = field(default_factory=time.perf_counter)
    reference: str = field(default_factory=partial(secrets.token_hex, 4))
    outcome: Outcome = "answered"
    fault: str | None = None
    acknowledged: float | None = None
    answered: float | None = None

    def since(self, then: float | None) -> float | None:
        """Return milliseconds from the interaction's start to `then`; None if None."""
        return None if then is None else round((then - self.started) * 1000, 1)


def reference(interaction: Interaction) -> str:
    """Return the reference that a bug report names; a new one if unrecorded."""
    attended: InteractionRecord | None = interaction.extras.get(KEY)
    return secrets.token_hex(4) if attended is None else attended.reference


def note_heard(interaction: Interaction, *, answer: bool) -> None:
    """Note that Discord took the acknowledgement or answer. The first of each counts."""
    attended: InteractionRecord | None = interaction.extras.get(KEY)
    if attended is not None:
        now = time.perf_counter()
        attended.acknowledged = attended.acknowledged or now
        attended.answered = attended.answered or (now if answer else None)


def note_end(interaction: Interaction, outcome: Outcome, fault: BaseException | None = None) -> None:
    """Note that an interaction didn't end well, and why."""
    attended: InteractionRecord | None = interaction.extras.get(KEY)
    if attended is not None:
        attended.outcome = outcome
        attended.fault = None if fault is None else type(fault).__name__


def log_end(interaction: Interaction, attended: InteractionRecord) -> None:
    """Log an interaction in one line, without names or typed text."""
    carried = attended.carried
    line = {
        "guild": interaction.guild_id,
        "campaign": carried.campaign,
        "user": interaction.user.id,
        "command": attended.command,
        "entry": carried.entry,
        "outcome": attended.outcome,
        "fault": attended.fault,
        "acknowledged_ms": attended.since(attended.acknowledged),
        "answered_ms": attended.since(attended.answered),
        "ms": attended.since(time.perf_counter()),
        "reference": attended.reference,
    }
    log.info("interaction", extra={name: value for name, value in line.items() if value is not None})


def attend(interaction: Interaction, name: str) -> None:
    """See that the task's interaction is acknowledged and logged. BadInput for unprintable text, TooFast for too many."""
    task = asyncio.current_task()
    if task is not None:
        later = asyncio.get_running_loop().call_later
        timer = interaction.extras["timer"] = later(interaction.client.slow_after, _acknowledge, interaction)
        interaction.client.attended.add(task)
        attended = interaction.extras[KEY] = InteractionRecord(name, transactions.begin_interaction(interaction.id))
        task.add_done_callback(partial(_leave, interaction, attended, timer))
    wait = interaction.client.limits.wait(interaction.guild_id, interaction.user.id, time.monotonic())
    if wait:
        seconds = math.ceil(wait)
        do = f"Try again in {seconds} {'second' if seconds == 1 else 'seconds'}."
        raise errors.TooFast("Too many requests at once, so I did nothing.", do)
    sent: Any = interaction.data or {}
    if "target_id" not in sent:  # a right-click types nothing, and brings along the message that someone else has typed
        parsing.refuse_unprintable(sent)


def _acknowledge(interaction: Interaction) -> None:
    if not interaction.response.is_done():
        interaction.extras["announced"] = asyncio.get_running_loop().create_task(_defer(interaction))


async def _defer(interaction: Interaction) -> None:
    await interaction.response.defer(ephemeral=True, thinking=interaction.message is None)
    note_heard(interaction, answer=False)


def _leave(
    interaction: Interaction, attended: InteractionRecord, timer: asyncio.TimerHandle, task: asyncio.Task[Any]
) -> None:
    timer.cancel()
    interaction.client.attended.discard(task)
    log_end(interaction, attended)
    for measure in interaction.client.measures:
        measure(attended)


Give = Callable[[], Awaitable[Any]]
CUT_OFF = (OSError, aiohttp.ClientError)
TRIES = 3
ANSWERED_ALREADY = 40060

GIVEN_UP = {401, 404}
"""Statuses with which Discord no longer wants the answer."""

SERVER_ERROR = 500
MAX_UNTOLD, MAX_PEOPLE = 5, 1000
log = logging.getLogger(__name__)


class LostAnswers:
    """What was done for people whose answers were lost, a line each, until their next answer."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int | None, int], list[str]] = {}

    def add(self, interaction: Interaction, *lines: str) -> None:
        """Keep lines for the person: the last 5 each, of the latest 1,000 people."""
        key = (interaction.guild_id, interaction.user.id)
        self._lines[key] = [*self._lines.pop(key, []), *lines][-MAX_UNTOLD:]
        if len(self._lines) > MAX_PEOPLE:
            del self._lines[next(iter(self._lines))]

    def take(self, interaction: Interaction) -> list[str]:
        """Return a person's lines and forget them."""
        return self._lines.pop((interaction.guild_id, interaction.user.id), [])


def note_done(interaction: Interaction, done: str) -> None:
    """Note what is done even if the answer is lost, such as `Rolled: entry #7`."""
    interaction.extras["done"] = done


async def answer(interaction: Interaction, first: Give, later: Give, *, again: bool = True) -> Any:  # noqa: ANN401 - what Discord gives
    """Answer, trying `again` over a cut connection. None if it's lost: the next answer reports what was done."""
    problem: Exception | None = None
    for _ in range(TRIES):
        try:
            given = await (later() if interaction.response.is_done() else first())
        except discord.HTTPException as error:
            if error.code == ANSWERED_ALREADY and problem is None:
                first = later  # an acknowledgement had arrived that seemed to be cut off
            elif error.code == ANSWERED_ALREADY:
                given = None  # the try that was cut off had arrived
                break
            elif error.status in GIVEN_UP or error.status >= SERVER_ERROR:
                return _note_lost(interaction, error)
            else:
                raise
            problem = error
        except CUT_OFF as error:
            if not again:
                return _note_lost(interaction, error)
            problem = error
        else:
            break
    else:
        return _note_lost(interaction, problem)
    note_heard(interaction, answer=True)
    await _report_lost(interaction)
    return given


def _note_lost(interaction: Interaction, problem: Exception | None) -> None:
    who = {"guild": interaction.guild_id, "user": interaction.user.id}
    done = interaction.extras.pop("done", None)
    log.warning("interaction.unanswered", extra={**who, "done": done, "fault": str(problem)})
    note_end(interaction, "unanswered", problem)
    if done is not None:
        interaction.client.untold.add(interaction, done)


async def _report_lost(interaction: Interaction) -> None:
    interaction.extras.pop("done", None)
    if interaction.response.type is discord.InteractionResponseType.modal:
        return
    if lines := interaction.client.untold.take(interaction):
        message = "\n".join(["You may have missed my answer. This was done; see `/ledger`:", *lines])
        try:
            message = interaction.client.mentions.write(message, text.MAX_CONTENT, interaction.guild_id)
            await interaction.followup.send(message, ephemeral=True)
        except (discord.HTTPException, *CUT_OFF) as problem:
            log.warning("interaction.unanswered", extra={"user": interaction.user.id, "fault": str(problem)})
            interaction.client.untold.add(interaction, *lines)


Theirs = Any
"""Something of discord.py's."""

_SLOT: Theirs = vars(discord.Message).get("components")
_PARSE: Theirs = vars(discord.Message).get("_handle_components")
_ANSWER: Theirs = vars(AsyncWebhookAdapter).get("create_interaction_response")
_TAKES = ["self data", "self interaction_id token session proxy proxy_auth params"]


class _Unread(list[Mapping[str, object]]):
    """Components as Discord sent them."""


@cache
def leave_unread() -> bool:
    """Make discord.py read components only when asked for, and answers never. Return whether it lets us."""
    methods = [method for method in (_PARSE, _ANSWER) if callable(method)]
    known = ismemberdescriptor(_SLOT) and [" ".join(signature(method).parameters) for method in methods] == _TAKES
    if known:
        type.__setattr__(discord.Message, "components", property(_read_components, _SLOT.__set__))
        type.__setattr__(discord.Message, "_handle_components", _keep_unread)
        type.__setattr__(AsyncWebhookAdapter, "create_interaction_response", _answer_briefly)
    return known


def list_component_ids(message: discord.Message) -> Sequence[object]:
    """Return the ids of a message's outermost components."""
    if ismemberdescriptor(_SLOT) and isinstance(kept := _SLOT.__get__(message), _Unread):
        return [part.get("id") for part in kept]
    return [getattr(part, "id", None) for part in message.components]


def _keep_unread(message: discord.Message, data: Sequence[Mapping[str, object]]) -> None:
    _SLOT.__set__(message, _Unread(data))


def _read_components(message: discord.Message) -> object:
    if isinstance(kept := _SLOT.__get__(message), _Unread):
        _PARSE(message, kept)
    return _SLOT.__get__(message)


async def _answer_briefly(adapter: AsyncWebhookAdapter, number: int, *rest: object, **request: object) -> object:
    await _ANSWER(_BriefAdapter(adapter), number, *rest, **request)
    return {"interaction": {"id": number}}


class _BriefAdapter(AsyncWebhookAdapter):
    """Sends as another does, and doesn't ask for the message."""

    def __init__(self, adapter: AsyncWebhookAdapter) -> None:
        vars(self).update(vars(adapter))
        self._send: Theirs = adapter.request

    async def request(self, *where: Theirs, **request: Theirs) -> Theirs:
        return await self._send(*where, **{**request, "params": None})
