"""`/roe check` and `/roe odds`: skill rolls, and what rolls and attacks will come to."""
