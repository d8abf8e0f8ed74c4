"""What a command does from beginning to end: take a table in, search, publish, read back, report."""
