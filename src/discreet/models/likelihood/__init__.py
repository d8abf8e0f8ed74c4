"""How likely a promise is kept, told from a summary before anybody has looked at the table."""
