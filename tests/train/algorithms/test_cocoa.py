"""CoCoA+ through units and an executor, on real samples."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pipefl.models.linear import LinearConfig
from pipefl.train.algorithms.cocoa import Cocoa, as_rows, as_vector
from pipefl.train.dual.losses import LossName
from pipefl.train.dual.objective import dual, primal, weights_of
from pipefl.train.executors.serial import Serial
from pipefl.train.workplace import Diligence, Workplace
from real_digits import ENOUGH, NUM_CLASSES, SIZES, digits, least_objective, rows
from workplaces import Rounds

EACH_LOSS = pytest.mark.parametrize("loss", ["hinge", "logistic"])


def rounds_of(loss: LossName, regularisation: float = 0.01, largest_update: float = 1e6) -> Rounds:
    model = LinearConfig(num_classes=NUM_CLASSES, num_features=64).build()
    diligence = Diligence(1.0, local_epochs=2, largest_update=largest_update)
    offset = np.cumsum([0, *SIZES])
    place = Workplace(model, digits(), offset, digits(), diligence)
    algorithm = Cocoa(regularisation, loss)
    return Rounds(place, algorithm, Serial(place, algorithm))


def weights(rounds: Rounds) -> NDArray[np.float64]:
    return as_rows(rounds.place.model.layout, rounds.vectors[0])


def variables(rounds: Rounds) -> NDArray[np.float64]:
    """All clients' dual variables; those of clients that were never there are 0."""
    zeros = [np.zeros((NUM_CLASSES, size)) for size in SIZES]
    return np.hstack([rounds.own[m][0] if m in rounds.own else zeros[m] for m in range(6)])


def check_weights(rounds: Rounds) -> None:
    """w = w(α), but for the rounding of float32."""
    given = rows()
    own = weights_of(variables(rounds), given.inputs, given.targets, regularisation=0.01)
    np.testing.assert_allclose(weights(rounds), own, rtol=1e-4, atol=2e-6)


@EACH_LOSS
def test_it_reaches_the_optimum_of_scikit_learn(loss: LossName) -> None:
    strength, num_rounds = ENOUGH[loss]
    rounds, rng, given = rounds_of(loss, strength), np.random.default_rng(0), rows()
    for _ in range(num_rounds):
        rounds.take(rng.choice(len(SIZES), 2, replace=False).tolist())
    found = primal(weights(rounds), given.inputs, given.targets, loss=loss, regularisation=strength)
    assert found == pytest.approx(least_objective(loss, strength), rel=1e-6)
    below = dual(variables(rounds), given.inputs, given.targets, loss=loss, regularisation=strength)
    assert below == pytest.approx(found, rel=1e-5)
    judgement = rounds.place.judged(rounds.vectors[0], np.arange(len(given)))
    right = (weights(rounds) @ given.inputs.T).argmax(0) == given.targets
    assert judgement.num_correct == right.sum() > 0.9 * len(given)


@EACH_LOSS
def test_weights_are_those_of_the_variables_after_every_round(loss: LossName) -> None:
    rounds, before = rounds_of(loss), 0.0
    for cohort in ([4], [0, 1, 2, 3, 4, 5], [2, 5], [1, 3, 0], [4, 1]):
        rounds.take(cohort)
        check_weights(rounds)
        now = dual(variables(rounds), rows().inputs, rows().targets, loss=loss, regularisation=0.01)
        assert now > before
        before = now


def test_a_client_that_is_refused_keeps_what_it_had() -> None:
    """Large clients go too far at first and are refused; small ones do not."""
    rounds = rounds_of("logistic", largest_update=1.0)
    refused = set()
    for cohort in ([0, 1, 2], [3, 4, 5], [1, 2], [0, 2, 5]):
        kept = dict(rounds.own)
        for report in rounds.take(cohort):
            if report.refused is not None:
                refused.add(report.client)
                assert rounds.own.get(report.client) is kept.get(report.client)
        check_weights(rounds)
    assert refused
    assert set(rounds.own) - refused


def test_the_loss_is_that_of_the_model_that_was_sent() -> None:
    rounds = rounds_of("logistic")
    (report,) = rounds.take([1])
    assert report.loss == pytest.approx(NUM_CLASSES * np.log(2))
    (again,) = rounds.take([1])
    assert again.loss < report.loss


def test_rows_and_vectors_are_each_others_inverse() -> None:
    layout = LinearConfig(num_classes=3, num_features=5).layout
    vector = torch.arange(18.0)
    rows_ = as_rows(layout, vector)
    assert rows_[:, -1].tolist() == [15.0, 16.0, 17.0]
    assert rows_[1, :-1].tolist() == [5.0, 6.0, 7.0, 8.0, 9.0]
    assert torch.equal(as_vector(layout, rows_), vector)
