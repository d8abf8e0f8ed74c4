"""Files that somebody else may have made."""
