"""The papers' own experiments, run again: what each claims, and what was measured."""
