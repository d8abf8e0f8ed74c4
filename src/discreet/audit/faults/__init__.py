"""What must not be in a release, whoever looks."""
