"""Pictures drawn with Pillow: canvas, lettering, palette, tiles, maps."""
