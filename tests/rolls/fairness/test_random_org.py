from __future__ import annotations

import asyncio
import datetime as dt
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256, SHA512
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from bot.cli import main
from bot.core.seeds import OUTSIDE
from bot.rolls.fairness.outside import LACKING, METHOD, NUMBERS, describe_lacking, describe_outside
from bot.rolls.fairness.random_org import RandomOrg, Usage, read_reply, read_usage
from tests.rolls.fairness.making import File, Made, chain_again, entry, forge_file, redrawn
from tests.rolls.fairness.outside_forging import SECRET, WAYS, make_outside
from tests.support.random_org import KEY, Naps, random_org


async def test_all_who_roll_in_a_pause_wait_for_its_end() -> None:
    """Each asks once it's over."""
    async with random_org() as server:
        naps, asked = Naps(), list[float]()
        way, server.delay = RandomOrg(server.url, now=naps.now, sleep=naps.sleep, timeout=60), 400
        await way.ask(KEY, "first", {})

        async def note() -> None:
            asked.append(naps.now())

        server.before = note
        replies = await asyncio.gather(*(way.ask(KEY, name, {}) for name in ("second", "third")))
        await way.close()
    assert [reply.lacking for reply in replies] == [None, None]
    assert min(asked) == pytest.approx(0.4)


async def test_of_two_pauses_the_longer_one_is_kept() -> None:
    """A delay doesn't shorten a quota's pause."""
    async with random_org() as server:
        way, begun, spent = RandomOrg(server.url, timeout=60), asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            begun.set()
            await spent.wait()

        server.delay, server.before = 100, hold
        first = asyncio.create_task(way.ask(KEY, "first", {}))
        await begun.wait()
        server.before, server.fault = None, "requests spent"
        quota = (await way.ask(KEY, "second", {})).lacking
        server.fault = None
        spent.set()
        assert (await first).lacking is None
        assert (quota, way.find_pause(KEY)) == ({"why": "quota", "code": 402}, quota)
        assert (await way.ask(KEY, "third", {})).lacking == quota
        assert len(server.asked) == 2
        await way.close()


async def test_a_pause_is_waited_for_within_the_time_for_an_answer() -> None:
    """If time runs out, nothing is asked."""
    async with random_org() as server:
        way, server.delay = RandomOrg(server.url, sleep=lambda _: asyncio.Event().wait(), timeout=60), 450
        await way.ask(KEY, "first", {})
        way.timeout = 0.05
        reply = await way.ask(KEY, "second", {})
        await way.close()
    assert (reply.lacking, len(server.asked)) == ({"why": "timeout"}, 1)


ASKED = {"campaign": "c", "entry": 3, "intent": "f" * 64, "situation": "0" * 64}
RANDOM: dict[str, Any] = {
    "method": METHOD,
    **NUMBERS,
    "replacement": True,
    "base": 10,
    "data": list(range(9)),
    "userData": ASKED,
    "serialNumber": 7,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["random", "data", "code", "id", "n"]), inner),
    max_leaves=10,
)


def make_reply(**changed: Any) -> bytes:  # noqa: ANN401 - any JSON
    """Return a reply with a changed random object."""
    result = {"random": RANDOM | changed, "signature": "c2ln", "advisoryDelay": 1500}
    return json.dumps({"jsonrpc": "2.0", "result": result, "id": "name"}).encode()


def test_a_fitting_reply_is_an_answer() -> None:
    """The pause is in seconds."""
    reply = read_reply(make_reply(), 200, "name", ASKED)
    assert reply.answer is not None
    assert reply.answer.random == json.dumps(RANDOM)
    assert (reply.lacking, reply.pause) == (None, 1.5)


@given(st.binary(), st.integers(100, 599))
def test_no_bytes_make_it_raise(data: bytes, status: int) -> None:
    """Garbage is reported as such."""
    for lacking in (read_reply(data, status, "name", ASKED).lacking, read_usage(data, status, "name")):
        assert not isinstance(lacking, Usage)
        assert lacking is not None
        assert lacking["why"] in LACKING


@given(JSON, st.sampled_from(["result", "error", "id", "jsonrpc"]))
@pytest.mark.slow
def test_no_envelope_makes_it_raise(value: Any, name: str) -> None:  # noqa: ANN401 - any JSON
    """The reason can be said."""
    envelope = {**json.loads(make_reply()), name: value}
    reply = read_reply(json.dumps(envelope).encode(), 200, "name", ASKED)
    assert reply.answer is not None or describe_outside({"lacking": reply.lacking}).endswith("seed alone")


