"""The explorer's page, in a real browser and as files."""
