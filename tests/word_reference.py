"""All commands and all words of a policy, made of the code: ``python -m tests.word_reference`` writes them anew."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from typer.main import get_command

from discreet.cli.main import app
from discreet.engines.reading_words import OF_COLUMN, OF_TABLE
from discreet.models.parameters import Choice, Interval, Number, Whole
from discreet.models.promise import Promise
from discreet.models.registry import MODELS
from discreet.policy.kinds import PUBLICATIONS
from discreet.policy.policy import Policy
from discreet.policy.words import CHOICES, SUMMARIES, Attribute, Role
from discreet.search.registry import searches_for

TARGET = Path(__file__).parents[1] / "docs" / "reference.md"
_ROLES = {
    Role.IDENTIFIER: "never published",
    Role.QUASI_IDENTIFIER: "known to others, so published coarser, or apart from what is sensitive",
    Role.SENSITIVE: "published as it is (or as `publish_as` says), and protected by the promises",
    Role.OTHER: "published as it is (or as `publish_as` says), and protected by nothing",
    Role.PERSON: "says whose row it is: never published, people are counted by it",
    Role.WISHES: "what the row's person wants hidden: never published, read by promises that ask for it",
}


def reference() -> str:
    """The whole page."""
    lines = [
        "# Reference: commands and words",
        "",
        "Made from the code by `python -m tests.word_reference`, so that nothing is missing and nothing is told that "
        "is not there. What it means, with examples, is in [the words of a policy](policy.md) and in "
        "[commands](commands.md).",
        "",
        "## Commands",
        "",
        *_commands(),
        "## A policy",
        "",
        *_policy(),
        "## Promises",
        "",
        "Parameters that are more than a number or a choice (lists, populations, priors, predicates) are described "
        "with [the words of a policy](policy.md).",
        "",
        *_promises(),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _commands() -> Iterator[str]:
    group: Any = get_command(app)
    for name, command in group.commands.items():
        named = [p for p in command.params if p.param_type_name == "argument"]
        yield from [f"### `discreet {' '.join([name, *(p.name.upper() for p in named)])}`", ""]
        yield from [" ".join((command.help or "").split()), ""]
        options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
        yield from ["| option | |", "|---|---|"]
        yield from (f"| {_option(p)} | {_escaped(' '.join((p.help or '').split()))}{_usual(p)} |" for p in options)
        yield ""


def _option(option: Any) -> str:
    return ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])


def _usual(option: Any) -> str:
    usual = option.default
    told = usual is not None and usual is not False and not callable(usual) and usual != () and str(usual) != ""
    return f" Default: `{usual}`." if told and usual is not True and "Sentinel" not in type(usual).__name__ else ""


def _policy() -> Iterator[str]:
    yield from ["Words at the top, as `Policy` has them:", "", "| word | may be |", "|---|---|"]
    yield from (f"| `{word}` | {_SAID[word]} |" for word in _top_words())
    yield from ["", "Roles of columns:", "", "| role | what becomes of it |", "|---|---|"]
    yield from (f"| `{role.value}` | {_ROLES[role]} |" for role in Role)
    yield from ["", "Words of a column: `" + "`, `".join([*_of_column(), *OF_COLUMN]) + "`.", ""]
    yield from ["| publish | is | searches, the usual one first |", "|---|---|---|"]
    for word in PUBLICATIONS:
        kind = PUBLICATIONS[word]
        usual = kind.default_search(())
        others = [search for search in searches_for(word) if search != usual]
        yield f"| `{word}` | {_escaped(kind.words.title)} | {', '.join(f'`{s}`' for s in [usual, *others])} |"
    yield ""


def _of_column() -> list[str]:
    return [field.name for field in fields(Attribute) if field.name not in ("name", "reading")]


def _top_words() -> list[str]:
    names = [field.name for field in fields(Policy) if field.init and field.name != "folder"]
    return [*names, *(word for word in OF_TABLE if word not in names)]


def _either(words: Iterable[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)


# A word without a line here ends with an error, and one that is gone is not written.
_SAID: Mapping[str, str] = {
    "attributes": "the columns, each with its role and hierarchy; others are not published",
    "require": "the promises, which must all hold",
    "source": "the table: a file, an address of a database, a Spark table",
    "publish": _either(PUBLICATIONS),
    "search": "how a release is looked for; the usual way of the kind of publication, if left out",
    "suppress": "the largest share of rows that may be left out, 0 to 1; 0, if left out",
    "suppressed": f"{_either(CHOICES['suppressed'])}: rows that no group can hold are left out, or published all `*`",
    "utility": f"what is made as small as possible: {_either(CHOICES['utility'])}",
    "seed": "a whole number: the same random choices in each run; otherwise they come from the system",
    "format": f"{_either(CHOICES['format'])}; what suits the source, if left out",
    "csv": "`{formulas: escape}`: a spreadsheet runs none of the texts",
    "schema": "of the database, for `format: table`; the name of the release's folder, if left out",
    "time_limit": "seconds, for searches that can stop with a proven bound",
    "summary": f"what `search: instant` looks at: {_either(SUMMARIES)}, or a saved one's file",
    "threshold": "how likely candidates of `search: instant` keep the promises, at least",
    "ranges": f"{_either(CHOICES['ranges'])}: where published ranges end",
    "private": "which rows of the source are the table, where the source has everybody",
    "one_row_per_person": "`true`: every row is another person's",
    "missing": "texts of cells that stand for nothing: `['?', 'NA', '-999']`",
    "decimal": "the decimal sign of numbers: `','`",
    "thousands": "what stands between groups of three digits",
    "dates": "how dates are written: `MM/DD/YYYY`",
    "whole": "`true`: floats are whole numbers",
    "encoding": "of a text file that is not UTF-8",
    "delimiter": "of a CSV file, where it can't be told from its rows",
    "sheet": "of a workbook",
}


def _promises() -> Iterator[str]:
    for word in MODELS:
        promise = MODELS[word]
        yield from [f"### `{word}`", "", f"    - {word}: {promise.example}", ""]
        if promise.only:
            yield from [f"Only with `publish: {'` or `'.join(promise.only)}`.", ""]
        for model in _models(promise):
            first, *others = re.split(r"\n\n", inspect.cleandoc(model.__doc__ or ""))
            yield from [_rst(first), ""]
            yield from [_rst(other) + "\n" for other in others[:1] if ">>>" not in other]
        rows: dict[str, str] = {}
        for model in _models(promise):
            rows = {name: _range(parameter) for name, parameter in model.parameters.items()} | rows
        yield from ["| parameter | may be |", "|---|---|"]
        yield from (f"| `{name}` | {row} |" for name, row in rows.items())
        if promise.beside_others:
            yield "| `others_known` | `true`: it holds for whoever knows somebody's other sensitive values, too |"
        yield ""


def _models(promise: Promise) -> list[Any]:
    """The models that its examples lead to, each once."""
    models: dict[type, None] = {}
    for example in promise.examples:
        made, _ = promise.read(dict(example), promise.word, ["disease"], Path())
        models |= {type(model): None for model in made}
    return list(models)


def _range(parameter: object) -> str:
    match parameter:
        case Whole(least, why):
            return f"a whole number of at least {least}: {_escaped(why)}"
        case Number():
            return f"a number {parameter._range()}" + (f": {_escaped(parameter.why)}" if parameter.why else "")
        case Choice(options):
            return " or ".join(f"`{option}`" for option in options)
        case Interval():
            return "a pair, for example `[0, 0.1]`"
        case _:
            options = getattr(parameter, "options", ())
            return (
                " or ".join(f"`{option}`" for option in options) or "the name of a sensitive column; all, if left out"
            )


def _rst(text: str) -> str:
    return " ".join(re.sub(r"``([^`]+)``", r"`\1`", text).split())


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
