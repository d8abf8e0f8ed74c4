"""From a policy to what is near it: other ways to publish, weaker and stronger promises, and one recommendation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.errors import PolicyError
from discreet.files.numbers import exact_number
from discreet.models.base import least_rows
from discreet.models.parameters import as_word
from discreet.policy.kinds import PUBLICATIONS, is_exact
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.releases.choices import Choice, Choices, Dial
from discreet.run.intake import Counted
from discreet.run.sweep import ONE_IN, point_of, within
from discreet.run.varied import changed, words_of

# The numbers by which promises are made stronger, and the values that are tried of each, weakest first; of an interval
# the upper ends.
_VALUES: Mapping[str, tuple[str, ...]] = {
    "k": ("2", "5", "10", "20", "50", "100"),
    "l": ("2", "3", "4", "5", "8"),
    "t": ("0.5", "0.4", "0.3", "0.2", "0.1"),
    "alpha": ("0.5", "0.4", "0.3", "0.2", "0.1"),
    "beta": ("4", "2", "1", "0.5"),
    "epsilon": ("10", "5", "2.5", "1.5"),
    "presence.delta": ("0.5", "0.3", "0.2", "0.1", "0.05"),
    "confident_presence.delta": ("0.5", "0.3", "0.2", "0.1", "0.05"),
    "delta_disclosure.delta": ("3", "2", "1", "0.5"),
}
_MORE_IS_STRONGER = ("k", "l")
_FURTHER: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("l_diversity", {"l": 2, "kind": "frequency"}),
    ("l_diversity", {"l": 3, "kind": "frequency"}),
    ("t_closeness", {"t": 0.3}),
)
MOST_COMBINATIONS = 200_000  # of a larger table the dial is not turned: each search may take minutes
CHEAPER = 0.75  # another way to publish is recommended if it loses less than this part of what the asked one loses
DEARER = 1.15  # a stronger promise is, if it loses at most so many times as much,
POINTS_MORE = 0.02  # or so much more of all there is to lose

Price = Callable[[Policy | PolicyError, str, Fraction | None], Choice]


def choices(policy: Policy, counted: Counted, progress: Progress = silent) -> Choices:
    """What is near a policy, from one count of its table, and what of it to take.

    Recommended is never less than what was asked for, if that can be had. It is published as asked, unless another way
    to keep the same promises loses less than `CHEAPER` times as much, and it is the strongest that costs about the same
    (`DEARER`, or `POINTS_MORE`). Where nothing keeps what was asked for, it is the strongest that can be had.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> age = {"role": "quasi_identifier", "hierarchy": {"intervals": [2]}}
    >>> policy = policy_from_words({"attributes": {"age": age}, "require": [{"k_anonymity": {"k": 2}}]})
    >>> near = choices(policy, count(policy, {"age": ["20", "21", "22", "23"] * 5}))
    >>> near.dial.name, str(near.asked.strength), str(near.recommended.strength), near.recommended.publish
    ('k', '2', '5', 'generalization')
    """
    dial = _dial(policy)
    own = None if dial is None else _own(policy, dial)
    tried = _tried(dial, own) if len(counted.frequency.counts) <= MOST_COMBINATIONS else [own] if dial else []
    kinds = [word for word in PUBLICATIONS if not is_exact(word)]
    further = [(w, given) for w, given in _FURTHER if policy.sensitive and not _promised(policy, w, given.get("kind"))]
    price = _pricing(counted, 2 * len(tried) + len(kinds) + len(further), progress)
    asked = price(policy, policy.publish, own)
    others = [
        price(v, w, own) for w in kinds if w != policy.publish and _told(v := _variant(policy, dial, w, own), policy, w)
    ]
    ways = [asked, *others]
    way = _cheapest_way(asked, others)
    strengths = []
    for publish in dict.fromkeys([policy.publish, way.publish]):
        known = {c.strength: c for c in ways if c.publish == publish}
        strengths += [
            known.get(value) or price(_variant(policy, dial, publish, value), publish, value) for value in tried
        ]
    recommended = _recommended(asked, way, [c for c in strengths if c.publish == way.publish])
    if recommended is None:
        return Choices(dial, asked, tuple(ways), tuple(strengths), (), None)
    base = _variant(policy, dial, recommended.publish, recommended.strength)
    more = [
        replace(price(variant, recommended.publish, recommended.strength), more={word: dict(given)})
        for word, given in further
        if _can(variant := _with(base, word, given))
    ]
    return Choices(dial, asked, tuple(ways), tuple(strengths), tuple(more), recommended)


def _dial(policy: Policy) -> Dial | None:
    """The number to turn: that of the first promise which has one of those that we know a direction of."""
    for entry in policy.require:
        word, given = words_of(entry)
        for name, said in given.items():
            lower, number = _ends(said)
            if _values(word, name) and number is not None:
                others = tuple((other, as_word(value)) for other, value in given.items() if other != name)
                return Dial(word, name, name in _MORE_IS_STRONGER, as_word(lower), others)
    return None


def _values(word: str, name: str) -> tuple[str, ...]:
    """What is tried of a promise's number."""
    return _VALUES.get(f"{word}.{name}") or _VALUES.get(name, ())


