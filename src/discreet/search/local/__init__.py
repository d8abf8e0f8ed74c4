"""Local recoding: every group as coarse as it needs to be."""
