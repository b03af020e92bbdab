"""Open, change, roll and cancel roll cards. The card is its row in the database; a message is one view of it."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, voiding
from bot.core.campaigns import Campaign
from bot.core.encoding import Json
from bot.core.permissions import (
    Person,
    find_unreadable,
    group_audience,
    is_group,
    name_group,
    name_if_current,
    require_game_master,
    require_leader_again,
)
from bot.core.subjects import list_cast
from bot.core.visibility import Viewer, make_player_viewer, make_viewer
from bot.errors import BadInput, NeedsReason, NotAllowed, NotAsItIs, NotOpen
from bot.rolls.card import store
from bot.rolls.card.store import (
    Card,
    CardKey,
    CardView,
    Changed,
    Doubt,
    Edit,
    Redirected,
    hides_place,
    knows_secrets,
    read_kept_dice,
    shown_key,
    snapshot_of,
)
from bot.rolls.cast import hide_names, identify, require_procedure, resolve_names
from bot.rolls.entry_body import send_secrets_to_staff
from bot.rolls.extension import RollExtension
from bot.rolls.request import RollRequest
from bot.rolls.resolver import Resolver, RollOrder
from bot.ui.text import listing, plain
from rules.ruleset import RuleSet

KEPT_REVISIONS = 10
MAX_LISTED = 25
SPENT_CARDS_STAY = timedelta(days=7)
"""How long after it was opened somebody who presses a card that was rolled is told by which entry."""


def read_request(tx: Connection, person: Person, key: CardKey) -> RollRequest:
    """Return what an open card asks for as it stands, for somebody who may use it."""
    return RollRequest.model_validate(_usable(tx, person, key)[1].request["now"])


def change(tx: Connection, resolver: Resolver, person: Person, key: CardKey, edit: Edit) -> CardView:
    """Change an open card. `edit` gets the request, its preview and what was ticked in the revision the person saw."""
    view = look(tx, resolver, person, key)
    seen = view.seen(key.revision)
    if seen is None:
        raise Changed(view)
    _require_group(tx, view)
    request = edit(view.request, view.preview, seen)
    request = request.model_copy(update={"led": request.led or view.secrets})
    _require_may(person, view.campaign, request, view.request)
    return _save(tx, resolver, person, view, request)


def recast(tx: Connection, resolver: Resolver, person: Person, key: CardKey, edit: Edit) -> CardView:
    """Put others into the roles of a part, on the card of a roll that is amended.

    Somebody secret comes into no result for others than the staff by that.
    """
    view = look(tx, resolver, person, key)
    seen = view.seen(key.revision)
    if view.card.revision != key.revision or seen is None or view.kept is None:
        raise Changed(view)
    asked = edit(view.request, view.preview, seen)
    parts = identify(tx, make_viewer(tx, person, view.campaign), asked.parts)
    request, cast = resolve_names(tx, view.campaign.id, asked.model_copy(update={"parts": parts}))
    shared = "auto" if request.to == "results" else "staff" if is_group(request.to) else None
    if shared and any(item.secret for item in list_cast(cast).values()):
        request = request.model_copy(update={"to": shared})
    preview = resolver.preview(tx, view.campaign, request, then=view.preview.then)
    return _save(tx, resolver, person, replace(view, request=request, preview=preview), request)


def reset(tx: Connection, resolver: Resolver, person: Person, key: CardKey) -> CardView:
    """Reset a card to how it was opened."""
    view = look(tx, resolver, person, key)
    if view.card.revision != key.revision:
        raise Changed(view)
    return _save(tx, resolver, person, view, RollRequest.model_validate(view.card.request["opened"]))


def correct_card(tx: Connection, resolver: Resolver, person: Person, key: CardKey) -> CardView:
    """Change a card to how it was probably meant, names included; what was changed since stays."""
    view = look(tx, resolver, person, key)
    if view.card.revision != key.revision or not view.meant:
        raise Changed(view)
    opened, meant = (RollRequest.model_validate(view.card.request[how]) for how in ("opened", "meant"))
    now = RollRequest.model_validate(view.card.request["now"])
    request = _correct(now, opened, meant)
    preview = resolver.preview(tx, view.campaign, request, _viewer(tx, person, view.campaign))
    record = view.card.request["meant"]
    card = replace(view.card, request={"opened": record, "now": request.model_dump(mode="json")})
    return _save(tx, resolver, person, replace(view, card=card, preview=preview), request)


def _correct(request: RollRequest, opened: RollRequest, meant: RollRequest) -> RollRequest:
    """Take names, modifiers and the region from how a request was meant; what was changed since it was opened stays."""
    parts = []
    for part, before, other in zip(request.parts, opened.parts, meant.parts, strict=True):
        changed = {key: count for key, count in part.marks.items() if before.marks.get(key) != count}
        update = {"subjects": other.subjects, "ids": other.ids, "marks": {**other.marks, **changed}}
        parts.append(part.model_copy(update=update))
    return request.model_copy(update={"parts": tuple(parts), "region": meant.region, "at_home": meant.at_home})


def cancel(tx: Connection, person: Person, key: CardKey) -> RollRequest:
    """Close a card without a roll, also one that could not be rolled any more; return what it asked for."""
    _, card = _usable(tx, person, key)
    store.save(tx, replace(card, state="cancelled"))
    return RollRequest.model_validate(card.request["now"])


def discard(tx: Connection, person: Person, campaign_id: int, newest: str) -> int:
    """Close the person's own cards without a roll, up to the newest that was seen (id); return how many."""
    campaign = campaigns.open_campaign(tx, campaigns.require_on_server(tx, person.guild_id, campaign_id).id)
    last = store.get(tx, campaign.id, newest)
    own = store.still_open(tx, campaign.id, person.user_id, MAX_LISTED)
    found = [card for card in own if last is not None and card.opened_at <= last.opened_at]
    if not found:
        raise NotOpen("Those cards are all closed.", "See /cards.")
    for card in found:
        store.save(tx, replace(card, state="cancelled"))
    return len(found)


