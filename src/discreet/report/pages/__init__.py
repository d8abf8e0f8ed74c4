"""Answers of other commands, as pages and as text."""
