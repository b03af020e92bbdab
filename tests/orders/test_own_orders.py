"""Orders and phases that house rules add, over every book."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import books
from rules.house import read_house_file
from rules.loader import load_book, load_with_house_rules
from rules.orders import Cancellation, Order, OrderKind, Phase, Task, UpdateKnowledge, Who, find_outcomes
from tests.cogs.house_rules.homebrew import PIRATES, send_and_switch_on, send_file
from tests.cogs.war.front import begun
from tests.orders.ordering import listed, order, populate
from tests.orders.test_resolving import newest_roll, resolved, rolls
from tests.support.reading import response, said, text
from tests.support.soundness import require_whole
from tests.support.world import BOOKS, World

TRADE = """
[overlay]
id = "trade"
extends = "{book}"
source = {{ book = "Ours", section = "Trade" }}
facts = [{{ trait = "broker", label = "has a broker", roles = ["trader"] }}]

[[table]]
id = "trade-roll"
title = "Trade"
die = "20"
rows = [
  {{ max = 7, text = "A loss", tone = "failure", then = [{{ do = "injure", to = "roller", amount = 1 }}] }},
  {{ min = 8, text = "A profit", tone = "success" }},
]
modifiers = [{{ id = "trader.broker", value = +2, label = "Broker", group = "crew" }}]

[[acts]]
id = "trade"
title = "Trade"
actor = "trader"
subject = "port"
headline = "{{trader}} trades in {{port}}"
text = "Traded"
rolls = "trade-roll"

[catalog]
order = [
  {{ id = "trade", label = "Trade in a port", by = "trader", to = "port", takes = "place", family = "trade" }},
  {{ id = "camp", label = "Make camp", by = "scout", to = "valley", takes = "place" }},
  {{ id = "rest", label = "Rest", by = "scout" }},
]
phase = [{phase}]
"""
OURS = '{ id = "ours", label = "Our phase", takes = ["trade", "camp", "rest"] }'
PRINTED = (
    '{ id = "declare", label = "Declared for the day", '
    'takes = ["hide", "assault", "surprise-attack", "rescue", "resist", "trade", "camp", "rest"] }'
)
PLACES = [(book, OURS) for book in BOOKS] + [("campaign", PRINTED)]


@pytest.mark.parametrize(("book", "phase"), PLACES, ids=[*BOOKS, "in a printed phase"])
async def test_an_own_order_is_one_roll_or_none(world: World, book: str, phase: str) -> None:
    """Previewed, planned, resolved and closed, in a new phase or a printed one."""
    await populate(world)
    await world.gm.slash(world.orders, "gm settings", books=book)
    await send_and_switch_on(world, TRADE.format(book=book, phase=phase), "trade")
    since = newest_roll(world) if rolls(world, 0) else 0
    given = text(response(await order(world, "Trade in a port", "Kai", to="Solomon")))
    assert "**35%** A loss" in given
    await order(world, "Trade in a port", "Amuro", to="Axis")
    await order(world, "Make camp", "White Base", world.gm, to="Valley")
    await order(world, "Rest", "Ramba", world.gm)
    label = re.findall('label = "(.*?)"', phase)[0]
    assert f"**{label}**" in await listed(world)
    plan = text(response(await world.gm.slash(world.orders, "gm resolve")))
    assert plan.count("trades in") == 2
    assert "**White Base**: Make camp, **Valley**" in plan
    said = await resolved(world, 10, 3)
    assert "4 orders resolved" in said
    made = {
        part["subjects"].get("trader") or part["subjects"]["scout"]: part
        for body in rolls(world, since)
        for part in body["parts"]
    }
    assert {name: part["outcome"]["text"] for name, part in made.items()} == {
        "Kai": "A profit",
        "Amuro": "A loss",
        "White Base": "Carried out",
        "Ramba": "Carried out",
    }
    assert [(item["do"], item["to"]) for item in made["Amuro"]["consequences"]] == [("injure", "Amuro")]
    assert "order" not in text(response(await world.gm.slash(world.orders, "gm close"))), "none is left"
    await require_whole(world)


async def test_an_own_order_is_carried_out_in_a_running_war(world: World) -> None:
    """Next to the war's own orders."""
    await begun(world)
    await send_and_switch_on(world, TRADE.format(book="total_war", phase=OURS), "trade")
    await world.gm.slash(world.orders, "roster add", name="Kai", kind="pc", side="EF")
    await order(world, "Trade in a port", "Kai", world.gm, to="Solomon")
    plan = text(response(await world.gm.slash(world.orders, "gm resolve")))
    assert "**Kai** trades in **Solomon**" in plan
    since = newest_roll(world)
    await resolved(world, 10)
    assert [part["outcome"]["text"] for body in rolls(world, since) for part in body["parts"]] == [
        "Turn 2 begins.",
        "A profit",
    ]
    await require_whole(world)


