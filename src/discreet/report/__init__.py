"""The report of a release: one data object, told as text, as JSON and as a page with charts.

The report lies beside the release and may be published with it. So it says nothing about a person, and nothing about
a value that is rare: `marginals` is the place where that is decided.
"""
