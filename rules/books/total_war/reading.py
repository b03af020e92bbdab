"""Orders of a war as people type them, made into deeds: who, to what, with what."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from rules.books.total_war import deeds, order_kinds
from rules.books.total_war.catalog import Item, PanelKind
from rules.books.total_war.deeds import AnyDeed
from rules.books.total_war.joining import rank_named
from rules.books.total_war.makers import made_by, useful
from rules.books.total_war.names_read import NUMBER, counted, is_said, named, one_of, required, whole
from rules.books.total_war.refusal import Refused
from rules.books.total_war.rogues import require_colony
from rules.books.total_war.routes import panel_of, route
from rules.books.total_war.war import Rules, War, faction_named
from rules.geometry.hexes import Hex, bearing
from rules.phrases import inside, known_list
from rules.subjects import name_key


class Words(Struct, frozen=True):
    """An order as typed: its kind, who carries it out, to and with what, and who gives it (None for a game master).

    Whoever is not named is the giver, or the giver's faction.
    """

    kind: str
    who: str | None = None
    to: str | None = None
    besides: str | None = None
    actor: str | None = None


def deed_of(rules: Rules, war: War, words: Words) -> AnyDeed:
    """Return the deed that an order asks for; whether it is possible is another question.

    Raises:
        Refused: something in it cannot be read; it says what could stand there.

    """
    made = _KINDS.get(words.kind)
    if made is None:
        raise Refused("E_NO_TARGET", f"{words.kind!r} isn't an order{known_list(_KINDS)}.")
    return made(rules, war, words)


def onward(war: War, pledge: deeds.Follow) -> deeds.Move | None:
    """Return the order by which a squadron goes on after a fleet has taken it along; None where it stays."""
    force = war.force(pledge.who)
    if pledge.after is None:
        return None
    if not force.tagged:
        raise Refused("E_NO_MOVE", f"{pledge.fleet} didn't take {force.name} along. It is still on {force.at}.")
    way = bearing(force.at, pledge.after)
    if way is None or force.at.step(way) != pledge.after:
        raise Refused("E_TOO_FAR", f"{pledge.after} isn't next to {force.at}, where the ride leaves {force.name}.")
    return deeds.Move(actor=pledge.actor, who=force.name, path=(way,))


def _move(rules: Rules, war: War, words: Words) -> AnyDeed:
    who = _force(war, words.who)
    return deeds.Move(
        actor=words.actor, who=who, path=route(rules, war, who, required(words.to, "where it goes, such as 4,-1"))
    )


def _follow(_rules: Rules, war: War, words: Words) -> AnyDeed:
    who, fleet = _force(war, words.who), _force(war, words.to)
    after = None if not is_said(words.besides) else panel_of(war, words.besides or "")
    return deeds.Follow(actor=words.actor, who=who, fleet=fleet, after=after)


def _build(rules: Rules, war: War, words: Words) -> AnyDeed:
    items, at = [item for item in rules.scenario.items.values() if item.on], _panel(war, words)
    fit = [item.id for item in items if war.panels[at].kind in item.on and not rules.is_garrison(item.id)]
    item = one_of([item.id for item in items], words.besides, "an item", _labels(rules), fit or None)
    return deeds.Build(actor=words.actor, faction=_faction(war, words), item=item, at=at)


def _garrison(rules: Rules, war: War, words: Words) -> AnyDeed:
    """Read what is added to a garrison: the item may be left out, since each kind of panel has one, or a model be named for it; as may the number."""
    at, faction = _panel(war, words), _faction(war, words)
    items = [item for item in rules.scenario.items.values() if rules.is_garrison(item.id)]
    fit = next((item.id for item in items if war.panels[at].kind in item.on), None)
    given = order_kinds.bare(words.besides or "")
    digits = NUMBER.fullmatch(given)
    if fit is not None and (digits is not None or not given):
        number = whole(digits[1], _labels(rules).get(fit, fit)) if digits else 1
        return deeds.Build(actor=words.actor, faction=faction, item=fit, at=at, number=number)
    if fit is None and (digits is not None or not given):
        kinds, here = sorted({kind for item in items for kind in item.on}), inside(rules.kind(war.panels[at]).label)
        called = " or ".join(inside(rules.terms.of(PanelKind, kind).label) for kind in kinds)
        raise Refused("E_WRONG_PANEL", f"{at} ({here}) can't have a garrison, only a {called} can.")
    models = rules.scenario.units if fit is not None else ()
    offered = None if fit is None else [fit, *made_by(rules, war, faction)]
    known = [*(item.id for item in items), *models]
    named, number = counted(known, given, "an item or a model", _labels(rules), offered)
    model = named if named in models else None
    item = named if model is None or fit is None else fit
    return deeds.Build(actor=words.actor, faction=faction, item=item, at=at, number=number, model=model)


def _buy(rules: Rules, war: War, words: Words) -> AnyDeed:
    at, faction = _panel(war, words), _faction(war, words)
    model, number = counted([*rules.scenario.units], words.besides, "a model", offered=[*made_by(rules, war, faction)])
    return deeds.Buy(actor=words.actor, faction=faction, model=model, at=at, number=number)


def _research(rules: Rules, war: War, words: Words) -> AnyDeed:
    faction = _faction(war, words)
    models = [item.id for item in rules.scenario.items.values() if not item.on]
    given = words.besides if is_said(words.besides) else words.to
    model = one_of(models, given, "a model to research", offered=[*useful(rules, war, faction, models)])
    return deeds.Research(actor=words.actor, faction=faction, model=model)


def _promote(rules: Rules, war: War, words: Words) -> AnyDeed:
    player = one_of(war.players, words.who, "a player")
    rank = one_of([item.name for item in rules.scenario.ranks], words.to, "a rank")
    return deeds.Promote(actor=words.actor, player=player, rank=rank_named(rules.scenario, rank).name)


def _assign(_rules: Rules, war: War, words: Words) -> AnyDeed:
    return deeds.Assign(actor=words.actor, who=_force(war, words.who), player=one_of(war.players, words.to, "a player"))


def _delegate(_rules: Rules, war: War, words: Words) -> AnyDeed:
    back = name_key(words.to or "") in {order_kinds.NOBODY, "nobody"}  # orders have stored both
    player = None if back else one_of(war.players, words.to, f"a player or {order_kinds.NOBODY}")
    return deeds.Delegate(actor=words.actor, faction=_faction(war, words), player=player)


def _allot(rules: Rules, war: War, words: Words) -> AnyDeed:
    """Read which units a force gets and how many, in any order."""
    given = " ".join(order_kinds.bare(text) for text in (words.to, words.besides) if text)
    model, number = counted([*rules.scenario.units], given, "a model")
    return deeds.Allot(actor=words.actor, who=_force(war, words.who), model=model, number=number)


def _rogue(_rules: Rules, war: War, words: Words) -> AnyDeed:
    return deeds.Rogue(actor=words.actor, player=_self(war, words))


def _found(rules: Rules, war: War, words: Words) -> AnyDeed:
    player = named([*war.players], (words.who if is_said(words.who) else words.actor) or "")
    if player is not None and (is_said(words.who) or war.players[player].faction is None):
        require_colony(rules.terms, None, player)
    name = required(words.to, "the name of the faction")
    colour = required(words.besides, "its colour, such as #2e7d32")
    return deeds.Found(actor=words.actor, faction=_faction(war, words), name=name, colour=colour)


def _petition(_rules: Rules, war: War, words: Words) -> AnyDeed:
    return deeds.Petition(actor=words.actor, player=_self(war, words), faction=_side(war, words.to))


def _answer(_rules: Rules, war: War, words: Words) -> AnyDeed:
    """Read an answer: whether the war ends, or whether a lone rogue who has asked is taken in."""
    said = "" if is_said(words.besides) else name_key(words.to or "")
    if said == order_kinds.END:
        return deeds.Answer(actor=words.actor, faction=_faction(war, words), answer="end")
    if said == order_kinds.ON:
        return deeds.Answer(actor=words.actor, faction=_faction(war, words), answer="on")
    player = _asking(war, words)
    takes = one_of([order_kinds.YES, order_kinds.NO], words.besides, "yes or no")
    return deeds.Admit(actor=words.actor, player=player, takes=takes == order_kinds.YES)


def _asking(war: War, words: Words) -> str:
    """Return the player whom an answer is for: anybody, for a request may be resolved first; told are those who have asked."""
    player = war.players.get(words.actor or "")
    own = player.faction if player else None
    side = _side(war, words.who) if is_said(words.who) else own
    everyone = words.actor is None and side is None
    asking = [name for name, item in war.players.items() if item.petition and (everyone or item.petition == side)]
    what = "end, on, or a player who has asked"
    return one_of(war.players, words.to, what, offered=asking)


def _panel(war: War, words: Words) -> Hex:
    return panel_of(war, required(words.to, "on which panel, such as 4,-1"))


def _labels(rules: Rules) -> dict[str, str]:
    return {name: item.label for name, item in rules.terms.book.listed(Item).items()}


def _force(war: War, text: str | None) -> str:
    return one_of(war.forces, text, "a force")


def _side(war: War, text: str | None) -> str:
    """Return the faction that is meant, by its id or its name."""
    written = None if text is None else faction_named(war, text)
    return one_of(war.factions, written, "a faction", {name: side.name for name, side in war.factions.items()})


def _faction(war: War, words: Words) -> str:
    """Return the faction that orders: the one named, else that of the giver."""
    if is_said(words.who):
        return _side(war, words.who)
    player = war.players.get(words.actor or "")
    if player is None or player.faction is None:
        known = known_list(side.name for side in war.factions.values())
        raise Refused("E_NO_TARGET", f"Say which faction{known}.")
    return player.faction


def _self(war: War, words: Words) -> str:
    return one_of(war.players, words.who if is_said(words.who) else words.actor, "a player")


_KINDS: Mapping[str, Callable[[Rules, War, Words], AnyDeed]] = {
    order_kinds.MOVE: _move,
    order_kinds.FOLLOW: _follow,
    order_kinds.BUILD: _build,
    order_kinds.BUY: _buy,
    order_kinds.RESEARCH: _research,
    order_kinds.GARRISON: _garrison,
    order_kinds.PROMOTE: _promote,
    order_kinds.ASSIGN: _assign,
    order_kinds.DELEGATE: _delegate,
    order_kinds.ALLOT: _allot,
    order_kinds.ROGUE: _rogue,
    order_kinds.FOUND: _found,
    order_kinds.PETITION: _petition,
    order_kinds.ANSWER: _answer,
}
