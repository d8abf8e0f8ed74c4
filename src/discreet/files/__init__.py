"""Files that somebody else may have made, and those that are ours for a while: read with care, written whole."""
