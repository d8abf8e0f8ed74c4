"""The posteriors of people of one group over its possible worlds, compiled.

A world deals the values of a group out to its people; its weight is the product of their chances. Two views of it: one
value (or set of values) against all others, and all values at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.worst_case.worst_case_bounds_kernels import at_most, is_known, one_at_most, tilted
from discreet.audit.worst_case.worst_case_lanes_kernels import HUGE, TINY
from discreet.compiled import inner, kernel

_PLAIN = 40  # people up to whom weights are added up as they are; in larger groups they are tilted first
_FEW_STATES = 256
_ROUNDED = 1 + 1e-11  # a bound that is above a chance by no more is the same number


@inner
def one_value(f: FloatArray, many: IntArray, having: int, out: FloatArray) -> bool:
    """The chance of each kind of people to be among the `having` who have the value; False if no world is possible.

    ``many[i]`` people have it with chance ``f[i]`` beforehand. The worlds are the coefficient of z^having in
    Π (1 − f + f z); those in which a given person has it, the same without her factor, times f. Multiplying all odds
    by one number changes nothing but keeps the coefficient from vanishing.
    """
    kinds, people, sure, never = len(f), 0, 0, 0
    alike = True
    for i in range(kinds):
        people += many[i]
        sure += many[i] if f[i] >= 1.0 else 0
        never += many[i] if f[i] <= 0.0 else 0
        alike = alike and f[i] == f[0]
    if alike:
        out[:] = having / people
        return True
    if having < sure or having > people - never:
        return False
    if having == sure or having == people - never:
        for i in range(kinds):
            out[i] = 1.0 if f[i] >= 1.0 or (f[i] > 0.0 and having != sure) else 0.0
        return True
    if having == 1 and sure == 0:
        total = 0.0
        for i in range(kinds):
            total += many[i] * f[i] / (1.0 - f[i])
        for i in range(kinds):
            out[i] = f[i] / (1.0 - f[i]) / total
        return True
    if people <= _PLAIN and _dealt(f, many, people, having, out):
        return True
    return bool(_dealt(tilted(f, many, having), many, people, having, out))


@inner
def _dealt(f: FloatArray, many: IntArray, people: int, having: int, out: FloatArray) -> bool:
    """One person after the other: before[j, k] is the weight of k of the first j having it."""
    before = np.zeros((people + 1, having + 1))
    before[0, 0] = 1.0
    j = 0
    for i in range(len(f)):
        for _ in range(many[i]):
            for k in range(min(j + 1, having) + 1):
                weight = before[j, k] * (1.0 - f[i])
                if k > 0:
                    weight += before[j, k - 1] * f[i]
                before[j + 1, k] = weight
            j += 1
    total = before[people, having]
    if not total > TINY:
        return False
    after = np.zeros(having + 1)  # after[k]: of those from j on, k have it
    after[0] = 1.0
    for i in range(len(f) - 1, -1, -1):
        for turn in range(many[i]):
            j -= 1
            if turn == 0:
                sum_of_worlds = 0.0
                for k in range(having):
                    sum_of_worlds += before[j, k] * after[having - 1 - k]
                out[i] = min(sum_of_worlds * f[i] / total, 1.0)
            for k in range(having, 0, -1):
                after[k] = after[k] * (1.0 - f[i]) + after[k - 1] * f[i]
            after[0] *= 1.0 - f[i]
    return True


@inner
def all_values(p: FloatArray, many: IntArray, counts: IntArray, out: FloatArray) -> bool:
    """The chance of each kind of people to have each value; False if no world is possible.

    ``p[i, v]`` beforehand, ``counts[v]`` people of the group have value v. A state says how many of each value are
    dealt out; how many that is in all says whose turn it is. So each state is visited once forwards and once back.
    """
    kinds, values = p.shape
    people, states = 0, 1
    for v in range(values):
        people += counts[v]
    step = np.empty(values, dtype=np.int64)
    for v in range(values):
        step[v] = states
        states *= counts[v] + 1
    scaled = _scaled(p, many, counts, people)
    kind_of = np.empty(people, dtype=np.int64)
    j = 0
    for i in range(kinds):
        for _ in range(many[i]):
            kind_of[j] = i
            j += 1
    forward, backward = np.zeros(states), np.zeros(states)
    forward[0], backward[states - 1] = 1.0, 1.0
    # How far it is to the state with one more or one less of each value; where there is none, 0: to a weight that is 0
    # as long as it is not known. So nothing is asked in the innermost loops, which would be guessed wrongly.
    digits, far = np.zeros(values, dtype=np.int64), np.zeros(values, dtype=np.int64)
    dealt = 0
    for state in range(1, states):
        for v in range(values):  # count on
            if digits[v] < counts[v]:
                digits[v] += 1
                far[v] = step[v]
                dealt += 1
                break
            dealt -= digits[v]
            digits[v] = far[v] = 0
        likely, weight = scaled[kind_of[dealt - 1]], 0.0
        for v in range(values):
            weight += forward[state - far[v]] * likely[v]
        forward[state] = weight
    total = forward[states - 1]
    if not (TINY < total < HUGE):
        return False
    out[:, :] = 0.0
    far[:] = 0
    for state in range(states - 2, -1, -1):
        for v in range(values):  # count back
            if digits[v] > 0:
                digits[v] -= 1
                far[v] = step[v]
                dealt -= 1
                break
            dealt += counts[v]
            digits[v], far[v] = counts[v], 0
        kind, weight = kind_of[dealt], 0.0
        likely = scaled[kind]
        if dealt == 0 or kind_of[dealt - 1] != kind:
            for v in range(values):
                onward = likely[v] * backward[state + far[v]]
                weight += onward
                out[kind, v] += forward[state] * onward / total
        else:
            for v in range(values):
                weight += likely[v] * backward[state + far[v]]
        backward[state] = weight
    return True


@inner
def _scaled(p: FloatArray, many: IntArray, counts: IntArray, people: int) -> FloatArray:
    """Chances by which about as many people as are there are expected to have each value, and each person has one.

    What all chances of a value, or all of a person, are multiplied by cancels out; but without it the weights of all
    worlds of a large group would vanish.
    """
    scaled = p.copy()
    for _ in range(1 if people <= _PLAIN else 100):
        for v in range(p.shape[1]):
            expected = 0.0
            for i in range(p.shape[0]):
                expected += many[i] * scaled[i, v]
            for i in range(p.shape[0]):
                scaled[i, v] = scaled[i, v] / expected * counts[v] if expected > 0 else 0.0
        for i in range(p.shape[0]):
            total = 0.0
            for v in range(p.shape[1]):
                total += scaled[i, v]
            for v in range(p.shape[1]):
                scaled[i, v] = scaled[i, v] / total if total > 0 else 0.0
    return scaled


class Units(NamedTuple):
    """People and values of groups: unit i of group g, from ``starts[g]`` on, is ``many[i]`` people of one `row`.

    Group g has ``value[value_starts[g]:value_starts[g + 1]]``, so many times (`having`).
    """

    starts: IntArray
    row: IntArray
    many: IntArray
    value_starts: IntArray
    value: IntArray
    having: IntArray


@kernel
def units_of(
    group: IntArray, row: IntArray, many: IntArray, groups: int, rows: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """The first three of `Units`, and the unit of each entry: ``many[i]`` people of row ``row[i]`` in a group."""
    n = len(group)
    at, by_row = np.zeros(rows + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        at[row[i] + 1] += 1
    for r in range(rows):
        at[r + 1] += at[r]
    for i in range(n):
        by_row[at[row[i]]] = i
        at[row[i]] += 1
    at, order = np.zeros(groups + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        at[group[i] + 1] += 1
    for g in range(groups):
        at[g + 1] += at[g]
    for j in range(n):
        i = by_row[j]
        order[at[group[i]]] = i
        at[group[i]] += 1
    starts, unit, last = np.zeros(groups + 1, dtype=np.int64), -1, -1
    unit_row, unit_many, place = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for j in range(n):
        i = order[j]
        if last < 0 or group[i] != group[last] or row[i] != row[last]:
            unit += 1
            unit_row[unit] = row[i]
            starts[group[i] + 1] += 1
        unit_many[unit] += many[i]
        place[i] = unit
        last = i
    for g in range(groups):
        starts[g + 1] += starts[g]
    return starts, unit_row[: unit + 1], unit_many[: unit + 1], place


class Protected(NamedTuple):
    """How likely people of each row have each value (`chances`), and each protected set of values (`of_set`).

    ``member[s, v]`` says whether the set s has value v; ``named_by[named_starts[v]:named_starts[v + 1]]`` are the sets
    that have it.
    """

    chances: FloatArray
    of_set: FloatArray
    member: BoolArray
    named_starts: IntArray
    named_by: IntArray


class Worth(NamedTuple):
    """The groups whose worlds may be counted out: one value at a time, and all at once."""

    one: BoolArray
    all: BoolArray


class Raised(NamedTuple):
    """What is known of every unit, raised in place: exact chances and bounds, by all values and by one at a time."""

    chance: FloatArray
    bound: FloatArray
    one: FloatArray
    one_bound: FloatArray
    contradicted: BoolArray


@kernel(nogil=True)
def judge(from_group: int, to_group: int, units: Units, protected: Protected, worth: Worth, raised: Raised) -> None:
    """Raise the chances (exact) and bounds (at most) of every unit of some groups to what one set of attributes tells.

    Where the worlds of a group are not counted out, and a bound does not show that it makes no difference, the bound is
    kept.
    """
    starts, row, many, value_starts, value, count = units
    chances, of_set, member = protected.chances, protected.of_set, protected.member
    chance, bound, one, one_bound, contradicted = raised
    sets = member.shape[0]
    touched, last_group = np.zeros(sets, dtype=np.int64), np.full(sets, -1, dtype=np.int64)
    for g in range(from_group, to_group):
        low, high, first, last = starts[g], starts[g + 1], value_starts[g], value_starts[g + 1]
        if high - low < 2:
            continue  # all alike: the value's share, which is known already
        kinds, values = high - low, last - first
        own, having = value[first:last], count[first:last]
        touches = _touch(g, own, protected, touched, last_group)
        p, single, raised_to = np.empty((kinds, values)), np.empty(kinds), np.empty(kinds)
        for at in range(touches):
            s, those = touched[at], 0
            for v in range(values):
                those += having[v] if member[s, own[v]] else 0
            for i in range(kinds):
                single[i] = min(of_set[row[low + i], s], 1.0)
            if not worth.one[g]:
                one_at_most(single, many[low:high], those, raised_to)
                for i in range(kinds):
                    one_bound[low + i] = max(one_bound[low + i], raised_to[i])
                    bound[low + i] = max(bound[low + i], raised_to[i])
            elif is_known(single, many[low:high], those, one[low:high]):
                continue
            elif one_value(single, many[low:high], those, raised_to):
                for i in range(kinds):
                    one[low + i] = max(one[low + i], raised_to[i])
                    chance[low + i] = max(chance[low + i], raised_to[i])
            else:
                contradicted[g] = True
        for i in range(kinds):
            for v in range(values):
                p[i, v] = chances[row[low + i], own[v]]
        together, enough = np.empty((kinds, values)), np.zeros(kinds)
        if not (worth.all[g] and _few_states(having)):  # else counting out takes no longer than a bound
            alone = _one_each(touched[:touches], member, own)
            for i in range(kinds if alone else 0):
                enough[i] = chance[low + i] if worth.all[g] else max(chance[low + i], bound[low + i])
            at_most(p, many[low:high], having, enough, together)
            if not _raises(together, touched[:touches], member, own, chance[low:high]):
                if worth.all[g] or not alone or not together.any():
                    continue
                at_most(p, many[low:high], having, chance[low:high], together)  # somebody else may have been raised
                if not _raises(together, touched[:touches], member, own, chance[low:high]):
                    continue
        if not worth.all[g]:
            _raise(together, touched[:touches], member, own, bound[low:high])
        elif all_values(p, many[low:high], having, together):
            _raise(together, touched[:touches], member, own, chance[low:high])
        else:
            enough[:] = 0.0
            at_most(p, many[low:high], having, enough, together)
            _raise(together, touched[:touches], member, own, bound[low:high])


@inner
def _touch(g: int, own: IntArray, protected: Protected, touched: IntArray, last_group: IntArray) -> int:
    """The protected sets that have some of these values, and how many; ``last_group`` is who touched each last."""
    touches = 0
    for v in own:
        for at in range(protected.named_starts[v], protected.named_starts[v + 1]):
            s = protected.named_by[at]
            if last_group[s] != g:
                last_group[s] = g
                touched[touches] = s
                touches += 1
    return touches


@inner
def _one_each(touched: IntArray, member: BoolArray, own: IntArray) -> bool:
    """Is each of these sets one value of the group?"""
    for s in touched:
        those = 0
        for v in own:
            those += member[s, v]
        if those > 1:
            return False
    return True


@inner
def _few_states(counts: IntArray) -> bool:
    states = 1
    for count in counts:
        states *= count + 1
        if states > _FEW_STATES:
            return False
    return True


@inner
def _only(s: int, member: BoolArray, own: IntArray) -> int:
    """Where the one value of a group stands that is in a set; −1 if several are."""
    only = -1
    for v in range(len(own)):
        if member[s, own[v]]:
            if only >= 0:
                return -1
            only = v
    return only


@inner
def _of_set(together: FloatArray, i: int, s: int, only: int, member: BoolArray, own: IntArray) -> float:
    if only >= 0:
        return float(min(together[i, only], 1.0))
    total = 0.0
    for v in range(len(own)):
        total += together[i, v] if member[s, own[v]] else 0.0
    return min(total, 1.0)


@inner
def _raises(together: FloatArray, touched: IntArray, member: BoolArray, own: IntArray, chance: FloatArray) -> bool:
    """Is some of it above what is known already?"""
    for s in touched:
        only = _only(s, member, own)
        for i in range(len(chance)):
            if _of_set(together, i, s, only, member, own) > chance[i] * _ROUNDED:
                return True
    return False


@inner
def _raise(together: FloatArray, touched: IntArray, member: BoolArray, own: IntArray, chance: FloatArray) -> None:
    for s in touched:
        only = _only(s, member, own)
        for i in range(len(chance)):
            chance[i] = max(chance[i], _of_set(together, i, s, only, member, own))