def roll(tx: Connection, resolver: Resolver, person: Person, key: CardKey) -> object:
    """Roll a card, once, as long as it is still as the person saw it; where others are asked first, return the roll that waits for them.

    Raises:
        NotOpen, NotAllowed, NeedsReason: it cannot be rolled now, by this person, or without a reason.

    """
    view = look(tx, resolver, person, key)
    _require_group(tx, view)
    viewer = make_viewer(tx, person, view.campaign)
    if view.request.task is not None:  # what changed on the card matters no more where its orders are settled
        resolver.require_able(tx, viewer, view.preview)
    if view.request.to == "me":
        require_game_master(person, view.campaign, "keep a result private")
    if view.card.revision != key.revision or view.seen(key.revision) != snapshot_of(view.preview):
        raise Changed(view)
    if view.preview.asks_reason and not view.request.reason:
        require_leader_again(person, view.campaign)
        raise NeedsReason(view.preview.asks_reason, "Press Roll again to give your reason.")
    _require_picked(view)
    with resolver.in_past(tx, view.campaign, view.preview.then):
        resolver.require_able(tx, viewer, view.preview)
    for rule in _rules(resolver, view).asks:
        waiting = rule(tx, resolver, person, view.campaign, view.request)
        if waiting is not None:
            store.save(tx, replace(view.card, state="cancelled"))
            return waiting
    order = RollOrder(
        key.campaign_id,
        person.user_id,
        view.request,
        secrets=view.secrets,
        preview=view.preview,
        actor=viewer.mine,
        interaction=person.interaction,
    )
    rolled = resolver.roll(tx, order)
    store.save(tx, replace(view.card, state="rolled", entry_number=rolled.entry.number))
    return rolled


def redraw(tx: Connection, resolver: Resolver, person: Person, key: CardKey) -> CardView:
    """Return a card under a new revision that counts as shown."""
    view = look(tx, resolver, person, key)
    return _save(tx, resolver, person, view, view.request)


def still_open(tx: Connection, person: Person, campaign: Campaign) -> list[tuple[Card, RollRequest]]:
    """Return the open cards that the person may use, newest first: their own, and for a game master all of the campaign."""
    viewer = _viewer(tx, person, campaign)
    cards = store.still_open(tx, campaign.id, None if viewer is None else person.user_id, MAX_LISTED)
    asked = ((card, RollRequest.model_validate(card.request["now"])) for card in cards)
    return [
        (card, request if viewer is None else hide_names(*resolve_names(tx, campaign.id, request), viewer))
        for card, request in asked
        if _may_see(tx, person, campaign, request)
    ]


