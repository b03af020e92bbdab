"""Whether random.org has signed the answers in a verification file, by a certificate of its that somebody has fetched."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA512
from msgspec import Struct

from bot.core.seeds import OUTSIDE
from bot.rolls.fairness.document import VerificationFile


class Signed(Struct, frozen=True):
    """How many answers have a signature that fits, and a fault in words for each that has not."""

    count: int
    faults: tuple[str, ...]

    @property
    def told(self) -> str:
        """What was checked, in words."""
        return f"Signatures checked against random.org's certificate: {self.count}."


def read_certificate(data: bytes) -> RSAPublicKey:
    """Return the public key of a certificate (PEM or DER)."""
    load = x509.load_pem_x509_certificate if data.lstrip().startswith(b"-----") else x509.load_der_x509_certificate
    try:
        key = load(data).public_key()
    except ValueError as error:
        raise ValueError(f"this isn't a certificate: {error}") from error
    if not isinstance(key, RSAPublicKey):
        raise ValueError("this certificate is not random.org's: it has no RSA key")  # noqa: TRY004 - a file, not a type
    return key


def check_signatures(document: VerificationFile, key: RSAPublicKey) -> Signed:
    """Check the signatures of all answers in a file that holds otherwise."""
    found = [*_answers(document)]
    faults = [
        f"Entry {number}: random.org hasn't signed this answer." for number, *of in found if not _is_signed(key, *of)
    ]
    return Signed(len(found) - len(faults), tuple(faults))


def _answers(document: VerificationFile) -> Iterator[tuple[int, str, str]]:
    for item in document.entries:
        outside = {} if item.draw is None else json.loads(item.draw.text).get(OUTSIDE, {})
        if "random" in outside:
            yield item.number, outside["random"], outside["signature"]


def _is_signed(key: RSAPublicKey, random: str, signature: str) -> bool:
    """Return whether a random object is signed, as it was sent or without the spaces between its members."""
    compact = json.dumps(json.loads(random), separators=(",", ":"), ensure_ascii=False)
    return any(_fits(key, text, signature) for text in {random, compact})


def _fits(key: RSAPublicKey, text: str, signature: str) -> bool:
    try:
        key.verify(base64.b64decode(signature, validate=True), text.encode(), PKCS1v15(), SHA512())
    except (InvalidSignature, ValueError):
        return False
    return True
