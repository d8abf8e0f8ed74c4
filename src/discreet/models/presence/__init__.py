"""Who is in the table at all: δ-presence, with everybody known or marginals alone."""
