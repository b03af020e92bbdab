"""Orders about ranks, commands and new units (lines 28, 47, 89, 244); going rogue, founding, asking to join, and answers (lines 60, 87 to 105)."""

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec.structs import replace

from rules.books.total_war import course, order_kinds
from rules.books.total_war.catalog import Piece, Refused
from rules.books.total_war.order_kinds import OrderText, WarOrder
from rules.books.total_war.war import Rules, War, WarAction
from rules.subjects import name_key, strip_unseen


class Promote(WarAction, frozen=True):
    """A player gets another rank."""

    player: str
    rank: str

    def apply(self, rules: Rules, war: War) -> War:
        """Set the rank (line 47)."""
        lone = order_kinds.player_of(war, self.player).faction is None
        order_kinds.require_no_rogue("promotion", lone_rogue=lone, who=f"{self.player} (a lone rogue)")
        faction = order_kinds.faction_of_player(war, self.player)
        side = war.factions[faction]
        order_kinds.require_leader(war, self.actor, faction, "can promote")
        seats = {other.seat for other in war.factions.values() if not other.rogue}
        captured = any(at in seats and panel.owner == faction for at, panel in war.panels.items())
        role = order_kinds.role_of(war, self.actor, faction)
        order_kinds.require_promoter(role, rogue_faction=side.rogue, captured=captured)
        return war.with_player(self.player, rank=order_kinds.rank_named(rules.scenario, self.rank).name)


class Assign(WarAction, frozen=True):
    """A force gets another commander."""

    who: str
    player: str

    def apply(self, rules: Rules, war: War) -> War:
        """Give the force to the player if their rank allows it (line 28)."""
        found, faction = war.force(self.who), order_kinds.faction_of_player(war, self.player)
        if found.faction != faction:
            sides = f"{self.who} belongs to {war.name_side(found.faction)}, {self.player} to {war.name_side(faction)}"
            raise Refused("E_NOT_ALLIED", f"{sides}.")
        order_kinds.require_leader(war, self.actor, faction, "can hand out forces")
        war.require_free(found)
        after = war.with_forces(replace(found, commander=self.player))
        order_kinds.require_holding(rules, after, self.player)
        return after


class Delegate(WarAction, frozen=True):
    """A faction names who else assigns new units; None: only its leader."""

    faction: str
    player: str | None = None

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Set the delegate, who needs a fleet (line 244)."""
        order_kinds.require_faction(war, self.faction)
        order_kinds.require_leader(war, self.actor, self.faction, "can let others assign units")
        if self.player is not None and not order_kinds.has_fleet(war, self.player, self.faction):
            name = war.factions[self.faction].name
            raise Refused("E_RANK", f"{self.player} doesn't command a fleet of {name}.")
        return war.with_side(self.faction, delegate=self.player)


class Allot(WarAction, frozen=True):
    """Units leave the faction's pool for a force."""

    who: str
    model: str
    number: int = 1

    def apply(self, rules: Rules, war: War) -> War:
        """Add the units if the commander's rank allows it (lines 89, 244)."""
        found, model, number = war.force(self.who), self.model, self.number
        lone = found.faction not in war.factions
        order_kinds.require_no_rogue("new units", lone_rogue=lone, who=f"{self.who} (a lone rogue's)")
        war.require_free(found)
        if not rules.terms.of(Piece, found.kind).attacks:
            raise Refused("E_SQUADRON_FULL", f"{self.who} is a {found.kind} and has no units.")
        side = war.factions[found.faction]
        if order_kinds.role_of(war, self.actor, found.faction) != order_kinds.FLEET:
            does = "or the fleet commander they chose can assign new units"
            order_kinds.require_leader(war, self.actor, found.faction, does)
        left = side.pool.get(model, 0) - number
        if number < 1 or left < 0:
            raise Refused("E_NO_FUNDS", f"You can't assign {number} {model}: only {side.pool.get(model, 0)} left.")
        war, units = war.new_units([model] * number)
        war = war.with_side(found.faction, pool={**side.pool, model: left})
        war = war.with_forces(replace(found, units=(*found.units, *units)))
        if found.commander is not None and found.commander in war.players:
            order_kinds.require_holding(rules, war, found.commander)
        return war


