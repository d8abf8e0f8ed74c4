"""The release's own promises, read a second time."""
