"""What the parts of flights and calls carry, and what is told of them, by name."""

from __future__ import annotations

STRIKE = "strike"
"""The input of a part with the attack of whoever interrupts: the inputs of `rules.books.roe.aim.Attack`."""

BESIDE, CHANNEL, RECIPIENTS = "beside-others", "channel", "recipients"
"""Inputs: whether allies of another race fight on, the channel that is called, and how many are."""

COMLINK, COMLINK_M = "comlink", "comlink-m"
"""Inputs of a call over a public emergency comlink, which nobody can interrupt: whom it summons, and how far away it is (m)."""

STOPPED = "stopped"
"""What the record of a part says: whether a hit has stopped it."""
