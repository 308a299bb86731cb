"""Which hosts answer, asked once and all at the same time."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from urllib.parse import urlsplit

_SILENT = "no answer"


@dataclass(frozen=True)
class Hosts:
    """What is known of hosts: None for one that answers, else why it is of no use.

    A host without a network behind it may take minutes to fail, one address and one attempt
    after the other. So hosts are first asked for anything at all, and one that says nothing
    within `patience_s` is not tried again for any file.
    """

    patience_s: float = 6.0
    reasons: dict[str, str | None] = field(default_factory=dict)

    def ask(self, urls: Iterable[str]) -> None:
        """Learn of the hosts of these addresses; takes no longer than the patience."""
        unknown = {}
        for url in urls:
            parts = urlsplit(url)
            if parts.netloc not in self.reasons:
                unknown[parts.netloc] = f"{parts.scheme}://{parts.netloc}/"
        answers: SimpleQueue[tuple[str, str | None]] = SimpleQueue()
        for host, root in unknown.items():
            # Not an executor: at the end of the program its threads would be waited for.
            Thread(
                target=_ask_host, args=(host, root, self.patience_s, answers), daemon=True
            ).start()
        deadline = monotonic() + self.patience_s
        self.reasons.update(dict.fromkeys(unknown, _SILENT))
        for _ in unknown:
            try:
                host, reason = answers.get(timeout=max(0.0, deadline - monotonic()))
            except Empty:
                return
            self.reasons[host] = reason

    def against(self, url: str) -> str | None:
        """Why this address's host is of no use, or None."""
        self.ask([url])
        return self.reasons[urlsplit(url).netloc]

    def give_up(self, url: str, reason: str) -> None:
        """Try this address's host no more."""
        self.reasons[urlsplit(url).netloc] = reason


def reason_of(error: Exception) -> str:
    """What went wrong with a connection, in a few words."""
    import requests

    if isinstance(error, requests.exceptions.Timeout):
        return _SILENT
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not trusted"
    if isinstance(error, requests.exceptions.ProxyError):
        return "it cannot be reached through the proxy"
    if isinstance(error, requests.exceptions.ConnectionError):
        return "it cannot be reached"
    return "the connection broke off"


def _ask_host(
    host: str, root: str, patience_s: float, answers: "SimpleQueue[tuple[str, str | None]]"
) -> None:
    import requests

    try:
        # Any answer will do, also that there is no such page.
        requests.head(root, timeout=patience_s, allow_redirects=False).close()
    except (requests.RequestException, OSError, ValueError) as error:
        answers.put((host, reason_of(error)))
    else:
        answers.put((host, None))
