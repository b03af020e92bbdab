"""Places on grids of hexes and of squares, and ways between them. Pure: what stands where is the caller's to say."""
