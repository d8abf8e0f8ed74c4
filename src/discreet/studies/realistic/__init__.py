"""Realistic adversaries, run again."""
