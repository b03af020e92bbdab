"""`adjutant verify --random-org-certificate`: whether random.org has signed what is mixed into rolls."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256, SHA512
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from bot.cli import main
from bot.core.seeds import OUTSIDE
from tests.rolls.fairness.making import File, Made, entry, forged, redrawn, resealed
from tests.rolls.fairness.outside_forging import SECRET, WAYS, made_outside


class Signer(NamedTuple):
    """A key such as random.org's, its certificate as a file, and what a campaign has made with it."""

    key: rsa.RSAPrivateKey
    certificate: Path
    made: Made


def sign(key: rsa.RSAPrivateKey, text: bytes) -> bytes:
    """Sign as random.org does."""
    return key.sign(text, PKCS1v15(), SHA512())


def certified(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> x509.Certificate:
    """A certificate of a key, signed by itself."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "A small server")])
    now = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now).not_valid_after(now + dt.timedelta(days=1))
    return made.sign(key, SHA256())


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    """A campaign whose answers are signed."""
    folder = tmp_path_factory.mktemp("signed")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    path = folder / "server.crt"
    path.write_bytes(certified(key).public_bytes(Encoding.PEM))
    return Signer(key, path, asyncio.run(made_outside(folder, lambda text: sign(key, text))))


def verified(file: File, certificate: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], str]:
    """The exit code of the command, what it prints, and what it complains of."""
    path = certificate.parent / "entry.json"
    path.write_text(json.dumps(file))
    code = main(["verify", str(path), "--random-org-certificate", str(certificate)])
    told = capsys.readouterr()
    return code, told.out.splitlines(), told.err


def test_good_signatures_are_told(signer: Signer, capsys: pytest.CaptureFixture[str]) -> None:
    """Each answer is checked, and nothing is said any more of signatures that were not; DER is read as PEM is."""
    code, told, _ = verified(signer.made.leader, signer.certificate, capsys)
    assert code == 0
    assert told[-1] == "Signatures checked against random.org's certificate: 2."
    assert not any("was not checked: that takes" in line for line in told)
    path = signer.certificate.parent / "server.der"
    path.write_bytes(x509.load_pem_x509_certificate(signer.certificate.read_bytes()).public_bytes(Encoding.DER))
    assert verified(signer.made.leader, path, capsys)[0] == 0


def test_an_edited_signature_or_a_made_up_answer_is_named(signer: Signer, capsys: pytest.CaptureFixture[str]) -> None:
    """What only the audit thread would show otherwise; a host can let the faces follow from made-up numbers, and cannot sign them: here the time is another."""
    file = forged(signer.made.leader, WAYS["signature sealed anew"].change)
    code, told, _ = verified(file, signer.certificate, capsys)
    assert (code, told) == (1, ["This isn't valid.", "Entry 8: random.org hasn't signed this answer."])

    def change(draw: File) -> None:
        draw[OUTSIDE]["random"] = draw[OUTSIDE]["random"].replace("2026-03-01", "2026-03-02")

    file = forged(signer.made.early, lambda file: resealed(redrawn(file, SECRET, change)))
    code, told, _ = verified(file, signer.certificate, capsys)
    assert (code, told[1]) == (1, "Entry 8: random.org hasn't signed this answer.")


def test_spaces_between_members_are_no_fault(signer: Signer, capsys: pytest.CaptureFixture[str]) -> None:
    """What is signed is the random object without them, in whatever way it was sent."""

    def change(draw: File) -> None:
        text = json.dumps(json.loads(draw[OUTSIDE]["random"]), indent=1)
        draw[OUTSIDE]["random"] = text

    file = forged(signer.made.early, lambda file: resealed(redrawn(file, SECRET, change)))
    assert verified(file, signer.certificate, capsys)[0] == 0


def test_what_does_not_hold_is_not_checked_for_signatures(signer: Signer, capsys: pytest.CaptureFixture[str]) -> None:
    """The heavier fault is told alone."""
    file = forged(signer.made.leader, lambda file: entry(file, 1).update(hash="0" * 64))
    code, told, _ = verified(file, signer.certificate, capsys)
    assert code == 1
    assert not any("signed" in line for line in told)


@pytest.mark.parametrize("what", ["no certificate", "another kind of key", "nothing"])
def test_what_is_no_certificate_is_refused(
    signer: Signer, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that cannot be read as one is misuse, and says so."""
    path = tmp_path / "other.crt"
    if what == "no certificate":
        path.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    elif what == "another kind of key":
        path.write_bytes(certified(ec.generate_private_key(ec.SECP256R1())).public_bytes(Encoding.PEM))
    code, told, complaint = verified(signer.made.leader, path, capsys)
    assert (code, told) == (2, [])
    assert complaint
