"""Where a table of PostgreSQL is: ``postgresql://[host[:port]][/database][?service=…&sslmode=…]#[schema.]table``.

Who may read it never stands there: user and password come from the environment (PGUSER, PGPASSWORD, PGPASSFILE, …) or
from a service file, and so does everything else that the address leaves out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from discreet.engines.sql.quoting import name
from discreet.errors import DataError, Mistake

_HOST = re.compile(r"(\[[^]]*\]|[^:\[\]]*)(?::([0-9]*))?")
_NAME = r'(?:"((?:[^"]|"")+)"|([^".]+))'
_TABLE = re.compile(rf"(?:{_NAME}\.)?{_NAME}", re.DOTALL)
_KNOWN = (
    *("service", "sslmode", "sslrootcert", "sslcrl", "channel_binding", "gssencmode", "connect_timeout"),
    *("target_session_attrs", "hostaddr", "keepalives", "keepalives_idle", "tcp_user_timeout"),
)
_CREDENTIALS = "set PGUSER and PGPASSWORD, or use a password file (PGPASSFILE) or a service file (?service=…)"


@dataclass(frozen=True)
class Address:
    """What libpq is told, beside the environment; and the table, with its schema if it was named."""

    options: dict[str, str]
    schema: str | None
    table: str

    @property
    def place(self) -> str:
        """What messages call the table: as it was named, and nothing about the server."""
        return self.table if self.schema is None else f"{self.schema}.{self.table}"

    @property
    def sql(self) -> str:
        """The table in SQL."""
        return name(self.table) if self.schema is None else f"{name(self.schema)}.{name(self.table)}"


def address(url: str) -> Address:
    """Read the address of a table.

    Names are taken as they are, capitals too. A name with a dot or a quote in it stands in double quotes as in SQL, and
    as in every URL, ``%`` is written ``%25`` and any sign may be written by its number; ``@`` has to be (``%40``).

    >>> address("postgresql://db.example:5433/clinic#ward.Patients").place
    'ward.Patients'
    >>> print(address('postgresql:///#"J. ""D"" Doe"."of 20%25"').sql)
    "J. ""D"" Doe"."of 20%"
    >>> address("postgresql://ann@db.example/clinic#patients")
    Traceback (most recent call last):
      ...
    discreet.errors.DataError: source: holds a user or a password; set PGUSER and PGPASSWORD, or use a password file \
(PGPASSFILE) or a service file (?service=…)
    """
    options, fragment = _split(url)
    match = _TABLE.fullmatch(fragment)
    if match is None or "\0" in fragment:
        rule = "names no table" if not fragment else "does not name a table as schema.table"
        repair = 'write postgresql://…#schema.table; a name with a dot or a quote in it stands in quotes: "a.b"'
        raise DataError(Mistake("source", rule, repair))
    schema, table = (
        quoted.replace('""', '"') if quoted else plain for quoted, plain in (match.groups()[:2], match.groups()[2:])
    )
    return Address(options, schema, table)


def server(url: str) -> dict[str, str]:
    """What libpq is told, beside the environment, whatever table the address names, if any."""
    return _split(url)[0]


def _split(url: str) -> tuple[dict[str, str], str]:
    """Options of the connection, and what stands behind the #. Messages don't quote it: it may hold a password."""
    scheme, _, rest = url.partition(":")
    before, _, fragment = rest.partition("#")
    if scheme not in ("postgresql", "postgres"):
        raise DataError(Mistake("source", "is not an address of PostgreSQL", "write postgresql://…#schema.table"))
    try:
        parts = urlsplit(f"//{before.removeprefix('//')}")
        parameters = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        hosts = [_HOST.fullmatch(host) for host in parts.netloc.split(",")] if parts.netloc else []
    except ValueError:
        raise DataError(
            Mistake("source", "is not a well-formed address", "write postgresql://…#schema.table")
        ) from None
    private = {key for key, _ in parameters} & {"user", "password", "passfile", "sslpassword", "sslkey", "sslcert"}
    if "@" in url or private:  # anywhere: a password with /, ? or # in it moves the @ behind them
        raise DataError(Mistake("source", "holds a user or a password", _CREDENTIALS))
    strange = sorted({key for key, _ in parameters} - set(_KNOWN))
    if strange or any(host is None for host in hosts):
        rule = "has options that are not known" if strange else "does not name the server as host:port"
        repair = f"known: {', '.join(_KNOWN)}; all else comes from the environment or a service file"
        raise DataError(Mistake("source", rule, repair if strange else "write postgresql://host:port/database#table"))
    options = dict(parameters)
    named = [host.groups() for host in hosts if host is not None]
    if any(host for host, _ in named):
        options["host"] = ",".join(unquote(host).strip("[]") for host, _ in named)
    if any(port for _, port in named):
        options["port"] = ",".join(port or "" for _, port in named)
    if parts.path.strip("/"):
        options["dbname"] = unquote(parts.path.removeprefix("/"))
    return options, unquote(fragment)
