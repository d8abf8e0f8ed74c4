"""The tables that studies run on: from a data folder, or invented; whole, and parts of them."""
