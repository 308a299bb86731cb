"""Downloads from web addresses: resumed, checked, one mirror after the other."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipefl.data.hosts import Hosts, reason_of
from pipefl.data.sources import Download, Say, SourceError, Watch
from pipefl.errors import PipeflError

if TYPE_CHECKING:
    from requests import HTTPError, Response

PART = ".part"
_CHUNK_BYTES = 2**14  # what breaks off in the middle of one is lost


def from_mirrors(
    download: Download, urls: tuple[str, ...], into: Path, *, hosts: Hosts, say: Say, watch: Watch
) -> Path:
    """The file from the first of these addresses that has it, under its name in this folder.

    What has arrived of an interrupted download stays beside it in a file that ends in `.part`;
    the next attempt goes on from there, at whichever mirror, since all have the same bytes.
    """
    part = into / f"{download.sha256[:12]}-{download.file_name}{PART}"
    resuming = ResumingDownloader(part, download.file_name, watch)
    hosts.ask(urls)
    failures = []
    for url in urls:
        host = urlsplit(url).netloc
        reason = hosts.against(url)
        try:
            if reason is None:
                return _retrieved(url, download, into, resuming)
        except UnreachableError as error:
            reason = str(error)
            hosts.give_up(url, reason)
        except SourceError as error:
            reason = str(error)
            say(f"{download.file_name}: {host}: {reason}")
        failures.append(f"{host}: {reason}")
    raise SourceError("; ".join(failures))


class UnreachableError(SourceError):
    """A host that no connection could be made to."""


@dataclass(frozen=True)
class ResumingDownloader:
    """What pooch calls to download a file; it goes on where `part` ends.

    A server that cannot send the rest of a file (HTTP range requests, RFC 9110) sends it
    all, and then `part` is written anew. A connection that breaks is taken up again as long as
    each attempt brings something.
    """

    part: Path
    file_name: str
    watch: Watch
    timeout_s: tuple[float, float] = (4.0, 30.0)  # to connect, and between two packets
    most_attempts: int = 20

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        """Download `url` to `output_file`."""
        import requests

        # A mirror may break the connection; a complaint that it answers with ends the attempts.
        broken = (
            requests.ConnectionError,
            requests.Timeout,
            requests.exceptions.ChunkedEncodingError,
            _CutOffError,
        )
        for attempt in range(self.most_attempts):
            before = self._num_bytes()
            try:
                self._receive(url)
            except requests.HTTPError as error:
                raise SourceError(_status(error)) from None
            except broken as error:
                if self._num_bytes() <= before or attempt == self.most_attempts - 1:
                    raise _failure(error) from None
            except requests.RequestException as error:
                raise _failure(error) from None
            else:
                self.part.replace(output_file)
                return

    def _receive(self, url: str) -> None:
        """Get what is missing, or all of it, up to where the connection ends."""
        import requests

        # A compressed transfer would count other bytes than the file's.
        headers = {"Accept-Encoding": "identity"}
        start = self._num_bytes()
        if start:
            headers["Range"] = f"bytes={start}-"
        with requests.get(url, headers=headers, stream=True, timeout=self.timeout_s) as response:
            if start and response.status_code == requests.codes.requested_range_not_satisfiable:
                if _whole_length(response) != start:  # it was never a part of this file
                    self.part.unlink()
                    self._receive(url)
                return
            response.raise_for_status()
            self._write(response, start if _goes_on_at(response, start) else 0)

    def _write(self, response: "Response", start: int) -> None:
        length = response.headers.get("Content-Length")
        total = None if length is None else start + int(length)
        done = start
        with self.part.open("ab" if start else "wb") as file:
            for chunk in response.iter_content(_CHUNK_BYTES):
                done += file.write(chunk)
                self.watch(self.file_name, done, total)
        if total is not None and done < total:
            raise _CutOffError

    def _num_bytes(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0


class _CutOffError(Exception):
    """Less came than was announced."""


def _failure(error: Exception) -> SourceError:
    import requests

    unreachable = isinstance(error, requests.exceptions.ConnectTimeout | requests.ConnectionError)
    return (UnreachableError if unreachable else SourceError)(reason_of(error))


def _status(error: "HTTPError") -> str:
    return (
        "an HTTP error" if error.response is None else f"HTTP status {error.response.status_code}"
    )


def _goes_on_at(response: "Response", start: int) -> bool:
    announced = response.headers.get("Content-Range", "")
    return response.status_code == 206 and announced.startswith(f"bytes {start}-")


def _whole_length(response: "Response") -> int | None:
    """The file's length, which comes with the refusal of a range, as in `bytes */4096`."""
    length = response.headers.get("Content-Range", "").rpartition("/")[2]
    return int(length) if length.isdigit() else None


def _retrieved(url: str, download: Download, into: Path, resuming: ResumingDownloader) -> Path:
    try:
        import pooch  # type: ignore[import-untyped]  # it comes without types
    except ImportError:
        raise PipeflError("downloads need the package pooch: pip install 'pipefl[train]'") from None
    resumed = resuming.part.exists()
    with _quiet(pooch):
        try:
            path = pooch.retrieve(
                url, download.sha256, download.file_name, into, downloader=resuming
            )
        except ValueError:  # pooch has removed the file, `part` with it
            if resumed:  # perhaps only what was there before is wrong
                return _retrieved(url, download, into, resuming)
            raise SourceError("the file there is another one, by its SHA-256") from None
    return Path(path)


@contextmanager
def _quiet(pooch: object) -> Iterator[None]:
    """Keep pooch's own lines from the terminal: `say` tells what the user needs."""
    log = pooch.get_logger()  # type: ignore[attr-defined]  # the module is untyped
    level = log.level
    log.setLevel("WARNING")
    try:
        yield
    finally:
        log.setLevel(level)