def _ends(said: object) -> tuple[Fraction | None, Fraction | None]:
    """A number, or the two ends of an interval of numbers, the lower first."""
    if isinstance(said, list | tuple) and len(said) == 2:
        return exact_number(said[0]), exact_number(said[1])
    return None, exact_number(said)


def _own(policy: Policy, dial: Dial) -> Fraction | None:
    """Where the policy's dial stands."""
    given = next(given for word, given in map(words_of, policy.require) if word == dial.word and dial.name in given)
    return _ends(given[dial.name])[1]


def _tried(dial: Dial | None, own: Fraction | None) -> Sequence[Fraction | None]:
    """The values of a dial, weakest first; the policy's own is among them."""
    if dial is None or own is None:
        return []
    return sorted({*map(Fraction, _values(dial.word, dial.name)), own}, reverse=not dial.more_is_stronger)


def _promised(policy: Policy, word: str, kind: object) -> bool:
    """Does the policy make such a promise? Of several kinds, as of ℓ-diversity, of this kind."""
    return any(own == word and kind in (None, given.get("kind")) for own, given in map(words_of, policy.require))


def _variant(policy: Policy, dial: Dial | None, publish: str, strength: Fraction | None) -> Policy | PolicyError:
    """The policy published in a way, with its dial somewhere; or what keeps these from going together."""
    values: dict[str, object] = {"publish": publish}
    if dial is not None:
        values[f"{dial.word}.{dial.name}"] = dial.said(strength)
    try:
        return changed(policy, values)
    except PolicyError as error:
        return error


def _can(variant: Policy | PolicyError) -> bool:
    return isinstance(variant, Policy)


def _told(variant: Policy | PolicyError, policy: Policy, publish: str) -> bool:
    """Can it be published in a way, or could it if no row had to be left out? Then the refusal is worth telling."""
    return _can(variant) or (
        policy.suppress > 0 and _can(_variant(replace(policy, suppress=Fraction(0)), None, publish, None))
    )


def _with(policy: Policy | PolicyError, word: str, given: Mapping[str, object]) -> Policy | PolicyError:
    """The policy with one promise more."""
    if isinstance(policy, PolicyError):
        return policy
    try:
        return replace(policy, require=(*policy.require, {word: dict(given)}))
    except PolicyError as error:
        return error


def _pricing(counted: Counted, most: int, progress: Progress) -> Price:
    """What measures one policy after the other; `most` is how many there may be."""
    done = 0

    def price(variant: Policy | PolicyError, publish: str, strength: Fraction | None) -> Choice:
        nonlocal done
        models = () if isinstance(variant, PolicyError) else variant.models
        name = publish if strength is None else f"{as_word(strength)}, {publish}"
        point = point_of((), variant, counted, max(least_rows(models), ONE_IN), within(progress, done, most, name))
        done += 1
        return Choice(publish, tuple(models), strength, point)

    return price


def _cheapest_way(asked: Choice, others: Sequence[Choice]) -> Choice:
    """How to publish: as asked, unless another way loses clearly less, or only another can."""
    possible = [c for c in others if c.point.loss is not None]
    if not possible:
        return asked
    least = min(possible, key=lambda c: c.point.loss or 0.0)
    if asked.point.loss is None or (least.point.loss or 0.0) < CHEAPER * asked.point.loss:
        return least
    return asked


def _recommended(asked: Choice, way: Choice, strengths: Sequence[Choice]) -> Choice | None:
    """Of one way to publish: the strongest that costs about what `way` costs; if that can't be had, the strongest."""
    if way.point.loss is None:
        return next((c for c in reversed(strengths) if c.point.possible), None)
    stronger = strengths[[c.strength for c in strengths].index(way.strength) :] if strengths else []
    limit = max(DEARER * way.point.loss, way.point.loss + POINTS_MORE)
    return next((c for c in reversed(stronger) if c.point.loss is not None and c.point.loss <= limit), way)
