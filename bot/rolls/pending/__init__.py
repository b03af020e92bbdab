"""Rolls that wait for somebody's answer: any family may ask for one. No die falls before all is said."""
