"""What a database should keep: nothing where it keeps all, and names that are quoted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discreet.engines.statistics import Object, Statistics
from discreet.summaries.advice import Suggestion, advise
from tests.summaries.stated import stated

ROWS = 40 * [("a", "x", "1"), ("a", "x", "2"), ("b", "y", "1"), ("b", "y", "2"), ("b", "x", "2")]
COLUMNS = ["one", 'two"', "three"]


def kept(most: int | None = None, width: int = 2) -> Statistics:
    found = stated(COLUMNS, ROWS, most, width)
    objects = tuple(Object(f"s{i}", j.columns, j.covered) for i, j in enumerate(found.joint))
    return replace(found, table='"people"', pages=9, targets=dict.fromkeys(COLUMNS, 100), objects=objects)


def suggested(statistics: Statistics) -> list[Suggestion]:
    return list(advise(statistics, COLUMNS, stated(COLUMNS, ROWS)).suggestions)


def test_where_everything_is_kept_nothing_would_help() -> None:
    found = advise(kept(), COLUMNS, stated(COLUMNS, ROWS))
    assert found.suggestions == ()
    assert [p.covered for p in found.pairs] == pytest.approx([1.0, 1.0, 1.0])
    assert [p.columns for p in found.pairs if p.used] == [("one", 'two"'), ("one", "three")]


def test_lists_of_the_pairs_that_tell_most_come_first_and_others_are_not_asked_for() -> None:
    """Columns that tell nothing of each other, or nothing new, need no list."""
    found = suggested(kept(width=4))
    assert [s.statements[0] for s in found] == [
        'CREATE STATISTICS "discreet_one_two""" (mcv) ON "one", "two""" FROM "people";',
        'CREATE STATISTICS "discreet_one_three" (mcv) ON "one", "three" FROM "people";',
    ]
    assert all(s.statements[-1] == 'ANALYZE "people";' for s in found)
    assert [(s.rows_sampled, s.pages_read) for s in found] == [(200, 9), (200, 9)]
    assert found[0].benefit > found[1].benefit


def test_a_list_that_covers_too_little_is_made_longer() -> None:
    statements = [s.statements[0] for s in suggested(kept(most=2))]
    assert 'ALTER STATISTICS "s1" SET STATISTICS 1000;' in statements


def test_old_statistics_are_made_anew() -> None:
    first, *_ = suggested(replace(kept(), changed=100))
    assert first.statements == ('ANALYZE "people";',)
    assert "100 rows changed" in first.why


def test_a_column_with_more_values_than_are_kept_gets_a_larger_target() -> None:
    rows = [(str(i % 300), "x", "1") for i in range(900)]
    few = stated(COLUMNS, rows, most=100, width=4)
    told = replace(few, table='"people"', targets=dict.fromkeys(COLUMNS, 100))
    [found] = advise(told, COLUMNS, stated(COLUMNS, rows)).suggestions
    assert found.statements[0] == 'ALTER TABLE "people" ALTER COLUMN "one" SET STATISTICS 500;'


def test_lists_that_only_the_owner_may_read_are_told() -> None:
    hidden = replace(kept(width=4), objects=(Object("secret", ("one", "three"), None),))
    assert advise(hidden, COLUMNS, stated(COLUMNS, ROWS)).hidden == ("secret",)
