"""δ-presence without complete world knowledge, run again."""