def _may_see(tx: Connection, person: Person, campaign: Campaign, request: RollRequest) -> bool:
    with suppress(BadInput, NotAllowed, NotOpen):
        _require_reader(tx, person, campaign, request)
        return True
    return False


def _require_reader(tx: Connection, person: Person, campaign: Campaign, request: RollRequest) -> None:
    """Refuse a card to whoever may not amend the roll that it amends, or not roll the orders that it carries out."""
    if request.amends:
        voiding.find_standing_entry(tx, person, campaign, request.amends.number, "amend rolls")
    if request.task:
        require_game_master(person, campaign, "roll what was ordered")


def open_card(  # noqa: PLR0913, PLR0917 - who asks for what, and how it was meant
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign: Campaign,
    request: RollRequest,
    doubt: Doubt | None = None,
    *,
    book: RuleSet | None = None,
    viewer: Viewer | None = None,
) -> CardView:
    """Open a card for a request, in a campaign that is open and locked; it keeps what is probably a slip, and how that was meant.

    `book` is as `Resolver.preview` has it. With a `viewer` it is opened unless that one may know that somebody cannot take part.
    """
    _require_may(person, campaign, request, RollRequest(book="", family="", parts=()))
    preview = resolver.preview(tx, campaign, request, _viewer(tx, person, campaign), book=book)
    require_procedure(person, campaign, preview.procedure)
    if viewer is not None:
        resolver.require_able(tx, viewer, preview)
    card = Card(
        id=resolver.ledger.random_id(6),
        campaign_id=campaign.id,
        owner_id=person.user_id,
        request={"opened": (record := request.model_dump(mode="json")), "now": record}
        | (doubt.record() if doubt else {}),
        revision=1,
        shown={},
        state="open",
        entry_number=None,
        opened_at=resolver.ledger.now(),
    )
    view = CardView(card, campaign, request, preview, person.leads(campaign), read_kept_dice(tx, campaign, preview))
    told = {"group": _group(tx, person, view), "ahead": _ahead(tx, resolver, view)}
    view = replace(view, card=replace(card, shown=_shown(tx, resolver, view)), **told)
    store.clear(tx, campaign.id, card.opened_at - SPENT_CARDS_STAY)
    store.add(tx, view.card)
    return view


def look(tx: Connection, resolver: Resolver, person: Person, key: CardKey) -> CardView:
    """Return an open card, for a person who may use it, in a write transaction: an amended roll is seen in the state before it."""
    campaign, card = _usable(tx, person, key)
    request = RollRequest.model_validate(card.request["now"])
    _require_reader(tx, person, campaign, request)
    preview = resolver.preview(tx, campaign, request, _viewer(tx, person, campaign))
    require_procedure(person, campaign, preview.procedure)
    view = CardView(
        card, campaign, preview.request, preview, person.leads(campaign), read_kept_dice(tx, campaign, preview)
    )
    return replace(view, ahead=_ahead(tx, resolver, view))


def _ahead(tx: Connection, resolver: Resolver, view: CardView) -> list[str]:
    """Return in sentences what a game master has to do before the orders of a card."""
    task, preview = view.request.task, view.preview
    if task is None or not view.secrets:
        return []
    asked = (view.campaign, preview.book, preview.moment, task)
    return [line for rule in _rules(resolver, view).ahead for line in rule(tx, *asked)]


def _rules(resolver: Resolver, view: CardView) -> RollExtension[Resolver]:
    return resolver.extension.of(view.campaign, view.preview.book.id, view.preview.procedure.family)


def _group(tx: Connection, person: Person, view: CardView) -> str:
    """Return the name of the group to which alone a result goes, where the person may know of it."""
    secret = {0} if view.secrets and any(item.secret for item in list_cast(view.preview.cast).values()) else ()
    to = send_secrets_to_staff(view.request, secret).to
    if not is_group(to) or not (
        view.secrets or to in map(group_audience, make_viewer(tx, person, view.campaign).groups)
    ):
        return ""
    return name_if_current(tx, view.campaign.id, to)


