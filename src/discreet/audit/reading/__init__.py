"""A finished release as an adversary reads it: files, labels, manifest, page."""
