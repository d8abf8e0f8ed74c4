"""Every group a region of its own: Mondrian, and boxes of a population."""
