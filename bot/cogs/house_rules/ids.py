"""The ids of the buttons under the preview of a file: of which file, in which version, which page is asked for."""

from __future__ import annotations

from typing import Final

from bot.ui.components import IdTemplate

SHORT = 16
"""Characters of a fingerprint that stand in ids."""

_FILE: Final = "table:{campaign:int}:{fingerprint:hex}:{version:int}:"
_PAGE: Final = ":{page:int}:{name:rest}"

SWITCH_ON = IdTemplate(_FILE + "on" + _PAGE)
DROP = IdTemplate(_FILE + "drop" + _PAGE)
LINES = IdTemplate("table:{campaign:int}:lines:{name:rest}")
"""The id of the window into which a table is typed, under the name that it is to have."""

TEXT = IdTemplate("table:{campaign:int}:{fingerprint:hex}:text:{name:rest}")
"""The id of the button that opens that window with what was typed before."""

LOOK = IdTemplate(_FILE + "look" + _PAGE)
