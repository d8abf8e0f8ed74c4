"""Small tables of which somebody knows who is likely to have what."""

from __future__ import annotations

from hypothesis import strategies as st

from discreet.audit.worst_case.knowledge import read_knowledge
from tests.audit.association_cases import bucketized

NAMES = ("nation", "age")
people = st.tuples(st.sampled_from("AB"), st.sampled_from("12"), st.sampled_from("xyz"))


def counted(rows):
    """The source table as an engine counts it."""
    return read_knowledge(frame(rows), bucketized([rows], NAMES), "disease")


def frame(rows):
    columns = list(zip(*rows, strict=True))
    return {name: list(column) for name, column in zip((*NAMES, "disease"), columns, strict=True)}
