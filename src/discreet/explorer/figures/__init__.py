"""What the steps of the explorer show, computed from a policy and the counts of its table: plain values, no rows.

`answers` is what a slider asks for while it moves; `cards`, `tradeoff`, `lattice`, `data` and `adversaries` are a step
each. `candidate` is the release that a policy would give.
"""
