"""Whose rows are they? People counted in a release, by a source that names them."""
