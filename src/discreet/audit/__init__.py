"""Adversaries run against finished releases, from what was published; shares no code with what made them."""
