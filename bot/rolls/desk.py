"""What a roll command types, and the request that it makes."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, structs
from sqlalchemy import Connection

from bot.core import campaigns, library, permissions, profiles, visibility
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.errors import BadInput, unknown_name
from bot.outbox.delivery import Outbox
from bot.rolls import preview, situation
from bot.rolls.request import MAX_PARTS, TO_LABELS, PartRequest, RollCommand, RollRequest, To, TypedAdjustment
from bot.rolls.resolver import Resolver
from bot.ui import parsing, reply
from rules import errors, ruleset, stages, typed_text
from rules.procedure import Choice, Procedure
from rules.subjects import PROFILE, name_key

Tickables = Mapping[str, stages.Tickable]
LIKE_TYPED = 0.75
_ADJUSTMENT = re.compile(r"(?P<sign>[+-])\s*(?P<value>\d+)\b\s*(?P<reason>.*)", re.DOTALL)
_COUNT = re.compile(r"\s*[*x\u00d7]\s*(?P<count>-?\d+)$")


def parse_targets(typed: str, choice: Choice, default: str | None, limit: int) -> tuple[tuple[str, str], ...]:
    """Parse (name, option) pairs; the option follows a colon, else is `default`: `Grey Ghost:neutral, Zaku column`."""
    usual = _parse_option(default, choice)
    pairs = [_read_target(name, choice, usual) for name in parsing.split_names(typed, "target", limit)]
    parsing.check_names([name for name, _ in pairs])
    return tuple(pairs)


def _parse_option(typed: str | None, choice: Choice) -> str:
    if typed is None or not typed.strip():
        return choice.options[0]
    wanted = typed.strip().casefold()
    if wanted not in choice.options:
        there = f"Pick one: {', '.join(choice.options)}."
        raise unknown_name(f"{typed!r} isn't a {choice.id}.", wanted, choice.options, there)
    return wanted


def parse_modifiers(typed: str | None, known: Tickables) -> tuple[dict[str, int], tuple[TypedAdjustment, ...]]:
    """Parse `id`, `id*2` or a label into counts by id, and `+2 reason` into adjustments. Labels may have commas."""
    marks: dict[str, int] = {}
    adjustments: list[TypedAdjustment] = []
    for word in _split_words(typed or "", known):
        plain = typed_text.keyboard_signs(word)
        match = _ADJUSTMENT.fullmatch(plain)
        if match:
            adjustments.append(parse_adjustment(match["sign"] + match["value"], word[match.start("reason") :]))
            continue
        name, count = _read_tick(plain, known)
        if name in marks:
            raise BadInput(f"{known[name].label} is named twice.", "For a count write it once, like id*2.")
        marks[name] = count
    return marks, tuple(adjustments)


def find_slips(typed: str | None, known: Tickables) -> list[tuple[str, str, str]]:
    """Return (typed, likely id, its label) of each unknown modifier. BadInput for one that is like none."""
    unread = []
    for word in _split_words(typed or "", known):
        count = _COUNT.search(word)
        name, times = (word[: count.start()], word[count.start() :]) if count else (word, "")
        if _ADJUSTMENT.fullmatch(typed_text.keyboard_signs(word)) or _find(word, known) or _find(name, known):
            continue
        key = None if _ids_ending(name_key(name), known) else _nearest(name, known, LIKE_TYPED)
        if key is None:
            raise _refuse_modifier(name, known)
        unread.append((word, key + times, known[key].label))
    return unread


def parse_adjustment(value: str, reason: str, table: str | None = None, *, private: bool = False) -> TypedAdjustment:
    """Parse a game master's adjustment. A `private` reason is for the staff."""
    digits, most = typed_text.keyboard_signs(value).strip(), parsing.MAX_ADJUSTMENT
    if not re.fullmatch(r"[+-]?\d{1,4}", digits) or not 0 < abs(int(digits)) <= most:
        raise BadInput(f"{value!r} isn't an adjustment.", f"Write a whole number from -{most} to +{most}, except 0.")
    why = parsing.parse_text(reason, "reason")
    if not why:
        do = f"Write it after the number: {value} sandstorm at dusk."
        raise BadInput(f"The adjustment {value} has no reason.", do)
    return TypedAdjustment(value=int(digits), reason=why, table=table, private=private)


