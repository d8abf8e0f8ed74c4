"""What ART begins with, of rows of any kind."""

from __future__ import annotations

from discreet.models.robust.robust import Robust
from discreet.progress import silent
from discreet.search.art.draft import Draft, start
from discreet.search.plan import Problem
from tests.search.bucketized import SENSITIVE, table_of

VALUES = ["a", "b", "c", "d", "e"]


def draft_of(rows, sets) -> Draft:
    f = table_of([(*people, value) for people, value in rows])
    models = (Robust(1.25, SENSITIVE, values=sets, min_support=2),)
    return start(Problem(f, models, f.rows), silent)
