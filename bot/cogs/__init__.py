"""Features, one file or package each."""
