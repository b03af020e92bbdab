"""Pictures drawn with Pillow: canvas, style, rows, tiles, maps."""
