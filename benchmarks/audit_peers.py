"""What do anjana and anonypy publish when they are asked for a promise, and what does pycanon say of it?

Each is asked for its own models on Adult; what it returns is written as CSV and audited with `discreet audit`, from the
file and the source alone. pycanon judges the same files. The files stay in benchmarks/results/audit_peers, with the
description of each, so that the commands can be run again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
from pyarrow import csv

from benchmarks.adult import SENSITIVE, People, adult
from benchmarks.measure import ROOT, Findings, Options, Table, run
from benchmarks.peers import PINS, environment, hierarchy_rows
from discreet import audit_release
from discreet.audit.audit import Audit
from discreet.run.intake import take_in

QUASI_IDENTIFIERS = 5
FOLDER = ROOT / "benchmarks" / "results" / "audit_peers"


@dataclass(frozen=True)
class Call:
    """One call of another tool, by its own names, and the promise that it stands for in ours."""

    tool: str
    name: str
    call: str
    promises: tuple[Mapping[str, Any], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    suppress: float = 0.0
    unknown: str = ""  # the column in which some values are unknown (NULL)
    checked: tuple[str, ...] = ("k_anonymity",)  # what pycanon is asked


K = {"k_anonymity": {"k": 5}}


def _of(model: str, **parameters: Any) -> dict[str, Any]:
    return {model: parameters | {"attribute": SENSITIVE}}


def _anjana(call: str, name: str, promise: Mapping[str, Any], **parameters: Any) -> Call:
    """k = 5 and something more, with up to a twentieth of the rows suppressed."""
    return Call("anjana", name, call, (K, promise), parameters, suppress=0.05, checked=("k_anonymity", call))


CALLS = (
    Call("anjana", "k", "k_anonymity", (K,)),
    Call("anjana", "k-suppressed", "k_anonymity", (K,), suppress=0.05),
    _anjana("l_diversity", "l", _of("l_diversity", l=3, kind="distinct"), l_div=3),
    _anjana("entropy_l_diversity", "entropy", _of("l_diversity", l=3, kind="entropy"), l_div=3),
    _anjana("recursive_c_l_diversity", "recursive", _of("l_diversity", l=3, kind="recursive", c=1), c=1, l_div=3),
    Call(
        "anjana",
        "alpha",
        "alpha_k_anonymity",
        (_of("alpha_k", alpha=0.6, k=5),),
        {"alpha": 0.6},
        suppress=0.05,
        checked=("alpha_k_anonymity",),
    ),
    _anjana("t_closeness", "t", _of("t_closeness", t=0.4, distance="equal"), t=0.4),
    _anjana("enhanced_beta_likeness", "enhanced-beta", _of("beta_likeness", beta=6, kind="enhanced"), beta=6),
    _anjana("delta_disclosure", "delta", _of("delta_disclosure", delta=3), delta=3),
    Call("anonypy", "k", "anonymize_k_anonymity", (K,)),
    Call("anonypy", "l", "anonymize_l_diversity", (K, _of("l_diversity", l=3, kind="distinct")), {"l": 3}),
    Call("anonypy", "t", "anonymize_t_closeness", (K, _of("t_closeness", t=0.05, distance="equal")), {"p": 0.05}),
    Call("anonypy", "k-unknown", "anonymize_k_anonymity", (K,), unknown=SENSITIVE),
)


def measure(options: Options) -> Findings:
    """Every call, its audit, and pycanon's word for it."""
    says, ready = [], {}
    for tool in ("anjana", "anonypy"):
        problem = environment(tool, PINS[tool])
        if problem is None:
            ready[tool] = ROOT / "benchmarks" / ".venvs" / tool / "bin" / "python"
        else:
            says.append(f"{tool} could not be installed, and is left out: {problem}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    table = Table(
        f"{adult().name}, {QUASI_IDENTIFIERS} quasi-identifiers",
        (
            "tool",
            "asked for",
            "call s",
            "people",
            "groups",
            "promise broken",
            "faults",
            "pycanon says",
            "audit s",
            "shown by",
        ),
    )
    for call in (a for a in CALLS if a.tool in ready):
        people, source = _source(call)
        ran = _publish(ready[call.tool], call, people, source, options.limit)
        if isinstance(ran, str):
            table.add(call.tool, _promised(call), None, None, None, ran, None, None, None, None)
            continue
        answer, file = ran
        audit, seconds = _audited(call, people, source, file)
        checked = _checked(ready, call) if call.tool == "anjana" else ""
        table.add(
            call.tool,
            _promised(call),
            answer["seconds"],
            audit.people,
            audit.groups,
            "; ".join(_broken(audit)) or "none",
            "; ".join(sorted({f.fault for f in audit.faults if f.grave})) or "none",
            checked,
            seconds,
            _command(source, file),
        )
    tables = [table]
    if "anjana" in ready:
        tables.append(_screened(ready))
    says += [
        "promise broken: what is required, and what the published file reaches",
        "faults: what must not be in a published file, whoever looks",
        "pycanon is asked about the same file; (c, l) are its two answers for recursive diversity",
    ]
    return Findings(str(__doc__).splitlines()[0], tables, says)


def _source(call: Call) -> tuple[People, Path]:
    """The table as the tool gets it; one value in a hundred of the column `unknown` is NULL."""
    people = adult()
    table = people.table
    if call.unknown:
        values = table.column(call.unknown).to_pylist()
        blank = pa.array([None if i % 100 == 7 else v for i, v in enumerate(values)])
        table = table.set_column(table.column_names.index(call.unknown), call.unknown, blank)
    path = FOLDER / f"people{f'-{call.unknown}' if call.unknown else ''}.csv"
    csv.write_csv(table.select([*_names(people), SENSITIVE]), path)
    return replace(people, table=table), path


