"""A signature is made by a key that nobody else has: whatever is changed in a release, it fits no longer."""

from __future__ import annotations

import builtins
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from typer.testing import CliRunner

from discreet import DiscreetError, anonymize, apply, policy_from_words, verify
from discreet.cli.main import app
from discreet.releases.signature import PASSPHRASE
from tests.releases.making import put_manifest
from tests.releases.reading import manifest_of

TABLE = {"age": [str(20 + i % 20) for i in range(40)], "disease": ["flu", "cold", "HIV", "cold"] * 10}
WORDS: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}},
        "disease": {"role": "sensitive"},
    },
    "require": [{"k_anonymity": {"k": 3}}],
}
PEM, PKCS8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
OPEN = serialization.NoEncryption()


def write_pair(folder: Path, name: str, key: Any = None, lock: Any = OPEN) -> tuple[Path, Path]:
    """A new private key, and its public half."""
    key = key or ed25519.Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.pub"
    private.write_bytes(key.private_bytes(PEM, PKCS8, lock))
    public.write_bytes(key.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    return private, public


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_pair(tmp_path_factory.mktemp("keys"), "board")


@pytest.fixture(scope="module")
def made(keys: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return anonymize(
        policy_from_words(WORDS), tmp_path_factory.mktemp("made") / "release", source=TABLE, sign=keys[0]
    ).folder


@pytest.fixture
def release(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "release"))


def said(*arguments: Any) -> tuple[int, str]:
    ran = CliRunner().invoke(app, [*map(str, arguments)])
    if isinstance(ran.exception, DiscreetError):
        return ran.exception.exit_code, str(ran.exception)
    return ran.exit_code, ran.output


def test_a_signed_release_is_known_by_its_key(release: Path, keys: tuple[Path, Path]) -> None:
    found = verify(release, key=keys[1])
    assert found.kept
    assert found.signature.startswith("signed by the key sha256:")
    code, output = said("verify", release, "--key", keys[1])
    assert code == 0
    assert found.signature.capitalize() in output


def test_without_a_key_a_signature_is_not_believed(release: Path) -> None:
    code, output = said("verify", release)
    assert code == 0
    assert "Signed, not checked" in output
    assert json.loads(said("verify", release, "--json")[1])["signature"].startswith("signed, not checked")


def test_an_unsigned_release_says_nothing_and_fails_a_key(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    folder = anonymize(policy_from_words(WORDS), tmp_path / "release", source=TABLE).folder
    assert verify(folder).signature == ""
    assert not (folder / "manifest.sig").exists()
    code, output = said("verify", folder, "--key", keys[1])
    assert code == 1
    assert "manifest.sig: is missing: nobody signed this release" in output


def test_another_key_is_not_that_of_the_release(release: Path, tmp_path: Path) -> None:
    code, output = said("verify", release, "--key", write_pair(tmp_path, "other")[1])
    assert code == 1
    assert "is not the signature of this manifest by the key sha256:" in output


def test_whatever_is_changed_the_signature_fits_no_longer(release: Path, keys: tuple[Path, Path]) -> None:
    """A forger makes all fingerprints and the checksum right, and has no key."""
    manifest = manifest_of(release)
    manifest["created"] = "2020-01-01T00:00:00+00:00"
    put_manifest(release, manifest)
    found = verify(release, key=keys[1])
    assert [m.place for m in found.mistakes if "signature" in m.rule] == ["manifest.sig"]


@pytest.mark.parametrize("content", [b"", b"x" * 63, b"x" * 64, b"x" * 65, b"x" * 10**6])
def test_a_signature_that_is_none_is_a_mistake(release: Path, keys: tuple[Path, Path], content: bytes) -> None:
    (release / "manifest.sig").write_bytes(content)
    code, output = said("verify", release, "--key", keys[1])
    assert code == 1
    assert "manifest.sig" in output


def test_a_link_in_the_place_of_a_signature_is_refused(release: Path, keys: tuple[Path, Path]) -> None:
    (release / "manifest.sig").rename(release.parent / "elsewhere")
    (release / "manifest.sig").symlink_to(release.parent / "elsewhere")
    assert "manifest.sig: is not part of the release" in said("verify", release, "--key", keys[1])[1]


def test_openssl_says_the_same(release: Path, keys: tuple[Path, Path]) -> None:
    """Nobody needs us to check it."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here")
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(keys[1]), "-rawin"]
    command += ["-in", str(release / "manifest.json"), "-sigfile", str(release / "manifest.sig")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    (release / "manifest.json").write_bytes((release / "manifest.json").read_bytes() + b" ")
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


def test_the_command_signs_releases_and_later_rows(tmp_path: Path, keys: tuple[Path, Path]) -> None:
    private, public = keys
    (tmp_path / "policy.json").write_text(json.dumps(WORDS))
    (tmp_path / "policy.json").rename(tmp_path / "policy.yaml")
    rows = "age,disease\n" + "".join(f"{a},{d}\n" for a, d in zip(*TABLE.values(), strict=True))
    (tmp_path / "rows.csv").write_text(rows)
    policy = (tmp_path / "policy.yaml").read_text().replace("{", f'{{"source": "{tmp_path / "rows.csv"}", ', 1)
    (tmp_path / "policy.yaml").write_text(policy)
    code, output = said("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "first", "--sign", private)
    assert code == 0, output
    later = ["apply", tmp_path / "first", tmp_path / "rows.csv", "-o", tmp_path / "second", "--sign", private]
    assert said(*later, "--key", public)[0] == 0
    for folder in ("first", "second"):
        assert said("verify", tmp_path / folder, "--key", public)[0] == 0
    assert said("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "first", "--force")[0] == 0


def test_later_rows_follow_only_a_release_by_the_right_key(release: Path, tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="is not the signature of this manifest"):
        apply(release, TABLE, tmp_path / "later", key=write_pair(tmp_path, "other")[1])
    assert not (tmp_path / "later").exists()


def test_a_passphrase_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private, public = write_pair(tmp_path, "locked", lock=serialization.BestAvailableEncryption(b"open sesame"))
    policy = policy_from_words(WORDS)
    with pytest.raises(DiscreetError, match=f"needs a passphrase; put it into the variable {PASSPHRASE}"):
        anonymize(policy, tmp_path / "release", source=TABLE, sign=private)
    monkeypatch.setenv(PASSPHRASE, "close sesame")
    with pytest.raises(DiscreetError, match="its passphrase is another"):
        anonymize(policy, tmp_path / "release", source=TABLE, sign=private)
    assert not (tmp_path / "release").exists()
    monkeypatch.setenv(PASSPHRASE, "open sesame")
    anonymize(policy, tmp_path / "release", source=TABLE, sign=private)
    assert verify(tmp_path / "release", key=public).kept


def test_a_passphrase_for_a_key_that_has_none_is_told(
    keys: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSPHRASE, "open sesame")
    with pytest.raises(DiscreetError, match="needs no passphrase"):
        anonymize(policy_from_words(WORDS), tmp_path / "release", source=TABLE, sign=keys[0])


def test_keys_that_are_none_are_told_before_the_work(tmp_path: Path, release: Path, keys: tuple[Path, Path]) -> None:
    (tmp_path / "text.pem").write_text("secret words")
    curve, curve_public = write_pair(tmp_path, "curve", ec.generate_private_key(ec.SECP256R1()))
    policy = policy_from_words(WORDS)
    for sign, rule in [
        (tmp_path / "text.pem", "is no private key in PEM"),
        (keys[1], "is no private key in PEM"),
        (curve, "is not an Ed25519 key"),
        (tmp_path / "nowhere.pem", "no such file"),
        (tmp_path, "is a folder"),
    ]:
        with pytest.raises(DiscreetError, match=rule) as caught:
            anonymize(policy, tmp_path / "new", source="nowhere.csv", sign=sign)
        assert caught.value.exit_code == 2
        assert "secret" not in str(caught.value)
    for key, rule in [
        (tmp_path / "text.pem", "is no public key in PEM"),
        (keys[0], "is a private key"),
        (curve_public, "is not an Ed25519 key"),
        (tmp_path / "nowhere.pub", "no such file"),
    ]:
        with pytest.raises(DiscreetError, match=rule) as caught:
            verify(release, key=key)
        assert caught.value.exit_code == 2


def test_without_the_extra_its_name_is_told(
    release: Path, keys: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any) -> Any:
        if name.startswith("cryptography"):
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    assert verify(release).kept  # a signature that nobody asks about needs nothing
    for run in (
        lambda: verify(release, key=keys[1]),
        lambda: anonymize(policy_from_words(WORDS), tmp_path / "new", source=TABLE, sign=keys[0]),
    ):
        with pytest.raises(DiscreetError, match=r"pip install 'discreet\[signature\]'"):
            run()
