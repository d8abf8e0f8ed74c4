"""A chain on the command line: several releases, one new table; what is open, kept and refused by exit codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

POLICY = """
source: january.csv
attributes:
  who: {role: person}
  age: {role: quasi_identifier}
  disease: {role: sensitive}
require:
  - m_invariance: {m: 2}
publish: bucketization
suppress: 0.5
"""


def write(month: str, people: range) -> str:
    rows = [f"P{i},{20 + i},{('flu', 'cold', 'gout')[i % 3]}" for i in people]
    Path(f"{month}.csv").write_text("\n".join(["who,age,disease", *rows]) + "\n")
    return f"{month}.csv"


def test_three_months_are_published_verified_and_attacked(place: Path, call: Any) -> None:
    Path("chain.yaml").write_text(POLICY)
    tables = [write("january", range(12)), write("february", range(3, 15)), write("march", range(6, 18))]
    assert call("anonymize", "chain.yaml", "-o", "r0").code == 0
    assert call("apply", "r0", tables[1], "-o", "r1").code == 0
    made = call("apply", "r0", "r1", tables[2], "-o", "r2")
    assert made.code == 0 and "2-invariance of disease: kept" in made.out
    assert call("verify", "r2").code == 3
    assert call("verify", "r2", "--source", tables[2]).code == 3
    assert call("verify", "r2", "--source", tables[2], "--earlier", "r0", "--earlier", "r1").code == 0
    assert call("verify", "r2", "--source", tables[2], "--earlier", "r1", "--earlier", "r0").code == 1
    others = ["--other", "r0", "--other-source", tables[0], "--other", "r1", "--other-source", tables[1]]
    found = call("audit", "r2", "--source", tables[2], *others, "--json")
    [line] = [line for line in found.json["lines"] if line["adversary"] == "intersection"]
    assert found.code == 0 and line["worst"] <= 1 / 2
    page = call("audit", "r2", "--source", tables[2], *others, "-o", "page.html")
    assert page.code == 0 and "3 releases" in Path("page.html").read_text()


def test_wrong_chains_are_refused(place: Path, call: Any) -> None:
    Path("chain.yaml").write_text(POLICY)
    tables = [write("january", range(12)), write("february", range(3, 15))]
    assert call("anonymize", "chain.yaml", "-o", "r0").code == 0
    assert call("apply", "r0", "r0", tables[1], "-o", "r1").code == 2
    Path("r0.private/ledger.json").unlink()
    refused = call("apply", "r0", tables[1], "-o", "r1")
    assert refused.code == 2 and "--ledger" in refused.err and not Path("r1").exists()
    assert call("audit", "r0", "--other", "r0", "--other", "r0").code == 2
    assert call("anonymize", "policy.yaml", "-o", "plain").code == 0
    assert call("apply", "plain", "plain", "t.csv", "-o", "next").code == 2
    assert call("verify", "plain", "--earlier", "plain").code == 2
