"""What we import is what we declare, and no major release that nobody has tried reaches a user by itself."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import discreet

SOURCE = Path(discreet.__file__).parent
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
TOOLS = {"dev", "docs"}  # started, not imported
EXTRAS = {name: requirements for name, requirements in PROJECT["optional-dependencies"].items() if name not in TOOLS}
ROOMS = {"explorer": "web"}  # whose extra is called otherwise
EVERYTHING = {
    text
    for requirements in (PROJECT["dependencies"], BUILD, *PROJECT["optional-dependencies"].values())
    for text in requirements
    if Requirement(text).name != "discreet"
}


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in requirements}


@cache
def imported() -> tuple[tuple[Path, str], ...]:
    """Every file of ours with the packages of others that it imports, also inside of functions."""
    return tuple(_imported())


def _imported() -> Iterator[tuple[Path, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for top in {module.partition(".")[0] for module in modules}:
                if top != "discreet" and top not in sys.stdlib_module_names:
                    yield path.relative_to(SOURCE), top


def test_every_package_that_is_imported_is_declared() -> None:
    """In the core, or in the extra that the file or its room is named after: ``engines/spark/`` may import PySpark."""
    distributions = packages_distributions()
    core, undeclared = names(PROJECT["dependencies"]), set()
    assert {top for _, top in imported()} >= {"numpy", "markupsafe", "pyspark", "psycopg"}
    for path, top in imported():
        extras = {path.stem, ROOMS.get(path.parent.name, path.parent.name)} & EXTRAS.keys()
        declared = core.union(*(names(EXTRAS[extra]) for extra in extras))
        if not declared & {canonicalize_name(name) for name in distributions.get(top, [top])}:
            undeclared.add((str(path), top))
    assert undeclared == set()


def test_what_is_declared_is_imported() -> None:
    distributions = packages_distributions()
    used = {canonicalize_name(name) for _, top in imported() for name in distributions.get(top, [top])}
    assert names(PROJECT["dependencies"]).union(*map(names, EXTRAS.values())) <= used


@pytest.mark.parametrize("text", sorted(EVERYTHING))
def test_every_requirement_ends_before_a_release_that_nobody_tried(text: str) -> None:
    operators = {specifier.operator for specifier in Requirement(text).specifier}
    assert operators & {"<", "<=", "==", "~="}, f"{text} has no upper bound"


def test_the_versions_that_are_tested_are_within_the_bounds() -> None:
    pinned: dict[str, list[str]] = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        constraint = Requirement(line)
        [specifier] = constraint.specifier
        assert specifier.operator == "==", line
        if constraint.marker is None or constraint.marker.evaluate(default_environment()):  # type: ignore[arg-type]
            pinned.setdefault(canonicalize_name(constraint.name), []).append(specifier.version)
    for text in EVERYTHING - set(BUILD):
        requirement = Requirement(text)
        [version] = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True), f"{text}, tested with {version}"
