"""What a policy may say, every mistake at once; and what `init` proposes."""
