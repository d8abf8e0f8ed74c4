"""Machanavajjhala, Gehrke & Götz 2009: its worked example (table 3) and its 72-node study (section 4), run again.

The paper's data are 3 million rows of the American Community Survey, which can't be handed on. The study needs age,
marital status, race and gender with 6 · 3 · 2 · 2 levels, and a salary of two values, the higher one that of about a
third of the people. A census table of the data folder has them; without it people are invented.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.labels.figures import epsilon_text, percent
from discreet.models.examples import groups_of
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.priors import CountsPrior, SharesPrior
from discreet.models.realistic.realistic import Realistic, smallest_epsilon
from discreet.progress import Progress, silent
from discreet.report.pages.compare_page import node_text
from discreet.search.lattice.comparison import Comparison, compare_lattice, power
from discreet.studies.claims import Claim, Reproduction
from discreet.studies.tables import Study, counted, in_folder, invented_columns, sample, values_told

PAPER = "Machanavajjhala, Gehrke & Götz: Data Publishing against Realistic Adversaries (VLDB 2009)"
ROWS = 3_000_000  # about as many as the paper's table has
WEALTHY = 0.334  # the share of the higher salary there
REFERENCE = (5, 1, 1, 0)  # the node of the paper's figure 2(a)
_PRINTED = 0.005  # differences that the paper's tables can't show
_CENSUS = Path("census") / "sal500k.csv.gz"
_WORDS = (
    ("node", "one level for every quasi-identifier, in the order of the columns above"),
    ("group", "published rows that cannot be told apart"),
    ("loss", "how vague the published values are, 0% is unchanged, 100% is all *"),
)
_COLUMNS = {"age": "age", "marital": "marital_status", "race": "race", "gender": "sex"}  # folder → census_like


def reproduce(folder: Path | None = None, rows: int | None = None, progress: Progress = silent) -> Reproduction:
    """Run it again, on the census of the data folder (or `rows` of it) or, without one, on invented people."""
    start = perf_counter()
    progress("read", 0, 0, "")
    study = from_folder(folder, rows) if folder is not None else invented(rows or ROWS)
    comparison = _drawn_as_in_the_paper(compare_lattice(study.frequency, progress=progress))
    claims = (*worked_example(), *lattice_claims(comparison))
    seconds = round(perf_counter() - start, 3)
    return Reproduction(PAPER, study.data, study.from_folder, claims, seconds, words=_WORDS, comparison=comparison)


def has_data(folder: Path) -> bool:
    """Does the folder have what the study needs?"""
    return (folder / _CENSUS).is_file()


def from_folder(folder: Path, rows: int | None = None) -> Study:
    """The census table of the data folder, salary cut in two where the higher part is nearest to the paper's share."""
    source = in_folder(folder / _CENSUS)
    hierarchies = {name: str(folder / "census" / "hierarchies" / f"{name}.csv") for name in _COLUMNS}
    frequency = sample(counted(hierarchies, "salary", source), rows)
    salaries = np.array([float(leaf or "nan") for leaf in frequency.sensitive_hierarchies["salary"].leaves])
    earners = frequency.totals["salary"]
    above = np.array([earners[salaries >= cut].sum() for cut in salaries]) / frequency.rows
    cut = salaries[np.argmin(np.abs(above - WEALTHY))]
    two = build("salary", ["low", "high"], Flat())
    codes = np.where(salaries >= cut, two.index["high"], two.index["low"]).astype(np.int32)
    sensitive = {"salary": codes[frequency.sensitive["salary"]]}
    frequency = replace(frequency, sensitive=sensitive, sensitive_hierarchies={"salary": two})
    return Study(frequency, f"{_CENSUS.as_posix()}: {_told(frequency)}", True)


def invented(rows: int = ROWS, seed: int = 7) -> Study:
    """As many people who do not exist, whose salary hangs on age, sex and marriage roughly as in a real census.

    The numbers are fitted to a census's rates of the higher salary by age, by sex and by marriage, and to nothing else.
    Don't fit them to the claims: whether class II beats (4, 2)-diversity turns on them (see docs/studies.md), since
    diversity depends on how uneven salaries are between groups, and class II on how large groups are.
    """
    from discreet.samples.census import CENSUS, draw_columns

    names = list(_COLUMNS.values())
    codes = draw_columns(CENSUS, names, rows, seed)
    years = np.array(CENSUS["age"].values, dtype=np.float64)[codes["age"]] - 48
    odds = -0.6 - (years / np.where(years < 0, 20, 25)) ** 2
    odds += np.where(codes["sex"] == CENSUS["sex"].values.index("Male"), 0.6, -0.5)
    odds += np.where(codes["marital_status"] == CENSUS["marital_status"].values.index("Married"), 0.5, -0.1)
    high = np.random.default_rng(seed).random(rows) < 1 / (1 + np.exp(-odds))
    values = {n: CENSUS[n].values for n in names} | {"salary": ("low", "high")}
    table = invented_columns(codes | {"salary": high.astype(np.int16)}, values)
    frequency = counted({n: CENSUS[n].hierarchy for n in names}, "salary", table)
    return Study(frequency, f"invented people, as no data folder was given: {_told(frequency)}", False)


