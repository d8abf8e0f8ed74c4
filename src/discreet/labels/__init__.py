"""How single values are written and read back."""