async def test_an_order_without_a_roll_has_any_label_and_stays_with_the_game_masters(world: World) -> None:
    """Also one with braces; players don't read the result, except the one who gave the order."""
    await populate(world)
    file = OURS_ALONE.replace('label = "Trade"', 'label = "Trade {fish} }"')
    await send_and_switch_on(world, file, "ours")
    await order(world, "Trade {fish} }", "Amuro")
    await resolved(world)
    assert "Trade {fish} }" in text(response(await world.gm.slash(world.orders, "ledger", entry=newest_roll(world))))
    assert "Carried out" in await listed(world)
    assert not any("fish" in text(message) for message in world.results.history())


MOVED = (
    '{ id = "scout", label = "Scouting", takes = [], line = 1, house = true }, '
    '{ id = "recon", label = "Reconnaissance", takes = ["scout", "detect"], line = 1, house = true }'
)
ADDED = '{ id = "recon", label = "Reconnaissance", takes = ["scout", "detect"], line = 1, house = true }'
PHASES = '[overlay]\nid = "ours"\nextends = "campaign"\nsource = { book = "Ours", section = "Phases" }\n[catalog]\nphase = [%s]\n'


@pytest.mark.parametrize(("phases", "label"), [(ADDED, "Scouting"), (MOVED, "Reconnaissance")], ids=["added", "moved"])
async def test_a_printed_order_is_carried_out_once_where_a_phase_takes_it_first(
    world: World, phases: str, label: str
) -> None:
    """Although a new phase takes it too."""
    await populate(world)
    await send_and_switch_on(world, PHASES % phases, "ours")
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    plan = text(response(await world.gm.slash(world.orders, "gm resolve")))
    assert (f"**{label}**" in plan, plan.count("**Kai**")) == (True, 1)
    await resolved(world, 15)
    assert [(body["family"], body["phase"]) for body in rolls(world, 0)] == [("scouting", label)]
    await require_whole(world)


OURS_ALONE = """
[overlay]
id = "ours"
extends = "campaign"
source = { book = "Ours", section = "Orders" }

[catalog]
remove = [
  "move", "patrol", "detect", "scout", "interrogate", "escape", "phase.declare", "hide", "assault", "surprise-attack",
  "order.rescue", "order.resist", "battle",
]
order = [
  { id = "sail", label = "Sail", by = "fleet", to = "port", takes = "place", line = 1, house = true },
  { id = "trade", label = "Trade", by = "fleet", line = 2, house = true },
]
phase = [
  { id = "winds", label = "Winds", takes = ["sail"], line = 3, house = true },
  { id = "markets", label = "Markets", takes = ["trade"], line = 4, house = true },
]
"""