def _told(frequency: FrequencySet) -> str:
    high = frequency.sensitive_hierarchies["salary"].index["high"]
    share = float(frequency.totals["salary"][high] / frequency.rows)
    return f"{values_told(frequency)}; {percent(share)} have the higher of two salaries"


def _drawn_as_in_the_paper(c: Comparison) -> Comparison:
    """Figure 2(a) is about one node; the same one here."""
    at = _at(c, REFERENCE)
    families = {
        family: tuple(
            replace(p, epsilon=float(c.lattice.levels[at, column]))
            for p, column in zip(points, _family(c, family), strict=True)
        )
        for family, points in c.families.items()
    }
    return replace(c, reference=at, reference_why="the paper's own choice", families=families)


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
        found = epsilon(adversary, women)
        says = f"Table 3, women and flu: {said:g}-private against {name}"
        yield Claim("example 3", says, f"smallest ε {found:.4f}", abs(found - said) < 0.005 * said)
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


def lattice_claims(c: Comparison) -> Iterator[Claim]:
    """What the paper says of the 72 nodes."""
    lattice, levels = c.lattice, c.lattice.levels
    many = len(lattice)
    yield Claim("section 4", "the lattice has 72 generalizations", f"{many} nodes", many == 72)

    for family, names in (("I table", "the table's shares"), ("I equal", "equal shares")):
        yield _class_one_needs_least(c, family, names)
    yield _grows_with_stubbornness(c)
    weak, strong = (int((levels[:, _family(c, "II")[i]] <= 20).sum()) for i in (2, 5))
    yield Claim(
        "section 4.1",
        "useful tables despite any prior shape: 16 are 20-private against class II with σ = 10³, 4 with σ = 10⁶",
        f"{weak} and {strong} of {many} nodes",
        weak > strong > 1,
    )
    yield _same_as_class_one(c)
    yield _beats_diversity(c)
    yield _utility_falls(c)
    yield _equivalence(c)
    yield from _closeness(c)


def _class_one_needs_least(c: Comparison, family: str, names: str) -> Claim:
    levels = c.lattice.levels
    one, three = (levels[:, column] for column in _family(c, family)[-2:])
    two = levels[:, _family(c, "II")[-1]]
    finite = np.isfinite(one)
    others = np.minimum(two, three)
    excess = float(np.max(one[finite] - others[finite], initial=0.0))
    return Claim(
        "section 4.1",
        f"class I ({names}, σ = 10⁶) needs less ε than class III and than class II of the same σ, in every table",
        f"less than both in {(one < others)[finite].sum()} of the {finite.sum()} nodes that any ε keeps{_more(excess)}",
        excess <= _PRINTED,
    )


def _grows_with_stubbornness(c: Comparison) -> Claim:
    steps, falls, excess = 0, 0, 0.0
    for family in c.families:
        for less, more in pairwise(_family(c, family)):
            a, b = c.lattice.levels[:, less], c.lattice.levels[:, more]
            finite = np.isfinite(a)
            steps += int(finite.sum())
            falls += int((a[finite] > b[finite]).sum())
            excess = max(excess, float(np.max(a[finite] - b[finite], initial=0.0)))
    return Claim(
        "section 4.1",
        "the smallest ε grows with stubbornness, for all tables (classes I and II, σ = 10 … 10⁶, ∞)",
        f"it grows in {steps - falls:,} of {steps:,} steps (nodes that any ε keeps × steps of σ){_more(excess)}",
        excess <= _PRINTED,
    )


def _more(excess: float) -> str:
    """What to add where the weaker adversary needs more ε.

    That is so in groups just like the prior: there one person's leaving shifts a weak belief more than a strong one.
    """
    if excess <= 0:
        return ""
    small = "; the paper prints two digits" if excess <= _PRINTED else ""
    return f"; in the others it is the other way round, by at most {excess:.1g}{small}"


def _same_as_class_one(c: Comparison) -> Claim:
    """Figure 2(b): up to 10⁵ any prior shape costs no more than a known one."""
    lattice = c.lattice
    costs = {family: [p.cost.discernibility for p in c.families[family][1:5]] for family in c.families}
    same = [s for s, *of in zip(range(2, 6), *costs.values(), strict=True) if len(set(of)) == 1]
    told = ", ".join(f"10{'⁰¹²³⁴⁵⁶'[s]}" for s in same) or "no σ"
    losses = [p.cost.best for p in c.families["II"][1:5]]
    shown = ", ".join("none" if b is None else percent(float(lattice.loss[b])) for b in losses)
    return Claim(
        "figure 2(b)",
        "at ε = 2.5, class II has the same utility (discernibility) as class I for σ = 10² … 10⁵",
        f"the same for {told}; least loss of class II: {shown}",
        same == [2, 3, 4, 5],
    )


