"""What a sweep varies, in one frozen record that a TOML file holds."""

from collections.abc import Mapping
from itertools import product
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pipefl.runs.config import Count, Positive, RunConfig
from pipefl.settings import Setting

Seed = Annotated[int, Field(ge=0)]
Grid = Annotated[tuple[Positive, ...], Field(min_length=1, strict=False)]
Point = tuple[float, ...]
"""One value of each tuned setting, in the order of the cell's grids."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CellConfig(_Section):
    """One cell: its name, the settings in which it differs, and grids of its own.

    A grid of the cell's own takes the place of the sweep's for that setting.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    settings: dict[str, Setting] = {}
    grids: dict[str, Grid] = {}


class SweepConfig(_Section):
    r"""Cells, for each of which settings are tuned on multiplicative grids, over seeds.

    A trial is a cell, a point of its grids and a seed: one run. Of a cell the best point is
    the one whose median over the first `num_tuning_seeds` seeds (None: over all) needs the
    fewest rounds to the target,

    .. math:: \hat\eta = \operatorname*{arg\,min}_{\eta}\;
        \operatorname*{median}_{s \in \text{tuning}} T(\eta, s)

    the smaller point where two are equal. If it lies at the edge of its grid and `extend`
    is true, the grid is continued by its own factor, until the best has neighbours on both
    sides. There the cell is run with all its seeds. Paper: sec:simulations.

    Legend: T rounds to the target, s one of `seeds`, η the tuned settings. `paper` names the
    table of the paper beside which the cells stand (see `paper_points`), if there is one.
    """

    name: str
    title: str = ""
    paper: str = ""
    base: RunConfig
    cells: Annotated[tuple[CellConfig, ...], Field(min_length=1, strict=False)]
    grids: dict[str, Grid]
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1, strict=False)]
    num_tuning_seeds: Count | None = None
    extend: bool = True
    most_extensions: Count = 4

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        names = [cell.name for cell in self.cells]
        if len(set(names)) < len(names):
            raise ValueError("two cells of the sweep have the same name")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("a seed stands twice in the sweep's seeds")
        if self.num_tuning_seeds is not None and self.num_tuning_seeds > len(self.seeds):
            text = f"num_tuning_seeds is {self.num_tuning_seeds}"
            raise ValueError(f"{text}; the sweep has {len(self.seeds)} seeds")
        if self.base.target_accuracy is None:
            raise ValueError("a sweep counts rounds to a target: base.target_accuracy is missing")
        return self

    @property
    def tuning_seeds(self) -> tuple[int, ...]:
        """The seeds by which a cell's best point is chosen."""
        return self.seeds[: self.num_tuning_seeds]

    def grids_of(self, cell: CellConfig) -> Mapping[str, Grid]:
        """The grids of a cell, by setting."""
        return {**self.grids, **cell.grids}

    def points_of(self, cell: CellConfig) -> list[Point]:
        """All points of a cell's grids, the middle of them first."""
        grids = [sorted(grid) for grid in self.grids_of(cell).values()]
        middle = [(len(grid) - 1) / 2 for grid in grids]
        places = product(*(range(len(grid)) for grid in grids))
        nearest_first = sorted(
            places, key=lambda place: sum(abs(i - m) for i, m in zip(place, middle, strict=True))
        )
        return [
            tuple(grid[i] for grid, i in zip(grids, place, strict=True)) for place in nearest_first
        ]

    def cell(self, name: str) -> CellConfig:
        """The cell of that name."""
        return next(cell for cell in self.cells if cell.name == name)