@given(JSON, st.sampled_from(sorted(RANDOM)))
def test_nothing_else_than_was_asked_for_is_an_answer(value: Any, name: str) -> None:  # noqa: ANN401 - any JSON
    """Except for what random.org chooses."""
    reply = read_reply(make_reply(**{name: value}), 200, "name", ASKED)
    chosen = name in {"data", "serialNumber"} or value == RANDOM[name]
    assert chosen or reply.answer is None


def test_every_reason_is_a_sentence() -> None:
    """With its code, if any."""
    for why in LACKING:
        words = describe_lacking({"why": why, "code": 418})
        assert words[0].isupper() or words.startswith("random.org")
        assert "{" not in words


class Signer(NamedTuple):
    """A key, its certificate file, and a campaign's files."""

    key: rsa.RSAPrivateKey
    certificate: Path
    made: Made


def sign(key: rsa.RSAPrivateKey, text: bytes) -> bytes:
    """Sign like random.org."""
    return key.sign(text, PKCS1v15(), SHA512())


def certify(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> x509.Certificate:
    """Return a self-signed certificate."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "A small server")])
    now = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now).not_valid_after(now + dt.timedelta(days=1))
    return made.sign(key, SHA256())


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    """Make a campaign with signed answers."""
    folder = tmp_path_factory.mktemp("signed")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    path = folder / "server.crt"
    path.write_bytes(certify(key).public_bytes(Encoding.PEM))
    return Signer(key, path, asyncio.run(make_outside(folder, lambda text: sign(key, text))))


def verify(file: File, certificate: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], str]:
    """Run the command; return code, output and errors."""
    path = certificate.parent / "entry.json"
    path.write_text(json.dumps(file))
    code = main(["verify", str(path), "--random-org-certificate", str(certificate)])
    told = capsys.readouterr()
    return code, told.out.splitlines(), told.err


def test_good_signatures_are_told(signer: Signer, capsys: pytest.CaptureFixture[str]) -> None:
    """PEM and DER."""
    code, told, _ = verify(signer.made.leader, signer.certificate, capsys)
    assert code == 0
    assert told[-1] == "Signatures checked against random.org's certificate: 2."
    assert not any("was not checked: that takes" in line for line in told)
    path = signer.certificate.parent / "server.der"
    path.write_bytes(x509.load_pem_x509_certificate(signer.certificate.read_bytes()).public_bytes(Encoding.DER))
    assert verify(signer.made.leader, path, capsys)[0] == 0


def test_an_edited_signature_or_a_made_up_answer_is_named(signer: Signer, capsys: pytest.CaptureFixture[str]) -> None:
    """A host can't sign made-up numbers."""
    file = forge_file(signer.made.leader, WAYS["signature sealed anew"].change)
    code, told, _ = verify(file, signer.certificate, capsys)
    assert (code, told) == (1, ["This isn't valid.", "Entry 8: random.org hasn't signed this answer."])

    def change(draw: File) -> None:
        draw[OUTSIDE]["random"] = draw[OUTSIDE]["random"].replace("2026-03-01", "2026-03-02")

    file = forge_file(signer.made.early, lambda file: chain_again(redrawn(file, SECRET, change)))
    code, told, _ = verify(file, signer.certificate, capsys)
    assert (code, told[1]) == (1, "Entry 8: random.org hasn't signed this answer.")


def test_spaces_between_members_are_no_fault(signer: Signer, capsys: pytest.CaptureFixture[str]) -> None:
    """The signature covers the compact form."""

    def change(draw: File) -> None:
        text = json.dumps(json.loads(draw[OUTSIDE]["random"]), indent=1)
        draw[OUTSIDE]["random"] = text

    file = forge_file(signer.made.early, lambda file: chain_again(redrawn(file, SECRET, change)))
    assert verify(file, signer.certificate, capsys)[0] == 0


def test_what_does_not_hold_is_not_checked_for_signatures(signer: Signer, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the worse fault is reported."""
    file = forge_file(signer.made.leader, lambda file: entry(file, 1).update(hash="0" * 64))
    code, told, _ = verify(file, signer.certificate, capsys)
    assert code == 1
    assert not any("signed" in line for line in told)


@pytest.mark.parametrize("what", ["no certificate", "another kind of key", "nothing"])
def test_what_is_no_certificate_is_refused(
    signer: Signer, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unreadable files are misuse."""
    path = tmp_path / "other.crt"
    if what == "no certificate":
        path.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    elif what == "another kind of key":
        path.write_bytes(certify(ec.generate_private_key(ec.SECP256R1())).public_bytes(Encoding.PEM))
    code, told, complaint = verify(signer.made.leader, path, capsys)
    assert (code, told) == (2, [])
    assert complaint
