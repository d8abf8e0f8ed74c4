"""The command that tries policies which differ a little."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.screen import Screen, a_path
from discreet.errors import DiscreetError, Mistake, PolicyError, shown

_LONGEST = 2_000  # characters of values


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(sweep)


def sweep(
    policy: Annotated[Path, typer.Argument(help="The policy (YAML).")],
    k: Annotated[
        str | None, typer.Option("--k", help="Values of k, for every promise that has one: 2,5,10,20.")
    ] = None,
    l: Annotated[str | None, typer.Option("--l", help="Values of ℓ.")] = None,  # noqa: E741, the theory's own name
    t: Annotated[str | None, typer.Option("--t", help="Values of t.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="Values of ε.")] = None,
    delta: Annotated[str | None, typer.Option(help="Values of δ: 0.1,0.2 or pairs, [0,0.1],[0,0.2].")] = None,
    publish: Annotated[str | None, typer.Option(help="Kinds of publication: generalization,local_recoding.")] = None,
    suppress: Annotated[str | None, typer.Option(help="Shares of rows that may be left out: 0,0.02.")] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option("--set", help="Anything else, by its name: l_diversity.l=2,3,4 or utility=loss,height."),
    ] = None,
    one_in: Annotated[
        int | None,
        typer.Option(
            min=1, help="Count those whose chance of being found is above 1 in so many (default: the policy's k)."
        ),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0.0, help="Seconds for the search of each point, where a search can be stopped.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For searches that draw at random: the same for every point.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", callback=a_path, help="Write a page with curves there.")
    ] = None,
    as_csv: Annotated[
        Path | None, typer.Option("--csv", callback=a_path, help="Write the figures there, a line for each point.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Risk and use of many policies that differ a little: every combination of values, from one count of the table.

    Nothing is published. What can't be had is a point too, which says why. Exit 0, unless nothing can be tried.
    """
    from dataclasses import replace

    from discreet.files.whole import check_places
    from discreet.policy.policy import read_policy

    short = {"k": k, "l": l, "t": t, "epsilon": epsilon, "delta": delta, "publish": publish, "suppress": suppress}
    varied = _varied({name: text for name, text in short.items() if text is not None}, vary or [])
    check_places(output, as_csv)
    read = read_policy(policy)
    given = {name: value for name, value in (("time_limit", time_limit), ("seed", seed)) if value is not None}
    read = replace(read, **given)  # type: ignore[arg-type]
    from discreet.run.sweep import sweep as run

    screen = Screen(as_json, quiet)
    try:
        with screen.progress() as progress:
            found = run(read, varied, one_in=one_in, progress=progress)
    except PolicyError as error:
        raise PolicyError(
            *(Mistake(_option(m.place, short, varied), m.rule, m.repair) for m in error.mistakes)
        ) from None
    words = found.to_text()
    found.save(page=output, csv=as_csv)
    words += "".join(f"\n\n{what}: {path}" for what, path in (("Page", output), ("CSV", as_csv)) if path is not None)
    screen.say(found.to_json(), words)


def _varied(short: dict[str, str], named: list[str]) -> dict[str, list[object]]:
    """What is varied, by name; everything that can't be read at once."""
    texts, mistakes = dict(short), []
    for one in named:
        name, sign, text = one.partition("=")
        if not sign or not name.strip():
            rule = f"{shown(one)} has no name and values"
            mistakes.append(Mistake("--set", rule, "write --set l_diversity.l=2,3,4"))
        elif name.strip() in texts:
            mistakes.append(Mistake("--set", f"{shown(name.strip())} is given twice", "give all its values at once"))
        else:
            texts[name.strip()] = text
    varied: dict[str, list[object]] = {}
    for name, text in texts.items():
        values = _values(text)
        if values is None:
            rule = f"no list of values: {shown(text)}"
            mistakes.append(Mistake(f"--{name}" if name in short else f"--set {name}", rule, "write 2,5,10"))
        else:
            varied[name] = values
    if mistakes:
        raise DiscreetError(*mistakes)
    return varied


def _values(text: str) -> list[object] | None:
    """What stands between commas, as a policy would read it; None if it is no list.

    >>> _values("2,5"), _values("0, 0.02"), _values("[0, 0.1], [0, 0.2]"), _values("distinct,entropy"), _values("[2")
    ([2, 5], [0, 0.02], [[0, 0.1], [0, 0.2]], ['distinct', 'entropy'], None)
    """
    import yaml

    if len(text) > _LONGEST or any(sign in text for sign in "&*!{}#\n"):
        return None
    try:
        values: Any = yaml.safe_load(f"[{text}]")
    except (yaml.YAMLError, ValueError):
        return None
    plain = all(isinstance(v, str | int | float | list) for v in values)
    return values if plain and values else None


def _option(place: str, short: dict[str, str | None], varied: dict[str, list[object]]) -> str:
    """How the command line calls what is varied; other places are the policy's."""
    if place not in varied:
        return "command line" if place == "sweep" else place
    return f"--{place}" if short.get(place) is not None else f"--set {place}"
