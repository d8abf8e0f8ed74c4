"""Two tables about nobody, shaped as people publish them: a survey in codes, and claims with dates. Always the same."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pyarrow as pa

_SEED = 19
_TOWNS = 60
_ICD = ("E11.9", "I10", "J45.9", "F32.1", "M54.5", "K21.0", "N39.0", "C50.9", "G43.9", "L40.0", "B20", "O80", "S52.5")
_PLANS = ("bronze", "silver", "gold", "platinum")


def survey(rows: int = 8000) -> pa.Table:
    """Sixty columns, nearly all whole numbers: who somebody is, a weight, markers of the fieldwork, and 45 answers.

    98 and 99 say "don't know" and "no answer".
    """
    random = np.random.default_rng(_SEED)

    def codes(shares: list[float], first: int = 1) -> np.ndarray:
        weights = np.array(shares) / sum(shares)
        return random.choice(np.arange(first, first + len(shares)), size=rows, p=weights)

    age = np.clip(np.rint(random.normal(49, 18, rows)), 18, 95).astype(int)
    sex = codes([49, 51])
    educ = np.clip(codes([6, 18, 30, 20, 12, 10, 4]) - (age > 70), 1, 7)
    marital = np.where(age < 28, codes([80, 15, 0, 4, 1, 0]), codes([22, 50, 3, 13, 10, 2]))
    size = np.clip(random.poisson(1.3, rows) + 1, 1, 9)
    income = np.clip(np.rint(educ + random.normal(2, 2, rows)), 1, 12).astype(int)
    income = np.where(random.random(rows) < 0.12, random.choice([98, 99], rows), income)
    leaning = random.normal(0, 1, rows) + (age - 49) / 40
    columns: dict[str, object] = {
        "respid": np.arange(100_001, 100_001 + rows),
        "wave": codes([1, 1, 1]),
        "version": np.where(random.random(rows) < 0.5, "A", "B"),
        "intdate": [str(date(2023, 3, 1) + timedelta(days=int(d))) for d in random.integers(0, 90, rows)],
        "region": codes([18, 15, 12, 10, 9, 8, 6, 5, 4, 4, 3, 2, 2, 1, 0.6, 0.4]),
        "urban": codes([35, 40, 25]),
        "sex": sex,
        "age": age,
        "marital": marital,
        "educ": educ,
        "isco": random.choice(
            [int(f"{g}{s}{u}0") for g in range(1, 10) for s in range(1, 5) for u in range(1, 4)], rows
        ),
        "hhsize": size,
        "children": np.clip(size - 2, 0, 5),
        "hhincome": income,
        "weight": np.round(np.exp(random.normal(0, 0.4, rows)), 6),
    }
    for number in range(1, 46):
        if number % 9 == 0:  # yes or no
            answer = 1 + (random.random(rows) < 0.2 + 0.6 * ((number * 7) % 10) / 10).astype(int)
        elif number % 7 == 0:  # from 0 to 10
            answer = np.clip(np.rint(5 + 1.5 * leaning + random.normal(0, 2, rows)), 0, 10).astype(int)
        else:  # from 1, agrees entirely, to 5
            pull = ((number * 5) % 7 - 3) / 4
            answer = np.clip(np.rint(3 + pull * leaning + random.normal(0, 1.1, rows)), 1, 5).astype(int)
        silent = random.random(rows)
        columns[f"q{number}"] = np.where(silent < 0.02, 99, np.where(silent < 0.05, 98, answer))
    return pa.table(columns)


def claims(rows: int = 12_000) -> pa.Table:
    """What an insurance was asked to pay: members with several rows, dates, codes, and money to the cent."""
    random = np.random.default_rng(_SEED + 1)
    members = rows // 3
    born = np.array([date(1930, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 32_000, members)])
    sex = np.where(random.random(members) < 0.52, "F", "M")
    towns = np.sort(random.choice(np.arange(10_000, 99_999, 37), _TOWNS, replace=False))
    home = random.choice(towns, members, p=np.arange(_TOWNS, 0, -1) / (_TOWNS * (_TOWNS + 1) / 2))
    plan = random.choice(_PLANS, members, p=[0.35, 0.4, 0.2, 0.05])
    of = np.sort(random.integers(0, members, rows))
    service = np.array([date(2022, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 730, rows)])
    stay = np.where(random.random(rows) < 0.7, 0, random.poisson(4, rows))
    charged = np.round(np.exp(random.normal(6, 1.1, rows)), 2)
    shares = np.arange(len(_ICD), 0, -1) / sum(range(len(_ICD) + 1))
    return pa.table(
        {
            "claim_id": [f"C{number:07d}" for number in range(rows)],
            "member_id": [f"M{member:06d}" for member in of],
            "date_of_birth": [str(born[member]) for member in of],
            "gender": sex[of],
            "zip": home[of].astype(str),
            "plan": plan[of],
            "service_date": [str(day) for day in service],
            "paid_date": [
                str(d + timedelta(days=int(n))) for d, n in zip(service, random.integers(5, 60, rows), strict=True)
            ],
            "provider_id": random.integers(1000, 1400, rows),
            "place_of_service": random.choice([11, 21, 22, 23], rows, p=[0.6, 0.15, 0.15, 0.1]),
            "icd10": random.choice(_ICD, rows, p=shares),
            "cpt": random.choice([99213, 99214, 99285, 80053, 71046, 93000, 36415], rows),
            "length_of_stay": stay,
            "charged_amount": charged,
            "paid_amount": np.round(charged * random.uniform(0.4, 0.9, rows), 2),
        }
    )
