"""Who is in the table: model, search, release, report."""
