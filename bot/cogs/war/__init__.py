"""Total War: a war on a map of hexes, with a board for each fight."""
