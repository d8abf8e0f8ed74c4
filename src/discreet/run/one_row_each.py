"""Is every row another person's, as a policy says? What the table has to say against it, before it is published.

Only a column that names people can show that somebody has several rows, and nothing shows that nobody has. So the
statement stays one, and every page says so; but nothing is published by it against the table's own evidence.
"""

from __future__ import annotations

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.engines.base import Engine
from discreet.engines.profile import ColumnProfile
from discreet.errors import DataError, Mistake, shown
from discreet.policy.policy import Policy
from discreet.policy.proposing.owner import against_one_row_each
from discreet.policy.words import Role

_PLACE = "one_row_per_person"


def check_one_row_each(policy: Policy, engine: Engine, frequency: FrequencySet) -> None:
    """Refuse the statement where a column that may name people has values in several rows, as one person's would be.

    A query for each column that may tell: what is called like a person's key, or has the role of an identifier. Who is
    refused wrongly loses nothing but the word "people": without the statement the release is the same, told of rows.
    """
    if not policy.one_row_per_person:
        return
    judged = {*policy.quasi_identifiers, *policy.sensitive, policy.wishes}
    columns = [name for name in engine.columns if name not in judged]
    identifiers = [a.name for a in policy.attributes if a.role is Role.IDENTIFIER]
    belied = against_one_row_each(columns, identifiers, _profiles(frequency), frequency.rows, engine.ownership)
    mistakes = [
        Mistake(
            _PLACE,
            f"the column {shown(name)} says otherwise: {sentence}",
            f"give {shown(name)} the role person; or, if it names nobody whom the rows are about, leave {_PLACE} out: "
            "then promises speak of rows",
        )
        for name, sentence in belied.items()
    ]
    if mistakes:
        raise DataError(*mistakes)


def _profiles(frequency: FrequencySet) -> list[ColumnProfile]:
    """What was counted of each quasi-identifier, as columns are described."""
    profiles = []
    for i, hierarchy in enumerate(frequency.hierarchies):
        many = frequency.rows_by_leaf(i)
        seen = np.flatnonzero(many).tolist()
        values = tuple((hierarchy.leaves[leaf], int(many[leaf])) for leaf in seen)
        profiles.append(ColumnProfile(hierarchy.attribute, frequency.rows, len(seen), 0, values))
    return profiles
