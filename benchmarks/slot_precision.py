"""How precisely clients of a real federation keep their slots.

A SuperLink and eight SuperNodes on loopback, all of them in every round, two in each of four
slots. Takes about five minutes. With `--write` the line goes into docs/flower.md.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated

import numpy as np
import typer

import deployments
from measuring import machine
from narrow_link import APP, PAGE, written
from narrow_network import Place
from pipefl.runs.directory import RunDirectory
from pipefl.runs.intervals import IntervalRecord, read_intervals

COMPUTE_S = (0.5, 0.8, 1.1, 1.4, 1.7, 2.0, 2.3, 2.6)
SETTINGS = (
    "num-channels=2 num-clusters=4 upload-time-s=0.5 guard-s=0.2 forgiven-s=2.0 margin=0.1 "
    "unaccounted-s=30.0 patience-s=60.0"
)
BEGIN, END = "<!-- slot precision: begin -->\n", "<!-- slot precision: end -->\n"


def main(
    rounds: Annotated[int, typer.Option(help="Rounds of eight clients.")] = 30,
    *,
    write: Annotated[bool, typer.Option("--write", help="Put the line into the docs.")] = False,
) -> None:
    """Measure how late uploads begin that were ready before their slot."""
    folder = Path(mkdtemp(prefix="slot-precision-"))
    print(f"logs and runs in {folder}", file=sys.stderr)
    records = _run(folder, rounds)
    late_s = np.array(list(_lateness_s(records)))
    median, most = np.quantile(late_s, [0.5, 0.99], method="higher") * 1e3
    text = (
        f"{datetime.now(UTC):%Y-%m-%d}; {machine()}. Of {late_s.size} uploads that were ready "
        f"before their slot, the median began {median:.2f} ms after it, the 99th percentile "
        f"{most:.2f} ms, the last {late_s.max() * 1e3:.2f} ms (goal for the 99th: 20 ms).\n"
    )
    print(text)
    if write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), BEGIN, END, text), "utf-8")


def _run(folder: Path, rounds: int) -> list[IntervalRecord]:
    run = folder / "run"
    settings = f'run-dir="{run}" num-rounds={rounds} min-clients={len(COMPUTE_S)} {SETTINGS}'
    with deployments.deployment(folder) as deployment:
        deployment.superlink()
        for number, compute_s in enumerate(COMPUTE_S):
            config = f"partition-id={number} compute-s={compute_s}"
            deployment.supernode(f"node{number}", Place(), None, config)
        command = [deployments.BIN / "python", "-m", "pipefl", "federate", APP, "test"]
        done = deployment.flwr(*command, "--run-config", settings)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return read_intervals(RunDirectory(run).intervals_path)


def _lateness_s(records: list[IntervalRecord]) -> Iterator[float]:
    """How late they were who waited for their slot."""
    for record in records:
        actual = record.actual
        times = zip(actual.ready_s, actual.upload_start_s, record.lateness_s, strict=True)
        for ready_s, start_s, late_s in times:
            if ready_s is None or start_s is None or late_s is None:
                continue
            if ready_s < start_s - late_s:
                yield late_s


if __name__ == "__main__":
    typer.run(main)
