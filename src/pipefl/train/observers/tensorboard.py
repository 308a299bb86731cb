"""Rounds as TensorBoard's scalars."""

from pathlib import Path
from typing import Any

from pipefl.errors import PipeflError
from pipefl.runs.config import RunConfig
from pipefl.runs.records import RoundRecord
from pipefl.train.result import RunResult


class TensorBoard:
    """An observer that writes event files below `folder`, in a folder of the run's name.

    Every scalar has the round for its step, and is on disk when its round is. Of a resumed
    run the scalars of rounds that are done again are purged.
    """

    def __init__(self, folder: str | Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise PipeflError(
                "TensorBoard needs the package tensorboard: pip install 'pipefl[tensorboard]'"
            ) from None
        self._folder = Path(folder)
        self._kind: Any = SummaryWriter
        self._writer: Any = None

    def began(self, config: RunConfig, path: Path, num_done: int) -> None:
        """Open the event file."""
        place = str(self._folder / config.name)
        self._writer = self._kind(place, purge_step=num_done + 1 if num_done else None)

    def after_round(self, record: RoundRecord) -> None:
        """One value of each scalar."""
        for name, value in scalars(record).items():
            self._writer.add_scalar(name, value, record.round)
        self._writer.flush()

    def ended(self, result: RunResult) -> None:
        """Flush and close."""
        self._writer.close()


def scalars(record: RoundRecord) -> dict[str, float]:
    """What there is to plot of a round, by the names of `history`'s columns.

    Where an evaluation stopped early there is no accuracy, but a bound on it.
    """
    values = {
        "duration_s": record.duration_s,
        "clock_s": record.clock_s,
        "accuracy": record.accuracy,
        "accuracy_at_most": record.accuracy_at_most,
        "loss": record.loss,
        "num_delivered": float(len(record.client)),
        "num_missed": float(len(record.missed)),
        "num_refused": float(len(record.refused)),
    }
    return {name: value for name, value in values.items() if value is not None}
