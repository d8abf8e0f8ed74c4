"""Worst-case background knowledge, run again."""
