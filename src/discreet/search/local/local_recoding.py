"""Local recoding: every group as coarse as it needs to be, and no coarser.

Three steps, each as far as it goes. *Settle*: visit the generalizations from the finest on; wherever rows that are
still alone become equal to others with which they keep the promises, they settle there. *Cut*: cut everything from the
top as well, as Mondrian does; of the two partitions (and of the start, if one is given) the cheaper is taken,
neighbourhood by neighbourhood. *Refine*: rows join, swap, found and leave groups until no move lowers the loss. Rows
are left out at first only if the promises can't be kept with them; when nothing else helps any more, also where that
costs less than what they do to the others.
"""

from __future__ import annotations

from discreet.progress import Progress, silent
from discreet.search.local.refinement import published, refine
from discreet.search.local.space import combinations
from discreet.search.local.sweep import settled
from discreet.search.multidimensional.cutting import cut_down
from discreet.search.multidimensional.left_out import holding, one_group, with_everybody
from discreet.search.multidimensional.partition import Partition, cheaper_of
from discreet.search.plan import Problem, Recoding


def local_recoding(problem: Problem, progress: Progress = silent, start: Recoding | None = None) -> Recoding:
    """A plan of low loss under which every group holds; never worse than without suppression, nor than `start`.

    Raises `Infeasible` if even all rows together break a promise, whichever of them may be left out.
    """
    problem = problem.by_seat
    partition = whole = one_group(problem)
    if partition.groups:
        table = combinations(problem.frequency)
        partition = cheaper_of(settled(problem, table, whole, progress), cut_down(problem, whole, progress))
        if start is not None:
            partition = _cheaper_start(problem, start, partition)
        partition = refine(problem, table, partition, progress)
    return holding(problem, partition, whole).plan({"search": "local"})


def _cheaper_start(problem: Problem, start: Recoding, partition: Partition) -> Partition:
    """The better of what was found and a given plan. If nobody has to be left out, all whom it suppresses come back."""
    begun = Partition(problem.frequency, start.row, start.count, start.group)  # what it suppresses is −1 here too
    if not partition.suppressed:
        return cheaper_of(with_everybody(problem, begun), partition)
    fits = start.suppressed <= problem.suppression_limit
    return min(partition, published(begun), key=lambda p: p.loss) if fits else partition
