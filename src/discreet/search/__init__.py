"""From counts and promises to a plan."""
