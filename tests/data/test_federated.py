import numpy as np
import pytest

from pipefl.data.federated import FederatedDataset, Samples
from pipefl.errors import ArgumentError, PipeflError

SAMPLES = Samples(np.arange(12, dtype=np.uint8).reshape(6, 2), np.arange(6, dtype=np.uint8))


def dataset(
    offset: list[int], names: list[str], counted: list[int] | None = None
) -> FederatedDataset:
    return FederatedDataset(
        name="six",
        kind="images",
        source="made up",
        train=SAMPLES,
        offset=np.array(offset),
        test=SAMPLES[:2],
        num_classes=6,
        client_id=np.array(names, object),
        counted=None if counted is None else np.array(counted),
    )


def test_a_client_is_a_view_of_the_flat_arrays() -> None:
    three = dataset([0, 1, 4, 6], ["a", "b", "c"])
    assert three.num_clients == 3
    assert three.num_samples.tolist() == [1, 3, 2]
    for m, expected in enumerate([[0], [1, 2, 3], [4, 5]]):
        client = three.client(m)
        assert client.targets.tolist() == expected
        assert client.inputs[:, 0].tolist() == [2 * i for i in expected]
        assert np.shares_memory(client.inputs, SAMPLES.inputs)
        assert np.shares_memory(client.targets, SAMPLES.targets)


def test_what_is_counted_may_differ_from_the_samples() -> None:
    assert dataset([0, 1, 6], ["a", "b"], counted=[4, 9]).num_samples.tolist() == [4, 9]


@pytest.mark.parametrize("m", [-1, 3, 1.0, True])
def test_clients_that_there_are_not(m: int) -> None:
    with pytest.raises(ArgumentError, match="client is .* whole number from 0 to 2"):
        dataset([0, 1, 4, 6], ["a", "b", "c"]).client(m)


@pytest.mark.parametrize(
    ("offset", "names", "counted", "complaint"),
    [
        ([0, 2, 5], ["a", "b"], None, "six: the clients' offsets must run from 0 to the samples'"),
        ([1, 2, 6], ["a", "b"], None, "six: the clients' offsets must run from 0"),
        ([0], [], None, "six: the clients' offsets must run from 0"),
        ([0, 2, 2, 6], ["a", "b", "c"], None, "six: client 'b' has no samples"),
        ([0, 5, 2, 6], ["a", "b", "c"], None, "six: client 'b' has no samples"),
        ([0, 2, 6], ["a"], None, "six: 1 names for 2 clients"),
        ([0, 2, 6], ["a", "b"], [1], "six: 1 sizes for 2 clients"),
        ([0, 2, 6], ["a", "b"], [1, 0], "six: client 'b' has no samples"),
    ],
)
def test_a_dataset_that_does_not_fit_together_is_refused(
    offset: list[int], names: list[str], counted: list[int] | None, complaint: str
) -> None:
    with pytest.raises(PipeflError, match=f"^{complaint}"):
        dataset(offset, names, counted)


def test_samples_need_their_targets() -> None:
    with pytest.raises(PipeflError, match="there are 6 inputs and 5 targets"):
        Samples(SAMPLES.inputs, SAMPLES.targets[:5])
