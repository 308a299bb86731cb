"""A small real problem: scikit-learn's handwritten digits, among clients, and its optimum."""

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from pipefl.data.federated import Samples
from pipefl.train.dual.losses import LossName
from pipefl.train.dual.objective import primal

NUM_CLASSES = 4
SIZES = (5, 40, 1, 30, 24, 20)  # 120 samples of clients

# A regularisation and a number of rounds of two of the clients that is enough for each loss.
ENOUGH: dict[LossName, tuple[float, int]] = {"hinge": (1.0, 450), "logistic": (0.1, 120)}


@cache
def digits() -> Samples:
    """120 images of 8 × 8 pixels from 0 to 240 of the digits 0 to 3."""
    images, targets = load_digits(return_X_y=True)
    some = np.flatnonzero(targets < NUM_CLASSES)[: sum(SIZES)]
    pixels = (images[some] * 15).astype(np.uint8).reshape(-1, 8, 8)
    return Samples(pixels, targets[some].astype(np.uint8))


@cache
def rows() -> Samples:
    """The same as rows of numbers up to 1, with a last column of ones."""
    given = digits()
    pixels = given.inputs.reshape(len(given), -1) / 255
    return Samples(np.hstack([pixels, np.ones((len(given), 1))]), given.targets)


def clients() -> list[Samples]:
    """The rows of each client."""
    ends = np.cumsum([0, *SIZES]).tolist()
    return [rows()[first:last] for first, last in pairwise(ends)]


@cache
def least_objective(loss: LossName, regularisation: float) -> float:
    """What scikit-learn's solvers reach, one class against the rest, the bias as any weight."""
    given = rows()
    strength = 1 / (regularisation * len(given))
    weights = []
    for label in range(NUM_CLASSES):
        solver = _solver(loss, strength).fit(given.inputs, np.where(given.targets == label, 1, -1))
        weights.append(solver.coef_[0])
    optimum: NDArray[np.float64] = np.array(weights)
    return primal(optimum, given.inputs, given.targets, loss=loss, regularisation=regularisation)


def _solver(loss: LossName, strength: float) -> LogisticRegression | LinearSVC:
    if loss == "hinge":
        return LinearSVC(C=strength, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=200_000)
    return LogisticRegression(C=strength, fit_intercept=False, tol=1e-10, max_iter=10_000)
