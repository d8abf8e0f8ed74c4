"""Signatures of releases: who vouches for a manifest, and so for every file that it lists.

A checksum has no key, so whoever changes a release can make it right again; a signature only its key can make. It is
Ed25519 (RFC 8032) over the bytes of ``manifest.json``, kept beside it as ``manifest.sig``, 64 bytes, and can be checked
without us::

    openssl pkeyutl -verify -pubin -inkey board.pub -rawin -in manifest.json -sigfile manifest.sig
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.errors import DataError, Mistake, Unavailable
from discreet.files.small_files import read_small_bytes
from discreet.releases.contents import MANIFEST, SIGNATURE

PASSPHRASE = "DISCREET_KEY_PASSPHRASE"  # the variable that holds it, for keys that need one
_LARGEST_KEY = 20_000
_LARGEST_MANIFEST = 64 << 20
_LENGTH = 64  # bytes of a signature
_MAKE = "make one: openssl genpkey -algorithm ed25519 -out board.pem"
_PUBLIC = "openssl pkey -in board.pem -pubout -out board.pub"


@dataclass(frozen=True)
class Signer:
    """A private key, ready to sign; what it is never shows."""

    _sign: Callable[[bytes], bytes] = field(repr=False)
    key: str  # the fingerprint of its public half

    def sign(self, folder: Path) -> None:
        """Put the signature beside the manifest of a release."""
        (folder / SIGNATURE).write_bytes(self._sign((folder / MANIFEST).read_bytes()))


def read_signer(path: Path | str) -> Signer:
    """The Ed25519 private key of a PEM file; one with a passphrase takes it from the environment."""
    place = str(path)
    load, kinds, errors = _cryptography(place)
    data = read_small_bytes(path, place, _LARGEST_KEY)
    passphrase = os.environ.get(PASSPHRASE)
    try:
        key = load.load_pem_private_key(data, None if passphrase is None else passphrase.encode())
    except TypeError:
        if passphrase is None:
            raise DataError(Mistake(place, "needs a passphrase", f"put it into the variable {PASSPHRASE}")) from None
        rule = f"needs no passphrase, and the variable {PASSPHRASE} has one"
        raise DataError(Mistake(place, rule, "unset it, so that no wrong key is used unnoticed")) from None
    except (ValueError, errors.UnsupportedAlgorithm):
        rule = "is no private key in PEM, or its passphrase is another"
        raise DataError(Mistake(place, rule, _MAKE)) from None
    if not isinstance(key, kinds.Ed25519PrivateKey):
        raise DataError(Mistake(place, "is not an Ed25519 key", _MAKE))
    return Signer(key.sign, _fingerprint(key.public_key(), load))


def check_signature(folder: Path, key: Path | str | None) -> tuple[str, list[Mistake]]:
    """What can be said of a release's signature, and what is wrong with it; `key` is the public one it must be by."""
    if key is None:
        return ("signed, not checked: say by whose --key" if (folder / SIGNATURE).is_file() else ""), []
    public, fingerprint, wrong = _read_public(key)
    if not (folder / SIGNATURE).is_file():
        return "", [Mistake(SIGNATURE, "is missing: nobody signed this release", "ask for one that is signed")]
    try:
        signature = read_small_bytes(folder / SIGNATURE, SIGNATURE, _LENGTH)
        public.verify(signature, read_small_bytes(folder / MANIFEST, MANIFEST, _LARGEST_MANIFEST))
    except Unavailable:
        raise
    except DataError as error:
        return "", list(error.mistakes)
    except wrong:
        rule = f"is not the signature of this manifest by the key {fingerprint}"
        return "", [Mistake(SIGNATURE, rule, "the release was changed, or somebody else signed it")]
    return f"signed by the key {fingerprint}", []


def _read_public(path: Path | str) -> tuple[Any, str, type[Exception]]:
    """The Ed25519 public key of a PEM file, its fingerprint, and what it raises if a signature is not its own."""
    place = str(path)
    load, kinds, errors = _cryptography(place)
    data = read_small_bytes(path, place, _LARGEST_KEY)
    if b"PRIVATE KEY" in data:
        raise DataError(Mistake(place, "is a private key", f"keep it, and give the public one: {_PUBLIC}"))
    try:
        key = load.load_pem_public_key(data)
    except (ValueError, errors.UnsupportedAlgorithm):
        raise DataError(Mistake(place, "is no public key in PEM", _PUBLIC)) from None
    if not isinstance(key, kinds.Ed25519PublicKey):
        raise DataError(Mistake(place, "is not an Ed25519 key", _MAKE))
    return key, _fingerprint(key, load), errors.InvalidSignature


def _fingerprint(public: Any, load: Any) -> str:
    """As ``openssl pkey -pubin -in board.pub -outform DER | sha256sum`` tells it."""
    told = public.public_bytes(load.Encoding.DER, load.PublicFormat.SubjectPublicKeyInfo)
    return f"sha256:{hashlib.sha256(told).hexdigest()}"


def _cryptography(place: str) -> tuple[Any, Any, Any]:
    """What reads keys, the kinds of them, and the errors; loaded when it is asked for, since it may not be there."""
    try:
        from cryptography import exceptions
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        rule = "signatures need the package cryptography, which is not installed"
        raise DataError(Mistake(place, rule, "pip install 'discreet[signature]'")) from None
    return serialization, ed25519, exceptions
