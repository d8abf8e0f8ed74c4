"""Where labels overlap, the custodian's folder says which rows stand where, and nothing is believed of it unchecked."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words, verify
from discreet.engines.open import published_tables
from discreet.errors import Infeasible, ReleaseError
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.publications.recoded import GENERALIZATION
from discreet.publications.source import kept_standing as kept_standing_module
from discreet.publications.source.kept_standing import STANDING, kept_standing
from discreet.publications.source.people import judged_by_people
from discreet.publications.source.table import read_source
from discreet.releases.contents import read_manifest, read_mapping
from tests.visits import Table, policy, visits

PROMISES: list[dict[str, Any]] = [
    {"k_anonymity": {"k": 5}},
    {"alpha_k": {"alpha": 0.9, "k": 3}},
    {"l_diversity": {"l": 3, "kind": "entropy"}},
]


@pytest.fixture(scope="module")
def table() -> Table:
    made = visits(60, 4, moving=0.3, seed=4)
    return made | {"patient": [None if i % 17 == 0 else who for i, who in enumerate(made["patient"])]}


@pytest.fixture
def release(table: Table, tmp_path: Path) -> Path:
    anonymize(policy(*PROMISES, publish="local_recoding"), tmp_path / "release", source=table)
    return tmp_path / "release"


def kept(release: Path) -> dict[str, Any]:
    words: dict[str, Any] = json.loads((release.with_name("release.private") / STANDING).read_text())
    return words


def change(release: Path, words: dict[str, Any]) -> None:
    (release.with_name("release.private") / STANDING).write_text(json.dumps(words))


@pytest.mark.parametrize(
    "more", [{"publish": "local_recoding"}, {"publish": "multidimensional", "suppress": 0.1}], ids=str
)
def test_what_is_promised_to_people_is_judged_beside_the_custodians_folder(
    more: dict[str, Any], table: Table, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    anonymize(policy(*PROMISES, **more), folder, source=table)
    assert verify(folder, source=table).kept is True
    (tmp_path / "release.private" / STANDING).unlink()
    findings = verify(folder, source=table)
    assert findings.kept is None
    assert "custodian's folder" in str(findings.not_judged)
    assert verify(folder).kept is None


@pytest.mark.parametrize("words", [None, {"groups": [], "standing": []}])
def test_what_can_not_be_judged_once_more_is_not_published(
    words: object, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is in which group: a search that can't tell, or tells what can't be."""
    monkeypatch.setattr(kept_standing_module, "standing_words", lambda plan, numbers: words)
    with pytest.raises(ReleaseError, match="can't be judged by people once more"):
        anonymize(policy(*PROMISES, publish="local_recoding"), tmp_path / "release", source=table)
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_looked_no_closer_than_it_publishes_keeps_a_list_that_can_be_read(tmp_path: Path) -> None:
    """`instant` knows rows by coarser values than the source has: the order of the list can't hang on these."""
    table = visits(150, 3, moving=0.3, seed=0)
    asked = policy({"k_anonymity": {"k": 4}}, publish="multidimensional", search="instant", suppress=0.1)
    anonymize(asked, tmp_path / "release", source=table)
    assert (tmp_path / "release.private" / STANDING).exists()
    assert verify(tmp_path / "release", source=table).kept is True


EXACT: dict[str, Any] = {
    "bucketization": [{"l_diversity": {"l": "10/9", "kind": "frequency"}}],
    "ambiguity": [{"ambiguity": {"alpha": 1, "beta": 0.8}}],
}


@pytest.mark.parametrize("publish", EXACT)
def test_exact_values_are_judged_by_people_beside_the_custodians_list(publish: str, tmp_path: Path) -> None:
    """People share the few quasi-identifiers there are, so that tables and source don't tell whose rows are where."""
    table = visits(60, 2, moving=0.3, seed=6)
    table = table | {"age": [str(20 + int(age) % 4) for age in table["age"] if age], "zip": ["10000"] * 120}
    anonymize(policy(*EXACT[publish], publish=publish, suppress=0.2), tmp_path / "release", source=table)
    standing = tmp_path / "release.private" / STANDING
    words = json.loads(standing.read_text())
    assert set(words) == {"about", "release", "standing"} and len(words["standing"]) == 120
    assert verify(tmp_path / "release", source=table).kept is True
    standing.write_text(json.dumps({**words, "standing": sorted(words["standing"])}))
    assert "can't be" in str(verify(tmp_path / "release", source=table).not_judged)
    standing.unlink()
    findings = verify(tmp_path / "release", source=table)
    assert findings.kept is None and "custodian's folder" in str(findings.not_judged)


