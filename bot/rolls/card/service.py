"""Open, change, roll and cancel roll cards. A card is its row; a message is a view of it."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from msgspec import convert, to_builtins
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, permissions, records, subjects, transactions, voiding
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NeedsReason, NotAllowed, NotAsItIs, NotOpen
from bot.core.permissions import Person
from bot.core.visibility import Viewer, make_player_viewer, make_viewer
from bot.rolls.card import store
from bot.rolls.card.store import CardView
from bot.rolls.preview import KeptPreview, hide_names, identify, require_procedure, resolve_names, send_secrets_to_staff
from bot.rolls.request import RollRequest
from bot.rolls.resolver import Resolver, RollOrder
from bot.ui.text import join_words, plain
from rules.ruleset import RuleSet

KEPT_REVISIONS = 10
MAX_LISTED = 25


def change(tx: Connection, resolver: Resolver, person: Person, key: store.CardKey, edit: store.Edit) -> CardView:
    """Change an open card with `edit`, which gets the request, its preview and what the person saw."""
    view = read_card(tx, resolver, person, key, again=True)
    seen = view.find_snapshot(key.revision)
    if seen is None:
        raise store.CardChanged(view)
    _require_group(tx, view)
    request = edit(view.request, view.preview, seen)
    request = replace(request, led=request.led or view.secrets)
    _require_may(person, view.campaign, request, view.request)
    return _save(tx, resolver, person, view, request)


def recast(tx: Connection, resolver: Resolver, person: Person, key: store.CardKey, edit: store.Edit) -> CardView:
    """Change who is in a part of an amended roll. A result with someone secret goes to the staff."""
    view = read_card(tx, resolver, person, key)
    seen = view.find_snapshot(key.revision)
    if view.card.revision != key.revision or seen is None or view.kept is None:
        raise store.CardChanged(view)
    asked = edit(view.request, view.preview, seen)
    parts = identify(tx, make_viewer(tx, person, view.campaign), asked.parts)
    request, cast = resolve_names(tx, view.campaign.id, replace(asked, parts=parts))
    shared = "auto" if request.to == "results" else "staff" if permissions.is_group(request.to) else None
    if shared and any(item.secret for item in subjects.list_cast(cast).values()):
        request = replace(request, to=shared)
    preview = resolver.preview(tx, view.campaign, request, then=view.preview.then)
    return _save(tx, resolver, person, replace(view, request=request, preview=preview), request)


def reset(tx: Connection, resolver: Resolver, person: Person, key: store.CardKey) -> CardView:
    """Reset a card to how it was opened."""
    view = read_card(tx, resolver, person, key)
    if view.card.revision != key.revision:
        raise store.CardChanged(view)
    return _save(tx, resolver, person, view, convert(view.card.request["opened"], RollRequest))


def correct_card(tx: Connection, resolver: Resolver, person: Person, key: store.CardKey) -> CardView:
    """Change a card to the suggestion for its slips. Later ticks stay."""
    view = read_card(tx, resolver, person, key)
    if view.card.revision != key.revision or not view.has_meant:
        raise store.CardChanged(view)
    opened, meant = (convert(view.card.request[how], RollRequest) for how in ("opened", "meant"))
    now = convert(view.card.request["now"], RollRequest)
    parts = []
    for part, before, other in zip(now.parts, opened.parts, meant.parts, strict=True):
        changed = {name: count for name, count in part.marks.items() if before.marks.get(name) != count}
        update = {"subjects": other.subjects, "ids": other.ids, "marks": {**other.marks, **changed}}
        parts.append(replace(part, **update))
    request = replace(now, parts=tuple(parts), region=meant.region, at_home=meant.at_home)
    preview = resolver.preview(tx, view.campaign, request, _viewer(tx, person, view.campaign))
    record = view.card.request["meant"]
    card = replace(view.card, request={"opened": record, "now": to_builtins(request)})
    return _save(tx, resolver, person, replace(view, card=card, preview=preview), request)


def cancel(tx: Connection, person: Person, key: store.CardKey) -> RollRequest:
    """Close a card, even one that can't be rolled; return its request."""
    _, card = _find_usable(tx, person, key)
    store.save(tx, replace(card, state="cancelled"))
    return convert(card.request["now"], RollRequest)


def discard(tx: Connection, person: Person, campaign_id: int, newest: str) -> int:
    """Close the person's cards up to the `newest` (id) they saw; return how many."""
    campaign = campaigns.open_campaign(tx, campaigns.require_on_server(tx, person.guild_id, campaign_id).id)
    last = store.get(tx, campaign.id, newest)
    own = store.list_open_cards(tx, campaign.id, person.user_id, MAX_LISTED)
    found = [card for card in own if last is not None and card.opened_at <= last.opened_at]
    if not found:
        raise NotOpen("Those cards are all closed.", "See /help.")
    for card in found:
        store.save(tx, replace(card, state="cancelled"))
    return len(found)