def _read_promote(rules: Rules, war: War, text: OrderText) -> Promote:
    player = order_kinds.read_name(war.players, text.who, "a player")
    rank = order_kinds.read_name([item.name for item in rules.scenario.ranks], text.to, "a rank")
    return Promote(actor=text.actor, player=player, rank=rank)


def _read_assign(_rules: Rules, war: War, text: OrderText) -> Assign:
    return Assign(actor=text.actor, who=text.force(war), player=order_kinds.read_name(war.players, text.to, "a player"))


def _read_delegate(_rules: Rules, war: War, text: OrderText) -> Delegate:
    back = name_key(text.to or "") in {order_kinds.NOBODY, "nobody"}  # both are stored in orders
    player = None if back else order_kinds.read_name(war.players, text.to, f"a player or {order_kinds.NOBODY}")
    return Delegate(actor=text.actor, faction=text.faction(war), player=player)


def _read_allot(rules: Rules, war: War, text: OrderText) -> Allot:
    typed = " ".join(order_kinds.strip_hint(word) for word in (text.to, text.besides) if word)
    model, number = order_kinds.read_counted_name([*rules.scenario.units], typed, "a model")
    return Allot(actor=text.actor, who=text.force(war), model=model, number=number)


def _list_ranks(rules: Rules, war: War, who: str) -> Iterator[str]:
    for rank in rules.scenario.ranks if who in war.players else ():
        if rank.name != war.players[who].rank and Promote(player=who, rank=rank.name).is_possible(rules, war):
            yield rank.name


def _list_commanders(rules: Rules, war: War, who: str) -> Iterator[str]:
    for name in war.players if who in war.forces else ():
        if name != war.forces[who].commander and Assign(who=who, player=name).is_possible(rules, war):
            yield name


def _list_delegates(rules: Rules, war: War, who: str) -> Iterator[str]:
    side = war.factions.get(who)
    if side is None:
        return
    others = (name for name in war.players if name not in {side.delegate, side.leader})
    yield from (name for name in others if Delegate(faction=who, player=name).is_possible(rules, war))
    if side.delegate is not None:
        yield order_kinds.NOBODY


def _list_waiting(rules: Rules, war: War, who: str) -> Iterator[str]:
    for model, count in _pool(war, who).items():
        if count and Allot(who=who, model=model).is_possible(rules, war):
            yield f"{model} ({count} wait)"