def _beats_diversity(c: Comparison) -> Claim:
    diversity = next(cost for cost in c.costs if cost.promise == "(4, 2)-diversity")
    found, better = [], []
    for p in c.families["II"][:5]:
        found.append("nothing" if p.cost.best is None else percent(float(c.lattice.loss[p.cost.best])))
        better.append(_loss(c, p.cost.best) < _loss(c, diversity.best))
    base = "nothing" if diversity.best is None else percent(float(c.lattice.loss[diversity.best]))
    return Claim(
        "sections 4.1 and 4.2",
        "at ε = 2.5, class II with σ ≤ 10⁵ allows more useful tables than (4, 2)-diversity",
        f"least loss {', '.join(found)} for σ = 10 … 10⁵, against {base}{_scale(c, better)}",
        all(better),
    )


def _scale(c: Comparison, better: list[bool]) -> str:
    """Class II needs groups of σ / (ε − 1) rows, so what it allows depends on how many rows there are."""
    if all(better) or not better[0]:
        return ""
    return f"; it does up to σ = {power(10 ** better.index(False))}, in a table of {c.lattice.frequency.rows:,} rows"


def _utility_falls(c: Comparison) -> Claim:
    """Figures 2(b) and 2(c)."""
    falls = True
    for points in c.families.values():
        for measure in ("discernibility", "average_group"):
            values = [getattr(p.cost, measure) for p in points]
            costs = [float("inf") if v is None else v for v in values]
            falls = falls and costs == sorted(costs)
    two = c.families["II"]
    told = "; ".join(f"{p.cost.discernibility:.3g}" if p.cost.discernibility is not None else "nothing" for p in two)
    return Claim(
        "figures 2(b), 2(c)",
        "the least discernibility and the least average group size at ε = 2.5 grow with stubbornness",
        f"{'they do' if falls else 'they do not always'}; discernibility of class II for σ = 10 … 10⁶: {told}",
        falls,
    )


def _equivalence(c: Comparison) -> Claim:
    share, uniform = len(c.opponents) + 1, _column(c, "III equal")
    differ, tried = 0, (2, 3, 4, 5, 9, 19, 99)
    for d in tried:
        diverse = c.lattice.holds(share, Fraction(d + 1, d))
        differ += int((diverse != c.lattice.holds(uniform, Fraction(d + 1, 2))).sum())
    says = "(c, 2)-diversity and class III with equal shares at ε = (c + 1) / 2 allow the same tables"
    measured = f"{differ} of {len(c.lattice) * len(tried)} verdicts differ (c = {', '.join(map(str, tried))})"
    return Claim("section 4.2, equation 7", says, measured, differ == 0)


def _closeness(c: Comparison) -> Iterator[Claim]:
    lattice = c.lattice
    known, distance = _column(c, "III table"), len(c.opponents) + 2
    rows = lattice.frequency.totals["salary"]
    t = Fraction(1, 5)
    shares = [Fraction(int(n), lattice.frequency.rows) for n in rows]
    if min(shares) <= t:
        return  # the lemma speaks of no such table
    epsilon = max(max((p + t) / p, p / (p - t)) for p in shares)
    close = lattice.holds(distance, t)
    mixed = np.isfinite(lattice.levels[:, known])
    private = lattice.holds(known, epsilon)
    yield Claim(
        "lemma 1",
        "0.2-closeness without homogeneous groups implies ε-privacy against class III with the table's shares, "
        "ε = max((p + t) / p, p / (p − t)), 2.5 in the paper",
        f"ε = {float(epsilon):.3f} here; {int((close & mixed & ~private).sum())} of {int((close & mixed).sum())} "
        "such nodes are not private",
        not (close & mixed & ~private).any(),
    )
    more = np.flatnonzero(private & ~close)
    yield Claim(
        "section 4.2",
        "the reverse does not hold: some tables are private at this ε and not 0.2-close",
        f"{len(more)} of {len(lattice)} nodes{', for example ' + node_text(c, int(more[0])) if len(more) else ''}",
        len(more) > 0,
    )
    alike = np.flatnonzero(lattice.holds(distance, Fraction(34, 100)) & ~mixed)
    worst = float(np.max(lattice.levels[mixed, known], initial=1.0))
    yield Claim(
        "section 4.2",
        "0.34-closeness lets homogeneous groups pass, ε-privacy never does",
        f"{len(alike)} nodes are 0.34-close with a homogeneous group; the largest ε of all others is "
        f"{epsilon_text(worst)}",
        len(alike) > 0,
    )


def _family(c: Comparison, family: str) -> list[int]:
    """Columns of a family, from the least stubborn on."""
    own = [o.column for o in c.opponents if o.name.startswith(f"{family} ")]
    return own + [o.column for o in c.opponents if o.name == f"II{family}"]


def _column(c: Comparison, name: str) -> int:
    return next(o.column for o in c.opponents if o.name == name)


def _at(c: Comparison, node: tuple[int, ...]) -> int:
    found: IntArray = np.flatnonzero((c.lattice.nodes == np.array(node)).all(axis=1))
    return int(found[0])


def _loss(c: Comparison, at: int | None) -> float:
    return float("inf") if at is None else float(c.lattice.loss[at])
