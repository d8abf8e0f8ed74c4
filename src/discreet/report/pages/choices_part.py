"""What is near a policy, told to somebody who must choose: what it delivers, one recommendation, a curve, tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from discreet.labels.aligned import aligned
from discreet.labels.figures import chance, percent
from discreet.models.parameters import as_word
from discreet.models.promise import Setting
from discreet.policy.kinds import PUBLICATIONS, is_exact
from discreet.policy.proposing.found_reading import in_yaml
from discreet.releases.choices import Choice, Choices, Dial, PolicyComparison
from discreet.report.line_chart import Axis, Dot, Line, shares
from discreet.report.marginals import printable, shown
from discreet.report.words import promise_in_words

MEANT = {
    "k": "at least this many {people} share a group",
    "l": "the values of a group are as if there were at least this many, equally frequent",
    "t": "a group's values may differ from those of the whole table by this much",
    "alpha": "the largest chance that a value may have",
    "beta": "a value's chance may grow by this many times itself",
    "epsilon": "a chance may become this many times as large",
    "presence.delta": "the largest chance that a {person} may have of being in the table",
    "confident_presence.delta": "the largest chance that a {person} may have of being in the table",
    "delta_disclosure.delta": "a value's share may change by a factor of e to this power, either way",
}
_HALF = 0.5 + 1e-9  # a chance that is one half but for rounding is not above it
COLUMNS = ("loss", "answers off by", "left out", "mean chance to pick")


def _meant(dial: Dial) -> str:
    """What a dial's number says."""
    return MEANT.get(f"{dial.word}.{dial.name}") or MEANT[dial.name]


def first_line(c: PolicyComparison) -> str:
    """What the policy delivers as it is.

    The losses of the lattice's nodes, further down, are those of other releases: nobody should take them for this one.
    """
    own = c.own
    words = f"the policy (publish: {own.publish}, suppress: {c.limit:g})"
    if own.loss is None:
        return f"By {words}, nothing can be published: {_why(own)}"
    left_out = f"{own.suppressed:,} row{'s' * (own.suppressed != 1)} left out"
    return f"{words[0].upper()}{words[1:]} has a loss of {percent(own.loss)}, with {left_out}"


def recommendation(c: PolicyComparison) -> tuple[str, list[str]]:
    """What to do, and why, in sentences."""
    near, asked, best = c.choices, c.own, c.choices.recommended
    if best is None or best.loss is None:
        return "Change the table or the columns", [_nothing(near)]
    if best.loss >= 1:
        return "Change the table or the columns", [f"What can be published ({_name(c, best)}) tells nothing any more."]
    other_way, other_strength = best.publish != asked.publish, best.strength != asked.strength
    if not other_way and not other_strength:
        others = [w for w in near.ways if w is not asked]
        none = "No other way to publish that can keep these promises loses much less." if others else ""
        return "Keep the policy as it is", [s for s in (none, _further_on(c), _known(near)) if s]
    way = f"publish by {_plain(best.publish)}" if other_way else ""
    dial = f"ask for {_strength(near, best)}" if other_strength else ""
    do = " and ".join(filter(None, (way, dial)))
    why = [*_gain(c, other_way, other_strength), _further_on(c), _known(near)]
    return do[0].upper() + do[1:], [sentence for sentence in why if sentence]


def lines_to_set(c: PolicyComparison) -> list[str]:
    """What to write in the policy to follow the recommendation; nothing if it is as was asked."""
    best, dial = c.choices.recommended, c.choices.dial
    if best is None or best.loss is None or best.loss >= 1:
        return []
    lines = [f"publish: {best.publish}"] if best.publish != c.own.publish else []
    if dial is not None and best.strength != c.own.strength:
        words = {dial.name: dial.said(best.strength)} | dict(dial.others)
        lines.append(f"{dial.word}: {in_yaml(words)}")
    return lines


def promises(c: PolicyComparison) -> list[str]:
    """What the recommended release promises, in sentences about people where it is known whose rows they are."""
    best = c.choices.recommended
    if best is None or best.loss is None:
        return []
    setting = Setting(exact=is_exact(best.publish), whose=c.whose)
    return [
        promise_in_words({"model": m.to_words(), "promise": m.describe()}, c.sensitive, setting) for m in best.models
    ]


def to_lines(c: PolicyComparison) -> list[str]:
    """For the terminal: what the policy delivers, what to do and why, and the tables."""
    do, why = recommendation(c)
    set_to = lines_to_set(c)
    lines = [f"{first_line(c)}.", "", f"Recommended: {do[0].lower()}{do[1:]}.", *(f"  {sentence}" for sentence in why)]
    lines += [f"  In the policy: {'; '.join(set_to)}"] if set_to else []
    lines += [f"  It promises: {sentence}" for sentence in promises(c)]
    for heading, _, rows in tables(c):
        lines += ["", heading]
        lines += aligned(
            [["", *COLUMNS], *([name, *figures(choice)] for name, choice in rows if choice.loss is not None)], {0}
        )
        lines += [f"  {name}: no release: {_why(choice)}." for name, choice in rows if choice.loss is None]
    return lines


