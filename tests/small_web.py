"""A web server on this machine that misbehaves on request."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What the server has, and what it was asked for.

    `cuts` are, for a path, the bytes after which its next answers break off. The server takes
    ranges unless `ranges` is False. After `gated[path]` bytes it sets `reached` and waits for
    `gate`.
    """

    address: str
    files: dict[str, bytes] = field(default_factory=dict)
    cuts: dict[str, list[int]] = field(default_factory=dict)
    ranges: bool = True
    gated: dict[str, int] = field(default_factory=dict)
    gate: threading.Event = field(default_factory=threading.Event)
    reached: threading.Event = field(default_factory=threading.Event)
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def has(self, path: str, content: bytes) -> str:
        """Serve this content there; returns its address."""
        self.files[path] = content
        return f"{self.address}/{path}"


@contextmanager
def small_web() -> Iterator[Site]:
    """Serve until the end of the block."""
    site = Site("")

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(404)
            self.end_headers()

        def do_GET(self) -> None:
            _answer(self, site)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as it is called
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()


def unused_address() -> str:
    """An address of this machine where nobody listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.server_close()
    return f"http://127.0.0.1:{server.server_port}"


def _answer(request: BaseHTTPRequestHandler, site: Site) -> None:
    path, wanted = request.path.lstrip("/"), request.headers["Range"]
    site.asked.append((path, wanted))
    content = site.files.get(path)
    if content is None:
        request.send_error(404)
        return
    start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and site.ranges else 0
    if start >= len(content):
        request.send_response(416)
        request.send_header("Content-Range", f"bytes */{len(content)}")
        request.end_headers()
        return
    request.send_response(206 if start else 200)
    if start:
        request.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
    request.send_header("Content-Length", str(len(content) - start))
    request.end_headers()
    cuts = site.cuts.get(path)
    end = start + cuts.pop(0) if cuts else len(content)
    gated = site.gated.get(path, end)
    request.wfile.write(content[start:gated])
    if path in site.gated:
        request.wfile.flush()
        site.reached.set()
        site.gate.wait()
    request.wfile.write(content[max(start, gated) : end])
