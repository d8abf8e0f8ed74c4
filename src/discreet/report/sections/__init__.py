"""The parts of a report, each made of data by itself."""