def to_json(near: Choices) -> dict[str, Any]:
    """Every figure of what was tried."""
    return {
        "dial": None if near.dial is None else asdict(near.dial),
        "recommended": None if near.recommended is None else _choice_json(near.recommended),
        "ways": [_choice_json(choice) for choice in near.ways],
        "strengths": [_choice_json(choice) for choice in near.strengths],
        "further": [_choice_json(choice) for choice in near.further],
    }


def part(c: PolicyComparison) -> dict[str, Any]:
    """What the page's template needs of it."""
    do, why = recommendation(c)
    best = c.choices.recommended
    return {
        "first": first_line(c),
        "possible": c.own.loss is not None,
        "do": do,
        "why": why,
        "set_to": lines_to_set(c),
        "promises": promises(c),
        "figures": None if best is None or best.loss is None else dict(zip(COLUMNS, figures(best), strict=True)),
        "chart": chart(c),
        "tables": [
            (
                heading,
                note,
                [(name, choice, figures(choice)) for name, choice in rows if choice.loss is not None],
                [(name, _why(choice)) for name, choice in rows if choice.loss is None],
            )
            for heading, note, rows in tables(c)
        ],
        "columns": COLUMNS,
        "people": c.whose.people,
    }


def tables(c: PolicyComparison) -> list[tuple[str, str, list[tuple[str, Choice]]]]:
    """What was tried, under three headings, each with what to know of it."""
    near = c.choices
    told = [
        (
            "The same promises, published in each way",
            _ways_note(c),
            [(_plain(way.publish) + _marks(c, way), way) for way in near.ways],
        )
    ]
    if len(near.strengths) > 1 and near.dial is not None:
        told.append(
            (
                f"Weaker and stronger: {near.dial.title}",
                f"{near.dial.title}: {_meant(near.dial).format(people=c.whose.people, person=c.whose.person)}.",
                [(_name(c, choice) + _marks(c, choice), choice) for choice in near.strengths],
            )
        )
    if near.further and near.recommended is not None:
        told.append(
            (
                "One promise more, beside those that are recommended",
                "",
                [(f"and {_more(near, choice)}", choice) for choice in near.further],
            )
        )
    return told


def figures(choice: Choice) -> list[str]:
    """Loss, error of answers, rows left out, and the mean chance to pick somebody's row, as `COLUMNS` name them."""
    point = choice.point
    off = "–" if point.count_error is None else percent(point.count_error)
    return [
        percent(choice.loss or 0.0),
        off,
        f"{choice.suppressed:,}",
        "–" if point.risk is None else chance(point.risk.mean),
    ]


def chart(c: PolicyComparison) -> tuple[list[Line], Axis, Axis] | None:
    """Loss against the dial, a curve for each way to publish whose dial was turned."""
    near = c.choices
    values = list(dict.fromkeys(choice.strength for choice in near.strengths))
    if near.dial is None or len(values) < 2 or not any(choice.loss is not None for choice in near.strengths):
        return None
    by_way: dict[str, list[Choice]] = {}
    for choice in near.strengths:
        by_way.setdefault(choice.publish, []).append(choice)
    lines = [
        Line(_plain(publish), number, tuple(_dot(c, values.index(choice.strength), choice) for choice in choices))
        for number, (publish, choices) in enumerate(by_way.items())
    ]
    ticks = tuple((float(i), str(as_word(value))) for i, value in enumerate(values))
    across = Axis(
        f"{near.dial.title}: weaker promises on the left, stronger on the right", -0.3, len(values) - 0.7, ticks
    )
    return lines, across, shares("loss of exactness", [choice.loss or 0.0 for choice in near.strengths])


def _dot(c: PolicyComparison, place: int, choice: Choice) -> Dot:
    best = c.choices.recommended
    label = "recommended" if choice == best else "asked for" if choice == c.own else ""
    told = f"{_name(c, choice)}: loss {percent(choice.loss or 0.0)}"
    return Dot(float(place), choice.loss, told, label, below=bool(label) and _lower(c, choice))


def _lower(c: PolicyComparison, choice: Choice) -> bool:
    """Of what was asked for and what is recommended, which may lie close together, the one that loses less."""
    other = c.own if choice == c.choices.recommended else c.choices.recommended
    if other is None or other == choice or other.loss is None or choice.loss is None:
        return False
    return choice.loss < other.loss or (choice.loss == other.loss and choice == c.own)


