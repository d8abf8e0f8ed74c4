"""The papers whose experiments can be run again: a folder each, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from discreet.studies.study import Study

PAPERS = ("realistic", "robust", "ambiguity", "presence", "instant")


def study(name: str) -> Study[Any, Any]:
    """What the folder of one of `PAPERS` says."""
    return cast("Study[Any, Any]", import_module(f"discreet.studies.{name}.study").STUDY)
