import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl import PipeflError
from pipefl.wireless import Uplink, update_bits

bandwidths_hz = st.floats(1e3, 1e9)
rates = st.floats(0.01, 12.0)
overheads = st.floats(0.0, 0.9)


@st.composite
def uplinks(draw: st.DrawFn) -> Uplink:
    return Uplink(
        bandwidth_hz=draw(bandwidths_hz),
        num_channels=draw(st.integers(1, 500)),
        bits_per_s_per_hz=draw(rates),
        overhead_share=draw(overheads),
    )


def test_a_float32_update_of_a_million_parameters_is_32_megabits() -> None:
    assert update_bits(1_000_000) == 32e6
    # 1,000 parameters · 16 bit · 1/4 of them sent
    assert update_bits(1000, bits_per_parameter=16, compression_ratio=0.25) == 4000.0


def test_rate_and_time_of_a_hand_worked_uplink() -> None:
    # 20 MHz in 10 parts of 2 MHz; a tenth is guard band: 1.8 MHz · 2 bit/s/Hz = 3.6 Mbit/s.
    uplink = Uplink(bandwidth_hz=20e6, num_channels=10, bits_per_s_per_hz=2.0, overhead_share=0.1)
    assert uplink.channel_bandwidth_hz == 2e6
    assert uplink.payload_bandwidth_hz == pytest.approx(1.8e6)
    assert uplink.rate_bits_per_s == pytest.approx(3.6e6)
    assert uplink.upload_time_s(36e6) == pytest.approx(10.0)


@pytest.mark.parametrize("num_channels", [1, 2, 7, 100])
def test_at_fixed_bandwidth_the_upload_time_grows_in_proportion_to_the_channels(
    num_channels: int,
) -> None:
    alone = Uplink(bandwidth_hz=1e6, num_channels=1, bits_per_s_per_hz=1.0)
    shared = alone.with_channels(num_channels)
    assert shared.upload_time_s(5e6) == pytest.approx(5.0 * num_channels)


@given(uplinks(), st.floats(1.0, 1e12))
def test_doubling_the_channels_doubles_the_time_and_keeps_the_updates_a_second(
    uplink: Uplink, bits: float
) -> None:
    doubled = uplink.with_channels(2 * uplink.num_channels)
    assert doubled.upload_time_s(bits) == pytest.approx(2 * uplink.upload_time_s(bits))
    per_s = uplink.num_channels / uplink.upload_time_s(bits)
    assert doubled.num_channels / doubled.upload_time_s(bits) == pytest.approx(per_s)
    assert doubled.bandwidth_hz == uplink.bandwidth_hz


@given(uplinks(), st.floats(1.0, 1e12), st.floats(1.01, 4.0))
def test_an_upload_is_shorter_with_fewer_bits_or_a_better_rate(
    uplink: Uplink, bits: float, factor: float
) -> None:
    time_s = uplink.upload_time_s(bits)
    assert uplink.upload_time_s(bits / factor) == pytest.approx(time_s / factor)
    faster = uplink.with_rate(uplink.bits_per_s_per_hz * factor)
    assert faster.upload_time_s(bits) == pytest.approx(time_s / factor)
    assert faster.num_channels == uplink.num_channels


@given(uplinks())
def test_the_channels_of_an_uplink_add_up_to_its_bandwidth(uplink: Uplink) -> None:
    total_hz = uplink.num_channels * uplink.channel_bandwidth_hz
    assert total_hz == pytest.approx(uplink.bandwidth_hz)
    assert uplink.payload_bandwidth_hz <= uplink.channel_bandwidth_hz


@pytest.mark.parametrize(
    "bandwidth_hz", [0.0, -1e6, float("nan"), float("inf"), "20e6", True, np.ones(2)]
)
def test_a_bad_bandwidth_is_named(bandwidth_hz: float) -> None:
    with pytest.raises(PipeflError, match=r"^bandwidth_hz is .* hertz above 0$"):
        Uplink(bandwidth_hz=bandwidth_hz, num_channels=1, bits_per_s_per_hz=1.0)


@pytest.mark.parametrize("num_channels", [0, -3, 1.5, True])
def test_a_bad_number_of_channels_is_named(num_channels: int) -> None:
    accepted = r"^num_channels is .*; it must be a whole number of at least 1$"
    uplink = Uplink(bandwidth_hz=1e6, num_channels=1, bits_per_s_per_hz=1.0)
    with pytest.raises(PipeflError, match=accepted):
        Uplink(bandwidth_hz=1e6, num_channels=num_channels, bits_per_s_per_hz=1.0)
    with pytest.raises(PipeflError, match=accepted):
        uplink.with_channels(num_channels)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), 2e6])
def test_a_rate_in_bits_a_second_is_not_taken_for_a_spectral_efficiency(rate: float) -> None:
    with pytest.raises(PipeflError, match=r"bits_per_s_per_hz is .* at most 100 bit/s/Hz"):
        Uplink(bandwidth_hz=1e6, num_channels=1, bits_per_s_per_hz=rate)


@pytest.mark.parametrize("share", [-0.1, 1.0, 1.5, float("nan")])
def test_a_bad_overhead_is_named(share: float) -> None:
    with pytest.raises(PipeflError, match=r"^overhead_share is .* at least 0 and below 1$"):
        Uplink(bandwidth_hz=1e6, num_channels=1, bits_per_s_per_hz=1.0, overhead_share=share)


@pytest.mark.parametrize("bits", [0.0, -8.0, float("inf")])
def test_no_bits_are_no_upload(bits: float) -> None:
    uplink = Uplink(bandwidth_hz=1e6, num_channels=1, bits_per_s_per_hz=1.0)
    with pytest.raises(PipeflError, match=r"^bits is .* above 0$"):
        uplink.upload_time_s(bits)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), r"^num_parameters is 0; it must be a whole number"),
        ((10, 0.0), r"^bits_per_parameter is 0.0; .* bits above 0$"),
        ((10, 32.0, 0.0), r"^compression_ratio is 0.0; it must be above 0 and at most 1"),
        ((10, 32.0, 1.1), r"^compression_ratio is 1.1; it must be above 0 and at most 1"),
    ],
)
def test_a_bad_model_size_is_named(arguments: tuple[int, float, float], message: str) -> None:
    with pytest.raises(PipeflError, match=message):
        update_bits(*arguments)
