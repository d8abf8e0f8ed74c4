"""Groups in which neither presence nor values can be told."""
