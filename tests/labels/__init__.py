"""How values are written and read."""
