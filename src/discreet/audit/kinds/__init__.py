"""The kinds of releases as an adversary meets them: a class for each, and the one table of them (`registry`)."""
