"""The rules by which values become coarser, each of them a small frozen value that meets `Rule`."""

from discreet.hierarchies.base import Misfit
from discreet.hierarchies.categories import Flat, Prefixes
from discreet.hierarchies.dates import Dates
from discreet.hierarchies.intervals import Cuts, Intervals
from discreet.hierarchies.taxonomy import Taxonomy

__all__ = ["Cuts", "Dates", "Flat", "Intervals", "Misfit", "Prefixes", "Taxonomy"]
