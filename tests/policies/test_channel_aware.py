import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand
from pipefl.errors import ArgumentError, PipeflError
from pipefl.policies.channel_aware import (
    ChannelAware,
    ImportanceFrom,
    best_probabilities,
)
from pipefl.policies.choosing import draw_by_weight
from pipefl.policies.scene import Scene
from pipefl.wireless import ChannelState, FixedRate, Uplink


def test_two_clients_with_a_root_that_comes_out_even() -> None:
    # Latencies 59 and 5 are 1.84375 and 0.15625 of their mean. With λ/(1 − ρ) = 0.40625 the
    # roots are of 1/2.25 and 1/0.5625, so that p = 1/2 · 2/3 and 1/2 · 4/3.
    probability = best_probabilities(np.array([7.0, 7.0]), np.array([59.0, 5.0]), 0.5)
    assert probability == pytest.approx([1 / 3, 2 / 3])


def test_five_clients_by_importance_alone_or_next_to_by_channel_alone() -> None:
    losses = hand.GivenLosses((1.0, 1.0, 2.0, 0.5, 0.0))
    scene = hand.five_clients(losses=losses, channel=hand.channel(np.ones(5)))
    state = hand.state_of(scene)
    only_importance = ChannelAware(importance_weight=1.0)
    assert only_importance.probabilities(0, state) == pytest.approx(
        np.array([10.0, 20.0, 60.0, 20.0, 0.0]) / 110
    )
    by_samples = ChannelAware(importance_weight=1.0, importance_from="samples")
    assert by_samples.probabilities(0, state) == pytest.approx(hand.SAMPLES / 150)
    next_to_channel = ChannelAware(importance_weight=0.001)
    assert next_to_channel.probabilities(0, state)[2] > 0.9  # an SNR of 3.9 among some below 1
    assert next_to_channel.probabilities(1, state)[0] > 0.8  # 1.3; client 4 has no loss


def test_latency_is_the_expected_upload_over_the_rate() -> None:
    scene = hand.five_clients(
        upload_time_s=[1.0, 2.0, 1.0, 2.0, 1.0], channel=hand.channel(np.ones(5))
    )
    policy = ChannelAware(importance_from="samples", importance_weight=0.3)
    rates = np.log2(1 + np.array([0.773, 0.482, 3.936, 0.389, 0.262]))
    expected = best_probabilities(hand.SAMPLES * 1.0, np.array([1, 2, 1, 2, 1]) / rates, 0.3)
    assert policy.probabilities(0, hand.state_of(scene)) == pytest.approx(expected, abs=1e-3)


@given(
    st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=8),
    st.integers(0, 2**32),
    st.floats(0.001, 1.0),
)
def test_probabilities_fulfil_the_conditions_of_the_optimum(
    importance: list[float], seed: int, weight: float
) -> None:
    share = np.array(importance) / np.sum(importance)
    latency = np.random.default_rng(seed).lognormal(0.0, 2.0, share.size)
    probability = best_probabilities(share, latency, weight)
    assert probability.sum() == pytest.approx(1.0)
    assert probability.min() > 0
    gain = weight * (share / probability) ** 2
    multiplier = gain - (1 - weight) * latency / latency.mean()
    assert multiplier == pytest.approx(
        np.full(share.size, multiplier[0]), rel=1e-5, abs=1e-6 * gain.max()
    )


def test_no_other_probabilities_do_better() -> None:
    rng = np.random.default_rng(5)
    share, latency = rng.dirichlet(np.ones(5)), rng.lognormal(size=5)
    latency /= latency.mean()

    def cost(probability: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return float(np.sum(0.4 * share**2 / probability + 0.6 * probability * latency))

    best = cost(best_probabilities(share, latency, 0.4))
    assert all(cost(rng.dirichlet(np.ones(5))) >= best for _ in range(2000))


def test_draws_without_replacement_follow_the_weights() -> None:
    weight = np.array([1.0, 2.0, 3.0, 4.0])
    hand.check_frequencies(
        lambda rng: tuple(draw_by_weight(weight, 2, rng).tolist()),
        hand.drawn_in_turn(weight, 2),
    )


def test_weights_of_zero_come_last_in_random_order() -> None:
    weight = np.array([0.0, 5.0, 0.0, 1e-320])
    chances: dict[tuple[int, ...], float] = {(1, 3, 0, 2): 0.5, (1, 3, 2, 0): 0.5}
    hand.check_frequencies(lambda rng: tuple(draw_by_weight(weight, 4, rng).tolist()), chances)


def test_five_clients_are_drawn_by_their_probabilities() -> None:
    scene = hand.five_clients(channel=hand.channel(np.ones(5)))
    policy = ChannelAware(importance_from="samples")
    state = hand.state_of(scene)
    hand.check_frequencies(
        lambda rng: tuple(policy.select(2, state, rng).tolist()),
        hand.drawn_in_turn(policy.probabilities(2, state), 2),
    )


def test_clients_without_a_rate_come_last() -> None:
    # An SNR of 1 is needed. Round 0: client 2. Round 1: 0 and 4. With a threshold of 100: nobody.
    uplink = Uplink(bandwidth_hz=2e6, num_channels=2, bits_per_s_per_hz=1.0)
    channel = ChannelState(np.ones(5), uplink)
    scene = hand.five_clients(channel=channel)
    policy = ChannelAware(importance_from="samples", importance_weight=0.999)
    assert hand.cohorts(policy, scene, 1)[0][0] == 2
    assert {frozenset(hand.cohorts(policy, scene, 2, seed)[1]) for seed in range(20)} == {
        frozenset({0, 4})
    }
    deaf = hand.five_clients(channel=ChannelState(np.ones(5), uplink, FixedRate(7.0)))
    assert not policy.probabilities(0, hand.state_of(deaf)).any()
    assert len(hand.cohorts(policy, deaf, 1)[0]) == 2


@given(hand.scenes(), st.integers(0, 1000), st.sampled_from(["losses", "samples"]))
@settings(max_examples=25)
def test_cohorts_are_valid_and_the_same_again(
    scene: Scene, seed: int, importance_from: ImportanceFrom
) -> None:
    policy = ChannelAware(importance_from=importance_from)
    hand.check_schedules(policy, scene, seed, scene.num_channels)


def test_what_the_scene_lacks_is_named() -> None:
    channel = hand.channel(np.ones(5))
    with pytest.raises(PipeflError, match="'channel-aware' needs the channel state"):
        ChannelAware().start(hand.five_clients())
    with pytest.raises(PipeflError, match="'channel-aware' needs the clients' losses"):
        ChannelAware().start(hand.five_clients(channel=channel))
    ChannelAware(importance_from="samples").start(hand.five_clients(channel=channel))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (ChannelAware(per_channel=3), "num_channels is 2; .* the population 5"),
        (
            ChannelAware(importance_weight=0.0),
            "importance_weight is 0.0; it must be a number from 0.001 to 1",
        ),
        (
            ChannelAware(importance_from="norms"),  # type: ignore[arg-type]  # the mistake
            "importance_from is 'norms'; it must be one of losses, samples",
        ),
    ],
)
def test_bad_settings_are_named(policy: ChannelAware, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{message}$"):
        policy.start(hand.five_clients(channel=hand.channel(np.ones(5))))
