"""Features: one file or package for each roll family or feature."""
