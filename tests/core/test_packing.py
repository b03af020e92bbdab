"""Compressed texts and encrypted secrets."""

from __future__ import annotations

import base64
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib

from bot.core.draws import Vault
from bot.core.records import MAX_BYTES, pack, unpack


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_unpacked_is_what_was_packed(text: str) -> None:
    """Any text survives."""
    assert unpack(pack(text)) == text


@given(st.binary())
def test_whatever_is_kept_is_a_text_or_told_as_damaged(kept: bytes) -> None:
    """No other failure."""
    with pytest.raises(ValueError):  # noqa: PT011 - any of its kinds
        unpack(kept)


@pytest.mark.parametrize(
    "kept", [None, "text", 5, b"", b"{}", pack("text")[:-1], pack("text") + b"\0", zlib.compress(b"\xff\xfe")], ids=str
)
def test_what_nobody_packed_is_told_as_damaged(kept: object) -> None:
    """Wrong kinds, cut off, too long, not UTF-8."""
    with pytest.raises(ValueError):  # noqa: PT011 - as above
        unpack(kept)


def test_a_flipped_bit_never_gives_another_text() -> None:
    """It's damaged, or the same text."""
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
    """At the longest text's length."""
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
    stream, piece = isal_zlib.compressobj(), bytes(2**20)
    return b"".join([*(stream.compress(piece) for _ in range(size // len(piece))), stream.flush()])


KEY, SECRET = bytes(range(32)), "6b1e65b9-4186-45c2-8981-b77a9842c4f0"


def test_what_is_encrypted_is_read_again_by_its_campaign_alone() -> None:
    """Copies and changes don't decrypt."""
    vault = Vault(KEY)
    first, second = (vault.seal(SECRET, "one") for _ in range(2))
    assert first != second
    assert SECRET not in first
    assert [vault.open(item, "one") for item in (first, second)] == [SECRET, SECRET]
    assert vault.open(first, "two") is None
    assert Vault(bytes(32)).open(first, "one") is None
    form, text = first.split(":")
    sealed = base64.b64decode(text)
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        assert vault.open(f"{form}:{base64.b64encode(changed).decode()}", "one") is None


@pytest.mark.parametrize("damaged", ["", "1:", "1:AAAA", "1:?", "nothing", "1:" + "A" * 400])
def test_what_is_damaged_is_no_secret(damaged: str) -> None:
    """Nothing is raised."""
    assert Vault(KEY).open(damaged, "one") is None


def test_the_key_is_not_shown() -> None:
    """Printing a vault hides it."""
    assert repr(Vault(KEY)) == "Vault()"
