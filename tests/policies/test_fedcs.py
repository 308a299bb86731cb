from itertools import combinations, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError
from pipefl.plan import plan_clusters
from pipefl.policies.fedcs import FedCs
from pipefl.policies.rounds import RoundSchedule
from pipefl.policies.scene import Scene
from pipefl.timeline import simulate_round


def chosen(deadline_s: float | None, scene: Scene) -> list[int]:
    """The cohort if all clients are candidates."""
    policy = FedCs(deadline_s, candidate_share=1.0)
    policy.start(scene)
    cohort = policy.select(0, hand.state_of(scene), np.random.default_rng(0))
    return [int(client) for client in cohort]


@pytest.mark.parametrize(("deadline_s", "size"), [(2.0, 1), (4.5, 3), (5.9, 4), (6.0, 5)])
def test_five_clients_on_one_channel(deadline_s: float, size: int) -> None:
    # Uploads of 1 s end at 2, 3, 4, 5, 6 s.
    assert chosen(deadline_s, hand.five_clients(1)) == list(range(size))


def test_five_clients_on_two_channels() -> None:
    # Uploads of 2 s end at 3, 4, 5, 6, 7 s; on one channel at 3, 5, 7, 9, 11 s.
    two, one = hand.five_clients(2, upload_time_s=2.0), hand.five_clients(1, upload_time_s=2.0)
    assert chosen(6.0, two) == [0, 1, 2, 3]
    assert chosen(6.0, one) == [0, 1]


def test_five_clients_that_are_ready_at_once_fill_both_channels() -> None:
    # Two end at 2 s, two at 3 s and the last one at 4 s.
    scene = hand.five_clients(2, compute_time_s=np.ones(5))
    assert [len(chosen(deadline_s, scene)) for deadline_s in (2.0, 3.0, 4.0)] == [2, 4, 5]


def test_who_ends_first_goes_first_then_who_is_ready_first() -> None:
    # Client 0 is ready first, but its upload of 9 s would end at 10 s, and at 15 s after all.
    long = hand.five_clients(1, upload_time_s=[9.0, 1.0, 1.0, 1.0, 1.0])
    assert chosen(6.0, long) == [1, 2, 3, 4]
    assert chosen(15.0, long) == [1, 2, 3, 4, 0]
    # Clients 0 and 1 both end at 3 s.
    tie = hand.five_clients(
        2, compute_time_s=[2.0, 1.0, 9.0, 9.0, 9.0], upload_time_s=[1.0, 2.0, 1.0, 1.0, 1.0]
    )
    assert chosen(3.0, tie) == [1, 0]


def test_the_server_needs_its_time() -> None:
    scene = hand.five_clients(2, upload_time_s=2.0, server_time_s=0.5)
    assert chosen(6.0, scene) == [0, 1, 2]


def test_unequal_uploads_one_after_the_other() -> None:
    # All are ready at 1 s. Client 1 ends at 2 s, then 4 at 3.5 s, 2 at 5.5 s, and 0 at 8.5 s
    # rather than 3 at 9.5 s, which then ends at 12.5 s.
    scene = hand.five_clients(1, compute_time_s=np.ones(5), upload_time_s=[3.0, 1.0, 2.0, 4.0, 1.5])
    assert chosen(8.5, scene) == [1, 4, 2, 0]
    assert chosen(100.0, scene) == [1, 4, 2, 0, 3]


def test_without_a_deadline_it_is_the_median_client_or_the_plan() -> None:
    # Alone, clients take 3 to 7 s; the plan has slots at 1, 3 and 5 s and uploads of 2 s.
    scene = hand.five_clients(2, upload_time_s=2.0)
    assert chosen(None, scene) == chosen(5.0, scene) == [0, 1, 2]
    plan = plan_clusters(scene.compute_time_s, 2.0)
    planned = Scene(scene.compute_time_s, scene.upload_time_s, 2, plan=plan)
    assert plan.round_duration_s() == 7.0
    assert chosen(None, planned) == [0, 1, 2, 3, 4]


def test_somebody_always_takes_part() -> None:
    # One candidate a round; all but client 0 are too slow for the deadline.
    policy = FedCs(2.0, candidate_share=0.2)
    cohorts = hand.cohorts(policy, hand.five_clients(1), 300)
    assert {len(cohort) for cohort in cohorts} == {1}
    share = np.bincount(np.concatenate(cohorts), minlength=5) / 300
    assert share == pytest.approx(np.full(5, 0.2), abs=4 * np.sqrt(0.16 / 300))


@pytest.mark.parametrize(("share", "number"), [(0.1, 2), (0.5, 3), (0.7, 4), (1.0, 5)])
def test_candidates_are_a_share_but_at_least_one_for_each_channel(
    share: float, number: int
) -> None:
    cohorts = hand.cohorts(FedCs(100.0, candidate_share=share), hand.five_clients(2), 40)
    assert {len(cohort) for cohort in cohorts} == {number}
    assert set(np.concatenate(cohorts)) == set(range(5))


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=7),
    st.integers(1, 3),
    st.sampled_from([0.5, 1.0, 3.0]),
    st.floats(1.0, 15.0),
)
def test_no_set_with_equal_uploads_that_meets_the_deadline_is_larger(
    compute_s: list[int], num_channels: int, upload_s: float, extra_s: float
) -> None:
    times = np.array(compute_s, dtype=np.float64)
    deadline_s = float(times.min()) + upload_s + extra_s

    def lasts_s(cohort: list[int]) -> float:
        return simulate_round(cohort, times, upload_s, num_channels, discipline="fifo").duration_s

    cohort = chosen(deadline_s, Scene(times, np.asarray(upload_s), num_channels))
    assert lasts_s(cohort) <= deadline_s
    larger = combinations(range(times.size), len(cohort) + 1)
    assert all(lasts_s(list(others)) > deadline_s for others in larger)


def test_hundreds_of_rounds_meet_the_deadline() -> None:
    times = np.random.default_rng(2).uniform(1.0, 20.0, 100)
    scene = Scene(times, np.asarray(0.5), 3, server_time_s=0.1)
    steps = islice(RoundSchedule(FedCs(9.0, candidate_share=0.3), "fifo").steps(scene), 300)
    durations = [step.duration_s for step in steps]
    assert max(durations) <= 9.0 + 1e-9
    assert np.mean(durations) > 7.0


@given(hand.scenes(), st.integers(0, 1000), st.floats(0.05, 1.0))
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(scene: Scene, seed: int, share: float) -> None:
    hand.check_schedules(FedCs(candidate_share=share), scene, seed, None)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (FedCs(1.9), "deadline_s is 1.9; a round of the fastest client alone takes 2 s"),
        (FedCs(-1.0), "deadline_s is -1.0; it must be a finite number of seconds above 0"),
        (FedCs(candidate_share=0.0), "candidate_share is 0.0; it must be a number from .* to 1"),
        (FedCs(candidate_share=1.1), "candidate_share is 1.1; it must be a number from .* to 1"),
    ],
)
def test_bad_settings_are_named(policy: FedCs, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(hand.five_clients())
