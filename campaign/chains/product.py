"""The real thing, asked as its users ask it: a release for each month, `verify`, and `audit` of all of them."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from campaign.promises import product
from campaign.promises.case import Case
from campaign.promises.reading import write_csv

LEDGER = "ledger.json"


@dataclass(frozen=True)
class Answer(product.Answer):
    """How it ended; `months` is how many releases there are, `chain` what was said of each, in order."""

    months: int = 0
    chain: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


def source_of(folder: Path, month: int) -> Path:
    return folder / f"source{month}.csv"


def release_of(folder: Path, month: int) -> Path:
    return folder / f"release{month}"


def ledger_of(folder: Path, month: int) -> Path:
    return folder / f"release{month}.private" / LEDGER


def ask(case: Case, folder: Path) -> Answer:
    """Run a case in a folder of its own. Nothing that is raised gets out: a fault is an answer, too."""
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for month, rows in enumerate((case.rows, *case.later)):
        write_csv(source_of(folder, month), case.names, rows)
    try:
        return _published(case, folder)
    except Exception:  # noqa: BLE001  whatever is raised is what the campaign looks for
        return Answer("fault", traceback.format_exc(limit=-4))


def _published(case: Case, folder: Path) -> Answer:
    from discreet import DiscreetError, Infeasible, anonymize, apply, policy_from_words

    chain, made = list[str](), list[Path]()
    for month in range(1 + len(case.later)):
        source, target = source_of(folder, month), release_of(folder, month)
        try:
            if made:
                apply(made, source, target, seed=month)
            else:
                anonymize(policy_from_words(dict(case.words), folder), target, source=source)
        except Infeasible as error:
            return Answer("refused", str(error), months=month, chain=tuple(chain))
        except DiscreetError as error:
            ended = "mistake" if error.exit_code == 2 else "fault"
            return Answer(ended, f"{type(error).__name__}: {error}", months=month, chain=tuple(chain))
        said, why = product.verify_says(target, {"source": source, "earlier": made})
        chain.append(f"{said}: {why}" if why else said)
        made.append(target)
    other_sources = [source_of(folder, month) for month in range(len(made) - 1)]
    known = {"source": source_of(folder, len(made) - 1), "other": made[:-1], "other_source": other_sources}
    audited, why, lines, _ = product.audit_says(made[-1], known)
    return Answer(
        "released", audited={"all": audited}, why={"audit": why}, lines=lines, months=len(made), chain=tuple(chain)
    )
