"""Kernels that only kernels call, each inside of one that Python may call, for tests."""

from __future__ import annotations

from typing import Any

from discreet.audit.association import common_people_kernels
from discreet.audit.worlds import one_table
from discreet.audit.worst_case import worst_case_kernels, worst_case_large_kernels
from discreet.compiled import kernel
from discreet.models.likelihood import block_kernels
from discreet.models.realistic import realistic_kernels
from discreet.models.robust import contour_kernels, posterior_bounds, posterior_kernels
from discreet.publications.source import assignment_kernels
from discreet.search.art import companion_groups, growth, tree, weighing


@kernel
def most_expected(*arguments: Any) -> Any:
    return common_people_kernels._most_expected(*arguments)


@kernel
def one_value(*arguments: Any) -> Any:
    return worst_case_kernels.one_value(*arguments)


@kernel
def all_values(*arguments: Any) -> Any:
    return worst_case_kernels.all_values(*arguments)


@kernel
def value_chances(*arguments: Any) -> Any:
    return one_table.value_chances(*arguments)


@kernel
def limit(*arguments: Any) -> Any:
    return block_kernels.limit(*arguments)


@kernel
def cap(*arguments: Any) -> Any:
    return realistic_kernels.cap(*arguments)


@kernel
def most(*arguments: Any) -> Any:
    return posterior_bounds.most(*arguments)


@kernel
def contour(*arguments: Any) -> Any:
    return contour_kernels.contour(*arguments)


@kernel
def dealable(*arguments: Any) -> Any:
    return posterior_kernels.dealable(*arguments)


@kernel
def marginals(*arguments: Any) -> Any:
    return posterior_kernels.marginals(*arguments)


@kernel
def states(*arguments: Any) -> Any:
    return posterior_kernels.states(*arguments)


@kernel
def two_valued(*arguments: Any) -> Any:
    return posterior_kernels.two_valued(*arguments)


@kernel
def edges(*arguments: Any) -> Any:
    return assignment_kernels._edges(*arguments)


@kernel
def first_of_order(*arguments: Any) -> Any:
    return companion_groups.first_of_order(*arguments)


@kernel
def grow_companions(*arguments: Any) -> Any:
    return companion_groups.grow_companions(*arguments)


@kernel
def cannot_hold(*arguments: Any) -> Any:
    return growth.cannot_hold(*arguments)


@kernel
def fill(*arguments: Any) -> Any:
    return growth.fill(*arguments)


@kernel
def missing(*arguments: Any) -> Any:
    return growth.missing(*arguments)


@kernel
def conflict(*arguments: Any) -> Any:
    return tree.conflict(*arguments)


@kernel
def look_up(*arguments: Any) -> Any:
    return weighing.look_up(*arguments)


@kernel
def weigh(*arguments: Any) -> Any:
    return weighing.weigh(*arguments)


@kernel
def one_of_many(*arguments: Any) -> Any:
    return worst_case_large_kernels.one_of_many(*arguments)


@kernel
def all_of_many(*arguments: Any) -> Any:
    return worst_case_large_kernels.all_of_many(*arguments)
