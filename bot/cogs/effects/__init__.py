"""What lasts on units and characters."""
