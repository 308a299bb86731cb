import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.choosing import highest
from pipefl.policies.proportional_fair import ProportionalFair, RunningMean
from pipefl.policies.scene import Scene
from pipefl.wireless import ChannelState, FixedRate, Uplink


def test_the_fades_that_are_worked_with() -> None:
    fades = [
        [0.773, 0.482, 3.936, 0.389, 0.262],
        [1.302, 0.327, 0.255, 0.737, 1.390],
        [1.087, 1.091, 0.186, 0.100, 0.894],
        [0.042, 0.666, 2.712, 0.663, 1.236],
    ]
    state = hand.channel(np.ones(5))
    assert np.array([state.snr(t) for t in range(4)]) == pytest.approx(np.array(fades), abs=6e-4)


# Ratios to the means of all rounds before:
# round 1:  1.68  0.68  0.06  1.90  5.30    means then  1.037  0.404  2.096  0.563  0.826
# round 2:  1.05  2.70  0.09  0.18  1.08    means then  1.054  0.633  1.459  0.409  0.849
# round 3:  0.04  1.05  1.86  1.62  1.46
@pytest.mark.parametrize("mean_snr", [[1.0] * 5, [100.0, 0.01, 3.0, 0.5, 20.0]])
def test_five_clients_go_by_their_peaks_wherever_they_are(mean_snr: list[float]) -> None:
    scene = hand.five_clients(2, channel=hand.channel(mean_snr))
    assert hand.cohorts(ProportionalFair(), scene, 4) == [[0, 1], [4, 3], [1, 4], [2, 3]]


def test_a_window_of_one_round_compares_with_the_round_before() -> None:
    # round 2:  0.83  3.34  0.73  0.14  0.64    round 3:  0.04  0.61  14.6  6.63  1.38
    scene = hand.five_clients(2, channel=hand.channel(np.ones(5)))
    cohorts = hand.cohorts(ProportionalFair(window=1), scene, 4)
    assert cohorts == [[0, 1], [4, 3], [1, 0], [2, 3]]


def test_by_rate_the_silent_come_last_and_a_first_rate_comes_first() -> None:
    # Rate 1 bit/s/Hz needs an SNR of 1. Who has it: 2; then 0 and 4; then 0 and 1; then 2 and 4.
    uplink = Uplink(bandwidth_hz=2e6, num_channels=2, bits_per_s_per_hz=1.0)
    channel = ChannelState(np.ones(5), uplink, FixedRate(1.0))
    scene = hand.five_clients(2, channel=channel)
    policy = ProportionalFair(measure="rate")
    assert hand.cohorts(policy, scene, 3) == [[2, 0], [0, 4], [1, 0]]
    memory = RunningMean(np.array([0.0, 1e6, 0.0, 0.0, 1e6]))
    chosen = policy.select(3, hand.state_of(scene, memory), np.random.default_rng())
    assert chosen.tolist() == [2, 4]


def test_in_the_long_run_all_take_part_equally() -> None:
    scene = hand.five_clients(2, channel=hand.channel([100.0, 0.01, 3.0, 0.5, 20.0]))
    cohorts = hand.cohorts(ProportionalFair(), scene, 2000)
    share = np.bincount(np.concatenate(cohorts), minlength=5) / 2000
    assert share == pytest.approx(np.full(5, 0.4), abs=4 * np.sqrt(0.24 / 2000))


def test_highest_breaks_ties_by_the_second_score_then_by_index() -> None:
    score = np.array([2.0, 7.0, 2.0, 2.0, np.inf])
    assert highest(score, 4).tolist() == [4, 1, 0, 2]
    assert highest(score, 4, np.array([1.0, 1.0, 1.0, 3.0, 1.0])).tolist() == [4, 1, 3, 0]


@given(hand.scenes(), st.integers(0, 1000), st.sampled_from([None, 1, 5]))
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(scene: Scene, seed: int, window: int | None) -> None:
    hand.check_schedules(ProportionalFair(window=window), scene, seed, scene.num_channels)


def test_without_a_channel_state_it_says_so() -> None:
    with pytest.raises(PipeflError, match="'proportional-fair' needs the channel state"):
        ProportionalFair().start(hand.five_clients())


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (ProportionalFair(per_channel=3), "num_channels is 2; .* the population 5"),
        (ProportionalFair(window=0), "window is 0; it must be a whole number of at least 1"),
        (
            ProportionalFair(measure="gain"),  # type: ignore[arg-type]  # the mistake
            "measure is 'gain'; it must be one of snr, rate",
        ),
    ],
)
def test_bad_settings_are_named(policy: ProportionalFair, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(hand.five_clients(channel=hand.channel(np.ones(5))))
