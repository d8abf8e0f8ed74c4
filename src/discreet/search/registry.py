"""All searches there are: which kinds of publication each leads to, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from discreet.registry import Registry

COUNTS, SUMMARY = "counts", "summary"


@dataclass(frozen=True)
class Search:
    """A way to find a plan.

    `function` is a function, or ``module:function``, loaded when it is used: most of them load compiled code. One that
    `reads` counts is called with a `Problem` and a progress, and after these with seconds if it is `timed`; one that
    reads a summary with the policy, what is known of the table, how many rows may be suppressed, and a progress. Either
    returns a `Plan` or raises `Infeasible`. `needs` are promises that it can't do without, each with how to ask for it.
    """

    publishes: tuple[str, ...]
    function: Callable[..., Any] | str
    reads: str = COUNTS
    timed: bool = False
    needs: tuple[tuple[str, str], ...] = ()

    def find(self, *arguments: Any, **named: Any) -> Any:
        """Search."""
        if callable(self.function):
            return self.function(*arguments, **named)
        module, _, name = self.function.partition(":")
        return getattr(import_module(module), name)(*arguments, **named)


_ART = (("robust", "add robust: {r: 5}, or write search: anatomy"),)
_INVARIANT = (("m_invariance", "add m_invariance: {m: 3}, or leave `search` out"),)
SEARCHES: Registry[Search] = Registry(
    "search",
    "discreet.searches",
    {
        "optimal": Search(("generalization",), "discreet.search.lattice.optimal:optimal", timed=True),
        "mondrian": Search(("multidimensional",), "discreet.search.multidimensional.mondrian:mondrian"),
        "local": Search(("local_recoding",), "discreet.search.local.local_recoding:local_recoding"),
        "art": Search(("bucketization",), "discreet.search.art.art:art", needs=_ART),
        "anatomy": Search(("bucketization",), "discreet.search.buckets.anatomy:anatomy"),
        "injector": Search(("bucketization",), "discreet.search.buckets.injector:injector"),
        "mask": Search(("bucketization",), "discreet.search.buckets.mask:mask"),
        "invariant": Search(("bucketization",), "discreet.search.buckets.invariant:invariant", needs=_INVARIANT),
        "invariant_ranges": Search(
            ("numbered_groups",), "discreet.search.buckets.invariant:invariant_ranges", needs=_INVARIANT
        ),
        "greedy": Search(("ambiguity",), "discreet.search.ambiguity.ambiguity:greedy"),
        "instant": Search(("generalization", "multidimensional"), "discreet.run.from_summary:instant", reads=SUMMARY),
        "instant_cuts": Search(("generalization",), "discreet.run.from_summary:instant_cuts", reads=SUMMARY),
        "incognito": Search(("generalization",), "discreet.search.lattice.incognito:incognito"),
        "optimize": Search(("generalization",), "discreet.search.lattice.optimize:optimize", timed=True),
    },
)


def searches_for(publish: str) -> tuple[str, ...]:
    """The searches that lead to a kind of publication; the first is the default.

    >>> searches_for("generalization")
    ('optimal', 'instant', 'instant_cuts', 'incognito', 'optimize')
    """
    return tuple(word for word in SEARCHES if publish in SEARCHES[word].publishes)
