"""Invented tables, to try things out."""
