"""What the panels of a war pay (lines 49 to 53)."""

from __future__ import annotations

from rules.books.total_war import economy
from rules.books.total_war.economy import PaidPanel
from rules.books.total_war.war import HeldPanel, Rules, War, supply


def income_of(rules: Rules, war: War, faction: str) -> int:
    """Return the gold that a faction's panels pay in a turn."""
    fed = (war.panels[at] for at in supply(rules, war, faction))
    return sum(pays(rules, panel) for panel in fed)


def pays(rules: Rules, panel: HeldPanel) -> int:
    """Return the gold that a panel pays in a turn while it is supplied."""
    return economy.income(rules.terms, [_paid(rules, panel)])


def _paid(rules: Rules, panel: HeldPanel) -> PaidPanel:
    item = rules.scenario.items.get(panel.facility or "")
    return PaidPanel(panel.bonus, 0 if item is None else item.income, station=item is not None)
