"""How far a sweep's trials are, wherever they are run."""


class Mailbox:
    """An actor on the asker's node: trials tell it how far they are, and hear whether to stop."""

    def __init__(self) -> None:
        self._done: dict[str, int] = {}
        self._stop = False

    def tell(self, trial: str, done: int) -> bool:
        """A trial has done so many rounds; whether it shall stop."""
        self._done[trial] = done
        return self._stop

    def news(self) -> dict[str, int]:
        """Rounds done by the trials that have said something since."""
        news, self._done = self._done, {}
        return news

    def stop(self) -> None:
        """Tell all trials to stop."""
        self._stop = True
