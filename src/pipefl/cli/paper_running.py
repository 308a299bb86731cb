"""Running the sweeps of the paper's tables from the command line."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import typer
from rich.console import Console

from pipefl.checks import count
from pipefl.cli.paper_tables import contest_table, contest_title, rounds_notes, rounds_table
from pipefl.cli.stopping import stop_after_round
from pipefl.cli.sweep_progress import sweep_progress
from pipefl.cli.tables import print_whole
from pipefl.cli.values import check_choice
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.paper_points import PAPER_NUM_CHANNELS
from pipefl.recipes.measured_points import best_points
from pipefl.recipes.tables import at_points, table_sweep, tables_of
from pipefl.sweeps.cells import UPLINK_CLUSTERS
from pipefl.sweeps.config import SweepConfig
from pipefl.sweeps.contest import entrants
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.measuring import measured
from pipefl.sweeps.sessions import SessionFile


@dataclass(frozen=True, kw_only=True)
class SweepChoices:
    """What a user may choose about a sweep; see `pipefl paper table1 --help`."""

    seeds: int | None
    tuning_seeds: int | None
    jobs: int | None
    executor: str | None
    ray_address: str | None
    quick: bool
    best: bool
    only: str | None
    for_contest: bool
    show: bool
    sweeps_dir: Path

    @property
    def num_jobs(self) -> int:
        """Trials side by side: as many as there are processors for this process."""
        return len(os.sched_getaffinity(0)) if self.jobs is None else count("--jobs", self.jobs)

    @property
    def pool(self) -> str:
        """Where trials are run; the address of a Ray cluster means Ray."""
        from pipefl.train.sweeping.pools import POOLS

        if self.executor is not None:
            check_choice("--executor", self.executor, tuple(POOLS))
        if self.executor == "processes" and self.ray_address is not None:
            accepted = "it is for --executor ray, and this is --executor processes"
            raise ArgumentError("--ray-address", self.ray_address, accepted)
        return self.executor or ("processes" if self.ray_address is None else "ray")

    def sweep(self, table: str) -> SweepConfig:
        """The definition of a table's sweep."""
        num_seeds = count("--seeds", (1 if self.best else 3) if self.seeds is None else self.seeds)
        tuning = self.tuning_seeds
        if tuning is not None:
            count("--tuning-seeds", tuning, maximum=num_seeds)
        if tuning is not None and self.best:
            raise ArgumentError("--tuning-seeds", tuning, "with --best nothing is tuned")
        sweep = table_sweep(table, num_seeds, tuning, quick=self.quick)
        return at_points(sweep, best_points(table)) if self.best else sweep

    def cells(self, sweep: SweepConfig) -> set[str]:
        """The cells to run: those whose names match `only`, and of a contest its own."""
        names = [cell.name for cell in sweep.cells]
        chosen = set(names) if self.only is None else _matching(names, self.only)
        if self.for_contest:
            each = [entrants(UPLINK_CLUSTERS, channels) for channels in PAPER_NUM_CHANNELS]
            chosen &= {entrant.cell for those in each for entrant in those}
        return chosen

    def command(self, what: str, *more: tuple[str, object]) -> str:
        """The command line that makes these choices, and `more` that its verb takes."""
        given: list[tuple[str, object]] = [
            *more,
            ("--seeds", self.seeds),
            ("--tuning-seeds", self.tuning_seeds),
            ("--jobs", self.jobs),
            ("--executor", self.executor),
            ("--ray-address", self.ray_address),
            ("--only", self.only),
            ("--sweeps-dir", None if self.sweeps_dir == Path("sweeps") else self.sweeps_dir),
        ]
        words = [str(w) for name, value in given if value is not None for w in (name, value)]
        flags = [
            flag for flag, is_set in (("--quick", self.quick), ("--best", self.best)) if is_set
        ]
        return shlex.join(["pipefl", "paper", what, *words, *flags])


def run_tables(what: str, tables: Sequence[str], choices: SweepChoices) -> None:
    """Run, or go on with, the sweeps of some tables one after the other, and print them."""
    command = choices.command(what)
    for table in [name for asked in tables for name in _here(asked, choices)]:
        sweep = choices.sweep(table)
        directory = SweepDirectory(choices.sweeps_dir / sweep.name)
        is_complete = choices.show or run_sweep_to_its_end(directory, sweep, choices, command)
        _print(directory, only=choices.cells(sweep))
        if not is_complete:
            print(f"Stopped; nothing is lost. Go on: {command}")
            raise typer.Exit(130)


def _here(table: str, choices: SweepChoices) -> tuple[str, ...]:
    """The table, or what stands in for it; a quick sweep has its data with the package."""
    if choices.quick and table != "table4":
        return (table,)
    names = tables_of(table)
    if names != (table,):
        print(
            f"{table}: federated EMNIST is not here (`pipefl data info emnist` says how to get "
            f"it); {' and '.join(names)} stand in for it"
        )
    return names


def run_sweep_to_its_end(
    directory: SweepDirectory, sweep: SweepConfig, choices: SweepChoices, command: str
) -> bool:
    """Whether the sweep, or the cells asked for, came to its end."""
    from pipefl.train.sweeping.engine import run_sweep
    from pipefl.train.sweeping.pools import pool_by_name

    only, name, jobs = choices.cells(sweep), choices.pool, choices.num_jobs
    directory.begin(sweep)
    try:
        session = SessionFile(directory.path, command, jobs)
        with stop_after_round() as stop, sweep_progress(directory, session) as progress:
            pool = pool_by_name(name, jobs, ray_address=choices.ray_address)
            try:
                return run_sweep(directory, pool, only=only, watcher=progress, stop=stop)
            finally:
                pool.close()
    except (PipeflError, OSError) as error:
        raise _with_way_on(error, directory, command) from error


def _with_way_on(error: Exception, directory: SweepDirectory, command: str) -> PipeflError:
    """The same complaint, and how to go on if something has been done already."""
    has_begun = directory.exists() and any(directory.runs_path.iterdir())
    way_on = f"; what was done is kept, go on by `{command}`" if has_begun else ""
    return PipeflError(f"{error}{way_on}")


def _matching(names: Sequence[str], patterns: str) -> set[str]:
    """The names that match one of the patterns, each of which must match one."""
    chosen: set[str] = set()
    for pattern in patterns.split(","):
        matching = [name for name in names if fnmatchcase(name, pattern.strip())]
        if not matching:
            accepted = f"no cell is named so; there are {', '.join(names)}"
            raise ArgumentError("--only", pattern, accepted)
        chosen.update(matching)
    return chosen


def _print(directory: SweepDirectory, only: set[str]) -> None:
    sweep = measured(directory)
    wanted = [cell for cell in sweep.cells if cell.name in only]
    console = Console(highlight=False)
    console.print(sweep.title, style="bold", soft_wrap=True)
    print_whole(rounds_table(sweep, wanted))
    console.print(rounds_notes(sweep), soft_wrap=True)
    console.print()
    console.print(contest_title(sweep), style="bold", soft_wrap=True)
    print_whole(contest_table(sweep))
