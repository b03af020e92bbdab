"""What a campaign's past costs: `uv run python -m tests.bench.check FILE`, on a SQLite file that holds one.

Prints one JSON object: how long `ledger check` takes for a thousand entries, the memory of all its processes at the peak,
how much the file holds for each entry, and how busy the machine was. No part of the other figures, as a million entries take
their time.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil

EVERY = 0.1


def main(file: Path) -> int:
    """Check the file in a process of its own, and print the figures; return what that process returned."""
    entries, held = size(file)
    begun, load = time.perf_counter(), os.getloadavg()[0]
    command = [sys.executable, "-m", "bot", "ledger", "check"]
    env = {**os.environ, "DATABASE_URL": f"sqlite:///{file}"}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - our own words
        peak = watched(process)
        code = process.returncode
    seconds = time.perf_counter() - begun
    figures: dict[str, Any] = {
        "entries": entries,
        "bytes_per_entry": round(held / entries),
        "seconds": round(seconds, 2),
        "seconds_per_1000": round(seconds * 1000 / entries, 4),
        "peak_mib": round(peak / 2**20),
        "load_before": round(load, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "found_whole": code == 0,
    }
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return code


def size(file: Path) -> tuple[int, int]:
    """How many entries a file holds, and the bytes that are in use."""
    with closing(sqlite3.connect(file)) as tx:
        (entries,) = tx.execute("select count(*) from entry").fetchone()
        pages, free, page = (
            tx.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
    return entries, (pages - free) * page


def watched(process: subprocess.Popen[bytes]) -> int:
    """Wait for a process; return the most memory that it and its children held at once, as far as it is theirs alone."""
    peak = 0
    while process.poll() is None:
        with suppress(psutil.Error):
            root = psutil.Process(process.pid)
            peak = max(peak, sum(_own(item) for item in (root, *root.children(recursive=True))))
        time.sleep(EVERY)
    return peak


def _own(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_full_info().uss)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
