"""15 quasi-identifiers, 30,000 rows, more nodes than anybody can check: how good is the release after some seconds?

Searches with different limits are independent runs. The bound is proven: no full-domain release loses less.
"""

from __future__ import annotations

from math import prod

from benchmarks.measure import Findings, Options, Table, timed
from discreet.policy.policy import policy_from_words
from discreet.run.intake import take_in
from discreet.samples.census import QUASI_IDENTIFIERS, census_attributes, census_like
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem, Recoding

ROWS = 30_000
SECONDS = (5, 15, 30, 60)


def measure(options: Options) -> Findings:
    """Search with growing limits."""
    names = QUASI_IDENTIFIERS[:15]
    policy = policy_from_words(
        {"attributes": census_attributes(15), "require": [{"k_anonymity": {"k": 5}}], "suppress": 0.02}
    )
    frequency = take_in(policy, census_like(ROWS, columns=[*names, "salary"])).frequency
    problem = Problem(frequency, policy.models, int(policy.suppress * frequency.rows), policy.utility)
    nodes = prod(h.height + 1 for h in frequency.hierarchies)
    columns = ("seconds", "loss", "proven bound", "gap", "gap / loss", "checked", "suppressed", "wall s")
    table = Table(f"{len(names)} quasi-identifiers, {ROWS:,} invented people, {nodes:,} nodes, k = 5, 2%", columns)
    for seconds in SECONDS:
        plans: list[Recoding] = []
        cost = timed(lambda s=seconds, f=plans: f.append(optimal(problem, time_limit=s)))
        plan = plans[0]
        loss, bound = plan.facts["score"], plan.facts["lower_bound"]
        checked = plan.facts["nodes_checked"]
        table.add(seconds, loss, bound, loss - bound, (loss - bound) / loss, checked, plan.suppressed, cost.wall)
    first, last = table.rows[0], table.rows[-1]
    says = [
        f"loss {first[1]:.4f} after {first[0]} s, {last[1]:.4f} after {last[0]} s; "
        + ("proven optimal" if not last[3] else f"at most {last[4]:.1%} of it could be saved by another node")
    ]
    return Findings(__doc__.splitlines()[0], [table], says)
