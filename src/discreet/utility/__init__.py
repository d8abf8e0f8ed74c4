"""Loss metrics: what a release costs those who use it."""