def _list_numbers(rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    model = order_kinds.strip_hint(to)
    for number in range(1, _pool(war, who).get(model, 0) + 1):
        if Allot(who=who, model=model, number=number).is_possible(rules, war):
            yield str(number)


def _pool(war: War, who: str) -> Mapping[str, int]:
    side = war.factions.get(war.forces[who].faction) if who in war.forces else None
    return {} if side is None else side.pool


def _leader_of_player(war: War, who: str) -> tuple[str | None, ...]:
    faction = war.players[who].faction
    return () if faction is None else order_kinds.leader_of(war, faction)


def _leader_of_force(war: War, who: str) -> tuple[str | None]:
    return order_kinds.leader_of(war, war.forces[who].faction)


def _assigners(war: War, who: str) -> tuple[str | None, ...]:
    faction = war.forces[who].faction
    return (*order_kinds.leader_of(war, faction), order_kinds.unit_assigner(war, faction))


class Rogue(WarAction, frozen=True):
    """A player leaves their faction."""

    player: str

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Take the player's squadrons out too; other forces stay (lines 87 to 89)."""
        player = self.player
        order_kinds.require_self(self.actor, player)
        faction = order_kinds.faction_of_player(war, player)
        _require_all_free(war, player)
        side = war.factions[faction]
        posts = {post: None for post in ("leader", "delegate") if getattr(side, post) == player}
        war = war.with_side(faction, **posts)
        war = war.with_player(player, faction=None, former=side.origin or faction)
        own = [item for item in war.forces.values() if item.commander == player]
        squadrons = (replace(item, faction=player) for item in own if item.kind == "squadron")
        others = (replace(item, commander=None) for item in own if item.kind != "squadron")
        return war.with_forces(*squadrons, *others)


class Found(WarAction, frozen=True):
    """A rogue faction's leader chooses its name and colour."""

    faction: str
    name: str
    colour: str

    def apply(self, rules: Rules, war: War) -> War:
        """Rename the faction; its old name stays valid in orders (line 95)."""
        faction, name, colour = self.faction, strip_unseen(self.name), course.parse_colour(self.colour)
        side = war.factions.get(faction)
        if side is None or not side.rogue:
            raise Refused("E_ROGUE", f"{war.name_side(faction)} isn't a rogue faction. Only these choose a name.")
        order_kinds.require_leader(war, self.actor, faction, "can name the faction")
        others = [other for key, other in war.factions.items() if key != faction]
        if not name:
            raise Refused("E_NO_TARGET", "A faction needs a visible name.")
        course.require_unused(name, colour, [other.name for other in others], [other.colour for other in others])
        war.require_name(name, but=[faction], forces=not rules.scenario.has_fog)
        course.require_apart(colour, [other.colour for other in others])
        once = side.once if name == side.name else (*side.once, side.name)
        return war.with_side(faction, name=name, colour=colour, once=once)


class Petition(WarAction, frozen=True):
    """A lone rogue asks to join a faction."""

    player: str
    faction: str

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Record the request (line 97)."""
        player, faction = self.player, self.faction
        order_kinds.require_self(self.actor, player)
        if order_kinds.player_of(war, player).faction is not None:
            raise Refused("E_ROGUE", f"{player} is in a faction. Only a lone rogue can ask to join one.")
        order_kinds.require_faction(war, faction)
        return war.with_player(player, petition=faction)


class Admit(WarAction, frozen=True):
    """A leader answers a lone rogue who asked to join."""

    player: str
    takes: bool

    def apply(self, rules: Rules, war: War) -> War:
        """Take the player in at the lowest rank, or clear the request."""
        player = self.player
        faction = order_kinds.player_of(war, player).petition
        if faction is None or faction not in war.factions:
            raise Refused("E_NO_TARGET", f"{player} hasn't asked to join a faction.")
        order_kinds.require_leader(war, self.actor, faction, "can take in rogues")
        _require_all_free(war, player)
        if not self.takes:
            return war.with_player(player, petition=None)
        own = [replace(item, faction=faction) for item in war.forces.values() if item.faction == player]
        lowest = rules.scenario.ranks[0].name
        return war.with_player(player, faction=faction, petition=None, rank=lowest).with_forces(*own)


class AnswerCapitol(WarAction, frozen=True, tag="answer"):
    """A leader says whether the war ends with a captured capitol."""

    faction: str
    answer: Literal["end", "on"]

    def apply(self, rules: Rules, war: War) -> War:
        """End the war once both leaders want that (line 60)."""
        if war.asked is None:
            raise Refused("E_NO_TARGET", "No captured capitol needs an answer from the leaders.")
        by = rules.scenario.victory.asks[war.asked]
        if self.faction not in {war.asked, by}:
            asked = f"{war.name_side(war.asked)} and {war.name_side(by)}"
            raise Refused("E_NOT_COMMANDER", f"{war.name_side(self.faction)} isn't asked, only {asked}.")
        order_kinds.require_faction(war, self.faction)
        order_kinds.require_leader(war, self.actor, self.faction, "can answer for the faction")
        answers = {**war.answers, self.faction: self.answer}
        second = rules.scenario.second is not None
        outcome = course.capitol_outcome(rules.scenario.victory, war.asked, by, answers, earth=second)
        if outcome.next == "waiting":
            return replace(war, answers=answers)
        return replace(war, answers=answers, winner=outcome.winner, asked=None)


def _require_all_free(war: War, player: str) -> None:
    for item in war.forces.values():
        if player in {item.commander, item.faction}:
            war.require_free(item)


def _read_rogue(_rules: Rules, war: War, text: OrderText) -> Rogue:
    return Rogue(actor=text.actor, player=text.player(war))


def _read_found(rules: Rules, war: War, text: OrderText) -> Found:
    player = order_kinds.find_name([*war.players], (text.who if order_kinds.is_said(text.who) else text.actor) or "")
    if player is not None and (order_kinds.is_said(text.who) or war.players[player].faction is None):
        course.require_colony(rules.terms, None, player)
    name = order_kinds.require_text(text.to, "the name of the faction")
    colour = order_kinds.require_text(text.besides, "its colour, such as #2e7d32")
    return Found(actor=text.actor, faction=text.faction(war), name=name, colour=colour)


def _read_petition(_rules: Rules, war: War, text: OrderText) -> Petition:
    return Petition(actor=text.actor, player=text.player(war), faction=order_kinds.parse_faction(war, text.to))


def _read_answer(_rules: Rules, war: War, text: OrderText) -> AnswerCapitol | Admit:
    said = "" if order_kinds.is_said(text.besides) else name_key(text.to or "")
    if said in {"end", "on"}:
        return AnswerCapitol(actor=text.actor, faction=text.faction(war), answer="end" if said == "end" else "on")
    giver = war.players.get(text.actor or "")
    own = giver.faction if giver else None
    side = order_kinds.parse_faction(war, text.who) if order_kinds.is_said(text.who) else own
    everyone = text.actor is None and side is None
    asking = [name for name, item in war.players.items() if item.petition and (everyone or item.petition == side)]
    player = order_kinds.read_name(war.players, text.to, "end, on, or a player who has asked", offered=asking)
    takes = order_kinds.read_name(["yes", "no"], text.besides, "yes or no")
    return Admit(actor=text.actor, player=player, takes=takes == "yes")


def _may_go(rules: Rules, war: War, who: str) -> bool:
    return who in war.players and Rogue(player=who).is_possible(rules, war)


def _may_found(_rules: Rules, war: War, who: str) -> bool:
    return who in war.factions and war.factions[who].rogue


def _list_colours(_rules: Rules, war: War, who: str, _to: str) -> Iterator[str]:
    used = [side.colour for name, side in war.factions.items() if name != who]
    yield from (colour for colour in course.COLOURS if course.is_apart(colour, used))


def _list_factions(_rules: Rules, war: War, who: str) -> Iterator[str]:
    player = war.players.get(who)
    if player is not None and player.faction is None:
        yield from (side.name for name, side in war.factions.items() if name != player.petition)


def _list_answers(rules: Rules, war: War, who: str) -> Iterator[str]:
    if war.asked is not None and who in {war.asked, rules.scenario.victory.asks[war.asked]}:
        yield from (answer for answer in ("end", "on") if answer != war.answers.get(who))
    asking = (name for name, player in war.players.items() if player.petition == who)
    yield from (name for name in asking if Admit(player=name, takes=True).is_possible(rules, war))


def _yes_and_no(_rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    if to in war.players and war.players[to].petition == who:
        yield from ("yes", "no")


def _player_alone(_war: War, who: str) -> tuple[str]:
    return (who,)


ORDERS = (
    WarOrder("promote", "Promotion", "player", "{player} becomes {to}", _read_promote, _leader_of_player, _list_ranks),
    WarOrder("assign", "Command", "force", "{force} is handed to {to}", _read_assign, _leader_of_force, _list_commanders),
    WarOrder("delegate", "Delegation", "faction", "{faction} sets who assigns new units: {to}", _read_delegate, order_kinds.leader_of, _list_delegates),
    WarOrder("allot", "New units", "force", "{force} gets {to} {with}", _read_allot, _assigners, _list_waiting, _list_numbers, hinted=True),
    WarOrder("rogue", "Going rogue", "player", "{player} goes rogue", _read_rogue, _player_alone, may=_may_go),
    WarOrder("found", "Faction name", "faction", "{faction} takes the name {to}", _read_found, order_kinds.leader_of, None, _list_colours, may=_may_found),
    WarOrder("petition", "Request to join", "player", "{player} asks to join {to}", _read_petition, _player_alone, _list_factions),
    WarOrder("answer", "Answer", "faction", "{faction} answers {to} {with}", _read_answer, order_kinds.leader_of, _list_answers, _yes_and_no),
)  # fmt: skip
