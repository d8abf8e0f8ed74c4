"""Privacy promises, each judged on groups alone."""
