"""One level for each column, or one cut: full-domain generalizations and their searches."""
