"""S-INSTANT and M-INSTANT: chosen from a summary, made sure by a look at the table."""
