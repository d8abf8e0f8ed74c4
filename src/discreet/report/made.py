"""How a release was made, in words: no name of our code, and nothing that the page tells elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.labels.figures import number, percent

Scalar = str | int | float | bool

# What a search tells of itself; None: the page has it elsewhere.
FACTS: Mapping[str, str | None] = {
    "search": None,
    "optimal": None,
    "utility": None,
    "groups": None,
    "mean_group": None,
    "suppressed": None,
    "k": None,
    "l": "different values that each group was made of",
    "m": "different values that each group was made of",
    "score": "cost of the release, in the measure that was searched for",
    "lower_bound": "no release of this kind costs less than",
    "nodes": "combinations of levels in all",
    "nodes_checked": "combinations of levels that were judged",
    "nodes_scored": "combinations of levels that were estimated",
    "minimal_nodes": "combinations of levels that can't be finer anywhere",
    "cuts_checked": "ways to coarsen that were judged",
    "queries": "judgements made",
    "mappings_scored": "ways to coarsen that were estimated",
    "candidates": "candidates proposed",
    "looks": "looks at the table",
    "pieces": "pieces the data were cut into",
    "pieces_undone": "pieces that were merged again",
    "probability": "chance, before the look, that the promises are kept",
    "expectation": "rows expected to be left out, before the look",
    "seconds_without_data": "seconds of search without a look at the table",
    "shares_before": "how common values were before",
    "attribute_sets": "sets of columns she may judge by",
    "decided_exactly": None,
    "decided_by_bound": None,
    "rows_alone": "rows that were left alone on the way",
    "merges": "groups merged",
    "never_hidden": "rows that no group can hide",
    "left_out_protected": "rows left out that have a protected value",
    "protected_share": "share of rows with a protected value",
    "believed_before": "rows with a value that is believed of them beforehand by more than was promised",
    "neighbourhoods": "neighbourhoods the rows were dealt into",
    "placed": "rows placed one by one at the end",
    "presence_over_all_groups": "largest chance of being in the table, over all groups",
    "tables": "columns that stand in one table",
    "layers": "layers the data were dealt in",
    "rules": "rules about which values don't occur together",
    "signatures": "different sets of values that groups have",
    "distorted": "rows with an exchanged value",
    "violating": "groups that would have broken the promise",
    "siblings": "groups that they were mixed with",
    "siblings_wanted": "groups wanted for that",
}

SEARCHES: Mapping[str, str] = {
    "optimal": "every combination of levels, the cheapest that keeps the promises",
    "incognito": "every combination of levels (Incognito, LeFevre et al. 2005)",
    "optimize": "every way to coarsen each column in order (Bayardo & Agrawal 2005)",
    "mondrian": "the data are halved as long as both halves keep the promises (Mondrian, LeFevre et al. 2006)",
    "local": "rows are put together with those that are most alike",
    "art": "groups of rows whose sensitive values are about as likely for each of them (ART)",
    "anatomy": "rows with different sensitive values are dealt into groups (Anatomy, Xiao & Tao 2006)",
    "injector": "the same, by rules about which values don't occur together (Injector, Li & Li 2008)",
    "mask": "groups of at least k rows, some with exchanged values (MASK, Wong et al. 2009)",
    "invariant": "everybody's group keeps the same set of values in all releases (m-invariance, Xiao & Tao 2007)",
    "invariant_ranges": "the same set of values in everybody's groups of all releases (m-invariance, Xiao & Tao 2007), "
    "and people who are alike together",
    "greedy": "groups are grown around rows that are unlike each other",
    "instant": "from a summary of the table, with one look at it",
    "instant_cuts": "from a summary of the table, with one look at it",
}

_UTILITIES: Mapping[str, str] = {
    "loss": "the loss of exactness as small as possible",
    "geometric_loss": "the loss of exactness as small as possible, as a geometric mean over the columns",
    "discernibility": "as few rows as possible that can't be told apart",
    "average_group": "groups as small as possible, on average",
    "height": "as few steps up the hierarchies as possible",
    "kl_divergence": "a table whose distribution is as close to the original's as possible",
}
# Settings that the page tells elsewhere: what was published and left out, whose rows they are.
_TOLD = {"publish", "search", "seed", "suppress", "suppressed", "one_row_per_person", "utility", "summary"}
_SETTINGS: Mapping[str, str] = {
    "format": "files are written as",
    "time_limit": "seconds the search was given",
    "threshold": "how likely candidates had to keep the promises",
    "ranges": "ranges end on (hierarchy: its boundaries; values: values of the table)",
    "decimal": "decimal sign of numbers",
    "thousands": "sign between three digits",
    "encoding": "encoding of the source",
    "delimiter": "delimiter of the source",
    "sheet": "sheet of the workbook",
    "schema": "schema of the database",
}


def searched(search: str, settings: Mapping[str, str]) -> str:
    """How was searched, and for what.

    >>> searched("mondrian", {"utility": "loss"})
    'the data are halved as long as both halves keep the promises (Mondrian, LeFevre et al. 2006)'
    >>> searched("optimal", {"utility": "loss"}).endswith("; asked for is the loss of exactness as small as possible")
    True
    """
    how = SEARCHES.get(search, search.replace("_", " "))
    chosen = search in ("optimal", "incognito", "optimize", "instant", "instant_cuts")
    aim = _UTILITIES.get(settings.get("utility", ""), "")
    return f"{how}; asked for is {aim}" if chosen and aim else how


def facts_in_words(facts: Mapping[str, Scalar]) -> list[tuple[str, str]]:
    """What the search tells of itself, as far as it is not told elsewhere.

    >>> facts_in_words({"nodes": 960, "optimal": True, "protected_share": 0.25})
    [('combinations of levels in all', '960'), ('share of rows with a protected value', '25%')]
    """
    named = [(FACTS.get(name, name.replace("_", " ")), name, value) for name, value in facts.items()]
    return [(words, _figure(name, value)) for words, name, value in named if words is not None]


def settings_in_words(settings: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the policy says besides, in words."""
    return [(_SETTINGS.get(name, name.replace("_", " ")), said) for name, said in settings.items() if name not in _TOLD]


def _figure(name: str, value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    shares = ("protected_share", "probability", "presence_over_all_groups", "score", "lower_bound")
    return percent(value) if name in shares and 0 <= value <= 1 else number(value)
