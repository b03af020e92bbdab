"""Components under a message. discord.py keeps none of them in memory: they are found by their ids.

It keeps a view until that is finished, and one made in a database thread, without a loop, never is.
"""

from typing import Any

from discord import ui


class Controls(ui.View):
    """Components under embeds."""

    def __init__(self, *items: ui.Item[Any]) -> None:
        super().__init__(timeout=None)
        for item in items:
            self.add_item(item)

    def is_finished(self) -> bool:
        """Return that nothing is to be kept."""
        return True


class Layout(ui.LayoutView):
    """A message that is a container."""

    def __init__(self, container: ui.Container[ui.LayoutView]) -> None:
        super().__init__(timeout=None)
        self.add_item(container)

    def is_finished(self) -> bool:
        """Return that nothing is to be kept."""
        return True
