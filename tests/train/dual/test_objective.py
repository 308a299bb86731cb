"""Primal and dual: never the wrong way round, and equal at the optimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipefl.errors import ArgumentError
from pipefl.train.dual.labels import signs
from pipefl.train.dual.losses import LossName
from pipefl.train.dual.objective import dual, duality_gap, mean_loss, primal, weights_of

Array = NDArray[np.float64]


@given(
    seed=st.integers(0, 2**32),
    num_samples=st.integers(1, 12),
    num_rows=st.integers(1, 4),
    regularisation=st.floats(1e-3, 10),
    loss=st.sampled_from(["hinge", "logistic"]),
)
def test_the_dual_is_never_above_the_primal(
    seed: int, num_samples: int, num_rows: int, regularisation: float, loss: LossName
) -> None:
    rng = np.random.default_rng(seed)
    inputs = rng.normal(0, 2, (num_samples, 3))
    targets = (
        rng.choice([-1, 1], num_samples)
        if num_rows == 1
        else rng.integers(num_rows, size=num_samples)
    )
    variables = rng.uniform(0, 1, (num_rows, num_samples))
    own = weights_of(variables, inputs, targets, regularisation=regularisation)
    for weights in (own, rng.normal(0, 1, own.shape)):
        gap = duality_gap(
            weights, variables, inputs, targets, loss=loss, regularisation=regularisation
        )
        assert gap >= -1e-9


def test_one_sample_by_hand() -> None:
    """x = 2, y = 1, λ = 1/2, hinge: the best w is 1/2, with α = 1/8 and P = D = 1/16."""
    inputs, targets = np.array([[2.0]]), [1]
    best, variables = np.array([[0.5]]), np.array([[0.125]])
    how = {"loss": "hinge", "regularisation": 0.5}
    assert weights_of(variables, inputs, targets, regularisation=0.5).tolist() == [[0.5]]
    assert primal(best, inputs, targets, **how) == 0.0625  # type: ignore[arg-type]  # two kinds of value
    assert dual(variables, inputs, targets, **how) == 0.0625  # type: ignore[arg-type]  # as above
    assert duality_gap(best, variables, inputs, targets, **how) == 0.0  # type: ignore[arg-type]  # as above


def test_classes_are_problems_of_their_own() -> None:
    rng = np.random.default_rng(0)
    inputs, targets = rng.normal(0, 1, (9, 4)), rng.integers(3, size=9)
    weights, variables = rng.normal(0, 1, (3, 4)), rng.uniform(0, 1, (3, 9))
    for loss in ("hinge", "logistic"):
        alone = [
            (
                primal(weights[[c]], inputs, sign, loss=loss, regularisation=0.3),
                dual(variables[[c]], inputs, sign, loss=loss, regularisation=0.3),
                mean_loss(weights[[c]], inputs, sign, loss=loss),
            )
            for c, sign in enumerate(np.where(targets == np.arange(3)[:, np.newaxis], 1, -1))
        ]
        together = (
            primal(weights, inputs, targets, loss=loss, regularisation=0.3),
            dual(variables, inputs, targets, loss=loss, regularisation=0.3),
            mean_loss(weights, inputs, targets, loss=loss),
        )
        assert together == pytest.approx(np.sum(alone, axis=0))


def test_the_weights_are_the_sum_of_the_clients_parts() -> None:
    rng = np.random.default_rng(0)
    inputs, targets = rng.normal(0, 1, (9, 4)), rng.integers(3, size=9)
    variables = rng.uniform(0, 1, (3, 9))
    parts = [
        weights_of(
            variables[:, part], inputs[part], targets[part], regularisation=0.3, num_all_samples=9
        )
        for part in (slice(2), slice(2, 3), slice(3, 9))
    ]
    whole = weights_of(variables, inputs, targets, regularisation=0.3)
    np.testing.assert_allclose(sum(parts), whole)


@pytest.mark.parametrize(
    ("targets", "num_rows", "message"),
    [
        ([0, 3], 3, r"targets\[1\] is 3; it must be from 0 to 2"),
        ([-1, 0], 3, r"targets\[0\] is -1; it must be from 0 to 2"),
        ([1, 0], 1, r"targets\[1\] is 0; a model with one row takes the labels 1 and -1"),
        ([[1]], 3, "there must be one label for each sample"),
    ],
)
def test_labels_that_there_are_not_are_refused(
    targets: list[int], num_rows: int, message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        signs(targets, num_rows)
