"""What a release is held against: its table, and the people around it."""
