"""`.ci/audit`: known vulnerabilities fail, a registry that does not answer is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import ROOT

SAFE = {"name": "tqdm", "version": "4.70.1", "vulns": []}
WEAK = {"name": "yarl", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}
UNKNOWN = {"name": "simcord", "skip_reason": "Dependency not found on PyPI"}


def audited(folder: Path, answer: str) -> tuple[int, str]:
    """What the script exits with and prints, where the tool that it asks prints this answer."""
    fake = folder / "uv"
    fake.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n", "utf-8")
    fake.chmod(0o700)
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    script = [sys.executable, str(ROOT / ".ci/audit")]
    done = subprocess.run(script, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - our own words
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("found", "code", "said"),
    [
        ([SAFE, WEAK], 1, "yarl 1.0: PYSEC-1, mended in 1.1\n"),
        ([SAFE, UNKNOWN], 0, "1 of 2 packages were looked up"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (([SAFE], 0, "1 packages were looked up\n"), ([UNKNOWN], 0, "no package was looked up"))
        ),
    ],
)
def test_a_known_vulnerability_fails(tmp_path: Path, found: list[dict[str, Any]], code: int, said: str) -> None:
    """It is named with the version that mends it; how many packages were looked up is told, never more than were."""
    exited, told = audited(tmp_path, json.dumps({"dependencies": found}))

    assert exited == code
    assert said in told


def test_a_missing_network_is_told_and_fails_nothing(tmp_path: Path) -> None:
    """Where the tool prints no report, that is said."""
    assert audited(tmp_path, "") == (0, "Nobody answers here who knows of vulnerabilities: no package was looked up\n")