def roll(tx: Connection, resolver: Resolver, person: Person, key: store.CardKey) -> object:
    """Roll a card once, as the person saw it. Return the RollResult, or the PendingRoll that waits for others."""
    view = read_card(tx, resolver, person, key)
    _require_group(tx, view)
    viewer = make_viewer(tx, person, view.campaign)
    if view.request.task is not None:  # what changed on the card matters no more where its orders are settled
        resolver.require_able(tx, viewer, view.preview)
    if view.request.to == "me":
        permissions.require_game_master(person, view.campaign, "keep a result private")
    if view.card.revision != key.revision or view.find_snapshot(key.revision) != store.snapshot_of(view.preview):
        raise store.CardChanged(view)
    if view.preview.asks_reason and not view.request.reason:
        permissions.require_leader_again(person, view.campaign)
        raise NeedsReason(view.preview.asks_reason, "Press Roll again to give your reason.")
    unset = [item.part.key for place, item in enumerate(view.preview.parts) if view.open_choices(place)]
    if unset:
        label = view.preview.procedure.choices[0].label
        raise NotAsItIs(f"{label} isn't set: {join_words(unset)}.", "Pick it on the card, then roll.")
    with resolver.in_past(tx, view.campaign, view.preview.then):
        resolver.require_able(tx, viewer, view.preview)
    how = resolver.extension.find_answering(view.request)
    waiting = how.ask(tx, resolver, person, view.campaign, view.request) if how and how.ask else None
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


def roll_or_amend(
    tx: Connection, resolver: Resolver, person: Person, key: store.CardKey, amend: Callable[..., object]
) -> object:
    """Roll a card, or let `amend` do it if it amends an entry."""
    amends = convert(_find_usable(tx, person, key)[1].request["now"], RollRequest).amends
    return roll(tx, resolver, person, key) if amends is None else amend(tx, resolver, person, key, amends)


def redraw(tx: Connection, resolver: Resolver, person: Person, key: store.CardKey) -> CardView:
    """Return a card under a new revision that counts as shown."""
    view = read_card(tx, resolver, person, key)
    return _save(tx, resolver, person, view, view.request)


def list_open(tx: Connection, person: Person, campaign: Campaign) -> list[tuple[store.Card, RollRequest]]:
    """Return at most 25 open cards that the person may use, with requests, newest first."""
    viewer = _viewer(tx, person, campaign)
    cards = store.list_open_cards(tx, campaign.id, None if viewer is None else person.user_id, MAX_LISTED)
    asked = ((card, convert(card.request["now"], RollRequest)) for card in cards)
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
    if request.amends:
        voiding.find_valid_entry(tx, person, campaign, request.amends.number, "amend rolls")
    if request.task:
        permissions.require_game_master(person, campaign, "roll what was ordered")


def open_card(  # noqa: PLR0913, PLR0917 - who asks for what, and how it was meant
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign: Campaign,
    request: RollRequest,
    doubt: store.Doubt | None = None,
    *,
    book: RuleSet | None = None,
    viewer: Viewer | None = None,
) -> CardView:
    """Open a card, in a campaign that is open and locked. Refuse what the `viewer` knows can't take part."""
    _require_may(person, campaign, request, RollRequest(book="", family="", parts=()))
    preview = resolver.preview(tx, campaign, request, _viewer(tx, person, campaign), book=book)
    require_procedure(person, campaign, preview.procedure)
    if viewer is not None:
        resolver.require_able(tx, viewer, preview)
    card = store.Card(
        id=resolver.ledger.random_id(6),
        campaign_id=campaign.id,
        owner_id=person.user_id,
        request={"opened": (record := to_builtins(request)), "now": record} | (doubt.record() if doubt else {}),
        revision=1,
        shown={},
        state="open",
        entry_number=None,
        opened_at=resolver.ledger.now(),
        bars=campaigns.read_preferences(tx, campaign.id, person.user_id).bars,
    )
    kept = store.read_kept_dice(tx, campaign, preview)
    view = CardView(card, campaign, request, preview, person.leads(campaign), kept)
    extras = {"group": _name_group(tx, person, view), "ahead": _list_ahead(tx, resolver, view)}
    view = replace(view, card=replace(card, shown=_make_snapshots(tx, resolver, view)), **extras)
    store.add(tx, view.card)
    return view


def read_card(
    tx: Connection, resolver: Resolver, person: Person, key: store.CardKey, *, again: bool = False
) -> CardView:
    """Return an open card as the person sees it. Needs a write transaction: amended rolls are seen in an old state.

    `again` takes a game master's preview of seconds ago, if nothing has been entered since.
    """
    campaign, card = _find_usable(tx, person, key)
    request = convert(card.request["now"], RollRequest)
    _require_reader(tx, person, campaign, request)
    viewer = _viewer(tx, person, campaign)
    earlier = resolver.kept_previews.get((campaign.id, card.id)) if again and viewer is None else None
    preview = earlier and earlier.find(campaign, card.revision, card.head, resolver.ledger.now())
    preview = preview or resolver.preview(tx, campaign, request, viewer)
    require_procedure(person, campaign, preview.procedure)
    kept = store.read_kept_dice(tx, campaign, preview)
    view = CardView(card, campaign, preview.request, preview, person.leads(campaign), kept)
    return replace(view, ahead=_list_ahead(tx, resolver, view))


