"""Presence from the tables to the published texts: read by somebody who has the release and a list of everybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Infeasible, anonymize, policy_from_words, verify
from tests.presence.reading import Case, Reading, Text, cases, confidence, frame, words_of


def written(path: Path, columns: Mapping[str, list[Text]]) -> Path:
    """A CSV file in which NULL is nothing and "" a pair of quotes."""
    rows = zip(*columns.values(), strict=True)
    lines = [
        ",".join("" if v is None else '"' + v.replace('"', '""') + '"' for v in row) for row in [[*columns], *rows]
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


kinds = st.sampled_from(["generalization", "multidimensional"])


@settings(max_examples=15)
@given(cases(), kinds, st.sampled_from([0, 0.4]), st.booleans())
@pytest.mark.parametrize("search", [None, "instant"])
def test_nobodys_chance_leaves_delta_whatever_the_columns_are(
    tmp_path_factory: pytest.TempPathFactory,
    search: str | None,
    case: Case,
    publish: str,
    suppress: float,
    chosen: bool,
) -> None:
    names, everybody, private, delta, order = case
    folder = tmp_path_factory.mktemp("presence")
    people = frame(names, everybody, names)
    words = words_of(case, publish=publish, suppress=suppress if publish == "generalization" else 0)
    if search is not None:
        words["search"] = search
    if chosen:
        words |= {"private": {"in": "yes"}, "require": [{"presence": {"delta": delta}}]}
        source = frame(names, everybody, order) | {"in": ["yes" if is_in else None for is_in in private]}
    else:
        source = frame(names, [person for person, is_in in zip(everybody, private, strict=True) if is_in], order)
        words["require"] = [{"presence": {"delta": delta, "population": str(written(folder / "people.csv", people))}}]
    release = anonymize(policy_from_words(words), folder / "release", source=source).folder
    found = Reading(release, case)
    groups = [*((found.rows[texts], found.people[texts]) for texts in found.rows), found.rest]
    chances = [Fraction(rows, of) for rows, of in groups if of]
    assert Fraction(delta[0]) <= min(chances)
    assert max(chances) <= Fraction(delta[1])
    assert verify(release, population=people).kept
    assert verify(release, population=frame(names, everybody, order)).kept


@settings(max_examples=12)
@given(cases(), kinds, st.booleans(), st.sampled_from(["1/3", "0.9"]))
def test_every_group_is_as_sure_as_promised(
    tmp_path_factory: pytest.TempPathFactory, case: Case, publish: str, shares: bool, level: str
) -> None:
    names, everybody, private, delta, order = case
    size, others = len(everybody), [person for person, is_in in zip(everybody, private, strict=True) if not is_in]
    marginals = {
        name: [[v, str(Fraction(n, size)) if shares else n] for v, n in Counter(p[d] for p in everybody).items()]
        for d, name in enumerate(names)
    }
    promise = {"delta": delta, "confidence": level, "marginals": marginals, "size": size}
    words = words_of(case, publish=publish, require=[{"confident_presence": promise}])
    source = frame(names, [person for person, is_in in zip(everybody, private, strict=True) if is_in], order)
    release = anonymize(policy_from_words(words), tmp_path_factory.mktemp("presence") / "release", source=source).folder
    found = Reading(release, case)
    for texts, rows in found.rows.items():
        outside = [sum(found.describes(d, texts, person) for person in others) for d in range(len(names))]
        assert confidence(rows, outside, len(others), [*map(Fraction, delta)]) >= Fraction(level)
    assert verify(release, source=source).kept


def test_a_delta_that_nothing_can_keep_tells_what_could_be(tmp_path: Path) -> None:
    everybody = {"sex": ["f", "m"] * 20, "sick": ["yes", "no", "no", "no"] * 10}
    words = {
        "attributes": {"sex": {"role": "quasi_identifier"}},
        "private": {"sick": "yes"},
        "require": [{"presence": {"delta": [0, 0.2]}}],
    }
    told = r"10 of the population's 40 are in the table, which is 0\.25 .* choose delta with 0\.25 in it"
    for publish in ("generalization", "multidimensional"):
        with pytest.raises(Infeasible, match=told):
            anonymize(policy_from_words(words | {"publish": publish}), tmp_path / "release", source=everybody)
    assert not (tmp_path / "release").exists()


def test_a_value_that_looks_like_everything_is_found_in_the_source(tmp_path: Path) -> None:
    """Alone in the table it is called ``*``; published, where others have other values, ``{*}``."""
    promise = {
        "delta": ["0", "11/20"],
        "confidence": "1/3",
        "marginals": {"age": [["29", 4]], "mood": [["*", 2], ["a,b", 2]]},
        "size": 4,
    }
    roles = {
        "age": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
        "mood": {"role": "quasi_identifier", "hierarchy": {"flat": True, "sets": True}},
    }
    words = {"attributes": roles, "publish": "multidimensional", "require": [{"confident_presence": promise}]}
    source = {"age": ["29"], "mood": ["*"]}
    release = anonymize(policy_from_words(words), tmp_path / "release", source=source).folder
    assert (release / "data.csv").read_text(encoding="utf-8").splitlines() == ["age,mood", "29,{*}"]
    assert verify(release, source=source).kept
    assert not verify(release, source={"age": ["29"], "mood": ["a,b"]}).kept
