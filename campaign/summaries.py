"""Saved summaries: zip files of arrays with a header in JSON, changed in every layer."""

from __future__ import annotations

import io
import json
import os
import pickle
import shutil
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaign.garden import SUMMARIES, Garden
from campaign.inputs import Input
from campaign.mutations import NUMBERS, change, places, spoil_bytes, strange_files
from campaign.planted import CREATED
from campaign.policies import OUTPUT, VERIFY

_ZEROS = 1_200_000_000  # bytes that a bomb grows to: above what a command may take


class _Program:
    """Unpickled, it makes a file."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (CREATED,)


def summaries(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """One summary of every kind, spoilt."""
    garden.copy("summary", here)
    strange_files(here)
    kind = SUMMARIES[number % len(SUMMARIES)]
    path = here / "summary.npz"
    path.unlink()
    shutil.copy(here / f"{kind}.npz", path)
    what = random.choice(
        ("bytes", "header", "header", "header", "arrays", "arrays", "shape", "names", "program", "bomb", "pipe",
        "endless", "folder",
         "text", "zip")
    )  # fmt: skip
    _spoil(random, path, what, garden)
    argv = ("anonymize", "policy.yaml", "-o", OUTPUT)
    return Input("summaries", f"{kind}: {what}", argv, after=(VERIFY,), release=OUTPUT)


def _spoil(random: Random, path: Path, what: str, garden: Garden) -> None:
    data = path.read_bytes()
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    name = random.choice([n for n in arrays if n != "header"])
    match what:
        case "bytes":
            path.write_bytes(spoil_bytes(random, data))
        case "header":
            words = json.loads(arrays["header"].tobytes())
            words, _ = change(random, words, random.choice(places(words)))
            arrays["header"] = np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)
            np.savez_compressed(path, **arrays)
        case "arrays":
            arrays[name] = _other(random, arrays[name])
            np.savez_compressed(path, allow_pickle=True, **arrays)
        case "names":
            new = random.choice(("header", "x", "counts0", "counts", "codes99", "../x", ""))
            arrays = {(new if n == name else n): a for n, a in arrays.items()}
            _zip(path, {n: _npy(a) for n, a in arrays.items()})
        case "shape":
            members = {n: _npy(a) for n, a in arrays.items()}
            old = members[name]
            shape = random.choice((b"(99999999999,)", b"(-1,)", b"(9,9,9,9,9,9,)", b"()", b"(1e9,)"))
            start = old.index(b"(")
            members[name] = (
                old[:start] + shape.ljust(old.index(b")") + 1 - start)[: len(old)] + old[old.index(b")") + 1 :]
            )
            _zip(path, members)
        case "program":
            header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(117) + b"\n"
            member = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + pickle.dumps(_Program())
            _zip(path, {n: _npy(a) for n, a in arrays.items()} | {random.choice((name, "header")): member})
        case "bomb":
            shutil.copy(garden.bomb(), path)
        case "zip":
            _zip(path, {f"m{i}": b"x" for i in range(random.choice((0, 1, 30_000)))})
        case "text":
            path.write_bytes(
                random.choice(
                    (b"", b"PK\x03\x04", b"\x93NUMPY", pickle.dumps(_Program()), b"a,b\n", b"PK\x05\x06" + b"\0" * 18)
                )
            )
        case _:
            path.unlink()
            {"pipe": os.mkfifo, "folder": os.mkdir, "endless": lambda p: p.symlink_to("/dev/zero")}[what](path)


def _other(random: Random, array: Any) -> Any:
    """The same array, but wrong."""
    with np.errstate(all="ignore"):
        changes = (
            lambda: array[:-1], lambda: array[:0], lambda: -array.astype(np.int64) - 1,
            lambda: array.astype(np.float64) * np.nan,
            lambda: array.astype(np.float64) + 0.5, lambda: array.astype(np.int64) + 2**62, lambda: array.astype(str),
            lambda: array[None], lambda: np.array(random.choice(NUMBERS), dtype=object),
            lambda: np.concatenate([array.ravel()] * 9),
            lambda: array.astype(np.uint64) + np.uint64(2**63), lambda: array.astype(np.int8),
            lambda: array.astype(complex),
            lambda: np.zeros(3, dtype="datetime64[s]"), lambda: np.zeros(array.shape, dtype=[("a", int)]),
            lambda: array.T,
            lambda: np.zeros_like(array), lambda: array.astype(np.int64) * 10**12, lambda: array.astype(bool),
        )  # fmt: skip
        return random.choice(changes)()


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _zip(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), data, zipfile.ZIP_DEFLATED)


def write_bomb(path: Path) -> None:
    """A summary whose array is all zeros: a megabyte that grows to more than a gigabyte."""
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({_ZEROS // 8},), }}".encode().ljust(117) + b"\n"
    start = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    block = bytes(1 << 20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        words = json.dumps({"format": "discreet summary", "version": 1, "kind": "exact", "rows": 90}).encode()
        file.writestr("header.npy", _npy(np.frombuffer(words, dtype=np.uint8)))
        with file.open("counts.npy", "w", force_zip64=True) as member:
            member.write(start)
            for _ in range(_ZEROS // len(block) + 1):
                member.write(block)
