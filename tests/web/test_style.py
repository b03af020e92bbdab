"""The stylesheet of sites."""

import re

from bot.ui.pictures.style import _COLOURS, luminance_of, to_linear
from bot.ui.text import COLOURS
from bot.web.rendering import ASSETS


def test_the_stylesheet_has_the_colours_of_the_bot() -> None:
    """Those of embeds, and those of pictures by severity."""
    style = ASSETS["site.css"].body.decode().lower()
    wanted = [f"--{name}: #{colour:06x}" for name, colour in COLOURS.items()]
    wanted += [
        f"--{name}: {colour.lower()}" for name, colour in _COLOURS.items() if name.startswith(("severity", "flood"))
    ]
    assert [item for item in wanted if item not in style] == []


def test_names_on_the_map_can_be_read() -> None:
    """At least 4.5 to 1 on each colour; axe-core can't see letters in a drawing."""
    style = ASSETS["site.css"].body.decode()
    light = set(re.search(r"((?:\.on-\w+,? ?)+)\{ fill: #fff", style)[1].replace(",", "").split())  # type: ignore[index]
    for name in ("0", "1", "2", "3", "4", "unknown"):
        ground = re.search(rf"--(?:severity-)?{name}: (#\w+)", style)
        letters = "#ffffff" if f".on-{name}" in light else "#14181d"
        darker, lighter = sorted(luminance_of(to_linear(colour)) for colour in (ground[1], letters))  # type: ignore[index]
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, name
