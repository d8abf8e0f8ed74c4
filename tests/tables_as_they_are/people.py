"""People as a clean table would have them: what the makers of unclean ones begin with. No seed of the machine's."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

Row = dict[str, str | None]
COLUMNS = ("age", "sex", "zip", "height", "born", "admitted", "diagnosis", "cost")
DIAGNOSES = ("asthma", "diabetes", "flu", "fracture", "migraine")


def people(rows: int = 240) -> list[Row]:
    """Rows of text as CSV has them: ISO dates, points in numbers, None for what is not there."""
    random = Random(19)
    table: list[Row] = []
    for _ in range(rows):
        born = date(1940, 1, 1) + timedelta(days=random.randrange(60 * 365))
        admitted = date(2024, 1, 1) + timedelta(days=random.randrange(366))
        table.append(
            {
                "age": str(2024 - born.year),
                "sex": random.choice(["f", "m"]),
                "zip": f"{random.choice([47, 48])}{random.randrange(20):03}",
                "height": f"{random.gauss(1.72, 0.1):.2f}",
                "born": born.isoformat(),
                "admitted": admitted.isoformat(),
                "diagnosis": random.choice(DIAGNOSES),
                "cost": f"{random.randrange(20, 400) * 25}.{random.choice(['00', '50'])}",
            }
        )
    return table


def with_missing(rows: list[Row], marks: dict[str, list[str | None]], share: float = 0.06) -> list[Row]:
    """The same with some cells of some columns replaced by what their owners write for nothing."""
    random = Random(20)
    return [
        row | {c: random.choice(written) for c, written in marks.items() if random.random() < share} for row in rows
    ]


def us_date(iso: str | None) -> str | None:
    """2024-03-05 as 03/05/2024."""
    return None if iso is None else f"{iso[5:7]}/{iso[8:10]}/{iso[:4]}"


def european_date(iso: str | None) -> str | None:
    """2024-03-05 as 05/03/2024."""
    return None if iso is None else f"{iso[8:10]}/{iso[5:7]}/{iso[:4]}"
