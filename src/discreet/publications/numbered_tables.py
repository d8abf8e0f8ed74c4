"""A table of coarser values whose rows name their group: written from counts, read back, held against its source."""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.engines.arrow import numbers
from discreet.engines.arrow import texts as text_array
from discreet.engines.base import Frequencies, PublishedTables, Rewriting, Tables
from discreet.errors import DataError, Mistake
from discreet.policy.kinds import Comparing, Writing
from discreet.publications.grouped import Column, added_name, assigned, read_grouped, sensitive_columns, write_grouped
from discreet.publications.published import AGAIN, Manifest, columns_of, quasi_identifiers_of
from discreet.publications.recoded_tables import Recoded
from discreet.publications.source.against_source import labelled_misfits, labels_of
from discreet.publications.source.assignment import Asked, Offered, unplaced
from discreet.publications.source.table import value_codes
from discreet.publications.tables import assignments, join_keys, published_values
from discreet.search.plan import SUPPRESSED, Recoding


def write_numbered(plan: Recoding, writing: Writing, tables: Tables, random: np.random.Generator) -> Manifest:
    """Write the table, in the order of groups, and say in the words of a manifest what it is."""
    table, group = tables.name("data"), added_name("group", writing.source)
    rows = assigned(plan, random.permutation(plan.group_count) + 1)
    labels = {a: published_values(plan, d) for d, a in enumerate(plan.frequency.attributes)}
    if writing.others:
        kept = plan.group != SUPPRESSED
        of_group = np.where(kept, plan.group, 0)
        named = [text_array([*texts, None]).take(numbers(code[of_group])) for texts, code in labels.values()]
        number = np.zeros(len(plan.group), dtype=np.int64)
        number[rows.kept] = rows.number
        places = {name: i for i, name in enumerate([*labels, group])}
        columns, seed = [*writing.published, group], int(random.integers(1 << 62))
        table_of = assignments(plan, [*named, numbers(number)])
        tables.rewrite(
            table, Rewriting(table_of, join_keys(plan, writing.person), columns, places, seed, sorted_by=[group])
        )
    else:
        of_row = plan.group[rows.kept]
        own = {name: Column(name, tuple(texts), code[of_row], exact=False) for name, (texts, code) in labels.items()}
        own |= sensitive_columns(plan, rows)
        write_grouped(tables, table, [own[c] for c in writing.published], rows, group)
    return {"table": table, "group_column": group}


def read_numbered(tables: PublishedTables, manifest: Manifest, *, others: bool = False) -> Recoded:
    """Count the table: one scan of it. All rows of a group must have the same labels.

    Columns that are published as they are count as values of their own, if they are asked for.
    """
    beside = columns_of(manifest, "other")
    labels, values = quasi_identifiers_of(manifest), columns_of(manifest, "sensitive") + (beside if others else [])
    names = [*labels, *values]
    table = read_grouped(tables, manifest["table"], names, manifest["group_column"], beside=[] if others else beside)
    frequencies = table.frequencies
    label = number_equal([*frequencies.codes[: len(labels)]], len(table.group))
    lowest = np.full(table.groups, len(label), dtype=np.int64)
    np.minimum.at(lowest, table.group, label)
    if (label != lowest[table.group]).any():
        raise DataError(Mistake(table.file, "has groups in which rows have different quasi-identifiers", AGAIN))
    columns = {name: len(labels) + i for i, name in enumerate(values)}
    return Recoded(frequencies, table.group, table.groups, columns, table.file, names=tuple(names))


def numbered_misfits(published: Recoded, comparing: Comparing) -> list[Mistake]:
    """What the table says that its source does not."""
    if columns_of(comparing.manifest, "other"):
        published = read_numbered(comparing.tables, comparing.manifest, others=True)
    return labelled_misfits(published, comparing)


def seated(
    published: Recoded, comparing: Comparing, people: Frequencies, signature: IntArray, of_group: IntArray
) -> bool:
    """Can the people be the rows, so that each one's group has his signature, and everybody is a row?

    Who stands where is not told where labels overlap. So it is asked whether there is a way.
    """
    [column] = published.sensitive.values()
    f, hierarchies = published.frequencies, comparing.table.hierarchies
    known = {value: i for i, value in enumerate(dict.fromkeys([*people.values[-1], *f.values[column]]))}
    theirs, own = (np.array([known[v] for v in values]) for values in (people.values[-1], f.values[column]))
    kinds = number_equal(
        [
            np.concatenate([theirs[people.codes[-1]], own[f.codes[column]]]),
            np.concatenate([signature + 1, of_group[published.group] + 1]),
        ],
        len(signature) + len(f.counts),
    )
    offered, wanted = kinds[: len(signature)], kinds[len(signature) :]
    if int(people.counts.sum()) != int(f.counts.sum()):
        return False
    assert comparing.mapping is not None
    leaves = [value_codes(h, v)[c] for h, v, c in zip(hierarchies, people.values, people.codes, strict=False)]
    labels = labels_of(published, hierarchies, comparing.mapping)
    offer = Offered(offered, np.stack(leaves, axis=1), people.counts)
    return unplaced(offer, Asked(wanted, published.group, f.counts), labels) == 0