def parse_count(typed: str, modifier: stages.Tickable) -> int:
    """Parse a count for a modifier that is per unit."""
    cleaned = typed_text.keyboard_signs(typed).strip() or "0"
    if not re.fullmatch(r"-?\d{1,6}", cleaned):
        raise BadInput(f"{typed!r} isn't a number.", f"How many times does {modifier.label!r} count?")
    return _check_count(int(cleaned), modifier)


def suggest_modifiers(typed: str, known: Tickables) -> list[tuple[str, str]]:
    """Complete the last word as (shown, value): at most 25, 100 characters each."""
    before, comma, word = typed.rpartition(",")
    prefix = f"{before}{comma} " if comma else ""
    present = {_find(_COUNT.sub("", part), known) for part in _split_words(before, known)}
    wanted = name_key(word)
    suggestions = []
    for name, text in _display_texts(known).items():
        if name in present or not (wanted in name or wanted in name_key(text)):
            continue
        shown, value = prefix + text, f"{prefix}{name}"
        if len(value) <= parsing.MAX_CHOICE:
            suggestions.append((shown if len(shown) <= parsing.MAX_CHOICE else value, value))
    return suggestions[: parsing.MAX_CHOICES]


def read_shown(typed: str, known: Tickables) -> str:
    """Replace modifiers that look as completions show them by ids, as `parse_modifiers` reads them."""
    shown = {name_key(text.replace("\N{MINUS SIGN}", "-")): name for name, text in _display_texts(known).items()}
    both = {**known, **{text: known[name] for text, name in shown.items()}}
    words = _split_words(typed.replace("\N{MINUS SIGN}", "-"), both)
    counted = [(_COUNT.sub("", word), word) for word in words]
    return ", ".join(shown.get(name_key(text), text) + word[len(text) :] for text, word in counted)


def _display_texts(known: Tickables) -> dict[str, str]:
    texts = {}
    for name, item in known.items():
        values = "/".join(f"{value:+d}" for value in item.values).replace("-", "\N{MINUS SIGN}")
        texts[name] = f"{values} {item.label}".strip()
    often = Counter(texts.values())
    return {name: text if often[text] == 1 else f"{text} ({name})" for name, text in texts.items()}


def _split_words(typed: str, known: Tickables) -> Iterator[str]:
    pieces = [piece for piece in typed.split(",") if piece.strip()]
    most = max((item.label.count(",") for item in known.values()), default=0) + 1
    while pieces:
        runs = (",".join(pieces[:size]) for size in range(min(most, len(pieces)), 1, -1))
        word = next((run for run in runs if _find(_COUNT.sub("", run), known)), pieces[0])
        yield word.strip()
        pieces = pieces[word.count(",") + 1 :]


def _read_tick(word: str, known: Tickables) -> tuple[str, int]:
    key = _find(word, known)
    if key is not None:
        return key, 1
    match = _COUNT.search(word)
    name = word[: match.start()] if match else word
    key = _find(name, known)
    if key is None:
        raise _refuse_modifier(name, known)
    return key, _check_count(int(match["count"][:9]) if match else 1, known[key])


def _refuse_modifier(name: str, known: Tickables) -> BadInput:
    several = " or ".join(known[key].label for key in _ids_ending(name_key(name), known))
    if several:
        return BadInput(f"{name!r} could be several modifiers.", f"Say which: {several}.")
    key = _nearest(name, known)
    hint = f"Did you mean {known[key].label}?" if key else "Suggestions appear while you type."
    return BadInput(f"I don't know the modifier {name!r}.", hint)


def _nearest(name: str, known: Tickables, likeness: float = errors.NEAR) -> str | None:
    role, dot, word = name.strip().partition(".")
    labels = {} if dot else {item.label: key for key, item in known.items()}
    words = {key.rpartition(".")[2]: key for key in known if key.startswith(f"{role}.") or not dot}
    for wanted, called in ((name, labels), (word or role, words)):
        close = errors.nearest(wanted, called, likeness=likeness)
        if close is not None:
            return called[close]
    return None


