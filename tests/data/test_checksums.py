import bz2
import gzip
import hashlib
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipefl.data.checksums import contents_sha256, file_sha256

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=3000).map(lambda rest: b"\0" + rest))
@pytest.mark.parametrize("ending", PACKERS)
def test_the_sum_is_that_of_the_contents_however_they_are_packed(
    tmp_path: Path, content: bytes, ending: str
) -> None:
    path = tmp_path / f"file{ending}"
    path.write_bytes(PACKERS[ending](content))
    assert contents_sha256(path) == hashlib.sha256(content).hexdigest()
    assert file_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_that_a_browser_has_unpacked_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(b"not packed")
    assert contents_sha256(path) == hashlib.sha256(b"not packed").hexdigest()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(
    "damage", [lambda packed: packed[:-9], lambda packed: packed[:60] + b"?" * 60]
)
def test_what_cannot_be_unpacked_has_no_sum(
    tmp_path: Path, pack: Callable[[bytes], bytes], damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(damage(pack(bytes(range(256)) * 30)))
    assert contents_sha256(path) is None
