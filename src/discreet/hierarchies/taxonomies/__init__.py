"""Taxonomies that are drafted, checked and drawn: what `discreet hierarchy` does."""