def _ids_ending(wanted: str, known: Tickables) -> list[str]:
    return [key for key in known if key.rpartition(".")[2] == wanted]


def _check_count(number: int, item: stages.Tickable) -> int:
    if number < 0:
        raise errors.BadCount(item.label, number, per=item.per)
    if number > parsing.MAX_COUNT:
        raise BadInput(f"{item.label} can't count that often.", f"The limit is {parsing.MAX_COUNT} times.")
    return number


def _find(name: str, known: Tickables) -> str | None:
    wanted = name_key(name)
    if wanted in known:
        return wanted
    labelled = [key for key, item in known.items() if name_key(item.label) == wanted]
    alike = labelled or _ids_ending(wanted, known)
    return alike[0] if len(alike) == 1 else None


def _read_target(name: str, choice: Choice, usual: str) -> tuple[str, str]:
    if not parsing.is_answer(name, choice.options):
        return name, usual
    head, _, tail = name.rpartition(":")
    if not head.strip():
        raise BadInput("One target has no name.", f"Write it before the colon: Grey Ghost:{tail.strip()}.")
    return head.strip(), _parse_option(tail, choice)


class RollDesk(Struct, frozen=True):
    """What roll commands look up, with the bot's database, resolver and outbox."""

    database: Database
    resolver: Resolver
    outbox: Outbox

    async def campaign(self, interaction: reply.AnyInteraction) -> Campaign:
        """Return the campaign of the command's channel, or raise NoCampaign."""
        return await self.database.read(campaigns.locate_campaign, interaction.guild_id or 0, channels(interaction))

    async def procedure(self, campaign: Campaign, book_id: str, family: str) -> tuple[ruleset.RuleSet, Procedure]:
        """Return a book that the campaign plays, and a roll family."""
        book = await self.database.read(self.resolver.library.book, campaign, book_id)
        return book, book.procedure(family)

    async def destinations(self, campaign: Campaign, *, leads: bool) -> Mapping[To, str]:
        """Return where a result may go, as labels. Groups are for game masters."""
        known = await self.database.read(permissions.list_groups, campaign.id) if leads else []
        return {**TO_LABELS, **{group.audience: f"to {group.name}" for group in known}}


def desk_of(interaction: reply.AnyInteraction) -> RollDesk:
    """Return the desk of the interaction's bot."""
    client = interaction.client
    return RollDesk(client.database, client.resolver, client.outbox)


def channels(interaction: reply.AnyInteraction) -> list[int]:
    """Return the ids that can be linked, nearest first: thread or channel, parent, category."""
    channel = interaction.channel
    ids = [interaction.channel_id, getattr(channel, "parent_id", None)]
    outer = getattr(channel, "parent", None) or channel
    ids.append(getattr(outer, "category_id", None))
    return [item for item in ids if item is not None]


class TypedRoll(Struct, frozen=True):
    """A roll command whose parts are read in the transaction that rolls it."""

    channels: Sequence[int]
    read: Callable[[Connection, library.Library, permissions.Person], RollCommand]
    campaign: int | None = None
    faces: Mapping[int, Sequence[int]] | None = None


class RollPlace(Struct, frozen=True):
    """Where a command rolls: an open, locked campaign as the person sees it, book and procedure."""

    viewer: visibility.Viewer
    book: ruleset.RuleSet
    procedure: Procedure


def prepare_request(
    tx: Connection, resolver: Resolver, person: permissions.Person, command: RollCommand, *, lock: bool = True
) -> tuple[RollPlace, RollRequest]:
    """Return a command's place and request, without rolling. Don't `lock` in transactions that only read."""
    place, command = find_place(tx, resolver, person, command, lock=lock)
    return place, build_request(tx, place, command)


