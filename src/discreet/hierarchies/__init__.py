"""How values become coarser: levels per attribute, builders, and the lattice of all combinations."""
