from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.dates import LEVELS, parse_date, suitable_levels
from discreet.hierarchies.rules import Dates

ALL = Dates(("day", "month", "quarter", "year"))


@given(st.dates())
def test_a_date_climbs_from_its_day_to_its_year(day):
    quarter = (day.month - 1) // 3 + 1
    path = (day.isoformat(), day.isoformat()[:7], f"{day.isoformat()[:4]}-Q{quarter}", day.isoformat()[:4])
    assert ALL.path(day.isoformat()) == path
    assert Dates(("month", "year")).path(day.isoformat()) == (path[1], path[3])


@given(st.datetimes())
def test_a_timestamp_climbs_like_its_day(moment):
    for text in (moment.isoformat(), moment.isoformat(" "), moment.isoformat() + "Z", moment.isoformat() + "+05:30"):
        assert ALL.path(text) == ALL.path(moment.date().isoformat())


@given(st.lists(st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2020, 1, 3)), unique=True))
def test_timestamps_are_sorted_by_time(moments):
    assert list(build("x", map(str, moments), ALL).leaves) == [str(moment) for moment in sorted(moments)]


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05",
        "2024/03/05",
        "2024.03.05",
        " 2024-03-05 ",
        "2024-03-05T10:30",
        "2024-03-05 10:30:59",
        "2024-03-05 10:30:59.123456789",
        "2024-03-05T10:30:59,5Z",
        "2024-03-05 10:30:00+01",
        "2024-03-05 10:30:00 +0100",
        "2024-03-05 10:30:00 UTC",
        "2024-03-05 23:59:60",
        "05.03.2024",
        "5.3.2024",
        "05.03.2024 10:30",
    ],
)
def test_common_forms_are_understood(text):
    found = parse_date(text)
    assert found is not None and found[0] == date(2024, 3, 5)


@pytest.mark.parametrize(
    "text",
    [
        "03/05/2024",
        "05-03-2024",
        "31.02.2024",
        "05.13.2024",
        "05.03.24",
        "2024-3-5",
        "2024-02-30",
        "2024-13-01",
        "0000-01-01",
        "2024-03",
        "20240305",
        "2024",
        "2024-03/05",
        "yesterday",
        "２０２４-03-05",
        "2024-03-05 24:00",
        "2024-03-05 10",
        "2024-03-05T10:61",
    ],
)
def test_other_forms_have_no_place(text):
    assert parse_date(text) is None
    with pytest.raises(HierarchyError, match=r"not a date: .*write dates as 2024-03-05"):
        ALL.path(text)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ((), "needs a list of levels"),
        ("month", "needs a list of levels"),
        (("year", "month"), "from fine to coarse"),
        (("month", "month"), "from fine to coarse"),
        (("monht",), "no such level: 'monht'; did you mean 'month'"),
        ((3,), "no such level: 3"),
    ],
)
def test_levels_that_can_not_be_meant_are_refused(levels, message):
    with pytest.raises(HierarchyError, match=message):
        Dates(levels)


def test_dates_of_birth_become_decades():
    hierarchy = build("born", ["1949-12-31", "1950-01-01", "1987-11-30"], Dates(("year", "decade")))
    assert hierarchy.labels[2] == ("1940-1949", "1950-1959", "1980-1989")
    assert suitable_levels([(date(1949, 12, 31), ""), (date(1987, 11, 30), "10:00:00")]) == LEVELS
    assert suitable_levels([(date(2024, 1, 1), ""), (date(2024, 5, 1), "")]) == ("month", "quarter", "year")
