"""Total War: a hex map with supply, gold and building, and a board for every fight (gundam-0079-total-war)."""
