"""Policies, their mistakes, and what `init` proposes."""
