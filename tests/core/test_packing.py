"""Texts that are kept compressed."""

from __future__ import annotations

import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib

from bot.core.encoding import MAX_BYTES, pack, unpack


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_unpacked_is_what_was_packed(text: str) -> None:
    """Any text comes back as it was."""
    assert unpack(pack(text)) == text


@given(st.binary())
def test_whatever_is_kept_is_a_text_or_told_as_damaged(kept: bytes) -> None:
    """No bytes make it fail otherwise."""
    with pytest.raises(ValueError):  # noqa: PT011 - any of its kinds
        unpack(kept)


@pytest.mark.parametrize(
    "kept", [None, "text", 5, b"", b"{}", pack("text")[:-1], pack("text") + b"\0", zlib.compress(b"\xff\xfe")], ids=str
)
def test_what_nobody_packed_is_told_as_damaged(kept: object) -> None:
    """Other kinds of values, plain text, what is cut off or too long, and what is no UTF-8."""
    with pytest.raises(ValueError):  # noqa: PT011 - as above
        unpack(kept)


def test_a_flipped_bit_never_gives_another_text() -> None:
    """Whichever bit of it is another one: it is told as damaged, unless it is one that says nothing."""
    text = '{"changes":[]}' * 9
    packed, told = pack(text), 0
    for place in range(len(packed) * 8):
        flipped = bytearray(packed)
        flipped[place // 8] ^= 1 << place % 8
        try:
            assert unpack(bytes(flipped)) == text
        except ValueError:
            told += 1
    assert told > len(packed) * 7


def test_a_small_value_that_unpacks_to_a_huge_one_is_stopped() -> None:
    """No more than the longest text is ever unpacked of it; and none longer is packed."""
    bomb = _zeros(MAX_BYTES * 8)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="too long"):
            unpack(bomb)
        assert tracemalloc.get_traced_memory()[1] < MAX_BYTES * 3
    finally:
        tracemalloc.stop()
    with pytest.raises(ValueError, match="too long"):
        pack("\0" * (MAX_BYTES + 1))


def _zeros(size: int) -> bytes:
    """So many zeros, compressed a piece at a time."""
    stream, piece = isal_zlib.compressobj(), bytes(2**20)
    return b"".join([*(stream.compress(piece) for _ in range(size // len(piece))), stream.flush()])
