from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.entry import Choices
from pipefl.data.snippets import Roles, federated_text
from pipefl.data.text_tokens import sequences
from pipefl.errors import ArgumentError

ROLES = Roles(
    source="made up",
    train={"KENT": [b"b" * 200, b"c"], "FOOL": [b"a"], "LEAR": [b"d", b"e", b"f" * 100]},
    test=[b"test", b"t" * 90],
    notes={"roles": "3"},
)


def test_a_client_is_a_role_and_its_samples_are_its_sequences() -> None:
    dataset = federated_text("text", ROLES, Choices())
    assert dataset.client_id.tolist() == ["FOOL", "KENT", "LEAR"]
    assert dataset.offset.tolist() == [0, 1, 5, 9]
    for m, role in enumerate(dataset.client_id):
        own, _ = sequences(ROLES.train[role])
        np.testing.assert_array_equal(dataset.client(m).inputs, own.inputs)
        np.testing.assert_array_equal(dataset.client(m).targets, own.targets)
    np.testing.assert_array_equal(dataset.test.inputs, sequences(ROLES.test)[0].inputs)
    assert (dataset.kind, dataset.num_classes, dataset.source) == ("text", 90, "made up")


def test_n_counts_snippets_or_sequences() -> None:
    natural = federated_text("text", ROLES, Choices())
    assert natural.num_samples.tolist() == [1, 2, 3]
    assert natural.notes == {"roles": "3", "n_m": "counts snippets"}
    chosen = federated_text("text", ROLES, Choices(count="snippets"))
    assert chosen.num_samples.tolist() == [1, 2, 3]
    other = federated_text("text", ROLES, Choices(count="sequences"))
    assert other.num_samples.tolist() == [1, 4, 4]
    assert other.notes["n_m"] == "counts sequences"


def test_without_speeches_only_sequences_can_be_counted() -> None:
    roles = replace(ROLES, are_speeches=False)
    assert federated_text("text", roles, Choices()).num_samples.tolist() == [1, 4, 4]
    with pytest.raises(ArgumentError, match="count is 'snippets'; made up keeps no snippets"):
        federated_text("text", roles, Choices(count="snippets"))


@given(seed=st.integers(0, 50), num_clients=st.integers(1, 3))
def test_some_clients_keep_their_samples_and_all_keep_the_test(seed: int, num_clients: int) -> None:
    whole = federated_text("text", ROLES, Choices())
    some = federated_text("text", ROLES, Choices(num_clients=num_clients, seed=seed))
    assert some.num_clients == num_clients
    for m, role in enumerate(some.client_id):
        same = whole.client(whole.client_id.tolist().index(role))
        np.testing.assert_array_equal(some.client(m).targets, same.targets)
        assert some.num_samples[m] == len(ROLES.train[role])
    np.testing.assert_array_equal(some.test.inputs, whole.test.inputs)


def test_the_seed_draws_the_clients() -> None:
    drawn = {
        tuple(federated_text("text", ROLES, Choices(num_clients=1, seed=seed)).client_id)
        for seed in range(20)
    }
    assert len(drawn) == 3


def test_test_samples_are_the_same_for_all_seeds() -> None:
    draws = [
        federated_text("text", ROLES, Choices(test_samples=2, seed=seed)).test.inputs
        for seed in range(3)
    ]
    assert all(np.array_equal(draws[0], draw) for draw in draws)
    assert len(draws[0]) == 2


@pytest.mark.parametrize(
    ("choices", "complaint"),
    [
        (Choices(count="words"), "count is 'words'; it must be 'snippets' or 'sequences'"),
        (Choices(partition="iid"), "partition is 'iid'; .*'natural' or left out"),
        (Choices(num_clients=4), "num_clients is 4; it must be a whole number from 1 to 3"),
        (Choices(test_samples=9), "test_samples is 9; it must be a whole number from 1 to 3"),
    ],
)
def test_choices_that_cannot_be_had_are_named(choices: Choices, complaint: str) -> None:
    with pytest.raises(ArgumentError, match=complaint):
        federated_text("text", ROLES, choices)


def test_the_natural_partition_may_be_named() -> None:
    assert federated_text("text", ROLES, Choices(partition="natural")).num_clients == 3
