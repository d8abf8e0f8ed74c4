"""The policy as a file that `discreet anonymize` reads, and the command that does what the page does."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.addresses import is_address, without_credentials
from discreet.policy.proposing.draft import quoted

_HEAD = "# Written by 'discreet explore'. docs/policy.md has all the words.\n"
_NOT_SHOWN = "# private: as in the policy that was given; it is in the file, and not shown here\n"


def policy_text(words: Mapping[str, Any], source: str, *, shown: bool = False) -> str:
    """The words as YAML, which are read back as they are. What is `shown` lists no people.

    >>> print(policy_text({"attributes": {"no": {"role": "other"}}, "suppress": 0.02}, "people.csv"))
    # Written by 'discreet explore'. docs/policy.md has all the words.
    source: people.csv
    attributes:
      "no": {role: other}
    suppress: 0.02
    <BLANKLINE>
    """
    import yaml

    lines = [_HEAD, _line(yaml, {"source": source})]
    for word, value in words.items():
        if word == "attributes":
            lines.append(
                "attributes:\n" + "".join(f"  {_line(yaml, {n: said}, flow=True)}" for n, said in value.items())
            )
        elif word == "require":
            lines.append("require:\n" + "".join(f"  - {_line(yaml, entry, flow=True)}" for entry in value))
        elif word == "private" and shown:
            lines.append(_NOT_SHOWN)
        else:
            lines.append(_line(yaml, {word: value}))
    return "".join(lines)


def _line(yaml: Any, words: Mapping[str, Any], *, flow: bool = False) -> str:
    """One entry; with `flow`, what it says stands behind it."""
    if not flow:
        return str(yaml.safe_dump(dict(words), sort_keys=False, allow_unicode=True, width=10**9))
    [(name, said)] = words.items()
    value = yaml.safe_dump(said, sort_keys=False, default_flow_style=True, allow_unicode=True, width=10**9)
    return f"{quoted(name)}: {str(value).removesuffix('...' + chr(10)).strip()}\n"


def source_from(source: str, folder: Path, start: Path) -> str:
    """The source as a policy in `folder` names it, without a password; paths of the source start at `start`."""
    if is_address(source):
        return without_credentials(source)
    return os.path.relpath(start / source, folder)


def command(policy: Path, release: str, seed: int | None, replace: bool) -> str:
    """What to type for the same release.

    >>> command(Path("policy.yaml"), "my release", 7, False)
    "discreet anonymize policy.yaml -o 'my release' --seed 7"
    """
    words = ["discreet", "anonymize", str(policy), "-o", release]
    words += ["--seed", str(seed)] if seed is not None else []
    words += ["--force"] if replace else []
    return shlex.join(words)


def free_name(wanted: Path, ours: Path | None) -> Path:
    """A path that nothing is at, not even a link that leads nowhere; or that of the file that we wrote before."""
    number, path = 1, wanted
    while os.path.lexists(path) and (path != ours or path.is_symlink()):
        number += 1
        path = wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
    return path
