"""A folder of small runs in all states, and a small sweep, made once for all tests."""

from pathlib import Path

from pipefl.runs.config import RunConfig
from pipefl.sweeps.config import CellConfig, SweepConfig
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.trial import Trial, trial_config
from pipefl.train.run_config import run_config
from small_runs import small

SLOTS: dict[str, object] = {"policy": "clustered", "discipline": "slots"}
ROLLING: dict[str, object] = {
    "policy": "rolling", "weighting": "unbiased", "evaluate_every": 4, "max_rounds": 40,
}  # fmt: skip
CARRY: dict[str, object] = {
    **SLOTS, "missed": "carry", "devices": {"jitter": 0.3}, "server_time_s": 0.5, "max_rounds": 8,
}  # fmt: skip


def make_runs(folder: Path) -> None:
    """Five runs: judged in full, to a target, without rounds, with missed slots, and unfinished."""
    _run(small(name="full", **SLOTS, evaluation="full", target_accuracy=None), folder)
    _run(small(name="target", policy="uniform", target_accuracy=0.4, max_rounds=60), folder)
    _run(small(name="rolling", **ROLLING), folder)
    _run(small(name="carry", **CARRY), folder)
    _run(small(name="unfinished", **SLOTS, max_rounds=50), folder, rounds=3)


def make_sweep(folder: Path) -> None:
    """Two cells at one rate over two seeds, one of which has no more than begun."""
    directory = SweepDirectory(folder)
    sweep = SweepConfig(
        name="small",
        title="A small sweep",
        base=small(target_accuracy=0.7, max_rounds=60),
        cells=(
            CellConfig(name="k1-n2", settings={"policy": "uniform", "num_clusters": 1}),
            CellConfig(name="k3-n2", settings={**SLOTS, "num_clusters": 3}),  # type: ignore[dict-item]  # texts
        ),
        grids={"learning_rate": (0.1, 0.2)},
        seeds=(0, 1),
        extend=False,
    )
    directory.begin(sweep)
    for cell in sweep.cells:
        for seed in sweep.seeds:
            trial = Trial(cell.name, (0.1,), seed)
            _run(trial_config(sweep, cell, trial), directory.runs_path)
    trial = Trial("k1-n2", (0.2,), 0)
    _run(trial_config(sweep, sweep.cells[0], trial), directory.runs_path, rounds=2)


def _run(config: RunConfig, folder: Path, rounds: int | None = None) -> None:
    """Run to the end, or stop after so many rounds."""
    done = iter(range(1, 1_000_000))
    run_config(config, runs_dir=folder, stop=lambda: next(done) == rounds)
