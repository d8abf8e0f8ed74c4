"""A policy as a release tells it."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.addresses import public
from discreet.policy.policy import Policy
from discreet.policy.words import SUMMARIES
from discreet.publications.published import names_file


def coarser_words(policy: Policy) -> dict[str, object]:
    """What columns are published as, where that is coarser than their values: taxonomies written out."""
    coarser = {name: level.to_words() for name, level in policy.published_as.items()}
    return {"published_as": coarser} if coarser else {}


def public_words(policy: Policy) -> dict[str, object]:
    """The policy without what is nobody's business: folders of this machine, who is in the table, and the seed.

    Whoever knew the seed could undo the random order of a table that the engine rewrote row by row. Promises are
    written out whole: a re-check has no other files (such as an adversary's counts). A hierarchy that came from a file
    is written out under `hierarchies` (or `published_as`), and left out here; so are questions that nobody has
    decided, which count rows of the source.
    """
    words = policy.to_words() | {"require": [model.to_words() for model in policy.models]}
    words.pop("seed", None)
    words.pop("private", None)
    if isinstance(source := words.get("source"), str):
        words["source"] = public(source)
    if words.get("summary") not in SUMMARIES:
        words.pop("summary", None)
    attributes: Mapping[str, Mapping[str, object]] = words["attributes"]  # type: ignore[assignment]
    words["attributes"] = {
        name: {
            word: said
            for word, said in about.items()
            if word != "decide" and (word not in ("hierarchy", "publish_as") or not names_file(said))
        }
        for name, about in attributes.items()
    }
    return words
