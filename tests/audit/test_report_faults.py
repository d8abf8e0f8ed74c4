"""The page beside a release tells nothing that its tables hide; two leaks of older releases are found again."""

from __future__ import annotations

import random

import pytest

import discreet
from discreet.audit.faults.report_faults import report_faults
from discreet.audit.reading.page import read_page
from discreet.audit.reading.release import look
from discreet.samples.hospital import write_sample
from tests.audit.releasing import REQUIRE, people, publish, resign

BAR = '<svg class="bar" aria-hidden="true"><rect class="before" width="94.29%" height="7"/></svg>'


def before_and_after(column, shares):
    """A table of the page that releases before 0.2 had: each value, its share in the source, and in the release."""
    rows = "".join(
        f'<tr><th scope="row" class="name">{value}</th><td class="barcell">{BAR}</td>'
        f'<td class="number">{source}%</td><td class="number">{release}%</td></tr>'
        for value, source, release in shares
    )
    return f"""<section aria-labelledby="marginals"><h2 id="marginals">Before and after</h2>
<p class="soft">How common each value was in the source and is in the release. Shares are rounded to whole percents, so
that nobody can be recognised in the difference.</p>
<ul class="legend"><li>source</li><li>release</li></ul><div class="pairs"><div><h3>{column}</h3>
<table class="bars"><caption>no difference</caption><thead><tr><th scope="col" class="name">value</th>
<th scope="col" class="barcell"></th><th scope="col" class="number">source</th><th scope="col">release</th></tr></thead>
<tbody>{rows}</tbody></table></div></div></section>"""


def put(folder, html):
    page = (folder / "report.html").read_text(encoding="utf-8")
    (folder / "report.html").write_text(page.replace("</main>", f"{html}</main>"), encoding="utf-8")
    assert html in (folder / "report.html").read_text(encoding="utf-8")
    resign(folder)
    return folder


def graves(folder, source=None):
    audit = discreet.audit_release(folder, source=source)
    found = {fault.fault: fault for fault in audit.faults if fault.grave}
    assert audit.kept == (not found)
    return found


@pytest.mark.parametrize("kind", REQUIRE)
def test_no_page_of_a_true_release_is_blamed(tmp_path, kind):
    folder = publish(tmp_path / "release", kind)
    assert graves(folder) == graves(folder, people()) == {}


@pytest.mark.parametrize("kind", ["generalization", "multidimensional", "local_recoding"])
def test_no_page_of_the_sample_is_blamed(tmp_path, kind):
    write_sample(tmp_path, rows=400, seed=3)
    policy = discreet.read_policy(tmp_path / "policy.yaml")
    from dataclasses import replace

    searches = {"generalization": "optimal", "multidimensional": "mondrian", "local_recoding": "local"}
    discreet.anonymize(replace(policy, publish=kind, search=searches[kind]), tmp_path / "release")
    found = discreet.audit_release(tmp_path / "release", source=tmp_path / "patients.csv")
    assert {f.fault for f in found.faults} <= {"homogeneous_group"}


def zips(tmp_path):
    """1,000 people with some in zip Z, of which a release with large groups tells nothing."""
    draw = random.Random(5)
    source = {
        "zip": [draw.choice(["Z", "47000", "47001", "48000"]) for _ in range(1000)],
        "disease": [draw.choice(["flu", "cold"]) for _ in range(1000)],
    }
    attributes = {"zip": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    folder = publish(
        tmp_path / "release", "multidimensional", source, attributes=attributes, require=[{"k_anonymity": {"k": 600}}]
    )
    assert {row.split(",")[0] for row in (folder / "data.csv").read_text().splitlines()[1:]} == {"*"}
    return folder, source


def test_the_leak_of_who_is_in_the_table_is_reported(tmp_path):
    folder, source = zips(tmp_path)
    assert graves(folder, source) == {}
    put(folder, before_and_after("zip", [("Z", 10, 25), ("47000", 15, 25), ("others", 75, 50)]))
    found = graves(folder, source)
    assert found.keys() == {"figures_of_the_source", "hidden_values_named"}
    assert found["hidden_values_named"].rule == "the report names 2 values of zip that the release hides"
    assert found["hidden_values_named"].count == 2
    assert graves(folder).keys() == {"figures_of_the_source"}  # that much anybody sees


def test_the_leak_of_a_suppressed_persons_value_is_reported(tmp_path):
    folder = publish(tmp_path / "release", "generalization")
    put(folder, before_and_after("disease", [("flu", 13, 12), ("gout", 87, 88)]))
    for source in (None, people()):
        found = graves(folder, source)
        assert found.keys() == {"figures_of_the_source"}
        assert found["figures_of_the_source"].place == "report.html"
        assert found["figures_of_the_source"].count == 2


@pytest.mark.parametrize(
    "html",
    [
        "<p>In the source: 13%.</p>",
        "<p>13% of the source have it.</p>",
        "<table><tr><td>before</td><td>13%</td></tr></table>",
        "<svg><g><title>source 13.5%</title></g></svg>",
        "<!-- source: 12% -->",
    ],
)
def test_shares_of_the_source_are_found_however_they_are_told(tmp_path, html):
    folder, _ = zips(tmp_path)
    assert graves(put(folder, html)).keys() == {"figures_of_the_source"}


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>Z</td></tr></table>",
        "<ul><li>Z: 10%</li></ul>",
        '<span class="chip">47000 <i>15%</i></span>',
        "<h3>zip</h3><p>Z</p>",
        '<input type="hidden" value="47001">',
        '<rect aria-label="47000"/>',
        "<p><b>Z</b> is common</p>",
    ],
)
def test_hidden_values_are_found_however_they_are_told(tmp_path, html):
    folder, source = zips(tmp_path)
    assert graves(put(folder, html), source).keys() == {"hidden_values_named"}


def test_figures_are_not_taken_for_values(tmp_path):
    source = {"age": [str(i % 50 + 20) for i in range(400)], "disease": ["flu", "cold"] * 200}
    attributes = {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}}}
    words = {"attributes": attributes | {"disease": {"role": "sensitive"}}, "require": [{"k_anonymity": {"k": 30}}]}
    folder = publish(tmp_path / "release", "generalization", source, **words)
    put(folder, "<table><tr><td>37</td><td>21</td></tr></table><dl><dt>rows</dt><dd>44</dd></dl>")
    assert graves(folder, source) == {}
    put(folder, "<h3>age</h3><table><tr><th>37</th></tr></table>")
    assert graves(folder, source)["hidden_values_named"].count == 1


def test_values_that_are_published_anywhere_may_be_named(tmp_path):
    folder = publish(tmp_path / "release", "generalization")
    put(folder, "<table><tr><td>Spain</td><td>flu</td><td>Europe</td></tr></table>")  # the manifest has its taxonomy
    assert graves(folder, people()) == {}


def test_a_page_that_is_none_tells_nothing(tmp_path):
    folder = publish(tmp_path / "release", "generalization")
    for page in (b"\xff\xfe", b"<" * 100_000, b"<table>" * 20_000, b"<h1><td><table><tr></h1></table>" * 2000, b""):
        (folder / "report.html").write_bytes(page)
        assert list(report_faults(look(folder))) == []


def test_texts_of_a_page_are_read_with_what_they_are_about():
    page = read_page("<h2>A</h2><h3>zip</h3><p>x<b>y</b></p><h2>B</h2><p>z</p><script>var s = 1</script>")
    about = {said.text: said.about for said in page.texts}
    assert about["x"] == about["y"] == ("zip", "A")
    assert about["z"] == ("B",)
    assert "var s = 1" not in about
