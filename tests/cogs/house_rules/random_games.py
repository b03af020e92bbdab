"""Random games as files, played through the bot: rolls, orders, resolving, closing, undoing.

uv run python -m tests.cogs.house_rules.random_games 5000
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import tempfile
from collections import Counter
from random import Random

from tests.cogs.house_rules.homebrew import send_file
from tests.support.reading import components, response, said
from tests.support.soundness import require_whole
from tests.support.world import World, running

FIELDS, TRAITS = ["gold", "hull", "skill", "stress"], ["brave", "cursed", "veteran"]
WHO, OTHER = "Gull", "Kestrel"
OWN, NAMED = ("roller", "target"), ("crew", "prey")
"""What tables call those who roll and the others, and what an act may call them."""
ROLES = '["roller", "target", "crew", "prey"]'
EVERY = 20
"""After how many games the whole ledger is proven."""


def make_game(rng: Random) -> str:
    """Return a game that nobody would play, and that the linter takes."""
    tables = [f"t{number}" for number in range(rng.randint(2, 6))]
    inner = tables[:2] if rng.random() < 0.6 else []
    lines = ["[game]", f'title = "Game {rng.randint(1, 999)}"', *_list_head(rng), ""]
    for number, name in enumerate(tables):
        later = [other for other in tables[number + 1 :] if other not in inner]
        lines += _make_table(rng, name, later if name not in inner else [], opposed=name in inner[1:])
    if inner:
        each = rng.choice(["", "", 'each = "actor"']) if "pool" not in "\n".join(lines) else ""
        lines += ["[[contests]]", 'id = "duel"', 'title = "Duel"', 'actor = "t0"', 'resister = "t1"', each, ""]
    rolls = [name for name in tables if name not in inner] + (["duel"] if inner else [])
    acts: dict[str, tuple[str, str]] = {}
    for number in range(rng.randint(0, 2)):
        actor, subject = acts[f"act{number}"] = rng.choice([OWN, NAMED])
        rolled = rng.choice([*rolls, None])
        lines += [
            "[[acts]]",
            f'id = "act{number}"',
            f'title = "Act {number}"',
            f'actor = "{actor}"',
            f'subject = "{subject}"',
            f'headline = "{{{actor}}} acts on {{{subject}}}"',
            f'headline-alone = "{{{actor}}} acts"',
            'text = "Done"',
        ]
        lines += [f'rolls = "{rolled}"'] if rolled else []
        lines += [f"then = [{_make_deed(rng, (actor, subject), fixed=True)}]"] if rng.random() < 0.5 else []
        if rng.random() < 0.3:
            when = f'[["{actor}.{rng.choice(TRAITS)}"]]'
            lines.append(f'refused = [{{ when = {when}, words = "{{{actor}}} refuses." }}]')
        lines.append("")
    lines += _make_orders(rng, {name: OWN for name in rolls if name != "duel"} | acts)
    for number in range(rng.randint(0, 2)):
        lines += ["[[upkeep]]", f'id = "up{number}"', f'title = "Upkeep {number}"', 'of = ["ship"]']
        lines += [f'at = "{rng.choice(["close", "week"])}"']
        what = rng.choice(["adds", "takes", "rolls"])
        free = [name for name in rolls if name != "duel"]
        if what == "rolls" and free:
            lines += [f'rolls = "{rng.choice(free)}"', ""]
        else:
            lines += [f'{rng.choice(["adds", "takes"])} = "{rng.choice(FIELDS)}"', f"times = {rng.randint(1, 9)}"]
            lines += [f'by = "{rng.choice(FIELDS)}"', ""] if rng.random() < 0.5 else [""]
    return "\n".join(lines)


def _list_head(rng: Random) -> list[str]:
    facts = [f'  {{ trait = "{name}", label = "{name}", roles = {ROLES} }},' for name in FIELDS + TRAITS]
    ends = [(rng.randint(-9, 0), rng.randint(1, 40)) for _ in FIELDS]
    fields = [
        f'  {{ id = "{name}", label = "{name}", on = ["unit"], takes = "number", min = {low}, max = {high} }},'
        for name, (low, high) in zip(FIELDS, ends, strict=True)
    ]
    effects = [
        f'  {{ trait = "{name}", label = "{name}", until = "{rng.choice(["update", "cleared"])}" }},' for name in TRAITS
    ]
    deeds = [f'  {{ id = "set-{name}", text = "{{to}} is {name}", effect = "{name}" }},' for name in TRAITS]
    deeds += [f'  {{ id = "end-{name}", text = "{{to}} is no longer {name}", ends = ["{name}"] }},' for name in TRAITS]
    for name in FIELDS:
        amount = rng.choice(
            ["", 'amount = "total", ', 'amount = "margin", ', "amount = 2, ", f'amount = "{rng.choice(FIELDS)}", ']
        )
        per = f"per = {rng.randint(1, 3)}, " if amount and rng.random() < 0.4 else ""
        verb = rng.choice(["adds", "takes"])
        deeds.append(
            f'  {{ id = "{verb}-{name}", text = "{{to}} {verb} {{amount}} {name}", {amount}{per}{verb} = "{name}" }},'
        )
    rng.deeds = [line.split('"')[1] for line in deeds]  # type: ignore[attr-defined]
    rng.drawn = {line.split('"')[1] for line in deeds if "amount = " in line}  # type: ignore[attr-defined]
    lists = [("facts", facts), ("fields", fields), ("effects", effects), ("deeds", deeds)]
    return [line for name, items in lists for line in (f"{name} = [", *items, "]")]


def _make_deed(rng: Random, roles: tuple[str, str] = OWN, *, fixed: bool = False) -> str:
    known = [name for name in rng.deeds if not (fixed and name in rng.drawn)]  # type: ignore[attr-defined]
    name = rng.choice(known)
    counts = name.startswith(("adds", "takes"))
    amount = f", amount = {rng.randint(0, 12)}" if counts and (name not in rng.drawn or rng.random() < 0.3) else ""  # type: ignore[attr-defined]
    return f'{{ do = "{name}", to = "{rng.choice(roles)}"{amount} }}'


def _make_table(rng: Random, name: str, later: list[str], *, opposed: bool) -> list[str]:
    pool = rng.random() < 0.3
    die = rng.choice(["6", "10", "20"]) if pool else rng.choice(["6", "20", "100", '"2d6"', '"3d6"'])
    lines = ["[[table]]", f'id = "{name}"', f'title = "Table {name}"', f"die = {die}"]
    if pool:
        reads = rng.choice(["highest", "lowest", "count"])
        more = f", dice = {rng.randint(0, 4)}" + (
            ", target = 4" if reads == "count" else f", zero = {rng.randint(0, 2)}"
        )
        more += ", push = { below = 2, keep = [1, 6] }" if rng.random() < 0.4 else ""
        lines.append(f'pool = {{ reads = "{reads}"{more} }}')
    ways = ["reach"] if pool or opposed else ["reach", "under"]
    if opposed:
        lines.append('against = { reads = "reach" }')
    elif rng.random() < 0.3:
        lines.append(f'against = {{ reads = "{rng.choice(ways)}", value = {rng.randint(1, 20)} }}')
    cuts = sorted(rng.sample(range(-3, 15), rng.randint(1, 3)))
    lines.append("rows = [")
    for place in range(len(cuts) + 1):
        low = f"min = {cuts[place - 1] + 1}, " if place else ""
        high = f"max = {cuts[place]}, " if place < len(cuts) else ""
        then = (
            f", then = [{', '.join(_make_deed(rng) for _ in range(rng.randint(1, 2)))}]" if rng.random() < 0.6 else ""
        )
        rolls = f', rolls = "{rng.choice(later)}"' if later and rng.random() < 0.2 else ""
        lines.append(f'  {{ {low}{high}text = "Row {name}.{place}"{then}{rolls} }},')
    lines += ["]", "modifiers = ["]
    for trait in rng.sample(TRAITS, rng.randint(0, 2)):
        lines.append(f'  {{ id = "roller.{trait}", value = {rng.randint(-3, 3)}, label = "{trait}", group = "g" }},')
    if rng.random() < 0.6:
        field = rng.choice(FIELDS)
        lines.append(
            f'  {{ id = "roller.{field}", value = 1, times = "roller.{field}", label = "{field}", group = "g" }},'
        )
    return [*lines, "]", ""]


def _make_orders(rng: Random, families: dict[str, tuple[str, str]]) -> list[str]:
    kinds = []
    for number in range(rng.randint(0, 3)):
        rolled = rng.choice([*families]) if families and rng.random() < 0.7 else None
        by, subject = families[rolled] if rolled else OWN
        family = f', family = "{rolled}"' if rolled else ""
        to = f', to = "{subject}", takes = "place"' if rng.random() < 0.5 else ""
        kinds.append(f'  {{ id = "order{number}", label = "Order {number}", by = "{by}"{to}{family} }},')
    if not kinds:
        return []
    phases = [
        f'  {{ id = "phase{number}", label = "Phase {number}", takes = ["order{number}"] }},'
        for number in range(len(kinds))
    ]
    rng.shuffle(phases)
    return ["[catalog]", "order = [", *kinds, "]", "phase = [", *phases, "]", ""]


async def play(world: World, text: str, rng: Random) -> str:
    """Play a game for an update; return "refused" if the linter refuses it."""
    shown = await send_file(world, text, "game")
    if not (buttons := [item for item in components(response(shown)) if item.get("label") == "Switch on"]):
        if "That's already on" in said(shown):
            return "again"
        return f"refused: {re.sub('[0-9]+', 'N', said(shown).splitlines()[2])[:120]}"
    answer = said(await world.gm.click(response(shown), custom_id=buttons[0]["custom_id"]))
    for name in re.findall(r"name:([\w-]+)", answer):
        about = {"about": OTHER} if rng.random() < 0.7 else {}
        _sane(said(await world.gm.slash(world.orders, "table roll", name=name, who=WHO, roll="now", **about)), text)
        _sane(said(await world.gm.slash(world.orders, "table roll", name=name, who=OTHER)), text)
    for label in re.findall(r'label = "(Order \d)"', text):
        to = {"to": "Harbour"} if re.search(f'label = "{label}", by = "[a-z]+", to', text) else {}
        _sane(said(await world.gm.slash(world.orders, "order give", kind=label, who=WHO, **to)), text)
    plan = await world.gm.slash(world.orders, "gm resolve")
    if any(item.get("label") == "Resolve all" for item in components(response(plan))):
        _sane(said(await world.gm.click(response(plan), label="Resolve all")), text)
    closing = response(await world.gm.slash(world.orders, "gm close"))
    label = next(item["label"] for item in components(closing) if "lose Update" in item.get("label", ""))
    closed = _sane(said(await world.gm.click(closing, label=label)), text)
    number = int(re.findall(r"entry #(\d+)", closed)[0])
    for back in rng.sample(range(6), 2):
        shown = await world.gm.slash(world.orders, "gm undo", entry=number - back)
        if shown.modal is not None:
            _sane(said(await world.gm.submit_modal(shown, {"reason": "A slip"})), text)
    return "played"


def _sane(answer: str, text: str) -> str:
    assert "Something went wrong" not in answer, f"{answer}\n{text}"
    return answer


async def play_games(world: World, first: int, count: int) -> Counter[str]:
    """Play games by their seeds; return how many were played, and why others were refused."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    for name in (WHO, OTHER):
        await world.gm.slash(world.orders, "roster add", name=name, kind="ship")
    found: Counter[str] = Counter()
    for seed in range(first, first + count):
        rng = Random(seed)  # noqa: S311 - nobody's dice
        found[await play(world, make_game(rng), rng)] += 1
        if seed % EVERY == 0:
            await require_whole(world)
    await require_whole(world)
    return found


async def _main(count: int) -> None:
    for first in range(0, count, 200):
        with tempfile.TemporaryDirectory() as folder:
            async with running(f"sqlite:///{folder}/games.db", drawn=True) as world:
                found = await play_games(world, first, min(200, count - first))
        sys.stdout.write(f"{first}: {found.most_common(4)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(_main(int(sys.argv[1])))
