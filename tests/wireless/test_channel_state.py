from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from pipefl import PipeflError
from pipefl.wireless import (
    LTE_CQI,
    ChannelState,
    FixedRate,
    RateRule,
    ShannonRate,
    Uplink,
    choose_fixed_rate,
    rayleigh_snr,
)

UPLINK = Uplink(bandwidth_hz=10e6, num_channels=5, bits_per_s_per_hz=1.0, overhead_share=0.1)
SNR = np.geomspace(0.05, 5000.0, 60)
RULES: list[RateRule | None] = [None, FixedRate(0.7), ShannonRate(3.0), LTE_CQI]


@dataclass(frozen=True)
class DoubleRule:
    """A rule of somebody else's: the SNR twice, as bit/s/Hz."""

    def bits_per_s_per_hz(self, snr: ArrayLike) -> NDArray[np.float64]:
        return 2.0 * np.asarray(snr, dtype=np.float64)


def test_fades_are_exponential_with_mean_one_and_independent_between_clients() -> None:
    gains = np.array([rayleigh_snr(np.ones(20), t, seed=7) for t in range(2000)])
    error = 1 / np.sqrt(gains.size)
    assert gains.mean() == pytest.approx(1.0, abs=4 * error)
    assert gains.std() == pytest.approx(1.0, abs=12 * error)
    share_below = np.mean(gains < np.log(2.0))  # the median of Exp(1)
    assert share_below == pytest.approx(0.5, abs=4 * 0.5 * error)
    between = np.corrcoef(gains.T)[np.triu_indices(20, k=1)]
    assert np.abs(between).max() < 5 / np.sqrt(2000)


def test_a_round_says_nothing_about_the_next() -> None:
    gains = np.array([rayleigh_snr(np.ones(500), t, seed=8) for t in range(40)])
    correlation = np.corrcoef(gains[:-1].ravel(), gains[1:].ravel())[0, 1]
    assert abs(correlation) < 4 / np.sqrt(39 * 500)


@given(st.integers(0, 2**40), st.integers(0, 10**6), st.integers(1, 60))
def test_seed_and_round_decide_the_fades_whatever_the_order(
    seed: int, round_index: int, num_clients: int
) -> None:
    snr = rayleigh_snr(SNR, round_index, seed)
    rayleigh_snr(SNR, round_index + 1, seed)
    assert np.array_equal(snr, rayleigh_snr(SNR, round_index, seed))
    assert not np.any(snr == rayleigh_snr(SNR, round_index + 1, seed))
    assert not np.any(snr == rayleigh_snr(SNR, round_index, seed + 1))
    few = rayleigh_snr(SNR[:num_clients], round_index, seed)
    assert np.array_equal(few, snr[:num_clients])


def test_a_rule_of_the_users_own_gives_hand_worked_rates() -> None:
    # 10 MHz/5 = 2 MHz, less a tenth 1.8 MHz; times 2γ.
    state = ChannelState(SNR, UPLINK, DoubleRule(), seed=3)
    rates = state.rates_bits_per_s(4)
    assert rates == pytest.approx(1.8e6 * 2.0 * rayleigh_snr(SNR, 4, seed=3))
    assert state.upload_time_s(4, bits=3.6e6) == pytest.approx(1 / state.snr(4))


@pytest.mark.parametrize("rule", RULES)
def test_an_upload_takes_bits_over_rate_and_forever_without_one(rule: RateRule | None) -> None:
    state = ChannelState(SNR, UPLINK, rule, seed=11)
    rates, time_s = state.rates_bits_per_s(2), state.upload_time_s(2, bits=8e6)
    assert rates.shape == time_s.shape == (state.num_clients,) == (60,)
    assert np.array_equal(np.isinf(time_s), rates == 0)
    sending = rates > 0
    assert time_s[sending] * rates[sending] == pytest.approx(8e6)
    assert np.array_equal(rates, state.rates_bits_per_s(2))


def test_below_the_lowest_scheme_a_client_cannot_upload() -> None:
    state = ChannelState(SNR, UPLINK, LTE_CQI, seed=1)
    lowest = 10 ** (LTE_CQI.threshold_db[0] / 10)
    silent = state.rates_bits_per_s(0) == 0
    assert silent.any()
    assert not silent.all()
    assert np.array_equal(silent, state.snr(0) < lowest)


@pytest.mark.paper("sec:pfl")
def test_without_a_rule_everyone_who_sends_takes_the_uplinks_time() -> None:
    rate = choose_fixed_rate(SNR, outage=0.05)
    uplink = UPLINK.with_rate(rate.rate_bits_per_s_per_hz)
    state = ChannelState(SNR, uplink, seed=9)
    times_s = np.array([state.upload_time_s(t, bits=1e6) for t in range(3000)])
    sent = np.isfinite(times_s)
    assert times_s[sent] == pytest.approx(uplink.upload_time_s(1e6))
    expected = rate.outage(SNR)
    deviation = np.sqrt(expected * (1 - expected) / len(times_s))
    assert np.all(np.abs(1 - sent.mean(axis=0) - expected) < 5 * deviation)


@given(st.sampled_from(RULES), st.integers(0, 50), st.integers(1, 8))
def test_more_channels_take_at_most_proportionally_longer_and_reach_no_fewer(
    rule: RateRule | None, round_index: int, factor: int
) -> None:
    state = ChannelState(SNR, UPLINK, rule, seed=2)
    more = state.with_channels(5 * factor)
    assert more.mean_snr == pytest.approx(factor * SNR)
    before_s, after_s = (s.upload_time_s(round_index, 1e6) for s in (state, more))
    assert np.all(after_s <= factor * before_s * (1 + 1e-12))
    if rule is None and np.isfinite(before_s).any():
        both = np.isfinite(before_s)
        assert after_s[both] == pytest.approx(factor * before_s[both])


def test_nobody_can_change_a_channel_afterwards() -> None:
    snr = np.array([1.0, 2.0])
    state = ChannelState(snr, UPLINK)
    snr[0] = 99.0
    assert state.mean_snr.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        state.mean_snr[0] = 99.0


@pytest.mark.parametrize(
    ("snr", "message"),
    [
        ([1.0, 0.0], r"^mean_snr\[1\] is 0.0; every mean SNR must be"),
        ([float("nan")], r"^mean_snr\[0\] is nan; "),
        ([], r"^mean_snr.shape is \(0,\); it must be a row .*, one for each client$"),
    ],
)
def test_bad_mean_snrs_are_named(snr: list[float], message: str) -> None:
    with pytest.raises(PipeflError, match=message):
        ChannelState(np.array(snr), UPLINK)
    with pytest.raises(PipeflError, match=message):
        rayleigh_snr(snr, 0)


def test_bad_rounds_seeds_and_bits_are_named() -> None:
    state = ChannelState(SNR, UPLINK)
    with pytest.raises(PipeflError, match=r"^round_index is -1; .* at least 0$"):
        state.rates_bits_per_s(-1)
    with pytest.raises(PipeflError, match=r"^round_index is 1.5; .* whole number"):
        state.snr(1.5)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(PipeflError, match=r"^bits is 0.0; .* above 0$"):
        state.upload_time_s(0, bits=0.0)
    with pytest.raises(PipeflError, match=r"^seed is -1; .* at least 0$"):
        ChannelState(SNR, UPLINK, seed=-1)
