"""The realistic paper's worked example: table 3."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.models.examples import groups_of
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.priors import CountsPrior, SharesPrior
from discreet.models.realistic.realistic import Realistic, smallest_epsilon
from discreet.studies.claims import Claim


def worked_example() -> Iterator[Claim]:
    """What the paper says of its table 3, with one disease each for flu and cancer."""
    groups = groups_of(
        "disease",
        ["flu"] * 200 + ["cancer"] * 300,
        ["flu"] * 1800 + ["cancer"] * 2700,
        ["flu"] * 18000 + ["cancer"] * 2000,
    )
    women = 2
    metropolis = CountsPrior({"flu": 11999, "cancer": 17999})
    one = ClassOne(metropolis.stubbornness, metropolis)
    three = ClassThree(SharesPrior({"flu": 0.4, "cancer": 0.6}))

    def epsilon(adversary: Adversary, group: int) -> float:
        return float(smallest_epsilon(groups, adversary, "disease")[group])

    for name, adversary, said in (
        ("class I, D(12000, 18000)", one, 4.0),
        ("class II, σ = 30,000", ClassTwo(30000), 6.4),
        ("class III, shares (.4, .6)", three, 6.0),
    ):
        smallest = epsilon(adversary, women)
        says = f"Table 3, women and flu: {said:g}-private against {name}"
        yield Claim("example 3", says, f"smallest ε {smallest:.4f}", abs(smallest - said) < 0.005 * said)
    private = Realistic("5/2", one, "disease").holds(groups).all()
    worst = epsilon(one, women)
    says = "Table 3 is 2.5-private against D(12000, 18000)"
    measured = f"{'it is' if private else 'it is not'}: the smallest ε is {worst:.4f}, as its own example 3 has it"
    yield Claim("after theorem 1", says, measured, bool(private))
    private = Realistic(3, ClassTwo(1000), "disease").holds(groups).all()
    worst = float(smallest_epsilon(groups, ClassTwo(1000), "disease").max())
    yield Claim(
        "after theorem 2", "Table 3 is 3-private against class II, σ = 1000", f"smallest ε {worst:.4f}", bool(private)
    )
    men = epsilon(ClassTwo(30000), 0)
    says = "against class II, σ = 30,000, men below 40 need ε ≥ 61"
    yield Claim("after theorem 2", says, f"smallest ε {men:.4f}", abs(men - 61) < 0.005)
