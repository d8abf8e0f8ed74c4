"""Judges a run by people: what the files and the source, which names whose row it is, say of every promise.

Troubles are those of `campaign.promises`, and `leak`: somebody's name is published. What she can't settle (too many
rows that look alike) is `more`, with what a search did not find though it was there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from campaign.people import apart
from campaign.people.audited import audited
from campaign.people.product import Answer
from campaign.people.rules import PeopleRules
from campaign.people.standing import Alike, Standing, by_labels, by_word, settle
from campaign.promises import outsider
from campaign.promises.audited import MORE, Trouble, members
from campaign.promises.case import Case
from campaign.promises.outsider import LABELLED, publish_of
from campaign.promises.product import NOT_JUDGED, RELEASE
from campaign.promises.reading import Folder, Group, read_folder
from campaign.promises.rules import asked, delta, presence_kept

KINDS = ("fault", "hang", "broken", "untrue", "leak", "optimal", "refusal", "contradiction", "audit")


def judge(case: Case, answer: Answer, folder: Path) -> list[Trouble]:
    """Everything that is wrong with how a run ended."""
    if answer.ended in ("fault", "mistake"):
        return outsider.judge(case, answer, folder)
    if answer.ended == "refused":
        labelled = publish_of(case) in LABELLED
        return list(outsider.refusal(case, answer, PeopleRules) if labelled else apart.refusal(case, answer))
    published = read_folder(folder / RELEASE)
    groups = outsider.groups_of(case, published)
    troubles = [*outsider.counted(case, published, groups), *outsider.truth_of(case, published, groups)]
    by_rows = [("broken", why) for why in outsider.broken_promises(case, groups, PeopleRules)]
    plain = by_labels(case, published, groups) if publish_of(case) in LABELLED else None
    # Where labels overlap, or rows that look alike are partly left out, nobody else can know whose rows stand where.
    is_plain = plain is not None and all(len(a.groups) == 1 for a in plain)
    decided = is_plain or (publish_of(case) == "bucketization" and apart.is_plain(case))
    by_people = list(_by_people(case, published, groups, answer, plain))
    kept = not by_rows and not any(kind == "broken" for kind, _ in by_people)
    troubles += by_rows + by_people
    # The files alone don't tell whose rows they are.
    troubles += outsider.agreement(case, answer.where("alone"), kept=not by_rows)
    troubles += outsider.agreement(case, answer.where("beside"), kept=kept, may_stay_open=not decided)
    # ... but for the custodian, whose folder lies beside the release.
    if answer.verified["beside"] == NOT_JUDGED:
        troubles.append(("contradiction", f"verify could not judge by the custodian's folder: {answer.why}"[:500]))
    troubles += outsider.figures(case, groups, answer, PeopleRules)
    if plain is not None and is_plain:
        troubles += audited(PeopleRules(case, asked(case)), plain, len(groups), answer)
    return [*troubles, *_leaks(case, folder / RELEASE)]


def _by_people(
    case: Case, published: Folder, groups: Sequence[Group], answer: Answer, alike: list[Alike] | None
) -> Iterator[Trouble]:
    """Promises that the release breaks in people; `alike` is where rows stand by the labels."""
    rules = PeopleRules(case, asked(case))
    labelled = publish_of(case) in LABELLED
    if answer.said is not None and (alike is None or any(len(a.groups) > 1 for a in alike)):
        alike = by_word(case, published, groups, answer.said)
    if alike is None:
        yield "untrue", "rows can't stand in the groups as they are published, or as the release says they do"
        return
    judged = partial(_of_labelled, rules, groups) if labelled else apart.Judge(rules, groups).troubles
    wrong = settle(alike, rules.owners, len(groups), judged)
    if wrong is None:
        yield MORE, "too many rows look alike to say whose are where"
    for why in wrong or ():
        yield "broken", why


def _of_labelled(rules: PeopleRules, groups: Sequence[Group], standing: Standing) -> list[str]:
    """A line for every group that breaks a promise."""
    wrong = [
        f"{promise.promise}: {inside} of {covered} people, {left_out} left out"
        for promise in rules.asked
        if promise.word == "presence"
        for inside, covered, left_out in [_present(rules, groups, standing)]
        if not presence_kept(inside, covered, left_out, len(rules.listed), delta(promise.about))
    ]
    for places in standing:
        promise = rules.broken_by_people(places)
        if promise is not None:
            rows = sorted(rules.of_people(places, promise.attribute), key=str)
            wrong.append(f"{promise.promise} of {promise.attribute or 'the group'} in people: {rows}"[:400])
    return wrong


def _present(rules: PeopleRules, groups: Sequence[Group], standing: Standing) -> tuple[list[int], list[int], int]:
    """How many people of the table are in each group, how many of the list have its labels, and who is in none."""
    covered = [len(inside) for inside in members(rules.case, groups, rules.listed)]
    published = {at for places in standing for at in places}
    gone = [at for at in range(len(rules.case.rows)) if at not in published]
    return [rules.people_in(places) for places in standing], covered, rules.people_in(gone)


def _leaks(case: Case, release: Path) -> Iterator[Trouble]:
    """No published file may have a name, be it in its middle."""
    assert case.person is not None
    names = {name for name in case.column(case.person) if name}
    for path in sorted(release.iterdir()):
        text = path.read_bytes()
        if any(name.encode() in text for name in names):
            yield "leak", f"{path.name} has the name of somebody"
