"""Wang's ambiguity, run again."""
