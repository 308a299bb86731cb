import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from pipefl import PipeflError
from pipefl.wireless import LTE_CQI, CodingTable, RateRule, ShannonRate, db_to_ratio

CQI_SNR = db_to_ratio(np.array(LTE_CQI.threshold_db))
CQI_RATES = np.array(LTE_CQI.step_bits_per_s_per_hz)
snr_lists = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=30).map(np.array)


def test_capacity_worked_by_hand() -> None:
    assert ShannonRate().bits_per_s_per_hz([0.0, 1.0, 3.0, 7.0]) == pytest.approx([0, 1, 2, 3])
    # A gap of 10 dB makes an SNR of 70 as good as one of 7.
    assert ShannonRate(gap_db=10.0).bits_per_s_per_hz([70.0]) == pytest.approx([3.0])


def test_a_tiny_snr_keeps_its_precision() -> None:
    rate = ShannonRate().bits_per_s_per_hz([1e-18])
    assert rate == pytest.approx([1e-18 / np.log(2.0)], rel=1e-12)


@given(snr_lists, st.floats(0.0, 20.0))
def test_a_gap_never_helps_and_more_snr_never_hurts(
    snr: NDArray[np.float64], gap_db: float
) -> None:
    snr = np.sort(snr)
    capacity, with_gap = (ShannonRate(gap).bits_per_s_per_hz(snr) for gap in (0.0, gap_db))
    assert np.all(with_gap <= capacity)
    for rates in (with_gap, LTE_CQI.bits_per_s_per_hz(snr)):
        assert np.all(np.diff(rates) >= 0)
        assert np.all(rates >= 0)


def test_the_lte_table_has_fifteen_steps_between_the_standards_extremes() -> None:
    assert len(LTE_CQI.threshold_db) == len(LTE_CQI.step_bits_per_s_per_hz) == 15
    # QPSK at rate 78/1024 and 64QAM at rate 948/1024, to the four digits of the standard.
    assert CQI_RATES[0] == pytest.approx(2 * 78 / 1024, abs=5e-5)
    assert CQI_RATES[14] == pytest.approx(6 * 948 / 1024, abs=5e-5)


def test_the_lte_rates_are_those_of_its_modulations_and_code_rates() -> None:
    code_rate = [78, 120, 193, 308, 449, 602, 378, 490, 616, 466, 567, 666, 772, 873, 948]
    bits_a_symbol = np.repeat([2, 4, 6], [6, 3, 6])
    assert pytest.approx(bits_a_symbol * code_rate / 1024, abs=5.1e-5) == CQI_RATES


def test_the_lte_table_stays_below_capacity_at_each_threshold_by_a_plausible_gap() -> None:
    assert np.all(ShannonRate().bits_per_s_per_hz(CQI_SNR) > CQI_RATES)
    gap_db = 10.0 * np.log10(CQI_SNR / (2.0**CQI_RATES - 1.0))
    assert gap_db.min() == pytest.approx(2.8, abs=0.05)
    assert gap_db.max() == pytest.approx(6.1, abs=0.05)
    assert np.all(np.diff(gap_db) > -0.01)  # denser constellations lose more


@given(snr_lists)
def test_the_table_never_beats_capacity(snr: NDArray[np.float64]) -> None:
    capacity = ShannonRate().bits_per_s_per_hz(snr)
    assert np.all(LTE_CQI.bits_per_s_per_hz(snr) <= capacity)


def test_a_step_begins_at_its_threshold() -> None:
    assert LTE_CQI.bits_per_s_per_hz(CQI_SNR).tolist() == CQI_RATES.tolist()
    just_below = LTE_CQI.bits_per_s_per_hz(CQI_SNR * (1 - 1e-9))
    assert just_below.tolist() == [0.0, *CQI_RATES[:-1].tolist()]


@given(snr_lists)
def test_the_table_is_what_a_search_in_plain_python_finds(snr: NDArray[np.float64]) -> None:
    table = CodingTable(threshold_db=(-3.0, 0.0, 20.0), step_bits_per_s_per_hz=(0.4, 0.9, 5.0))
    for value, rate in zip(snr.tolist(), table.bits_per_s_per_hz(snr).tolist(), strict=True):
        steps = [(10**-0.3, 0.4), (1.0, 0.9), (100.0, 5.0)]
        assert rate == max([0.0, *(step for threshold, step in steps if value >= threshold)])


@pytest.mark.parametrize("rule", [ShannonRate(), LTE_CQI], ids=["shannon", "table"])
def test_a_rule_keeps_the_shape_of_what_it_is_given(rule: RateRule) -> None:
    assert rule.bits_per_s_per_hz(np.ones((3, 4))).shape == (3, 4)
    assert rule.bits_per_s_per_hz(1.0).shape == ()


@pytest.mark.parametrize("rule", [ShannonRate(), LTE_CQI], ids=["shannon", "table"])
@pytest.mark.parametrize(
    ("snr", "message"),
    [
        ([1.0, -0.1], r"^snr\[1\] is -0.1; every SNR must be .* \(linear, not dB\)$"),
        ([[1.0, 2.0], [float("nan"), 1.0]], r"^snr\[1, 0\] is nan"),
        (float("inf"), r"^snr is inf"),
        (["a"], r"^snr is \['a'\]; it must be an array of numbers$"),
        (np.array(["a", "b"]), r"^snr is \['a', 'b'\]; it must be an array of numbers$"),
    ],
)
def test_a_bad_snr_is_named(rule: RateRule, snr: ArrayLike, message: str) -> None:
    with pytest.raises(PipeflError, match=message):
        rule.bits_per_s_per_hz(snr)


@pytest.mark.parametrize("gap_db", [-1.0, 101.0, float("nan")])
def test_a_bad_gap_is_named(gap_db: float) -> None:
    with pytest.raises(PipeflError, match=r"^gap_db is .*between 0 and 100 dB$"):
        ShannonRate(gap_db)


@pytest.mark.parametrize(
    ("thresholds", "steps", "message"),
    [
        ((0.0, 0.0), (1.0, 2.0), r"^threshold_db\[1\] is 0.0; it must be above the 0 before it"),
        ((2.0, 1.0), (1.0, 2.0), r"^threshold_db\[1\] is 1.0; it must be above the 2 before it"),
        ((0.0, 1.0), (2.0, 1.0), r"^step_bits_per_s_per_hz\[1\] is 1.0; it must be above the 2"),
        ((0.0, 1.0), (1.0,), r"one rate for each of the 2 thresholds$"),
        ((0.0,), (0.0,), r"^step_bits_per_s_per_hz\[0\] is 0.0; .*above 0 bit/s/Hz"),
        ((), (), r"^threshold_db.shape is \(0,\); .*, one for each step$"),
        ((float("nan"),), (1.0,), r"^threshold_db\[0\] is nan"),
    ],
)
def test_a_bad_table_is_named(
    thresholds: tuple[float, ...], steps: tuple[float, ...], message: str
) -> None:
    with pytest.raises(PipeflError, match=message):
        CodingTable(thresholds, steps)


def test_tables_are_equal_by_value_and_can_be_keys() -> None:
    table = CodingTable((0.0, 1.0), (1.0, 2.0))
    table.bits_per_s_per_hz(1.0)  # what it works out at first use changes neither
    assert {table: "a"}[CodingTable((0.0, 1.0), (1.0, 2.0))] == "a"
    assert table != LTE_CQI
