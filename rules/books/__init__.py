"""The rule books that Adjutant ships, one folder each."""
