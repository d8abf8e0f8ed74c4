"""ART: groups of exact values against whoever knows how likely people are to have each."""
