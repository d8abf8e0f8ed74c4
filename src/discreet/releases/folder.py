"""A release appears whole or not at all: it is made in a folder beside its target and renamed into place.

So is what the custodian keeps of it, the private folder: the two appear together. While they are written, they are
called ``.NAME.partial-TOKEN``. The moment that decides is one rename, to ``.NAME.ready-TOKEN``: whatever is killed
before leaves the old pair, and what is killed after leaves to the next run what it takes to finish.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discreet.errors import DiscreetError, Mistake
from discreet.files.locks import Held, Lock
from discreet.files.temporary import remove, remove_at_exit, undisturbed
from discreet.releases.replaceable import not_a_release, not_private, read_from

_TOKEN = re.compile("[0-9a-f]{16}")
_FORCE = "choose another folder, or say --force (in Python, replace=True)"
_BY_HAND = "choose another folder, or remove it by hand"


@dataclass(frozen=True)
class Workplace:
    """Folders to write in: what is published, and what the custodian keeps, if anything. Nobody else can look in."""

    public: Path
    private: Path | None


def check_target(
    target: Path, *, private: Path | None = None, replace: bool = False, inputs: Iterable[Path] = ()
) -> None:
    """May a release be put there? Asked before the work begins, and once more at its end.

    With `replace`, an older release may be in the way, if it is whole and nothing else is in its folder, none of the
    files that are read (`inputs`) in particular.
    """
    public, inputs = _Place(target, not_a_release), list(inputs)
    places = [public] if private is None else [public, _Place(private, not_private)]
    mistakes = [m for place in places for m in place.mistakes(replace, inputs)]
    if not replace:  # a pair that stands in the way is told once
        mistakes = mistakes[:1]
    if private is not None and _nested(public.path, places[1].path):
        rule = "lies in the folder of the release, or that one in it"
        mistakes.append(Mistake(str(private), rule, "keep what is private apart"))
    if mistakes:
        raise DiscreetError(*mistakes)


@contextmanager
def whole_folder(
    target: Path, *, private: Path | None = None, replace: bool = False, inputs: Iterable[Path] = ()
) -> Iterator[Workplace]:
    """Folders to write in, which become `target` and `private` when the block ends without an error.

    One run at a time writes to a target. What a killed run left behind is swept away at the next one, or finished, if
    everything had been written. With `replace`, an older release stays where it is until the new one is whole.
    """
    inputs = list(inputs)
    public = _Place(target, not_a_release)
    kept = None if private is None else _Place(private, not_private)
    places = [public] if kept is None else [kept, public]
    token = secrets.token_hex(8)
    with ExitStack() as last:
        for place in places:
            with _writing(place.given):
                place.path.parent.mkdir(parents=True, exist_ok=True)
                with undisturbed():  # a stop between the two would leave the lock's file behind
                    last.callback(_lock(place).let_go)
        with _writing(target):
            _recover(public, kept)
            check_target(target, private=private, replace=replace, inputs=inputs)
            for place in places:
                partial = place.named("partial", token)
                remove_at_exit(partial)
                last.callback(remove, partial)
                partial.mkdir(mode=0o700)
        yield Workplace(public.named("partial", token), None if kept is None else kept.named("partial", token))
        with _writing(target):
            _open_to_others(public.named("partial", token))
            if kept is not None:
                _close_to_others(kept.named("partial", token))
            for place in places:
                _flush_all(place.named("partial", token))
            check_target(target, private=private, replace=replace, inputs=inputs)
            with undisturbed():
                _put(public, kept, token)


@dataclass(frozen=True)
class _Place:
    """Where a folder will be, and why what is there now may not be replaced, as far as it is not one of ours."""

    given: Path
    strange: Callable[[Path], str | None]

    @cached_property
    def path(self) -> Path:
        """The same all along, wherever a link may point meanwhile."""
        return Path(os.path.realpath(self.given))

    def named(self, stage: str, token: str) -> Path:
        """The folder of one run, beside the place: partial, ready, or the old one that makes room for it."""
        return self.path.parent / f".{self.path.name}.{stage}-{token}"

    def tokens(self, stage: str) -> list[str]:
        """Runs that left a folder of this stage behind."""
        start = f".{self.path.name}.{stage}-"
        ours = (e for e in os.scandir(self.path.parent) if e.name.startswith(start) and e.is_dir(follow_symlinks=False))
        tokens = (entry.name.removeprefix(start) for entry in ours)
        return sorted(token for token in tokens if _TOKEN.fullmatch(token))

    def mistakes(self, replace: bool, inputs: Iterable[Path]) -> list[Mistake]:
        """Why nothing may be put there."""
        if not is_text(self.path):
            return [Mistake(str(self.given), "its path is no text (not UTF-8)", "choose another")]
        try:
            mode = os.lstat(self.path).st_mode
        except OSError:
            return []  # not there; or below a file, which is told when it is written
        if not replace:
            return [Mistake(str(self.given), "already exists", _FORCE)]
        if not stat.S_ISDIR(mode):
            why: str | None = "is not a release"
        else:
            why = read_from(self.path, inputs) or self.strange(self.path)
        return [Mistake(str(self.given), f"{why}, so it is not replaced", _BY_HAND)] if why else []


def is_text(path: Path) -> bool:
    """Is its name text? On Unix it may be any bytes, and engines take only text.

    >>> is_text(Path("ä")), is_text(Path("\\udcff"))
    (True, False)
    """
    return not any("\ud800" <= sign <= "\udfff" for sign in str(path))


def _put(public: _Place, private: _Place | None, token: str) -> None:
    """Both folders into place. If one of them can't be, the old ones are put back."""
    done: list[tuple[Path, Path]] = []

    def move(source: Path, target: Path) -> None:
        source.rename(target)
        done.append((source, target))

    places = [public] if private is None else [private, public]
    try:
        move(public.named("partial", token), public.named("ready", token))
        for place in reversed(places):
            if place.path.exists():
                move(place.path, place.named("old", token))
        if private is not None:
            move(private.named("partial", token), private.path)
        move(public.named("ready", token), public.path)
    except OSError:
        for source, target in reversed(done):
            target.rename(source)
        raise
    for place in places:
        _flush(place.path.parent)
        shutil.rmtree(place.named("old", token), ignore_errors=True)


