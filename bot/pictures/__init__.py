"""Pictures of the weather: pure functions from data to PNG bytes. They load Pillow: import them late."""
