import pytest

from pipefl.errors import ArgumentError
from pipefl.policies.paper_points import (
    PAPER_NUM_CHANNELS,
    PAPER_NUM_CLUSTERS,
    PAPER_TABLES,
    paper_points,
)

# Sums of the columns N = 1, 2, 4, 8, added up from the paper's pages.
COLUMN_SUMS = {
    "mnist-cnn": [729, 560, 480, 421],
    "mnist-mlp": [2854, 2204, 1930, 1737],
    "emnist-cnn": [1342, 762, 681, 648],
    "shakespeare-lstm": [2578, 1579, 1156, 955],
}


@pytest.mark.paper("tab:mnist-cnn, tab:mnist-mlp, tab:emnist, tab:shakespeare")
@pytest.mark.parametrize("name", PAPER_TABLES)
def test_the_tables_are_the_papers(name: str) -> None:
    points = paper_points(name)
    sums = [sum(row[j] for row in points.table) for j in range(len(PAPER_NUM_CHANNELS))]
    assert sums == COLUMN_SUMS[name]
    assert points.name == name


@pytest.mark.paper("tab:mnist-cnn")
def test_rows_are_clusters_and_columns_sub_channels_as_the_text_says() -> None:
    # "273, 180, 152 and 118 rounds with 1, 2, 4 and 8 sub-channels", conventional; "4 clusters
    # with 1 sub-channel" do better than 4 sub-channels without.
    points = paper_points("mnist-cnn")
    conventional = points.num_clusters == 1
    assert points.rounds[conventional].tolist() == [273, 180, 152, 118]
    assert points.num_channels[conventional].tolist() == [1, 2, 4, 8]
    rounds = {
        (int(k), int(n)): int(t)
        for k, n, t in zip(points.num_clusters, points.num_channels, points.rounds, strict=True)
    }
    assert rounds[4, 1] == 131 < rounds[1, 4] == 152
    assert rounds[2, 1] == 186


@pytest.mark.parametrize("name", PAPER_TABLES)
def test_points_are_sixteen_with_k_times_n_clients(name: str) -> None:
    points = paper_points(name)
    products = [k * n for k in PAPER_NUM_CLUSTERS for n in PAPER_NUM_CHANNELS]
    assert points.clients_per_round.tolist() == products
    assert points.rounds.shape == (16,)
    assert points.rounds[0] == points.rounds.max()


def test_targets_are_the_captions() -> None:
    targets = [paper_points(name).target_accuracy for name in PAPER_TABLES]
    assert targets == [0.97, 0.96, 0.97, 0.40]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mnist", "table is 'mnist'; did you mean mnist-"),
        ("shakespear", "did you mean shakespeare-lstm"),
        ("emnist", "did you mean emnist-cnn"),
        ("cifar-100", "'cifar-100'; the tables are mnist-cnn, mnist-mlp, emnist-cnn, shakesp"),
        (None, "table is None; the tables are"),
    ],
)
def test_an_unknown_table_is_refused_with_the_nearest(name: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        paper_points(name)
