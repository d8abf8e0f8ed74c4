"""From a policy to a comparison: what each promise would cost on its table, and against whom each node protects."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

from discreet.errors import Mistake, PolicyError
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.releases.choices import PolicyComparison
from discreet.run.choices import choices
from discreet.run.intake import count, fitted, with_wishes
from discreet.search.lattice.comparison import compare_lattice


def compare(
    policy: Policy, *, source: Any = None, epsilon: Fraction | None = None, progress: Progress = silent
) -> PolicyComparison:
    """Look at what is near the policy, as it would be published, and at every node of its lattice with nothing
    suppressed; the table is counted once.

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
    counted = count(policy, source)
    intake = fitted(policy, counted)
    models = with_wishes(policy, intake.frequency).models
    compared = compare_lattice(intake.frequency, models, epsilon, progress=progress)
    near = choices(policy, counted, progress)
    told = {field.name: getattr(compared, field.name) for field in fields(compared)}
    return PolicyComparison(**told, limit=float(policy.suppress), whose=policy.whose, choices=near)
