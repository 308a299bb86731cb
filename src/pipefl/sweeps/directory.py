"""A sweep's folder: its definition, its runs, and who may add to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from pipefl.errors import InputFileError, MissingFileError, PipeflError
from pipefl.runs.directory import locked_folder, versions, write_whole
from pipefl.runs.overrides import first_complaint
from pipefl.runs.toml_files import read_table, without_none
from pipefl.sweeps.config import CellConfig, Point, SweepConfig
from pipefl.sweeps.search import CellSearch, further_points
from pipefl.sweeps.trial import Outcome, Trial, outcome_of

_NO_TRIAL_DEPENDS_ON = ("name", "title", "paper", "num_tuning_seeds")


@dataclass(frozen=True)
class SweepDirectory:
    """The files of one sweep.

    ==============  ==============================================================
    file            what it holds
    ==============  ==============================================================
    sweep.toml      the `SweepConfig`, versions included
    runs/           one ordinary run directory a trial, named by `Trial.name`
    ==============  ==============================================================
    """

    path: Path

    @property
    def config_path(self) -> Path:
        """The definition's file."""
        return self.path / "sweep.toml"

    @property
    def runs_path(self) -> Path:
        """The folder of the runs."""
        return self.path / "runs"

    def exists(self) -> bool:
        """Whether a sweep has been begun here."""
        return self.config_path.is_file()

    def begin(self, config: SweepConfig) -> None:
        """Write the definition; complains of another one, with the difference.

        A sweep that is here may grow: more cells, more seeds, and more or fewer of them to
        choose by leave its trials what they are.
        """
        if self.exists():
            self.refuse_other(config)
        self.runs_path.mkdir(parents=True, exist_ok=True)
        table: dict[str, Any] = without_none(config.model_dump(mode="json"))
        write_whole(self.config_path, tomli_w.dumps({**table, "versions": versions()}))

    def config(self) -> SweepConfig:
        """The definition."""
        if not self.exists():
            raise MissingFileError(f"{self.path}: there is no sweep here (no sweep.toml)")
        try:
            return SweepConfig.model_validate(read_table(self.config_path))
        except ValidationError as error:
            raise InputFileError(f"{self.config_path}: {first_complaint(error)}") from None

    def refuse_other(self, config: SweepConfig) -> None:
        """Complain of a sweep here that is not this one, or the beginning of it."""
        before = self.config()
        grown = before.model_copy(update={
            **{name: getattr(config, name) for name in _NO_TRIAL_DEPENDS_ON},
            **({"seeds": config.seeds} if _begins(config.seeds, before.seeds) else {}),
            "cells": (*before.cells, *_further_cells(config, before)),
        })  # fmt: skip
        mine, theirs = _flat(config.model_dump()), _flat(grown.model_dump())
        different = [
            f"{name} {theirs.get(name)!r} → {mine.get(name)!r}"
            for name in {**theirs, **mine}
            if mine.get(name) != theirs.get(name)
        ]
        if different:
            shown = "; ".join(different[:6]) + ("; …" if len(different) > 6 else "")
            raise PipeflError(f"{self.path} is a sweep of another configuration: {shown}")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else runs this sweep meanwhile."""
        with locked_folder(self.path):
            yield

    def run_path(self, trial: Trial) -> Path:
        """A trial's run."""
        return self.runs_path / trial.name


class CellState:
    """What is known of a cell: the points of its search, continued at the edges as need be.

    It is a function of the outcomes on disk, so that a sweep that was interrupted goes on as
    if it had not been.
    """

    def __init__(self, sweep: SweepConfig, cell: CellConfig, directory: SweepDirectory) -> None:
        self.cell = cell
        self._sweep = sweep
        self._grids = list(sweep.grids_of(cell).values())
        self._points = sweep.points_of(cell)
        self._num_extensions = 0
        self._outcomes: dict[tuple[Point, int], Outcome] = {}
        self._directory = directory
        self._read(self._points)
        self.extend()

    @property
    def search(self) -> CellSearch:
        """The search as it stands."""
        tuning = self._sweep.tuning_seeds
        further = self._sweep.seeds[len(tuning) :]
        return CellSearch(self._points, tuning, self._outcomes, further)

    def learn(self, trial: Trial) -> None:
        """Read a trial's outcome anew."""
        outcome = outcome_of(self._directory.run_path(trial))
        self._outcomes[trial.point, trial.seed] = outcome
        self.extend()

    def extend(self) -> None:
        """Continue the grid beyond its edge, as long as the best point known lies there."""
        while self._num_extensions < self._sweep.most_extensions and self._sweep.extend:
            search = self.search
            if search.wanted_tuning() or search.best is None:
                return
            further = further_points(search.best, self._grids, set(self._points))
            if not further:
                return
            self._num_extensions += 1
            self._points = [*self._points, *further]
            self._read(further)

    def _read(self, points: list[Point]) -> None:
        for point in points:
            for seed in self._sweep.seeds:
                path = self._directory.run_path(Trial(self.cell.name, point, seed))
                if path.exists():
                    self._outcomes[point, seed] = outcome_of(path)


def _begins(whole: tuple[int, ...], start: tuple[int, ...]) -> bool:
    return whole[: len(start)] == start


def _further_cells(config: SweepConfig, before: SweepConfig) -> Iterator[CellConfig]:
    names = {cell.name for cell in before.cells}
    return (cell for cell in config.cells if cell.name not in names)


def _flat(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as one, with dotted names; cells by their names."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if name == "cells":
            flat |= _flat({cell["name"]: cell for cell in value}, f"{prefix}cells.")
        elif isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat
