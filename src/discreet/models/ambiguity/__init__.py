"""(α, β)-privacy: exact values whose combinations are hidden."""
