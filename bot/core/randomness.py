"""What comes from the operating system's generator: dice outside campaigns, and the nonces with which campaigns' secrets are encrypted.

Secrets are encrypted under a key of the host's (AES-256-GCM), bound to the campaign that they are of.
"""

from __future__ import annotations

import base64
import os
import secrets

from msgspec import Struct

from rules.dice import DiceTerm, Roll

_NONCE_BYTES = 12
_FORM = "1:"
"""How what is encrypted begins: its form may change one day."""


class Vault(Struct, frozen=True):
    """Encrypts and decrypts with one key, which is shown nowhere."""

    key: bytes

    def __repr__(self) -> str:
        """Return what it is, without its key."""
        return "Vault()"

    def seal(self, text: str, owner: str) -> str:
        """Return a text encrypted for its owner (a campaign's UUID)."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - for campaigns with secrets alone

        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + AESGCM(self.key).encrypt(nonce, text.encode(), owner.encode())
        return _FORM + base64.b64encode(sealed).decode()

    def open(self, sealed: str, owner: str) -> str | None:
        """Return a text that was encrypted for its owner; None where it was not, or under another key."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - as above

        try:
            data = base64.b64decode(sealed.removeprefix(_FORM), validate=True)
            return AESGCM(self.key).decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], owner.encode()).decode()
        except (InvalidTag, ValueError):
            return None


class SystemDice:
    """Faces from `secrets.randbelow`, which is free of modulo bias."""

    def roll(self, term: DiceTerm) -> Roll:
        """Draw one face per die."""
        faces = tuple([secrets.randbelow(term.sides) + 1 for _ in range(term.count)])
        return Roll(term, faces, "system")