async def test_printed_orders_can_be_removed(world: World) -> None:
    """Only the campaign's own are offered, planned and resolved, in the phases' order."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await send_and_switch_on(world, OURS_ALONE, "ours")
    assert "Pick one of: Sail, Trade." in said(await order(world, "Hide", "Amuro", to="Hill"))
    await order(world, "Trade", "Amuro")
    await order(world, "Sail", "White Base", world.gm, to="Axis")
    plan = text(response(await world.gm.slash(world.orders, "gm resolve")))
    assert plan.index("**White Base**: Sail, **Axis**") < plan.index("**Amuro**: Trade")
    assert "2 orders resolved" in await resolved(world)
    assert "Kai" in text(response(await world.gm.slash(world.orders, "gm close"))), (
        "whose order its file has switched off"
    )
    await require_whole(world)


PLACED = """
[overlay]
id = "ours"
extends = "campaign"
source = { book = "Ours", section = "Phases" }

[catalog]
remove = ["interrogate", "phase.scout"]
phase = [
  { id = "detect", label = "Detection", takes = ["detect"], line = 127, house = true },
  { id = "recon", label = "Reconnaissance", takes = ["scout"], line = 1, house = true },
  { id = "late", label = "Late", takes = ["scout"], line = 2, house = true },
]
"""


def test_a_new_phase_comes_after_the_one_listed_before_it() -> None:
    """And a removed id goes with what no phase takes any more; a prefix says which of two is meant."""
    book = load_with_house_rules("campaign", [read_house_file("ours", PLACED.encode())], others={})
    assert [*book.entries_of(Phase)] == ["declare", "detect", "recon", "late", "patrol", "battle", "escape"]
    assert "scout" in book.entries_of(OrderKind)
    assert "interrogate" not in book.entries_of(OrderKind)


async def test_a_version_that_leaves_out_an_open_order_is_previewed_with_a_warning(world: World) -> None:
    """An order that was given waits in vain then; one of a kind that stays isn't counted."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    stay = '{ id = "stay", label = "Stay", by = "roller" }'
    both = PIRATES.replace("order = [", f"order = [{stay}, ").replace("takes = [", 'takes = ["stay", ')
    await send_and_switch_on(world, both, "pirates")
    for name in ("Gull", "Tern"):
        await world.gm.slash(world.orders, "roster add", name=name, kind="ship")
    await world.gm.slash(world.orders, "order give", kind="Stay", who="Gull")
    await world.gm.slash(world.orders, "order give", kind="Raid a port", who="Tern", to="Tortuga")
    assert "1 open order needs rules that this version leaves out" in said(await send_file(world, PIRATES, "pirates"))
    await send_and_switch_on(world, PIRATES.replace("Pay", "Wages"), "pirates")
    await require_whole(world)


CAMPAIGN = load_book("campaign")
KINDS = {
    **CAMPAIGN.entries_of(OrderKind),
    "trade": OrderKind(id="trade", label="Trade", line=1, by="trader", to="port"),
}
layouts = st.lists(st.lists(st.sampled_from([*KINDS]), max_size=5, unique=True).map(tuple), min_size=1, max_size=6)


@given(layouts=layouts, kinds=st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=8))
def test_any_phases_carry_out_each_order_once(layouts: list[tuple[str, ...]], kinds: list[str]) -> None:
    """In the first phase that takes it, whatever it is called; nothing is carried out that no phase takes."""
    phases = [Phase(id=f"p{place}", label="", line=1, takes=takes) for place, takes in enumerate(layouts)]
    given_ = [Order(number, kind, Who(f"Who {number}"), Who("Rift")) for number, kind in enumerate(kinds)]
    done: dict[int, str] = {}
    for phase in phases:
        asked = [Order(it.entry, it.kind, it.who, it.to, open=True, done=it.entry in done) for it in given_]
        found = find_outcomes(phase, KINDS, asked, UpdateKnowledge(), books.find_pairing("campaign"), 25)
        for item in found:
            for number in [item.order] if isinstance(item, Cancellation) else item.orders:
                assert kinds[number] in phase.takes
                assert done.setdefault(number, phase.id) == phase.id
        assert all(number in done for number, kind in enumerate(kinds) if kind in phase.takes or number in done)
    assert not any(isinstance(item, Task) and not item.orders for item in found)
