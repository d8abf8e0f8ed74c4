"""Where a table is, in one text: a file, or an address of an engine. Addresses never hold who may read it.

``patients.csv``, ``postgresql://db.example/clinic#ward.patients``, ``spark:clinic.patients``,
``spark:patients.parquet``
"""

from __future__ import annotations

import re
from pathlib import Path

_FILES = (".parquet", ".pq", ".csv", ".gz", ".tsv", ".txt")
_SECRET_WORD = (
    r"(?i:\w*(?:password|passwd|pwd|passphrase|token|secret|credential|(?:access|account|api)_?key)\w*|\bpass)"
)
_TOLD_SECRET = rf"(?s:{_SECRET_WORD}\s*=\s*(?:\\*['\"].*|[^&;\s#'\"]*))"
_SECRET = rf"{_SECRET_WORD}\s*=\s*(?:'(?:[^'\\]|\\.)*'|[^&;\s#]*)"


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

    When in doubt more is cut than needed: passwords may hold any sign, and an address may be of another kind than we
    read.

    >>> without_credentials("postgresql://ann:s3cret@db.example/clinic?password=x#patients")
    'postgresql://db.example/clinic#patients'
    >>> without_credentials("jdbc:oracle:thin:ann/s3cret@db.example"), without_credentials("ann:s3cret@db/clinic")
    ('jdbc:db.example', 'db/clinic')
    """
    scheme, sign, rest = address.partition("://")
    if sign:
        authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
        if "@" in authority or ":" in authority:
            rest = rest[rest.rfind("@") + 1 :]
        hosts, end, behind = re.fullmatch(r"([^/?#]*)([/?#]?)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
        rest = ",".join(map(_host, hosts.split(","))) + end + behind
        address = scheme + sign + rest
    elif re.match(r"\s*(?!spark:)\w[\w+.-]+:.*@", address, re.DOTALL):  # a colon after one letter is a drive
        kept = re.match(r"\s*jdbc:", address)
        address = (kept[0] if kept else "") + address[address.rfind("@") + 1 :]
    without = re.sub(rf"(?<=[?&;]){_SECRET}[&;]?|(?<![\w?&;]){_SECRET}\s*", "", address)
    return address if without == address else re.sub(r"[?&;]+(?=#|$)", "", without)


def _host(text: str) -> str:
    """A host and its port; if what follows the colon is no port, the host alone."""
    return text if re.fullmatch(r"\[.*\](:\d*)?|[^:]*(:\d{0,5})?", text) else text.partition(":")[0]


def without_passwords(message: str, *, blanks: bool = False) -> str:
    """A sentence without the passwords of addresses that it may quote, also of those that were taken for a path.

    With `blanks` the text is no sentence but one path, and blanks are part of it.

    >>> without_passwords("no file 'study/postgresql:/ann:s3cret@db/clinic'")
    "no file 'study/postgresql:/…@db/clinic'"
    >>> without_passwords("host=db user=ann password='it\\\\'s secret' is no table")
    'host=db user=ann …'
    """
    if "@" in message:
        inside = r"[^\n]" if blanks else r"[^\s'\"]"
        message = re.sub(rf"(\b[A-Za-z][\w+.-]+ ?:/{{1,2}}|\bjdbc:){inside}*@", r"\1…@", message)
        message = re.sub(r"[^\s'\"/:]{2,}:(?!/)[^\s'\"]*@", "…@", message)
    if ":/" in message:
        message = re.sub(r"(:/{1,2}[^\s'\"/@:#?\[]+:)(?!\d{1,5}(?!\w))[^\s'\"/?#@]+", r"\1…", message)
    return re.sub(_TOLD_SECRET, "…", message) if "=" in message else message
