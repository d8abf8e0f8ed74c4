"""Local recoding: every group as coarse as it needs to be, and no coarser. Nothing is suppressed.

Three steps, each as far as it goes. *Settle*: visit the generalizations from the finest on; wherever rows that are
still alone become equal to others with which they keep the promises, they settle there. *Cut*: cut everything from the
top as well, as Mondrian does; of the two partitions (and of the start, if one is given) the cheaper is taken,
neighbourhood by neighbourhood. *Refine*: rows join, swap, found and leave groups until no move lowers the loss.
"""

from __future__ import annotations

from discreet.progress import Progress, silent
from discreet.search.local.refinement import refine
from discreet.search.local.space import combinations
from discreet.search.local.sweep import settled, with_everybody
from discreet.search.multidimensional.mondrian import cut_down
from discreet.search.multidimensional.partition import Partition, cheaper_of, one_group
from discreet.search.plan import Problem, Recoding


def local_recoding(problem: Problem, progress: Progress = silent, start: Recoding | None = None) -> Recoding:
    """A plan of low loss under which every group holds and every row is published; never worse than `start`.

    Raises `Infeasible` if even all rows together break a promise.
    """
    partition = one_group(problem)
    if partition.groups:
        table = combinations(problem.frequency)
        partition = cheaper_of(settled(problem, table, progress), cut_down(problem, partition, progress))
        if start is not None:
            begun = Partition(
                problem.frequency, start.row, start.count, start.group
            )  # what it suppresses is −1 here too
            partition = cheaper_of(with_everybody(problem, begun), partition)
        partition = refine(problem, table, partition, progress)
    return partition.plan({"search": "local"})
