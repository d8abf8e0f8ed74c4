"""The eight patients of the ambiguity paper, row by row; four of them make a group."""

from __future__ import annotations

NAMES = ("age", "gender", "zip", "disease")
PATIENTS = [
    ("45", "M", "11000", "diabetes"),
    ("20", "M", "12000", "flu"),
    ("50", "M", "23000", "diarrhea"),
    ("60", "M", "12000", "stroke"),
    ("20", "F", "54000", "leukemia"),
    ("50", "F", "23000", "diabetes"),
    ("60", "F", "23000", "leukemia"),
    ("60", "F", "21000", "dyspepsia"),
]
