"""PostgreSQL: tables are counted and published in the server."""
