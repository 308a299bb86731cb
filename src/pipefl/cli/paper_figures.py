"""The paper's figures as files, drawn anew from code, data and runs."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from pipefl.cli.paper_running import SweepChoices, run_sweep_to_its_end
from pipefl.cli.values import check_ending
from pipefl.data.catalogue import DATASETS, load_dataset
from pipefl.data.folder import data_folder
from pipefl.data.presence import missing_parts, part_files
from pipefl.recipes.curves import curves_sweep
from pipefl.recipes.measured_points import best_points
from pipefl.recipes.tables import TABLES, tables_of
from pipefl.report.curves_chart import curves_chart
from pipefl.report.hull_chart import hull_chart
from pipefl.report.round_chart import round_chart
from pipefl.report.saving import save_chart
from pipefl.report.sizes_chart import sizes_chart
from pipefl.report.theorem_chart import theorem_chart
from pipefl.runs.records import read_records
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.trial import Trial

_ENDINGS = (".pdf", ".svg", ".png", ".json")
_CURVES = {
    "accuracy-mnist-cnn": "table1",
    "accuracy-mnist-mlp": "table2",
    "accuracy-emnist": "table3",
    "stability-emnist": "table3",
}


def draw_figure(name: str, path: Path | None, choices: SweepChoices, command: str) -> None:
    """Draw one figure into a file, after whatever must be run for it.

    `command` is what was asked for, and what goes on if that is stopped.
    """
    target = path or Path(f"{name}.svg")
    check_ending("--save", target, _ENDINGS)
    chart = _curves(name, choices, command) if name in _CURVES else _DRAWN[name]()
    print(f"Wrote {save_chart(chart, target)}")


def draw_all(folder: Path, choices: SweepChoices, command: str) -> None:
    """All figures as SVG; those that need no runs come first."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*_DRAWN, *_CURVES):
        draw_figure(name, folder / f"{name}.svg", choices, command)


def _round() -> Any:
    import pipefl
    from pipefl.devices.example import EXAMPLE_UPLOAD_TIME_S, example_population
    from pipefl.timeline.typical import typical_cohort

    times_s = example_population().compute_time_s
    plan = pipefl.plan_clusters(times_s, EXAMPLE_UPLOAD_TIME_S, num_clusters=3)
    round_ = pipefl.simulate_round(
        typical_cohort(plan, 2),
        times_s,
        plan.upload_time_s,
        num_channels=2,
        plan=plan,
        server_time_s=0.5,
    )
    return round_chart(round_, plan.slot_time_s.tolist(), "Fig. 1: a round of CS-GD")


def _hull() -> Any:
    return hull_chart([10, 46, 80, 100], "Fig. 3: the lower convex hull of Example 1")


def _emnist_sizes() -> Any:
    is_here = not missing_parts(DATASETS["emnist"].parts, data_folder())
    if is_here:
        return _sizes("emnist", "Fig. 4: data distribution in the federated EMNIST dataset")
    title = "Fig. 4, on a stand-in: the sizes of all NIST writers of digits"
    return _sizes("nist-sizes", title)


def _shakespeare_sizes() -> Any:
    return _sizes("shakespeare", "Data distribution in the federated Shakespeare dataset")


def _sizes(dataset: str, title: str) -> Any:
    for part in DATASETS[dataset].parts:
        part_files(dataset, part)
    data = load_dataset(dataset)
    many = f"{data.num_clients:,} clients with {int(data.num_samples.sum()):,} samples"
    return sizes_chart(data.num_samples, title, [f"{many}.", f"Data: {data.source}."])


_DRAWN: Mapping[str, Callable[[], Any]] = {
    "fig1": _round,
    "fig2": theorem_chart,
    "fig3": _hull,
    "fig4": _emnist_sizes,
    "shakespeare-histogram": _shakespeare_sizes,
}


def _curves(name: str, choices: SweepChoices, command: str) -> Any:
    """The chart of runs that are run first, as far as they have not been.

    It has all its curves, whichever cells of the tables were asked for.
    """
    table = _CURVES[name] if choices.quick else tables_of(_CURVES[name])[0]
    sweep = curves_sweep(table, best_points(table), quick=choices.quick)
    directory = SweepDirectory(choices.sweeps_dir / sweep.name)
    if not run_sweep_to_its_end(directory, sweep, replace(choices, only=None), command):
        print(f"Stopped; nothing is lost. Go on: {command}")
        raise typer.Exit(130)
    records = {}
    for cell in sweep.cells:
        trial = Trial(cell.name, sweep.points_of(cell)[0], sweep.seeds[0])
        path = directory.run_path(trial) / "rounds.jsonl"
        records[f"K = {cell.settings['num_clusters']}"] = read_records(path)
    raw = name.startswith("stability")
    how = "after each round" if raw else "the best up to each round"
    judged = f"on {sweep.base.data.test_samples:,} test samples"
    return curves_chart(
        records,
        _title(table, choices.quick),
        f"N = 1; accuracy {judged}, {how}.",
        raw=raw,
        target_accuracy=sweep.base.target_accuracy,
    )


def _title(table: str, is_quick: bool) -> str:
    """What was trained on what, without the table's number."""
    title = TABLES[table].title
    what = title.partition(": ")[2] or title
    return f"{what[0].upper()}{what[1:]}{' (quick: a small data set)' if is_quick else ''}"
