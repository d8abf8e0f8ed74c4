"""r-robustness: adversaries who know who is likely to have what."""
