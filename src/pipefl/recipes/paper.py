"""The paper's four experiments: a cell of tables I to IV for every K and N."""

from pipefl.runs.config import DataConfig, RunConfig


def mnist_cnn(num_clusters: int, num_channels: int) -> RunConfig:
    """Table I: the CNN on MNIST to 97 %. Paper: tab:mnist-cnn."""
    return _cell(num_clusters, num_channels, RunConfig(
        num_clusters=num_clusters,
        name="mnist-cnn",
        dataset="mnist",
        data=DataConfig(partition="sizes:10:70", num_clients=1500),
        model="cnn",
        learning_rate=0.1,
        target_accuracy=0.97,
    ))  # fmt: skip


def mnist_mlp(num_clusters: int, num_channels: int) -> RunConfig:
    """Table II: the MLP on MNIST to 96 %. Paper: tab:mnist-mlp."""
    return _cell(num_clusters, num_channels, RunConfig(
        num_clusters=num_clusters,
        name="mnist-mlp",
        dataset="mnist",
        data=DataConfig(partition="sizes:10:70", num_clients=1500),
        model="mlp",
        learning_rate=0.1,
        target_accuracy=0.96,
    ))  # fmt: skip


def emnist_cnn(num_clusters: int, num_channels: int) -> RunConfig:
    """Table III: the CNN on federated EMNIST's digits to 97 %. Paper: tab:emnist."""
    return _by_writer("emnist-cnn", "emnist", num_clusters, num_channels)


def nist_writers_cnn(num_clusters: int, num_channels: int) -> RunConfig:
    """As table III, on MNIST's images by their real writers."""
    return _by_writer("nist-writers-cnn", "nist-writers", num_clusters, num_channels)


def nist_sizes_cnn(num_clusters: int, num_channels: int) -> RunConfig:
    """As table III, on the stand-in with all NIST writers' real sizes and label counts."""
    return _by_writer("nist-sizes-cnn", "nist-sizes", num_clusters, num_channels)


def shakespeare_lstm(num_clusters: int, num_channels: int) -> RunConfig:
    """Table IV: the LSTM on federated Shakespeare to 40 %. Paper: tab:shakespeare.

    The accuracy is judged on 1,000 of the test sequences, drawn once.
    """
    return _cell(num_clusters, num_channels, RunConfig(
        num_clusters=num_clusters,
        name="shakespeare-lstm",
        dataset="shakespeare",
        data=DataConfig(test_samples=1000),
        model="lstm",
        learning_rate=1.0,
        batch_size=10,
        target_accuracy=0.40,
        max_rounds=2000,
    ))  # fmt: skip


def _by_writer(name: str, dataset: str, num_clusters: int, num_channels: int) -> RunConfig:
    return _cell(num_clusters, num_channels, RunConfig(
        num_clusters=num_clusters,
        name=name,
        dataset=dataset,
        model="cnn",
        learning_rate=0.1,
        target_accuracy=0.97,
    ))  # fmt: skip


def _cell(num_clusters: int, num_channels: int, config: RunConfig) -> RunConfig:
    r"""The cell of a table in row K and column N.

    The upload takes (τ_max − τ_min)/K, so that eq:choosing_K gives K clusters. In the row
    K = 1 stands conventional scheduling, of N uniformly drawn clients.
    """
    conventional = {"policy": "uniform", "discipline": "wait-all"}
    pipelined = {"policy": "clustered", "discipline": "slots"}
    return config.model_copy(update={
        "name": f"{config.name}-k{num_clusters}-n{num_channels}",
        "num_channels": num_channels,
        **(conventional if num_clusters == 1 else pipelined),
    })  # fmt: skip
