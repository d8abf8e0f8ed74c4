"""Instant anonymization, run again."""
