"""Words into calls; decides nothing."""