def find_place(
    tx: Connection, resolver: Resolver, person: permissions.Person, typed: RollCommand | TypedRoll, *, lock: bool = True
) -> tuple[RollPlace, RollCommand]:
    """Return where a command rolls, and the command with its parts read. Refuse people who may not roll it."""
    if typed.campaign is None:
        campaign = campaigns.locate_campaign(tx, person.guild_id, typed.channels, lock=lock)
    else:
        campaign = campaigns.require_on_server(tx, person.guild_id, typed.campaign, lock=lock)
    if isinstance(typed, RollCommand):
        command = typed
    else:
        command = structs.replace(typed.read(tx, resolver.library, person), faces=typed.faces)
    book = resolver.library.book(tx, campaign, command.family[0])
    procedure = book.procedure(command.family[1])
    preview.require_procedure(person, campaign, procedure)
    campaigns.require_open(campaign)
    return RollPlace(visibility.make_viewer(tx, person, campaign), book, procedure), command


def build_request(
    tx: Connection, place: RollPlace, command: RollCommand, identified: Sequence[PartRequest] | None = None
) -> RollRequest:
    """Return the request of a command. Pass `identified` parts if names are resolved already."""
    campaign, person, procedure = place.viewer.campaign, place.viewer.person, place.procedure
    if len(command.parts) > MAX_PARTS:
        count = len(command.parts)
        raise BadInput(f"That's {count} rolls, but one command takes up to {MAX_PARTS}.", "Split it into two rolls.")
    saved_roles = [role for role, name in procedure.policy.needs if name == PROFILE]
    owned = [part.subjects[role] for role in saved_roles for part in command.parts]
    visibility.require_own(tx, campaign, person, owned)
    known = stages.family_tickables(procedure, place.book) if command.modifiers else {}
    marks, adjustments = parse_modifiers(command.modifiers, known)
    if command.faces is not None:
        permissions.require_game_master(person, campaign, "type in dice that were rolled by hand")
    if adjustments:
        permissions.require_game_master(person, campaign, "adjust a roll")
    if command.to != "auto":
        permissions.require_game_master(person, campaign, "choose where a result goes")
    parts = preview.identify(tx, place.viewer, command.parts) if identified is None else identified
    region = region_of(place.book, command.region)
    if region is None and command.week is not None and not _has_home(tx, place, parts):
        raise BadInput("A week needs a region.", "Name the region too.")
    to, here = find_destination(tx, campaign, command.channels, command.to, command.here)
    return RollRequest(
        book=place.book.id,
        family=procedure.family,
        parts=tuple(structs.replace(part, marks=marks, adjustments=adjustments) for part in parts),
        region=region,
        at_home=region is None,
        week=command.week,
        note=parsing.parse_text(command.note, "note"),
        reason=command.reason,
        to=to,
        here=here,
        scene=command.scene,
        staff=person.leads(campaign),
        by=None if person.leads(campaign) else place.viewer.mine,
    )


def find_destination(
    tx: Connection, campaign: Campaign, channels: Sequence[int], to: str, here: int | None
) -> tuple[To, int | None]:
    """Return a result's audience, and its channel if that isn't the results channel.

    `channels` are ids, nearest first. Staff channels keep results for the staff, group channels for their group: then `here` is set, since no game master chose it. `to` may name a group.
    """
    if here is not None and campaign.staff_channel_id in channels:
        return "staff", None
    among = None if here is None else permissions.find_audience(tx, campaign.id, channels)
    if among is not None:
        return among, here
    if to not in TO_LABELS:
        return permissions.find_group(tx, campaign.id, to).audience, None
    return to, None if here in {0, campaign.results_channel_id} else here


def _has_home(tx: Connection, place: RollPlace, parts: Sequence[PartRequest]) -> bool:
    named = [[(role, number) for role, ids in part.ids.items() for number in ids if number] for part in parts]
    saved = profiles.read_profiles(tx, place.viewer.campaign.id, {number for part in named for _, number in part})
    there = [[(role, saved[number]) for role, number in part if number in saved] for part in named]
    sight = partial(visibility.see_saved, tx, place.viewer, fields=place.book.fields)
    return any(situation.find_known_homes(place.procedure, there, sight))


def region_of(book: ruleset.RuleSet, typed: str | None) -> str | None:
    """Return a region as the book spells it, else as typed; None if empty."""
    region = parsing.region(typed)
    if region is None or name_key(region) not in book.places:
        return region
    return book.places[name_key(region)][1].label
