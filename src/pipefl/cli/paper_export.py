"""Writing the outcomes of sweeps as files for tables, charts and later runs."""

from pathlib import Path

from pipefl.errors import MissingFileError
from pipefl.recipes.tables import TABLES
from pipefl.runs.directory import write_whole
from pipefl.sweeps.directory import SweepDirectory
from pipefl.sweeps.measuring import measured


def export_sweeps(sweeps_dir: Path, results_dir: Path) -> None:
    """One file for each table of which there is a sweep; the others are left as they are."""
    here = [SweepDirectory(sweeps_dir / name) for name in TABLES]
    here = [directory for directory in here if directory.exists()]
    if not here:
        names = ", ".join(TABLES)
        raise MissingFileError(f"{sweeps_dir}: there is no sweep of a table here ({names})")
    results_dir.mkdir(parents=True, exist_ok=True)
    for directory in here:
        sweep = measured(directory)
        path = results_dir / f"{sweep.name}.json"
        write_whole(path, sweep.model_dump_json(indent=1) + "\n")
        settled = sum(cell.is_settled for cell in sweep.cells)
        print(f"Wrote {path}: {settled} of {len(sweep.cells)} cells settled")
