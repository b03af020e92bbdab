"""Pictures of pages, for links posted elsewhere."""

from msgspec import Struct

from bot.outbox.sending import Drawing
from bot.ui.text import Picture

_ARROW = " \N{RIGHTWARDS ARROW}"  # the font of pictures lacks it


class PageCard(Struct, frozen=True):
    """What a page's card says, and what draws its picture."""

    name: str
    headline: str
    lines: tuple[str, ...] = ()
    footer: str = ""
    inset: Drawing | None = None

    def draw(self) -> Picture:
        """Draw it; texts are cut and cleaned."""
        from bot.ui.pictures import canvas, cards, gallery  # noqa: PLC0415 - Pillow loads with the first picture

        name, headline, footer = map(canvas.clean, (self.name, self.headline, self.footer))
        lines = filter(None, (canvas.clean(line.replace(_ARROW, ":")) for line in self.lines))
        inset = b"" if self.inset is None else self.inset().data
        card = cards.LinkCard(name, headline, tuple(lines), footer, inset)
        return Picture("card.png", gallery.draw_once(cards.draw_card, card), headline)
