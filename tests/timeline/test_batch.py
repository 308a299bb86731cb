from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

import pipefl
from pipefl.timeline import DISCIPLINES, NOBODY, Discipline, simulate_round, simulate_rounds
from pipefl.timeline.batch import LateClients
from strategies import Case, cases


@given(
    cases(),
    st.sampled_from(DISCIPLINES),
    st.sampled_from(["drop", "next-slot"]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_many_rounds_at_once_are_to_the_last_bit_the_rounds_one_by_one(
    case: Case, discipline: Discipline, missed: LateClients, one_upload: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    times_s = case.plan.compute_time_s
    uploads = float(case.upload_time_s[0]) if one_upload else case.upload_time_s
    cohorts = np.array([rng.permutation(times_s.size)[: len(case.cohort)] for _ in range(6)])
    cohorts[rng.random(cohorts.shape) < 0.15] = NOBODY
    factor = rng.choice([1.0, 0.7, 1.4], cohorts.shape)
    together = simulate_rounds(
        cohorts,
        times_s,
        uploads,
        case.num_channels,
        discipline=discipline,
        plan=case.plan,
        server_time_s=0.25,
        missed=missed,
        factor=factor,
    )
    for r, cohort in enumerate(cohorts):
        there = cohort != NOBODY
        round_time_s = times_s.copy()
        round_time_s[cohort[there]] *= factor[r][there]
        alone = simulate_round(
            cohort[there],
            round_time_s,
            uploads,
            case.num_channels,
            discipline=discipline,
            plan=case.plan,
            server_time_s=0.25,
            missed=missed,
        )
        starts, ends = together.upload_start_s[r], together.upload_end_s[r]
        assert np.array_equal(starts[there], alone.upload_start_s, equal_nan=True)
        assert np.array_equal(ends[there], alone.upload_end_s, equal_nan=True)
        assert np.isnan(ends[~there]).all()
        assert together.duration_s[r] == alone.duration_s
        assert together.utilisation[r] == pytest.approx(alone.utilisation)


@pytest.mark.parametrize(
    ("cohorts", "message"),
    [
        (np.zeros((2, 0), int), "a row of clients for every round"),
        (np.array([0, 1]), "a row of clients for every round"),
        (np.array([[0, 3]]), "clients 0 to 2, and −1 is nobody"),
        (np.array([[-2, 1]]), "clients 0 to 2, and −1 is nobody"),
        ([[0, 1], [2]], "all rows equally long"),
        ([[0.0, 1.0]], "a row of clients for every round"),
        (
            [[0, 1], [2, 2]],
            r"cohorts\[1\] is array\(\[2, 2\]\); every client can be scheduled once",
        ),
    ],
)
def test_cohorts_of_the_wrong_form_are_refused(cohorts: ArrayLike, message: str) -> None:
    with pytest.raises(pipefl.PipeflError, match=message):
        simulate_rounds(cohorts, [1.0, 2.0, 3.0], 1.0, discipline="fifo")


@pytest.mark.parametrize(
    ("factor", "message"),
    [
        (np.ones((2, 2)), "a number for each of the cohorts' \\(1, 2\\) places"),
        ([[1.0, np.nan]], "every factor must be finite and above 0"),
        ([[1.0, 0.0]], "every factor must be finite and above 0"),
    ],
)
def test_factors_of_the_wrong_form_are_refused(factor: ArrayLike, message: str) -> None:
    with pytest.raises(pipefl.PipeflError, match=message):
        simulate_rounds([[0, 1]], [1.0, 2.0, 3.0], 1.0, discipline="fifo", factor=factor)


def test_a_round_of_nobody_beside_one_with_late_clients_changes_nothing() -> None:
    plan = pipefl.plan_clusters([1.0, 2.0], 1.0, num_clusters=2)
    rounds = simulate_rounds(
        [[0, 1], [NOBODY, NOBODY]],
        plan.compute_time_s,
        [1.0, 1.5],
        plan=plan,
        missed="next-slot",
        factor=[[1.0, 3.0], [1.0, 1.0]],
    )
    # Client 1 is ready at 6 s; slots follow 2 s by 1.5 s each, so it has that at 6.5 s.
    assert np.array_equal(rounds.upload_start_s, [[1.0, 6.5], [np.nan, np.nan]], equal_nan=True)


def test_rounds_side_by_side_hand_nobody_on() -> None:
    carry: Any = "carry"
    with pytest.raises(pipefl.PipeflError, match="missed is 'carry'; it must be drop or next-slot"):
        simulate_rounds([[0, 1]], [1.0, 2.0], 1.0, discipline="fifo", missed=carry)


def test_rounds_of_nobody_take_no_time_and_use_nothing() -> None:
    rounds = simulate_rounds([[NOBODY], [0]], [1.0], 1.0, discipline="fifo")
    assert rounds.duration_s.tolist() == [0.0, 2.0]
    assert rounds.utilisation.tolist() == [0.0, 0.5]
