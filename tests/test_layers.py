"""Imports point downward only, and a command loads what it needs and no more."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import discreet

ROOT = Path(discreet.__file__).parent
# From the bottom to the top; neighbours on one line may not import each other, but for the ground floor.
GROUND = ["addresses", "arrays", "compiled", "errors", "files", "late_code", "progress", "registry"]
LAYERS = [
    GROUND,
    ["engines", "labels"],
    ["hierarchies"],
    ["counts", "audit"],
    ["models", "utility", "summaries"],
    ["search"],
    ["policy", "samples"],
    ["publications"],
    ["releases"],
    ["report"],
    ["run"],
    ["studies", "python"],
    ["explorer"],
    ["cli"],
]
HEIGHT = {part: height for height, line in enumerate(LAYERS) for part in line}


def part_of(module: str) -> str:
    return module.removeprefix("discreet.").split(".")[0]


@cache
def imports(path: Path) -> set[str]:
    """The modules of ours that a file imports at run time, also inside of functions."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "we name modules in full"
            inside = node.module == "discreet"
            found |= {f"discreet.{alias.name}" for alias in node.names} if inside else {str(node.module)}
    return {name for name in found if name.startswith("discreet.")}


FILES = sorted(p for p in ROOT.rglob("*.py") if p.parent != ROOT or p.name not in ("__init__.py", "__main__.py"))


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(ROOT)) for p in FILES])
def test_imports_point_downward(path: Path) -> None:
    here = part_of("discreet." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
    assert here in HEIGHT, f"{here} has no place among the layers yet"
    for module in imports(path):
        there = part_of(module)
        down = there == here or HEIGHT[there] < HEIGHT[here] or (here in GROUND and there in GROUND)
        assert down, f"{here} must not import {there}"


def test_search_and_models_see_counts_only() -> None:
    for path in [*ROOT.glob("search/**/*.py"), *ROOT.glob("models/**/*.py")]:
        assert not {m for m in imports(path) if part_of(m) in ("engines", "publications", "releases", "report")}, (
            path.name
        )


def test_the_audit_shares_no_code_with_what_it_audits() -> None:
    for path in ROOT.glob("audit/**/*.py"):
        parts = {part_of(m) for m in imports(path)}
        assert parts <= {
            "audit",
            "engines",
            "arrays",
            "compiled",
            "errors",
            "progress",
            "registry",
            "files",
            "labels",
        }, path.name
    for folder in ("models", "search", "utility", "releases", "counts"):
        for path in ROOT.glob(f"{folder}/**/*.py"):
            assert "audit" not in {part_of(m) for m in imports(path)}, path.name


def test_sql_is_executed_in_the_engines_alone() -> None:
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        if "engines" in path.parts or path.name == "scratch.py":  # a study asks queries of its own
            continue
        if "sql" in text or "execute" in text:  # else there is nothing to take apart
            names = {n.attr for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Attribute)}
            assert not names & {"sql", "execute"}, path.name


def loaded_after(code: str) -> set[str]:
    """What a fresh interpreter has loaded after running the code."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; sys.stderr.write('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in run.stderr.splitlines()}


HEAVY = {"numpy", "duckdb", "numba", "pandas", "pyarrow", "polars", "jinja2", "scipy"}


def test_help_loads_nothing_heavy() -> None:
    code = "import sys\nfrom discreet.cli.main import app\nsys.argv = ['discreet', '--help']\n"
    assert not loaded_after(code + "try: app()\nexcept SystemExit: pass") & HEAVY


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_after("import discreet") & HEAVY


def test_anonymize_does_without_pandas(tmp_path: Path) -> None:
    from discreet.samples.hospital import write_sample

    write_sample(tmp_path, rows=200, seed=1)
    code = f"""
from pathlib import Path
from discreet import anonymize, read_policy, verify
for form in ("csv", "parquet"):
    from dataclasses import replace
    for name in ("policy", "visits"):
        policy = replace(read_policy(Path({str(tmp_path)!r}) / f"{{name}}.yaml"), format=form)
        release = Path({str(tmp_path)!r}) / f"{{name}}-{{form}}"
        anonymize(policy, release)
        assert verify(release).kept is not False  # of people: needs the source to judge
"""
    assert not loaded_after(code) & {"pandas", "polars", "scipy"}


def test_every_public_name_is_what_it_says_whatever_was_imported_before() -> None:
    code = """
import importlib, pkgutil, types, discreet
for found in pkgutil.walk_packages(discreet.__path__, "discreet."):
    if "__main__" not in found.name:
        importlib.import_module(found.name)
for name in discreet.__all__:
    thing = getattr(discreet, name)
    assert callable(thing) if name == "audit" else not isinstance(thing, types.ModuleType), name
import discreet.audit.lines as lines
assert isinstance(lines, types.ModuleType) and discreet.audit.lines is lines
"""
    loaded_after(code)
