"""Invented tables."""