@pytest.mark.parametrize("publish", EXACT)
def test_a_release_for_rows_is_broken_for_people(publish: str, tmp_path: Path) -> None:
    """Published as if all were different people, and verified by whose the rows are: each has two, in one group."""
    table = visits(40, 1, seed=7)
    asked = policy(*EXACT[publish], publish=publish, suppress=0.2)
    anonymize(asked, tmp_path / "release", source=table)
    one_family = {**table, "patient": ["Ann" if i % 2 else f"q{i}" for i in range(40)]}
    assert verify(tmp_path / "release", source=one_family).kept is not True


@pytest.mark.parametrize("publish", ["multidimensional", "local_recoding"])
def test_stars_in_the_place_of_rows_that_were_left_out_are_no_values_of_the_source(
    publish: str, tmp_path: Path
) -> None:
    table = visits(60, 4, moving=0.3, seed=5)
    diverse = {"l_diversity": {"l": 4, "kind": "entropy"}}
    asked = policy(diverse, publish=publish, suppress=0.2, suppressed="star")
    anonymize(asked, tmp_path / "release", source=table)
    assert read_manifest(tmp_path / "release")["rows"]["suppressed"]
    assert verify(tmp_path / "release", source=table).kept is True


def test_it_names_nobody_and_has_no_value(release: Path, table: Table) -> None:
    assert set(kept(release)) == {"about", "release", "groups", "standing"}
    assert len(kept(release)["standing"]) <= len(table["patient"])
    assert not any(str(name) in json.dumps(kept(release)["standing"]) for name in table["patient"] if name)
    published = (release / "data.csv").read_text()
    assert all(str(text) in published for group in kept(release)["groups"] for text in group)


def other_group(words: dict[str, Any]) -> None:
    """One person's rows in a group whose labels are not theirs, or that has as many rows already."""
    words["standing"][0] = (words["standing"][0] + 1) % len(words["groups"])


def exchanged(words: dict[str, Any]) -> None:
    first, *others = words["standing"]
    at = next(i for i, group in enumerate(others, start=1) if group != first)
    words["standing"][0], words["standing"][at] = words["standing"][at], first


@pytest.mark.parametrize(
    "tamper",
    [
        other_group,
        exchanged,
        lambda words: words["standing"].pop(),
        lambda words: words["standing"].__setitem__(0, -1),
        lambda words: words["standing"].__setitem__(0, 10**6),
        lambda words: words["standing"].__setitem__(0, "x"),
        lambda words: words["groups"].pop(),
        lambda words: words["groups"][0].__setitem__(0, "nowhere"),
        lambda words: words.pop("groups"),
        lambda words: words.__setitem__("standing", [0] * len(words["standing"])),
    ],
)
def test_a_list_that_can_not_be_decides_nothing(
    tamper: Callable[[dict[str, Any]], object], release: Path, table: Table
) -> None:
    words = kept(release)
    tamper(words)
    change(release, words)
    findings = verify(release, source=table)
    assert findings.kept is None
    assert "can't be" in str(findings.not_judged)


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"release": "x"}'])
def test_a_file_that_is_not_of_this_release_is_as_good_as_none(text: str, release: Path, table: Table) -> None:
    (release.with_name("release.private") / STANDING).write_text(text)
    assert verify(release, source=table).kept is None


def test_no_list_makes_a_release_pass_that_is_broken_by_people(table: Table, tmp_path: Path) -> None:
    """Published for rows by somebody who says that all are different people: the list of that release breaks k."""
    folder = tmp_path / "release"
    strangers = {**table, "patient": [f"q{i // 2}" for i in range(len(table["age"]))]}
    anonymize(policy({"k_anonymity": {"k": 5}}, publish="local_recoding"), folder, source=strangers)
    one_family = {**table, "patient": ["Ann" if i % 2 else f"q{i}" for i in range(len(table["age"]))]}
    findings = verify(folder, source=one_family)
    assert findings.kept is not True


