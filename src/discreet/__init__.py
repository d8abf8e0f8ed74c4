"""Publish tables about people without giving the people away."""
