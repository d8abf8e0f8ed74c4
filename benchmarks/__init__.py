"""Benchmarks: one question a file, answered as ratios measured side by side. Run them with `python -m benchmarks`."""
