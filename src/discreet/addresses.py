"""Where a table is, in one text: a file, or an address of an engine. Addresses never hold who may read it.

``patients.csv``, ``postgresql://db.example/clinic#ward.patients``, ``spark:clinic.patients``,
``spark:patients.parquet``
"""

from __future__ import annotations

import re
from pathlib import Path

_FILES = (".parquet", ".pq", ".csv", ".gz", ".tsv", ".txt")


def is_address(text: str) -> bool:
    """Is it the address of an engine, not a file?

    >>> [is_address(a) for a in ("postgresql://#people", "spark:people", "people.csv", "C:/people.csv")]
    [True, True, False, False]
    """
    return bool(re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://|spark:|postgresql:|postgres:", text))


def located(folder: Path, text: str | Path) -> str | Path:
    """What a policy in a folder means: files are relative to it, addresses stand for themselves.

    >>> str(located(Path("study"), "people.csv")), located(Path("study"), "postgresql://#people")
    ('study/people.csv', 'postgresql://#people')
    >>> located(Path("study"), "spark:people.parquet"), located(Path("study"), "spark:clinic.people")
    ('spark:study/people.parquet', 'spark:clinic.people')
    """
    if isinstance(text, Path) or not is_address(text):
        return folder / text
    engine, _, file = text.partition(":")
    if engine == "spark" and file.endswith(_FILES) and "://" not in file and not Path(file).is_absolute():
        return f"spark:{folder / file}"
    return text


def public(text: str) -> str:
    """What a manifest may say of it: the table's name, not the server or the folder that it is in.

    >>> public("postgresql://db.example:5432/clinic?service=x#ward.patients"), public("study/people.csv")
    ('postgresql://#ward.patients', 'people.csv')
    >>> public("postgresql:db.example/clinic#ward.patients")
    'postgresql://#ward.patients'
    >>> public("spark:study/people.parquet"), public("spark:clinic.people")
    ('spark:people.parquet', 'spark:clinic.people')
    """
    if not is_address(text):
        return Path(text).name
    scheme, _, rest = text.partition(":")
    return f"spark:{Path(rest).name}" if scheme == "spark" else f"{scheme}://#{rest.partition('#')[2]}"


def without_credentials(address: str) -> str:
    """An address without user and password, fit for manifests, reports and logs.

    When in doubt more is cut than needed: passwords may hold any sign.

    >>> without_credentials("postgresql://ann:s3cret@db.example/clinic?password=x#patients")
    'postgresql://db.example/clinic#patients'
    """
    scheme, sign, rest = address.partition("://")
    if sign:
        authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
        if "@" in authority or ":" in authority:
            rest = rest[rest.rfind("@") + 1 :]
        address = scheme + sign + rest
    secret = r"(?i:\w*(?:password|passwd|pwd|passphrase|token|secret|access_?key)\w*)\s*=\s*(?:'[^']*'|[^&;\s#]*)"
    without = re.sub(rf"(?<=[?&;]){secret}[&;]?|(?<![\w?&;]){secret}\s*", "", address)
    return address if without == address else re.sub(r"[?&;]+(?=#|$)", "", without)
