"""The rows of a release, told by counts.

Rows with equal values are interchangeable, so a release can be written from the frequency set alone: each published
combination as often as it occurs. Only columns published as they are need a second look at the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.kernels import group_equal
from discreet.engines.arrow import numbers, truths
from discreet.engines.arrow import texts as text_array
from discreet.engines.counted_rows import CodedColumn, CountedRows
from discreet.hierarchies.hierarchy import EVERYTHING, Value
from discreet.search.plan import SUPPRESSED, Plan, Recoding

if TYPE_CHECKING:
    import pyarrow as pa


def published_values(plan: Recoding, attribute: int) -> tuple[list[Value], Codes]:
    """The texts a quasi-identifier is published as, and the text of each group."""
    if plan.texts is not None:
        places = {text: i for i, text in enumerate(dict.fromkeys(plan.texts[attribute]))}
        return list(places), np.array([places[text] for text in plan.texts[attribute]], dtype=np.int32)
    hierarchy = plan.frequency.hierarchies[attribute]
    low, high = plan.low[:, attribute].astype(np.int64), plan.high[:, attribute].astype(np.int64)
    ranges, text = np.unique(low * len(hierarchy.leaves) + high, return_inverse=True)
    pairs = [divmod(int(r), len(hierarchy.leaves)) for r in ranges]
    if plan.node is None:
        texts = [hierarchy.label(first, last) for first, last in pairs]
    else:  # one level in the whole column: its names mean one thing each
        level = plan.node[attribute]
        texts = [hierarchy.labels[level][int(hierarchy.codes[level][first])] for first, _ in pairs]
    return texts, text.astype(np.int32)


def release_rows(plan: Recoding, columns: list[str], star: bool) -> CountedRows:
    """The published rows, told by counts.

    With `star`, suppressed rows are published as ``*`` in every column, the sensitive ones too.
    """
    frequency = plan.frequency
    kept = plan.group != SUPPRESSED
    group, count = plan.group[kept], plan.count[kept]
    stars = plan.suppressed if star else 0
    if stars:
        count = np.append(count, stars)
    dictionaries, codes = [], []
    for column in columns:
        if column in frequency.sensitive:
            texts: list[Value] = list(frequency.sensitive_hierarchies[column].leaves)
            code = frequency.sensitive[column][plan.row[kept]]
        else:
            texts, of_group = published_values(plan, frequency.attributes.index(column))
            code = of_group[group]
        if stars:
            code = np.append(code, len(texts)).astype(np.int32)
            texts = [*texts, EVERYTHING]
        texts, code = in_use(texts, code)
        dictionaries.append(text_array([text for text in texts if text is not None]))
        codes.append(code)
    codes, count = _merged(codes, [len(d) + 1 for d in dictionaries], count)
    exact = frequency.sensitive.keys() if not stars else ()
    written = zip(columns, codes, dictionaries, strict=True)
    return CountedRows(tuple(CodedColumn(c, code, texts, c in exact) for c, code, texts in written), count)


def in_use(texts: list[Value], code: Codes) -> tuple[list[Value], NDArray[Any]]:
    """Only the texts that some row has: a Parquet file keeps its dictionaries, and so what only suppressed rows had.

    NULL comes last. The codes are as small as they can be: those of all columns of a large table are there at once.
    """
    used = np.flatnonzero(np.bincount(code, minlength=len(texts)) > 0).tolist()
    used.sort(key=lambda i: texts[i] is None)
    number = np.zeros(len(texts), dtype=smallest(len(used)))
    number[used] = np.arange(len(used))
    return [texts[i] for i in used], number[code]


def smallest(size: int) -> type[np.signedinteger[Any]]:
    """The smallest integers for so many codes.

    >>> smallest(128).__name__, smallest(129).__name__
    ('int8', 'int16')
    """
    return np.int8 if size <= 1 << 7 else np.int16 if size <= 1 << 15 else np.int32


def _merged(codes: list[NDArray[Any]], sizes: list[int], count: IntArray) -> tuple[list[Any], IntArray]:
    """Combinations that are published alike, as one; in the smallest integers that hold their codes.

    After generalization there are far fewer of them, so that the rows are put together from tables that fit the cache.
    They come in the order of their codes, not in that of the original values: whoever guesses the seed and undoes the
    shuffle learns nothing.
    """
    bits = [max(1, (size - 1).bit_length()) for size in sizes]
    if sum(bits) <= 63:
        key = np.zeros(len(count), dtype=np.uint64)
        for code, width in zip(codes, bits, strict=True):
            key <<= np.uint64(width)
            key |= code.astype(np.uint64)
        kind, first = group_equal(key)
        order = np.argsort(key[first])
        count = np.bincount(kind, weights=count, minlength=len(first)).astype(np.int64)[order]
        codes = [code[first[order]] for code in codes]
    else:
        order = np.lexsort(codes)
        codes, count = [code[order] for code in codes], count[order]
    return [code.astype(smallest(size)) for code, size in zip(codes, sizes, strict=True)], count


def join_keys(plan: Plan, person: str | None) -> list[str]:
    """The columns of the source by which its rows find what becomes of them: `assignments` has their values.

    Where a plan tells apart whose rows with equal values are, that is one of them: which of them goes where is no
    matter of chance, for no promise is made to rows.
    """
    frequency = plan.frequency
    keys = [*frequency.attributes, *frequency.sensitive]
    if frequency.owners is None or not frequency.owners.apart:
        return keys
    assert person is not None
    return [*keys, person]


def assignment_table(plan: Recoding) -> pa.Table:
    """What the engine needs to recode the source itself."""
    kept = plan.group != SUPPRESSED
    published = []
    for i in range(len(plan.frequency.hierarchies)):
        texts, of_group = published_values(plan, i)
        code = np.where(kept, of_group[plan.group], 0) if len(texts) else np.zeros(len(kept), dtype=np.int32)
        published.append(text_array([*texts, None]).take(numbers(code)))
    return assignments(plan, published)


def assignments(plan: Plan, published: Sequence[pa.Array]) -> pa.Table:
    """For every combination, which of its rows become what: `published` has a column of new values per assignment."""
    import pyarrow as pa

    frequency, combination = plan.frequency, plan.row
    hierarchies = [*frequency.hierarchies, *frequency.sensitive_hierarchies.values()]
    codes = [*frequency.codes, *frequency.sensitive.values()]
    columns: dict[str, Any] = {}
    for i, (hierarchy, code) in enumerate(zip(hierarchies, codes, strict=True)):
        columns[f"k{i}"] = text_array(hierarchy.leaves).take(numbers(code[plan.row]))
    owners = frequency.owners
    if owners is not None and owners.apart:
        named = np.minimum(owners.person, len(owners.names))  # whoever has no name is told apart by nothing
        names = pa.concat_arrays([owners.names, pa.array([None], type=owners.names.type)])
        columns[f"k{len(codes)}"] = names.take(numbers(named[plan.row]))
        combination = number_equal([*codes, named], len(named))[plan.row]
    order = np.argsort(combination, kind="stable")
    running = np.cumsum(plan.count[order])
    before = np.concatenate([[0], running[:-1]])
    starts = np.flatnonzero(np.diff(combination[order], prepend=-1))
    offset = np.repeat(before[starts], np.diff(np.append(starts, len(order))))
    first = np.empty(len(order), dtype=np.int64)
    first[order] = before - offset
    columns["id"] = numbers(combination)
    kept = truths(plan.group != SUPPRESSED)
    columns |= {"first": numbers(first), "last": numbers(first + plan.count), "kept": kept}
    return pa.table(columns | {f"p{i}": values for i, values in enumerate(published)})
