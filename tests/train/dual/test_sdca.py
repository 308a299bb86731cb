"""A client's ascent: what it may promise, and that it cannot fall."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl.data.federated import Samples
from pipefl.errors import ArgumentError
from pipefl.train.dual.cocoa import Progress, cocoa_round, start
from pipefl.train.dual.labels import signs
from pipefl.train.dual.losses import LossName, loss_called
from pipefl.train.dual.objective import dual, duality_gap, primal, weights_of
from pipefl.train.dual.sdca import local_dual_steps
from real_digits import ENOUGH, NUM_CLASSES, SIZES, clients, least_objective, rows

EACH_LOSS = pytest.mark.parametrize("loss", ["hinge", "logistic"])


def of_all(progress: Progress) -> Any:
    """Weights and all clients' variables, one after the other."""
    return progress.weights, np.hstack(progress.dual)


@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5),
    num_rows=st.integers(2, 3),
    regularisation=st.floats(1e-3, 3),
    loss=st.sampled_from(["hinge", "logistic"]),
)
def test_the_dual_never_falls_and_weights_stay_those_of_the_variables(
    seed: int, sizes: list[int], num_rows: int, regularisation: float, loss: LossName
) -> None:
    rng = np.random.default_rng(seed)
    parts = [
        Samples(rng.normal(0, 1, (size, 3)), rng.integers(num_rows, size=size)) for size in sizes
    ]
    inputs = np.vstack([part.inputs for part in parts])
    targets = np.concatenate([part.targets for part in parts])
    progress, before = start(parts, num_rows), -np.inf
    for index in range(4):
        cohort = rng.choice(len(sizes), rng.integers(1, len(sizes) + 1), replace=False)
        progress = cocoa_round(
            progress,
            parts,
            cohort,
            loss=loss,
            regularisation=regularisation,
            seed=seed,
            round_index=index,
        )
        weights, variables = of_all(progress)
        own = weights_of(variables, inputs, targets, regularisation=regularisation)
        np.testing.assert_allclose(weights, own, rtol=1e-9, atol=1e-12)
        now = dual(variables, inputs, targets, loss=loss, regularisation=regularisation)
        assert now >= before - 1e-12 * (1 + abs(now))
        before = now


@EACH_LOSS
def test_rounds_of_some_clients_reach_the_optimum_of_scikit_learn(loss: LossName) -> None:
    parts, rng = clients(), np.random.default_rng(0)
    progress = start(parts, NUM_CLASSES)
    regularisation, num_rounds = ENOUGH[loss]
    for index in range(num_rounds):
        progress = cocoa_round(
            progress,
            parts,
            rng.choice(len(SIZES), 2, replace=False),
            loss=loss,
            regularisation=regularisation,
            epochs=2,
            round_index=index,
        )
    weights, variables = of_all(progress)
    inputs, targets = rows().inputs, rows().targets
    found = primal(weights, inputs, targets, loss=loss, regularisation=regularisation)
    assert found == pytest.approx(least_objective(loss, regularisation), rel=1e-6)
    gap = duality_gap(weights, variables, inputs, targets, loss=loss, regularisation=regularisation)
    assert -1e-12 < gap < 1e-5 * found


def steps(inputs: Any, targets: Any, dual_: Any, **others: Any) -> Any:
    given_: dict[str, Any] = {
        "loss": "logistic",
        "regularisation": 0.1,
        "num_all_samples": 700,
        "safety": 2.0,
        "epochs": 1,
        "rng": np.random.default_rng(3),
    }
    return local_dual_steps(inputs, targets, np.zeros((2, 4)), dual_, **(given_ | others))


@EACH_LOSS
def test_one_step_after_the_other_gives_the_same(loss: LossName) -> None:
    """More samples than a block holds, against the recursion as it is written."""
    rng = np.random.default_rng(1)
    inputs, targets = rng.normal(0, 1, (300, 4)), rng.integers(2, size=300)
    begin = rng.uniform(0, 1, (2, 300))
    change, found = steps(inputs, targets, begin, loss=loss, epochs=2)
    order, scale = np.random.default_rng(3), 1 / (0.1 * 700)
    variables, total, label = begin.copy(), np.zeros((2, 4)), signs(targets, 2).T
    for _ in range(2):
        for i in order.permutation(300):
            margin = label[:, i] * (2.0 * total @ inputs[i])
            curvature = np.full(2, 2.0 * scale * inputs[i] @ inputs[i])
            best = loss_called(loss).best(variables[:, i], margin, curvature)
            total += scale * np.outer(label[:, i] * (best - variables[:, i]), inputs[i])
            variables[:, i] = best
    np.testing.assert_allclose(found, variables, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(change, total, rtol=1e-7, atol=1e-9)


def test_what_was_given_is_not_changed() -> None:
    begin = np.full((2, 3), 0.25)
    _, found = steps(np.ones((3, 4)), [0, 1, 1], begin)
    assert (begin == 0.25).all()
    assert not np.array_equal(found, begin)


def test_shapes_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"inputs.shape is \(3, 5\); 3 labels"):
        steps(np.ones((3, 5)), [0, 1, 1], np.zeros((2, 3)))
    with pytest.raises(ArgumentError, match=r"dual.shape is \(3, 2\); it must be \(2, 3\)"):
        steps(np.ones((3, 4)), [0, 1, 1], np.zeros((3, 2)))
    for name in ("regularisation", "safety", "epochs"):
        with pytest.raises(ArgumentError, match=f"{name} is 0"):
            steps(np.ones((3, 4)), [0, 1, 1], np.zeros((2, 3)), **{name: 0})
