"""Check random.org's signatures in a verification file, with its certificate."""

import base64
import json
from collections.abc import Iterator
from contextlib import suppress

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA512
from msgspec import Struct

from bot.core.seeds import OUTSIDE
from bot.rolls.fairness.forms import VerificationFile


class SignatureCheck(Struct, frozen=True):
    """How many signatures are valid, and a fault for each that isn't."""

    count: int
    faults: tuple[str, ...]

    @property
    def summary(self) -> str:
        """A sentence on how many signatures are valid."""
        return f"Signatures checked against random.org's certificate: {self.count}."


def read_certificate(data: bytes) -> RSAPublicKey:
    """Return a certificate's public key (PEM or DER)."""
    load = x509.load_pem_x509_certificate if data.lstrip().startswith(b"-----") else x509.load_der_x509_certificate
    try:
        key = load(data).public_key()
    except ValueError as error:
        raise ValueError(f"this isn't a certificate: {error}") from error
    if not isinstance(key, RSAPublicKey):
        raise ValueError("this certificate is not random.org's: it has no RSA key")  # noqa: TRY004 - a file, not a type
    return key


def check_signatures(document: VerificationFile, key: RSAPublicKey) -> SignatureCheck:
    """Check signatures of an otherwise valid file."""
    found = [*_list_answers(document)]
    faults = [
        f"Entry {number}: random.org hasn't signed this answer." for number, *of in found if not _is_signed(key, *of)
    ]
    return SignatureCheck(len(found) - len(faults), tuple(faults))


def _list_answers(document: VerificationFile) -> Iterator[tuple[int, str, str]]:
    for item in document.entries:
        outside = {} if item.draw is None else json.loads(item.draw.text).get(OUTSIDE, {})
        if "random" in outside:
            yield item.number, outside["random"], outside["signature"]


def _is_signed(key: RSAPublicKey, random: str, signature: str) -> bool:
    compact = json.dumps(json.loads(random), separators=(",", ":"), ensure_ascii=False)
    for text in (random, compact):
        with suppress(InvalidSignature, ValueError):
            key.verify(base64.b64decode(signature, validate=True), text.encode(), PKCS1v15(), SHA512())
            return True
    return False
