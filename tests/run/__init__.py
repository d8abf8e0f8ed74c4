"""Commands from beginning to end."""
