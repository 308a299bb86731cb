"""The two losses, their duals, and the best value of a dual variable."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from pipefl.errors import ArgumentError
from pipefl.train.dual.losses import LossName, loss_called

EACH_LOSS = pytest.mark.parametrize("name", ["hinge", "logistic"])
MARGIN = st.floats(-50, 50)
DUAL = st.floats(0, 1)
CURVATURE = st.floats(0, 100) | st.sampled_from([0.0, 1e-12, 1e6])


def one(value: float) -> np.ndarray:
    return np.array([value])


@EACH_LOSS
@given(margin=MARGIN, variable=DUAL)
def test_loss_and_gain_are_conjugate(name: LossName, margin: float, variable: float) -> None:
    """ℓ(m) ≥ gain(α) − α m, with equality at the slope α = −ℓ'(m)."""
    loss = loss_called(name)
    value = loss.value(one(margin)).item()
    assert value >= loss.gain(one(variable)).item() - variable * margin - 1e-12
    slope = (1.0 if margin < 1 else 0.0) if name == "hinge" else 1 / (1 + math.exp(margin))
    assert value == pytest.approx(loss.gain(one(slope)).item() - slope * margin, abs=1e-9)


@EACH_LOSS
def test_beyond_0_and_1_the_gain_is_minus_infinity(name: LossName) -> None:
    assert (loss_called(name).gain(np.array([-0.01, 1.01])) == -np.inf).all()


def test_values_by_hand() -> None:
    margins = np.array([-1.0, 0.0, 1.0, 2.0])
    assert loss_called("hinge").value(margins).tolist() == [2.0, 1.0, 0.0, 0.0]
    expected = [math.log1p(math.exp(-m)) for m in margins]
    assert loss_called("logistic").value(margins) == pytest.approx(expected)
    assert np.isfinite(loss_called("logistic").value(np.array([-1e4, 1e4]))).all()


@EACH_LOSS
@given(variable=DUAL, margin=MARGIN, curvature=CURVATURE)
def test_the_best_variable_beats_all_others(
    name: LossName, variable: float, margin: float, curvature: float
) -> None:
    loss = loss_called(name)

    def raised(value: float) -> float:
        step = value - variable
        gain = loss.gain(one(value)).item()
        return float(gain - margin * step - curvature / 2 * step**2)

    best = loss.best(one(variable), one(margin), one(curvature)).item()
    assert 0 <= best <= 1
    found = minimize_scalar(lambda v: -raised(v), bounds=(0, 1), method="bounded")
    others = [*np.linspace(0, 1, 101).tolist(), variable, float(found.x)]
    scale = 1 + abs(margin) + curvature
    assert raised(best) >= max(map(raised, others)) - 1e-11 * scale


@given(st.lists(st.tuples(DUAL, MARGIN, CURVATURE), min_size=1, max_size=9))
def test_variables_side_by_side_do_not_disturb_each_other(
    given_: list[tuple[float, float, float]],
) -> None:
    for name in ("hinge", "logistic"):
        best = loss_called(name).best
        together = best(*np.array(given_).T)
        alone = [best(*map(one, each)).item() for each in given_]
        assert together == pytest.approx(alone, abs=1e-10)


def test_a_loss_that_there_is_not_is_refused() -> None:
    message = "loss is 'huber'; it must be 'logistic' or 'hinge'"
    with pytest.raises(ArgumentError, match=re.escape(message)):
        loss_called("huber")  # type: ignore[arg-type]  # what is tested
