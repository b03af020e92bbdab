"""Answers of the rules to lines of JSON, for answer keys: `uv run python -m tests.answers roe < questions.jsonl`."""