def _gain(c: PolicyComparison, other_way: bool, other_strength: bool) -> list[str]:
    """What following the recommendation changes."""
    near, asked, best = c.choices, c.own, c.choices.recommended
    assert best is not None and best.loss is not None
    same = next((w for w in near.ways if w.publish == best.publish), asked)  # as strong as asked for, in that way
    sentences = []
    if other_way:
        sentences.append(f"{PUBLICATIONS[best.publish].words.title.capitalize()}.")
    if other_way and asked.loss is None:
        sentences.append(f"As asked, by {_plain(asked.publish)}, nothing can be published.")
    elif other_way and asked.loss is not None and same.loss is not None:
        sentences.append(
            f"It keeps the same promises at a loss of {percent(same.loss)} instead of {percent(asked.loss)}."
        )
    if other_strength and same.loss is not None:
        more = f"costs about the same: a loss of {percent(best.loss)} instead of {percent(same.loss)}"
        sentences.append(f"{_strength(near, best)} instead of {as_word(asked.strength)} {more}.")
    elif other_strength:
        if not other_way:
            sentences.append("As asked, nothing can be published.")
        weaker = f"{_strength(near, best)} is the strongest that is possible, with a loss of {percent(best.loss)}"
        sentences.append(f"{weaker}. It promises less than was asked for.")
    return sentences


def _further_on(c: PolicyComparison) -> str:
    """The next strength, which is not recommended."""
    best, stronger = c.choices.recommended, c.choices.stronger
    if best is None or stronger is None:
        return ""
    name = _strength(c.choices, stronger)
    if stronger.loss is None:
        return f"The next stronger, {name}, can't be had: {_why(stronger)}."
    return f"The next stronger, {name}, would lose {percent(stronger.loss)}."


def _known(near: Choices) -> str:
    """Columns whose value the recommended release makes known of a whole group, or likelier than not in one, and what
    was tried that keeps it from that.
    """
    best = near.recommended
    if best is None or best.point.risk is None:
        return ""
    surest = best.point.risk.certain
    certain = [shown(name) for name, of_value in surest.items() if of_value >= 1]
    likely = [f"{shown(name)} ({chance(of_value)})" for name, of_value in surest.items() if 1 > of_value > _HALF]
    if certain:
        told = (
            f"But some group of it has a single value of {' and of '.join(certain)}, which is then known of all in it."
        )
    elif likely:
        told = f"But some group of it makes a value likelier than not: of {' and of '.join(likely)}."
    else:
        return ""
    limit = 1 if certain else _HALF
    mends = [(c.loss, c) for c in near.further if c.loss is not None and _surest(c) < limit]
    if not mends:
        return told
    loss, mend = min(mends, key=lambda pair: pair[0])
    assert mend.more is not None
    words = in_yaml(mend.more)[1:-1]
    return f"{told} To prevent that, promise {_more(near, mend)} as well ({words}): a loss of {percent(loss)}."


def _surest(choice: Choice) -> float:
    """The largest chance of a value in any group of a release."""
    return 1.0 if choice.point.risk is None else max(choice.point.risk.certain.values(), default=0.0)


def _more(near: Choices, choice: Choice) -> str:
    """What a choice promises beside what is recommended: the same of each sensitive column."""
    already = () if near.recommended is None else near.recommended.models
    return " and ".join(printable(model.describe()) for model in choice.models[len(already) :])


def _nothing(near: Choices) -> str:
    dial = "" if near.dial is None or not near.strengths else f", or for any {near.dial.title} that was"
    return (
        f"Nothing that keeps these promises can be published, in any of the ways that were tried{dial}. Allow more "
        "rows to be left out (suppress), give hierarchies more levels, or declare fewer quasi-identifiers if others "
        "can't know them."
    )


def _ways_note(c: PolicyComparison) -> str:
    apart = [word for word in PUBLICATIONS if is_exact(word)]
    return (
        f"Not tried: {' and '.join(apart)}, which publish exact values and hide which belong together. They make other "
        "promises; try them with publish in the policy."
    )


def _plain(publish: str) -> str:
    return publish.replace("_", " ")


def _strength(near: Choices, choice: Choice) -> str:
    return "" if near.dial is None else f"{near.dial.title} = {as_word(choice.strength)}"


def _name(c: PolicyComparison, choice: Choice) -> str:
    several = len({other.publish for other in c.choices.strengths}) > 1
    return ", ".join(filter(None, (_strength(c.choices, choice), _plain(choice.publish) if several else "")))


def _marks(c: PolicyComparison, choice: Choice) -> str:
    marks = [word for word, of in (("as asked", c.own), ("recommended", c.choices.recommended)) if choice == of]
    return f" ({', '.join(marks)})" if marks else ""


def _why(choice: Choice) -> str:
    return printable(choice.why).rstrip(".")


def _choice_json(choice: Choice) -> dict[str, Any]:
    point = choice.point
    return {
        "publish": choice.publish,
        "strength": None if choice.strength is None else as_word(choice.strength),
        "promises": [model.describe() for model in choice.models],
        "loss": choice.loss,
        "count_error": point.count_error,
        "suppressed": choice.suppressed,
        "groups": point.groups,
        "smallest_group": point.smallest_group,
        "mean_chance": None if point.risk is None else point.risk.mean,
        "largest_chance": None if point.risk is None else point.risk.largest,
        "why": choice.why,
    }
