"""Groups of exact values: Anatomy, Injector, MASK."""
