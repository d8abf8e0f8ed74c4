"""The compiled k-d tree of ART: planting it, finding who is near, and forgetting who is gone."""

from __future__ import annotations

import heapq

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.compiled import inner, kernel
from discreet.search.art.people import Index, Points, Stock, Table


@kernel
def plant(points: Points, leaf: int) -> tuple[Codes, Codes, Points]:
    """The order of the points in the tree, and for every inner node the dimension it cuts and where."""
    n, dims = points.shape
    inner = 0
    while n > leaf * (inner + 1):
        inner = 2 * inner + 1
    order = np.arange(n).astype(np.int32)
    dim, cut = np.zeros(inner, dtype=np.int32), np.zeros(inner, dtype=np.float32)
    low, high = np.zeros(2 * inner + 1, dtype=np.int64), np.zeros(2 * inner + 1, dtype=np.int64)
    high[0] = n
    total, squares = np.empty(dims), np.empty(dims)
    for node in range(inner):
        a, b = low[node], high[node]
        middle = (a + b) // 2
        total[:], squares[:] = 0.0, 0.0
        for i in range(a, b):
            for d in range(dims):
                x = np.float64(points[order[i], d])
                total[d] += x
                squares[d] += x * x
        widest = int(np.argmax(squares - total * total / (b - a)))
        _select(order, points, widest, a, b, middle)
        dim[node], cut[node] = widest, points[order[middle], widest]
        low[2 * node + 1], high[2 * node + 1] = a, middle
        low[2 * node + 2], high[2 * node + 2] = middle, b
    return order, dim, cut


@inner
def _select(order: Codes, points: Points, d: int, a: int, b: int, middle: int) -> None:
    """Reorder ``order[a:b]`` so that what is before `middle` is not above it, and what is behind not below (Hoare)."""
    low, high = a, b - 1
    while low < high:
        pivot = points[order[(low + high) // 2], d]
        i, j = low, high
        while i <= j:
            while points[order[i], d] < pivot:
                i += 1
            while points[order[j], d] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel(plain=lambda index, of_kind: 10 * len(of_kind) * len(index.dims).bit_length())
def census(index: Index, of_kind: IntArray) -> IntArray:
    """How many kinds under each node have somebody left."""
    alive = np.zeros(2 * len(index.dims) + 1, dtype=np.int64)
    for k in range(len(of_kind)):
        if of_kind[k] > 0:
            _changed(index, alive, k, np.int64(1))
    return alive


@inner
def _changed(index: Index, alive: IntArray, kind: int, by: int) -> None:
    node, a, b = 0, 0, len(index.order)
    alive[0] += by
    while node < len(index.dims):
        middle = (a + b) // 2
        if index.place[kind] < middle:
            node, b = 2 * node + 1, middle
        else:
            node, a = 2 * node + 2, middle
        alive[node] += by


@inner
def take(table: Table, index: Index, stock: Stock, row: int, by: int) -> None:
    """So many rows of a combination find a group; a negative number of them lose it."""
    kind = table.kind[row]
    before = stock.of_kind[kind]
    stock.left[row] -= by
    stock.of_kind[kind] = before - by
    if before > 0 and before == by:
        _changed(index, stock.alive, kind, np.int64(-1))
    elif before == 0 and by < 0:
        _changed(index, stock.alive, kind, np.int64(1))


@inner
def enlist(table: Table, index: Index, stock: Stock, row: int) -> None:
    """A row of a combination finds a group."""
    take(table, index, stock, row, np.int64(1))
    if table.once[row] and table.person[row] >= 0:
        owner = table.person[row]
        for other in table.owned[table.owned_starts[owner] : table.owned_starts[owner + 1]]:
            if stock.left[other] > 0:
                take(table, index, stock, other, stock.left[other])


@kernel
def take_all(table: Table, index: Index, stock: Stock, rows: IntArray, by: int) -> None:
    """`take` for many combinations."""
    for row in rows:
        take(table, index, stock, row, by)


@inner
def nearest(index: Index, of_kind: IntArray, alive: IntArray, query: Points, kinds: Codes) -> int:
    """Fill `kinds` with kinds that have somebody left, those in the nearest leaves first; how many there are.

    The distance to a leaf is what the cuts on the way to it say: not the true one, which is not worth its time.
    """
    inner, most = len(index.dims), len(kinds)
    number = 0
    heap = [(np.float32(0.0), 0, 0, len(index.order))]
    while len(heap) and number < most:
        distance, node, a, b = heapq.heappop(heap)
        while node < inner and alive[node]:
            middle = (a + b) // 2
            side = query[index.dims[node]] - index.cuts[node]
            left, right = 2 * node + 1, 2 * node + 2
            if side < 0:
                if alive[right]:
                    heapq.heappush(heap, (distance - side, right, middle, b))
                node, b = left, middle
            else:
                if alive[left]:
                    heapq.heappush(heap, (distance + side, left, a, middle))
                node, a = right, middle
        if node >= inner:
            for i in range(a, b):
                if number < most and of_kind[index.order[i]] > 0:
                    kinds[number] = index.order[i]
                    number += 1
    return number


@inner
def apart(features: Points, ordered: BoolArray, row: int, other: int) -> float:
    """How different the quasi-identifiers of two combinations are: 0 to 1 for each."""
    total = 0.0
    for d in range(len(ordered)):
        gap = abs(float(features[row, d] - features[other, d]))
        total += gap if ordered[d] or gap == 0 else 1.0
    return total


@inner
def conflict(table: Table, v: int, w: int) -> bool:
    """Are two values in a protected set together?"""
    for i in range(table.set_offsets[v], table.set_offsets[v + 1]):
        for j in range(table.set_offsets[w], table.set_offsets[w + 1]):
            if table.sets[i] == table.sets[j]:
                return True
    return False
