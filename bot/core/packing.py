"""Texts as the database keeps them: compressed with zlib, and damaged ones told from sound ones."""

from __future__ import annotations

import zlib

from isal import isal_zlib

MAX_BYTES = 2**26
"""How long a text may be in UTF-8; what claims to be longer is not unpacked any further."""


def pack(text: str) -> bytes:
    """Return the text's UTF-8, compressed."""
    content = text.encode()
    if len(content) > MAX_BYTES:
        raise ValueError("the text is too long")
    return zlib.compress(content)


def unpack(packed: object) -> str:
    """Return the text of bytes that `pack` made.

    Raises:
        ValueError: these are none, they are damaged, or their text is too long.

    """
    if not isinstance(packed, bytes):
        raise ValueError("no bytes")  # noqa: TRY004 - any value that is none is told alike
    stream = isal_zlib.decompressobj()  # which reads what zlib writes, in half its time
    try:
        content = stream.decompress(packed, MAX_BYTES)
    except isal_zlib.error as error:  # type: ignore[misc]  # its stub gives an exception for the class
        raise ValueError(str(error)) from error
    if not stream.eof or stream.unused_data:
        raise ValueError("cut off, too long, or followed by something else")
    return content.decode()
