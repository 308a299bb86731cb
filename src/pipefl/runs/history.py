"""Records as a frame, and what they say about a target."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipefl.runs.records import RoundRecord

if TYPE_CHECKING:
    import polars as pl


def history(records: Sequence[RoundRecord]) -> "pl.DataFrame":
    """One row a round: round, duration_s, clock_s, accuracy, loss and counts of clients.

    `accuracy` is null where an evaluation stopped early; then `accuracy_at_most` bounds it.
    """
    import polars as pl

    rows = [
        {
            "round": record.round,
            "duration_s": record.duration_s,
            "clock_s": record.clock_s,
            "accuracy": record.accuracy,
            "accuracy_at_most": record.accuracy_at_most,
            "loss": record.loss,
            "num_delivered": len(record.client),
            "num_missed": len(record.missed),
            "num_refused": len(record.refused),
            "num_judged": record.num_judged,
        }
        for record in records
    ]
    kinds = {
        name: pl.Int64 if name == "round" or name.startswith("num_") else pl.Float64
        for name in _COLUMNS
    }
    return pl.DataFrame(rows, schema=kinds)


_COLUMNS = (
    "round",
    "duration_s",
    "clock_s",
    "accuracy",
    "accuracy_at_most",
    "loss",
    "num_delivered",
    "num_missed",
    "num_refused",
    "num_judged",
)


def first_at_target(records: Sequence[RoundRecord], target_accuracy: float) -> RoundRecord | None:
    """The first round after which the test accuracy was at least the target."""
    for record in records:
        if record.accuracy is not None and record.accuracy >= target_accuracy:
            return record
    return None
