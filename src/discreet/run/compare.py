"""From a policy to a comparison: what each promise would cost on its table, and against whom each node protects."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.errors import Infeasible, Mistake, PolicyError
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.run.anonymize import find_plan
from discreet.run.intake import Intake, take_in, with_wishes
from discreet.search.lattice.comparison import Comparison, OwnRelease, compare_lattice
from discreet.search.registry import COUNTS, SEARCHES
from discreet.utility.metrics import arithmetic_loss


def compare(
    policy: Policy, *, source: Any = None, epsilon: Fraction | None = None, progress: Progress = silent
) -> Comparison:
    """Look at every node of the policy's lattice, with nothing suppressed, and at what the policy itself would publish.

    >>> from discreet.policy.policy import policy_from_words
    >>> policy = policy_from_words({
    ...     "attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    ...                    "disease": {"role": "sensitive"}},
    ...     "require": [{"k_anonymity": {"k": 2}}]})
    >>> table = {"age": ["23", "27", "31", "38"], "disease": ["flu", "cold", "cold", "flu"]}
    >>> comparison = compare(policy, source=table)
    >>> [(o.name, round(float(e), 9)) for o, e in zip(comparison.opponents, comparison.epsilons(1)) if "III" in o.name]
    [('III table', 1.0), ('III equal', 1.0)]
    """
    if not policy.sensitive:
        rule = "no column is sensitive, and adversaries are compared by what they learn about one"
        raise PolicyError(Mistake("attributes", rule, "give a column the role sensitive"))
    if epsilon is not None and epsilon < 1:
        raise PolicyError(Mistake("epsilon", f"must be at least 1, got {epsilon}", "1 is no change of belief at all"))
    progress("read", 0, 0, "")
    intake = take_in(policy, source)
    policy = with_wishes(policy, intake.frequency)
    compared = compare_lattice(intake.frequency, policy.models, epsilon, progress=progress)
    return replace(compared, own=_own(policy, intake, progress))


def _own(policy: Policy, intake: Intake, progress: Progress) -> OwnRelease:
    """What `anonymize` would deliver by this policy: its own kind of publication, rows left out as it allows."""
    own = OwnRelease(policy.publish, float(policy.suppress))
    if SEARCHES[policy.search].reads != COUNTS:
        return replace(own, why=f"search: {policy.search} is not run here")
    try:
        plan = find_plan(policy, intake, progress)
    except Infeasible:
        return replace(own, why="no release keeps its promises")
    return replace(own, loss=arithmetic_loss(plan.losses.tolist()), suppressed=plan.suppressed)
