"""One roll: request, situation, resolver, entry, embed."""
