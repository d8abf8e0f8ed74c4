"""Frequency sets, groups, and the compiled kernels that count them."""
