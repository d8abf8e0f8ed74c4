"""Apache Spark: tables are counted and published where they are."""
