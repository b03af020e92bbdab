"""Secrets of campaigns are encrypted, each for its campaign."""

from __future__ import annotations

import base64

import pytest

from bot.core.sealing import Vault

KEY, SECRET = bytes(range(32)), "6b1e65b9-4186-45c2-8981-b77a9842c4f0"


def test_what_is_encrypted_is_read_again() -> None:
    """Each time it looks otherwise, and never like itself."""
    vault = Vault(KEY)
    first, second = (vault.seal(SECRET, "one") for _ in range(2))
    assert first != second
    assert SECRET not in first
    assert [vault.open(item, "one") for item in (first, second)] == [SECRET, SECRET]


def test_another_campaign_or_key_reads_nothing() -> None:
    """What was copied from one campaign's row into another's is no key there."""
    sealed = Vault(KEY).seal(SECRET, "one")
    assert Vault(KEY).open(sealed, "two") is None
    assert Vault(bytes(32)).open(sealed, "one") is None


@pytest.mark.parametrize("damaged", ["", "1:", "1:AAAA", "1:?", "nothing", "1:" + "A" * 400])
def test_what_is_damaged_is_no_secret(damaged: str) -> None:
    """It is told as unreadable, and nothing is raised."""
    assert Vault(KEY).open(damaged, "one") is None


def test_a_changed_bit_is_found() -> None:
    """No part of what is kept can be changed."""
    form, text = Vault(KEY).seal(SECRET, "one").split(":")
    sealed = base64.b64decode(text)
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        assert Vault(KEY).open(f"{form}:{base64.b64encode(changed).decode()}", "one") is None


def test_the_key_is_not_shown() -> None:
    """Where a vault is printed, it comes without it."""
    assert repr(Vault(KEY)) == "Vault()"
