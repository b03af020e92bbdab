"""The weather: rolled week by week, shown, corrected."""