def _recover(public: _Place, private: _Place | None) -> None:
    """What dead runs left: a whole release whose renames were cut short is put there, all the rest is removed.

    Nobody else is at work here, since we hold the locks.
    """
    for token in public.tokens("ready"):
        ready = public.named("ready", token)
        if public.path.exists() or not_a_release(ready):  # the old one had not made room yet
            continue
        if private is not None and private.path.exists() and not_private(private.path):
            continue
        if private is not None and private.named("partial", token).exists():
            if private.path.exists():
                private.path.rename(private.named("old", token))
            private.named("partial", token).rename(private.path)
        ready.rename(public.path)
    for place in [public] if private is None else [public, private]:
        for token in place.tokens("old"):
            if not place.path.exists():
                place.named("old", token).rename(place.path)
        for stage in ("partial", "ready", "old"):
            for token in place.tokens(stage):
                shutil.rmtree(place.named(stage, token), ignore_errors=True)


def _lock(place: _Place) -> Lock:
    try:
        return Lock(place.path.with_name(f".{place.path.name}.lock"))
    except Held as held:
        repair = "wait for it" if held.left is None else f"wait for it; if none runs, remove {held.left.name} beside it"
        raise DiscreetError(Mistake(str(place.given), "another run is writing there", repair)) from None


def _nested(a: Path, b: Path) -> bool:
    return a.is_relative_to(b) or b.is_relative_to(a)


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise DiscreetError(Mistake(str(target), f"can't be written: {why}", "choose another folder")) from None


def _open_to_others(folder: Path) -> None:
    """The modes that files and folders get here by default: what is in it will be published."""
    example = folder / ".mode"
    example.mkdir()
    mode = stat.S_IMODE(example.stat().st_mode)
    example.rmdir()
    for path in folder.rglob("*"):
        path.chmod(mode if path.is_dir() else mode & 0o666)
    folder.chmod(mode)


def _close_to_others(folder: Path) -> None:
    for path in folder.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    folder.chmod(0o700)


def _flush_all(folder: Path) -> None:
    for path in [*folder.rglob("*"), folder]:
        _flush(path)


def _flush(path: Path) -> None:
    """To disk, before the rename says it is there."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
