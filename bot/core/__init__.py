"""What a campaign is and what it did."""
