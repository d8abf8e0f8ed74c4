"""A good release quickly: descend from the top, then raise some attributes and descend again, again and again.

Large neighbourhood search (Shaw 1998). It proves nothing; the release it finds is what the proof starts from, and what
is published if time runs out before the proof is done.
"""

from __future__ import annotations

from random import Random
from time import monotonic

from discreet.search.lattice.node_judge import Judged, NodeJudge

PATIENCE = 200  # descents in a row that find nothing better
_RAISED = 2, 4  # attributes; with more of them the next descent forgets what the last one found


class Dive:
    """One walk through the lattice; the same in every run that has the time for it."""

    def __init__(self, nodes: NodeJudge, deadline: float):
        self._nodes, self._deadline = nodes, deadline
        self._random = Random(0)
        self._base = nodes.judge(nodes.top)

    def search(self, until: float) -> None:
        """Descend until nothing better has been found for a while, or time is up."""
        in_vain = 0
        while in_vain < PATIENCE and monotonic() < until:
            before = self._nodes.best
            self.descend_again()
            in_vain = 0 if self._nodes.best is not before else in_vain + 1

    def descend_again(self) -> None:
        """Raise a few attributes of the best node to the top, then lower whatever can be lowered, in random order."""
        best = self._nodes.best
        if best is not None and best.score < self._base.score:
            self._base = best
        top = self._nodes.top
        few = self._random.sample(range(len(top)), min(self._random.randint(*_RAISED), len(top)))
        start = self._nodes.judge(tuple(top[d] if d in few else level for d, level in enumerate(self._base.node)))
        reached = self._descend(start)
        if _rank(reached) <= _rank(self._base):  # equals too: another start
            self._base = reached

    def _descend(self, current: Judged) -> Judged:
        finest = self._nodes.problem.finest
        can_go = [d for d, level in enumerate(current.node) if level > finest[d]]
        while can_go and monotonic() < self._deadline:
            d = self._random.choice(can_go)
            node = current.node
            finer = self._nodes.judge((*node[:d], node[d] - 1, *node[d + 1 :]))
            if _rank(finer) <= _rank(current):  # equals too: the first step down may change no group
                current = finer
            if finer is not current or finer.node[d] == finest[d]:
                can_go.remove(d)
        return current


def _rank(judged: Judged) -> tuple[float, int]:
    """What can be published comes first; among the others, what suppresses less."""
    return judged.score, judged.suppressed
