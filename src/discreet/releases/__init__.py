"""Plans become published tables, with a manifest that says what is promised, re-checked from the files."""
