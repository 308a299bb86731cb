"""The server's side."""

from flwr.app import ArrayRecord, Context, MetricRecord
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

from flower_mnist.task import Task
from pipefl.flower import ClusteredScheduling, PlanConfig

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Average what the scheduled clients send, round after round."""
    settings = context.run_config
    task = Task.of(settings)
    schedule = PlanConfig(
        upload_time_s=float(settings["upload-time-s"]),
        guard_s=float(settings["guard-s"]),
        num_channels=int(settings["num-channels"]),
        num_clusters=int(settings["num-clusters"]),
        policy=str(settings["policy"]),
        min_clients=int(settings["min-clients"]),
        seed=task.config.seed,
    )
    scheduling = ClusteredScheduling(
        FedAvg(fraction_evaluate=0.0, min_train_nodes=1, min_available_nodes=1),
        schedule,
        run_dir=str(settings["run-dir"]),
        resume=bool(settings["resume"]),
        run_config=task.config,
    )

    def evaluate(round_: int, arrays: ArrayRecord) -> MetricRecord:
        return task.judged(arrays)

    scheduling.start(
        grid, task.initial(), num_rounds=int(settings["num-rounds"]), evaluate_fn=evaluate
    )
