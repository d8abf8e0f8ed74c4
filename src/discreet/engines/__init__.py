"""The only place that executes a query. Counts its scans."""
