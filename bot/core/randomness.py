"""The operating system's randomness: free dice, and encryption of secrets (AES-256-GCM)."""

from __future__ import annotations

import base64
import os
import secrets

from msgspec import Struct

from rules.dice import DiceTerm, Roll

_NONCE_BYTES = 12
_FORM = "1:"


class Vault(Struct, frozen=True):
    """Encrypts and decrypts with the host's key, never shown."""

    key: bytes

    def __repr__(self) -> str:
        """Return the class name, without the key."""
        return "Vault()"

    def seal(self, text: str, owner: str) -> str:
        """Return a text encrypted for its owner (campaign UUID)."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - only campaigns with secrets need it

        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + AESGCM(self.key).encrypt(nonce, text.encode(), owner.encode())
        return _FORM + base64.b64encode(sealed).decode()

    def open(self, sealed: str, owner: str) -> str | None:
        """Return a text decrypted for its owner; None if it was sealed for another or damaged."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - as above

        try:
            data = base64.b64decode(sealed.removeprefix(_FORM), validate=True)
            return AESGCM(self.key).decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], owner.encode()).decode()
        except (InvalidTag, ValueError):
            return None


class SystemDice:
    """Dice from `secrets.randbelow`, without modulo bias."""

    def roll(self, term: DiceTerm) -> Roll:
        """Draw one face per die."""
        faces = tuple([secrets.randbelow(term.sides) + 1 for _ in range(term.count)])
        return Roll(term, faces, "system")