def _names(people: People) -> list[str]:
    return list(people.columns[:QUASI_IDENTIFIERS])


def _task(call: Call, people: People, source: Path, file: Path) -> dict[str, Any]:
    policy = people.policy(len(people.columns), [{"k_anonymity": {"k": 2}}])
    built = {h.attribute: h for h in take_in(policy, people.table).frequency.hierarchies}
    return {
        "source": str(source),
        "target": str(file),
        "quasi_identifiers": _names(people),
        "numbers": ["age"],
        "sensitive": SENSITIVE,
        "k": 5,
        "l": 0,
        "suppress": call.suppress,
        "hierarchies": {name: hierarchy_rows(built[name]) for name in _names(people)},
        "call": call.call,
        "parameters": dict(call.parameters),
        "calls": list(call.checked),
    }


def _publish(python: Path, call: Call, people: People, source: Path, limit: float) -> tuple[Any, Path] | str:
    """What the tool returns, as a file; or why there is none."""
    file = FOLDER / f"{call.tool}-{call.name}.csv"
    file.unlink(missing_ok=True)
    task = FOLDER / f"{call.tool}-{call.name}.json"
    task.write_text(json.dumps(_task(call, people, source, file)), encoding="utf-8")
    ran = run([python, ROOT / "benchmarks" / f"peer_{call.tool}.py", task], limit=limit)
    if ran.stopped:
        return f"not finished after {limit:.0f} s"
    if ran.code != 0:
        return f"failed: {(ran.err.strip().splitlines() or ['?'])[-1][:100]}"
    if file.stat().st_size < 10:
        return "gives up: an empty table"
    return ran.json(), file


def _audited(call: Call, people: People, source: Path, file: Path) -> tuple[Audit, float]:
    description_words: dict[str, Any] = {
        "quasi_identifiers": _names(people),
        "sensitive": [SENSITIVE],
        "promises": [dict(p) for p in call.promises],
    }
    if call.tool == "anonypy":
        description_words["count"] = "count"
        description_words["columns"] = {
            c: "interval" if c == "age" else "set" for c in description_words["quasi_identifiers"]
        }
    else:
        task = json.loads((FOLDER / f"{call.tool}-{call.name}.json").read_text(encoding="utf-8"))
        description_words["hierarchies"] = task["hierarchies"]
    description = file.with_suffix(".yaml")
    description.write_text(json.dumps(description_words), encoding="utf-8")  # JSON is YAML
    start = perf_counter()
    audit = audit_release(file, description=description, source=source)
    return audit, perf_counter() - start


def _checked(ready: Mapping[str, Path], call: Call) -> str:
    """What pycanon says of the same file."""
    task = FOLDER / f"{call.tool}-{call.name}.json"
    ran = run([ready["anjana"], ROOT / "benchmarks" / "peer_pycanon.py", task], limit=240)
    if ran.stopped or ran.code != 0:
        return "fails"
    figures = ran.json()["told"]
    return "; ".join(f"{name}: {_figure(figure)}" for name, figure in figures.items())


def _screened(ready: Mapping[str, Path]) -> Table:
    """The first people of Adult by a country that some don't tell, left out until pycanon is content with k = 5."""
    people = adult(nulls=True)
    country = next(c for c in people.columns if people.table.column(c).null_count and c in people.columns[5:7])
    values = people.table.column(country).slice(0, 50).to_pylist()
    kept = [v is None or values.count(v) >= 5 for v in values]  # a NULL is in no group of pandas, so it is never small
    file = FOLDER / "screened.csv"
    csv.write_csv(people.table.slice(0, 50).select([country, SENSITIVE]).filter(pa.array(kept)), file)
    task = {"target": str(file), "quasi_identifiers": [country], "sensitive": SENSITIVE, "calls": ["k_anonymity"]}
    file.with_suffix(".json").write_text(json.dumps(task), encoding="utf-8")
    checker = [ready["anjana"], ROOT / "benchmarks" / "peer_pycanon.py", file.with_suffix(".json")]
    figures = run(checker, limit=240).json()["told"]
    promised = {"quasi_identifiers": [country], "sensitive": [SENSITIVE], "promises": [K]}
    file.with_suffix(".yaml").write_text(json.dumps(promised), encoding="utf-8")
    audit = audit_release(file, description=file.with_suffix(".yaml"))
    table = Table(
        "50 people by one column with NULLs, left out until pycanon says k = 5",
        ("column", "people", "pycanon's k", "true k", "shown by"),
    )
    command = f"discreet audit {_short(file)} --description {_short(file.with_suffix('.yaml'))}"
    table.add(country, sum(kept), figures["k_anonymity"], audit.smallest_group, command)
    return table


def _broken(audit: Audit) -> list[str]:
    return [
        f"{level.model} {level.sense} {level.required:g}, is {_figure(level.achieved)}"
        for level in audit.levels
        if level.holds is False
    ]


def _promised(call: Call) -> str:
    words = []
    for promise in call.promises:
        [(model, body)] = promise.items()
        words.append(f"{model} {', '.join(f'{w} {v}' for w, v in body.items() if w != 'attribute')}")
    nulls = f", 1% of {call.unknown} NULL" if call.unknown else ""
    return "; ".join(words) + (f", {call.suppress:.0%} suppressed" if call.suppress else "") + nulls


def _figure(figure: object) -> str:
    if isinstance(figure, list):
        return "(" + ", ".join(map(_figure, figure)) + ")"
    if isinstance(figure, float):
        return f"{int(figure):,}" if figure.is_integer() else f"{figure:.4g}"
    return str(figure)


def _command(source: Path, file: Path) -> str:
    return f"discreet audit {_short(file)} --description {_short(file.with_suffix('.yaml'))} --source {_short(source)}"


def _short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
