"""Three schedules of one real federation over one narrow uplink, beside what the clock says.

A SuperLink and nine SuperNodes in network namespaces share an uplink narrowed with `tc tbf`.
Needs root and iproute2; takes about half an hour. With `--write` the table goes into
docs/flower.md. The clients compute by sleeping, so that nine of them fit on one machine.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from tempfile import mkdtemp
from typing import Annotated

import typer

import deployments
import narrow_network
from measuring import machine
from pipefl.runs.directory import RunDirectory
from pipefl.runs.intervals import IntervalRecord, read_intervals

ROOT = Path(__file__).parents[1]
APP = ROOT / "benchmarks" / "uplink_app"
COMPUTE_S = (10.0, 14.0, 18.0, 26.0, 30.0, 34.0, 44.0, 50.0, 56.0)
LINK_BITS_PER_S = 300_000
MODEL_KILOBYTES = 300
UPLOAD_S = MODEL_KILOBYTES * 8_000 / LINK_BITS_PER_S
PAGE = ROOT / "docs" / "flower.md"
BEGIN, END = "<!-- narrow link: begin -->\n", "<!-- narrow link: end -->\n"

SCHEDULES: Mapping[str, str] = {
    "clustered, in slots": 'policy="clustered" discipline="slots" guard-s=6.0',
    "all at once": 'policy="uniform-kn" discipline="fifo" guard-s=0.0',
    "wait for all": 'policy="uniform" discipline="wait-all" guard-s=0.0',
}


@dataclass(frozen=True)
class Measured:
    """What came of one schedule: times in seconds, per round unless said otherwise."""

    name: str
    num_rounds: int
    num_delivered: int
    duration_s: float
    planned_s: float
    receipt_s: float
    upload_s: float

    @classmethod
    def of(cls, name: str, records: list[IntervalRecord]) -> "Measured":
        """The figures of all rounds."""
        receipts = [
            ready_s - COMPUTE_S[client]
            for record in records
            for client, ready_s in zip(record.client, record.actual.ready_s, strict=True)
            if ready_s is not None
        ]
        uploads = [
            end_s - start_s
            for record in records
            for start_s, end_s in zip(
                record.actual.upload_start_s, record.actual.upload_end_s, strict=True
            )
            if start_s is not None and end_s is not None
        ]
        return cls(
            name=name,
            num_rounds=len(records),
            num_delivered=sum(record.outcome.count("delivered") for record in records),
            duration_s=sum(record.actual.duration_s for record in records),
            planned_s=sum(record.planned.duration_s for record in records),
            receipt_s=mean(receipts),
            upload_s=mean(uploads),
        )

    def row(self, num_planned: int) -> list[str]:
        """A line of the table."""
        rounds, planned = 60 / self.duration_s, 60 / self.planned_s
        return [
            self.name,
            f"{self.num_delivered / self.num_rounds:.2f} of {num_planned / self.num_rounds:.2f}",
            f"{self.num_rounds * rounds:.2f}",
            f"{self.num_rounds * planned:.2f}",
            f"{self.num_delivered * rounds:.2f}",
            f"{num_planned * planned:.2f}",
            f"{self.planned_s / self.duration_s - 1:+.0%}",
            f"{self.receipt_s:.1f}",
            f"{self.upload_s:.1f}",
        ]


HEADS = (
    "schedule",
    "clients a round",
    "rounds/min",
    "planned",
    "clients/min",
    "planned",
    "difference",
    "message (s)",
    "upload (s)",
)


def main(
    rounds: Annotated[int, typer.Option(help="Rounds of each schedule.")] = 6,
    *,
    write: Annotated[bool, typer.Option("--write", help="Put the table into the docs.")] = False,
) -> None:
    """Measure all schedules, one after the other, on the same nodes."""
    why_not = narrow_network.why_no_namespaces()
    if why_not is not None:
        sys.exit(why_not)
    folder = Path(mkdtemp(prefix="narrow-link-"))
    print(f"logs and runs in {folder}", file=sys.stderr)
    found = _measured(folder, rounds)
    text = f"{datetime.now(UTC):%Y-%m-%d}; {machine()}\n\n{_table(found)}\n"
    print(text)
    if write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), BEGIN, END, text), "utf-8")


def written(page: str, begin: str, end: str, text: str) -> str:
    """A page with another text between two of its lines."""
    before, rest = page.split(begin)
    return f"{before}{begin}{text}{end}{rest.split(end)[1]}"


def _measured(folder: Path, rounds: int) -> list[list[str]]:
    rows = []
    network = narrow_network.network(len(COMPUTE_S), LINK_BITS_PER_S)
    with network as (hub, nodes), deployments.deployment(folder, hub) as deployment:
        deployment.superlink()
        for number, (place, compute_s) in enumerate(zip(nodes, COMPUTE_S, strict=True)):
            config = f"partition-id={number} compute-s={compute_s}"
            deployment.supernode(f"node{number}", place, None, config)
        for name, settings in SCHEDULES.items():
            run = folder / name.replace(" ", "-").replace(",", "")
            done = deployment.flwr(*_command(run, rounds, settings))
            if done.returncode:
                sys.exit(done.stdout + done.stderr)
            records = read_intervals(RunDirectory(run).intervals_path)
            num_planned = sum(len(record.client) for record in records)
            rows.append(Measured.of(name, records).row(num_planned))
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def _command(run: Path, rounds: int, settings: str) -> list[object]:
    shared = (
        f'run-dir="{run}" num-rounds={rounds} min-clients={len(COMPUTE_S)} margin=0.02 '
        f"model-kilobytes={MODEL_KILOBYTES} upload-time-s={UPLOAD_S} forgiven-s=3.0 "
        "unaccounted-s=30.0 patience-s=90.0"
    )
    command = [deployments.BIN / "python", "-m", "pipefl", "federate", APP, "test"]
    return [*command, "--run-config", f"{shared} {settings}"]


def _table(rows: list[list[str]]) -> str:
    lines = [HEADS, ["---"] * len(HEADS), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    typer.run(main)
