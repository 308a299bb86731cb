import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipefl import PipeflError
from pipefl.wireless import EnergyModel, w_to_dbm

samples = st.lists(st.integers(0, 10_000), min_size=1, max_size=20)


def test_a_round_worked_by_hand() -> None:
    model = EnergyModel(
        switched_capacitance_w_per_hz3=1e-28,
        cycles_per_sample=1e6,
        cpu_hz=1e9,
        transmit_power_w=0.5,
    )
    # 1e6 cycles · 40 samples / 1e9 Hz = 40 ms; at κf³ = 0.1 W that is 4 mJ.
    assert model.compute_time_s([40]) == pytest.approx([0.04])
    assert model.compute_j([40]) == pytest.approx([0.004])
    # half a watt for 2 s
    assert model.transmit_j([2.0]) == pytest.approx([1.0])
    assert model.round_j([40], [2.0]) == pytest.approx([1.004])


def test_the_defaults_are_those_of_the_docstring() -> None:
    # 2e4 cycles · 10 / 2e9 Hz = 0.1 ms; 1e-28 · 2e4 · 4e18 · 10 = 80 µJ.
    model = EnergyModel()
    assert model.compute_time_s([10]) == pytest.approx([1e-4])
    assert model.compute_j([10]) == pytest.approx([8e-5])
    assert w_to_dbm(float(model.transmit_power_w)) == pytest.approx(23.0, abs=0.02)


def test_clients_that_compute_as_long_as_the_clock_says_spend_their_power_for_as_long() -> None:
    model = EnergyModel.matching([3.0, 4.0], [30, 20], cpu_hz=1e9)
    assert model.compute_time_s([30, 20]) == pytest.approx([3.0, 4.0])
    assert model.compute_j([30, 20]) == pytest.approx([0.3, 0.4])  # at κf³ = 0.1 W
    with pytest.raises(PipeflError, match=r"num_samples\[1\] is 0.0"):
        EnergyModel.matching([3.0, 4.0], [30, 0])


@given(samples, st.floats(1e8, 5e9), st.floats(1.0, 1e9))
def test_energy_is_power_times_time(
    num_samples: list[int], cpu_hz: float, cycles_per_sample: float
) -> None:
    model = EnergyModel(cpu_hz=cpu_hz, cycles_per_sample=cycles_per_sample)
    power_w = 1e-28 * cpu_hz**3
    time_s = model.compute_time_s(num_samples)
    assert model.compute_j(num_samples) == pytest.approx(power_w * time_s)


@given(samples, st.floats(1e8, 2e9))
def test_twice_the_clock_halves_the_time_and_costs_four_times_the_energy(
    num_samples: list[int], cpu_hz: float
) -> None:
    slow, fast = EnergyModel(cpu_hz=cpu_hz), EnergyModel(cpu_hz=2 * cpu_hz)
    slow_s, fast_s = (model.compute_time_s(num_samples) for model in (slow, fast))
    assert fast_s == pytest.approx(slow_s / 2)
    assert fast.compute_j(num_samples) == pytest.approx(4 * slow.compute_j(num_samples))


@given(samples, st.floats(0.0, 1e4))
def test_the_parts_of_a_round_add_up_and_nothing_costs_nothing(
    num_samples: list[int], upload_time_s: float
) -> None:
    model = EnergyModel()
    upload_s = np.full(len(num_samples), upload_time_s)
    parts_j = model.compute_j(num_samples) + model.transmit_j(upload_s)
    assert np.array_equal(model.round_j(num_samples, upload_s), parts_j)
    assert np.all(parts_j >= 0)
    idle = np.zeros(len(num_samples))
    assert not model.round_j(idle, idle).any()


def test_every_client_can_have_its_own_processor_and_radio() -> None:
    cpu_hz = np.array([1e9, 2e9])
    model = EnergyModel(cpu_hz=cpu_hz, transmit_power_w=np.array([0.1, 0.2]))
    cpu_hz[0] = 1.0  # the model has its own copy
    assert model.compute_time_s([100, 100]) == pytest.approx([2e-3, 1e-3])
    assert model.compute_j([100, 100]) == pytest.approx([2e-4, 8e-4])
    assert model.transmit_j([3.0, 3.0]) == pytest.approx([0.3, 0.6])


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("switched_capacitance_w_per_hz3", "W/Hz³"),
        ("cycles_per_sample", "cycles"),
        ("cpu_hz", "hertz"),
        ("transmit_power_w", "watts"),
    ],
)
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_bad_field_is_named_with_its_unit(name: str, unit: str, value: float) -> None:
    with pytest.raises(PipeflError, match=f"^{name} is .*; it must be .* of {unit} above 0$"):
        EnergyModel(**{name: value})
    with pytest.raises(PipeflError, match=rf"^{name}\[1\] is .* of {unit} above 0$"):
        EnergyModel(**{name: np.array([1.0, value])})


def test_a_client_that_cannot_upload_has_no_energy() -> None:
    with pytest.raises(PipeflError, match=r"^upload_time_s\[1\] is inf; .*cannot upload$"):
        EnergyModel().transmit_j([1.0, float("inf")])


@pytest.mark.parametrize("num_samples", [[-1.0], [float("nan")]])
def test_bad_samples_are_named(num_samples: list[float]) -> None:
    with pytest.raises(PipeflError, match=r"^num_samples\[0\] is .*samples, 0 or more$"):
        EnergyModel().compute_j(num_samples)


def test_numbers_of_clients_that_differ_are_refused() -> None:
    model = EnergyModel(cpu_hz=np.array([1e9, 2e9]))
    with pytest.raises(
        PipeflError, match=r"^num_samples.size is 3; it must be 2, as cpu_hz.size is$"
    ):
        model.compute_j([1, 2, 3])
    with pytest.raises(PipeflError, match=r"^upload_time_s.size is 2; it must be 3, as num_sam"):
        EnergyModel().round_j([1, 2, 3], [1.0, 2.0])
    with pytest.raises(PipeflError, match=r"^num_samples.shape is \(\); it must be a row"):
        EnergyModel().compute_j(40)
