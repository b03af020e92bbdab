"""Cards for links to pages: a headline, lines, and a picture on the right."""

from io import BytesIO
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures import canvas, style

SIZE: Final = (1200, 630)
"""As previews of links are shown."""

_EDGE: Final = 64
_BAR: Final = 16
_ACCENT: Final = "#4A6FA5"
_SMALL: Final = 36
_HEADLINES: Final = (88, 80, 72, 64, 56, 50)
_LINES: Final = (44, 40, 36)
_MOST: Final = 4
_PICTURE: Final = (680, 502)
_TOP: Final = 130


class LinkCard(Struct, frozen=True):
    """What a card shows; `picture` is PNG data."""

    name: str
    headline: str
    lines: tuple[str, ...] = ()
    footer: str = ""
    picture: bytes = b""


def draw_card(card: LinkCard) -> bytes:
    """Return a card as a PNG."""
    made = canvas.sheet(*SIZE)
    made.paste(style.full(_ACCENT), (0, 0, SIZE[0], _BAR))
    width = SIZE[0] - 2 * _EDGE
    _write_line(made, card.name, 76, width, canvas.Pen(_SMALL, "muted", bold=True))
    _write_line(made, card.footer, SIZE[1] - 48, width, canvas.Pen(_SMALL, "muted"))
    if card.picture:
        width -= _lay_picture(made, card.picture)
    size, rows = canvas.fit_text(card.headline, _HEADLINES, width, 300)
    top = _TOP + size * canvas.LINE / 2
    for place, row in enumerate(rows):
        _write_line(made, row, top + place * size * canvas.LINE, width, canvas.Pen(size, bold=True))
    top += len(rows) * size * canvas.LINE
    for line in card.lines[:_MOST]:
        room = SIZE[1] - 90 - top
        if room < _LINES[-1]:
            break
        size, rows = canvas.fit_text(line, _LINES, width, min(int(room), 2 * _LINES[0]))
        for row in rows:
            _write_line(made, row, top, width, canvas.Pen(size))
            top += size * 1.25
    return canvas.png(made, (_ACCENT, "ink", "muted"))


def _write_line(made: Image.Image, text: str, middle: float, width: int, pen: canvas.Pen) -> None:
    canvas.write(made, canvas.clip(text, pen.size, width, bold=pen.bold), (_EDGE, middle), pen)


def _lay_picture(made: Image.Image, data: bytes) -> int:
    with Image.open(BytesIO(data)) as found:
        shown = found.convert(canvas.FULL)
    shown.thumbnail(_PICTURE, Image.Resampling.LANCZOS)
    made.paste(shown, (SIZE[0] - _EDGE - shown.width, _TOP - 20 + (_PICTURE[1] - shown.height) // 2))
    return shown.width + _EDGE // 2
