"""The server's side: every setting of the schedule comes from the run's configuration."""

from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, Context, MetricRecord
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

from pipefl.flower import ClusteredScheduling, PlanConfig

_SETTINGS = (
    *("num_channels", "num_clusters", "upload_time_s", "guard_s", "forgiven_s", "patience_s"),
    *("margin", "unaccounted_s", "replan_above", "policy", "discipline", "min_clients", "seed"),
)
app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Random numbers that no network can shorten, averaged for so many rounds."""
    settings = context.run_config
    if settings["fail"]:
        raise RuntimeError("it was told to fail")
    chosen: dict[str, Any] = {name: settings[name.replace("_", "-")] for name in _SETTINGS}
    size = int(settings["model-kilobytes"]) * 250
    model = np.random.default_rng(0).random(size, dtype=np.float32)
    scheduling = ClusteredScheduling(
        FedAvg(fraction_evaluate=0.0, min_train_nodes=1, min_available_nodes=1),
        PlanConfig(**chosen),
        run_dir=str(settings["run-dir"]),
        resume=bool(settings["resume"]),
    )

    def evaluate(round_: int, arrays: ArrayRecord) -> MetricRecord:
        moved = float((arrays["model"].numpy() - model).mean())
        return MetricRecord({"accuracy": moved})

    scheduling.start(
        grid,
        ArrayRecord({"model": Array(model)}),
        num_rounds=int(settings["num-rounds"]),
        evaluate_fn=evaluate,
    )
