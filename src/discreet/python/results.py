"""Results that show themselves: a page in a notebook, the first lines elsewhere, one object for scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from discreet.audit.audit import Audit
from discreet.files.whole import whole_files
from discreet.labels.notebook import in_frame
from discreet.releases.choices import PolicyComparison
from discreet.releases.comparison import MethodComparison
from discreet.releases.verify import Findings
from discreet.report import findings
from discreet.report.exposures import Exposure


class _Shown:
    """A result of another layer, which can show itself."""

    @classmethod
    def of(cls, found: object, **more: Any) -> Self:
        """The same result."""
        shown = object.__new__(cls)
        vars(shown).update(vars(found), **more)
        return shown

    def to_text(self) -> str:
        """As the command line tells it."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.to_text()

    __str__ = __repr__


class _Page(_Shown):
    """One that has a page, too."""

    def to_html(self) -> str:
        """A page that needs nothing from elsewhere."""
        raise NotImplementedError

    def save(self, page: Path | str) -> None:
        """Write the page to a file."""
        whole_files({Path(page): self.to_html()})

    def _repr_html_(self) -> str:
        return in_frame(self.to_html())


class AuditResult(_Page, Audit):
    """What each adversary knows now (`lines`), what is kept (`levels`, `kept`), and what is wrong (`faults`).

    In a notebook it shows its page; `save(file)` writes it, `to_json()` is for scripts.

    >>> import discreet
    >>> published = {"age": ["20-29", "20-29", "30-39", "30-39"], "disease": ["flu", "cold", "flu", "asthma"]}
    >>> attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    >>> audit = discreet.audit(published, attributes=attributes, require=[{"k_anonymity": {"k": 3}}])
    >>> audit.kept, [level.achieved for level in audit.levels]
    (False, [2.0])
    """

    def to_text(self) -> str:
        """As the command line tells it."""
        from discreet.report.pages.audit_words import to_text

        return to_text(self)

    def to_html(self) -> str:
        """The page, with charts: every adversary in one table."""
        from discreet.report.pages.audit_page import to_html

        return to_html(self)

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain dicts, lists, numbers and words."""
        from discreet.report.pages.audit_words import to_json

        return to_json(self)


class ComparisonResult(_Page, PolicyComparison):
    """What the policy delivers (`own`), and what is near it and what of it to take (`choices`).

    `costs` are what each promise would cost with every row published.

    In a notebook it shows its page; `save(file)` writes it, `to_json()` is for scripts.

    >>> import discreet
    >>> people = {"age": [23, 27, 31, 38], "disease": ["flu", "cold", "flu", "asthma"]}
    >>> attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    >>> compared = discreet.compare(people, attributes=attributes, require=[{"k_anonymity": {"k": 2}}])
    >>> compared.own.publish, compared.costs[0].promise
    ('generalization', '2-anonymity')
    """

    def to_text(self) -> str:
        """As the command line tells it."""
        from discreet.report.pages.compare_page import to_text

        return to_text(self)

    def to_html(self) -> str:
        """The page, with charts."""
        from discreet.report.pages.compare_page import to_html

        return to_html(self)

    def to_json(self) -> dict[str, Any]:
        """Everything: every node with every adversary's smallest ε."""
        from discreet.report.pages.compare_page import to_json

        return to_json(self)


class MethodsResult(_Page, MethodComparison):
    """What each method that publishes exact values apart would cost, and what it leaves open.

    In a notebook it shows its page; `save(file)` writes it, `to_json()` is for scripts.

    >>> import discreet
    >>> people = {"age": [20, 30, 40, 50], "disease": ["flu", "cold"] * 2}
    >>> attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    >>> compared = discreet.compare(people, attributes=attributes, publish="bucketization", seed=1,
    ...                             require=[{"l_diversity": {"l": 2, "kind": "frequency"}}])
    >>> isinstance(compared, discreet.MethodsResult)
    True
    """

    def to_text(self) -> str:
        """As the command line tells it."""
        from discreet.report.pages.methods_page import to_text

        return to_text(self)

    def to_html(self) -> str:
        """The page, with charts."""
        from discreet.report.pages.methods_page import to_html

        return to_html(self)

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain dicts, lists, numbers and words."""
        from discreet.report.pages.methods_page import to_json

        return to_json(self)


class VerifyResult(_Shown, Findings):
    """The verdict on every promise (`verdicts`, `kept`), and everything that does not agree with the manifest.

    `kept` is None where nothing is wrong, but something could not be judged by what was given (`not_judged`).
    `warnings` are what the promises leave open.

    >>> import discreet
    >>> people = {"age": [23, 27, 31, 38], "disease": ["flu", "cold", "flu", "asthma"]}
    >>> attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    >>> release = discreet.anonymize(people, attributes=attributes, require=[{"k_anonymity": {"k": 2}}])
    >>> print(str(discreet.verify(release)).splitlines()[0])
    Every promise is kept; what they leave open is grave.
    """

    release: str
    warnings: tuple[Exposure, ...]

    def to_text(self) -> str:
        """As the command line tells it."""
        return findings.to_text(self, self.warnings)

    def to_json(self) -> dict[str, Any]:
        """One object for scripts."""
        return findings.to_json(self.release, self, self.warnings)
