"""RoE, 7th edition: d100 checks and contests, fights in turns, wounds by the clock (roe-7th-edition-dice)."""
