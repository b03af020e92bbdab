"""The board of a battle in words: the facts that its picture shows, line by line."""

from __future__ import annotations

from collections.abc import Iterator

from bot.cogs.war.pictures.board_facts import Field, Man, Party
from rules.geometry.squares import Square
from rules.phrases import inside


def board_title(field: Field) -> str:
    """Return the title of a board."""
    return f"{field.title}: battle on {field.at}, turn {field.turn}"


def board_words(field: Field) -> list[str]:
    """Return a board line by line: sides, terrain, then every unit."""
    return [*_opening(field), *_terrain(field), *(man_words(field, man) for man in field.men)]


def board_short(field: Field) -> list[str]:
    """Return a board in fewer words: sides, and where their units stand."""
    return [*_opening(field), *(f"{name_of(field, man)} on {man.at}{_marks(man)}." for man in field.men)]


def party_words(field: Field, party: Party) -> str:
    """Return a side: who it is, what it has left, and whether it is its half of the turn."""
    what = "attacks" if party.attacks else "defends"
    turn = (
        ", has withdrawn"
        if party.withdrawn
        else ", its half of the turn"
        if party.id == field.active and not field.over
        else ""
    )
    return f"{party.name} ({party.letters}) {what}: {party.left} left, {party.lost} lost{turn}"


def name_of(field: Field, man: Man) -> str:
    """Return a unit by its id, by which an order names it, its model, and the letters of its side."""
    return f"{man.id} {man.model} ({field.parties[man.side].letters})"


def man_words(field: Field, man: Man) -> str:
    """Return all that is known of a unit."""
    attack = "no attack" if man.attack is None else man.attack
    kind = ", ".join([inside(man.kind), *man.flags])
    about = f"{name_of(field, man)}, {kind}, on {man.at}: {attack}, defense {man.defense}"
    return f"{about}{_marks(man)}."


def _marks(man: Man) -> str:
    """Return what a unit is beyond its class, and what it has done in this turn."""
    marks = [
        *([f"flown by {man.pilot}"] if man.pilot else []),
        *(["hero"] if man.hero else []),
        *([f"ace level {man.ace}"] if man.ace else []),
        *(["has moved"] if man.moved else []),
        *(["has attacked"] if man.attacked else []),
        *([f"fires again in turn {man.again}"] if man.again else []),
    ]
    return "".join(f", {mark}" for mark in marks)


def _opening(field: Field) -> Iterator[str]:
    yield f"Board of {board_title(field)}, {'in space' if field.where == 'space' else 'on land'}."
    yield from (f"{party_words(field, party)}." for party in field.parties.values())
    if field.over:
        winner = "Nobody" if field.winner is None else field.parties[field.winner].name
        yield f"The battle is over: {winner} has won."


def _terrain(field: Field) -> Iterator[str]:
    tiles: dict[str, list[Square]] = {}
    for place, found in field.terrain.items():
        tiles.setdefault(found.label, []).append(place)
    yield from (f"{label}: {', '.join(map(str, sorted(places)))}." for label, places in tiles.items())
