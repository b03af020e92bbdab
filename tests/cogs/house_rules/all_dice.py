"""The odds of a game's rolls, found by throwing all dice as the page on house rules says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

Facts = Mapping[str, int]
Chances = dict[str, Fraction]


def list_facts(role: str, fields: str) -> Iterator[tuple[str, int]]:
    """Return what saved fields are as facts."""
    for key, value in (item.split(": ") for item in fields.split("; ")):
        number = value.lstrip("-").isdigit()
        yield (f"{role}.{key}", int(value)) if number else (f"{role}.{key}.{value.lower()}", 1)


def count_added(table: Mapping[str, Any], facts: Facts) -> int:
    """Add up the modifiers that these facts switch on."""
    added = 0
    for item in table.get("modifiers", ()):
        clauses = item.get("when", [[item["id"]]])
        if any(all((fact.removeprefix("!") in facts) != fact.startswith("!") for fact in some) for some in clauses):
            added += item["value"] * (facts.get(item["times"], 0) if "times" in item else 1)
    return added


def read_pool(pool: Mapping[str, Any], faces: tuple[int, ...], sides: int, reads: str) -> int:
    """Read a pool's faces as the page on house rules says."""
    if reads == "count":
        twice = pool.get("twice", sides + 1)
        return sum((face >= pool["target"]) + (face >= twice) + pool.get("ones", 0) * (face == 1) for face in faces)
    if reads == "lowest":
        return min(faces)
    return max(faces) + (pool.get("pair", 0) if faces.count(sides) > 1 else 0)


def throw_pool(table: Mapping[str, Any], added: int, *, pushed: bool) -> Iterator[tuple[int, Fraction]]:
    """Throw a pool in every way, and again what isn't kept if it's pushed."""
    pool, sides = table["pool"], table["die"]
    count, reads = max(pool.get("dice", 0) + added, 0), pool["reads"]
    if not count and reads != "count":
        zero = pool.get("zero", 0)
        count, reads, pool = max(zero, 1), {"highest": "lowest", "lowest": "highest"}[reads] if zero else reads, {}
    push = pool.get("push", {}) if pushed else {}
    for faces in product(range(1, sides + 1), repeat=count):
        chance, left = Fraction(1, sides**count), tuple(face for face in faces if face in push.get("keep", ()))
        if push and read_pool(pool, faces, sides, reads) < push["below"]:
            again = count - len(left)
            for more in product(range(1, sides + 1), repeat=again):
                yield read_pool(pool, left + more, sides, reads), chance / sides**again
        else:
            yield read_pool(pool, faces, sides, reads), chance


def throw_all(table: Mapping[str, Any], added: int, *, pushed: bool = False) -> dict[int, Fraction]:
    """Throw a table's dice in every way; return the chance of what they show."""
    found: dict[int, Fraction] = {}
    if "pool" in table:
        thrown = throw_pool(table, added, pushed=pushed)
    else:
        count, sides = map(int, f"1d{table['die']}".split("d")[-2:])
        count, sides = (count, sides) if sides else (0, 1)
        every = product(range(1, sides + 1), repeat=count)
        thrown = ((sum(faces), Fraction(1, sides**count)) for faces in every)
    for total, chance in thrown:
        found[total] = found.get(total, Fraction(0)) + chance
    return found


def find_row(table: Mapping[str, Any], thrown: int, added: int, value: int | None = None) -> Mapping[str, Any]:
    """Read what was thrown."""
    against = table.get("against", {})
    needed, total = against.get("value", 0) if value is None else value, thrown + (0 if "pool" in table else added)
    score = needed + added - thrown if against.get("reads") == "under" else total - needed
    score = needed + added if against.get("reads") == "number" else score
    rows = table["rows"]
    row = next(row for row in rows if row.get("min", score) <= score <= row.get("max", score))
    if thrown % 11 == 0 or thrown == 100:
        other = table.get("doubles", {}).get(row.get("outcome"))
        row = next((row for row in rows if row.get("outcome") == other), row) if other else row
    return row  # type: ignore[no-any-return]


def find_chances(game: Mapping[str, Any], roll: str, facts: Facts, plus: int = 0, *, pushed: bool = False) -> Chances:
    """Return the chance of each text of an act, contest or table, with a game master's plus on the first table."""
    tables, contests, acts = ({item["id"]: item for item in game.get(key, ())} for key in ("table", "contests", "acts"))
    found: Chances = {}
    if roll in acts:
        rolls = acts[roll].get("rolls")
        return find_chances(game, rolls, facts, plus) if rolls else {acts[roll]["text"]: Fraction(1)}
    if roll in contests:
        first, second = (tables[contests[roll][role]] for role in ("actor", "resister"))
        adds = count_added(first, facts) + plus, count_added(second, facts)
        both = product(throw_all(first, adds[0]).items(), throw_all(second, adds[1]).items())
        for (one, chance), (other, share) in both:
            row = find_row(second, other, adds[1], one + (0 if "pool" in first else adds[0]))
            found[row["text"]] = found.get(row["text"], Fraction(0)) + chance * share
        return found
    added = count_added(tables[roll], facts) + plus
    for thrown, chance in throw_all(tables[roll], added, pushed=pushed).items():
        row = find_row(tables[roll], thrown, added)
        follows = find_chances(game, row["rolls"], facts) if "rolls" in row else {"": Fraction(1)}
        for words, share in follows.items():
            end = f"{row['text']}: {words}" if words else row["text"]
            found[end] = found.get(end, Fraction(0)) + chance * share
    return found
