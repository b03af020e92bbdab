"""The campaign book: the page of rolls of a long-running play-by-post war game."""