def _require_picked(view: CardView) -> None:
    open_parts = [item.part.key for place, item in enumerate(view.preview.parts) if view.unpicked(place)]
    if open_parts:
        label = view.preview.procedure.choices[0].label
        raise NotAsItIs(f"{label} isn't set: {listing(open_parts)}.", "Pick it on the card, then roll.")


def _require_group(tx: Connection, view: CardView) -> None:
    """Refuse where the group to which alone a result was to go was removed; its name is told to game masters."""
    to = RollRequest.model_validate(view.card.request["now"]).to
    if view.request.to != to:
        raise Redirected(view, plain(name_group(tx, view.campaign.id, to)) if view.secrets else "")


def _viewer(tx: Connection, person: Person, campaign: Campaign) -> Viewer | None:
    """Return a player as a viewer of a roll; None for a game master, who sees all of it."""
    return None if person.leads(campaign) else make_viewer(tx, person, campaign)


def _save(tx: Connection, resolver: Resolver, person: Person, view: CardView, request: RollRequest) -> CardView:
    revision = view.card.revision + 1
    snapshots = {
        key: snapshot for key, snapshot in view.card.shown.items() if int(key.split()[1]) > revision - KEPT_REVISIONS
    }
    card = replace(view.card, request={**view.card.request, "now": request.model_dump(mode="json")}, revision=revision)
    preview = view.preview.revised(request)
    kept = read_kept_dice(tx, view.campaign, preview)
    after = replace(view, card=card, request=request, preview=preview, kept=kept)
    shown = {**snapshots, **_shown(tx, resolver, after)}
    after = replace(after, card=replace(card, shown=shown), group=_group(tx, person, after))
    store.save(tx, after.card)
    return after


def _shown(tx: Connection, resolver: Resolver, view: CardView) -> dict[str, Json]:
    """Return what the card's revision shows to game masters and to players, whose ticks leave secrets out."""
    own = other = snapshot_of(view.preview).value()
    if not view.secrets or knows_secrets(view.preview) or hides_place(view.preview):
        owner = make_player_viewer(view.campaign, entries.find_pseudonym(tx, view.campaign.id, view.card.owner_id))
        viewer = owner if view.secrets else None
        other = snapshot_of(resolver.preview(tx, view.campaign, view.request, viewer, view.preview.then)).value()
    revision = view.card.revision
    return {shown_key(revision, secrets=view.secrets): own, shown_key(revision, secrets=not view.secrets): other}


def _usable(tx: Connection, person: Person, key: CardKey) -> tuple[Campaign, Card]:
    """Return a card that is still open, and its campaign, to somebody who may use it."""
    campaign = campaigns.get_campaign(tx, key.campaign_id, lock=True)
    card = store.get(tx, key.campaign_id, key.card_id)
    if campaign is None or card is None or campaign.guild_id != person.guild_id:
        raise NotOpen("That card no longer exists.", "Start again with the roll's command.")
    if card.owner_id != person.user_id and not person.leads(campaign):
        raise NotAllowed("That card isn't yours.", "Open one of your own with the roll's command.")
    _require_open(tx, person, card, campaign)
    return campaign, card


def _require_may(person: Person, campaign: Campaign, request: RollRequest, before: RollRequest) -> None:
    """Refuse a player's change of what only game masters set; what a game master has set may stay."""
    if _reserved(request) != _reserved(before):
        require_game_master(person, campaign, "adjust a roll, choose where its result goes, or roll again")


def _reserved(request: RollRequest) -> tuple[object, ...]:
    """Return what only game masters set on a request."""
    return request.to, request.reason, tuple(item for part in request.parts for item in part.adjustments)


def _require_open(tx: Connection, person: Person, card: Card, campaign: Campaign) -> None:
    if card.state == "rolled":
        number = card.entry_number or 0
        if find_unreadable(tx, person, campaign, entries.find_pseudonym(tx, campaign.id, person.user_id), {number}):
            raise NotOpen("This card has been rolled already.", "The game masters have the result.")
        raise NotOpen(f"This card has been rolled already: entry #{card.entry_number}.", "See it with /ledger show.")
    if card.state == "cancelled":
        raise NotOpen("This card was cancelled.", "Start again with the roll's command.")
    if campaign.archived_at is not None:
        raise NotAsItIs(
            f"{campaign.name} is archived.", "A server manager can reopen it with /campaign archive restore:True."
        )
