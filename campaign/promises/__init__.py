"""Promises by the thousand, judged by an outsider: `python -m campaign.promises --seed 1 --count 10000`.

Each run draws a small table and a policy, lets the real thing publish, verify and audit it, and then judges what came
of it with code that shares nothing with `discreet`: the files are read as plain text, groups are what their labels say,
promises are what their papers define, in fractions, and what can be had at all is found by trying everything. A run
fails if a promise is broken, a published row is untrue, "optimal" is not the optimum, something possible is refused, or
`anonymize`, `verify` and `audit` contradict each other or the outsider.
"""
