"""Secrets of campaigns are encrypted, each for its campaign."""

from __future__ import annotations

import base64

import pytest

from bot.core.randomness import Vault

KEY, SECRET = bytes(range(32)), "6b1e65b9-4186-45c2-8981-b77a9842c4f0"


def test_what_is_encrypted_is_read_again_by_its_campaign_alone() -> None:
    """Each time it looks otherwise, and never like itself; copied into another's row it is no key, and no part of it can be changed."""
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
    """It is told as unreadable, and nothing is raised."""
    assert Vault(KEY).open(damaged, "one") is None


def test_the_key_is_not_shown() -> None:
    """Where a vault is printed, it comes without it."""
    assert repr(Vault(KEY)) == "Vault()"
