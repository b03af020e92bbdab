"""What the leaders of factions in a war have still to answer."""

from __future__ import annotations

from collections.abc import Iterator

from rules.books.total_war.war import Rules, War


def owed(rules: Rules, war: War, faction: str) -> Iterator[str]:
    """Yield in words what a faction's leader has not answered yet: whether the war ends, and who asks to be taken in (lines 60, 97)."""
    if war.asked is not None and faction in {war.asked, rules.scenario.victory.asks[war.asked]} - war.answers.keys():
        yield "whether the war ends"
    yield from (f"whether {name} may join" for name, player in war.players.items() if player.petition == faction)
