"""Whether products in bfloat16 cost rounds: the LSTM to a modest target, seed by seed.

`python benchmarks/precision.py` takes some minutes. Runs are kept in a folder, and a second
call goes on where the first one was stopped.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

import pipefl
from measuring import columns, machine, progress
from pipefl.recipes.catalogue import recipe_config
from pipefl.runs.config import RunConfig
from pipefl.runs.overrides import with_overrides

RECIPE, TARGET = "shakespeare-lstm-k4-n2", 0.3
PRECISIONS = ("fp32", "bf16")


def config_of(precision: str, seed: int) -> RunConfig:
    """The paper's LSTM with ten sequences a step, eight clients a round."""
    return with_overrides(
        recipe_config(RECIPE),
        {
            "name": f"lstm-{precision}-seed-{seed}",
            "precision": precision,
            "seed": seed,
            "target_accuracy": TARGET,
            "max_rounds": 300,
            "executor": "processes",
            "workers": 2,
        },
    )


def rounds_to_target(precision: str, seed: int, runs_dir: Path) -> int | None:
    """Of a run, which is gone on with if it is there."""
    progress(f"{precision}, seed {seed}")
    result = pipefl.run(config_of(precision, seed), runs_dir=runs_dir, resume=True)
    return result.rounds_to_target


def main(
    seeds: Annotated[int, typer.Option(help="Seeds 0, 1, … for each precision.")] = 3,
    runs_dir: Annotated[Path, typer.Option(help="Where runs are kept.")] = Path("runs/precision"),
) -> None:
    """Run what has not been run, and print the table."""
    found = {
        precision: [rounds_to_target(precision, seed, runs_dir) for seed in range(seeds)]
        for precision in PRECISIONS
    }
    progress("")
    head = ["rounds to target", *(f"seed {seed}" for seed in range(seeds)), "range"]
    rows = [
        [precision, *(str(each or "not reached") for each in rounds), _range(rounds)]
        for precision, rounds in found.items()
    ]
    print(f"{datetime.now(tz=UTC):%Y-%m-%d}; {machine('torch')}")
    print(f"{RECIPE} to {TARGET:.0%}\n")
    print(columns([head, *rows]))


def _range(rounds: list[int | None]) -> str:
    reached = [each for each in rounds if each is not None]
    return f"{min(reached)} … {max(reached)}" if reached else ""


if __name__ == "__main__":
    typer.run(main)
