"""Possible worlds: who fits where, counted or bounded."""