def _list_ahead(tx: Connection, resolver: Resolver, view: CardView) -> list[str]:
    task, preview = view.request.task, view.preview
    if task is None or not view.secrets:
        return []
    asked = (view.campaign, preview.book, preview.moment, task)
    mine = resolver.extension.of(view.campaign, preview.book.id, preview.procedure.family, task=True)
    return [line for rule in mine.ahead for line in rule(tx, *asked)]


def _name_group(tx: Connection, person: Person, view: CardView) -> str:
    secret = {0} if view.secrets and any(item.secret for item in subjects.list_cast(view.preview.cast).values()) else ()
    to = send_secrets_to_staff(view.request, secret).to
    if not permissions.is_group(to) or not (
        view.secrets or to in map(permissions.group_audience, make_viewer(tx, person, view.campaign).groups)
    ):
        return ""
    return permissions.name_if_current(tx, view.campaign.id, to)


def _require_group(tx: Connection, view: CardView) -> None:
    to = convert(view.card.request["now"], RollRequest).to
    if view.request.to != to:
        raise store.GroupRemoved(view, plain(permissions.name_group(tx, view.campaign.id, to)) if view.secrets else "")


def _viewer(tx: Connection, person: Person, campaign: Campaign) -> Viewer | None:
    return None if person.leads(campaign) else make_viewer(tx, person, campaign)


def _save(tx: Connection, resolver: Resolver, person: Person, view: CardView, request: RollRequest) -> CardView:
    revision = view.card.revision + 1
    recent = {key: value for key, value in view.card.shown.items() if int(key.split()[1]) > revision - KEPT_REVISIONS}
    card = replace(view.card, request={**view.card.request, "now": to_builtins(request)}, revision=revision)
    preview = view.preview.revise(request)
    kept = store.read_kept_dice(tx, view.campaign, preview)
    after = replace(view, card=card, request=request, preview=preview, kept=kept)
    shown = {**recent, **_make_snapshots(tx, resolver, after)}
    after = replace(after, card=replace(card, shown=shown), group=_name_group(tx, person, after))
    store.save(tx, after.card)
    if view.secrets and not request.amends:
        new = KeptPreview(revision, view.card.head, preview)
        transactions.do_after_commit(tx, partial(resolver.keep_preview, (view.campaign.id, card.id), new))
    return after


def _make_snapshots(tx: Connection, resolver: Resolver, view: CardView) -> dict[str, records.Json]:
    own = other = to_builtins(store.snapshot_of(view.preview))
    if not view.secrets or store.knows_secrets(view.preview):
        owner = make_player_viewer(view.campaign, campaigns.find_pseudonym(tx, view.campaign.id, view.card.owner_id))
        viewer = owner if view.secrets else None
        seen = resolver.preview(tx, view.campaign, view.request, viewer, view.preview.then)
        other = to_builtins(store.snapshot_of(seen))
    revision = view.card.revision
    return {
        store.snapshot_key(revision, secrets=view.secrets): own,
        store.snapshot_key(revision, secrets=not view.secrets): other,
    }


def _find_usable(tx: Connection, person: Person, key: store.CardKey) -> tuple[Campaign, store.Card]:
    campaign = campaigns.get_campaign(tx, key.campaign_id, lock=True)
    card = store.get(tx, key.campaign_id, key.card_id)
    if campaign is None or card is None or campaign.guild_id != person.guild_id:
        raise NotOpen("That card no longer exists.", "Start again with the roll's command.")
    if card.owner_id != person.user_id and not person.leads(campaign):
        raise NotAllowed("That card isn't yours.", "Open one of your own with the roll's command.")
    _require_open(tx, person, card, campaign)
    return campaign, card


def _require_may(person: Person, campaign: Campaign, request: RollRequest, before: RollRequest) -> None:
    if _list_reserved(request) != _list_reserved(before):
        permissions.require_game_master(person, campaign, "adjust a roll, choose where its result goes, or roll again")


def _list_reserved(request: RollRequest) -> tuple[object, ...]:
    return request.to, request.reason, tuple(item for part in request.parts for item in part.adjustments)


def _require_open(tx: Connection, person: Person, card: store.Card, campaign: Campaign) -> None:
    if card.state == "rolled":
        number = card.entry_number or 0
        if permissions.find_unreadable(
            tx, person, campaign, campaigns.find_pseudonym(tx, campaign.id, person.user_id), {number}
        ):
            raise NotOpen("This card has been rolled already.", "The game masters have the result.")
        raise NotOpen(f"This card has been rolled already: entry #{card.entry_number}.", "See it with /ledger.")
    if card.state == "cancelled":
        raise NotOpen("This card was cancelled.", "Start again with the roll's command.")
    if campaign.archived_at is not None:
        do = "A server manager can reopen it with /campaign archive restore:True."
        raise NotAsItIs(f"{campaign.name} is archived.", do)
