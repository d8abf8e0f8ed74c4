"""Each kind of release, written and read back."""
