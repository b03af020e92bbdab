"""Maps and boards drawn, and the same facts in words."""
