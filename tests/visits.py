"""Tables with several rows for a person, and policies for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet import policy_from_words

Table = dict[str, list[str | None]]


def visits(people: int = 120, rows: int = 5, *, moving: float = 0.0, seed: int = 0, first: int = 0) -> Table:
    """So many visits of each of some patients; a share of the patients moves between them."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), rows)
    age, home = rng.integers(20, 80, people)[who], rng.integers(10000, 10200, people)[who]
    moves = (rng.random(people) < moving)[who] & (rng.random(len(who)) < 0.5)
    home = np.where(moves, rng.integers(10000, 10200, len(who)), home)
    return {
        "patient": [f"p{first + i}" for i in who.tolist()],
        "age": [str(a) for a in age.tolist()],
        "zip": [str(z) for z in home.tolist()],
        "disease": rng.choice(["flu", "cold", "gout", "asthma", "HIV", "ulcer"], len(who)).tolist(),
    }


def policy(*require: object, role: str = "person", **more: Any) -> Any:
    return policy_from_words(
        {
            "attributes": {
                "patient": {"role": role},
                "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
                "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3, 2]}},
                "disease": {"role": "sensitive"},
            },
            "require": list(require) or [{"k_anonymity": {"k": 5}}],
            "seed": 1,
            **more,
        }
    )
