"""Figures of speed and size, each a ratio measured side by side in one run: `uv run python -m tests.bench`."""
