"""The numbers of the robustness paper's tables 5 and 7, and its theorem 1, which is false."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import product

from discreet.models.examples import bucketized
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust
from discreet.models.robust.sizes import delta_max
from discreet.studies import worlds
from discreet.studies.claims import Claim

_TABLE_7 = {
    (3, 2, 0.1): 0.0474,
    (3, 2, 0.3): 0.1235,
    (3, 2, 0.5): 0.1667,
    (3, 2, 0.9): 0.0818,
    (4, 2, 0.3): 0.1750,
    (6, 2, 0.3): 0.2211,
    (6, 3, 0.3): 0.1537,
    (6, 4, 0.3): 0.0955,
}
Chances = dict[Hashable, Fraction]
# Four people, four values, each once; what is left of 1 goes to values that nobody has.
_VALUES = ("x1", "x2", "x3", "x4")
_CHANCES = {"a": (".04", ".04", ".03", ".04"), "b": (".1", ".1", ".012", ".1")}
_PEOPLE = ("a", "b", "b", "b")


def worked_example() -> Iterator[Claim]:
    """Tables 5 and 7, and a group that obeys theorem 1 and is not robust."""
    half: Chances = {"x": Fraction(1, 2), "y": Fraction(1, 2)}
    fifth: Chances = {"x": Fraction(1, 5), "y": Fraction(4, 5)}
    weight = worlds.independent([half, half, fifth, fifth])
    chance = worlds.belief(worlds.enumerate("xxyy", weight), lambda world: world[0] == "x")
    says = "Table 5: the first of four people has x with probability 0.72"
    yield Claim("example 4", says, f"{chance} = {float(chance):.4f}; the paper adds rounded numbers", chance == 0.72)
    apart = max(abs(float(delta_max(n, r, f)) - printed) for (n, r, f), printed in _TABLE_7.items())
    yield Claim(
        "table 7",
        f"{len(_TABLE_7)} values of the bound Δmax, for 3 to 6 people and r = 2 to 4",
        f"they differ by at most {apart:.1g}; four digits are printed",
        apart <= 0.00005 + 1e-12,
    )
    yield _theorem_1()


def _theorem_1() -> Claim:
    chances: dict[str, Chances] = {
        kind: dict(zip(_VALUES, map(Fraction, listed), strict=True)) for kind, listed in _CHANCES.items()
    }
    r, size = Fraction(2), len(_PEOPLE)
    obeys = True
    for value in _VALUES:
        of = [chances[kind][value] for kind in _PEOPLE]
        obeys = obeys and bool(float(max(of) - min(of)) <= delta_max(size, r, float(max(of))))
    weight = worlds.independent([chances[kind] for kind in _PEOPLE])
    listed = list(worlds.enumerate(_VALUES, weight))
    beliefs = [
        worlds.belief(listed, lambda world, t=t, x=x: world[t] == x)  # type: ignore[misc]
        for t, x in product(range(size), _VALUES)
    ]
    known = [({"kind": kind}, value, p) for kind, of in chances.items() for value, p in of.items()]
    group = [*zip(_PEOPLE, _VALUES, strict=True)]
    unlike = [("a", "another"), ("b", "another")]  # somebody has what is left of 1
    groups = bucketized("value", ["kind"], [group], table=[*group, *unlike])
    promise = Robust(r, "value", values=tuple((value,) for value in _VALUES), knowledge=GivenKnowledge(known))
    refused = not promise.holds(groups).all()
    worst = max(beliefs)
    return Claim(
        "theorem 1",
        "where Δ is at most Δmax for every value of a group, nobody has any with a probability above 1/r",
        f"of four people with four values, {'all' if obeys else 'not all'} Δ obey the bound at r = 2; over the "
        f"{len(listed)} possible worlds one of them has a value with {float(worst):.4f} > 0.5. Our verdict: "
        f"{'refused' if refused else 'kept'}",
        not (obeys and worst > 1 / r),
    )
