"""Confident presence judged again from files: with everybody's values, by an oracle of plain fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, comb, floor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from discreet import DiscreetError, anonymize, policy_from_words, verify
from discreet.cli.main import app
from discreet.models.presence.confident_presence import ConfidentPresence
from tests.presence.confident import marginals_of, policy_words
from tests.presence.populations import Person, cases, columns, write
from tests.releases.making import put_manifest
from tests.releases.reading import covers, groups_of, manifest_of, read_table


def confidence(rows: int, counts: list[int], people: int, delta: list[str]) -> Fraction:
    """P(c_low ≤ n_0 ≤ c_high) by the chain of hypergeometric distributions, as the paper has it."""
    low, high = map(Fraction, delta)
    chain = {counts[0]: Fraction(1)}
    for f in counts[1:]:
        chain = {
            x: sum(
                p * Fraction(comb(f, x) * comb(people - f, y - x), comb(people, y)) for y, p in chain.items() if y >= x
            )
            for x in range(f + 1)
        }
    least = ceil(rows / high - rows)
    most = floor(rows / low - rows) if low else people
    return sum((p for x, p in chain.items() if least <= x <= most), Fraction(0))


def by_hand(folder: Path, everybody: list[Person], table: list[Person], delta: list[str]) -> Fraction:
    """The least confidence of a published group, by what its texts say of the people outside of the table."""
    outside = list((Counter(everybody) - Counter(table)).elements())
    return min(
        confidence(
            len(rows),
            [sum(covers(text, person[d]) for person in outside) for d, text in enumerate(texts)],
            len(outside),
            delta,
        )
        for texts, rows in groups_of(read_table(folder)[1], 3).items()
    )


@settings(max_examples=15)
@given(
    cases(),
    st.sampled_from(["generalization", "multidimensional"]),
    st.sampled_from([0, 0.3]),
    st.sampled_from(["drop", "star"]),
    st.booleans(),
    st.booleans(),
)
def test_any_release_passes_with_everybody_given_again(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Person], list[Person], list[str]],
    publish: str,
    suppress: float,
    suppressed: str,
    by_marginals: bool,
    coverage: bool,
) -> None:
    everybody, table, delta = case
    tmp = tmp_path_factory.mktemp("confident")
    known: dict[str, Any] = {"population": str(write(tmp / "people.csv", everybody))}
    known = {"marginals": marginals_of(everybody)} if by_marginals else known
    promise = {"delta": delta, "confidence": 0.8, "coverage": coverage} | known
    suppress = suppress if publish == "generalization" else 0
    words = policy_words(promise, publish=publish, suppress=suppress, suppressed=suppressed)
    made = anonymize(policy_from_words(words), tmp / "release", source=columns(table))
    again = {} if by_marginals else {"population": tmp / "people.csv"}
    whole = verify(made.folder, columns(table), **again)
    assert whole.kept
    assert made.manifest["population"] == {"people": len(everybody)}
    alone = verify(made.folder, **again)
    if made.manifest["rows"]["suppressed"] or publish == "multidimensional":
        assert [type(m) for m in alone.unjudged] == [ConfidentPresence]
        assert alone.kept is None and "--source" in str(alone.missing[0])
    else:
        assert alone == whole
    if not made.manifest["rows"]["suppressed"]:
        least = by_hand(made.folder, everybody, table, delta)
        assert least >= Fraction("0.8")
        assert whole.verdicts[0].level == pytest.approx(float(least), rel=1e-9)


TABLE: list[Person] = [(str(20 + i % 20), "120" if i % 3 else "240", "fm"[i % 2]) for i in range(30)]
EVERYBODY = [*TABLE, *((str(20 + i % 30), "12" + str(i % 3), "fm"[i % 5 == 0]) for i in range(200)), ("77", "999", "m")]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    promise = {"delta": ["0", "0.4"], "confidence": 0.8, "population": str(write(tmp_path / "people.csv", EVERYBODY))}
    anonymize(policy_from_words(policy_words(promise)), tmp_path / "release", source=columns(TABLE))
    return tmp_path / "release"


def test_without_everybody_it_is_open(release: Path) -> None:
    shown = CliRunner().invoke(app, ["verify", str(release)]).output
    assert shown.startswith("Not judged: 0.8-confident (0, 0.4)-presence.")
    assert "--population" in shown


def test_a_population_of_another_size_is_found_out(release: Path) -> None:
    """Of others who are as many, the promise is judged anew: what it reached would tell who is in the table."""
    for other in (EVERYBODY[:-1], [*EVERYBODY, EVERYBODY[0]]):
        assert not verify(release, population=columns(other)).kept
    assert verify(release, population=columns([*EVERYBODY[:-40], *EVERYBODY[:40]])).verdicts


def test_a_population_without_the_table_is_refused(release: Path) -> None:
    with pytest.raises(DiscreetError, match="has fewer people with some value"):
        verify(release, columns(TABLE), columns(EVERYBODY[1:]))
    with pytest.raises(DiscreetError, match="lacks values of 'zip'"):
        verify(release, columns(TABLE), columns([person for person in EVERYBODY if person[1] != "240"]))


def test_forged_marginals_are_found_out(tmp_path: Path) -> None:
    promise = {"delta": ["0", "0.4"], "confidence": 0.8, "marginals": marginals_of(EVERYBODY)}
    anonymize(policy_from_words(policy_words(promise)), tmp_path / "release", source=columns(TABLE))
    assert verify(tmp_path / "release").kept
    manifest = manifest_of(tmp_path / "release")
    for words in (manifest["promises"][0]["model"], manifest["policy"]["require"][0]):
        for counts in words["confident_presence"]["marginals"].values():
            counts[next(iter(counts))] += 1000
    put_manifest(tmp_path / "release", manifest)
    assert "has 1,231 people, but the release was made with 231" in str(verify(tmp_path / "release").mistakes)


def test_a_population_beside_marginals_is_refused(tmp_path: Path) -> None:
    promise = {"delta": ["0", "0.4"], "confidence": 0.8, "marginals": marginals_of(EVERYBODY)}
    anonymize(policy_from_words(policy_words(promise)), tmp_path / "release", source=columns(TABLE))
    with pytest.raises(DiscreetError, match="no promise of this release speaks of it"):
        verify(tmp_path / "release", population=columns(EVERYBODY))
