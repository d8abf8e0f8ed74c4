"""Summaries of a table: what share of its rows falls into any generalized group, without looking at them again."""
