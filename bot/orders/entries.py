"""Entries about orders: sealed, so that they are for the staff and whoever has given them."""

from __future__ import annotations

from typing import cast

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.people import told
from bot.orders.bodies import OrderBody
from bot.orders.words import lapse_reason
from bot.ui.entries import plain_pages
from bot.ui.text import listing, plain

TITLES = {
    "give": "Order given",
    "withdraw": "Order cancelled",
    "pass": "Passed",
    "lapse": "Order cancelled",
    "rest": "Rest of an order cancelled",
}
LAPSED = {"lapse": "cancelled", "rest": "the rest cancelled"}


def sentence(body: Body, _view: View = "staff") -> str:
    """Return an entry about an order in one line."""
    if body["deed"] == "pass":
        return f"{plain(body['who'])} passes in this update"
    order = cast("OrderBody", body)
    about = [name for name in (order["to"], *order["beside"]) if name]
    line = f"{plain(order['label'])}: {plain(order['who'])}" + (f" ({listing([*map(plain, about)])})" if about else "")
    if body["deed"] in LAPSED:
        return f"{line}, {LAPSED[body['deed']]}: {plain(lapse_reason(body))}"
    return f"{line}, cancelled" if order["deed"] == "withdraw" else line


def _pages(shown: EntryView, view: View) -> Pages:
    body, note, reason = told(shown.entry), shown.entry.text("note"), shown.entry.text("reason")
    lines = [sentence(body, view)]
    if body["deed"] != "pass":
        lines.append(f"Phase: {plain(body['phase'])}")
    if body.get("before"):
        lines.append(f"{'Replaces' if body['deed'] == 'give' else 'Given as'} entry #{body['before']}")
    lines += [f"**{label}:** {plain(text)}" for label, text in (("Note", note), ("Reason", reason)) if text]
    return plain_pages(shown, TITLES[body["deed"]], lines)


ORDER_ENTRY = EntryKind("order", "maker", sentence, _pages)
