"""Judges a run: the release by what it promises and what is true, the refusal by what would have been possible.

Every trouble has a kind: a promise is `broken`, a row `untrue`, `optimal` is not, a `refusal` is wrong, somebody
contradicts somebody (`contradiction`), a line of the `audit` is not what the possible worlds say. `more` is no fault:
leaving out more groups than those that fail would have given something, or something better; an estimate is too low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from campaign.promises import pairs, posteriors, truth
from campaign.promises.audited import MORE, Trouble, audited, composed, foreign_file, members
from campaign.promises.case import Case, Row, Value
from campaign.promises.definitions import number
from campaign.promises.ends import on_boundaries, wrong_ends
from campaign.promises.ladders import covers
from campaign.promises.lattice import Release
from campaign.promises.possible import ambiguity_possible, domain, possible
from campaign.promises.product import BROKEN, KEPT, NOT_JUDGED, RELEASE, SECOND, Answer
from campaign.promises.reading import (
    Folder,
    Group,
    ambiguous_groups,
    auxiliary,
    bucket_groups,
    is_starred,
    labelled_groups,
    read_folder,
)
from campaign.promises.rules import Asked, Rules, asked, delta, presence_kept
from campaign.promises.wishes import STRANGE, why_refused

KINDS = ("fault", "hang", "broken", "untrue", "optimal", "refusal", "contradiction", "audit")
LABELLED = ("generalization", "multidimensional", "local_recoding")
_CLOSE = 1e-9  # figures of the product are floating point


def judge(case: Case, answer: Answer, folder: Path) -> list[Trouble]:
    """Everything that is wrong with how a run ended."""
    if answer.ended == "fault":
        return [("fault", answer.message[-1500:])]
    if troubles := mistaken(case, answer):
        return troubles
    if answer.ended == "mistake":
        return []
    if answer.ended == "refused":
        return list(refusal(case, answer))
    if case.theirs is not None:
        return list(foreign_file(case, answer))
    published = read_folder(folder / RELEASE)
    groups = groups_of(case, published)
    troubles = [*counted(case, published, groups), *truth_of(case, published, groups)]
    broken = list(broken_promises(case, groups))
    troubles += [("broken", why) for why in broken]
    troubles += agreement(case, answer.where("alone", "beside"), kept=not broken)
    if case.minds is not None:
        troubles += changed_minds(case, answer, groups)
    troubles += figures(case, groups, answer)
    troubles += audited(case, groups, answer)
    if case.second is not None:
        troubles += composed(case, published, read_folder(folder / SECOND), answer)
    return troubles


def mistaken(case: Case, answer: Answer) -> list[Trouble]:
    """Is a policy refused, unsearched, if and only if it has to be? And without a word of what somebody asked for."""
    reasons = list(why_refused(case))
    if (answer.ended == "mistake") != bool(reasons):
        good = f"refused a good policy: {answer.message}" if not reasons else f"not refused: {reasons}"
        return [("refusal" if reasons else "fault", good[:500])]
    return [("untrue", f"somebody's wish is told: {answer.message}")] if STRANGE in answer.message else []


def groups_of(case: Case, published: Folder) -> list[Group]:
    """The groups of a release, whatever its kind."""
    match publish_of(case):
        case "bucketization":
            return bucket_groups(published, case.quasi_identifiers, case.sensitive[0])
        case "ambiguity":
            return ambiguous_groups(published, case.sensitive[0])
    return labelled_groups(published, case.quasi_identifiers, case.sensitive)


def publish_of(case: Case) -> str:
    return str(case.words.get("publish", "generalization"))


# --- what is published -----------------------------------------------------------------------------------------------


def counted(case: Case, published: Folder, groups: Sequence[Group]) -> Iterator[Trouble]:
    """Rows published and suppressed, as the manifest says and as the files show."""
    said = published.manifest["rows"]
    rows = sum(group.size for group in groups)
    if (said["source"], said["published"]) != (len(case.rows), rows) or said["suppressed"] != len(case.rows) - rows:
        yield "untrue", f"{rows} of {len(case.rows)} rows are published, the manifest says {said}"
    if len(case.rows) - rows > case.limit:
        yield "broken", f"{len(case.rows) - rows} rows are suppressed, {case.limit} may be"
    if publish_of(case) in LABELLED:
        starred = sum(is_starred(published, row) for row in published.data.rows)
        wanted = len(case.rows) - rows if published.manifest["suppressed_as"] == "star" else 0
        if starred != wanted:
            yield "untrue", f"{starred} rows of stars for {wanted} suppressed ones"


def truth_of(case: Case, published: Folder, groups: Sequence[Group]) -> Iterator[Trouble]:
    """Is there a row of the source for every published one?"""
    match publish_of(case):
        case "bucketization":
            yield from _bucketed_truth(case, published, groups)
        case "ambiguity":
            counts = {group.labels[0]: group.values[case.sensitive[0]] for group in groups}
            people = case.parts(case.quasi_identifiers)
            values = case.column(case.sensitive[0])
            if truth.ambiguous(auxiliary(published), counts, case.quasi_identifiers, people, values) is False:
                yield "untrue", "no way to put the source's rows in groups gives these tables"
        case _:
            rules = [case.hierarchy(name) for name in case.quasi_identifiers]
            width = len(rules)
            rows = [
                row
                for row, whole in zip(
                    published.data.parts([*case.quasi_identifiers, *case.sensitive]), published.data.rows, strict=True
                )
                if not is_starred(published, whole)
            ]

            def fits(labels: Row, row: Row) -> bool:
                return labels[width:] == row[width:] and all(map(covers, labels[:width], row[:width], rules))

            if not truth.assignment(rows, case.parts((*case.quasi_identifiers, *case.sensitive)), fits):
                yield "untrue", "no assignment of the source's rows to the published ones"
            yield from _ends(case, groups)


def _ends(case: Case, groups: Sequence[Group]) -> Iterator[Trouble]:
    """Do ranges end on boundaries, where they are to?"""
    for d, name in enumerate(case.quasi_identifiers):
        if publish_of(case) == "generalization" or not on_boundaries(case, name):
            continue
        for label in {group.labels[d] for group in groups}:
            for end in wrong_ends(label, case.hierarchy(name), case.column(name)):
                yield "broken", f"a range of {name} begins or is over at {end}, which is no boundary: {label}"


def _bucketed_truth(case: Case, published: Folder, groups: Sequence[Group]) -> Iterator[Trouble]:
    [attribute] = case.sensitive
    people, values = case.parts(case.quasi_identifiers), case.column(attribute)
    if not groups or any(group.values[attribute].total() != group.size for group in groups):
        yield "untrue", "the two tables have different groups"
        return
    if Counter(person for group in groups for person in group.people) - Counter(people):
        yield "untrue", "somebody is published who is not in the source"
    elif case.words.get("search") == "mask":  # some values are exchanged on purpose
        if {value for group in groups for value in group.values[attribute]} - set(values):
            yield "untrue", "a value is published that nobody has"
    elif truth.bucketed(groups, attribute, people, values) is False:
        yield "untrue", "no way to give everybody a value of his group"


# --- promises --------------------------------------------------------------------------------------------------------


def broken_promises(
    case: Case, groups: Sequence[Group], kind: Callable[[Case, list[Asked]], Rules] = Rules
) -> Iterator[str]:
    """Promises that the published files break, by definition."""
    rules = kind(case, asked(case))
    whole = {name: sum((g.values[name] for g in groups), Counter[Value]()) for name in case.sensitive}
    inside: Sequence[Sequence[int]] = [()] * len(groups)
    if rules.reads_wishes:
        inside = members(case, groups, case.parts(case.quasi_identifiers))
    for group, rows in zip(groups, inside, strict=True):
        if failing := rules.broken(group.size, group.values, whole, rows):
            yield f"{failing.promise} of {failing.attribute or 'the group'}: {_shown(group)}"
            break
    for promise in rules.asked:
        match promise.word:
            case "robust":
                names = case.quasi_identifiers
                source = names, case.parts(names), case.column(promise.attribute)
                if not posteriors.robust(promise.about, groups, source, promise.attribute):
                    yield f"{promise.promise}: somebody is linked to a value by more than 1/r"
            case "ambiguity":
                yield from _ambiguity_broken(promise.about, groups, promise.attribute)
                if promise.about.get("presence") == "total":
                    yield from _added_up(number(promise.about["alpha"]), groups)
            case "presence" if case.person is None:  # else the files don't tell
                covered = [len(inside) for inside in members(case, groups, case.people or ())]
                left = len(case.rows) - sum(group.size for group in groups)
                sizes = [group.size for group in groups]
                if not presence_kept(sizes, covered, left, len(case.people or ()), delta(promise.about)):
                    yield f"{promise.promise}: {list(zip(sizes, covered, strict=True))}, {left} left out"
            case "confident_presence":
                yield from _confidence_broken(case, groups, promise.about)
        if promise.named - set(whole.get(promise.attribute, ())):
            yield f"{promise.promise}: a value that it names is not published"


def _ambiguity_broken(about: Mapping[str, Any], groups: Sequence[Group], attribute: str) -> Iterator[str]:
    for group in groups:
        if min(Fraction(group.size, prod(group.distinct)), Fraction(1)) > number(about["alpha"]):
            yield f"α = {about['alpha']}: {group.size} rows of {group.distinct} entries"
        if Fraction(max(group.values[attribute].values()), group.size) > number(about["beta"]):
            yield f"β = {about['beta']}: {_shown(group)}"


def _added_up(alpha: Fraction, groups: Sequence[Group]) -> Iterator[str]:
    """Whoever several groups list may be in any of them: for every combination that any of them lists, the sum."""
    sums: dict[tuple[Row, ...], Fraction] = {}
    for group in groups:
        for somebody in product(*group.listed):
            sums[somebody] = sums.get(somebody, Fraction(0)) + Fraction(group.size, prod(group.distinct))
    worst = max(sums.values(), default=Fraction(0))
    if min(worst, Fraction(1)) > alpha:
        yield f"α = {alpha}: over all groups together {worst}"


def _confidence_broken(case: Case, groups: Sequence[Group], about: Mapping[str, Any]) -> Iterator[str]:
    """Marginals count everybody; those outside of the table are what is left without its rows."""
    outside = {
        name: Counter(dict(about["marginals"][name])) - Counter(case.column(name)) for name in case.quasi_identifiers
    }
    size = int(about["size"]) - len(case.rows)
    if about.get("pairs"):
        yield from _confidence_by_pairs_broken(case, groups, about)
    for group in groups if not about.get("pairs") else ():
        fitting = [
            sum(n for value, n in outside[name].items() if covers(label, value, case.hierarchy(name)))
            for name, label in zip(case.quasi_identifiers, group.labels, strict=True)
        ]
        sure = posteriors.confidence(group.size, fitting, size, delta(about))
        if sure < number(about["confidence"]):
            beside = f"{group.size} rows beside {fitting} of {size}"
            yield f"confidence {about['confidence']}: {float(sure):.4f} for {beside}"


def _confidence_by_pairs_broken(case: Case, groups: Sequence[Group], about: Mapping[str, Any]) -> Iterator[str]:
    """The same where pairs are known, too. A margin can only make a release surer."""
    names = list(case.quasi_identifiers)
    alone = {name: Counter(dict(about["marginals"][name])) - Counter(case.column(name)) for name in names}
    outside = {}
    for table in about["pairs"]:
        one, other = table["columns"]
        inside = Counter(zip(case.column(one), case.column(other), strict=True))
        outside[one, other] = Counter({(a, b): n for a, b, n in table["counts"]}) - inside
    for group in groups:
        fits = {
            name: {value for value in alone[name] if covers(label, value, case.hierarchy(name))}
            for name, label in zip(names, group.labels, strict=True)
        }
        sure = pairs.confidence(about, outside, alone, fits, posteriors.room(group.size, delta(about)))
        if sure < number(about["confidence"]):
            yield f"confidence {about['confidence']} by pairs: {float(sure):.4f} for {group.size} rows"


def _shown(group: Group) -> str:
    return f"{group.size} rows, {[sorted(map(str, counts.elements())) for counts in group.values.values()]}"


# --- anonymize, verify and audit -------------------------------------------------------------------------------------


def agreement(case: Case, answer: Answer, *, kept: bool, may_stay_open: bool = False) -> Iterator[Trouble]:
    """`anonymize` published it, so everybody else must find it kept; or not judged, where something has to be given.

    `may_stay_open`: even whoever has all that is given can't know.
    """
    needs = {a.word for a in asked(case)} & {"robust", "presence", "confident_presence"}
    needs |= {"person"} if case.person else set()  # the files don't tell whose rows they are
    needs |= {"wishes"} if case.wishes else set()  # nor what they ask for
    for who, states in (("verify", answer.verified), ("audit", answer.audited)):
        for name, state in states.items():
            why = answer.why[f"{who} {name}"]
            if kept and state == BROKEN:
                yield "contradiction", f"{who} {name} says broken: {why}"
            if state == NOT_JUDGED and not needs:
                yield "contradiction", f"{who} {name} could not judge: {why}"
            # Of a promise with a confidence the audit has bounds, and says so where they don't decide.
            if name == "beside" and state == NOT_JUDGED and needs - {"confident_presence"} and not may_stay_open:
                yield "contradiction", f"{who} beside table and list could not judge: {why}"
            if not kept and state == KEPT:
                yield "contradiction", f"{who} {name} says kept"
            if name == "alone" and state == KEPT and case.wishes:
                yield "contradiction", f"{who} says kept, and can't know what was asked for"


def changed_minds(case: Case, answer: Answer, groups: Sequence[Group]) -> Iterator[Trouble]:
    """Beside a table whose rows ask for something else, the release is broken if and only if it breaks that."""
    other = case.otherwise()
    kept = not list(broken_promises(other, groups))
    broken = bool(list(broken_promises(other, groups, partial(Rules, beside_source=False))))
    for who, states in (("verify", answer.verified), ("audit", answer.audited)):
        state = states["otherwise"]
        if (kept and state != KEPT) or (broken and state != BROKEN):
            why = answer.why[f"{who} otherwise"]
            yield (
                "contradiction",
                f"{who} says {state} of a release that other wishes {'keep' if kept else 'break'}: {why}",
            )


# --- the best there is -----------------------------------------------------------------------------------------------


def figures(case: Case, groups: Sequence[Group], answer: Answer, rules: type[Rules] = Rules) -> Iterator[Trouble]:
    """The loss that is told, and whether it is the least, if that is claimed."""
    if publish_of(case) not in LABELLED:
        return
    losses = _losses(case, groups)
    loss = float(sum(losses, Fraction(0)) / max(len(losses), 1))
    if abs(loss - answer.figures["loss"]) > _CLOSE:
        yield "untrue", f"a loss of {answer.figures['loss']} is told, {loss} is lost"
    claimed = answer.figures["facts"].get("optimal")
    best = None if claimed is None else possible(case, rules)
    if best is None or not best.settling:
        return
    utility = str(case.words.get("utility", "loss"))
    sizes = tuple(group.size for group in groups)
    node = tuple((answer.figures["node"] or {}).values())
    cost = Release(node, losses, sizes, len(case.rows) - sum(sizes)).score(utility)
    least, lower = (min(release.score(utility) for release in which) for which in (best.settling, best.any))
    if claimed and cost > least + _CLOSE:
        yield "optimal", f"{utility} {cost} is called optimal, {least} is possible"
    elif claimed and cost > lower + _CLOSE and utility == "loss":
        yield MORE, f"{utility} {cost} is called optimal, {lower} is possible if more groups are left out than fail"
    elif not claimed and cost <= least + _CLOSE:
        yield MORE, f"{utility} {cost} is not called optimal, and is"


def _losses(case: Case, groups: Sequence[Group]) -> tuple[Fraction, ...]:
    """Per column the mean of (leaves − 1) / (all leaves − 1), whoever is left out counting 1, from the labels alone."""
    losses = []
    gone = len(case.rows) - sum(group.size for group in groups)
    for d, name in enumerate(case.quasi_identifiers):
        leaves = domain(case, name)
        widest = len(leaves) - 1
        width = {
            label: sum(covers(label, leaf, case.hierarchy(name)) for leaf in leaves)
            for label in {group.labels[d] for group in groups}
        }
        lost = sum(group.size * (width[group.labels[d]] - 1) for group in groups) + gone * widest
        losses.append(Fraction(lost, widest * len(case.rows)) if widest else Fraction(0))
    return tuple(losses)


def refusal(case: Case, answer: Answer, rules: type[Rules] = Rules) -> Iterator[Trouble]:
    """Was there nothing to publish? Whatever a generalization may publish, finer kinds of coarser values may, too.

    And is it said rightly: no limit that nobody set, no advice that would not help.
    """
    if "time limit" in answer.message and "time_limit" not in case.words:
        yield "refusal", f"names a time limit that was not set: {answer.message}"[:500]
    if publish_of(case) == "ambiguity" and ambiguity_possible(case):
        claimed = "no release has" in answer.message  # else a search says that it found none
        yield "refusal" if claimed else MORE, f"a grouping keeps α and β: {answer.message}"[:500]
    if publish_of(case) not in LABELLED or case.second is not None:
        return
    best = possible(case, rules)
    for kind, releases in () if best is None else (("refusal", best.settling), (MORE, best.any)):
        if releases:
            first = releases[0]
            yield kind, f"{first.choice} with {first.suppressed} rows left out was possible: {answer.message}"[:500]
            return
    if best is not None and publish_of(case) == "generalization" and "raise `suppress`" in answer.message:
        share = f"{len(case.rows) - 1}/{len(case.rows)}"
        nearly_all = possible(replace(case, words={**case.words, "suppress": share}), rules)
        if nearly_all is not None and not nearly_all.any:
            yield MORE, f"whatever is suppressed, nothing is possible: {answer.message}"[:500]
