"""What a policy may say, every mistake at once. What `init` proposes has a room of its own, `proposing`."""
