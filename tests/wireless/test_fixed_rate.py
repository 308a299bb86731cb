import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipefl import PipeflError
from pipefl.wireless import FixedRate, choose_fixed_rate, rayleigh_snr

snr_lists = st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=30).map(np.array)
outages = st.floats(0.001, 0.999)


@pytest.mark.paper("sec:pfl")
def test_the_rate_of_the_worst_client_worked_by_hand() -> None:
    # q = 1 − 1/e, so ln(1/(1 − q)) = 1 and the rate is log2(1 + 7) = 3 bit/s/Hz.
    rate = choose_fixed_rate([7.0, 70.0], outage=1.0 - math.exp(-1.0))
    assert rate.rate_bits_per_s_per_hz == pytest.approx(3.0)
    assert rate.required_snr == pytest.approx(7.0)
    expected = [1 - math.exp(-1.0), 1 - math.exp(-0.1)]
    assert rate.outage([7.0, 70.0]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("served_share", "worst_served"),
    [(1.0, 1.0), (0.95, 1.0), (0.9, 2.0), (0.5, 6.0), (0.1, 10.0), (0.01, 10.0)],
)
def test_a_served_share_leaves_out_the_worst_clients(
    served_share: float, worst_served: float
) -> None:
    snr = np.arange(10.0, 0.0, -1.0)
    rate = choose_fixed_rate(snr, outage=0.2, served_share=served_share)
    assert rate == choose_fixed_rate([worst_served], outage=0.2)
    assert np.mean(rate.outage(snr) <= 0.2 + 1e-12) >= served_share


@pytest.mark.parametrize(("share", "num_clients"), [(0.07, 100), (0.14, 100), (0.55, 100)])
def test_a_share_that_is_whole_but_for_rounding_is_whole(share: float, num_clients: int) -> None:
    assert math.ceil(share * num_clients) > round(share * num_clients)  # the trap
    rate = choose_fixed_rate(np.arange(1.0, num_clients + 1), 0.1, served_share=share)
    worst_served = num_clients + 1 - round(share * num_clients)
    assert rate == choose_fixed_rate([worst_served], 0.1)


@given(snr_lists, outages)
def test_the_worst_client_has_exactly_the_outage_asked_for_and_no_other_more(
    snr: NDArray[np.float64], outage: float
) -> None:
    client_outage = choose_fixed_rate(snr, outage).outage(snr)
    assert client_outage.max() == pytest.approx(outage, rel=1e-6)
    assert np.argmax(client_outage) == np.argmin(snr)


@given(snr_lists, st.floats(0.001, 0.5), st.floats(1.01, 1.9), st.floats(0.1, 0.9))
def test_the_rate_rises_with_outage_with_snr_and_with_clients_left_out(
    snr: NDArray[np.float64], outage: float, factor: float, share: float
) -> None:
    rate = choose_fixed_rate(snr, outage).rate_bits_per_s_per_hz
    assert choose_fixed_rate(snr, outage * factor).rate_bits_per_s_per_hz > rate
    assert choose_fixed_rate(snr * factor, outage).rate_bits_per_s_per_hz > rate
    assert choose_fixed_rate(snr, outage, share).rate_bits_per_s_per_hz >= rate


@pytest.mark.paper("sec:pfl")
@pytest.mark.parametrize("outage", [0.01, 0.1, 0.5])
def test_simulated_rayleigh_rounds_show_the_outage(outage: float) -> None:
    snr = np.array([0.3, 3.0, 30.0])
    rate = choose_fixed_rate(snr, outage)
    num_rounds = 6000
    silent = [rate.bits_per_s_per_hz(rayleigh_snr(snr, t, seed=4)) == 0 for t in range(num_rounds)]
    expected = rate.outage(snr)
    deviation = np.sqrt(expected * (1 - expected) / num_rounds)
    assert expected[0] == pytest.approx(outage)
    assert np.all(np.abs(np.mean(silent, axis=0) - expected) < 4 * deviation)


@pytest.mark.parametrize("rate", [0.5, 1.0, 2.0, 3.0, 10.0, 11.0])  # 2^11 − 1 comes out high
def test_a_client_sends_at_the_rate_or_not_at_all(rate: float) -> None:
    threshold = 2.0**rate - 1.0
    snr = np.array([[0.0, threshold * 0.999], [threshold, 1e9]])
    assert FixedRate(rate).bits_per_s_per_hz(snr).tolist() == [[0.0, 0.0], [rate, rate]]


@pytest.mark.parametrize("outage", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_an_outage_outside_its_range_is_refused(outage: float) -> None:
    with pytest.raises(PipeflError, match=r"^outage is .*; it must lie between 0 and 1"):
        choose_fixed_rate([1.0], outage)


@pytest.mark.parametrize("share", [0.0, -0.5, 1.01, float("nan")])
def test_a_served_share_outside_its_range_is_refused(share: float) -> None:
    with pytest.raises(PipeflError, match=r"^served_share is .*; it must be above 0 and at most 1"):
        choose_fixed_rate([1.0], 0.1, served_share=share)


@pytest.mark.parametrize(
    ("snr", "message"),
    [
        ([1.0, float("nan")], r"^mean_snr\[1\] is nan; every mean SNR must be"),
        ([float("inf")], r"^mean_snr\[0\] is inf; "),
        ([2.0, 1.0, -3.0], r"^mean_snr\[2\] is -3.0; .* \(linear, not dB\)$"),
        ([0.0], r"^mean_snr\[0\] is 0.0; "),
        ([], r"^mean_snr.shape is \(0,\); it must be a row .*, one for each client$"),
        ([[1.0]], r"^mean_snr.shape is \(1, 1\); it must be a row"),
        (["loud"], r"^mean_snr is \['loud'\]; it must be an array of numbers$"),
    ],
)
def test_a_bad_mean_snr_is_named(snr: list[float], message: str) -> None:
    with pytest.raises(PipeflError, match=message):
        choose_fixed_rate(snr, 0.1)
    with pytest.raises(PipeflError, match=message):
        FixedRate(1.0).outage(snr)


@pytest.mark.parametrize("rate", [0.0, -1.0, 1e6, float("nan")])
def test_a_bad_fixed_rate_is_named(rate: float) -> None:
    with pytest.raises(PipeflError, match=r"^rate_bits_per_s_per_hz is .* at most 100 bit/s/Hz"):
        FixedRate(rate)
