"""From a policy to a comparison: what each promise would cost on its table, and against whom each node protects."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.errors import Mistake, PolicyError
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.releases.choices import PolicyComparison
from discreet.run.choices import choices
from discreet.run.intake import Counted, count, fitted, with_wishes
from discreet.search.lattice.comparison import Comparison, compare_lattice
from discreet.search.lattice.whole_lattice import MOST_NODES


def compare(
    policy: Policy, *, source: Any = None, epsilon: Fraction | None = None, progress: Progress = silent
) -> PolicyComparison:
    """Look at what is near the policy, as it would be published, and at every node of its lattice with nothing
    suppressed; the table is counted once. Nodes are compared by what adversaries learn of a sensitive column.

    >>> from discreet.policy.policy import policy_from_words
    >>> policy = policy_from_words({
    ...     "attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    ...                    "disease": {"role": "sensitive"}},
    ...     "require": [{"k_anonymity": {"k": 2}}]})
    >>> table = {"age": ["23", "27", "31", "38"], "disease": ["flu", "cold", "cold", "flu"]}
    >>> comparison = compare(policy, source=table)
    >>> nodes = comparison.nodes
    >>> [(o.name, round(float(e), 9)) for o, e in zip(nodes.opponents, nodes.epsilons(1)) if "III" in o.name]
    [('III table', 1.0), ('III equal', 1.0)]
    """
    if epsilon is not None and epsilon < 1:
        raise PolicyError(Mistake("epsilon", f"must be at least 1, got {epsilon}", "1 is no change of belief at all"))
    progress("read", 0, 0, "")
    counted = count(policy, source)
    nodes, without = _nodes(policy, counted, epsilon, progress)
    near = choices(policy, counted, progress)
    rows, sensitive = counted.frequency.rows, tuple(policy.sensitive)
    return PolicyComparison(float(policy.suppress), policy.whose, rows, sensitive, near, nodes, without)


def _nodes(
    policy: Policy, counted: Counted, epsilon: Fraction | None, progress: Progress
) -> tuple[Comparison | None, str]:
    """Every node of the lattice; or None and why they are not compared."""
    if not policy.sensitive:
        return None, "no column is sensitive, and adversaries are compared by what they learn of one"
    intake = fitted(policy, counted)
    many = intake.frequency.nodes
    if many > MOST_NODES:
        return None, f"there are {many:,} combinations of levels, and at most {MOST_NODES:,} can be looked at"
    models = with_wishes(policy, intake.frequency).models
    return compare_lattice(intake.frequency, models, epsilon, progress=progress), ""