def test_people_are_counted_by_the_list(release: Path, table: Table) -> None:
    """Beside a count of the same rows by hand; and what they don't reach is broken, not open."""
    manifest, mapping = read_manifest(release), read_mapping(release)
    source = read_source(table, manifest, rules=True)
    published = GENERALIZATION.read(published_tables(release), manifest, mapping, None, None)
    standing = kept_standing(kept(release), published, source, mapping)
    assert standing is not None
    names = [f"nobody {i}" if who is None else who for i, who in enumerate(table["patient"])]
    rows = sorted(zip(table["disease"], names, strict=True), key=lambda row: (row[0], row[1][0] == "n", row[1]))
    members: dict[tuple[Any, ...], set[str]] = {}
    for (_, who), group in zip(rows, kept(release)["standing"], strict=True):
        members.setdefault(tuple(kept(release)["groups"][group]), set()).add(who)
    assert standing.groups.persons.tolist() == [len(members[text]) for text in published.texts()]
    least = min(map(len, members.values()))
    for k, broken in ((least, 0), (least + 1, 1)):
        by_people = judged_by_people([KAnonymity(k)], standing)
        assert (len(by_people.mistakes), by_people.undecided) == (broken, ())


def test_where_labels_tell_nothing_is_kept(table: Table, tmp_path: Path) -> None:
    anonymize(policy({"k_anonymity": {"k": 5}}), tmp_path / "release", source=table)
    assert not (tmp_path / "release.private" / STANDING).exists()


@pytest.mark.parametrize("search", ["mondrian", "instant"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_list_passes_if_rows_can_be_put_so_that_they_are_what_is_published(search: str, data: st.DataObject) -> None:
    """Beside all ways to put the rows of a small table into groups whose labels cover them."""
    row = st.tuples(st.sampled_from(["ann", "bob", "cid", None]), st.integers(20, 26), st.sampled_from("xy"))
    rows = data.draw(st.lists(row, min_size=4, max_size=7))
    who, age, value = (list(column) for column in zip(*rows, strict=True))
    table = {"who": who, "age": [str(a) for a in age], "s": value}
    roles = {"who": "person", "age": "quasi_identifier", "s": "sensitive"}
    asked = policy_from_words(
        {
            "attributes": {name: {"role": role} for name, role in roles.items()},
            "require": [{"k_anonymity": {"k": 2}}],
            "publish": "multidimensional",
            "search": search,
            "suppress": 0.5,
            "seed": 1,
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release"
        try:
            anonymize(asked, path, source=table)
        except Infeasible:
            return
        if not (path.with_name("release.private") / STANDING).exists():
            return
        words, manifest, mapping = kept(path), read_manifest(path), read_mapping(path)
        source = read_source(table, manifest, rules=True)
        published = GENERALIZATION.read(published_tables(path), manifest, mapping, None, None)
        shown = Counter(tuple(line.rsplit(",", 1)) for line in (path / "data.csv").read_text().splitlines()[1:])
    labels = [str(text) for (text,) in published.texts()]
    ends = [[int(end) for end in re.findall(r"\d+", label)] for label in labels]
    fits = [[-1, *(g for g, e in enumerate(ends) if not e or e[0] <= a <= e[-1])] for a in age]
    names = [f"nobody {i}" if name is None else name for i, name in enumerate(who)]
    worlds = set()
    for world in product(*fits):
        if Counter((labels[g], s) for g, s in zip(world, value, strict=True) if g >= 0) == shown:
            told = defaultdict(list)
            for g, s, name in zip(world, value, who, strict=True):
                told[s, name is None, name or ""].append(g)
            worlds.add(tuple(g for key in sorted(told) for g in sorted(told[key])))
    assert kept_standing(words, published, source, mapping) is not None
    words["groups"] = [[label] for label in labels]
    listed = st.lists(st.integers(-1, len(labels) - 1), min_size=len(rows), max_size=len(rows))
    for one in [*worlds, *data.draw(st.lists(listed, max_size=5))]:
        standing = kept_standing({**words, "standing": list(one)}, published, source, mapping)
        order = sorted(range(len(rows)), key=lambda i: (value[i], who[i] is None, who[i] or ""))
        told = defaultdict(list)
        for i, g in zip(order, one, strict=True):
            told[value[i], who[i] is None, who[i] or ""].append(g)
        assert (standing is not None) == (tuple(g for key in sorted(told) for g in sorted(told[key])) in worlds)
        if standing is not None:
            inside = [{names[i] for i, at in zip(order, one, strict=True) if at == g} for g in range(len(labels))]
            assert standing.groups.persons.tolist() == [len(people) for people in inside]
