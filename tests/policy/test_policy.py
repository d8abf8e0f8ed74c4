"""Policies: the same words in YAML and Python, all mistakes at once, and a round trip."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.addresses import without_credentials
from discreet.errors import PolicyError
from discreet.hierarchies.categories import Flat
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity
from discreet.policy.policy import (
    Attribute,
    Policy,
    Role,
    check_columns,
    policy_from_words,
    read_policy,
)

AGE = {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}}
DISEASE = {"role": "sensitive"}
K5 = {"k_anonymity": {"k": 5}}
AMBIGUOUS = {"ambiguity": {"alpha": 0.1, "beta": 0.2}}


def words(**changes: Any) -> dict[str, Any]:
    """A right policy, but for the changes."""
    return {"attributes": {"age": AGE, "disease": DISEASE}, "require": [K5]} | changes


def attributes(**changes: Any) -> dict[str, Any]:
    return words(attributes={"age": AGE, "disease": DISEASE} | changes)


def mistakes(given_words: object) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        policy_from_words(given_words)
    return [str(mistake) for mistake in caught.value.mistakes]


ROLES = "known: 'identifier', 'quasi_identifier', 'sensitive', 'other', 'person', 'wishes'"
WRONG: dict[str, tuple[object, list[str]]] = {
    "nothing": (None, ["policy: must be a mapping, got nothing; start with 'attributes:' and 'require:'"]),
    "a list": ([], ["policy: must be a mapping, got an empty list; start with 'attributes:' and 'require:'"]),
    "a text": ("k=5", ["policy: must be a mapping, got text; start with 'attributes:' and 'require:'"]),
    "unknown word": (words(suppres=0.1), ["suppres: no such word; did you mean 'suppress'?"]),
    "a word that is not for the user": (
        words(models=[]),
        [
            "models: no such word; known: 'attributes', 'require', 'source', 'publish', 'search', 'suppress', "
            "'suppressed', 'utility', 'seed', 'format' and 14 more"
        ],
    ),
    "no attributes": (
        {"require": [K5]},
        ["attributes: must be a mapping of columns, got nothing; for example {age: {role: quasi_identifier}}"],
    ),
    "empty attributes": (
        words(attributes={}),
        ["attributes: must be a mapping of columns, got an empty one; for example {age: {role: quasi_identifier}}"],
    ),
    "attributes as a list": (
        words(attributes=["age"]),
        ["attributes: must be a mapping of columns, got a list; for example {age: {role: quasi_identifier}}"],
    ),
    "an attribute as a role": (
        attributes(disease="sensitive"),
        ["attributes.disease: must be a mapping, got 'sensitive'; write {role: sensitive}"],
    ),
    "an attribute as nothing": (
        attributes(sex=None),
        ["attributes.sex: must be a mapping, got nothing; write {role: quasi_identifier}"],
    ),
    "a number as a name": (
        words(attributes={"age": AGE, 7: DISEASE}),
        ["attributes.7: a column's name must be text, got 7; put it in quotes"],
    ),
    "a column without a name": (
        words(attributes={"age": AGE, "": DISEASE}),
        ["attributes['']: a column without a name; give it one in the data"],
    ),
    "unknown word of an attribute": (
        attributes(age=AGE | {"rolle": "other"}),
        ["attributes.age.rolle: no such word; did you mean 'role'?"],
    ),
    "no role": (attributes(sex={}), [f"attributes.sex.role: is missing; {ROLES}"]),
    "unknown role": (attributes(sex={"role": "x"}), [f"attributes.sex.role: no such role 'x'; {ROLES}"]),
    "misspelt role": (
        attributes(sex={"role": "quasi-identifier"}),
        ["attributes.sex.role: no such role 'quasi-identifier'; did you mean 'quasi_identifier'?"],
    ),
    "a role that is not text": (
        attributes(sex={"role": ["other"]}),
        ["attributes.sex.role: no such role a list; did you mean 'other'?"],
    ),
    "a misspelt role is judged as if it were mended": (
        words(attributes={"age": AGE, "disease": {"role": "sensitve"}}, require=[{"l_diversity": {"l": 3}}]),
        ["attributes.disease.role: no such role 'sensitve'; did you mean 'sensitive'?"],
    ),
    "no quasi-identifier": (
        words(attributes={"disease": DISEASE}),
        ["attributes: there is no quasi-identifier; give the columns that others may know the role quasi_identifier"],
    ),
    "a hierarchy for an identifier": (
        attributes(name={"role": "identifier", "hierarchy": {"flat": True}}),
        [
            "attributes.name.hierarchy: is of no use: an attribute with role identifier is never published; "
            "leave it out, or give the attribute the role quasi_identifier"
        ],
    ),
    "two columns that say whose row it is": (
        attributes(id={"role": "person"}, patient={"role": "person"}),
        [
            "attributes: several columns have the role person: 'id', 'patient'; keep the one that says whose row it "
            "is, and give the others the role identifier"
        ],
    ),
    "a person's column, and one row a person": (
        attributes(id={"role": "person"}) | {"one_row_per_person": True},
        [
            "one_row_per_person: is of no use: 'id' has the role person, and says whose rows they are; leave it "
            "out, or give the column the role identifier"
        ],
    ),
    "one row a person, unsaid": (
        words(one_row_per_person="yes"),
        [
            "one_row_per_person: must be true or false, got 'yes'; write one_row_per_person: true if every row is "
            "another person"
        ],
    ),
    "a hierarchy for another column": (
        attributes(job={"role": "other", "hierarchy": {"flat": True}}),
        [
            "attributes.job.hierarchy: is of no use: an attribute with role other is published as it is; "
            "leave it out, or give the attribute the role quasi_identifier"
        ],
    ),
    "a kind of hierarchy that nobody knows": (
        attributes(zip={"role": "quasi_identifier", "hierarchy": {"prefixs": [3]}}),
        ["attributes.zip.hierarchy: no such kind of hierarchy: 'prefixs'; did you mean 'prefixes'?"],
    ),
    "a mistake in a column with an odd name": (
        attributes(**{"zip code.1": {"role": "quasi_identifier", "hierarchy": {"prefixs": [3]}}}),
        ["attributes['zip code.1'].hierarchy: no such kind of hierarchy: 'prefixs'; did you mean 'prefixes'?"],
    ),
    "no require": (
        {"attributes": {"age": AGE}},
        ["require: must be a list of promises, got nothing; for example [{k_anonymity: {k: 5}}]"],
    ),
    "empty require": (
        words(require=[]),
        ["require: must be a list of promises, got an empty one; for example [{k_anonymity: {k: 5}}]"],
    ),
    "require as a mapping": (
        words(require=K5),
        ["require: must be a list of promises, got a mapping; for example [{k_anonymity: {k: 5}}]"],
    ),
    "a promise without parameters": (
        words(require=["k_anonymity"]),
        ["require[0]: must be a promise with its parameters, got 'k_anonymity'; for example k_anonymity: {k: 5}"],
    ),
    "parameters that are not indented": (
        words(require=[K5, {"k_anonymity": None, "k": 5}]),
        [
            "require[1]: must be one promise, got 'k_anonymity', 'k'; "
            "give each promise its own dash, and indent its parameters below it"
        ],
    ),
    "unknown promise": (
        words(require=[{"k_anonimity": {"k": 5}}]),
        ["require[0].k_anonimity: no such promise; did you mean 'k_anonymity'?"],
    ),
    "a promise that promises nothing": (
        words(require=[{"k_anonymity": {"k": 1}}]),
        ["require[0].k_anonymity.k: must be at least 2, got 1; a release with k = 1 promises nothing"],
    ),
    "diversity without a sensitive attribute": (
        words(attributes={"age": AGE}, require=[{"l_diversity": {"l": 3}}]),
        ["require[0].l_diversity: needs a sensitive attribute; give a column the role sensitive"],
    ),
    "diversity of a column that is not sensitive": (
        words(require=[{"l_diversity": {"l": 3, "attribute": "diseas"}}]),
        ["require[0].l_diversity.attribute: no such sensitive attribute; did you mean 'disease'?"],
    ),
    "a ready model for a column that is not sensitive": (
        words(require=[DistinctDiversity(3, "age")]),
        ["require[0]: protects 'age', which is not a sensitive attribute; known: 'disease'"],
    ),
    "a ready model without a sensitive column": (
        words(attributes={"age": AGE}, require=[DistinctDiversity(3, "age")]),
        ["require[0]: protects 'age', which is not a sensitive attribute; give a column the role sensitive"],
    ),
    "unknown kind of publication": (
        words(publish="generalisation"),
        ["publish: no such word 'generalisation'; did you mean 'generalization'?"],
    ),
    "a promise that another kind of publication keeps": (
        words(require=[K5, {"ambiguity": {"alpha": 0.1, "beta": 0.2}}]),
        ["publish: 'generalization' can't keep the promise 'ambiguity'; write publish: ambiguity"],
    ),
    "ambiguity without its promise": (
        words(publish="ambiguity"),
        ["require: publish: ambiguity needs the promise 'ambiguity'; add ambiguity: {alpha: 0.1, beta: 0.2}"],
    ),
    "columns beside hidden combinations": (
        attributes(visit={"role": "other"}) | {"publish": "ambiguity", "require": [AMBIGUOUS], "suppressed": "star"},
        [
            "attributes: 'ambiguity' hides combinations, so 'visit' can't be published beside them; "
            "give these columns the role quasi_identifier or identifier",
            "suppressed: 'star' is for coarser values; in a release by ambiguity suppressed rows are left out; "
            "write suppressed: drop",
        ],
    ),
    "two sensitive columns to separate": (
        attributes(salary=DISEASE) | {"publish": "bucketization"},
        [
            "attributes: 'bucketization' separates one sensitive attribute from the others, the policy has 2; "
            "give exactly one column the role sensitive"
        ],
    ),
    "art without what guides it": (
        words(publish="bucketization", search="art"),
        ["require: search: art needs the promise 'robust'; add robust: {r: 5}, or write search: anatomy"],
    ),
    "two thresholds for one promise": (
        words(publish="bucketization", require=[{"robust": {"r": 5}}, {"robust": {"r": 3}}]),
        ["require: 'robust' is promised 2 times; keep one of them"],
    ),
    "one promise about two secrets": (
        attributes(salary=DISEASE) | {"publish": "bucketization", "require": [{"robust": {"r": 5}}]},
        [
            "attributes: 'bucketization' separates one sensitive attribute from the others, the policy has 2; "
            "give exactly one column the role sensitive"
        ],
    ),
    "publish as a list": (
        words(publish=["generalization"]),
        [
            "publish: no such word a list; did you mean 'generalization'?",
        ],
    ),
    "a summary that nobody searches": (
        words(summary="network"),
        ["summary: is for search: instant alone; leave it out, or write search: instant"],
    ),
    "a threshold that nobody asks": (
        words(threshold=0.9),
        ["threshold: is for search: instant alone; leave it out, or write search: instant"],
    ),
    "a threshold that does not decide": (
        words(search="instant", threshold=0.9, suppress=0.1),
        [
            "threshold: is of no use where rows may be suppressed: a candidate is taken only if no more rows are "
            "expected to be suppressed than may be; leave it out, or write suppress: 0"
        ],
    ),
    "a threshold that nothing reaches": (
        words(search="instant", threshold=1),
        ["threshold: must be a probability above 0 and below 1, got 1; leave it out for the usual one"],
    ),
    "a threshold that is a word": (
        words(search="instant", threshold="high"),
        ["threshold: must be a probability above 0 and below 1, got 'high'; leave it out for the usual one"],
    ),
    "a summary that is a number": (
        words(search="instant", summary=3),
        [
            "summary: must be network, histogram, sample, exact, statistics, or the file of a saved summary, got 3; "
            "leave it out for a network"
        ],
    ),
    "the search of another publication": (
        words(search="mondrian"),
        [
            "search: 'mondrian' does not lead to publish: generalization; "
            "use 'optimal', 'instant', 'instant_cuts', 'incognito', 'optimize', or publish: multidimensional"
        ],
    ),
    "unknown search": (
        words(publish="local_recoding", search="loca"),
        ["search: no such word 'loca'; did you mean 'local'?"],
    ),
    "search as a number": (
        words(search=3),
        ["search: no such word 3; known: 'optimal', 'instant', 'instant_cuts', 'incognito', 'optimize'"],
    ),
    "too much suppressed": (
        words(suppress=2),
        ["suppress: must be a share of the rows between 0 and 1, got 2; for 2% write 0.02"],
    ),
    "less than nothing suppressed": (
        words(suppress=-0.1),
        ["suppress: must be a share of the rows between 0 and 1, got -0.1; for 2% write 0.02"],
    ),
    "suppress in percent": (
        words(suppress="2%"),
        ["suppress: must be a share of the rows between 0 and 1, got '2%'; for 2% write 0.02"],
    ),
    "suppress that is no number": (
        words(suppress=float("nan")),
        ["suppress: must be a share of the rows between 0 and 1, got nan; for 2% write 0.02"],
    ),
    "suppress as yes": (
        words(suppress=True),
        ["suppress: must be a share of the rows between 0 and 1, got true; for 2% write 0.02"],
    ),
    "a share of nothing": (
        words(suppress="1/0"),
        ["suppress: must be a share of the rows between 0 and 1, got '1/0'; for 2% write 0.02"],
    ),
    "unknown fate of the suppressed": (
        words(suppressed="stars"),
        ["suppressed: no such word 'stars'; did you mean 'star'?"],
    ),
    "unknown utility": (words(utility="los"), ["utility: no such word 'los'; did you mean 'loss'?"]),
    "unknown format": (words(format="xlsx"), ["format: no such word 'xlsx'; known: 'csv', 'parquet', 'table'"]),
    "format as a mapping": (
        words(format={}),
        ["format: no such word an empty mapping; known: 'csv', 'parquet', 'table'"],
    ),
    "a seed below 0": (
        words(seed=-1),
        ["seed: must be a whole number from 0, got -1; leave it out for a random one"],
    ),
    "a seed that is no number": (
        words(seed="7"),
        ["seed: must be a whole number from 0, got '7'; leave it out for a random one"],
    ),
    "no time": (
        words(time_limit=0),
        ["time_limit: must be a number of seconds above 0, got 0; leave it out for no limit"],
    ),
    "endless time": (
        words(time_limit=float("inf")),
        ["time_limit: must be a number of seconds above 0, got inf; leave it out for no limit"],
    ),
    "time in words": (
        words(time_limit="1 minute"),
        ["time_limit: must be a number of seconds above 0, got '1 minute'; leave it out for no limit"],
    ),
    "a source that is no address": (
        words(source=3),
        ["source: must be a path or an address, got 3; for example patients.csv"],
    ),
    "an empty source": (
        words(source=""),
        ["source: must be a path or an address, got ''; for example patients.csv"],
    ),
    "several at once": (
        {
            "atributes": {},
            "attributes": {"age": {"role": "quasi"}, "name": {"role": "identifier", "hierarchi": "x.csv"}},
            "require": [{"k_anonymity": {"k": 1}}, {"l_diversity": {"l": 2}}],
            "publish": "ambigous",
            "suppress": "lots",
            "utility": "beauty",
        },
        [
            "atributes: no such word; did you mean 'attributes'?",
            f"attributes.age.role: no such role 'quasi'; {ROLES}",
            "attributes.name.hierarchi: no such word; did you mean 'hierarchy'?",
            "require[0].k_anonymity.k: must be at least 2, got 1; a release with k = 1 promises nothing",
            "require[1].l_diversity: needs a sensitive attribute; give a column the role sensitive",
            "suppress: must be a share of the rows between 0 and 1, got 'lots'; for 2% write 0.02",
            "utility: no such word 'beauty'; known: 'loss', 'geometric_loss', 'discernibility', "
            "'average_group', 'height', 'kl_divergence'",
            "publish: no such word 'ambigous'; did you mean 'ambiguity'?",
        ],
    ),
    "unreadable attributes don't hide the rest": (
        {"attributes": 5, "require": ["k"], "seed": -1},
        [
            "attributes: must be a mapping of columns, got 5; for example {age: {role: quasi_identifier}}",
            "require[0]: must be a promise with its parameters, got 'k'; for example k_anonymity: {k: 5}",
            "seed: must be a whole number from 0, got -1; leave it out for a random one",
        ],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_policy_gets_all_its_mistakes(case: str) -> None:
    given_words, expected = WRONG[case]
    assert mistakes(given_words) == expected


BROKEN = {
    "a tab": ("attributes:\n\tage: {}\n", "line 2: broken YAML: a tab; indent with spaces"),
    "a key twice": (
        "attributes:\n  age: {role: quasi_identifier}\n  age: {role: other}\nrequire: [{k_anonymity: {k: 5}}]\n",
        "line 3: 'age' is given twice, first in line 2; keep one of them",
    ),
    "an open bracket": (
        "attributes: {age: {role: quasi_identifier}\n",
        "line 2: broken YAML: expected ',' or '}', but got '<stream end>'",
    ),
    "a colon too many": (
        "source: a: b\n",
        "line 1: broken YAML: mapping values are not allowed here; "
        "a colon too many, or a wrong indentation; put quotes around text with a colon",
    ),
    "two documents": (
        "a: 1\n---\nb: 2\n",
        "line 2: broken YAML: a second document; a policy is one document: remove the line '---'",
    ),
    "a star": (
        "source: *\n",
        "line 1: broken YAML: expected alphabetic or numeric character, but found '\\n'; "
        "put quotes around text that starts with a special character",
    ),
    "a tag": (
        "attributes: {age: {role: quasi_identifier}}\nrequire: [{k_anonymity: {k: 5}}]\nsource: !env HOME\n",
        "line 3: unknown tag '!env'; remove it, or put the text in quotes",
    ),
    "a value in itself": (
        "attributes: {age: {role: quasi_identifier, hierarchy: &a {taxonomy: [*a]}}}\nrequire: []\n",
        "line 1: an anchor that contains itself; write the value out",
    ),
    "a list as a name": (
        "attributes: {age: {role: quasi_identifier}}\nrequire: [{k_anonymity: {k: 5}}]\n? [a]\n: 1\n",
        "line 3: a list or a mapping as a name; names are text",
    ),
    "half a character": (
        'attributes: {age: {role: quasi_identifier}}\nrequire: [{k_anonymity: {k: 5}}]\nsource: "\\ud800.csv"\n',
        "line 3: half a character; write the character itself",
    ),
    "a control character": (
        "attributes:\n  age\x07: {}\n",
        "line 2: a character that YAML does not allow; remove it",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_yaml_is_reported_with_its_line(case: str, tmp_path: Path) -> None:
    text, expected = BROKEN[case]
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        read_policy(path)
    assert str(caught.value.mistakes[0]) == f"{path} {expected}"


def test_mistakes_of_yaml_and_of_words_come_together(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("attributes: {a: {role: quasi_identifier}}\nseed: 1\nseed: 2\n", encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        read_policy(path)
    assert [m.place for m in caught.value.mistakes] == [f"{path} line 3", "require"]


def test_what_is_not_utf8_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes("source: a.csv\nattributes:\n  größe: {}\n".encode("latin-1"))
    with pytest.raises(PolicyError) as caught:
        read_policy(path)
    assert str(caught.value) == f"{path}: is not UTF-8 text (line 3); save the file as UTF-8"


def test_a_missing_file_and_a_folder_are_no_policy(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="no such file; 'discreet init DATA' proposes a policy"):
        read_policy(tmp_path / "none.yaml")
    with pytest.raises(PolicyError, match="is a folder"):
        read_policy(tmp_path)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "~\n"])
def test_an_empty_file_says_what_a_policy_begins_with(text: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        read_policy(path)
    assert str(caught.value) == f"{path}: must be a mapping, got nothing; start with 'attributes:' and 'require:'"


def test_deep_nesting_is_an_error_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("[" * 1_500, encoding="utf-8")
    with pytest.raises(PolicyError, match="nested too deeply"):
        read_policy(path)


def test_column_names_and_codes_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(
        """
        attributes:
          no: {role: quasi_identifier, hierarchy: {taxonomy: [[yes, 01234], [12:30, 2020-01-31]]}}
          2020: {role: other}
          1e3: {role: other}
          ~: {role: other}
        require: [{k_anonymity: {k: 5}}]
        suppress: 1e-2
        """,
        encoding="utf-8-sig",
    )
    policy = read_policy(path)
    assert [a.name for a in policy.attributes] == ["no", "2020", "1e3", "~"]
    assert policy.attributes[0].hierarchy == {"taxonomy": [["yes", "01234"], ["12:30", "2020-01-31"]]}
    assert policy.suppress == Fraction(1, 100)
    assert policy.folder == tmp_path


def test_anchors_and_merges_share_what_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(
        """
        attributes:
          age: &number {role: quasi_identifier, hierarchy: {intervals: [5, 10]}}
          height: *number
          weight: {<<: *number, hierarchy: {intervals: [20]}}
        require: [{k_anonymity: {k: 5}}]
        """,
        encoding="utf-8",
    )
    hierarchies = [a.hierarchy for a in read_policy(path).attributes]
    assert hierarchies == [{"intervals": [5, 10]}, {"intervals": [5, 10]}, {"intervals": [20]}]


def test_a_taxonomy_is_looked_for_beside_the_policy(tmp_path: Path) -> None:
    (tmp_path / "nation.csv").write_text("Spain;Europe;*\nPeru;America;*\n", encoding="utf-8")
    given_words = words(attributes={"nation": {"role": "quasi_identifier", "hierarchy": "nation.csv"}})
    assert policy_from_words(given_words, tmp_path).quasi_identifiers == ("nation",)
    with pytest.raises(PolicyError, match=r"attributes\.nation\.hierarchy"):
        policy_from_words(given_words, tmp_path / "elsewhere")


def test_roles_and_defaults() -> None:
    policy = policy_from_words(attributes(name={"role": "identifier"}, job={"role": "other"}))
    assert policy.quasi_identifiers == ("age",)
    assert policy.sensitive == ("disease",)
    assert policy.others == ("job",)
    assert policy.models == (KAnonymity(5),)
    assert (policy.publish, policy.search, policy.suppressed, policy.utility) == (
        "generalization",
        "optimal",
        "drop",
        "loss",
    )
    assert (policy.suppress, policy.seed, policy.format, policy.time_limit) == (0, None, None, None)


@pytest.mark.parametrize(
    ("publish", "promise", "search"),
    [
        ("generalization", K5, "optimal"),
        ("multidimensional", K5, "mondrian"),
        ("local_recoding", K5, "local"),
        ("bucketization", K5, "anatomy"),
        ("bucketization", {"robust": {"r": 5}}, "art"),
        ("ambiguity", AMBIGUOUS, "greedy"),
    ],
)
def test_every_kind_of_publication_has_a_default_search(publish: str, promise: dict[str, Any], search: str) -> None:
    assert policy_from_words(words(publish=publish, require=[promise])).search == search


def test_ready_models_and_rules_say_the_same_as_words() -> None:
    ready = Policy(
        (Attribute("age", Role.QUASI_IDENTIFIER, Flat()), Attribute("disease", Role.SENSITIVE)),
        (KAnonymity(5), DistinctDiversity(2, "disease")),
        suppress=Fraction(1, 3),
    )
    written = policy_from_words(json.loads(json.dumps(ready.to_words())))
    assert written.models == ready.models
    assert written.attributes[0].hierarchy == {"flat": True}
    assert written.suppress == Fraction(1, 3)
    assert written.to_words() == ready.to_words()


def test_a_policy_made_by_hand_is_checked_like_any_other() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy((Attribute("a", Role.OTHER), Attribute("a", Role.OTHER)), (), publish="x", seed=-1)
    assert [m.place for m in caught.value.mistakes] == ["attributes.a", "attributes", "require", "seed", "publish"]
    with pytest.raises(PolicyError, match=r"attributes\.a\.role: no such role 'secret'"):
        Attribute("a", "secret")  # type: ignore[arg-type]


def test_a_policy_does_not_change_with_what_it_was_made_of() -> None:
    given_words = words()
    before = json.dumps(given_words)
    policy = policy_from_words(given_words)
    assert json.dumps(given_words) == before
    given_words["attributes"]["age"]["hierarchy"]["intervals"].append(20)
    given_words["require"][0]["k_anonymity"]["k"] = 2
    try:
        assert policy.to_words()["attributes"]["age"]["hierarchy"] == {"intervals": [5, 10]}
        assert policy.to_words()["require"] == [{"k_anonymity": {"k": 5}}]
    finally:
        AGE["hierarchy"]["intervals"].pop()  # type: ignore[index]
        K5["k_anonymity"]["k"] = 5


names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12
) | st.sampled_from(
    ["no", "2020", "a.b", "Robert'); DROP TABLE patients;--", '"', "ключ", "- x", "#", "{", "~", "null", "<<", ": "]
)
hierarchies = st.none() | st.sampled_from(
    [
        {"intervals": [5, 10, 20], "top": 90},
        {"prefixes": [4, 3, 2]},
        {"dates": ["month", "year"]},
        {"quantiles": 8},
        {"flat": True},
        {"taxonomy": [["no", "x"], ["01234", "y"], ["", "y"]]},
    ]
)


@st.composite
def policies(draw: st.DrawFn) -> dict[str, Any]:
    columns = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    found: dict[str, Any] = {columns[0]: {"role": "quasi_identifier"}, columns[1]: {"role": "sensitive"}}
    for name in columns[2:]:
        named = any(spec["role"] == "person" for spec in found.values())  # at most one column says whose row it is
        roles = [r.value for r in Role if r != Role.WISHES and not (named and r == Role.PERSON)]  # no promise reads any
        found[name] = {"role": draw(st.sampled_from(roles))}
    stated = st.booleans() if all(spec["role"] != "person" for spec in found.values()) else st.just(False)
    for spec in found.values():
        hierarchy = draw(hierarchies)
        if spec["role"] == "sensitive" and hierarchy == {"quantiles": 8}:  # refused: they follow the rows
            hierarchy = None
        if spec["role"] in ("quasi_identifier", "sensitive") and hierarchy is not None:
            spec["hierarchy"] = hierarchy
    promises = [{"k_anonymity": {"k": draw(st.integers(2, 50))}}]
    if draw(st.booleans()):
        promises.append({"l_diversity": {"l": draw(st.integers(2, 9)), "attribute": columns[1]}})
    rest = {
        "source": st.sampled_from(["patients.csv", "postgresql://db.example:5432/clinic#patients", "a@b.csv"]),
        "publish": st.sampled_from(["generalization", "multidimensional", "local_recoding"]),
        "suppress": st.floats(0, 1) | st.sampled_from(["1/3", "0.1", 0, 1]),
        "suppressed": st.sampled_from(["drop", "star"]),
        "utility": st.sampled_from(["loss", "geometric_loss", "discernibility", "average_group", "height"]),
        "seed": st.integers(0, 2**63),
        "format": st.sampled_from(["csv", "parquet"]),
        "time_limit": st.floats(0.001, 1e6),
        "one_row_per_person": stated,
    }
    chosen = draw(st.sets(st.sampled_from(sorted(rest))))
    return {"attributes": found, "require": promises} | {name: draw(rest[name]) for name in sorted(chosen)}


@settings(max_examples=150, deadline=None)
@given(policies())
def test_words_and_policies_are_the_same_thing(given_words: dict[str, Any]) -> None:
    policy = policy_from_words(given_words)
    again = policy_from_words(policy.to_words())
    assert again == policy
    assert again.models == policy.models
    assert list(policy.to_words()["attributes"]) == list(given_words["attributes"])  # type: ignore[call-overload]
    # A float means what it prints as, exactly.
    assert policy.suppress == Fraction(str(given_words.get("suppress", 0)))


@settings(max_examples=100, deadline=None)
@given(policies())
def test_a_policy_survives_yaml_and_json(tmp_path_factory: pytest.TempPathFactory, given_words: dict[str, Any]) -> None:
    policy = policy_from_words(given_words)
    path = tmp_path_factory.getbasetemp() / "round_trip.yaml"
    for text in (yaml.safe_dump(policy.to_words(), allow_unicode=True), json.dumps(policy.to_words())):
        path.write_text(text, encoding="utf-8")
        assert read_policy(path).to_words() == policy.to_words()


@pytest.mark.parametrize("threshold", [0.9, "1/3", "0.95"])
def test_a_threshold_is_exact_and_survives_its_words(threshold: object) -> None:
    policy = policy_from_words(words(search="instant", threshold=threshold))
    assert policy.threshold == Fraction(str(threshold))
    assert policy_from_words(policy.to_words()).threshold == policy.threshold


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["attributes", "require", *words(), "source", "publish", "search", "suppress"]), json_like)
def test_any_nonsense_is_a_policy_error_or_a_policy(word: str, nonsense: object) -> None:
    for given_words in (words(**{word: nonsense}), attributes(age=nonsense), words(require=[nonsense, K5])):
        try:
            assert policy_from_words(given_words).quasi_identifiers
        except PolicyError as error:
            assert error.mistakes


def test_a_column_that_is_not_there_is_named_with_the_likeliest_one() -> None:
    policy = policy_from_words(
        words(
            attributes={
                "agee": AGE,
                "ZIP": {"role": "quasi_identifier"},
                "x y": {"role": "other"},
                "disease": DISEASE,
            }
        )
    )
    found = [str(m) for m in check_columns(policy, ["age", "zip ", "disease"])]
    assert found == [
        "attributes.agee: no such column; did you mean 'age'?",
        "attributes.ZIP: no such column; did you mean 'zip '?",
        "attributes['x y']: no such column; known: 'age', 'zip ', 'disease'",
    ]


def test_columns_of_the_same_name_can_not_be_told_apart() -> None:
    policy = policy_from_words(words())
    found = [str(m) for m in check_columns(policy, ["age", "disease", "age", "note", "note"])]
    assert found == [
        "source: 2 columns are called 'age'; rename them",
        "source: 2 columns are called 'note'; rename them",
    ]


def test_a_policy_fits_a_table_with_more_columns_than_it_names() -> None:
    assert check_columns(policy_from_words(words()), ["note", "disease", "age"]) == []


ADDRESSES = {
    "postgresql://ann:s3cret@db.example/clinic#patients": "postgresql://db.example/clinic#patients",
    "postgresql://ann@db.example/clinic#patients": "postgresql://db.example/clinic#patients",
    "postgresql://ann:s3/cr@et@db.example:5432/clinic": "postgresql://db.example:5432/clinic",
    "postgresql://ann:12/s3cret@db.example/clinic": "postgresql://db.example/clinic",
    "postgresql://ann:s3#cret@db.example/clinic#t": "postgresql://db.example/clinic#t",
    "postgresql://h/d?user=a&password=s3cret&sslmode=require#t": "postgresql://h/d?user=a&sslmode=require#t",
    "postgresql://h/d?password=s3cret": "postgresql://h/d",
    "host=h password='s3 cret' dbname=d": "host=h dbname=d",
    "s3://bucket/a@b.csv": "s3://bucket/a@b.csv",
    "patients.csv": "patients.csv",
    "data/user=3/x.parquet": "data/user=3/x.parquet",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_shown_without_its_password(address: str) -> None:
    assert without_credentials(address) == ADDRESSES[address]


@settings(max_examples=200)
@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1), st.sampled_from(["ann", "a.b"]))
def test_no_password_whatever_its_signs_is_shown(password: str, user: str) -> None:
    policy = policy_from_words(words(source=f"postgresql://{user}:{password}XYZZY@db.example/clinic#patients"))
    assert policy.to_words()["source"] == "postgresql://db.example/clinic#patients"
    assert "XYZZY" not in repr(policy)
