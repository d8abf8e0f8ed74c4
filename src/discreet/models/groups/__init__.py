"""Promises about each group of rows by itself: k, ℓ, t, (α, k), β, δ."""
