"""Effects: what befalls units, characters and sides for a while, set and cleared by hand, listed whoever set it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from sqlalchemy import Connection

from bot.cogs.battles import store
from bot.cogs.battles.embed import span
from bot.cogs.battles.store import EVENT, InForce
from bot.cogs.effects.embed import Lasting
from bot.core import entries, profiles, recent_names, state
from bot.core.campaigns import Campaign, current_update, open_campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.library import Library
from bot.core.name_warnings import unsaved
from bot.core.permissions import Person, require_game_master, sight
from bot.core.profiles import Profile, not_captive, profile
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.subjects import subject_key, unit
from bot.core.visibility import Viewer, require_part, viewer_of
from bot.errors import BadInput
from bot.ui import parsing
from rules.book import Effect
from rules.books.campaign.captivity import CAPTIVE, CRACKED
from rules.effects import EFFECT, PROFILE, is_current
from rules.errors import nearest

Until = Literal["update", "cleared"]

ENDS: Mapping[str, str] = {"hidden": "revealed"}
"""What an effect ends on its bearer: whoever hides anew is revealed no more."""

OWN_FIELDS = ("entry", "update", "name")
"""What every effect keeps; the rest, such as how badly somebody is injured, stays when it is set again."""


class Effects:
    """Sets, clears and lists effects."""

    def __init__(self, database: Database, library: Library, ledger: Ledger) -> None:
        self._database = database
        self._library = library
        self._ledger = ledger

    async def set(
        self, person: Person, campaign_id: int, who: str, effect: str, until: Until | None, note: str | None
    ) -> Entry:
        """Let an effect befall somebody; it ends by its own rule unless `until` says otherwise.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: the name or the note cannot be used, there is no such effect, it lasts like that already, or it is
                for captives only.
            NotOpen: the campaign is archived.

        """
        (asked,), told = parsing.names(who, "name", 1), parsing.text(note, "note")

        def work(tx: Connection) -> Entry:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "set effects")
            known = self._known(tx, campaign)
            wanted = _wanted(known, effect)
            update = current_update(tx, campaign.id)
            held = _held(tx, campaign, asked)
            name, bound = _called(held, asked), wanted.this_update if until is None else until == "update"
            _require_captive(held, wanted, name)
            changes = tuple(_befallen(held, name, wanted, update if bound else None, next_number(tx, campaign)))
            _require_new(changes[0], update["number"], f"{name}: {wanted.label.lower()}")
            body = {
                "deed": "set",
                "who": name,
                "label": wanted.label,
                "until": update["name"] if bound else None,
                "ended": [_label(known, item.name, item.before) for item in changes[1:]],
            }
            return self._enter(tx, campaign, person, EntryDraft("effect", "staff", body, changes, _note(told)))

        return await self._database.write(work)

    async def clear(self, person: Person, campaign_id: int, who: str, effect: str) -> Entry:
        """End an effect that holds on somebody, whatever set it.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: the name cannot be used, there is no such effect on it, or it is an event of a battle being fought.
            NotOpen: the campaign is archived.

        """
        (asked,) = parsing.names(who, "name", 1)

        def work(tx: Connection) -> Entry:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "clear effects")
            held = _held(tx, campaign, asked)
            update = current_update(tx, campaign.id)["number"]
            lasting = {
                name.removeprefix(EFFECT): value
                for (_, name), value in held.items()
                if name.startswith(EFFECT) and is_current(value, update)
            }
            known = self._known(tx, campaign)
            labels = {trait: _label(known, trait, value) for trait, value in lasting.items()}
            trait = _found(labels, effect)
            if trait is None:
                there = f"There: {', '.join(labels.values())}." if labels else "Nothing lasts there."
                raise BadInput(f"{_called(held, asked)} is under no effect {effect[:60]!r}.", there)
            _require_no_event(tx, campaign, (unit(asked), EFFECT + trait))
            change = Change(unit(asked), EFFECT + trait, lasting[trait], None)
            body = {"deed": "clear", "who": _called(held, asked), "label": labels[trait]}
            return self._enter(tx, campaign, person, EntryDraft("effect", "staff", body, (change,)))

        return await self._database.write(work)

    async def listed(self, person: Person, campaign: Campaign, who: str | None = None) -> list[Lasting]:
        """The effects that hold and that the person may know of, on everybody or on one, by bearer and age.

        Raises:
            NotAllowed: the person takes no part in the campaign.
            BadInput: the name cannot be used.

        """
        about = None if who is None else unit(parsing.names(who, "name", 1)[0])

        def work(tx: Connection) -> list[Lasting]:
            viewer = viewer_of(tx, person, campaign)
            require_part(viewer)
            return lasting(tx, viewer, self._known(tx, campaign), about)

        return await self._database.read(work)

    async def strange(self, person: Person, campaign: Campaign, who: str) -> tuple[str, ...]:
        """What is to be said of a name under which nothing is saved that the person may know of."""
        (asked,) = parsing.names(who, "name", 1)
        return await self._database.read(lambda tx: unsaved(tx, viewer_of(tx, person, campaign), asked))

    async def suggest(self, person: Person, campaign: Campaign, wanted: str) -> list[str]:
        """Names that an effect can befall and that the person may know of: saved ones by use, their sides, bearers."""

        def work(tx: Connection) -> list[str]:
            viewer = viewer_of(tx, person, campaign)
            known = [item for item in recent_names.by_use(tx, campaign.id) if viewer.know(item)]
            sides = sorted({item.side for item in known if item.side})
            bearers = sorted({str(value["name"]) for value in state.naming(tx, campaign.id, EFFECT).values()})
            every = [*(item.name for item in known), *sides, *(bearers if person.leads(campaign) else ())]
            found: dict[str, str] = {}
            for name in every:
                found.setdefault(subject_key(name), name)
            return [name for key, name in found.items() if subject_key(wanted) in key]

        return await self._database.read(work)

    async def known(self, campaign: Campaign) -> dict[str, Effect]:
        """The effects of all books that a campaign plays by, by trait."""
        return await self._database.read(lambda tx: self._known(tx, campaign))

    def _known(self, tx: Connection, campaign: Campaign) -> dict[str, Effect]:
        return self._library.effects(tx, campaign)

    def _enter(self, tx: Connection, campaign: Campaign, person: Person, draft: EntryDraft) -> Entry:
        return self._ledger.enter(tx, campaign, person.user_id, draft)


def lasting(tx: Connection, viewer: Viewer, known: Mapping[str, Effect], about: str | None = None) -> list[Lasting]:
    """The effects that hold and that the person may know of, on everybody or on one subject, by bearer and age."""
    campaign = viewer.campaign
    update = current_update(tx, campaign.id)
    every = (
        state.naming(tx, campaign.id, EFFECT) if about is None else state.beginning(tx, campaign.id, {about}, EFFECT)
    )
    held = {key: value for key, value in every.items() if is_current(value, update["number"])}
    found = [
        Lasting(
            value["name"],
            name.removeprefix(EFFECT),
            _label(known, name, value),
            value["entry"],
            update["name"] if "update" in value else None,
            span(InForce.of(value)) if name.startswith(EVENT) else None,
        )
        for name, value in _seen(tx, viewer, held, known)
    ]
    return sorted(found, key=lambda item: (subject_key(item.who), item.since, item.trait))


def _label(known: Mapping[str, Effect], name: str, value: Mapping[str, Any]) -> str:
    """What an effect is called: by its book, or by itself where it brings a label of its own."""
    trait = name.removeprefix(EFFECT)
    effect = known.get(trait)
    return effect.label if effect else str(value.get("label") or trait.replace("-", " ").capitalize())


def _held(tx: Connection, campaign: Campaign, name: str) -> State:
    """What the state keeps of somebody that effects look at, and all effects."""
    kept = state.named(tx, campaign.id, {unit(name)}, {PROFILE, CAPTIVE})
    return {**kept, **state.beginning(tx, campaign.id, {unit(name)}, EFFECT)}


def _called(held: State, name: str) -> str:
    """A name as it is saved, or as it stands in an effect, where it does."""
    saved = profile(held, name)
    borne = (str(value["name"]) for (_, key), value in held.items() if key.startswith(EFFECT))
    return saved.name if saved else next(borne, name)


def _note(note: str | None) -> dict[str, str]:
    return {"note": note} if note else {}


def _found(labels: Mapping[str, str], given: str) -> str | None:
    """The trait of an effect by its id or its label."""
    wanted = subject_key(given)
    by_label = (trait for trait, label in labels.items() if subject_key(label) == wanted)
    return wanted if wanted in labels else next(by_label, None)


def _wanted(known: Mapping[str, Effect], given: str) -> Effect:
    """An effect by its id or its label.

    Raises:
        BadInput: there is none.

    """
    labels = {trait: effect.label for trait, effect in known.items()}
    trait = _found(labels, given)
    if trait is None:
        close = nearest(given[:60], [*labels, *labels.values()])
        hint = f"Did you mean {close}?" if close else f"There are: {', '.join(labels.values())}."
        raise BadInput(f"There is no effect {given[:60]!r}.", hint)
    return known[trait]


def _require_captive(held: State, effect: Effect, name: str) -> None:
    """Whoever is no captive has not cracked, and would not stop to have cracked either (line 314)."""
    if EFFECT + effect.trait == CRACKED and (unit(name), CAPTIVE) not in held:
        raise BadInput(*not_captive(name))


def _require_no_event(tx: Connection, campaign: Campaign, key: tuple[str, str]) -> None:
    """Refuse what is an event of a battle that is being fought: its end takes a reason or a token, and is posted."""
    for battle in store.fought(tx, campaign.id):
        if any(item.key == key for item in battle.events):
            raise BadInput(f"That belongs to {battle.name}: end it with /events use, which tells everybody.")


def _befallen(held: State, name: str, effect: Effect, update: Mapping[str, Any] | None, entry: int) -> Iterator[Change]:
    """The effect as it lasts from this entry on, then what it ends."""
    subject = unit(name)
    before = held.get((subject, EFFECT + effect.trait))
    kept = {field: value for field, value in (before or {}).items() if field not in OWN_FIELDS}
    until = {} if update is None else {"update": update["number"]}
    yield Change(subject, EFFECT + effect.trait, before, {**kept, "entry": entry, **until, "name": name})
    ended = EFFECT + ENDS.get(effect.trait, "")
    if (subject, ended) in held:
        yield Change(subject, ended, held[subject, ended], None)


def _require_new(change: Change, update: int, what: str) -> None:
    """Refuse to set what lasts already and would end no other way."""
    before = change.before
    if before is not None and is_current(before, update) and before.get("update") == change.after.get("update"):
        raise BadInput(f"{what}, since entry #{before['entry']} already.", "End it with /effect clear.")


def _seen(
    tx: Connection, viewer: Viewer, held: State, known: Mapping[str, Effect]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Those of these effects that the person may know of, each with its name.

    Players know none that is secret or on somebody secret, and none of a roll whose result they may not know unless it
    is on a character of their own.
    """
    if viewer.person.leads(viewer.campaign):
        yield from ((name, value) for (_, name), value in held.items())
        return
    bearers = profiles.read(tx, viewer.campaign.id, {value["name"] for value in held.values()})
    made = entries.some(tx, viewer.campaign.id, {value["entry"] for value in held.values()})
    for (subject, name), value in held.items():
        effect, bearer = known.get(name.removeprefix(EFFECT)), bearers.get(subject)
        if (effect is not None and effect.secret) or (bearer is not None and not viewer.know(bearer)):
            continue
        if _is_own(viewer, bearer) or _told(viewer, made.get(value["entry"]), subject):
            yield name, value


def _is_own(viewer: Viewer, bearer: Profile | None) -> bool:
    return bearer is not None and viewer.own(bearer)


def _told(viewer: Viewer, entry: Entry | None, subject: str) -> bool:
    """Whether the person may know what an entry did to somebody."""
    if entry is None or entry.kind != "roll":
        return entry is not None and entry.kind == "effect"
    if entry.audience != "mixed":
        return entry.audience in sight(viewer.person, viewer.campaign, viewer.mine).audiences
    parts = [part for part in entry.content()["parts"] if part["audience"] == "results"]
    done = [item["to"] for part in parts for item in part["consequences"] if item["to"]]
    return subject in {unit(name) for name in done}
