"""The demo: conventional against clustered scheduling on data that comes with the package."""

from pipefl.runs.config import DataConfig, RunConfig


def demo_conventional(num_clusters: int, num_channels: int) -> RunConfig:
    """N random clients a round, which lasts as long as its slowest client."""
    return _demo(num_clusters, num_channels, "conventional").model_copy(
        update={"policy": "uniform", "discipline": "wait-all"}
    )


def demo_clustered(num_clusters: int, num_channels: int) -> RunConfig:
    """N random clients of each of K clusters a round, on the same sub-channels."""
    return _demo(num_clusters, num_channels, "clustered").model_copy(
        update={"policy": "clustered", "discipline": "slots"}
    )


def _demo(num_clusters: int, num_channels: int, name: str) -> RunConfig:
    return RunConfig(
        name=f"demo-{name}",
        dataset="mnist-subset",
        data=DataConfig(),
        model="cnn",
        learning_rate=0.1,
        num_clusters=num_clusters,
        num_channels=num_channels,
        target_accuracy=0.94,
        evaluation="full",  # for the sake of the curves; there are only 1,500 test images
        max_rounds=300,
    )
