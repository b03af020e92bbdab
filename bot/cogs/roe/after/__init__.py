"""What comes after a fight: `/roe take`, `/roe capture` and `/roe wounds`."""
