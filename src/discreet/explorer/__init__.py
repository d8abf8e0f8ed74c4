"""A page on this machine to choose a release by looking: `discreet explore`.

`session` holds the one table and the words of its policy, `server` answers the page in `page/`, `guard` lets nobody
else in, `jobs` runs what takes longer. What is computed from counts is in `figures/`, a module for each step.
"""
